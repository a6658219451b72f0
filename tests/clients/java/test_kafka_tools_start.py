"""Kafka's own tools are there and start, so that a test that uses them judges the broker and not the set-up."""

import zipfile
from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from tests import kafka_tools

TOOLS = [
    kafka_tools.TOPICS,
    kafka_tools.CONFIGS,
    kafka_tools.OFFSETS,
    kafka_tools.CONSOLE_PRODUCER,
    kafka_tools.CONSOLE_CONSUMER,
    kafka_tools.DUMP_LOG_SEGMENTS,
]


@pytest.mark.usefixtures("run_kafka_tool")
def test_every_tool_is_in_the_jars() -> None:
    jars = [kafka_tools.LIBS / f"{name}-{kafka_tools.VERSION}.jar" for name in ("kafka_2.13", "kafka-tools")]
    classes = {name for jar in jars for name in zipfile.ZipFile(jar).namelist()}
    assert [tool for tool in TOOLS if tool.replace(".", "/") + ".class" not in classes] == []


def test_a_tool_starts_and_is_of_the_right_version(run_kafka_tool: Callable[..., CompletedProcess[str]]) -> None:
    done = run_kafka_tool(kafka_tools.TOPICS, "--version")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(kafka_tools.VERSION)
