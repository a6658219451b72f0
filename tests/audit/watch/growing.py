"""A run whose ledgers and log grow while it is watched: rows become visible when they would have been written."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronik.audit.ledger.tails import LedgerPlace
from chronik.audit.tables import schemas
from chronik.audit.watch.audit import ContinuousAudit, TopicNow, WatchRules, WatchStep, totals_of
from chronik.records.batch import BatchHeader
from tests.audit.verdicts.synthetic import BEGIN_US, Row, SyntheticRun

Totals = dict[tuple[str, str], tuple[int, int]]


@dataclass(frozen=True)
class MemoryShare:
    table: pa.Table
    partition: int
    start_offset: int
    end_offset: int

    def parts(self) -> Iterator[tuple[Sequence[BatchHeader], pa.Table]]:
        offsets = self.table.column("offset")
        is_inside = pa.compute.and_(
            pa.compute.equal(self.table.column("partition"), self.partition),
            pa.compute.and_(
                pa.compute.greater_equal(offsets, self.start_offset), pa.compute.less(offsets, self.end_offset)
            ),
        )
        rows = self.table.filter(is_inside)
        for begin in range(0, rows.num_rows, 7):
            yield (), rows.slice(begin, 7)


@dataclass(frozen=True)
class MemoryLog:
    table: pa.Table

    def share(self, partition: int, start_offset: int, end_offset: int) -> MemoryShare:
        return MemoryShare(self.table, partition, start_offset, end_offset)


def run_here(tasks: Sequence[Callable[[], Any]]) -> list[Any]:
    return [task() for task in tasks]


@dataclass
class GrowingRun:
    """The files of a run as they are at a time."""

    run: SyntheticRun
    directory: Path
    log: MemoryLog = field(init=False)

    def __post_init__(self) -> None:
        for folder in ("sends", "polls", "observer"):
            (self.directory / folder).mkdir(parents=True, exist_ok=True)
        run = self.run
        stored = sorted(run.stored, key=lambda row: (row["partition"], row["offset"]))
        self.log = MemoryLog(pa.Table.from_pylist(stored, schemas.STORED))
        self._streams = {
            "sends/0.arrows": _Stream(self.directory / "sends/0.arrows", schemas.SENDS, run.sends, "done_us"),
            "polls/0.arrows": _Stream(
                self.directory / "polls/0.arrows", schemas.DELIVERED, run.delivered, "received_us"
            ),
            "events": _Stream(self.directory / "polls/0.events.arrows", schemas.EVENTS, run.events, "at_us"),
            "samples": _Stream(self.directory / "observer/samples.arrows", schemas.OBSERVED, run.observed, "at_us"),
        }
        _Stream(self.directory / "observer/epochs.arrows", schemas.EPOCHS, run.epochs, "start_offset").write_until(
            10**18
        )
        (self.directory / "sends" / "all.reserved").write_text("".join(f"{line}\n" for line in run.reserved))
        (self.directory / "run.json").write_text(json.dumps(run.run_json()), encoding="utf-8")

    def grow_until(self, at_us: int) -> None:
        for stream in self._streams.values():
            stream.write_until(at_us)

    def topic_at(self, at_us: int) -> TopicNow:
        """The log at a time; when the run is over, all of it."""
        run = self.run
        starts = {partition: run.log_starts.get(partition, 0) for partition in range(run.partitions)}
        ends = dict(starts)
        is_written = dict.fromkeys(starts, True)
        for row in sorted(run.stored, key=lambda row: int(row["offset"])):
            # Nothing is written behind what is not: a record is as late as the latest before it.
            is_written[row["partition"]] &= row["sent_us"] <= at_us
            if is_written[row["partition"]]:
                ends[row["partition"]] = max(ends[row["partition"]], row["offset"] + 1)
        if at_us >= run.end_us:
            ends = dict(enumerate(run.ends))
            return TopicNow("one", starts, ends, at_us, {**ends, **run.log_ends})
        return TopicNow("one", starts, ends, at_us)


class _Stream:
    def __init__(self, path: Path, schema: pa.Schema, rows: list[Row], time_column: str) -> None:
        self._rows = sorted(rows, key=lambda row: int(row[time_column]))
        self._time_column, self._schema, self._done = time_column, schema, 0
        self._sink = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_stream(self._sink, schema)

    def write_until(self, at_us: int) -> None:
        end = sum(row[self._time_column] <= at_us for row in self._rows)
        if end > self._done:
            rows = self._rows[self._done : end]
            self._writer.write_table(pa.Table.from_pylist(rows, self._schema))
            self._sink.flush()
            self._done = end


def watch_of(growing: GrowingRun, state: Path, *, horizon_us: int, **rules: Any) -> ContinuousAudit:
    place = LedgerPlace(str(growing.directory))
    return ContinuousAudit(state, WatchRules("audited", horizon_us, **rules), place, growing.log, run_here)


def steps(growing: GrowingRun, watch: ContinuousAudit, times: Sequence[int]) -> list[WatchStep]:
    done = []
    for at_us in times:
        growing.grow_until(at_us)
        while True:
            done.append(watch.step(growing.topic_at(at_us), at_us))
            if not done[-1].is_behind:
                break
    return done


def finish(growing: GrowingRun, watch: ContinuousAudit) -> WatchStep:
    at_us = growing.run.end_us + 100_000_000
    growing.grow_until(at_us)
    while True:
        step = watch.step(growing.topic_at(at_us), at_us, is_last=True)
        if not step.is_behind:
            return step


def nonzero(totals: Totals) -> Totals:
    return {key: counts for key, counts in totals.items() if counts[0]}


def watched_totals(watch: ContinuousAudit) -> Totals:
    return nonzero(totals_of(watch.state))


def every(run: SyntheticRun, interval_us: int) -> list[int]:
    """The times at which somebody looks while a run lasts."""
    return list(range(BEGIN_US + interval_us, run.end_us, interval_us))


def moments(run: SyntheticRun, count: int) -> list[int]:
    length = run.end_us - BEGIN_US
    return [BEGIN_US + length * number // count for number in range(1, count)]
