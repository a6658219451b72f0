"""An Apache Kafka and a Chronik with the same settings and topics, started once."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.brokers import running_broker
from tests.groups_beside_kafka.asking import APPLES, PEARS
from tests.groups_beside_kafka.kafka_process import running_kafka
from tests.regressions.wire import Wire

SETTINGS = {
    "group.initial.rebalance.delay.ms": 0,
    "group.min.session.timeout.ms": 100,
    "group.max.size": 6,
    "offsets.topic.num.partitions": 5,
    "auto.create.topics.enable": "false",
}
READY_SECONDS_MAX = 60.0


@dataclass(frozen=True)
class Pair:
    """Where the two are reached."""

    kafka: str
    chronik: str


@pytest.fixture(scope="session")
def pair(
    run_kafka_tool: Callable[..., object],  # Java and the jars are there
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Pair]:
    directory = tmp_path_factory.mktemp("beside-kafka")
    with ExitStack() as brokers:
        kafka = brokers.enter_context(running_kafka(directory / "kafka", SETTINGS))
        chronik = brokers.enter_context(running_broker(directory / "chronik", SETTINGS)).bootstrap
        for bootstrap in (kafka, chronik):
            _prepare(bootstrap)
        yield Pair(kafka, chronik)


def _prepare(bootstrap: str) -> None:
    with Wire(bootstrap) as wire:
        wire.create_topic(APPLES, 3)
        wire.create_topic(PEARS, 1)
        deadline = time.monotonic() + READY_SECONDS_MAX
        while not _coordinates(wire):
            assert time.monotonic() < deadline, f"{bootstrap} does not coordinate groups"
            time.sleep(0.1)


def _coordinates(wire: Wire) -> bool:
    """Whether every shard can be asked; the names are enough to meet all of them."""
    names = [f"g{number}" for number in range(50)]
    wire.call(ApiKey.FIND_COORDINATOR, 0, FindCoordinatorRequest(names[0]))
    asked = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(name, topics=None) for name in names])
    answer = wire.call(ApiKey.OFFSET_FETCH, 8, asked)
    return all(group.error_code == ErrorCode.NONE for group in answer.groups)
