"""Batches of idempotent producers that this broker did not take, so that what comes behind them is judged rightly.

A producer has up to five requests under way to one broker. Where the first is not taken, because the broker does not
lead yet or too few replicas are in sync, and the next arrives when that has just changed, the next one leaves a gap in
the sequences. Told so, librdkafka begins a new epoch and numbers anew what it has under way; if some of that is in the
log from before the change of leader, nothing can know it again, and it is stored twice. So what comes behind a batch
that was not taken is refused as that one was, until the producer begins again with it, or with what comes next. So is
what stands in the log already: an answer to it would count for those before it, which would never learn their offsets.
The same holds for batches that were taken in a term that ended before they were safe, and for those passed on to the
leader that did not arrive.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Protocol

from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId, TopicPartition
from chronik.records.batch import CURRENT_MAGIC, HEADER_BYTES, SEQUENCE_MAX, BatchHeader, read_header, sequence_after
from chronik.storage.producer_state import ProducedBatch

BEHIND_MAX: Final = 4
"""How many batches can lie behind one: a producer that is idempotent has five under way at most."""
REMEMBERED_MAX: Final = 4096
REMEMBERED_MS: Final = 60_000
"""Longer than clients wait for an answer before they begin again on another connection."""


class LedPartition(Protocol):
    """What is asked of the partition that a batch is for."""

    @property
    def topic_id(self) -> TopicId: ...
    @property
    def topic_partition(self) -> TopicPartition: ...
    def is_next(self, header: BatchHeader) -> bool: ...
    def uncommitted_producers(self) -> Iterator[tuple[int, int, ProducedBatch]]: ...


class Flight(NamedTuple):
    """What one producer sends to one partition."""

    topic_id: TopicId
    partition: int
    producer_id: int


class Missed(NamedTuple):
    """A batch that was not taken here."""

    flight: Flight
    epoch: int
    first_sequence: int
    next_sequence: int


class _Note:
    __slots__ = ("behind_left", "epoch", "error", "first_sequence", "until_ms")

    def __init__(self, missed: Missed, error: ErrorCode, until_ms: int) -> None:
        self.epoch = missed.epoch
        self.first_sequence = missed.first_sequence
        self.error = error
        self.behind_left = BEHIND_MAX
        self.until_ms = until_ms


class Flights:
    """What producers still have to begin again with, as far as this broker has refused it or passed it on."""

    def __init__(self) -> None:
        # Insertion order is the order of time: a note that is renewed is put at the end again.
        self._notes: dict[Flight, _Note] = {}

    def __len__(self) -> int:
        return len(self._notes)

    def miss(
        self, topic_id: TopicId, index: int, records: memoryview | bytes, error: ErrorCode, now_ms: int
    ) -> Missed | None:
        """Note that a batch was not taken here, and why; None where it is nobody's who counts sequences."""
        header = _idempotent_header(records)
        if header is None:
            return None
        flight = Flight(topic_id, index, header.producer_id)
        following = sequence_after(header.last_sequence, 1)
        missed = Missed(flight, header.producer_epoch, header.base_sequence, following)
        self._note(missed, error, now_ms)
        return missed

    def miss_uncommitted(self, partition: LedPartition, now_ms: int) -> None:
        """Note what was taken in a term that ends, and is not safe: its producers will begin again with it."""
        for producer_id, epoch, batch in partition.uncommitted_producers():
            flight = Flight(partition.topic_id, partition.topic_partition.partition, producer_id)
            following = sequence_after(batch.last_sequence, 1)
            missed = Missed(flight, epoch, batch.base_sequence, following)
            self._note(missed, ErrorCode.NOT_LEADER_OR_FOLLOWER, now_ms)

    def arrived(self, missed: Missed) -> None:
        """A batch that was passed on is safe where it went, and with it all before it: what is behind comes next."""
        note = self._note_of(missed)
        if note is not None and _is_behind(missed.first_sequence, note.first_sequence):
            note.first_sequence = missed.next_sequence

    def is_behind(self, missed: Missed) -> bool:
        """Whether a batch that was passed on comes behind one that did not arrive."""
        note = self._note_of(missed)
        return note is not None and note.first_sequence != missed.first_sequence

    def why_not(self, partition: LedPartition, records: memoryview | bytes, now_ms: int) -> ErrorCode | None:
        """Say how a batch must be refused that comes behind one that was not taken; None where it may be judged."""
        self._forget(now_ms)
        header = _idempotent_header(records)
        if header is None:
            return None
        flight = Flight(partition.topic_id, partition.topic_partition.partition, header.producer_id)
        note = self._notes.get(flight)
        if note is None:
            return None
        is_begun_again = header.producer_epoch != note.epoch or header.base_sequence == note.first_sequence
        if is_begun_again or not note.behind_left or partition.is_next(header):
            del self._notes[flight]
            return None
        note.behind_left -= 1
        return note.error

    def _note(self, missed: Missed, error: ErrorCode, now_ms: int) -> None:
        note = _Note(missed, error, now_ms + REMEMBERED_MS)
        before = self._notes.pop(missed.flight, None)
        if before is not None and before.epoch == note.epoch and _is_behind(note.first_sequence, before.first_sequence):
            note.first_sequence = before.first_sequence
        self._forget(now_ms)
        self._notes[missed.flight] = note

    def _note_of(self, missed: Missed) -> _Note | None:
        note = self._notes.get(missed.flight)
        return note if note is not None and note.epoch == missed.epoch else None

    def _forget(self, now_ms: int) -> None:
        while self._notes:
            oldest = next(iter(self._notes))
            if len(self._notes) < REMEMBERED_MAX and self._notes[oldest].until_ms >= now_ms:
                return
            del self._notes[oldest]


def _is_behind(sequence: int, first: int) -> bool:
    return (sequence - first) & SEQUENCE_MAX <= SEQUENCE_MAX // 2


def _idempotent_header(records: memoryview | bytes) -> BatchHeader | None:
    if len(records) < HEADER_BYTES:
        return None
    header = read_header(records)
    return header if header.magic == CURRENT_MAGIC and header.producer_id >= 0 else None
