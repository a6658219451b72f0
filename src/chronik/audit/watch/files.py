"""The state of a continuous audit on disk: whole after every step, whatever becomes of the process that writes it.

One file holds everything, sums and positions alike, so that what was counted and how far it was read cannot part. It is
written beside the last one and takes its place in one step.
"""

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from chronik.audit.judge.balance.entries import SUMMARY_ROWS, Summary, from_rows, to_rows
from chronik.audit.ledger.tails import Tail, TailSplit
from chronik.audit.topic.examination import examination_from_json, examination_to_json
from chronik.audit.watch.incidents import Incidents, WatchFinding
from chronik.audit.watch.state import WatchState
from chronik.audit.watch.windows import AuditWindow

STATE_FILE: Final = "state.arrow"
_META: Final = b"chronik-audit-watch"
_VERSION: Final = 1
_POSITIONS: Final = -2
_COUNTS: Final = -3
_ROWS: Final = pa.schema([*SUMMARY_ROWS, pa.field("period", pa.int64())])
_PLAIN: Final = ("topic", "topic_id", "run", "steps", "begin_us", "asked_us", "caught_up_us", "final")
_NUMBERED: Final = ("closed", "highest", "begins", "offsets", "log_starts", "log_ends")
_COUNTERS: Final = ("rows", "after_closing", "oddities")


class StateRefusedError(Exception):
    """The directory holds the state of something else, or of a version that is not known."""


def save_state(directory: Path, state: WatchState) -> None:
    """Put the state in the place of the last one; it is durable when this returns."""
    directory.mkdir(parents=True, exist_ok=True)
    unfinished = directory / f".{STATE_FILE}.part"
    schema = _ROWS.with_metadata({_META: json.dumps(_described(state)).encode()})
    with unfinished.open("wb") as file:
        with pa.ipc.new_file(file, schema) as writer:
            for window, summary in _summaries(state):
                writer.write_batch(_rows(window, summary, schema))
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, directory / STATE_FILE)
    _sync(directory)


def load_state(directory: Path) -> WatchState | None:
    """Read the state of the last step that was finished; none where there is none."""
    path = directory / STATE_FILE
    if not path.exists():
        return None
    with path.open("rb") as file, pa.ipc.open_file(file) as reader:
        meta = json.loads((reader.schema.metadata or {}).get(_META, b"{}"))
        table = reader.read_all()
    if meta.get("version") != _VERSION:
        raise StateRefusedError(f"{path} is not the state of a continuous audit that this version can read")
    state = _restored(meta)
    for window, summary in _read_summaries(table).items():
        if window == _POSITIONS:
            state.positions = summary
        elif window == _COUNTS:
            state.counts = summary
        else:
            known = state.window(window)
            assert known is not None, "a state has every period that it has sums of"
            known.entries = summary
    return state


def _sync(directory: Path) -> None:
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _summaries(state: WatchState) -> list[tuple[int, Summary]]:
    windows = [(window.number, window.entries) for window in state.windows]
    return [*windows, (_POSITIONS, state.positions), (_COUNTS, state.counts)]


def _rows(window: int, summary: Summary, schema: pa.Schema) -> pa.RecordBatch:
    rows = to_rows(summary)
    numbers = pa.array([window] * rows.num_rows, pa.int64())
    return pa.RecordBatch.from_arrays([*rows.columns, numbers], schema=schema)


def _read_summaries(table: pa.Table) -> dict[int, Summary]:
    found: dict[int, Summary] = {}
    for window in table.column("period").unique().to_pylist():
        own = table.filter(pa.compute.equal(table.column("period"), window)).drop_columns(["period"])
        found[window] = from_rows(own.to_batches())
    return found


# -- what is no sum ----------------------------------------------------------------------------------------------------


