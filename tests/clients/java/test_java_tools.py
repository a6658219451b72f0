"""Kafka's own Java tools against a real broker: topics, configs, producers, consumers, offsets, directories."""

import re
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from subprocess import CompletedProcess

import pytest

from tests import kafka_tools
from tests.brokers import BrokerProcess
from tests.regressions.processes import open_descriptors, wait_until
from tests.regressions.wire import Wire, values_of

LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
PRODUCER_PERFORMANCE = "org.apache.kafka.tools.ProducerPerformance"
SECONDS_MAX = 60.0
REFUSAL_SECONDS_MAX = 40.0
"""A producer that waits for its coordinator gives up after a minute; a JVM on a busy machine takes some of this."""

Tool = Callable[..., str]


@pytest.fixture
def tool(run_kafka_tool: Callable[..., CompletedProcess[str]], shared_broker: BrokerProcess) -> Tool:
    """Run one of Kafka's tools against the broker; it must succeed."""

    def run(main_class: str, *arguments: str, stdin: str | None = None) -> str:
        flags = ["--bootstrap-server", shared_broker.bootstrap]
        done = run_kafka_tool(main_class, *flags, *arguments, stdin=stdin)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    return run


def test_topic_command_creates_lists_describes_alters_and_deletes(
    tool: Tool, shared_broker: BrokerProcess, topic_name: str
) -> None:
    tool(kafka_tools.TOPICS, "--create", "--topic", topic_name, "--partitions", "2", "--config", "retention.ms=5000000")
    described = tool(kafka_tools.TOPICS, "--describe", "--topic", topic_name)
    assert re.search(r"PartitionCount: 2\s+ReplicationFactor: 1\s+Configs: .*retention.ms=5000000", described)
    assert len(re.findall(r"Partition: \d\s+Leader: 1\s+Replicas: 1\s+Isr: 1", described)) == 2
    tool(kafka_tools.TOPICS, "--alter", "--topic", topic_name, "--partitions", "3")
    with Wire(shared_broker.bootstrap) as wire:
        assert wire.end_offset(topic_name, partition=2) == 0
    assert topic_name in tool(kafka_tools.TOPICS, "--list").split()
    tool(kafka_tools.TOPICS, "--delete", "--topic", topic_name)
    wait_until(
        lambda: not list(shared_broker.data.glob(f"{topic_name}-[0-9]")),
        SECONDS_MAX,
        "the deleted topic's files are gone",
    )


