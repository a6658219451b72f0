"""One Spark session for all tests of this directory, which therefore run in one worker, and the brokers beside it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import chronik.spark
from tests.groups_beside_kafka.kafka_process import running_kafka
from tests.spark.topics import Topics

HERE = Path(__file__).parent
TEST_SECONDS_MAX = 300

QUICK_FOR_LITTLE_DATA = {
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "2",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.python.worker.idleTimeoutSeconds": "0",
    # A machine that stands still is no reason to give the executor up.
    "spark.executor.heartbeatInterval": "120s",
    "spark.network.timeout": "600s",
}
KAFKA_SETTINGS = {
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 1,
    "offsets.topic.num.partitions": 1,
    "group.initial.rebalance.delay.ms": 0,
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A session takes long to start and a gigabyte to hold: all tests go to one worker, unless they say another.

    The first of them waits for the session, and a test that is interrupted within a call to the JVM spoils the
    connection for all that follow; so the bound is a wide one.
    """
    for item in items:
        if HERE not in item.path.parents:
            continue
        item.add_marker(pytest.mark.timeout(TEST_SECONDS_MAX))
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group("spark"))


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """The session of all tests: as Chronik makes it, with settings for small data."""
    session = chronik.spark.session("local[2]", settings=QUICK_FOR_LITTLE_DATA)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def kafka(
    run_kafka_tool: Callable[..., object],  # Java and the jars are there
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[str]:
    """Where an Apache Kafka is reached, for what Chronik's broker does not do: transactions."""
    with running_kafka(tmp_path_factory.mktemp("kafka-for-spark") / "kafka", KAFKA_SETTINGS) as bootstrap:
        yield bootstrap


@pytest.fixture
def topics(shared_broker: Any) -> Iterator[Topics]:
    """The shared broker, with topics made and filled in a line."""
    with Topics(shared_broker.bootstrap) as made:
        yield made
