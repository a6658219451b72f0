"""Forwarding: once, to the leader, in order, marked; what may have been written is never called unwritten."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from uuid import UUID

import pytest

from chronik.metadata.image.image import BrokerImage, Image, PartitionImage, TopicImage
from chronik.metadata.image.keys import NOTHING, Endpoint, Registration
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch, Revision
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import decode_request_header, encode_response
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsResponse
from chronik.protocol.generated.produce import (
    BatchIndexAndErrorMessage,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from chronik.server.produce import forwarding
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.forwarding import Forwarder, ForwardingRules

ME, LEADER, OTHER = BrokerId(1), BrokerId(2), BrokerId(3)
CLIENT = "127.0.0.1:5"
WAIT_S = 60.0


class StandIn:
    """A leader that answers Produce as it is told to, or not at all."""

    def __init__(self) -> None:
        self.requests: list[ProduceRequest] = []
        self.client_ids: list[str | None] = []
        self.connections = 0
        self.version_max = 13
        self.error = ErrorCode.NONE
        self.is_silent = False
        self.hangs_up = False
        self.arrived = asyncio.Event()
        self._writers: list[asyncio.StreamWriter] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                answer = self._answer(memoryview(await reader.readexactly(size)))
                if self.hangs_up and self.requests:
                    break
                if answer:
                    writer.write(b"".join(answer))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.close()

    def _answer(self, frame: memoryview) -> list[bytes | memoryview]:
        header = decode_request_header(frame)
        api = SERVED[ApiKey(header.api_key)]
        if header.api_key == ApiKey.API_VERSIONS:
            keys = [ApiVersion(ApiKey.PRODUCE, 3, self.version_max), ApiVersion(ApiKey.API_VERSIONS, 0, 3)]
            return encode_response(api, header.version, header.correlation_id, ApiVersionsResponse(api_keys=keys))
        request = ProduceRequest.decode(frame[header.body_position :], header.version)
        self.requests.append(request)
        self.client_ids.append(header.client_id)
        self.arrived.set()
        if self.is_silent:
            return []
        return encode_response(api, header.version, header.correlation_id, self._response(request))

    def _response(self, request: ProduceRequest) -> ProduceResponse:
        number = len(self.requests)
        return ProduceResponse(
            [
                TopicProduceResponse(
                    topic_id=topic.topic_id,
                    partition_responses=[self._partition(data.index, number) for data in topic.partition_data],
                )
                for topic in request.topic_data
            ]
        )

    def _partition(self, index: int, number: int) -> PartitionProduceResponse:
        if self.error is not ErrorCode.NONE:
            faulty = [BatchIndexAndErrorMessage(3, "bad")]
            return PartitionProduceResponse(index, self.error, -1, record_errors=faulty, error_message="no")
        return PartitionProduceResponse(index, 0, 100 * number + index, log_append_time_ms=7, log_start_offset=5)


class Sent:
    """A forwarded batch and its outcome."""

    def __init__(self) -> None:
        self.settled = asyncio.Event()
        self.outcome = AppendOutcome(self.settled.set)

    async def result(self) -> AppendOutcome:
        async with asyncio.timeout(WAIT_S):
            await self.settled.wait()
        return self.outcome


class World:
    """A forwarding broker with one or two leaders beside it."""

    def __init__(self, ports: dict[BrokerId, int], rules: ForwardingRules) -> None:
        self.forwarder = Forwarder(rules)
        self.image = image_of(ports)
        self.forwarder.on_image(Image(), self.image)

    def topic(self) -> TopicImage:
        return self.image.topics["t"]

    def produce(
        self,
        *indexes: int,
        records: bytes = b"records",
        acks: int = -1,
        timeout_ms: int = 15_000,
        client_id: str | None = "app",
        peer: str = CLIENT,
    ) -> list[Sent] | None:
        forward = self.forwarder.begin(peer, client_id, acks, timeout_ms)
        if forward is None:
            return None
        sent = []
        for index in indexes:
            one = Sent()
            sent.append(one)
            forward.add(self.topic(), index, memoryview(records), one.outcome)
        forward.send()
        return sent

    async def outcomes(self, *indexes: int, **how: object) -> list[AppendOutcome]:
        sent = self.produce(*indexes, **how)  # type: ignore[arg-type]
        assert sent is not None
        return [await one.result() for one in sent]


def image_of(ports: dict[BrokerId, int]) -> Image:
    brokers = {
        broker: BrokerImage(
            Registration(broker, (Endpoint("PLAINTEXT", "127.0.0.1", port),)), BrokerEpoch(broker), Revision(broker)
        )
        for broker, port in ports.items()
    }
    leaders = (LEADER, LEADER, OTHER, ME)
    topic = TopicImage("t", UUID(int=9), tuple(map(led_by, leaders)), NOTHING, Revision(1))
    return Image(Revision(9), "c", brokers, {"t": topic}, {topic.id: "t"})


def led_by(leader: BrokerId) -> PartitionImage:
    state = {
        "replicas": (leader,),
        "isr": (leader,),
        "leader": leader,
        "leader_epoch": LeaderEpoch(0),
        "partition_epoch": PartitionEpoch(0),
        "min_insync": 1,
        "revision": Revision(1),
    }
    missing = {name: () for name in PartitionImage._fields if name not in state}
    return PartitionImage(**state, **missing)  # type: ignore[arg-type]


@asynccontextmanager
async def leader(*ids: BrokerId, rules: ForwardingRules | None = None) -> AsyncIterator[tuple[World, StandIn]]:
    """One stand-in serves for every broker named, by default for the leader of partitions 0 and 1."""
    stand_in = StandIn()
    server = await asyncio.start_server(stand_in.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    world = World(dict.fromkeys(ids or (LEADER,), port), rules or ForwardingRules(ME))
    try:
        yield world, stand_in
    finally:
        world.forwarder.close()
        server.close()
        stand_in.hang_up()


async def test_a_batch_reaches_the_leader_and_its_outcome_holds_the_leaders_answer() -> None:
    async with leader() as (world, stand_in):
        (outcome,) = await world.outcomes(1, records=b"the batch")
        assert (outcome.error, outcome.base_offset) == (ErrorCode.NONE, 101)
        assert (outcome.append_time_ms, outcome.log_start_offset) == (7, 5)
        (request,) = stand_in.requests
        assert request.topic_data[0].topic_id == world.topic().id
        assert bytes(request.topic_data[0].partition_data[0].records or b"") == b"the batch"
        assert stand_in.client_ids == ["chronik-forward/1"]


async def test_the_batches_of_one_request_for_one_leader_go_together_and_others_apart() -> None:
    async with leader(LEADER, OTHER) as (world, stand_in):
        outcomes = await world.outcomes(0, 1, 2)
        assert {outcome.error for outcome in outcomes} == {ErrorCode.NONE}
        asked = sorted([data.index for data in request.topic_data[0].partition_data] for request in stand_in.requests)
        assert asked == [[0, 1], [2]]
        assert stand_in.connections == 2


async def test_requests_go_out_in_their_order_on_one_connection_also_while_it_is_being_opened() -> None:
    async with leader() as (world, stand_in):
        sent = [world.produce(0, records=b"%d" % number) or [] for number in range(30)]
        for (one,) in sent:
            assert (await one.result()).error is ErrorCode.NONE
        bodies = [bytes(request.topic_data[0].partition_data[0].records or b"") for request in stand_in.requests]
        assert bodies == [b"%d" % number for number in range(30)]
        assert stand_in.connections == 1


async def test_what_was_forwarded_once_is_not_forwarded_again() -> None:
    async with leader() as (world, stand_in):
        assert world.produce(0, client_id="chronik-forward/3") is None
        assert not stand_in.requests


async def test_nothing_is_forwarded_where_forwarding_is_off() -> None:
    async with leader(rules=ForwardingRules(ME, is_enabled=False)) as (world, _):
        assert world.produce(0) is None


@pytest.mark.parametrize("index", [2, 3])
async def test_a_batch_whose_leader_is_gone_or_is_this_broker_is_refused_unsent(index: int) -> None:
    async with leader() as (world, stand_in):
        (outcome,) = await world.outcomes(index)
        assert outcome.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert not stand_in.requests


async def test_a_leader_that_cannot_be_connected_to_is_not_called_possibly_written() -> None:
    async with leader() as (world, _):
        pass
    lost = World({LEADER: world.image.brokers[LEADER].registration.endpoints[0].port}, ForwardingRules(ME))
    outcomes = [*await lost.outcomes(0), *await lost.outcomes(0)]
    assert [outcome.error for outcome in outcomes] == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2


async def test_a_leader_that_says_nothing_at_all_is_not_waited_for_and_was_not_written_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forwarding, "CONNECT_TIMEOUT_MS", 50)
    silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
    try:
        world = World({LEADER: silent.sockets[0].getsockname()[1]}, ForwardingRules(ME))
        (outcome,) = await world.outcomes(0, timeout_ms=600_000)
        assert outcome.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    finally:
        silent.close()


async def test_a_connection_that_ends_after_sending_leaves_the_outcome_open() -> None:
    async with leader() as (world, stand_in):
        stand_in.hangs_up = True
        (outcome,) = await world.outcomes(0)
        assert outcome.error is ErrorCode.REQUEST_TIMED_OUT
        assert len(stand_in.requests) == 1, "a forward is never tried again"


async def test_the_next_forward_after_a_lost_connection_opens_another() -> None:
    async with leader() as (world, stand_in):
        stand_in.hangs_up = True
        await world.outcomes(0)
        stand_in.hangs_up = False
        (outcome,) = await world.outcomes(0)
        assert outcome.error is ErrorCode.NONE
        assert stand_in.connections == 2


async def test_who_waits_for_a_leader_that_is_fenced_is_answered_at_once() -> None:
    async with leader() as (world, stand_in):
        stand_in.is_silent = True
        sent = world.produce(0, timeout_ms=600_000)
        assert sent is not None
        async with asyncio.timeout(WAIT_S):
            await stand_in.arrived.wait()
        world.forwarder.on_image(world.image, world.image._replace(brokers={}))
        assert (await sent[0].result()).error is ErrorCode.REQUEST_TIMED_OUT


async def test_a_silent_leader_does_not_hold_a_request_beyond_its_time_out_and_grace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forwarding, "ANSWER_GRACE_S", 0.05)
    async with leader() as (world, stand_in):
        stand_in.is_silent = True
        (outcome,) = await world.outcomes(0, timeout_ms=300)
        assert outcome.error is ErrorCode.REQUEST_TIMED_OUT


async def test_the_leader_is_given_what_remains_of_the_time_out() -> None:
    async with leader() as (world, stand_in):
        forward = world.forwarder.begin(CLIENT, "app", -1, 15_000)
        assert forward is not None
        one = Sent()
        forward.add(world.topic(), 0, b"x", one.outcome)
        await asyncio.sleep(0.05)
        forward.send()
        await one.result()
        assert 1 <= stand_in.requests[0].timeout_ms <= 14_950


async def test_a_forward_without_time_left_is_not_sent() -> None:
    async with leader() as (world, stand_in):
        (outcome,) = await world.outcomes(0, timeout_ms=0)
        assert outcome.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert not stand_in.requests


async def test_a_refusal_of_the_leader_is_passed_on_with_its_reason_and_records() -> None:
    async with leader() as (world, stand_in):
        stand_in.error = ErrorCode.INVALID_RECORD
        (outcome,) = await world.outcomes(0)
        assert (outcome.error, outcome.message, list(outcome.faulty_records)) == (ErrorCode.INVALID_RECORD, "no", [3])


async def test_a_topic_that_the_leader_does_not_know_is_unknown_in_words_that_every_client_knows() -> None:
    async with leader() as (world, stand_in):
        stand_in.error = ErrorCode.UNKNOWN_TOPIC_ID
        (outcome,) = await world.outcomes(0)
        assert outcome.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize(("acks", "forwarded"), [(0, 1), (1, 1), (-1, -1)])
async def test_without_acknowledgement_the_leader_is_asked_for_one_so_that_an_error_is_heard(
    acks: int, forwarded: int
) -> None:
    async with leader() as (world, stand_in):
        await world.outcomes(0, acks=acks)
        assert stand_in.requests[0].acks == forwarded


async def test_a_broker_that_knows_no_topic_ids_is_not_sent_to() -> None:
    async with leader() as (world, stand_in):
        stand_in.version_max = 12
        (outcome,) = await world.outcomes(0)
        assert outcome.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert not stand_in.requests


async def test_records_are_copied_because_the_receive_buffer_is_used_again() -> None:
    async with leader() as (world, stand_in):
        buffer = bytearray(b"first")
        forward = world.forwarder.begin(CLIENT, "app", -1, 15_000)
        assert forward is not None
        one = Sent()
        forward.add(world.topic(), 0, memoryview(buffer), one.outcome)
        forward.send()
        buffer[:] = b"other"
        await one.result()
        assert bytes(stand_in.requests[0].topic_data[0].partition_data[0].records or b"") == b"first"


async def test_more_than_may_be_under_way_is_refused_unsent_and_room_comes_back_with_the_answers() -> None:
    async with leader(rules=ForwardingRules(ME, bytes_max=10)) as (world, stand_in):
        first, second = (world.produce(0, records=b"x" * 6) or [] for _ in range(2))
        assert (await second[0].result()).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
        assert (await first[0].result()).error is ErrorCode.NONE
        (outcome,) = await world.outcomes(0, records=b"x" * 10)
        assert outcome.error is ErrorCode.NONE
        assert len(stand_in.requests) == 2


async def at(forwarder: Forwarder, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Set the forwarder's clock by hand."""
    began, ahead = forwarder._loop.time(), [0.0]
    monkeypatch.setattr(forwarder._loop, "time", lambda: began + ahead[0])
    return lambda seconds: ahead.__setitem__(0, seconds)


