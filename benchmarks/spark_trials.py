"""The trials of the race for Spark: which jobs are compared, and what their answers must be."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.load import InvalidMeasurementError
from benchmarks.spark_process import Done, SparkProcess
from benchmarks.spark_topics import PARTITIONS, VALUE_BYTES, Topic
from benchmarks.trials import Sample

LAST_SHARE: Final = 0.99
NARROW: Final = "offset long, value binary"


@dataclass(frozen=True, slots=True)
class Scale:
    """How much is read."""

    records: int = 10_000_000
    large_records: int = 100_000_000
    memory_small: int = 1_000_000
    memory_large: int = 50_000_000
    per_second: int = 100_000
    stream_skip_s: int = 15
    stream_s: int = 25

    def sized(self, records: int) -> "Scale":
        """The same with more or fewer records."""
        names = ("records", "large_records", "memory_small", "memory_large")
        return replace(self, **{name: getattr(self, name) * records // self.records for name in names})


FULL: Final = Scale()
QUICK: Final = Scale(400_000, 4_000_000, 100_000, 2_000_000, 20_000, 5, 6)


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the race takes place."""

    bootstrap: str
    broker_pid: int
    data: Path
    scratch: Path
    scale: Scale
    topic: Topic
    large: Topic

    def wire(self, source: str, topic: Topic, **options: str) -> dict[str, Any]:
        """A source over the wire, with all columns."""
        given = {"kafka.bootstrap.servers": self.bootstrap, "subscribe": topic.name, "includeHeaders": "true"}
        return {"format": source, "options": {**given, **options}}

    def files(self, topic: Topic, records: int | None = None, **options: str) -> dict[str, Any]:
        """Segment files, of all records or of the first of each partition."""
        path = self.scratch / "large" if topic is self.large else self.data
        given = {"path": str(path), "subscribe": topic.name, "includeHeaders": "true", **options}
        if records is not None:
            ends = dict.fromkeys((str(number) for number in range(PARTITIONS)), records // PARTITIONS)
            given["endingOffsets"] = json.dumps({topic.name: ends})
        return {"format": "chronik", "options": given}


@dataclass(frozen=True, slots=True)
class Run:
    """One job of a trial: ``records`` are those that it answers for, ``expected`` what it must say.

    Spark ends a process of its planner that was idle for a minute, and a new one takes longer than a short job; such a
    job is done twice, and the second time counts.
    """

    job: Mapping[str, Any]
    records: int
    expected: Mapping[str, int] = field(default_factory=dict)
    is_short: bool = False

    def rate(self, session: SparkProcess, figure: str) -> Sample:
        """Do the job, see that its answer is right, and give millions of records per second."""
        first = session.do(self.job)
        done = session.do(self.job) if self.is_short else first
        check(done, self.expected)
        details = {"seconds": done.seconds, "seconds_first": first.seconds}
        return Sample(figure, self.records / done.seconds / 1e6, done.cpu_s, details)


def check(done: Done, expected: Mapping[str, int]) -> None:
    found = {name: done.answer.get(name) for name in expected}
    if found != dict(expected):
        raise InvalidMeasurementError(f"the answer is {found} and should be {dict(expected)}")


@dataclass(frozen=True, slots=True)
class Rates:
    """A trial of jobs that are done once: Chronik's, each a figure, beside one of Spark's source."""

    own: Mapping[str, Callable[[Stage], Run]]
    peer: Callable[[Stage], Run]
    is_warmed_up: bool = True

    @property
    def figures(self) -> tuple[str, ...]:
        return tuple(self.own)

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]:
        """Give a sample of each figure; what the peer did once stands beside all of them."""
        if contender == "kafka":
            done = self.peer(stage).rate(session, "")
            yield from (Sample(figure, done.value, done.cpu_s, done.details) for figure in self.own)
            return
        for figure, run in self.own.items():
            yield run(stage).rate(session, figure)


def _everything(topic: Topic) -> dict[str, int]:
    return {"records": topic.records, "offsets": topic.offsets_sum, "bytes": topic.records * VALUE_BYTES}


def _rows(source: str) -> Callable[[Stage], Run]:
    return lambda stage: Run({"do": "rows", **stage.wire(source, stage.topic)}, stage.topic.records)


def _rows_of_files(stage: Stage) -> Run:
    return Run({"do": "rows", **stage.files(stage.topic)}, stage.topic.records)


def _total(source: str, **more: Any) -> Callable[[Stage], Run]:
    def run(stage: Stage) -> Run:
        job = {"do": "total", **stage.wire(source, stage.topic), **more}
        return Run(job, stage.topic.records, _everything(stage.topic))

    return run


def _count(stage: Stage) -> Run:
    topic = stage.topic
    return Run({"do": "count", **stage.wire("kafka", topic)}, topic.records, {"records": topic.records})


def _covered(view: str) -> Callable[[Stage], Run]:
    def run(stage: Stage) -> Run:
        job = {"do": "covered", **stage.wire("chronik", stage.topic, view=view)}
        return Run(job, stage.topic.records, {"records": stage.topic.records})

    return run


def _batches_of_files(stage: Stage) -> Run:
    job = {"do": "covered", **stage.files(stage.large, view="batches")}
    return Run(job, stage.large.records, {"records": stage.large.records})


def _last_percent(source: str) -> Callable[[Stage], Run]:
    def run(stage: Stage) -> Run:
        topic = stage.topic
        time_ms = topic.time_ms_at(LAST_SHARE)
        kept = topic.per_partition - round(topic.per_partition * LAST_SHARE)
        job = {"do": "total", **stage.wire(source, topic), "where": f"timestamp >= timestamp_millis({time_ms})"}
        expected = {"records": kept * PARTITIONS, "bytes": kept * PARTITIONS * VALUE_BYTES}
        return Run(job, topic.records, expected, is_short=True)

    return run


@dataclass(frozen=True, slots=True)
class ToParquet:
    """A whole topic as Parquet: the archive beside Spark's reader and writer."""

    figures: tuple[str, ...] = ("parquet",)
    is_warmed_up: bool = True

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]:
        target = stage.scratch / f"parquet-{contender}"
        place = {"target": str(target), **stage.wire(contender, stage.topic)}
        try:
            done = session.do({"do": "parquet", **place})
            check(session.do({"do": "count_parquet", **place}), {"records": stage.topic.records})
        finally:
            shutil.rmtree(target, ignore_errors=True)
        details = {"seconds": done.seconds, "bytes": done.answer["bytes"]}
        yield Sample("parquet", stage.topic.records / done.seconds / 1e6, done.cpu_s, details)


RATES: Final = (
    Rates({"rows_wire": _rows("chronik"), "rows_files": _rows_of_files}, _rows("kafka")),
    Rates({"sum_default": _total("chronik"), "sum_narrow": _total("chronik", schema=NARROW)}, _total("kafka")),
    Rates(
        {"count_ranges": _covered("ranges"), "batches_wire": _covered("batches"), "batches_files": _batches_of_files},
        _count,
    ),
    Rates({"last_percent": _last_percent("chronik")}, _last_percent("kafka")),
    ToParquet(),
)
