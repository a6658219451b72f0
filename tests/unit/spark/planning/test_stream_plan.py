"""The plan of a stream: where it begins, how far a micro-batch goes, and what became of partitions meanwhile."""

import pytest

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK
from chronik.spark.options.options import source_options
from chronik.spark.planning.stream_plan import StreamPlan
from chronik.spark.source.problems import DataLostError
from tests.unit.spark.fake_lookup import FakeLookup

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)


def plan(lookup: FakeLookup, **options: str) -> StreamPlan:
    given = {"kafka.bootstrap.servers": "h:1", "subscribe": "a", "fetchOffset.retryIntervalMs": "0"}
    return StreamPlan(source_options({**given, **options}, streaming=True), lookup)


def spans(
    found: StreamPlan, starts: dict[TopicPartition, int], ends: dict[TopicPartition, int]
) -> list[tuple[int, ...]]:
    pieces = found.slices(starts, ends)
    return [(piece.partition, piece.start_offset, piece.end_offset) for piece in pieces]


def test_the_latest_offset_is_fixed_by_an_empty_first_batch() -> None:
    stream = plan(FakeLookup({}, {A0: 50, A1: 5}))
    first = stream.first_offsets()
    assert first == {A0: LATEST_MARK, A1: LATEST_MARK}
    assert stream.batch_ends(first, stream.latest_offsets(), None) == {A0: 50, A1: 5}
    assert spans(stream, first, {A0: 50, A1: 5}) == []
    # A restart that finds the first batch planned and not done reads it again with the same result, though more came.
    assert spans(plan(FakeLookup({}, {A0: 90, A1: 9})), first, {A0: 50, A1: 5}) == []


def test_the_first_batch_of_partitions_with_offsets_reads_from_there() -> None:
    stream = plan(FakeLookup({}, {A0: 50, A1: 5}), startingOffsets='{"a": {"0": -1, "1": 2}}')
    assert spans(stream, stream.first_offsets(), {A0: 50, A1: 5}) == [(1, 2, 5)]


def test_a_batch_is_no_larger_than_asked_for() -> None:
    stream = plan(FakeLookup({}, {A0: 100, A1: 100}), maxOffsetsPerTrigger="20")
    assert stream.batch_ends({A0: 0, A1: 0}, {A0: 100, A1: 100}, None) == {A0: 10, A1: 10}


def test_a_batch_waits_for_enough_records_but_not_for_ever() -> None:
    stream = plan(FakeLookup({}, {A0: 9}), minOffsetsPerTrigger="10", maxTriggerDelay="5s")
    assert stream.batch_ends({A0: 0}, {A0: 9}, 4_999) == {A0: 0}
    assert stream.batch_ends({A0: 0}, {A0: 10}, 4_999) == {A0: 10}
    assert stream.batch_ends({A0: 0}, {A0: 9}, 5_000) == {A0: 9}
    assert stream.batch_ends({A0: 0}, {A0: 9}, None) == {A0: 9}


def test_a_new_partition_is_read_from_its_beginning() -> None:
    assert spans(plan(FakeLookup({}, {A0: 9, A1: 4})), {A0: 9}, {A0: 9, A1: 4}) == [(1, 0, 4)]


def test_a_new_partition_that_has_lost_its_beginning_is_a_loss() -> None:
    lookup = FakeLookup({A1: 2}, {A0: 9, A1: 4})
    with pytest.raises(DataLostError, match="a-1 offsets 0 to 1: the partition is new to the query"):
        plan(lookup).slices({A0: 9}, {A0: 9, A1: 4})
    assert spans(plan(lookup, failOnDataLoss="false"), {A0: 9}, {A0: 9, A1: 4}) == [(1, 2, 4)]


def test_what_expired_before_it_was_read_is_a_loss() -> None:
    lookup = FakeLookup({A0: 5}, {A0: 9})
    with pytest.raises(DataLostError, match="a-0 offsets 2 to 4"):
        plan(lookup).slices({A0: 2}, {A0: 9})
    lenient = plan(lookup, failOnDataLoss="false")
    pieces, losses = lenient.slices({A0: 2}, {A0: 9}), lenient.losses({A0: 2}, {A0: 9})
    assert [(piece.start_offset, piece.end_offset) for piece in pieces] == [(5, 9)]
    assert [(loss.at, loss.start, loss.end) for loss in losses] == [(A0, 2, 5)]


@pytest.mark.parametrize(("ends", "said"), [({A0: 3, A1: 1}, "a-0 offsets 3 to 8"), ({A1: 1}, "a-0 from offset 9")])
def test_a_topic_made_anew_is_a_loss(ends: dict[TopicPartition, int], said: str) -> None:
    with pytest.raises(DataLostError, match=said):
        plan(FakeLookup({}, ends)).slices({A0: 9, A1: 1}, ends)
    assert spans(plan(FakeLookup({}, ends), failOnDataLoss="false"), {A0: 9, A1: 1}, ends) == []


class Forgetful(FakeLookup):
    """A replica that has just become the leader and does not know yet how far its log is committed."""

    answers = 0

    def latest(self, partitions: object) -> dict[TopicPartition, int]:
        self.answers += 1
        return {A0: 3 if self.answers < 3 else 9}


def test_an_end_that_lies_behind_what_was_read_is_asked_for_again() -> None:
    assert plan(Forgetful({}, {A0: 9})).latest_offsets({A0: 7}) == {A0: 9}
