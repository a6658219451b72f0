"""The observer: what it asks in which order, and what it makes of a broker that says nothing."""

import asyncio
import os
import signal
from pathlib import Path

from chronik.audit import Evidence
from chronik.audit.capture.observer import Observer, Sample, observer_settings
from chronik.audit.capture.observer_wire import Ends, Served
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo
from chronik.model.errors import ErrorCode
from chronik.testing.topics import create_topic
from tests.brokers import BrokerProcess

SAMPLES_MAX = 100


def partition(isr: tuple[int, ...], leader_epoch: int = 4) -> PartitionInfo:
    return PartitionInfo(0, 1, leader_epoch, (1, 2, 3), isr, (), ErrorCode.NONE)


def test_each_replica_has_a_row_and_a_silent_one_says_so() -> None:
    sample = Sample(5, 6, {0: partition((1, 2))}, problems={3: "connection refused"})
    sample.served[1, 0] = Served(2, 7, 7)
    sample.ends[1, 0] = Ends(9)
    sample.served[2, 0] = Served(2, 6, 6, "NOT_LEADER_OR_FOLLOWER")
    rows = list(sample.rows({0: partition((1, 2))}))
    assert rows == [
        (5, 6, 1, 0, 2, 7, 7, 9, 1, 4, [1, 2], ""),
        (5, 6, 2, 0, 2, 6, 6, -1, 1, 4, [1, 2], "NOT_LEADER_OR_FOLLOWER"),
        (5, 6, 3, 0, -1, -1, -1, -1, 1, 4, [1, 2], "connection refused"),
    ]


def test_member_is_in_sync_only_if_it_was_before_and_after() -> None:
    sample = Sample(5, 6, {0: partition((1, 2))})
    assert {tuple(row[10]) for row in sample.rows({0: partition((1, 3))})} == {(1,)}


def test_the_isr_of_a_sample_is_unknown_if_metadata_cannot_be_read_after_it() -> None:
    sample = Sample(1, 1, {0: partition((1, 2))})
    assert {tuple(row[10]) for row in sample.rows(None)} == {()}


def test_broker_that_is_stopped_is_silent_and_is_seen_again_when_it_goes_on(
    broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    create_topic(broker.bootstrap, topic_name, 1, {}, 60.0)
    asyncio.run(observe(broker, topic_name, tmp_path))
    errors = [row["error"] for row in Evidence(tmp_path).observed.to_pylist()]
    silences = [number for number, error in enumerate(errors) if error]
    assert errors[0] == ""
    assert "" in errors[silences[0] :]
    ends = {row["log_end"] for row in Evidence(tmp_path).observed.to_pylist() if row["error"]}
    assert ends == {-1}


async def observe(broker: BrokerProcess, topic: str, directory: Path) -> None:
    """Sample until the broker has answered, until it has been silent, and until it has answered again."""
    async with Cluster(broker.bootstrap, observer_settings()) as cluster:
        observer = Observer(directory, topic, cluster)
        await sample_until(observer, is_silent=False)
        os.kill(broker.pid, signal.SIGSTOP)
        try:
            await sample_until(observer, is_silent=True)
        finally:
            os.kill(broker.pid, signal.SIGCONT)
        await sample_until(observer, is_silent=False)
        await observer.close()


async def sample_until(observer: Observer, *, is_silent: bool) -> None:
    for _ in range(SAMPLES_MAX):
        await observer.sample()
        if bool(observer._samples.rows[-1][-1]) == is_silent:
            return
    raise AssertionError(f"after {SAMPLES_MAX} samples the broker is not {'silent' if is_silent else 'heard'}")
