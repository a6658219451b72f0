"""Each fault of writing does what its name says, and nothing to what it does not strike."""

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.produce import ProduceRequest
from chronik.proxy.exchange import FaultTarget
from chronik.proxy.faults.produce import (
    AckWithoutWrite,
    CutBeforeAnswer,
    OffsetTwice,
    RefuseAsNotLeader,
    WriteTwice,
)
from tests.audit.proxy.exchanges import TOPIC, Writer

OTHER_PARTITION = FaultTarget(TOPIC, frozenset({7}))


def test_acknowledged_and_never_written_goes_on_at_the_end_of_the_log() -> None:
    writer = Writer(AckWithoutWrite(after=10))
    for _ in range(5):
        writer.send(5)
    assert writer.written == [(0, 5), (5, 5)]
    assert writer.acks == [(0, 5), (5, 5), (10, 5), (15, 5), (20, 5)]


def test_an_offset_is_given_twice_and_the_second_batch_dropped() -> None:
    writer = Writer(OffsetTwice(seed=1, share=1.0, times_max=2))
    for count in (5, 3, 4, 2):
        writer.send(count)
    assert writer.written == [(0, 5), (5, 2)]
    assert writer.acks == [(0, 5), (0, 3), (0, 4), (5, 2)]


def test_a_share_is_refused_and_not_written() -> None:
    writer = Writer(RefuseAsNotLeader(seed=1, share=0.5))
    for _ in range(100):
        writer.send(1)
    refused = writer.errors.count(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert 30 <= refused <= 70
    assert len(writer.written) == len(writer.acks) == 100 - refused


def test_the_same_seed_refuses_the_same_batches() -> None:
    first, second, third = (Writer(RefuseAsNotLeader(seed=seed, share=0.5)) for seed in (1, 1, 2))
    for writer in (first, second, third):
        for _ in range(40):
            writer.send(1)
    assert first.errors == second.errors != third.errors


def test_a_batch_written_twice_is_acknowledged_at_its_first_place() -> None:
    writer = Writer(WriteTwice(seed=1, share=1.0, times_max=1))
    writer.send(5)
    writer.send(5)
    assert writer.written == [(0, 5), (5, 5), (10, 5)]
    assert writer.acks == [(0, 5), (10, 5)]


def test_a_connection_is_cut_after_the_write() -> None:
    writer = Writer(CutBeforeAnswer(seed=1, share=1.0, times_max=1))
    writer.send(5)
    assert writer.written == [(0, 5)]
    assert writer.last is not None
    assert writer.last.is_disconnected
    writer.send(5)
    assert not writer.last.is_disconnected


def test_partitions_that_are_no_target_are_left_alone() -> None:
    for fault in (
        AckWithoutWrite(0, OTHER_PARTITION),
        OffsetTwice(1, 1.0, OTHER_PARTITION),
        RefuseAsNotLeader(1, 1.0, OTHER_PARTITION),
        WriteTwice(1, 1.0, OTHER_PARTITION),
        CutBeforeAnswer(1, 1.0, OTHER_PARTITION),
    ):
        writer = Writer(fault)
        writer.send(5)
        writer.send(5)
        assert writer.acks == writer.written == [(0, 5), (5, 5)], fault
        assert writer.last is not None
        assert not writer.last.is_disconnected


def test_internal_topics_are_struck_only_by_name() -> None:
    assert not FaultTarget().hits(("__consumer_offsets", 0))
    assert FaultTarget("__consumer_offsets").hits(("__consumer_offsets", 0))


def test_what_is_kept_back_leaves_nothing_to_send_on() -> None:
    writer = Writer(AckWithoutWrite(after=0))
    writer.send(5)
    assert writer.last is not None
    assert writer.last.is_local
    assert isinstance(writer.last.request, ProduceRequest)
    assert writer.last.request.topic_data == []
