"""Protocol and idempotence: hostile frames, retries, and producers that are known again after a restart."""

import random
import socket
from collections import Counter
from collections.abc import Iterator
from struct import pack

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.describe_producers import DescribeProducersRequest, TopicRequest
from tests.brokers import CHRONIK, BrokerProcess
from tests.regressions.librdkafka import numbered, read_partition, send_all, values_read
from tests.regressions.lossy_link import LossyLink
from tests.regressions.processes import memory_bytes
from tests.regressions.requests_of_each_api import ASK
from tests.regressions.wire import Wire, batch_of, fetch_request, produce_request, values_of

MEBIBYTE = 1024 * 1024
CUTS_MIN = 3


def test_an_answer_that_waits_holds_back_the_later_ones_of_its_connection(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 48: per connection answers come in the order of requests, also behind a fetch that waits."""
    with Wire(shared_broker.bootstrap) as wire, Wire(shared_broker.bootstrap) as writer:
        writer.create_topic(topic_name)
        asked = [wire.send(ApiKey.FETCH, 12, fetch_request(topic_name, 0, max_wait_ms=20_000))]
        asked += [wire.send(ApiKey.API_VERSIONS, 3, ApiVersionsRequest("wire", "1")) for _ in range(3)]
        asked.append(wire.send(ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(b"from behind the fetch"))))
        # What stands behind a waiting fetch is worked on all the same, and here it is what ends the wait.
        assert [wire.receive()[0] for _ in asked] == asked
        assert values_of(writer.read_all(topic_name)) == [b"from behind the fetch"]


def mutations(frame: bytes, dice: random.Random) -> Iterator[bytes]:
    """Frames that are cut, garbled, or claim what they do not hold."""
    yield pack(">i", dice.randrange(len(frame) - 4)) + frame[4:]
    for _ in range(4):
        garbled = bytearray(frame)
        for _ in range(dice.choice([1, 3, 10])):
            garbled[dice.randrange(4, len(garbled))] = dice.choice([0, 1, 0x7F, 0x80, 0xFF, dice.randrange(256)])
        yield bytes(garbled)
    huge = bytearray(frame)
    position = dice.randrange(12, max(13, len(huge) - 4))
    huge[position : position + 4] = b"\x7f\xff\xff\xff"
    yield bytes(huge[: len(frame)])


def test_fuzzed_frames_crash_nothing_and_allocate_little(start_broker_for_fuzzing: BrokerProcess) -> None:
    """Rule 50: for every API and version each hostile frame gets an answer or the end of its connection."""
    broker = start_broker_for_fuzzing
    dice = random.Random(50)
    with Wire(broker.bootstrap) as wire:
        topic_id = wire.create_topic("fuzzed", 2)
        before = memory_bytes(broker.pid)
        for key, api in SERVED.items():
            for version in range(api.version_min, api.version_max + 1):
                frame = wire.encode(ApiKey(key), version, ASK[api.key]("fuzzed", topic_id, version))[1]
                for hostile in mutations(frame, dice):
                    with Wire(broker.bootstrap) as victim:
                        victim.send_bytes(hostile)
                        victim.end_sending()
                        victim.drain()
        assert broker.is_running
        assert memory_bytes(broker.pid) - before < 48 * MEBIBYTE
        wire.append("fuzzed", b"still here", partition=1)
        assert b"still here" in values_of(wire.read_all("fuzzed", partition=1))


@pytest.fixture
def start_broker_for_fuzzing(broker: BrokerProcess) -> BrokerProcess:
    """A broker of its own: what survives garbling may be a request to delete or change something."""
    return broker


@pytest.mark.parametrize("size", [-1, 2**31 - 1, 104_857_601])
def test_a_frame_of_an_impossible_size_closes_its_connection_at_once(shared_broker: BrokerProcess, size: int) -> None:
    """Rule 50: the announced size alone is enough to refuse, and nothing is allocated for it."""
    before = memory_bytes(shared_broker.pid)
    with Wire(shared_broker.bootstrap) as wire:
        wire.send_bytes(pack(">i", size))
        assert wire.is_closed_by_broker()
    assert memory_bytes(shared_broker.pid) - before < 16 * MEBIBYTE


def test_a_duplicate_is_answered_with_its_original_offset(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 51: any of the last five batches, sent again in any order, keeps its offset and is stored once."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        producer = wire.new_producer_id()
        batches = [batch_of(b"%d a" % i, b"%d b" % i, producer_id=producer, base_sequence=2 * i) for i in range(5)]
        for batch in batches:
            wire.send(ApiKey.PRODUCE, 9, produce_request(topic_name, batch))
        first = [wire.receive()[1].responses[0].partition_responses[0].base_offset for _ in batches]
        assert first == [0, 2, 4, 6, 8]
        for acks in (-1, 1):
            again = [wire.produce(topic_name, batch, acks=acks) for batch in reversed(batches)]
            assert [(answer.error_code, answer.base_offset) for answer in again] == [(0, at) for at in reversed(first)]
        gap = wire.produce(topic_name, batch_of(b"gap", producer_id=producer, base_sequence=11))
        assert gap.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        following = wire.produce(topic_name, batch_of(b"next", producer_id=producer, base_sequence=10))
        assert (following.error_code, following.base_offset) == (ErrorCode.NONE, 10)
        assert len(wire.read_all(topic_name)) == 11


def test_an_unknown_producer_may_start_at_any_sequence(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 51: a producer whose state has expired or was deleted with its records goes on where it was."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        producer = wire.new_producer_id()
        for sequence in (4_000, 4_001):
            answer = wire.produce(topic_name, batch_of(b"v", producer_id=producer, base_sequence=sequence))
            assert answer.error_code == ErrorCode.NONE


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


class LinkedBroker(BrokerProcess):
    """A broker that advertises the address of a link in front of it."""

    advertised_port = 0

    def command(self) -> list[str]:
        own = ["--data", str(self.data), "--json", "--node-id", "1"]
        listeners = f"listeners=PLAINTEXT://127.0.0.1:{self.settings['port']}"
        advertised = f"advertised.listeners=PLAINTEXT://127.0.0.1:{self.advertised_port}"
        return [str(CHRONIK), "serve", *own, "-X", listeners, "-X", advertised, "-X", "chronik.http.listener="]


def test_an_idempotent_producer_with_five_in_flight_writes_each_value_once_over_a_lossy_link(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Rule 51: with answers lost on the way, nothing is out of order, refused, lost or there twice."""
    port = free_port()
    broker = LinkedBroker(tmp_path_factory.mktemp("linked"), {"port": port})
    direct = f"127.0.0.1:{port}"
    with LossyLink(direct, seed=51, loss=0.02) as link:
        broker.advertised_port = link.port
        broker.start()
        try:
            with Wire(direct) as wire:
                wire.create_topic("lossy")
            over_a_lossy_link = {
                "enable_idempotence": True,
                "max_in_flight": 5,
                "batch_num_messages": 5,
                "linger_ms": 1,
                "retry_backoff_ms": 10,
                "reconnect_backoff_ms": 10,
                "reconnect_backoff_max_ms": 50,
            }
            link_address = f"127.0.0.1:{link.port}"
            values: list[bytes] = []
            offsets: dict[bytes, int] = {}
            # How many answers come in one piece, and so how many are lost, is not the dice's to say alone.
            while link.truncation <= CUTS_MIN:
                some = numbered(2_000, f"round-{len(values)}")
                values += some
                offsets |= send_all(link_address, "lossy", some, **over_a_lossy_link)
                assert len(values) < 50_000, f"only {link.cuts} answers were lost"
            link.is_lossy = False
            messages = read_partition(link_address, "lossy")
            assert values_read(messages) == Counter(values)
            assert [message.value() for message in messages] == values
            told = {value: offset for value, offset in offsets.items() if offset >= 0}
            places = {message.value(): message.offset() for message in messages}
            assert {value: places[value] for value in told} == told
        finally:
            broker.kill()


@pytest.mark.parametrize("kill", [False, True])
def test_producer_state_survives_a_restart(broker: BrokerProcess, topic_name: str, *, kill: bool) -> None:
    """Rule 52: after a clean stop and after kill -9 the last five batches are known, and the next one follows."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        producer = wire.new_producer_id()
        batches = [batch_of(b"%d" % i, b"%d" % i, producer_id=producer, base_sequence=2 * i) for i in range(8)]
        first = [wire.produce(topic_name, batch).base_offset for batch in batches]
    broker.restart(kill=kill)
    with Wire(broker.bootstrap) as wire:
        again = [wire.produce(topic_name, batch) for batch in batches[-5:]]
        assert [(answer.error_code, answer.base_offset) for answer in again] == [(0, at) for at in first[-5:]]
        gap = wire.produce(topic_name, batch_of(b"gap", producer_id=producer, base_sequence=30))
        assert gap.error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        assert wire.produce(topic_name, batch_of(b"next", producer_id=producer, base_sequence=16)).base_offset == 16
        assert wire.new_producer_id() != producer
        described = wire.call(ApiKey.DESCRIBE_PRODUCERS, 0, DescribeProducersRequest([TopicRequest(topic_name, [0])]))
        active = described.topics[0].partitions[0].active_producers
        assert [(one.producer_id, one.last_sequence) for one in active] == [(producer, 16)]
        assert len(wire.read_all(topic_name)) == 17
