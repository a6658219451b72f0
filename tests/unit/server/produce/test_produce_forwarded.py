"""A produce request for partitions that are led elsewhere: one question to the forwarder, for all of its batches."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chronik.model.errors import ErrorCode
from chronik.observability.trace import NEVER
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from chronik.records.build import Record, build_batch
from chronik.server.handlers import produce
from chronik.server.network.pending_responses import Outcome, Pending
from chronik.server.produce.append_outcome import AppendOutcome
from chronik.server.produce.in_flight_guard import InFlightGuard
from chronik.server.produce.router import ProduceRouter
from chronik.server.requests.context import RequestContext, Services
from tests.unit.server.views.test_metadata_responses import image_of


class Passing:
    """Stands for the forwarder; begins a forward, or wants the client to be told."""

    def __init__(self, *, tells: bool) -> None:
        self.tells = tells
        self.begun = 0
        self.added: list[int] = []
        self.sent = 0

    def begin(self, peer: str, client_id: str | None, acks: int, timeout_ms: int) -> "Passing | None":
        self.begun += 1
        return None if self.tells else self

    def add(self, topic: Any, index: int, records: memoryview, outcome: AppendOutcome) -> None:
        self.added.append(index)
        outcome.base_offset = 10 + index
        outcome.acknowledge(0)

    def send(self) -> None:
        self.sent += 1


def produced(
    forwarder: Passing,
    *,
    is_sure: bool = True,
    version: int = 12,
    guard: InFlightGuard | None = None,
    batches: Sequence[bytes] = (b"records", b"records"),
) -> ProduceResponse:
    return answered(sent(forwarder, is_sure=is_sure, version=version, guard=guard, batches=batches))


def sent(
    forwarder: Passing,
    *,
    is_sure: bool = True,
    version: int = 12,
    guard: InFlightGuard | None = None,
    batches: Sequence[bytes],
) -> Pending:
    router = ProduceRouter(
        cast(Any, None),
        cast(Any, SimpleNamespace(led_by_name=lambda topic, index: ErrorCode.NOT_LEADER_OR_FOLLOWER)),
        cast(Any, SimpleNamespace(image=image_of(1))),
        cast(Any, forwarder),
        InFlightGuard() if guard is None else guard,
        cast(Any, SimpleNamespace(may_acknowledge_alone=lambda: is_sure)),
        NEVER,
    )
    services: Any = SimpleNamespace(
        produce_router=router, writes=SimpleNamespace(time_after_write=lambda pending: None)
    )
    data = [PartitionProduceData(index, records) for index, records in enumerate(batches)]
    request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=[TopicProduceData("t0", partition_data=data)])
    context = RequestContext(version=version, client_id="test", listener="PLAINTEXT", peer="test")
    return produce.handle(request, context, cast(Services, services))


def answered(pending: Pending) -> ProduceResponse:
    delivered: list[Outcome] = []
    pending.bind(cast(Any, SimpleNamespace(deliver=delivered.append)))
    (answer,) = delivered
    assert isinstance(answer, ProduceResponse)
    return answer


def test_all_batches_of_a_request_go_with_one_forward() -> None:
    forwarder = Passing(tells=False)
    answer = produced(forwarder)
    assert [one.base_offset for one in answer.responses[0].partition_responses] == [10, 11]
    assert (forwarder.begun, forwarder.added, forwarder.sent) == (1, [0, 1], 1)


def test_a_client_that_must_look_for_the_leader_is_told_so_for_every_batch_of_the_request() -> None:
    forwarder = Passing(tells=True)
    answer = produced(forwarder)
    outcomes = answer.responses[0].partition_responses
    assert [one.error_code for one in outcomes] == [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2
    assert [one.current_leader and one.current_leader.leader_id for one in outcomes] == [1, 1]
    assert [(one.node_id, one.port) for one in answer.node_endpoints] == [(1, 9001)]
    assert forwarder.begun == 1


@pytest.mark.parametrize("version", range(3, 13))
def test_who_leads_is_told_only_in_versions_that_can_say_it(version: int) -> None:
    answer = produced(Passing(tells=True), version=version)
    assert b"".join(map(bytes, answer.encode(version)))
    assert [bool(one.current_leader) for one in answer.responses[0].partition_responses] == [version >= 10] * 2


@pytest.mark.parametrize("error", [ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.INVALID_PRODUCER_EPOCH])
@pytest.mark.parametrize("is_sure", [True, False])
def test_a_leader_whose_lease_has_run_out_blames_no_producer(error: ErrorCode, *, is_sure: bool) -> None:
    """Another may lead by now: what is out of order here may be next there, and the error would end a client."""

    class Refusing(Passing):
        def add(self, topic: Any, index: int, records: memoryview, outcome: AppendOutcome) -> None:
            outcome.reject(error)

    answer = produced(Refusing(tells=False), is_sure=is_sure)
    expected = error if is_sure else ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert [one.error_code for one in answer.responses[0].partition_responses] == [expected] * 2


def idempotent(sequence: int) -> bytes:
    return build_batch([Record(None, b"v", (), 0)], producer_id=9, producer_epoch=0, base_sequence=sequence)


def test_a_gap_at_the_leader_is_not_the_producers_where_something_was_lost_on_the_way() -> None:
    """Told of the gap, librdkafka would begin a new epoch and send twice what stands in the log already."""
    outcomes = iter([ErrorCode.REQUEST_TIMED_OUT, ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER])

    class Losing(Passing):
        def add(self, topic: Any, index: int, records: memoryview, outcome: AppendOutcome) -> None:
            outcome.reject(next(outcomes))

    guard, told = InFlightGuard(), []
    for sequence in (4, 5):
        answer = produced(Losing(tells=False), guard=guard, batches=[idempotent(sequence)])
        told.append(answer.responses[0].partition_responses[0].error_code)
    assert told == [ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_LEADER_OR_FOLLOWER]


def test_a_gap_at_the_leader_is_the_producers_where_all_before_it_has_arrived() -> None:
    class Refusing(Passing):
        def add(self, topic: Any, index: int, records: memoryview, outcome: AppendOutcome) -> None:
            outcome.reject(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER)

    guard = InFlightGuard()
    produced(Passing(tells=False), guard=guard, batches=[idempotent(4)])
    answer = produced(Refusing(tells=False), guard=guard, batches=[idempotent(5)])
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_success_behind_what_did_not_arrive_is_asked_for_again() -> None:
    """librdkafka would take it for a word on the one before, which then never learns its offset."""
    guard, outcomes = InFlightGuard(), []

    class Slow(Passing):
        def add(self, topic: Any, index: int, records: memoryview, outcome: AppendOutcome) -> None:
            outcomes.append(outcome)

    pending = [sent(Slow(tells=False), guard=guard, batches=[idempotent(sequence)]) for sequence in (4, 5)]
    outcomes[0].reject(ErrorCode.REQUEST_TIMED_OUT)
    outcomes[1].base_offset = 10
    outcomes[1].acknowledge(0)
    told = [answered(each).responses[0].partition_responses[0] for each in pending]
    assert [one.error_code for one in told] == [ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert told[1].base_offset == -1
