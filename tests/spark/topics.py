"""Topics for the tests of Spark: made and filled without a client library, with keys, headers and times as wanted."""

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

from pyspark.sql import DataFrame, Row, SparkSession

from chronik.model.errors import ErrorCode
from chronik.records.build import Record, build_batch
from tests.regressions.wire import Wire

FIRST_TIME_MS = 1_700_000_000_000


class Place(NamedTuple):
    """Where a record is."""

    partition: int
    offset: int


def record(number: int, **more: Any) -> Record:
    """A record that says its number, one second after the one before."""
    fields = {"key": b"k%d" % (number % 7), "value": b"v%d" % number, "timestamp": FIRST_TIME_MS + number * 1000}
    return Record(**{**fields, **more})


class Topics:
    """One broker's topics."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self._wire = Wire(bootstrap)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wire.__exit__(kind, error, trace)

    @property
    def wire(self) -> Wire:
        return self._wire

    def create(self, name: str, partitions: int = 1, **configs: object) -> None:
        """Make an empty topic that keeps its records, however old their times are."""
        self._wire.create_topic(name, partitions, **{"retention_ms": -1, **configs})

    def make(self, name: str, *counts: int, batch: int = 50, **configs: object) -> None:
        """Make a topic with so many records in each partition; the number of each is 1000 x partition + offset."""
        self.create(name, len(counts), **configs)
        for partition, count in enumerate(counts):
            self.add(name, (record(1000 * partition + number) for number in range(count)), partition, batch)

    def add(self, name: str, records: Iterable[Record], partition: int = 0, batch: int = 50) -> None:
        """Append records in batches."""
        rest = list(records)
        while rest:
            self.produce(name, build_batch(rest[:batch]), partition)
            rest = rest[batch:]

    def produce(self, name: str, raw: bytes, partition: int = 0) -> None:
        """Append one batch, which must be taken."""
        answer = self._wire.produce(name, raw, partition=partition)
        assert answer.error_code == ErrorCode.NONE, answer

    def source(self, reader: Any, topic: str | None = None, **options: str) -> Any:
        """A reader of a topic, batch or stream: ``topics.source(spark.read, name)``."""
        chosen = {} if topic is None else {"subscribe": topic}
        given = {"kafka.bootstrap.servers": self.bootstrap, **chosen, **options}
        return reader.format("chronik").options(**given)

    def rows(self, spark: SparkSession, topic: str, **options: str) -> list[Row]:
        """All rows of a batch read, in the order of partitions and offsets."""
        return ordered(self.source(spark.read, topic, **options).load())


def ordered(frame: DataFrame) -> list[Row]:
    rows: list[Row] = frame.collect()
    return sorted(rows, key=lambda row: (row.topic, row.partition, row.offset) if "topic" in row else row.offset)


def places(rows: Sequence[Row]) -> list[Place]:
    """Where rows come from, in order and with repetitions."""
    return sorted(Place(row.partition, row.offset) for row in rows)


def expected(*counts: int, start: int = 0) -> list[Place]:
    """Every place of partitions with so many records."""
    return [Place(partition, offset) for partition, count in enumerate(counts) for offset in range(start, count)]
