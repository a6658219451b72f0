"""The stream that drives an archive: the ends of the topic's partitions, without records.

Its offsets contain an id of the run, so that every start has a first batch. A lost checkpoint, or one of another table,
can neither skip nor repeat records: the table alone decides what is written.
"""
# ruff: noqa: N802 - Spark names what it calls

import json
from collections.abc import Iterator
from typing import Any, Final

import pyarrow as pa
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from chronik.spark.archive.topic_state import ask_topic
from chronik.spark.planning.slices import ReadRules
from chronik.spark.source.problems import ClusterUnreachableError

FORMAT: Final = "chronik-archive-ends"
SCHEMA: Final = pa.schema(
    [pa.field("topic_id", pa.string()), pa.field("partition", pa.int32()), pa.field("end_offset", pa.int64())]
)


def encoded_options(topic: str, rules: ReadRules, run: str) -> dict[str, str]:
    """Return the reader's arguments as text, for the options of a data source."""
    kafka = {f"kafka.{name}": value for name, value in rules.client_options.items()}
    isolation = "read_committed" if rules.read_committed else "read_uncommitted"
    return {"topic": topic, "bootstrap": rules.bootstrap, "isolation": isolation, "run": run, **kafka}


class EndsSource(DataSource):
    """The ends of one topic's partitions."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        return from_arrow_schema(SCHEMA)

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        return EndsReader(dict(self.options))


class EndsReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Looks up the ends whenever Spark asks for the latest offset."""

    def __init__(self, options: dict[str, str]) -> None:
        kafka = {name.removeprefix("kafka."): value for name, value in options.items() if name.startswith("kafka.")}
        self._rules = ReadRules(options["bootstrap"], kafka, read_committed=options["isolation"] == "read_committed")
        self._topic, self._run = options["topic"], options["run"]
        self._target: dict[str, Any] | None = None

    def initialOffset(self) -> dict[str, Any]:
        return {"ends": {}, "run": "", "topicId": ""}

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self._target = self._now()

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the present ends; the old ones while no broker can be reached."""
        if self._target is not None:
            return self._target
        try:
            return self._now()
        except ClusterUnreachableError:
            return start

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> list[InputPartition]:
        return [InputPartition(json.dumps(end))]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the ends as rows; none for an offset of another query."""
        end = json.loads(partition.value or "{}")
        ends = end.get("ends", {}) if "topicId" in end else {}
        rows = [
            {"topic_id": end["topicId"], "partition": int(number), "end_offset": offset}
            for number, offset in ends.items()
        ]
        yield pa.RecordBatch.from_pylist(rows, SCHEMA)

    def _now(self) -> dict[str, Any]:
        state = ask_topic(self._topic, self._rules)
        ends = {str(partition): offset for partition, offset in sorted(state.ends.items())}
        return {"ends": ends, "run": self._run, "topicId": state.topic_id}
