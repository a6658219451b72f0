"""``chronik audit topic --archive``: a topic and its archive, and what one has that the other has not."""

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chronik.cli import exits
from chronik.cli.main import run
from chronik.spark.archive.delta_table import DeltaArchive
from tests.spark.archives import archive_once
from tests.spark.topics import Topics, record


def test_archive_is_held_against_its_topic(
    spark: SparkSession, topics: Topics, topic_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics.make(topic_name, 60, 20)
    lake = tmp_path / "lake"
    archive_once(spark, DeltaArchive(str(lake)), topics.bootstrap, topic_name, tmp_path / "state")
    command = ["audit", "topic", "-b", topics.bootstrap, "--topic", topic_name, "--archive", str(lake)]
    assert run(command) == exits.OK
    told = capsys.readouterr().out
    assert "80 records in 2 partitions; nothing is wrong" in told
    assert "The archive, with 80 records in 2 files, has every record once." in told

    topics.add(topic_name, map(record, range(60, 65)), 0)
    assert run(command) == exits.OK, "to be behind is not wrong"
    assert "5 offsets of the topic came later" in capsys.readouterr().out

    next((lake / "partition=1").rglob("*.parquet")).unlink()
    assert run(command) == exits.FAILED
    told = capsys.readouterr().out
    assert "something is wrong" in told
    assert "partition 1, offsets 0 to 19: not archived" in told

    assert run([*command, "--json"]) == exits.FAILED
    document = json.loads(capsys.readouterr().out)
    assert document["exit_code"] == exits.FAILED
    assert {"kind": "not archived", "partition": 1, "offsets": [0, 20], "detail": ""} in document["archive"]["findings"]


def test_what_is_no_archive_is_said_before_the_topic_is_read(
    topics: Topics, topic_name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    topics.make(topic_name, 5)
    command = ["audit", "topic", "-b", topics.bootstrap, "--topic", topic_name]
    assert run([*command, "--archive", str(tmp_path / "nowhere")]) == exits.FAILED
    assert "holds no archive" in capsys.readouterr().err
    assert run([*command, "--partition", "7"]) == exits.WRONG_USE
    assert "has no partition 7, only 0 to 0" in capsys.readouterr().err
