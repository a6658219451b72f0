"""The sink: rows become records, batch or stream, and what is written again after a crash is known by its headers."""

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

import chronik.spark
from chronik.client.producer import partition_of_key
from chronik.records.iterate import StoredRecord
from tests.spark.streams import ended
from tests.spark.topics import Topics, record

ROW = "key string, value binary, headers array<struct<key: string, value: binary>>, partition int, topic string"


def sink(topics: Topics, frame: DataFrame, **options: str) -> Any:
    given = {"kafka.bootstrap.servers": topics.bootstrap, **options}
    return frame.write.format("chronik").options(**given).mode("append")


def stored(topics: Topics, name: str, partition: int = 0) -> list[StoredRecord]:
    return topics.wire.read_all(name, partition=partition)


def test_rows_become_records(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.create(topic_name, 3)
    rows = [
        ("a", b"1", [("h", b"x"), ("h", None)], 2, topic_name),
        (None, None, None, 0, topic_name),
        ("", b"", [], 1, topic_name),
        ("by key", b"2", None, None, topic_name),
    ]
    sink(topics, spark.createDataFrame(rows, ROW)).save()
    found = {number: stored(topics, topic_name, number) for number in range(3)}
    first = found[2][0] if found[2][0].key == b"a" else found[2][1]
    assert (first.key, first.value, list(first.headers)) == (b"a", b"1", [("h", b"x"), ("h", None)])
    assert (None, None) in [(one.key, one.value) for one in found[0]]
    assert (b"", b"") in [(one.key, one.value) for one in found[1]]
    assert b"by key" in [one.key for one in found[partition_of_key(b"by key", 3)]]
    assert sum(len(some) for some in found.values()) == 4


def test_the_topic_of_the_options_comes_before_that_of_a_column(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.create(topic_name)
    frame = spark.createDataFrame([("x", "nowhere")], "value string, topic string")
    sink(topics, frame, topic=topic_name).save()
    assert [one.value for one in stored(topics, topic_name)] == [b"x"]


def test_many_rows_arrive_once_each_and_in_order_of_their_partition(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.create(topic_name)
    frame = spark.range(0, 30_000, 1, 1).selectExpr("cast(id as string) as value")
    sink(topics, frame, topic=topic_name, **{"kafka.compression.type": "lz4"}).save()
    assert [int(one.value or b"-1") for one in stored(topics, topic_name)] == list(range(30_000))


@pytest.mark.parametrize(
    ("rows", "options", "said"),
    [
        ("'v' as value", {}, "the topic is missing"),
        ("'v' as value", {"topic": "t", "kafka.bootstrap.servers": "127.0.0.1:1"}, "127.0.0.1:1"),
        ("1 as value", {"topic": "t"}, "column 'value' is int, but must be string or binary"),
    ],
)
def test_what_cannot_be_written_is_refused(
    spark: SparkSession, topics: Topics, rows: str, options: dict[str, str], said: str
) -> None:
    given = {"kafka.default.api.timeout.ms": "1000", **options}
    with pytest.raises(PySparkException, match=re.escape(said)):
        sink(topics, spark.sql(f"select {rows}"), **given).save()


def test_a_topic_cannot_be_overwritten(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.create(topic_name)
    with pytest.raises(PySparkException, match="cannot be overwritten"):
        sink(topics, spark.sql("select 'v' as value"), topic=topic_name).mode("overwrite").save()


def test_a_complete_result_is_appended_after_each_micro_batch(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    """As Spark's Kafka sink does."""
    topics.make(topic_name, 40, batch=20)
    topics.create(f"{topic_name}-counts")
    options = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": "20"}
    counts = topics.source(spark.readStream, topic_name, **options).load().groupBy("topic").count()
    writer = counts.selectExpr("cast(count as string) as value").writeStream.format("chronik").outputMode("complete")
    writer = writer.option("kafka.bootstrap.servers", topics.bootstrap).option("topic", f"{topic_name}-counts")
    ended(writer.option("checkpointLocation", str(tmp_path)).trigger(availableNow=True).start())
    assert [each.value for each in stored(topics, f"{topic_name}-counts")] == [b"20", b"40"]


def copy_stream(spark: SparkSession, topics: Topics, source: str, target: str, state: Path) -> None:
    options = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": "20", "includeHeaders": "true"}
    stream = topics.source(spark.readStream, source, **options).load().select("key", "value", "headers")
    writer = stream.writeStream.format("chronik").option("kafka.bootstrap.servers", topics.bootstrap)
    writer = writer.option("topic", target).option("replayHeaders", "true").trigger(availableNow=True)
    ended(writer.option("checkpointLocation", str(state)).start())


def test_a_batch_that_is_written_again_is_known_by_its_headers(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    target = f"{topic_name}-copy"
    topics.create(topic_name)
    topics.add(topic_name, (record(number, headers=[("own", b"%d" % number)]) for number in range(50)))
    topics.create(target)
    copy_stream(spark, topics, topic_name, target, tmp_path)
    # As after a crash between the last record and the commit: the last batch is planned, and not known to be done.
    last = max((tmp_path / "commits").glob("[0-9]*"), key=lambda path: int(path.name))
    last.unlink()
    (last.parent / f".{last.name}.crc").unlink(missing_ok=True)
    copy_stream(spark, topics, topic_name, target, tmp_path)

    twice = topics.source(spark.read, target, includeHeaders="true").load()
    values = sorted(int(row.value[1:]) for row in twice.collect())
    assert values == sorted([*range(50), *range(40, 50)])
    once = chronik.spark.without_replays(twice).collect()
    assert sorted(int(row.value[1:]) for row in once) == list(range(50))
    assert all(row.headers[0] == ("own", row.value[1:]) for row in once)


def test_records_without_marks_are_never_taken_for_replays(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.create(topic_name)
    topics.add(topic_name, [record(1), record(1), record(1, headers=[("own", b"")])])
    frame = topics.source(spark.read, topic_name, includeHeaders="true").load()
    assert chronik.spark.without_replays(frame).count() == 3