def test_config_command_alters_and_describes(tool: Tool, shared_broker: BrokerProcess, topic_name: str) -> None:
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    entity = ["--entity-type", "topics", "--entity-name", topic_name]
    tool(kafka_tools.CONFIGS, *entity, "--alter", "--add-config", "retention.ms=70000,cleanup.policy=[compact,delete]")
    described = tool(kafka_tools.CONFIGS, *entity, "--describe")
    assert "retention.ms=70000" in described
    assert "DYNAMIC_TOPIC_CONFIG:retention.ms=70000" in described
    assert "cleanup.policy=compact,delete" in described
    tool(kafka_tools.CONFIGS, *entity, "--alter", "--delete-config", "retention.ms")
    assert "retention.ms" not in tool(kafka_tools.CONFIGS, *entity, "--describe")


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_console_producer_and_consumer_exchange_lines(
    tool: Tool, shared_broker: BrokerProcess, topic_name: str, codec: str
) -> None:
    """Lines with keys and headers, sent by an idempotent Java producer, read by a Java consumer and by frames."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        lines = [f"h:{index}\tkey-{index}:value-{index}" for index in range(200)]
        properties = ["parse.key=true", "key.separator=:", "parse.headers=true"]
        tool(
            kafka_tools.CONSOLE_PRODUCER,
            *["--topic", topic_name, "--compression-codec", codec],
            *[part for one in properties for part in ("--property", one)],
            stdin="\n".join(lines) + "\n",
        )
        assert Counter(values_of(wire.read_all(topic_name))) == Counter(b"value-%d" % index for index in range(200))
    shown = ["print.key=true", "print.headers=true", "print.offset=true"]
    read = tool(
        kafka_tools.CONSOLE_CONSUMER,
        *["--topic", topic_name, "--partition", "0", "--offset", "earliest", "--max-messages", "200"],
        *["--timeout-ms", "45000"],
        *[part for one in shown for part in ("--property", one)],
    )
    expected = [f"Offset:{index}\th:{index}\tkey-{index}\tvalue-{index}" for index in range(200)]
    assert read.splitlines() == expected


def test_an_empty_fetch_decodes_in_the_java_client(
    run_kafka_tool: Callable[..., CompletedProcess[str]], broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 29: a Java consumer that has met an empty partition for a while reads what comes later."""
    with Wire(broker.bootstrap) as wire, ThreadPoolExecutor(1) as pool:
        wire.create_topic(topic_name)
        # Of this broker nobody else is a client, whose connections would be counted too.
        before = open_descriptors(broker.pid)
        reading = pool.submit(
            run_kafka_tool,
            kafka_tools.CONSOLE_CONSUMER,
            *["--bootstrap-server", broker.bootstrap, "--topic", topic_name, "--partition", "0"],
            *["--offset", "earliest", "--max-messages", "1", "--timeout-ms", "45000"],
            *["--consumer-property", "fetch.max.wait.ms=50"],
        )
        wait_until(lambda: open_descriptors(broker.pid) > before + 1, SECONDS_MAX, "the consumer is connected")
        # Its fetches wait 50 ms each, so several of them are answered without a record.
        time.sleep(1)
        wire.append(topic_name, b"the first")
        assert reading.result(SECONDS_MAX).stdout.split("\n")[0] == "the first"


def test_offsets_directories_and_throughput_are_told(
    tool: Tool,
    run_kafka_tool: Callable[..., CompletedProcess[str]],
    shared_broker: BrokerProcess,
    topic_name: str,
) -> None:
    """ProducerPerformance writes with five requests in flight; GetOffsetShell and LogDirsCommand see what it wrote."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 2)
        wire.append(topic_name, b"one", partition=1)
        done = run_kafka_tool(
            PRODUCER_PERFORMANCE,
            *["--topic", topic_name, "--num-records", "5000", "--record-size", "500", "--throughput", "-1"],
            *["--producer-props", f"bootstrap.servers={shared_broker.bootstrap}", "batch.size=4000"],
        )
        assert "5000 records sent" in done.stdout, done.stderr
        ends = {index: wire.end_offset(topic_name, partition=index) for index in range(2)}
        assert sum(ends.values()) == 5_001
    shown = tool(kafka_tools.OFFSETS, "--topic", topic_name, "--time", "latest")
    assert sorted(shown.split()) == sorted(f"{topic_name}:{index}:{end}" for index, end in ends.items())
    directories = tool(LOG_DIRS, "--describe", "--topic-list", topic_name)
    assert f'"partition":"{topic_name}-0"' in directories
    assert str(shared_broker.data) in directories


def test_a_transactional_java_producer_fails_at_once(
    run_kafka_tool: Callable[..., CompletedProcess[str]], shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Until transactions are built: the Java client too fails within seconds, with a reason."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    started = time.monotonic()
    done = run_kafka_tool(
        PRODUCER_PERFORMANCE,
        *["--topic", topic_name, "--num-records", "10", "--record-size", "10", "--throughput", "-1"],
        *["--transactional-id", topic_name, "--producer-props", f"bootstrap.servers={shared_broker.bootstrap}"],
    )
    assert time.monotonic() - started < REFUSAL_SECONDS_MAX
    assert done.returncode != 0
    assert "TransactionalIdAuthorizationException" in done.stderr + done.stdout
