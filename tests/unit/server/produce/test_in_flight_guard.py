"""What comes behind a batch that was not taken: refused as that one was, until its producer begins again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, TopicId, TopicPartition
from chronik.records.batch import SEQUENCE_MAX, Sequences, read_header
from chronik.records.build import Record, build_batch
from chronik.server.produce.in_flight_guard import REMEMBERED_MS, STREAMS_MAX, InFlightGuard, StreamBatch
from chronik.storage.producer_state import ProducerState

TOPIC = TopicId(int=7)
NOW_MS = 1_000_000
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
PER_BATCH = 5
LEADER = BrokerId(2)


def batch(number: int, *, producer: int = 1, epoch: int = 0, first: int = 0) -> bytes:
    """A producer's batch of five, by its number."""
    records = [Record(None, b"v", (), NOW_MS) for _ in range(PER_BATCH)]
    sequence = (first + PER_BATCH * number) & SEQUENCE_MAX
    return build_batch(records, producer_id=producer, producer_epoch=epoch, base_sequence=sequence)


@dataclass
class Led:
    """A partition with the memory of its producers."""

    producers: ProducerState = field(default_factory=ProducerState)
    topic_id: TopicId = TOPIC
    topic_partition: TopicPartition = field(default_factory=lambda: TopicPartition("orders", 3))
    end: int = 0
    waiting: list[int] = field(default_factory=list)
    """Where the batches end that wait for a commit, as their requests came."""

    def waiting_producers(self) -> Iterator[Sequences]:
        return self.producers.sequences_at(self.waiting)

    def take(self, records: bytes) -> None:
        self.producers.replay(read_header(records), self.end, NOW_MS)
        self.end += PER_BATCH
        self.waiting.append(self.end - 1)


def reject(guard: InFlightGuard, records: bytes, *, error: ErrorCode = NOT_LEADER, now_ms: int = NOW_MS) -> None:
    guard.record_rejected(TOPIC, 3, records, error, now_ms)


def pass_on(guard: InFlightGuard, records: bytes) -> StreamBatch:
    missed = guard.record_forwarded(TOPIC, 3, records, NOW_MS, LEADER)
    assert missed is not None
    return missed


def rejection_of(
    guard: InFlightGuard, records: bytes, *, index: int = 3, leader: BrokerId = NO_BROKER, now_ms: int = NOW_MS
) -> ErrorCode | None:
    return guard.rejection_of(TOPIC, index, records, now_ms, leader)


@pytest.mark.parametrize("error", [NOT_LEADER, ErrorCode.NOT_ENOUGH_REPLICAS])
@pytest.mark.parametrize("first", [0, SEQUENCE_MAX - 7])
def test_the_rest_of_a_flight_is_refused_as_its_first_was_until_the_producer_begins_again(
    error: ErrorCode, first: int
) -> None:
    guard = InFlightGuard()
    reject(guard, batch(1, first=first), error=error)
    assert rejection_of(guard, batch(2, first=first)) is error
    assert rejection_of(guard, batch(3, first=first)) is error
    assert rejection_of(guard, batch(1, first=first)) is None
    assert rejection_of(guard, batch(2, first=first)) is None
    assert not guard


def test_a_flight_that_is_refused_twice_is_noted_twice() -> None:
    guard = InFlightGuard()
    for number in (1, 2, 1, 2):
        reject(guard, batch(number))
    assert rejection_of(guard, batch(3)) is NOT_LEADER
    assert rejection_of(guard, batch(1)) is None


def test_a_producer_that_begins_again_in_the_middle_is_judged() -> None:
    """It was answered for the first elsewhere."""
    guard = InFlightGuard()
    reject(guard, batch(1))
    assert rejection_of(guard, batch(2)) is NOT_LEADER
    assert rejection_of(guard, batch(2)) is None


def test_a_gap_that_the_producer_made_itself_is_judged() -> None:
    guard = InFlightGuard()
    reject(guard, batch(1))
    assert rejection_of(guard, batch(5)) is None
    assert not guard


def test_another_epoch_another_producer_and_another_partition_are_not_meant() -> None:
    guard = InFlightGuard()
    reject(guard, batch(1))
    assert rejection_of(guard, batch(2, producer=2)) is None
    assert rejection_of(guard, batch(2), index=4) is None
    assert rejection_of(guard, batch(2)) is NOT_LEADER
    assert rejection_of(guard, batch(3, epoch=1)) is None


