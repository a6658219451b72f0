"""Three machines with a member of etcd and a broker each, set up as the page on operations says; one is cut off."""

import asyncio
import json
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest
from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from chronik.testing.settling import await_settled
from chronik.testing.topics import create_topic
from tests.brokers import CHRONIK
from tests.cluster.machines import Machine, NoNetworkError, await_etcd, machines
from tests.conftest import missing

SECONDS_MAX = 60.0
TOPIC = "orders"


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[list[Machine]]:
    if shutil.which("etcd") is None:
        missing("etcd is not installed: apt-get install etcd-server")
    try:
        with machines(tmp_path) as made:
            for machine in made:
                machine.start_etcd()
            await_etcd(made)
            for machine in made:
                machine.start_broker()
            yield made
    except NoNetworkError as error:
        missing(str(error))


def status(bootstrap: str) -> dict[str, object]:
    command = [str(CHRONIK), "cluster", "status", "--bootstrap", bootstrap, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS_MAX, check=True)
    told: dict[str, object] = json.loads(done.stdout)
    return told


def send(bootstrap: str, ids: range) -> set[bytes]:
    """Send with acks=all; give what was acknowledged."""
    acknowledged: set[bytes] = set()

    def note(error: KafkaError | None, message: Message) -> None:
        if error is None:
            acknowledged.add(message.value() or b"")

    producer = Producer(
        {"bootstrap.servers": bootstrap, "acks": "all", "socket.timeout.ms": 10_000, "request.timeout.ms": 5_000}
    )
    for number in ids:
        producer.produce(TOPIC, b"%d" % number, partition=number % 3, on_delivery=note)
    producer.flush(SECONDS_MAX)
    return acknowledged


def read_all(bootstrap: str, wanted: set[bytes]) -> Counter[bytes]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "readers", "enable.auto.commit": False})
    consumer.assign([TopicPartition(TOPIC, index, 0) for index in range(3)])
    read: Counter[bytes] = Counter()
    deadline = time.monotonic() + SECONDS_MAX
    while not wanted <= set(read) and time.monotonic() < deadline:
        read.update(message.value() or b"" for message in consumer.consume(500, 0.5) if message.error() is None)
    consumer.close()
    return read


@pytest.mark.timeout(300)
def test_a_machine_that_is_cut_off_with_its_part_of_the_store_is_not_missed_and_comes_back(lab: list[Machine]) -> None:
    addresses = {machine.number: f"{machine.address}:9092" for machine in lab}
    bootstrap = ",".join(addresses.values())
    assert asyncio.run(await_settled(addresses, SECONDS_MAX)) is None
    create_topic(bootstrap, TOPIC, 3, {}, SECONDS_MAX)
    told = status(bootstrap)
    assert [broker["kafka"] for broker in told["brokers"]] == bootstrap.split(",")  # type: ignore[attr-defined]
    assert (told["under_replicated"], told["offline"]) == ([], [])
    for machine in lab:
        assert seen_over_http(machine) == [(1, "serving"), (2, "serving"), (3, "serving")]
    acknowledged = send(bootstrap, range(300))
    assert len(acknowledged) == 300
    lab[0].cut()
    acknowledged |= send(bootstrap, range(300, 600))
    assert len(acknowledged) == 600
    lab[0].mend()
    await_whole(bootstrap)
    acknowledged |= send(bootstrap, range(600, 900))
    assert set(read_all(bootstrap, acknowledged)) == {b"%d" % number for number in range(900)} == acknowledged


def seen_over_http(machine: Machine) -> list[tuple[int, str]]:
    """Which brokers a machine's HTTP server tells of, asked from outside of it."""
    with urlopen(f"http://{machine.address}:9644/api/cluster", timeout=SECONDS_MAX) as answer:
        return [(broker["node_id"], broker["state"]) for broker in json.load(answer)["brokers"]]


def await_whole(bootstrap: str) -> None:
    """Wait until everybody is in sync again, as the page says one should between two restarts."""
    deadline = time.monotonic() + SECONDS_MAX
    command = [str(CHRONIK), "cluster", "status", "--bootstrap", bootstrap, "--check"]
    while (done := subprocess.run(command, capture_output=True, text=True, check=False)).returncode:
        assert time.monotonic() < deadline, done.stdout + done.stderr
        time.sleep(0.2)
