"""A streaming read: micro-batches of a bounded size, restarts from the checkpoint, losses, lag and group commits."""

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from confluent_kafka import Consumer, TopicPartition
from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

import chronik.spark
from chronik.spark.source.progress import TopicProgress
from tests.spark.streams import counts, ended, run, start, written
from tests.spark.topics import Topics, expected, places, record

WAIT_SECONDS_MAX = 100


def await_condition(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_a_stream_reads_what_is_there_in_bounded_batches_and_goes_on_after_a_restart(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 90, 30)
    options = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": "40"}
    stream = topics.source(spark.readStream, topic_name, **options).load()
    assert counts(run(stream, tmp_path)) == [40, 40, 40]
    topics.add(topic_name, (record(number) for number in range(15)), partition=1)
    assert counts(run(stream, tmp_path)) == [15]
    assert places(written(spark, tmp_path)) == expected(90, 45)


def test_a_restart_without_news_runs_no_batch(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 5, 5)
    stream = topics.source(spark.readStream, topic_name, startingOffsets="earliest").load()
    assert sum(counts(run(stream, tmp_path))) == 10
    assert sum(counts(run(stream, tmp_path))) == 0
    assert len(list((tmp_path / "state" / "commits").glob("[0-9]*"))) == 1


def test_a_stream_from_the_latest_offset_loses_nothing_between_its_first_stop_and_its_next_start(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 20)
    stream = topics.source(spark.readStream, topic_name).load()
    assert counts(run(stream, tmp_path)) in ([], [0])
    topics.add(topic_name, (record(number) for number in range(7)))
    run(stream, tmp_path)
    assert places(written(spark, tmp_path)) == expected(27, start=20)


def test_offsets_are_written_as_those_of_sparks_kafka_source(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 3, 2)
    run(topics.source(spark.readStream, topic_name, startingOffsets="earliest").load(), tmp_path)
    last = (tmp_path / "state" / "offsets" / "0").read_text().splitlines()[-1]
    assert json.loads(last) == {topic_name: {"0": 3, "1": 2}}


def test_records_deleted_under_a_stream_fail_it_or_are_left_out_and_counted(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 10)
    strict = topics.source(spark.readStream, topic_name, startingOffsets="earliest").load()
    lenient = topics.source(spark.readStream, topic_name, startingOffsets="earliest", failOnDataLoss="false").load()
    for stream, name in ((strict, "strict"), (lenient, "lenient")):
        run(stream, tmp_path / name)
    topics.add(topic_name, (record(number) for number in range(30)))
    topics.wire.delete_records(topic_name, 25)
    with pytest.raises(StreamingQueryException, match=r"offsets 10 to 24.*failOnDataLoss=false"):
        run(strict, tmp_path / "strict")
    told: list[TopicProgress] = []
    listener = chronik.spark.report_progress(spark, told.append, query=topic_name)
    try:
        run(lenient, tmp_path / "lenient", topic_name)
        await_condition(lambda: any(one.lost_total for one in told), "no loss was told")
    finally:
        spark.streams.removeListener(listener)
    assert told[-1].lost_total == 15
    assert [place.offset for place in places(written(spark, tmp_path / "lenient"))] == [*range(10), *range(25, 40)]


def committed(bootstrap: str, group: str, topic: str, partitions: int) -> dict[int, int]:
    asking = Consumer({"bootstrap.servers": bootstrap, "group.id": group})
    try:
        found = asking.committed([TopicPartition(topic, number) for number in range(partitions)], timeout=60)
        return {one.partition: one.offset for one in found}
    finally:
        asking.close()


def test_positions_are_committed_to_a_group_with_the_last_batch_too_and_lag_is_told(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 40, 20)
    group, told = f"group-{topic_name}", list[TopicProgress]()
    listeners = [
        chronik.spark.report_progress(spark, told.append, query=topic_name),
        chronik.spark.commit_offsets(spark, bootstrap=topics.bootstrap, group=group, query=topic_name),
    ]
    options = {"startingOffsets": "earliest", "maxOffsetsPerTrigger": "30"}
    try:
        run(topics.source(spark.readStream, topic_name, **options).load(), tmp_path, topic_name)
        await_condition(
            lambda: committed(topics.bootstrap, group, topic_name, 2) == {0: 40, 1: 20},
            "the last positions were not committed",
        )
    finally:
        for listener in listeners:
            spark.streams.removeListener(listener)
    assert [(one.records, one.lag_total) for one in told if one.records] == [(30, 30), (30, 0)]


def test_a_stream_follows_new_records_and_new_partitions(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 5)
    pattern = topics.source(spark.readStream, subscribePattern=f"{topic_name}.*", startingOffsets="earliest").load()
    query = start(pattern, tmp_path, processingTime="100 milliseconds")
    try:
        topics.add(topic_name, (record(number) for number in range(5)))
        topics.make(f"{topic_name}-more", 3)
        await_condition(
            lambda: query.lastProgress is not None and sum(counts([dict(one) for one in query.recentProgress])) >= 13,
            f"not all was read: {query.lastProgress}",
        )
    finally:
        query.stop()
    rows = written(spark, tmp_path)
    assert sorted((row.topic, row.offset) for row in rows) == [
        *((topic_name, offset) for offset in range(10)),
        *((f"{topic_name}-more", offset) for offset in range(3)),
    ]


def test_a_batch_waits_until_there_is_enough(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    topics.make(topic_name, 5)
    options = {"startingOffsets": "earliest", "minOffsetsPerTrigger": "20", "maxTriggerDelay": "1h"}
    query = start(
        topics.source(spark.readStream, topic_name, **options).load(), tmp_path, processingTime="50 milliseconds"
    )
    try:
        await_condition(lambda: counts([dict(one) for one in query.recentProgress])[:1] == [5], "no first batch")
        topics.add(topic_name, (record(number) for number in range(19)))
        query.processAllAvailable()
        topics.add(topic_name, [record(19)])
        await_condition(
            lambda: [number for number in counts([dict(one) for one in query.recentProgress]) if number] == [5, 20],
            f"not one batch of 20: {query.recentProgress}",
        )
    finally:
        query.stop()


def test_a_missing_topic_fails_the_query_with_its_name(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path
) -> None:
    stream = topics.source(spark.readStream, topic_name).load()
    with pytest.raises(StreamingQueryException, match=f"topic '{topic_name}' does not exist"):
        ended(start(stream, tmp_path))
