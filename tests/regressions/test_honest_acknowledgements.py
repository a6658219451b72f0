"""Honest acknowledgements: every request has one answer, and an answer without an error is true."""

import os
import signal
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from struct import pack

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.brokers import BrokerProcess, running_broker
from tests.regressions.librdkafka import numbered
from tests.regressions.processes import cpu_seconds, memory_bytes, wait_until
from tests.regressions.wire import Wire, batch_of, fetch_request, produce_request, values_of

MEBIBYTE = 1024 * 1024
BUFFER_LIMIT = 4 * MEBIBYTE
TIGHT = {"socket.request.max.bytes": BUFFER_LIMIT, "chronik.in.flight.bytes.max": BUFFER_LIMIT}


@pytest.fixture(scope="module")
def tight_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker that may hold 4 MiB of requests and answers in all."""
    with running_broker(tmp_path_factory.mktemp("tight"), TIGHT) as broker:
        yield broker


def test_error_code_zero_means_readable_and_every_other_answer_is_an_error(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 14: in one request with good and bad parts, each part is told its own truth."""
    damaged = bytearray(batch_of(b"damaged"))
    damaged[30] ^= 1
    parts = {0: batch_of(b"good"), 1: bytes(damaged), 2: b"", 3: batch_of(b"good too"), 9: batch_of(b"no such place")}
    request = ProduceRequest(
        None,
        -1,
        10_000,
        [
            TopicProduceData(topic_name, partition_data=[PartitionProduceData(*part) for part in parts.items()]),
            TopicProduceData("no-such-topic", partition_data=[PartitionProduceData(0, batch_of(b"lost"))]),
        ],
    )
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 4)
        response = wire.call(ApiKey.PRODUCE, 9, request)
        answers = {(topic.name, part.index): part for topic in response.responses for part in topic.partition_responses}
        assert len(answers) == 6
        good = [place for place, answer in answers.items() if answer.error_code == ErrorCode.NONE]
        assert good == [(topic_name, 0), (topic_name, 3)]
        for name, index in good:
            found = wire.read_all(name, partition=index, offset=answers[name, index].base_offset)
            assert values_of(found) == [b"good" if index == 0 else b"good too"]
        assert {answer.base_offset for place, answer in answers.items() if place not in good} == {-1}


def test_ten_times_the_buffer_limit_can_be_written_and_read_back(tight_broker: BrokerProcess, topic_name: str) -> None:
    """Rules 15 and 22: more in flight than fits makes writers wait, loses nothing, and leaves nothing reserved."""
    with Wire(tight_broker.bootstrap) as wire:
        wire.create_topic(topic_name)

    def write(writer: int) -> list[bytes]:
        values = numbered(4, f"writer-{writer}", 900_000)
        with Wire(tight_broker.bootstrap, 60) as wire:
            for value in values:
                wire.send(ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(value)))
            for _ in values:
                answer = wire.receive()[1].responses[0].partition_responses[0]
                assert answer.error_code == ErrorCode.NONE
        return values

    with ThreadPoolExecutor(12) as writers:
        sent = [value for values in writers.map(write, range(12)) for value in values]
    assert sum(map(len, sent)) > 10 * BUFFER_LIMIT
    with Wire(tight_broker.bootstrap) as wire:
        assert Counter(values_of(wire.read_all(topic_name))) == Counter(sent)


