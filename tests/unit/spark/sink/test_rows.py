"""Rows of a sink: their schema is checked before a task starts, and they become records."""

from itertools import islice

import pyarrow as pa
import pytest
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from chronik.spark.options.options import OptionsRefusedError
from chronik.spark.sink.replays import ReplayMarks
from chronik.spark.sink.rows import SinkRecord, check_schema, records_of
from chronik.spark.source.schemas import HEADERS


def test_rows_become_records() -> None:
    batch = pa.record_batch(
        {
            "key": pa.array(["k", None]),
            "value": pa.array([b"v", None], pa.binary()),
            "headers": pa.array([[{"key": "h", "value": None}], None], HEADERS),
            "partition": pa.array([3, None], pa.int32()),
            "topic": pa.array(["one", "two"]),
        }
    )
    assert list(records_of(batch, None)) == [
        SinkRecord("one", b"k", b"v", [("h", None)], 3),
        SinkRecord("two", None, None, [], None),
    ]
    assert {record.topic for record in records_of(batch, "all")} == {"all"}


def test_a_row_without_a_topic_is_refused() -> None:
    batch = pa.record_batch({"value": pa.array(["v"]), "topic": pa.array([None], pa.string())})
    with pytest.raises(ValueError, match="null as its topic"):
        list(records_of(batch, None))


def test_a_schema_that_cannot_be_written_is_refused_with_every_reason() -> None:
    schema = StructType([StructField("key", IntegerType()), StructField("price", StringType())])
    with pytest.raises(OptionsRefusedError) as caught:
        check_schema(schema, None)
    for reason in (
        "'key' is int, but must be string or binary",
        "no column 'value'",
        "topic is missing",
        "columns price",
    ):
        assert reason in str(caught.value)


def test_marks_say_query_batch_and_place() -> None:
    first, second = islice(ReplayMarks("q", "7", 2).headers(), 2)
    assert first == [("chronik.query", b"q"), ("chronik.batch", b"7"), ("chronik.ordinal", b"2-0")]
    assert second[-1] == ("chronik.ordinal", b"2-1")
