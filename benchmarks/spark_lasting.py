"""The trials of the race for Spark that take more than one job: a stream, memory, and growth."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns

from benchmarks import machine
from benchmarks.load import InvalidMeasurementError
from benchmarks.spark_process import SparkProcess, spark_process
from benchmarks.spark_topics import Feed, Topic
from benchmarks.spark_trials import Stage
from benchmarks.trials import Sample


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream that follows a topic into which records come at an even rate."""

    figures: tuple[str, ...] = ("stream_delay",)
    is_warmed_up: bool = False

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]:
        scale, topic = stage.scale, Topic(f"stream-{monotonic_ns()}", 0, 0)
        job = {"do": "stream", **stage.wire(contender, topic), "skip_s": scale.stream_skip_s, "seconds": scale.stream_s}
        broker_before = machine.cpu_seconds(stage.broker_pid)
        with Feed(stage.bootstrap, topic.name, scale.per_second) as feed:
            done = session.do(job)
        found = done.answer
        if "p95" not in found:
            raise InvalidMeasurementError(f"no micro-batch ended within {scale.stream_s} s")
        details = {name: float(found[name]) for name in ("p50", "max", "batches", "records", "median_size")}
        details["broker_cpu_s"] = machine.cpu_seconds(stage.broker_pid) - broker_before
        details["fed_per_s"] = feed.records / done.seconds
        yield Sample("stream_delay", float(found["p95"]), done.cpu_s, details)


@dataclass(frozen=True, slots=True)
class Growth:
    """Ten times as many records must take about ten times as long."""

    figures: tuple[str, ...] = ("growth",)
    is_warmed_up: bool = False

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]:
        if contender != "chronik":
            return
        large = stage.large.records
        few, many = (session.do({"do": "rows", **stage.files(stage.large, part)}) for part in (large // 10, large))
        details = {"seconds_tenth": few.seconds, "seconds_whole": many.seconds}
        yield Sample("growth", many.seconds / few.seconds, few.cpu_s + many.cpu_s, details)


@dataclass(frozen=True, slots=True)
class Memory:
    """The peak of a worker, each time in a new session."""

    figures: tuple[str, ...] = ("memory_small", "memory_large", "memory_growth")
    is_warmed_up: bool = False

    def measure(self, contender: str, stage: Stage, session: SparkProcess) -> Iterator[Sample]:
        if contender != "chronik":
            return
        scale = stage.scale
        small, large = (peak_mb(stage, records) for records in (scale.memory_small, scale.memory_large))
        yield from (Sample("memory_small", small, 0), Sample("memory_large", large, 0))
        yield Sample("memory_growth", large / small, 0)


def peak_mb(stage: Stage, records: int) -> float:
    """Read full rows in a session of its own, and tell what its workers have held at most."""
    with spark_process(Path(stage.scratch)) as session:
        session.do({"do": "rows", **stage.files(stage.large, records)})
        return float(session.do({"do": "peak"}).answer["megabytes"])


LASTING = (Growth(), Stream(), Memory())
