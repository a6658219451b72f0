"""Brokers' trace files in Spark: as a DataFrame, and as a Parquet file that the command makes."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from chronik.observability.trace_events import COLUMNS
from chronik.observability.trace_files import DIRECTORY, PATTERN
from chronik.spark.traces import read_traces
from tests.brokers import running_broker
from tests.clients.commands import chronik
from tests.regressions.wire import Wire

SETTINGS = {"chronik.trace": "on", "chronik.trace.files": "true"}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data of a broker that has traced a few requests, and left a last line that is not whole."""
    place = tmp_path_factory.mktemp("traced")
    with running_broker(place, SETTINGS) as broker:
        with Wire(broker.bootstrap) as wire:
            wire.create_topic("orders")
            for _ in range(3):
                wire.append("orders", b"value")
            wire.read_all("orders")
        broker.stop()
        (file,) = (broker.data / DIRECTORY).glob(PATTERN)
        with file.open("ab") as end:
            end.write(b'{"node":1,"seq":99,"ev')
        return broker.data


def lines(data: Path) -> list[dict[str, Any]]:
    (file,) = (data / DIRECTORY).glob(PATTERN)
    return [json.loads(line) for line in file.read_text().splitlines()[:-1]]


def as_documents(rows: list[Any]) -> Counter[str]:
    """What the rows say, without what is null in them."""
    documents = [{name: value for name, value in row.asDict().items() if value is not None} for row in rows]
    return Counter(json.dumps(document, sort_keys=True) for document in documents)


def test_spark_reads_every_event_of_the_files_with_the_columns_of_the_schema(spark: SparkSession, told: Path) -> None:
    frame = read_traces(spark, told)
    assert frame.columns == list(COLUMNS)
    assert as_documents(frame.collect()) == Counter(json.dumps(line, sort_keys=True) for line in lines(told))
    acknowledged = frame.where("event = 'produce_acknowledged'").orderBy("seq").collect()
    assert [row.first_offset for row in acknowledged if row.topic == "orders"] == [0, 1, 2]


def test_the_command_makes_a_parquet_file_of_the_same_events(spark: SparkSession, told: Path, tmp_path: Path) -> None:
    target = tmp_path / "trace.parquet"
    done = chronik(["trace", "export", str(told), "--to", str(target), "--json"])
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "target": str(target),
        "files": 1,
        "events": len(lines(told)),
        "damaged_lines": 1,
    }
    frame = spark.read.parquet(str(target))
    assert frame.columns == list(COLUMNS)
    assert as_documents(frame.collect()) == Counter(json.dumps(line, sort_keys=True) for line in lines(told))


def test_without_trace_files_the_command_says_what_makes_them(tmp_path: Path) -> None:
    done = chronik(["trace", "export", str(tmp_path)])
    assert done.returncode == 2
    assert b"chronik trace on --files" in done.stderr