async def test_a_connection_that_still_sends_to_the_wrong_broker_after_30_s_is_told_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World({LEADER: 1}, ForwardingRules(ME))
    set_clock = await at(world.forwarder, monkeypatch)

    def may_forward(seconds: float, peer: str = CLIENT, acks: int = 1) -> bool:
        set_clock(seconds)
        return world.forwarder.begin(peer, "app", acks, 1000) is not None

    assert [may_forward(seconds) for seconds in (0, 15, 30, 31, 32)] == [True, True, True, False, True]
    assert may_forward(32, peer="127.0.0.1:6"), "each connection has its own time"
    assert may_forward(50)
    assert not may_forward(62.5), "whoever comes back all the same is told again"


async def test_a_connection_that_was_right_for_a_while_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World({LEADER: 1}, ForwardingRules(ME))
    set_clock = await at(world.forwarder, monkeypatch)
    for seconds in (0, 100, 120, 200):
        set_clock(seconds)
        assert world.forwarder.begin(CLIENT, "app", 1, 1000) is not None


async def test_who_asks_for_no_acknowledgement_is_forwarded_on_because_it_cannot_be_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = World({LEADER: 1}, ForwardingRules(ME))
    set_clock = await at(world.forwarder, monkeypatch)
    for seconds in range(0, 100, 10):
        set_clock(seconds)
        assert world.forwarder.begin(CLIENT, "app", 0, 1000) is not None
