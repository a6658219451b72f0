"""A batch read of topics: the rows of Spark's Kafka source, filters pushed down, narrow schemas, views, refusals."""

import datetime
import re
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

from tests.brokers import BrokerProcess
from tests.spark.topics import FIRST_TIME_MS, Place, Topics, expected, ordered, places, record

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"


def test_rows_are_what_was_sent(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.create(topic_name)
    headers = [("a", b"1"), ("a", None), ("", b"")]
    sent = [record(0), record(1, key=None, value=b""), record(2, key=b"", value=None), record(3, headers=headers)]
    topics.add(topic_name, sent)
    rows = topics.rows(spark, topic_name, includeHeaders="true")
    assert [(row.key, row.value, row.topic, row.partition, row.offset, row.timestampType) for row in rows] == [
        (one.key, one.value, topic_name, 0, offset, 0) for offset, one in enumerate(sent)
    ]
    moments = [row.timestamp.replace(tzinfo=datetime.UTC).timestamp() * 1000 for row in rows]
    assert moments == [one.timestamp for one in sent]
    assert [row.headers for row in rows] == [None, None, None, [Row(key=k, value=v) for k, v in headers]]


def test_headers_come_only_if_asked_for(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 1)
    frame = topics.source(spark.read, topic_name).load()
    assert frame.columns == ["key", "value", "topic", "partition", "offset", "timestamp", "timestampType"]


def test_a_narrow_schema_reads_only_its_columns_in_its_order(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.make(topic_name, 30, 20)
    frame = topics.source(spark.read, topic_name).schema("offset long, value binary, partition int").load()
    assert frame.columns == ["offset", "value", "partition"]
    rows = frame.collect()
    assert places(rows) == expected(30, 20)
    assert all(row.value == b"v%d" % (1000 * row.partition + row.offset) for row in rows)


def test_large_partitions_are_read_by_several_tasks(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 200, 10)
    frame = topics.source(spark.read, topic_name, minPartitions="8").load()
    assert frame.rdd.getNumPartitions() >= 8
    assert places(frame.collect()) == expected(200, 10)
    frame = topics.source(spark.read, topic_name, maxRecordsPerPartition="15").load()
    assert frame.rdd.getNumPartitions() == 15
    assert places(frame.collect()) == expected(200, 10)


def test_small_partitions_share_tasks(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 20, 30, 0, 20, 10)
    frame = topics.source(spark.read, topic_name, parallelism="6").load()
    assert frame.rdd.getNumPartitions() == 3
    assert places(frame.collect()) == expected(20, 30, 0, 20, 10)


@pytest.fixture(params=["true", "false"], ids=["pushdown on", "pushdown off"])
def pushdown(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[str]:
    spark.conf.set(PUSHDOWN, request.param)
    yield request.param
    spark.conf.set(PUSHDOWN, "true")


@pytest.mark.parametrize(
    ("condition", "tasks"),
    [
        ("partition = 1", 1),
        ("partition in (0, 2) and offset >= 90", 2),
        ("offset between 10 and 12", 3),
        ("offset < 5 or offset > 95", 3),
        ("timestamp >= '2023-11-14 22:30:00'", 2),
        ("key = 'k3' and offset = 3", 3),
    ],
)
def test_filters_give_the_same_rows_pushed_down_or_not(
    spark: SparkSession, topics: Topics, topic_name: str, pushdown: str, condition: str, tasks: int
) -> None:
    topics.make(topic_name, 100, 100, 100)
    # Small partitions have a task each then, so that their number tells what is read.
    frame = topics.source(spark.read, topic_name, minPartitions="1").load()
    filtered = frame.where(condition)
    assert filtered.rdd.getNumPartitions() == (tasks if pushdown == "true" else 3)
    copy = spark.createDataFrame(frame.collect(), frame.schema)
    assert places(filtered.collect()) == places(copy.where(condition).collect()) != []


def test_filters_move_what_is_read(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    """The tasks' own account: what is filtered out is not read from the broker and thrown away."""
    topics.make(topic_name, 100, 100, batch=10)
    ranges = topics.source(spark.read, topic_name, view="ranges").load()
    assert {(row.startOffset, row.endOffset) for row in ranges.collect()} == {(0, 100)}
    assert [row.partition for row in ranges.where("partition = 1").collect()] == [1]


def test_the_views_account_for_the_same_records(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 95, 20, batch=10)
    read = {view: topics.source(spark.read, topic_name, view=view).load() for view in ("batches", "ranges", "problems")}
    batches = read["batches"].where("partition = 0").orderBy("baseOffset").collect()
    assert [(row.baseOffset, row.lastOffset, row.recordCount) for row in batches] == [
        (base, min(base + 9, 94), min(10, 95 - base)) for base in range(0, 95, 10)
    ]
    counted = {row.partition: row.recordCount for row in read["ranges"].collect()}
    assert counted == {0: 95, 1: 20}
    assert read["problems"].collect() == []


def test_an_empty_topic_has_no_rows(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 0, 0)
    assert topics.rows(spark, topic_name) == []


def test_temporary_views_keep_their_options(spark: SparkSession, topics: Topics, topic_name: str) -> None:
    topics.make(topic_name, 12)
    spark.sql(
        "create or replace temporary view read_by_sql using chronik options "
        f"(`kafka.bootstrap.servers` '{topics.bootstrap}', subscribe '{topic_name}')"
    )
    assert spark.sql("select max(offset) as last from read_by_sql").collect()[0].last == 11


def test_records_deleted_before_they_were_read_fail_the_query_or_are_left_out(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.make(topic_name, 60)
    topics.wire.delete_records(topic_name, 20)
    begin = {"startingOffsets": f'{{"{topic_name}": {{"0": 5}}}}'}
    with pytest.raises(PySparkException, match=r"offsets 5 to 19.*failOnDataLoss=false"):
        topics.rows(spark, topic_name, **begin)
    assert places(topics.rows(spark, topic_name, **begin, failOnDataLoss="false")) == expected(60, start=20)
    problems = topics.source(spark.read, topic_name, view="problems", **begin).load().collect()
    assert [(row.startOffset, row.endOffset, row.kind) for row in problems] == [(5, 20, "lost")]
    assert places(topics.rows(spark, topic_name)) == expected(60, start=20)


NOWHERE = "127.0.0.1:1"


@pytest.mark.parametrize(
    ("options", "schema", "said"),
    [
        ({"subscribe": "nothing-here"}, None, "topic 'nothing-here' does not exist"),
        ({"subscribe": "t", "kafka.bootstrap.servers": NOWHERE}, None, NOWHERE),
        ({"subscribe": "t", "startingOffset": "earliest"}, None, "did you mean startingOffsets?"),
        ({"subscribe": "t"}, "ofset long", "did you mean 'offset'?"),
    ],
)
def test_what_cannot_be_read_is_refused_before_any_task(
    spark: SparkSession, topics: Topics, options: dict[str, str], schema: str | None, said: str
) -> None:
    group = uuid4().hex
    spark.sparkContext.setJobGroup(group, "refused")
    # Only who is not there is not waited for: a broker that is may be late on a busy machine.
    patience = {"kafka.default.api.timeout.ms": "1000"} if NOWHERE in options.values() else {}
    reader = topics.source(spark.read, **{**patience, **options})
    with pytest.raises(PySparkException, match=re.escape(said)):
        (reader.schema(schema) if schema else reader).load().collect()
    assert list(spark.sparkContext.statusTracker().getJobIdsForGroup(group)) == []


def test_times_move_the_start_and_nothing_is_lost_where_they_are_not_in_order(
    spark: SparkSession, topics: Topics, topic_name: str
) -> None:
    topics.create(topic_name)
    seconds = [5, 1, 9, 2, 8, 3, 7, 4, 6]
    topics.add(topic_name, (record(0, timestamp=FIRST_TIME_MS + 1000 * second) for second in seconds), batch=2)
    since = datetime.datetime.fromtimestamp(FIRST_TIME_MS / 1000 + 7, datetime.UTC)
    frame = topics.source(spark.read, topic_name).load().where(f"timestamp >= '{since:%Y-%m-%d %H:%M:%S}'")
    assert [row.offset for row in places(frame.collect())] == [2, 4, 6]


def test_segment_files_give_the_same_rows_without_a_broker(
    spark: SparkSession, start_broker: Callable[[], BrokerProcess]
) -> None:
    broker = start_broker()
    with Topics(broker.bootstrap) as topics:
        topics.make("orders", 120, 30, batch=20)
        topics.make("others", 5)
        over_the_wire = topics.rows(spark, "orders", includeHeaders="true")
    broker.stop()
    reader = spark.read.format("chronik").option("path", str(broker.data))
    from_files = reader.option("subscribe", "orders").option("includeHeaders", "true").load()
    assert ordered(from_files) == over_the_wire
    assert places(from_files.where("partition = 0 and offset >= 110").collect()) == [
        Place(0, n) for n in range(110, 120)
    ]
    assert {row.topic for row in spark.read.format("chronik").load(str(broker.data)).collect()} == {"orders", "others"}


def test_a_damaged_segment_file_is_a_row_of_the_problems_and_fails_a_read_that_asks_for_it(
    spark: SparkSession, start_broker: Callable[[], BrokerProcess]
) -> None:
    broker = start_broker()
    with Topics(broker.bootstrap) as topics:
        topics.make("orders", 60, batch=20)
    broker.stop()
    segment = next((broker.data / "orders-0").glob("*.log"))
    damaged = bytearray(segment.read_bytes())
    damaged[len(damaged) // 2] ^= 0xFF
    segment.write_bytes(damaged)
    reader = spark.read.format("chronik").option("path", str(broker.data))
    problems = reader.option("view", "problems").load().collect()
    assert [(row.topic, row.startOffset, row.endOffset) for row in problems] == [("orders", 20, 40)]
    with pytest.raises(PySparkException, match="orders-0"):
        reader.option("view", "records").option("failOnDataLoss", "true").load().collect()
    rest = spark.read.format("chronik").option("path", str(broker.data)).load().collect()
    assert [place.offset for place in places(rest)] == [*range(20), *range(40, 60)]
