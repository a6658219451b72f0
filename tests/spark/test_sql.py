"""SQL over topics and archives, as a function and as the command."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.plain_parquet import ParquetArchive
from chronik.spark.archive.table import ArchiveError
from chronik.spark.source.problems import TopicMissingError
from chronik.spark.sql.query import SqlSources, query
from tests.clients.commands import here
from tests.spark.archives import archive_once
from tests.spark.topics import Topics, record

VALUES = [b'{"id": 0, "amount": 1.5}', b'{"id": 1, "amount": 2}', b"no JSON", None]


@pytest.fixture
def filled(topics: Topics, topic_name: str) -> str:
    topics.create(topic_name, 2)
    topics.add(topic_name, (record(number, value=value) for number, value in enumerate(VALUES)), 0)
    topics.add(topic_name, [record(9)], 1)
    return topic_name


def asked(spark: SparkSession, text: str, sources: SqlSources) -> list[tuple[object, ...]]:
    return [tuple(row) for row in query(spark, text, sources).collect()]


def test_topics_are_asked_by_name_with_text_for_keys_and_values(
    spark: SparkSession, topics: Topics, filled: str
) -> None:
    sources = SqlSources(topics.bootstrap)
    counts = asked(spark, f"select partition, count(*) from topic.`{filled}` group by 1 order by 1", sources)
    assert counts == [(0, 4), (1, 1)]
    found = f"select offset, key, value from topic.`{filled}` where value like '%id%' order by offset"
    assert asked(spark, found, sources) == [(0, "k0", VALUES[0].decode()), (1, "k1", VALUES[1].decode())]  # type: ignore[union-attr]
    everything = query(spark, f"select * from topic.`{filled}`", sources)
    assert everything.columns == [
        "key", "value", "topic", "partition", "offset", "timestamp", "timestampType", "headers",
    ]  # fmt: skip
    binary = asked(
        spark,
        f"select value from topic.`{filled}` where partition = 1",
        SqlSources(topics.bootstrap, keeps_binary=True),
    )
    assert binary == [(bytearray(b"v9"),)]


@pytest.mark.parametrize("fields", ["", "id bigint, amount double"], ids=["found out", "told"])
def test_json_fields_are_columns_when_asked_for(spark: SparkSession, topics: Topics, filled: str, fields: str) -> None:
    sources = SqlSources(topics.bootstrap, decoded={filled: fields})
    text = f"select offset, id, amount from topic.`{filled}` where partition = 0 order by offset"
    assert asked(spark, text, sources) == [(0, 0, 1.5), (1, 1, 2.0), (2, None, None), (3, None, None)]


def test_a_topic_is_joined_with_its_archives(spark: SparkSession, topics: Topics, filled: str, tmp_path: Path) -> None:
    tables = {"delta": DeltaArchive(str(tmp_path / "delta")), "plain": ParquetArchive(str(tmp_path / "plain"))}
    for name, table in tables.items():
        archive_once(spark, table, topics.bootstrap, filled, tmp_path / f"state-{name}")
    topics.add(filled, [record(10)], 1)
    missing = asked(
        spark,
        f"""select t.partition, t.offset, t.value from topic.`{filled}` t
            left anti join archive.delta using (partition, offset)""",
        SqlSources(topics.bootstrap, archives=tables),
    )
    assert missing == [(1, 1, "v10")]
    same = asked(
        spark,
        """select count(*) from archive.delta d join archive.plain p
           on d.partition = p.partition and d.offset = p.offset and d.key <=> p.key and d.date = p.date""",
        SqlSources(topics.bootstrap, archives=tables),
    )
    assert same == [(5,)]


def test_what_does_not_exist_is_named(spark: SparkSession, topics: Topics) -> None:
    with pytest.raises(TopicMissingError, match="none-such"):
        query(spark, "select 1 from topic.`none-such`", SqlSources(topics.bootstrap))
    with pytest.raises(ArchiveError, match="no archive 'x'"):
        query(spark, "select 1 from archive.x", SqlSources(topics.bootstrap))


def test_the_command_prints_tables_json_and_csv(spark: SparkSession, topics: Topics, filled: str) -> None:
    text = f"select partition, offset, value from topic.`{filled}` where offset < 2 order by 1, 2"
    table = here(["sql", text], topics.bootstrap)
    assert table.returncode == 0, table.stderr.decode()
    assert table.stdout.decode().splitlines()[0].split() == ["partition", "offset", "value"]
    lines = [json.loads(line) for line in here(["sql", text, "--json"], topics.bootstrap).stdout.splitlines()]
    assert lines[2] == {"partition": 1, "offset": 0, "value": "v9"}
    csv = here(["sql", text, "--csv"], topics.bootstrap).stdout.decode().splitlines()
    assert csv[0] == "partition,offset,value"
    assert csv[3] == "1,0,v9"
    cut = here(["sql", text, "--rows", "1"], topics.bootstrap)
    assert b"more than 1 rows" in cut.stderr


def test_the_command_tells_what_is_wrong_with_a_query(spark: SparkSession, topics: Topics, filled: str) -> None:
    wrong = here(["sql", f"select nothing from topic.`{filled}`"], topics.bootstrap)
    assert wrong.returncode == 1
    assert b"nothing" in wrong.stderr
    assert b"Traceback" not in wrong.stderr
    missing = here(["sql", "select 1 from topic.`none-such`"], topics.bootstrap)
    assert (missing.returncode, b"does not exist" in missing.stderr) == (1, True)
    assert here(["sql", "select 1", "--csv", "--json"], topics.bootstrap).returncode == 3
