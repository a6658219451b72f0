"""Kafka Connect, standalone: a file goes into a topic, and the topic into another file."""

from collections import Counter
from pathlib import Path

import pytest

from chronik.testing import Broker
from tests.frameworks.word_counts import JVM_TERMINATED, TEST_SECONDS_MAX, running

MAIN = "org.apache.kafka.connect.cli.ConnectStandalone"
STRINGS = "org.apache.kafka.connect.storage.StringConverter"


def write_properties(path: Path, properties: dict[str, object]) -> str:
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()))
    return str(path)


def worker(broker: Broker, directory: Path) -> str:
    return write_properties(
        directory / "worker.properties",
        broker.properties(
            {
                "key.converter": STRINGS,
                "value.converter": STRINGS,
                "offset.storage.file.filename": directory / "offsets",
                "offset.flush.interval.ms": 500,
                "listeners": "http://127.0.0.1:0",
                "plugin.discovery": "service_load",
            }
        ),
    )


def connector(directory: Path, kind: str, file: Path, **more: str) -> str:
    properties = {
        "name": f"file-{kind}",
        "connector.class": f"org.apache.kafka.connect.file.FileStream{kind.title()}Connector",
        "tasks.max": 1,
        "file": file,
        **more,
    }
    return write_properties(directory / f"{kind}.properties", properties)


def lines_of(path: Path) -> Counter[str]:
    return Counter(path.read_text().splitlines()) if path.exists() else Counter()


@pytest.mark.timeout(TEST_SECONDS_MAX)
def test_a_file_arrives_through_a_topic_once_also_over_a_restart_of_connect_and_broker(
    chronik_fresh_broker: Broker, framework_java: list[str], tmp_path: Path
) -> None:
    broker, source, sink = chronik_fresh_broker, tmp_path / "source.txt", tmp_path / "sink.txt"
    command = [*framework_java, MAIN, worker(broker, tmp_path)]
    command += [connector(tmp_path, "source", source, topic="connected")]
    command += [connector(tmp_path, "sink", sink, topics="connected")]
    for start in range(2):
        with source.open("a") as file:
            file.writelines(f"line {number} of part {start}\n" for number in range(100))
        with running(command, tmp_path / "connect.log") as connect:
            connect.await_result(lambda: lines_of(sink) >= lines_of(source), lambda: lines_of(sink).total())
            connect.stop(JVM_TERMINATED)
        assert lines_of(sink) == lines_of(source)
        broker.restart()
