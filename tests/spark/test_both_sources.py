"""Spark's own Kafka source and Chronik's, asked the same of the same topics: the same rows, or both refuse.

Spark's connector is for one version of Spark, in an environment of its own, so that this also tries Chronik with it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from chronik.spark.options.options import OptionsRefusedError, source_options
from chronik.spark.options.table import OPTIONS
from tests.brokers import running_broker
from tests.conftest import missing
from tests.spark.both_cases import Case, Names, all_cases
from tests.spark.topics import Topics, record

# With sessions of its own, it need not wait for the tests that share one.
pytestmark = pytest.mark.xdist_group("spark of the connector")

ROOT = Path(__file__).resolve().parent.parent.parent
CLIENTS = ROOT / ".cache" / "clients"
PROGRAM = Path(__file__).parent / "programs" / "both_sources.py"
PROGRAM_SECONDS_MAX = 280
NAMES = [case.name for case in all_cases(Names("", ""))]


@pytest.fixture(scope="module")
def spark_of_the_connector() -> dict[str, str]:
    """An environment in which that Spark comes before the one of the tests, with the rest beside it."""
    jars = CLIENTS / "spark-jars"
    packages = next(iter((CLIENTS / "spark" / "lib").glob("python3*/site-packages")), CLIENTS)
    if not (packages / "pyspark").is_dir() or not list(jars.glob("spark-sql-kafka*.jar")):
        missing("Spark's Kafka source is not there: tools/prerequisites.sh java maven spark spark-jars")
    path = os.pathsep.join([str(packages), str(ROOT / "src")])
    return {**os.environ, "PYTHONPATH": path, "CHRONIK_SPARK_JARS": str(jars)}


def fill(topics: Topics, names: Names) -> None:
    topics.make(names.first, 60, 40, 30)
    topics.create(names.second)
    headers = [[("a", b"1"), ("b", b"")], [], [("a", b"\x00\xff"), ("a", b"2")]]
    topics.add(names.second, (record(number, headers=headers[number % 3]) for number in range(25)))
    topics.make(names.short, 20)
    topics.wire.delete_records(names.short, 8)
    for case in all_cases(names):
        for topic in case.into.values():
            topics.create(topic, 3)


def transact(bootstrap: str, topic: str) -> None:
    """Transactions that were committed, aborted, and left open, beside records outside of any."""
    with Topics(bootstrap) as topics:
        topics.create(topic)
    outside = Producer({"bootstrap.servers": bootstrap})
    for number in range(3):
        outside.produce(topic, b"outside-%d" % number, partition=0)
    assert outside.flush(30) == 0
    for number, end in enumerate(["commit_transaction", "abort_transaction", "commit_transaction", "flush"]):
        producer = Producer({"bootstrap.servers": bootstrap, "transactional.id": f"parity-{number}"})
        producer.init_transactions(30)
        producer.begin_transaction()
        for each in range(4):
            producer.produce(topic, b"%d-%d" % (number, each), partition=0)
        getattr(producer, end)(30)


@pytest.fixture(scope="module")
def both(
    spark_of_the_connector: dict[str, str], kafka: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, dict[str, Any]]]:
    """What either source answered to each case."""
    directory = tmp_path_factory.mktemp("both-sources")
    with running_broker(directory / "broker") as broker:
        names = Names(broker.bootstrap, kafka)
        with Topics(broker.bootstrap) as topics:
            fill(topics, names)
        transact(kafka, names.committed)
        cases, results = directory / "cases.json", directory / "results.json"
        cases.write_text(json.dumps([case.written() for case in all_cases(names)]))
        command = [sys.executable, str(PROGRAM), str(cases), str(results)]
        with (directory / "program.log").open("wb") as log:
            done = subprocess.run(
                command, env=spark_of_the_connector, stdout=log, stderr=log, timeout=PROGRAM_SECONDS_MAX, check=False
            )
        assert done.returncode == 0, (directory / "program.log").read_text(errors="replace")[-5000:]
        found = json.loads(results.read_text())
        assert found["version"] == "4.2.0"
        yield found["results"]


def case_named(name: str) -> Case:
    return next(case for case in all_cases(Names("h:1", "h:1")) if case.name == name)


def refusal(case: Case) -> dict[str, str]:
    try:
        source_options(case.options, streaming=case.kind == "stream")
    except OptionsRefusedError as error:
        return {"error": str(error)}
    return {}


@pytest.mark.parametrize("name", NAMES)
def test_both_sources_give_the_same(both: dict[str, dict[str, Any]], name: str) -> None:
    case, theirs, ours = case_named(name), both[name]["kafka"], both[name].get("chronik", {})
    if case.refused:
        assert "error" in theirs, theirs
        assert "error" in (refusal(case) if case.unread else ours), ours
        return
    assert "error" not in theirs, theirs["error"]
    assert "error" not in ours, ours["error"]
    assert ours == theirs


def test_the_cases_try_every_option_that_the_two_share() -> None:
    tried = {name.lower() for case in all_cases(Names("h", "h")) for name in case.options}
    shared = {option.name.lower() for option in OPTIONS if not option.own}
    assert shared - tried == set()


def test_the_cases_are_not_all_empty(both: dict[str, dict[str, Any]]) -> None:
    silent = {name for name in NAMES if not case_named(name).refused and not both[name]["kafka"].get("rows")}
    assert silent == {
        "subscribePattern without a match",
        "startingOffsets at the end",
        "stream from latest",
    }
