"""What a continuous audit judges messages against, out of ledgers that still grow: settings, groups, the observer."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from chronik.audit.judge.classify.context import AuditContext, GroupScope, survey
from chronik.audit.ledger.tails import LedgerPlace, Tail, new_lines, new_splits
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence, add_blocks
from chronik.audit.tables.run_facts import MICROS, RUN_FILE, RunFacts
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT
from chronik.audit.tables.spans import ReadSpan
from chronik.audit.watch.state import WatchState

EVENTS_SUFFIX: Final = ".events.arrows"
_SAMPLES: Final = "observer/samples"
_EPOCHS: Final = "observer/epochs"


@dataclass(frozen=True, slots=True)
class WatchScope:
    """What the user wants to be judged, and by what."""

    groups: tuple[str, ...] = ()
    """Only these; all of them where none is named."""
    timeout_us: int | None = None
    configs: Mapping[str, str] | None = None
    """The topic's settings now, for ledgers that do not hold them."""


def run_json(place: LedgerPlace) -> dict[str, Any] | None:
    """Read the facts of the run; None before a client has begun to record."""
    if place.size(RUN_FILE) <= 0:
        return None
    return dict(json.loads(place.read(RUN_FILE)))


def facts_of(raw: Mapping[str, Any], state: WatchState, scope: WatchScope) -> RunFacts:
    """Return the run's facts, with what was learned since."""
    more: dict[str, Any] = {"groups": sorted(state.groups)}
    if scope.timeout_us is not None:
        more["timeout_s"] = scope.timeout_us / MICROS
    if scope.configs and not raw.get("configs_begin"):
        more["configs_begin"] = dict(scope.configs)
    return RunFacts.from_json({**raw, **more})


def read_reservations(state: WatchState, place: LedgerPlace) -> None:
    """Take in which sequences were reserved since."""
    for path in place.files("sends", ".reserved"):
        lines, state.lines[path] = new_lines(place, path, state.lines.get(path, 0))
        add_blocks(state.reserved, lines)


def read_events(state: WatchState, place: LedgerPlace) -> None:
    """Take in what consumers did since."""
    for path in place.files("polls", EVENTS_SUFFIX):
        splits, state.tails[path] = new_splits(place, path, state.tails.get(path, Tail()))
        for split in splits:
            for batch in split.batches(place):
                rows = batch.to_pylist()
                state.events += rows
                state.groups |= {row["group"] for row in rows if row["group"]}


def context_of(state: WatchState, facts: RunFacts, place: LedgerPlace | None, scope: WatchScope) -> AuditContext:
    """Put together what messages are judged against now."""
    evidence = Evidence(Path())
    evidence.facts = facts
    evidence.events = pa.Table.from_pylist(state.events, schemas.EVENTS)
    evidence.tap = schemas.TAP.empty_table()
    evidence.observed = _samples(state, place)
    evidence.epochs = schemas.EPOCHS.empty_table() if place is None else _all(place, _EPOCHS, schemas.EPOCHS)
    context = survey(evidence, _spans(state))
    return replace(context, groups=_only(context.groups, scope.groups))


def _only(groups: tuple[GroupScope, ...], names: tuple[str, ...]) -> tuple[GroupScope, ...]:
    if not names:
        return groups
    known = {group.name: group for group in groups}
    return tuple(known.get(name, GroupScope(name)) for name in names)


def _spans(state: WatchState) -> list[ReadSpan]:
    return [
        ReadSpan(
            AS_CLIENTS_SEE_IT,
            partition,
            state.log_starts.get(partition, 0),
            end,
            state.log_ends.get(partition, -1),
            begin_offset=state.begins.get(partition, 0),
        )
        for partition, end in sorted(state.offsets.items())
    ]


def _samples(state: WatchState, place: LedgerPlace | None) -> pa.Table:
    """Read what the observer saw since shortly before the oldest open window."""
    if place is None:
        return schemas.OBSERVED.empty_table()
    begin = state.windows[0].observed
    batches: list[pa.RecordBatch] = []
    for path in _named(place, _SAMPLES):
        splits, state.tails[path] = new_splits(place, path, begin.get(path, Tail()))
        batches += [batch for split in splits for batch in split.batches(place)]
    return _table(batches, schemas.OBSERVED)


def _all(place: LedgerPlace, prefix: str, schema: pa.Schema) -> pa.Table:
    paths = _named(place, prefix)
    return _table((b for path in paths for p in new_splits(place, path, Tail())[0] for b in p.batches(place)), schema)


def _named(place: LedgerPlace, prefix: str) -> list[str]:
    return [path for path in place.files("observer", ".arrows") if path.startswith(prefix)]


def _table(batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    return pa.concat_tables([schema.empty_table(), *(pa.Table.from_batches([one]).cast(schema) for one in batches)])
