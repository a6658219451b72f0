"""Runs that never happened: the files of a clean run, made in memory, with faults put into them on purpose."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronik.audit.tables import schemas
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.schemas import SendOutcome
from chronik.audit.tables.spans import ReadSpan, write_spans

RUN = 0xC0FFEE
BEGIN_US = 1_700_000_000_000_000
Row = dict[str, Any]


@dataclass
class SyntheticRun:
    """A clean run: producers take turns, each message goes to a partition by turns, every group gets everything."""

    producers: int = 2
    messages: int = 40
    partitions: int = 3
    groups: tuple[str, ...] = ("readers",)
    settings: Row = field(default_factory=lambda: {"acks": "all", "idempotent": True, "in_flight": 5})
    configs: Row = field(default_factory=dict)
    extra: Row = field(default_factory=dict)
    keys: int = 0
    spacing_us: int = 1000

    def __post_init__(self) -> None:
        self.sends: list[Row] = []
        self.stored: list[Row] = []
        self.delivered: list[Row] = []
        self.events: list[Row] = []
        self.observed: list[Row] = []
        self.epochs: list[Row] = []
        self.reserved: list[str] = []
        self.ends = [0] * self.partitions
        self.log_ends: dict[int, int] = {}
        self.log_starts: dict[int, int] = {}
        for number in range(self.messages):
            self.send(number % self.producers, number // self.producers)
        self._reserve()
        for group in self.groups:
            self._consume(group)

    @property
    def end_us(self) -> int:
        return BEGIN_US + (self.messages + 1000) * self.spacing_us + 2_000_000

    def send(self, producer: int, sequence: int) -> None:
        number = sequence * self.producers + producer
        partition = (sequence + producer) % self.partitions
        sent_us = BEGIN_US + number * self.spacing_us
        key_hash = sequence % self.keys + 1 if self.keys else 0
        offset = self.ends[partition]
        self.ends[partition] += 1
        self.sends.append(
            {
                "producer": producer,
                "incarnation": 0,
                "sequence": sequence,
                "key_hash": key_hash,
                "is_null": False,
                "sent_us": sent_us,
                "done_us": sent_us + 100,
                "partition": partition,
                "outcome": int(SendOutcome.ACKED),
                "offset": offset,
                "error": "",
            }
        )
        self.stored.append(self.stored_row(producer, sequence, partition, offset, sent_us, key_hash))

    def stored_row(
        self, producer: int, sequence: int, partition: int, offset: int, sent_us: int, key_hash: int = 0
    ) -> Row:
        return {
            "node": -1,
            "partition": partition,
            "offset": offset,
            "timestamp_ms": sent_us // 1000,
            "is_ours": True,
            "run": RUN,
            "producer": producer,
            "sequence": sequence,
            "sent_us": sent_us,
            "is_intact": True,
            "key_hash": key_hash,
            "is_null": False,
            "leader_epoch": 0,
            "producer_id": producer,
            "producer_epoch": 0,
            "base_sequence": sequence,
            "is_control": False,
            "is_aborted": False,
        }

    def delivered_row(self, group: str, stored: Row, received_us: int) -> Row:
        shared = ("partition", "offset", "timestamp_ms", "is_ours", "run", "producer", "sequence", "sent_us")
        return {
            "group": group,
            "consumer": 0,
            "generation": 1,
            "poll": 0,
            "received_us": received_us,
            **{name: stored[name] for name in shared},
            "is_intact": stored["is_intact"],
        }

    def event(self, group: str, kind: str, at_us: int, partition: int = -1, offset: int = -1, text: str = "") -> None:
        self.events.append(
            {
                "consumer": 0,
                "group": group,
                "at_us": at_us,
                "kind": kind,
                "partition": partition,
                "offset": offset,
                "generation": 1,
                "count": 0,
                "text": text,
            }
        )

    def _reserve(self) -> None:
        for producer in range(self.producers):
            count = sum(row["producer"] == producer for row in self.sends)
            self.reserved += [f"reserve {producer} 0 0 {count + 10}", f"close {producer} 0 {count}"]

    def _consume(self, group: str) -> None:
        start = {"reset": "earliest", "isolation": "read_uncommitted", "mode": "subscribe"}
        self.event(group, "start", BEGIN_US, text=json.dumps(start))
        for partition in range(self.partitions):
            self.event(group, "assigned", BEGIN_US, partition, 0)
            self.event(group, "position", self.end_us - 1000, partition, self.ends[partition])
        self.event(group, "end", self.end_us - 500)
        self.delivered += [self.delivered_row(group, row, row["sent_us"] + 5000) for row in self.stored]

    def observe(self, at_us: int, partition: int, *, watermark: int, log_end: int, **rest: Any) -> None:
        """Add one sample of the leader, node 1."""
        self.observed.append(
            {
                "at_us": at_us,
                "mono_us": at_us,
                "node": 1,
                "partition": partition,
                "log_start": self.log_starts.get(partition, 0),
                "high_watermark": watermark,
                "last_stable": watermark,
                "log_end": log_end,
                "leader": 1,
                "leader_epoch": 0,
                "isr": [1],
                "error": "",
                **rest,
            }
        )

    # -- to put faults in --------------------------------------------------------------------------------------------

    def row_of(self, side: str, producer: int, sequence: int, group: str | None = None) -> Row:
        return next(row for row in self.rows_of(side, producer, sequence, group))

    def rows_of(self, side: str, producer: int, sequence: int, group: str | None = None) -> Iterable[Row]:
        for row in getattr(self, side):
            is_it = (row["producer"], row["sequence"]) == (producer, sequence) and row.get("run", RUN) == RUN
            if is_it and (group is None or row["group"] == group):
                yield row

    def drop(self, side: str, producer: int, sequence: int) -> None:
        kept = [row for row in getattr(self, side) if (row["producer"], row["sequence"]) != (producer, sequence)]
        setattr(self, side, kept)

    def append_again(self, producer: int, sequence: int, *, deliver: bool = True) -> Row:
        """Store a second copy at the partition's end."""
        first = self.row_of("stored", producer, sequence)
        copy = {**first, "offset": self.ends[first["partition"]]}
        self.ends[first["partition"]] += 1
        self.stored.append(copy)
        if deliver:
            self.delivered += [self.delivered_row(group, copy, self.end_us - 1500) for group in self.groups]
        return copy

    def swap(self, first: Row, second: Row) -> None:
        """Let two stored records of one partition change places, in ledgers and deliveries too."""
        one, other = first["offset"], second["offset"]
        for rows in (self.sends, self.stored, self.delivered):
            for row in rows:
                if row["partition"] != first["partition"]:
                    continue
                if row["offset"] == one:
                    row["offset"] = other
                elif row["offset"] == other:
                    row["offset"] = one

    # -- files -------------------------------------------------------------------------------------------------------

    def write(self, directory: Path, *, files: int = 1) -> Path:
        for folder in ("sends", "polls", "stored", "observer"):
            (directory / folder).mkdir(parents=True, exist_ok=True)
        (directory / "run.json").write_text(json.dumps(self.run_json()), encoding="utf-8")
        (directory / "sends" / "all.reserved").write_text("".join(f"{line}\n" for line in self.reserved))
        stored = sorted(self.stored, key=lambda row: (row["partition"], row["offset"]))
        delivered = sorted(self.delivered, key=lambda row: (row["received_us"], row["partition"], row["offset"]))
        for number in range(files):
            write(directory / "sends" / f"{number}.arrows", self.sends[number::files], schemas.SENDS)
            write(directory / "polls" / f"{number}.arrows", delivered[number::files], schemas.DELIVERED)
            share = stored[len(stored) * number // files : len(stored) * (number + 1) // files]
            write(directory / "stored" / f"{number}.arrows", share, schemas.STORED)
        write(directory / "polls" / "0.events.arrows", self.events, schemas.EVENTS)
        write(directory / "observer" / "samples.arrows", self.observed, schemas.OBSERVED)
        write(directory / "observer" / "epochs.arrows", self.epochs, schemas.EPOCHS)
        write_spans(directory / "stored", self.spans())
        return directory

    def spans(self) -> list[ReadSpan]:
        return [
            ReadSpan(-1, partition, self.log_starts.get(partition, 0), end, self.log_ends.get(partition, end))
            for partition, end in enumerate(self.ends)
        ]

    def run_json(self) -> Row:
        return {
            "run": f"{RUN:x}",
            "topic": "audited",
            "begin_us": BEGIN_US,
            "end_us": self.end_us,
            "timeout_s": 60,
            "settings": self.settings,
            "configs_begin": self.configs,
            "configs_end": self.configs,
            **self.extra,
        }


def write(path: Path, rows: list[Row], schema: pa.Schema) -> None:
    with pa.ipc.new_stream(str(path), schema) as stream:
        for begin in range(0, len(rows), 1000):
            stream.write_table(pa.Table.from_pylist(rows[begin : begin + 1000], schema))


def name_of(producer: int, sequence: int) -> str:
    return str(AuditId(RUN, producer, sequence))