def _described(state: WatchState) -> dict[str, Any]:
    return {
        "version": _VERSION,
        **{name: getattr(state, name) for name in _PLAIN},
        **{name: _flat(getattr(state, name)) for name in _NUMBERED},
        **{name: dict(getattr(state, name)) for name in _COUNTERS},
        "periods": [_window_json(window) for window in state.windows],
        "lanes": [[partition, _flat(lanes)] for partition, lanes in state.lanes.items()],
        "tails": _tails_json(state.tails),
        "observed_before": _tails_json(state.observed_before),
        "lines": state.lines,
        "reserved": state.reserved,
        "events": state.events,
        "groups": sorted(state.groups),
        "totals": [[*key, count] for key, count in state.totals.items()],
        "allowed": [[*key, count] for key, count in state.allowed.items()],
        "examinations": [[partition, examination_to_json(one)] for partition, one in state.examinations.items()],
        "incidents": {
            "open": [asdict(finding) for finding in state.incidents.open.values()],
            "ever": state.incidents.ever,
            "has_wrong": state.incidents.has_wrong,
            "has_untold": state.incidents.has_untold,
        },
    }


def _restored(meta: Mapping[str, Any]) -> WatchState:
    known: dict[str, Any] = {
        **{name: meta[name] for name in _PLAIN},
        **{name: dict(meta[name]) for name in _NUMBERED},
        **{name: Counter(meta[name]) for name in _COUNTERS},
    }
    state = WatchState(
        **known,
        windows=[_window(raw) for raw in meta["periods"]],
        lanes={partition: dict(lanes) for partition, lanes in meta["lanes"]},
        tails=_tails(meta["tails"]),
        observed_before=_tails(meta["observed_before"]),
        lines=meta["lines"],
        reserved=meta["reserved"],
        events=meta["events"],
        groups=set(meta["groups"]),
        examinations={partition: examination_from_json(one) for partition, one in meta["examinations"]},
    )
    for group, what, count in meta["totals"]:
        state.totals[group, what] = count
    for group, what, count in meta["allowed"]:
        state.allowed[group, what] = count
    raw = meta["incidents"]
    findings = [WatchFinding.from_json(one) for one in raw["open"]]
    state.incidents = Incidents({one.key: one for one in findings}, raw["ever"], raw["has_wrong"], raw["has_untold"])
    return state


def _window_json(window: AuditWindow) -> dict[str, Any]:
    return {
        "number": window.number,
        "begin_us": window.begin_us,
        "end_us": window.end_us,
        "since_us": window.since_us,
        "bounds": _flat(window.bounds),
        "places": [[partition, *place] for partition, place in window.places.items()],
        "sends": [asdict(split) for split in window.sends.values()],
        "delivered": [asdict(split) for split in window.delivered.values()],
        "observed": _tails_json(window.observed),
    }


def _window(raw: Mapping[str, Any]) -> AuditWindow:
    return AuditWindow(
        raw["number"],
        raw["begin_us"],
        raw["end_us"],
        dict(raw["bounds"]),
        since_us=raw["since_us"],
        places={partition: (first, end) for partition, first, end in raw["places"]},
        sends={split["path"]: _split(split) for split in raw["sends"]},
        delivered={split["path"]: _split(split) for split in raw["delivered"]},
        observed=_tails(raw["observed"]),
    )


def _split(raw: Mapping[str, Any]) -> TailSplit:
    return TailSplit(raw["path"], _tail(raw["tail"]), raw["end"])


def _tail(raw: Mapping[str, Any]) -> Tail:
    return Tail(raw["position"], raw["schema_end"], tuple(raw["dictionary"]))


def _tails_json(tails: Mapping[str, Tail]) -> dict[str, Any]:
    return {path: asdict(tail) for path, tail in tails.items()}


def _tails(raw: Mapping[str, Any]) -> dict[str, Tail]:
    return {path: _tail(tail) for path, tail in raw.items()}


def _flat(numbers: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return a mapping as pairs: the keys of an object of JSON are text."""
    return list(numbers.items())
