"""Cost: what the broker does not do, and what it does not keep."""

import os
import time
from pathlib import Path

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest, DeleteTopicState
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.regressions.librdkafka import numbered, read_partition, send_all
from tests.regressions.processes import cpu_seconds, memory_bytes, open_descriptors, wait_until
from tests.regressions.wire import Wire, batch_of, values_of

MEBIBYTE = 1024 * 1024
SOCKETS = 2_000
SOCKET_BYTES_MAX = 96 * 1024
PARTITIONS = 300
PARTITION_BYTES_MAX = 16 * 1024
IDLE_CPU_SHARE_MAX = 0.10


def size_of(directory: Path) -> int:
    total = 0
    for root, _, files in os.walk(directory):
        for name in files:
            try:
                total += (Path(root) / name).stat().st_size
            except FileNotFoundError:
                continue
    return total


def lines_of(broker: BrokerProcess) -> list[str]:
    """What it has logged, without its remarks on a machine that stood still."""
    return [line for line in broker.log_text.splitlines() if "the event loop was blocked" not in line]


def test_no_request_is_logged_at_the_default_level(broker: BrokerProcess, topic_name: str) -> None:
    """Rule 56: requests, answered with or without an error, connections and their ends add no line to the log."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    send_all(broker.bootstrap, topic_name, [b"warm"])
    # A client that names a group is told of once, not once per request.
    read_partition(broker.bootstrap, topic_name)
    before = lines_of(broker)
    for _ in range(20):
        with Wire(broker.bootstrap) as wire:
            for _ in range(50):
                wire.append(topic_name, b"value")
                wire.fetch(topic_name, 0)
                assert wire.produce("no-such-topic", batch_of(b"v")).error_code != ErrorCode.NONE
                assert wire.fetch(topic_name, 10**9).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    send_all(broker.bootstrap, topic_name, numbered(500), linger_ms=0, batch_num_messages=1)
    assert len(read_partition(broker.bootstrap, topic_name)) == 1_501
    assert lines_of(broker) == before


def cpu_share(pid: int, seconds: float) -> float:
    """How much of a core a process uses in the seconds to come."""
    cpu, started = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(pid) - cpu) / (time.monotonic() - started)


def test_closed_sockets_cost_nothing_and_open_ones_a_bounded_amount(start_broker: StartBroker) -> None:
    """Rule 57: an idle connection costs at most 96 KiB, and a closed one neither memory nor a descriptor."""
    # With a short backlog the kernel lets some of so many connections wait for a second each.
    broker = start_broker({"socket.listen.backlog.size": SOCKETS})

    def open_and_close() -> int:
        connections = [Wire(broker.bootstrap) for _ in range(SOCKETS)]
        wait_until(lambda: open_descriptors(broker.pid) >= SOCKETS, 60, "all connections are accepted")
        used = memory_bytes(broker.pid)
        for connection in connections:
            connection.__exit__(None, None, None)
        return used

    descriptors, memory = open_descriptors(broker.pid), memory_bytes(broker.pid)
    assert open_and_close() - memory < SOCKETS * SOCKET_BYTES_MAX
    wait_until(lambda: open_descriptors(broker.pid) <= descriptors, 60, "descriptors of closed connections are gone")
    after_one = memory_bytes(broker.pid)
    open_and_close()
    wait_until(lambda: open_descriptors(broker.pid) <= descriptors, 60, "descriptors of closed connections are gone")
    # Freed memory may stay with the process, but it is used again and does not grow.
    assert memory_bytes(broker.pid) - after_one < 16 * MEBIBYTE


def test_idle_partitions_cost_bounded_memory_and_no_cpu(broker: BrokerProcess, topic_name: str) -> None:
    """Rule 57: an idle partition costs at most 16 KiB, and three hundred of them less than a tenth of a core."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(f"{topic_name}-warm", 10)
        before = memory_bytes(broker.pid)
        wire.create_topic(topic_name, PARTITIONS)
        for index in range(PARTITIONS):
            wire.append(topic_name, b"one record", partition=index)
        assert memory_bytes(broker.pid) - before < PARTITIONS * PARTITION_BYTES_MAX
    # What is still to be done for three hundred new logs comes first.
    wait_until(lambda: cpu_share(broker.pid, 3) < IDLE_CPU_SHARE_MAX, 60, "idle partitions cost no CPU time")


@pytest.mark.parametrize("by_id", [False, True])
def test_deletion_frees_the_space_and_lasts(start_broker: StartBroker, topic_name: str, *, by_id: bool) -> None:
    """Rule 58: the bytes of a deleted topic go, also over a restart, and a namesake is another topic."""
    broker = start_broker({"log.segment.delete.delay.ms": 100})
    with Wire(broker.bootstrap) as wire:
        wire.create_topic("other")
        topic_id = wire.create_topic(topic_name, 3)
        for index in range(3):
            for _ in range(4):
                wire.append(topic_name, b"x" * 1_000_000, partition=index)
        wire.append("other", b"stays")
        assert size_of(broker.data) > 12_000_000
        named = DeleteTopicState(topic_id=topic_id, name=None) if by_id else DeleteTopicState(name=topic_name)
        answer = wire.call(ApiKey.DELETE_TOPICS, 6, DeleteTopicsRequest([named], timeout_ms=10_000)).responses[0]
        assert (answer.error_code, answer.name, answer.topic_id) == (ErrorCode.NONE, topic_name, topic_id)
        wait_until(lambda: not list(broker.data.glob(f"{topic_name}*")), 60, "the deleted topic's files are gone")
        assert size_of(broker.data) < 2_000_000
    broker.restart(kill=by_id)
    with Wire(broker.bootstrap) as wire:
        asked = MetadataRequest([MetadataRequestTopic(name=topic_name)], allow_auto_topic_creation=False)
        topic = wire.call(ApiKey.METADATA, 12, asked).topics[0]
        assert topic.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert values_of(wire.read_all("other")) == [b"stays"]
        assert wire.create_topic(topic_name, 3) != topic_id
        assert [wire.end_offset(topic_name, partition=index) for index in range(3)] == [0, 0, 0]
