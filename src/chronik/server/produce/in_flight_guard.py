"""Batches of idempotent producers that this broker did not take, so that what comes behind them is judged rightly.

A producer has up to five requests under way to one broker. Where the first is not taken, because the broker does not
lead yet or too few replicas are in sync, and the next arrives when that has just changed, the next one leaves a gap in
the sequences. Told so, librdkafka begins a new epoch and numbers anew what it has under way; if some of that is in the
log from before the change of leader, nothing can know it again, and it is stored twice. And where there is no gap, it
takes the answer to the next for an answer to those before, which then never learn their offsets.

So the rest of a flight is refused as its first was. Within a flight sequences follow one another: the next one belongs
to it, any other shows that the producer has begun again. The same holds for batches that were taken in a term that
ended before they were safe, and for those that were passed on to the leader and did not arrive. A flight that is passed
on goes to one leader: another would answer for what it has, before the first has said what became of the beginning.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, TopicId, TopicPartition
from chronik.records.batch import SEQUENCE_MAX, Sequences, sequences_of

REMEMBERED_MAX: Final = 4096
REMEMBERED_MS: Final = 60_000
"""Longer than clients wait for an answer before they begin again on another connection."""


class LedPartition(Protocol):
    """What is asked of a partition whose term ends."""

    @property
    def topic_id(self) -> TopicId: ...
    @property
    def topic_partition(self) -> TopicPartition: ...
    def waiting_producers(self) -> Iterator[Sequences]: ...


class Flight(NamedTuple):
    """What one producer sends to one partition."""

    topic_id: TopicId
    partition: int
    producer_id: int


class Missed(NamedTuple):
    """A batch that was not taken here, or several behind one another."""

    flight: Flight
    epoch: int
    first_sequence: int
    next_sequence: int


class _Note:
    """The part of a flight that was not taken here; nothing of it is refused before something of it is known lost."""

    __slots__ = ("epoch", "error", "first_sequence", "is_refused", "leader", "next_sequence", "until_ms")

    def __init__(self, missed: Missed, error: ErrorCode, until_ms: int, leader: BrokerId, *, is_refused: bool) -> None:
        self.epoch = missed.epoch
        self.first_sequence = missed.first_sequence
        self.next_sequence = missed.next_sequence
        self.error = error
        self.is_refused = is_refused
        self.leader = leader
        """Where it was passed on to."""
        self.until_ms = until_ms

    def goes_on_with(self, missed: Missed) -> bool:
        return (missed.epoch, missed.first_sequence) == (self.epoch, self.next_sequence)

    def holds(self, missed: Missed) -> bool:
        """Whether a batch is of this flight, and not of one before it."""
        is_whole = _is_from(missed.first_sequence, self.first_sequence)
        return missed.epoch == self.epoch and is_whole and _is_from(self.next_sequence, missed.next_sequence)


class InFlightGuard:
    """What producers have under way that this broker has refused or passed on."""

    def __init__(self) -> None:
        # Insertion order is the order of time.
        self._notes: dict[Flight, _Note] = {}

    def __len__(self) -> int:
        return len(self._notes)

    def why_not(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, now_ms: int, leader: BrokerId = NO_BROKER
    ) -> ErrorCode | None:
        """Say how a batch must be refused because of one before it, or None where it may be judged by itself.

        One for another leader follows those that were passed on to it before, as long as none is known to be lost.
        """
        self._forget(now_ms)
        missed = _missed(topic_id, index, records)
        note = self._notes.get(missed.flight) if missed is not None else None
        if missed is None or note is None:
            return None
        if not note.goes_on_with(missed):
            del self._notes[missed.flight]
            return None
        if leader != NO_BROKER and leader == note.leader and not note.is_refused:
            return None
        note.is_refused = True
        note.next_sequence = missed.next_sequence
        return note.error

    def refused(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, error: ErrorCode, now_ms: int
    ) -> None:
        """Note that a batch was not taken, and why."""
        missed = _missed(topic_id, index, records)
        if missed is not None:
            self._note(missed, error, now_ms, is_refused=True)

    def record_forwarded(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, now_ms: int, leader: BrokerId
    ) -> Missed | None:
        """Note that a batch goes to its leader; gives what to settle when its fate is known."""
        missed = _missed(topic_id, index, records)
        if missed is not None:
            self._note(missed, ErrorCode.NOT_LEADER_OR_FOLLOWER, now_ms, leader, is_refused=False)
        return missed

    def record_unacknowledged(self, partition: LedPartition, now_ms: int) -> None:
        """Note what was taken in a term that ends, and is not safe: its producers will begin again with it."""
        index = partition.topic_partition.partition
        for sequences in partition.waiting_producers():
            missed = _missed_of(partition.topic_id, index, sequences)
            self._note(missed, ErrorCode.NOT_LEADER_OR_FOLLOWER, now_ms, is_refused=True)

    def is_behind(self, missed: Missed) -> bool:
        """Whether a batch that was passed on comes behind one that is not known to have arrived."""
        note = self._note_of(missed)
        return note is not None and note.first_sequence != missed.first_sequence

    def settle(self, missed: Missed, *, has_arrived: bool) -> None:
        """What was passed on is safe where it went, and with it all before it; or it may be lost."""
        note = self._note_of(missed)
        if note is None:
            return
        if not has_arrived:
            note.is_refused = True
        elif note.next_sequence == missed.next_sequence:
            del self._notes[missed.flight]
        else:
            note.first_sequence = missed.next_sequence

    def _note(
        self, missed: Missed, error: ErrorCode, now_ms: int, leader: BrokerId = NO_BROKER, *, is_refused: bool
    ) -> None:
        self._forget(now_ms)
        before = self._notes.get(missed.flight)
        if before is not None and before.goes_on_with(missed):
            before.next_sequence = missed.next_sequence
            before.is_refused = before.is_refused or is_refused
            return
        self._notes.pop(missed.flight, None)
        self._notes[missed.flight] = _Note(missed, error, now_ms + REMEMBERED_MS, leader, is_refused=is_refused)

    def _note_of(self, missed: Missed) -> _Note | None:
        note = self._notes.get(missed.flight)
        return note if note is not None and note.holds(missed) else None

    def _forget(self, now_ms: int) -> None:
        while self._notes:
            oldest = next(iter(self._notes))
            if len(self._notes) < REMEMBERED_MAX and self._notes[oldest].until_ms >= now_ms:
                return
            del self._notes[oldest]


def _is_from(sequence: int, first: int) -> bool:
    """Whether a sequence is another one or lies behind it; they begin anew after the largest."""
    return (sequence - first) & SEQUENCE_MAX <= SEQUENCE_MAX // 2


def _missed(topic_id: TopicId, index: int, records: memoryview | bytes) -> Missed | None:
    sequences = sequences_of(records)
    return None if sequences is None else _missed_of(topic_id, index, sequences)


def _missed_of(topic_id: TopicId, index: int, sequences: Sequences) -> Missed:
    producer_id, epoch, first, following = sequences
    return Missed(Flight(topic_id, index, producer_id), epoch, first, following)
