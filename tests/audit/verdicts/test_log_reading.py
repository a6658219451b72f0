"""A real run, judged by the log in the run's directory, on the wire, and in the broker's own files."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import confluent_kafka
import pytest

from chronik.audit.capture import log_dump as stored
from chronik.audit.capture.log_dump import recapture
from chronik.audit.capture.run import run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.judge.engine import audit
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.spans import ReadSpan
from chronik.client.cluster import Cluster
from chronik.client.errors import RequestTimedOutError
from chronik.spark.audit.log_reading import log_in_segments, log_on_the_wire
from chronik.testing.topics import create_topic
from tests.brokers import BrokerProcess


def test_the_log_is_the_same_wherever_it_is_read(shared_broker: BrokerProcess, topic_name: str, tmp_path: Path) -> None:
    settings = RunSettings(
        bootstrap=shared_broker.bootstrap, topic=topic_name, messages=300, partitions=2, replication=1, keys=20
    )
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    expected = audit(directory)
    assert expected.verdicts.to_pylist()[14]["verdict"] == "DELIVERED"
    assert [row["count"] for row in expected.verdicts.to_pylist() if row["count"]] == [300]
    assert expected.notes == ()
    facts = Evidence(directory).facts
    for log in (
        log_on_the_wire(shared_broker.bootstrap, topic_name, facts.starts),
        log_in_segments(str(shared_broker.data), topic_name, facts.starts),
    ):
        results = audit(directory, log=log)
        assert results.verdicts.to_pylist() == expected.verdicts.to_pylist()
        assert results.partitions.to_pylist() == expected.partitions.to_pylist()
    assert asyncio.run(recapture(directory, facts, shared_broker.bootstrap))
    assert audit(directory).partitions.to_pylist() == expected.partitions.to_pylist()


def test_what_clients_are_served_and_the_log_behind_it_are_both_kept(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    settings = RunSettings(
        bootstrap=shared_broker.bootstrap, topic=topic_name, messages=50, partitions=1, replication=1
    )
    directory = asyncio.run(run_audit(settings, tmp_path / "run"))
    stored = Evidence(directory).stored.to_pylist()
    offsets = {node: [row["offset"] for row in stored if row["node"] == node] for node in {r["node"] for r in stored}}
    assert len(offsets) == 2
    assert -1 in offsets
    assert all(found == list(range(50)) for found in offsets.values())


def test_leader_that_does_not_answer_for_a_moment_is_read_to_its_end(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 1, {}, 60.0)
    producer = confluent_kafka.Producer({"bootstrap.servers": shared_broker.bootstrap})
    for number in range(30):
        producer.produce(topic_name, b"value %d" % number)
    assert producer.flush(60) == 0
    for name in ("ask_log_ends", "read_replica"):
        monkeypatch.setattr(stored, name, failing_at_first(getattr(stored, name)))

    async def read() -> list[ReadSpan]:
        async with Cluster(shared_broker.bootstrap) as cluster:
            return await stored.capture(tmp_path, topic_name, cluster)

    leader = next(span for span in asyncio.run(read()) if span.is_leader)
    assert (leader.first_offset, leader.end_offset, leader.log_end) == (0, 30, 30)
    assert Evidence(tmp_path).stored.num_rows == 60, "once as clients see it, once as the leader holds it"


def failing_at_first(function: Callable[..., Any]) -> Callable[..., Any]:
    failures = [RequestTimedOutError("no answer"), RequestTimedOutError("no answer")]

    def call(*args: Any) -> Any:
        if failures:
            raise failures.pop()
        return function(*args)

    return call
