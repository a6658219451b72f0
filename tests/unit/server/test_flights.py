"""What comes behind a batch that was not taken: refused as that one was, until its producer begins again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId, TopicPartition
from chronik.records.batch import SEQUENCE_MAX, BatchHeader, read_header
from chronik.records.build import Record, build_batch
from chronik.server.flights import BEHIND_MAX, REMEMBERED_MAX, REMEMBERED_MS, Flights, Missed
from chronik.storage.producer_state import ProducedBatch, ProducerState

TOPIC = TopicId(int=7)
NOW_MS = 1_000_000
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
PER_BATCH = 5


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
    committed: int = 0

    def is_next(self, header: BatchHeader) -> bool:
        return self.producers.is_next(header)

    def uncommitted_producers(self) -> Iterator[tuple[int, int, ProducedBatch]]:
        return self.producers.first_from(self.committed)

    def take(self, records: bytes) -> None:
        self.producers.replay(read_header(records), self.end, NOW_MS)
        self.end += PER_BATCH


def missed(flights: Flights, records: bytes, *, error: ErrorCode = NOT_LEADER, now_ms: int = NOW_MS) -> Missed:
    found = flights.miss(TOPIC, 3, records, error, now_ms)
    assert found is not None
    return found


@pytest.mark.parametrize("error", [NOT_LEADER, ErrorCode.NOT_ENOUGH_REPLICAS])
@pytest.mark.parametrize("first", [0, SEQUENCE_MAX - 7])
def test_what_comes_behind_is_refused_as_the_first_was_until_the_producer_begins_again(
    error: ErrorCode, first: int
) -> None:
    flights, led = Flights(), Led()
    led.take(batch(0, first=first))
    missed(flights, batch(1, first=first), error=error)
    assert flights.why_not(led, batch(2, first=first), NOW_MS) is error
    assert flights.why_not(led, batch(3, first=first), NOW_MS) is error
    assert flights.why_not(led, batch(1, first=first), NOW_MS) is None
    led.take(batch(1, first=first))
    assert flights.why_not(led, batch(2, first=first), NOW_MS) is None
    assert not flights


def test_a_second_refusal_keeps_where_the_producer_begins_again() -> None:
    flights, led = Flights(), Led()
    led.take(batch(0))
    missed(flights, batch(2))
    missed(flights, batch(3))
    missed(flights, batch(1))
    missed(flights, batch(2))
    assert flights.why_not(led, batch(3), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(2), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(1), NOW_MS) is None


def test_what_stands_in_the_log_already_waits_for_what_was_refused_before_it() -> None:
    """Clients take the answer to a later batch for an answer to those before it, and never learn their offsets."""
    flights, led = Flights(), Led()
    for number in range(3):
        led.take(batch(number))
    missed(flights, batch(1))
    assert flights.why_not(led, batch(2), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(1), NOW_MS) is None
    assert flights.why_not(led, batch(2), NOW_MS) is None


def test_what_comes_next_is_judged() -> None:
    flights, led = Flights(), Led()
    for number in range(3):
        led.take(batch(number))
    missed(flights, batch(2))
    assert flights.why_not(led, batch(3), NOW_MS) is None
    assert not flights


def test_a_producer_that_is_not_known_here_begins_with_what_was_not_taken() -> None:
    """A partition takes any sequence of a stranger: the second of a flight would shut out the first for good."""
    flights, led = Flights(), Led()
    missed(flights, batch(0))
    assert flights.why_not(led, batch(1), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(0), NOW_MS) is None
    missed(flights, batch(20))
    assert flights.why_not(led, batch(21), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(20), NOW_MS) is None


def test_a_gap_that_the_producer_made_itself_is_told_soon() -> None:
    flights, led = Flights(), Led()
    led.take(batch(0))
    missed(flights, batch(1))
    assert [flights.why_not(led, batch(5 + number), NOW_MS) for number in range(BEHIND_MAX)] == [
        NOT_LEADER
    ] * BEHIND_MAX
    assert flights.why_not(led, batch(9), NOW_MS) is None
    assert not flights


def test_another_epoch_another_producer_and_another_partition_are_not_meant() -> None:
    flights, led = Flights(), Led()
    for producer in (1, 2):
        led.take(batch(0, producer=producer))
    missed(flights, batch(1))
    assert flights.why_not(led, batch(2, producer=2), NOW_MS) is None
    elsewhere = Led(led.producers, topic_partition=TopicPartition("orders", 4))
    assert flights.why_not(elsewhere, batch(2), NOW_MS) is None
    assert flights.why_not(led, batch(2), NOW_MS) is NOT_LEADER
    assert flights.why_not(led, batch(2, epoch=1), NOW_MS) is None


def test_what_a_term_leaves_uncommitted_is_begun_again_with() -> None:
    flights, led = Flights(), Led()
    for number in range(3):
        led.take(batch(number))
    led.take(batch(0, producer=2))
    led.committed = 5
    flights.miss_uncommitted(led, NOW_MS)
    follower_that_leads = Led()
    follower_that_leads.take(batch(0))
    assert flights.why_not(follower_that_leads, batch(3), NOW_MS) is NOT_LEADER
    assert flights.why_not(follower_that_leads, batch(1), NOW_MS) is None
    assert flights.why_not(follower_that_leads, batch(1, producer=2), NOW_MS) is NOT_LEADER
    assert flights.why_not(follower_that_leads, batch(0, producer=2), NOW_MS) is None


def test_what_a_term_has_committed_leaves_nothing_behind() -> None:
    flights, led = Flights(), Led()
    led.take(batch(0))
    led.committed = led.end
    flights.miss_uncommitted(led, NOW_MS)
    assert not flights


def test_what_was_passed_on_is_behind_only_if_something_before_it_did_not_arrive() -> None:
    flights = Flights()
    first, second, third = (missed(flights, batch(number)) for number in range(3))
    assert not flights.is_behind(first)
    assert flights.is_behind(third)
    flights.arrived(second)
    assert not flights.is_behind(third), "a leader that took the second has the first"
    flights.arrived(first)
    assert not flights.is_behind(third)


def test_batches_that_count_no_sequences_are_not_remembered() -> None:
    flights = Flights()
    plain = build_batch([Record(None, b"v", (), NOW_MS)])
    for records in (plain, b"", b"short", bytes(100)):
        assert flights.miss(TOPIC, 3, records, NOT_LEADER, NOW_MS) is None
        assert flights.why_not(Led(), records, NOW_MS) is None
    assert not flights


def test_little_is_remembered_and_not_for_long() -> None:
    flights = Flights()
    for producer in range(REMEMBERED_MAX + 10):
        missed(flights, batch(1, producer=producer))
    assert len(flights) == REMEMBERED_MAX
    missed(flights, batch(1, producer=5), now_ms=NOW_MS + REMEMBERED_MS + 1)
    assert len(flights) == 1
    assert flights.why_not(Led(), batch(2, producer=5), NOW_MS + 2 * REMEMBERED_MS + 2) is None
    assert not flights
