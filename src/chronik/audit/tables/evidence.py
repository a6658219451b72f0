"""What a run left behind, as tables that are read when they are asked for.

| where | table |
|---|---|
| ``run.json`` | ``RunFacts`` |
| ``sends/*.arrows`` | SENDS, with one file for each producer and incarnation |
| ``sends/*.reserved`` | RESERVED, as lines (``read_reserved``) |
| ``polls/*.arrows``, ``polls/*.events.arrows`` | DELIVERED, EVENTS |
| ``stored/*.arrows`` | STORED, where the topic was read at the end of the run |
| ``observer/samples*.arrows``, ``observer/epochs*.arrows`` | OBSERVED, EPOCHS |
| ``tap/*.arrows`` | TAP |
"""

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Final

import pyarrow as pa

from chronik.audit.tables import schemas
from chronik.audit.tables.run_facts import RunFacts, read_run_facts
from chronik.audit.tables.stream_files import stream_batches

SUFFIX: Final = ".arrows"
_EVENTS: Final = ".events.arrows"


class Evidence:
    """The tables of a run's directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @cached_property
    def facts(self) -> RunFacts:
        """What ``run.json`` says."""
        return read_run_facts(self.directory)

    def send_files(self) -> list[Path]:
        return self._files("sends")

    def reserved_files(self) -> list[Path]:
        return self._files("sends", suffix=".reserved")

    def delivered_files(self) -> list[Path]:
        return [path for path in self._files("polls") if not path.name.endswith(_EVENTS)]

    def event_files(self) -> list[Path]:
        return self._files("polls", suffix=_EVENTS)

    def stored_files(self) -> list[Path]:
        return self._files("stored")

    @cached_property
    def sends(self) -> pa.Table:
        """The rows that producers wrote; what was reserved and has no row is not among them."""
        return read_streams(self.send_files(), schemas.SENDS)

    @cached_property
    def reserved(self) -> pa.Table:
        return read_reserved(self.reserved_files())

    @cached_property
    def delivered(self) -> pa.Table:
        return read_streams(self.delivered_files(), schemas.DELIVERED)

    @cached_property
    def events(self) -> pa.Table:
        return read_streams(self.event_files(), schemas.EVENTS)

    @cached_property
    def stored(self) -> pa.Table:
        return read_streams(self.stored_files(), schemas.STORED)

    @cached_property
    def observed(self) -> pa.Table:
        return read_streams(self._files("observer", prefix="samples"), schemas.OBSERVED)

    @cached_property
    def epochs(self) -> pa.Table:
        return read_streams(self._files("observer", prefix="epochs"), schemas.EPOCHS)

    @cached_property
    def tap(self) -> pa.Table:
        return read_streams(self._files("tap"), schemas.TAP)

    def trace_files(self) -> list[Path]:
        return self._files("trace", suffix=".jsonl")

    def _files(self, folder: str, *, prefix: str = "", suffix: str = SUFFIX) -> list[Path]:
        return sorted((self.directory / folder).glob(f"{prefix}*{suffix}"))


def read_streams(paths: Iterable[Path], schema: pa.Schema) -> pa.Table:
    """Read stream files into one table, each up to its last whole batch."""
    batches = [batch for path in paths for batch in stream_batches(path)]
    if not batches:
        return schema.empty_table()
    table = pa.concat_tables([pa.Table.from_batches([batch]).cast(schema) for batch in batches])
    return table.unify_dictionaries()


def read_reserved(paths: Iterable[Path]) -> pa.Table:
    """Read which sequences were taken, from lines of two kinds.

    ``reserve PRODUCER INCARNATION FIRST END`` is made durable before the first of them is used, so that a line that
    lacks its end covers nothing that was sent. ``close PRODUCER INCARNATION END`` says where it stopped.
    """
    rows = []
    for path in paths:
        whole, _, _torn = path.read_text(encoding="ascii").rpartition("\n")
        own: list[dict[str, int | bool]] = []
        add_blocks(own, whole.splitlines())
        rows += own
    return pa.Table.from_pylist(rows, schemas.RESERVED)


def add_blocks(blocks: list[dict[str, int | bool]], lines: Iterable[str]) -> None:
    """Read blocks from lines; ``close`` cuts the incarnation's last block and marks all of its blocks."""
    for line in lines:
        word, *numbers = line.split()
        producer, incarnation, *bounds = map(int, numbers)
        if word == "reserve":
            blocks.append(_block(producer, incarnation, bounds[0], bounds[1]))
            continue
        for block in blocks:
            if (block["producer"], block["incarnation"]) == (producer, incarnation):
                block["end_sequence"] = min(int(block["end_sequence"]), max(bounds[0], int(block["first_sequence"])))
                block["is_closed"] = True


def _block(producer: int, incarnation: int, first: int, end: int) -> dict[str, int | bool]:
    return {
        "producer": producer,
        "incarnation": incarnation,
        "first_sequence": first,
        "end_sequence": end,
        "is_closed": False,
    }