def test_memory_of_half_sent_requests_is_given_back(tight_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 15: connections that break inside large frames leave room for a request of the largest size."""
    for _ in range(5):
        with Wire(tight_broker.bootstrap) as broken:
            broken.send_bytes(pack(">i", BUFFER_LIMIT - 1) + b"\0" * (2 * MEBIBYTE))
    with Wire(tight_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 4)
        parts = [PartitionProduceData(index, batch_of(b"x" * 1_000_000)) for index in range(4)]
        response = wire.call(
            ApiKey.PRODUCE, 9, ProduceRequest(None, 1, 9_000, [TopicProduceData(topic_name, partition_data=parts)])
        )
        assert [part.error_code for part in response.responses[0].partition_responses] == [0, 0, 0, 0]


def test_a_reader_that_does_not_read_costs_bounded_memory_and_delays_nobody(
    tight_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 22: answers that nobody takes stop their own connection, not the broker."""
    with Wire(tight_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        values = numbered(40, pad_bytes=500_000)
        for value in values:
            wire.append(topic_name, value)
        before = memory_bytes(tight_broker.pid)
        slow = [Wire(tight_broker.bootstrap) for _ in range(8)]
        for connection in slow:
            for _ in range(50):
                connection.send(ApiKey.FETCH, 12, fetch_request(topic_name, 0, partition_max_bytes=4 * MEBIBYTE))
        for _ in range(20):
            wire.append(topic_name, b"meanwhile")
        assert memory_bytes(tight_broker.pid) - before < 64 * MEBIBYTE
        answered = slow[0].receive()[1].responses[0].partitions[0]
        assert answered.error_code == ErrorCode.NONE
        assert answered.records
        for connection in slow:
            connection.__exit__(None, None, None)
        assert Counter(values_of(wire.read_all(topic_name))) == Counter([*values, *[b"meanwhile"] * 20])


def test_the_cost_of_an_acknowledgement_does_not_depend_on_how_many_wait(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 18: CPU time per durable produce is no higher with thousands waiting on one partition than with a few."""
    connections, requests = 20, 400

    def cost(wires: list[Wire], depth: int, *, at_once: bool) -> float:
        before = cpu_seconds(shared_broker.pid)
        for _ in range(requests // depth):
            if at_once:
                # Stopped, it finds all of them when it goes on, and the first flush cannot end before the last is read.
                os.kill(shared_broker.pid, signal.SIGSTOP)
            for wire in wires:
                frames = [wire.encode(ApiKey.PRODUCE, 9, request)[1] for _ in range(depth)]
                wire.send_bytes(b"".join(frames))
            os.kill(shared_broker.pid, signal.SIGCONT)
            for wire in wires:
                for _ in range(depth):
                    wire.receive_frame()
        return cpu_seconds(shared_broker.pid) - before

    wires = [Wire(shared_broker.bootstrap) for _ in range(connections)]
    wires[0].create_topic(topic_name, flush_messages=1)
    request = produce_request(topic_name, batch_of(b"durable"))
    try:
        cost(wires, 20, at_once=False)
        few = cost(wires[:1], 10, at_once=False) * connections
        many = cost(wires, requests, at_once=True)
    finally:
        for wire in wires:
            wire.__exit__(None, None, None)
    # A look at everybody who waits, for each of eight thousand, would take seconds.
    assert many < few + 0.3


def test_parked_fetches_do_not_slow_what_others_write(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 18: one thousand fetches that wait on another partition cost a writer nothing."""

    def cost(wire: Wire) -> float:
        before = cpu_seconds(shared_broker.pid)
        for _ in range(1_000):
            wire.append(topic_name, b"value", partition=1)
        return cpu_seconds(shared_broker.pid) - before

    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, 2)
        cost(wire)
        alone = cost(wire)
        parked = [Wire(shared_broker.bootstrap) for _ in range(10)]
        for connection in parked:
            for _ in range(100):
                connection.send(ApiKey.FETCH, 12, fetch_request(topic_name, 0, max_wait_ms=60_000))
        assert cost(wire) < 2 * alone + 0.1
        wire.append(topic_name, b"wake")
        for connection in parked:
            data = [connection.receive()[1].responses[0].partitions[0] for _ in range(100)]
            assert {part.high_watermark for part in data} == {1}
            connection.__exit__(None, None, None)


def test_every_request_gets_exactly_one_answer_in_the_order_of_requests(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rules 19 and 48: answers that wait, answers at once and requests without an answer, all on one connection."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, flush_messages=1)
        expected, frames = [], []
        for index in range(300):
            for key, version, request in (
                (ApiKey.FETCH, 12, fetch_request(topic_name, 2 * index, max_wait_ms=30 if index % 50 == 0 else 0)),
                (ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(b"acks=1"), acks=1)),
                (ApiKey.API_VERSIONS, 3, ApiVersionsRequest("wire", "1")),
                (ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(b"acks=0"), acks=0)),
            ):
                correlation_id, frame = wire.encode(key, version, request)
                frames.append(frame)
                if getattr(request, "acks", None) != 0:
                    expected.append(correlation_id)
        with ThreadPoolExecutor(1) as sender:
            sending = sender.submit(wire.send_bytes, b"".join(frames))
            answered = [wire.receive()[0] for _ in expected]
            sending.result(60)
        assert answered == expected
        # One answer too many would stand where this one's is looked for.
        assert wire.end_offset(topic_name) == 600


def test_acks_0_gets_no_bytes(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 20: no answer comes for acks=0, and the records are there."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for index in range(50):
            wire.send(ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(b"%d" % index), acks=0))
        asked = wire.send(ApiKey.API_VERSIONS, 3, ApiVersionsRequest("wire", "1"))
        assert wire.receive()[0] == asked
        assert values_of(wire.read_all(topic_name)) == [b"%d" % index for index in range(50)]


def test_an_error_for_acks_0_closes_the_connection(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 20: a client that cannot be told of an error is told by the end of its connection."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        damaged = bytearray(batch_of(b"damaged"))
        damaged[-1] ^= 1
        for topic, batch in ((topic_name, bytes(damaged)), ("no-such-topic", batch_of(b"lost"))):
            with Wire(shared_broker.bootstrap) as stale:
                stale.send(ApiKey.PRODUCE, 9, produce_request(topic, batch, acks=0))
                assert stale.is_closed_by_broker()
        assert wire.end_offset(topic_name) == 0


def test_a_produce_that_is_not_safe_in_time_is_an_error_and_never_a_success(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    """Rule 14: a time-out of nothing either succeeds truly or says REQUEST_TIMED_OUT; the connection goes on."""
    with Wire(shared_broker.bootstrap) as wire:
        wire.create_topic(topic_name, flush_messages=1)
        outcomes = Counter[int]()
        for _ in range(50):
            request = produce_request(topic_name, batch_of(b"hurried"))
            request.timeout_ms = 0
            answer = wire.call(ApiKey.PRODUCE, 9, request).responses[0].partition_responses[0]
            outcomes[answer.error_code] += 1
            assert (answer.base_offset >= 0) == (answer.error_code == ErrorCode.NONE)
        assert set(outcomes) <= {ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT}
        wait_until(lambda: wire.end_offset(topic_name) == 50, 60, "every batch is kept, acknowledged or not")
