"""Kafka's own Java tools that work with groups: the console consumer, the group command, the performance test."""

import re
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from tests import kafka_tools
from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire

CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
CONSUMER_PERFORMANCE = "org.apache.kafka.tools.ConsumerPerformance"

Tool = Callable[..., str]


@pytest.fixture
def tool(run_kafka_tool: Callable[..., CompletedProcess[str]], shared_broker: BrokerProcess) -> Tool:
    """Run one of Kafka's tools against the broker; it must succeed."""

    def run(main_class: str, *arguments: str) -> str:
        done = run_kafka_tool(main_class, "--bootstrap-server", shared_broker.bootstrap, *arguments)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


@pytest.fixture
def topic(shared_broker: BrokerProcess, topic_name: str) -> str:
    """A topic of two partitions with ten records in each."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 2)
        for partition in range(2):
            wire.append(topic_name, *(b"%d-%d" % (partition, index) for index in range(10)), partition=partition)
    return topic_name


def positions(described: str, group: str, topic: str) -> dict[int, tuple[str, str, str]]:
    """Current offset, log end and lag of each partition, as the group command shows them."""
    row = re.compile(rf"^{re.escape(group)}\s+{re.escape(topic)}\s+(\d)\s+(\S+)\s+(\S+)\s+(\S+)", re.MULTILINE)
    return {int(partition): (current, end, lag) for partition, current, end, lag in row.findall(described)}


def test_the_group_command_shows_moves_and_deletes_what_the_console_consumer_left(tool: Tool, topic: str) -> None:
    group = f"group of {topic}"[:100].replace(" ", "-")
    read = tool(
        kafka_tools.CONSOLE_CONSUMER,
        *["--topic", topic, "--group", group, "--from-beginning", "--max-messages", "20", "--timeout-ms", "45000"],
    )
    assert sorted(read.split()) == sorted(f"{partition}-{index}" for partition in range(2) for index in range(10))
    described = tool(CONSUMER_GROUPS, "--describe", "--group", group)
    assert positions(described, group, topic) == dict.fromkeys(range(2), ("10", "10", "0"))
    listed = tool(CONSUMER_GROUPS, "--list", "--state")
    assert re.search(rf"^{re.escape(group)}\s+\S*\s*Empty", listed, re.MULTILINE), listed
    reset = ["--reset-offsets", "--group", group, "--topic", topic, "--shift-by", "-4", "--execute"]
    moved = re.compile(rf"^{re.escape(group)}\s+{re.escape(topic)}\s+(\d)\s+(\d+)", re.MULTILINE)
    assert sorted(moved.findall(tool(CONSUMER_GROUPS, *reset))) == [("0", "6"), ("1", "6")]
    assert "was successful" in tool(CONSUMER_GROUPS, "--delete", "--group", group)


def test_consumer_performance_reads_all_that_it_was_told_to(tool: Tool, topic: str) -> None:
    shown = tool(CONSUMER_PERFORMANCE, "--topic", topic, "--messages", "20", "--timeout", "45000")
    measured = shown.splitlines()[-1].split(",")
    assert measured[4].strip() == "20", shown