def test_what_follows_what_a_term_leaves_uncommitted_is_refused() -> None:
    guard, led = InFlightGuard(), Led()
    for number in range(3):
        led.take(batch(number))
    led.take(batch(0, producer=2))
    del led.waiting[0]
    guard.record_unacknowledged(led, NOW_MS)
    assert rejection_of(guard, batch(3)) is NOT_LEADER
    assert rejection_of(guard, batch(4), leader=LEADER) is NOT_LEADER, "it would be answered before what comes first"
    assert rejection_of(guard, batch(1)) is None
    assert rejection_of(guard, batch(1, producer=2)) is NOT_LEADER
    assert rejection_of(guard, batch(0, producer=2)) is None


def test_a_producer_that_sends_again_is_known_by_what_it_has_sent_again() -> None:
    """The log may hold more from a term before: what follows next is what it sends next, not what the log lacks."""
    guard, led = InFlightGuard(), Led()
    for number in range(5):
        led.take(batch(number))
    led.waiting += led.waiting[:3]
    guard.record_unacknowledged(led, NOW_MS)
    assert rejection_of(guard, batch(3), leader=LEADER) is NOT_LEADER
    assert rejection_of(guard, batch(4), leader=LEADER) is NOT_LEADER
    assert rejection_of(guard, batch(0), leader=LEADER) is None


def test_what_a_term_has_committed_leaves_nothing_behind() -> None:
    guard, led = InFlightGuard(), Led()
    led.take(batch(0))
    led.waiting.clear()
    guard.record_unacknowledged(led, NOW_MS)
    assert not guard


def test_what_follows_what_was_passed_on_is_passed_on_too_as_long_as_nothing_is_lost() -> None:
    guard = InFlightGuard()
    first = pass_on(guard, batch(0))
    assert rejection_of(guard, batch(1), leader=LEADER) is None
    pass_on(guard, batch(1))
    assert rejection_of(guard, batch(2), leader=LEADER) is None
    guard.settle(first, is_appended=False)
    assert rejection_of(guard, batch(2), leader=LEADER) is NOT_LEADER


def test_a_flight_that_is_passed_on_goes_to_one_leader() -> None:
    """Another may have the beginning from the log, and would answer before the first says that it did not take it."""
    guard = InFlightGuard()
    pass_on(guard, batch(0))
    assert rejection_of(guard, batch(1), leader=BrokerId(3)) is NOT_LEADER
    assert rejection_of(guard, batch(2), leader=LEADER) is NOT_LEADER, "it would leave a gap"
    assert rejection_of(guard, batch(0), leader=BrokerId(3)) is None


def test_a_broker_that_comes_to_lead_takes_nothing_behind_what_it_has_passed_on() -> None:
    guard = InFlightGuard()
    pass_on(guard, batch(0))
    assert rejection_of(guard, batch(1)) is NOT_LEADER
    assert rejection_of(guard, batch(0)) is None


def test_what_was_passed_on_and_has_arrived_is_forgotten() -> None:
    guard = InFlightGuard()
    first, second = pass_on(guard, batch(0)), pass_on(guard, batch(1))
    guard.settle(first, is_appended=True)
    assert rejection_of(guard, batch(2), leader=LEADER) is None
    guard.settle(second, is_appended=True)
    assert not guard


def test_what_was_passed_on_is_behind_only_if_something_before_it_did_not_arrive() -> None:
    guard = InFlightGuard()
    first, second, third = (pass_on(guard, batch(number)) for number in range(3))
    assert not guard.follows_open(first)
    assert guard.follows_open(third)
    guard.settle(second, is_appended=True)
    assert not guard.follows_open(third), "a leader that took the second has the first"


def test_the_fate_of_an_earlier_flight_changes_nothing() -> None:
    guard = InFlightGuard()
    earlier = pass_on(guard, batch(0))
    pass_on(guard, batch(5))
    guard.settle(earlier, is_appended=False)
    assert not guard.follows_open(earlier)
    assert rejection_of(guard, batch(6), leader=LEADER) is None


def test_batches_that_count_no_sequences_are_not_remembered() -> None:
    guard = InFlightGuard()
    plain = build_batch([Record(None, b"v", (), NOW_MS)])
    for records in (plain, b"", b"short", bytes(100)):
        reject(guard, records)
        assert guard.record_forwarded(TOPIC, 3, records, NOW_MS, LEADER) is None
        assert rejection_of(guard, records) is None
    assert not guard


def test_little_is_remembered_and_not_for_long() -> None:
    guard = InFlightGuard()
    for producer in range(STREAMS_MAX + 10):
        reject(guard, batch(1, producer=producer))
    assert len(guard) == STREAMS_MAX
    reject(guard, batch(1, producer=5), now_ms=NOW_MS + REMEMBERED_MS + 1)
    assert len(guard) == 1
    assert rejection_of(guard, batch(2, producer=5), now_ms=NOW_MS + 2 * REMEMBERED_MS + 2) is None
    assert not guard
