"""The state of one partition's idempotent producers, so that a retry is never written twice.

``check`` compares a batch with the accepted ones and changes nothing; ``replay`` records a batch with its offset, live
or while a log is loaded. A batch is replayed when it is staged, before its bytes are written: a producer has up to five
requests in flight, and the next must be checked against this one.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from chronik.model.errors import ErrorCode
from chronik.records.batch import CONTROL_BIT, SEQUENCE_MAX, BatchHeader, Sequences, sequence_after

BATCHES_KEPT: Final = 5
"""As many as a producer may have in flight: each of them may be retried."""
PRODUCER_EXPIRATION_MS: Final = 86_400_000
PRODUCERS_MAX: Final = 100_000
"""About 600 bytes each; beyond this the longest inactive ones are dropped, as if they had expired."""
_NO_COORDINATOR_EPOCH: Final = -1
_NO_TRANSACTION: Final = -1


class ProducedBatch(NamedTuple):
    """A batch in a producer's state."""

    base_sequence: int
    last_sequence: int
    base_offset: int
    last_offset: int
    timestamp: int


@dataclass(slots=True)
class ProducerEntry:
    """One producer: its epoch and its last batches, the oldest first."""

    producer_id: int
    epoch: int
    batches: deque[ProducedBatch]
    last_timestamp: int
    known_from: int
    """Every sequence from this one up to the last is known to have been written."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """The batch is new and in order (or not idempotent at all)."""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """The batch was appended before, at these offsets."""

    base_offset: int
    last_offset: int
    timestamp: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The batch must not be written."""

    error: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class ProducerDescription:
    """One producer in DescribeProducers."""

    producer_id: int
    producer_epoch: int
    last_sequence: int
    last_timestamp: int
    coordinator_epoch: int = _NO_COORDINATOR_EPOCH
    current_transaction_start_offset: int = _NO_TRANSACTION


Verdict: TypeAlias = Accepted | Duplicate | Refused
ACCEPTED: Final = Accepted()


class ProducerState:
    """The producers of one partition, in the order of their last writes."""

    def __init__(self, *, expiration_ms: int = PRODUCER_EXPIRATION_MS, producers_max: int = PRODUCERS_MAX) -> None:
        self.expiration_ms = expiration_ms
        self.producers_max = producers_max
        # Insertion order is the order of last writes: a producer that writes moves to the end.
        self._entries: dict[int, ProducerEntry] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def entries(self) -> Iterator[ProducerEntry]:
        """Return the producers, the longest inactive first."""
        return iter(self._entries.values())

    def check(self, header: BatchHeader) -> Verdict:
        """Check a batch without changing anything."""
        entry = self._entries.get(header[9])
        if entry is None:
            # A producer without state is new here, or has expired, or all its batches were deleted.
            return ACCEPTED
        if header.producer_epoch != entry.epoch:
            return _judge_epoch(header, entry)
        if header.base_sequence == _next_sequence(entry):
            return ACCEPTED
        return _judge_repetition(header, entry)

    def sequences_at(self, last_offsets: Iterable[int]) -> Iterator[Sequences]:
        """Return the sequences of each producer's batches that end at these offsets.

        The last is the one whose offset comes last: a producer that sends again begins with the first.
        """
        places = {offset: place for place, offset in enumerate(last_offsets)}
        for entry in self._entries.values() if places else ():
            held = [batch for batch in entry.batches if batch.last_offset in places]
            if held:
                last = max(held, key=lambda batch: places[batch.last_offset])
                following = sequence_after(last.last_sequence, 1)
                yield Sequences(entry.producer_id, entry.epoch, held[0].base_sequence, following)

    def replay(self, header: BatchHeader, base_offset: int, timestamp: int) -> None:
        """Remember a batch that has its offset; cannot fail. ``timestamp`` is when the producer was last alive."""
        (_, _, _, _, _, attributes, last_delta, _, max_timestamp, producer_id, epoch, sequence, _) = header
        if producer_id < 0 or attributes & CONTROL_BIT:
            return
        entry = self._entries.pop(producer_id, None)
        if entry is None or entry.epoch != epoch:
            entry = ProducerEntry(producer_id, epoch, deque(maxlen=BATCHES_KEPT), timestamp, sequence)
            self._make_room()
        elif sequence != (entry.batches[-1][1] + 1) & SEQUENCE_MAX:
            entry.known_from = sequence
        last_sequence = (sequence + last_delta) & SEQUENCE_MAX
        entry.batches.append(
            ProducedBatch(sequence, last_sequence, base_offset, base_offset + last_delta, max_timestamp)
        )
        entry.last_timestamp = timestamp
        self._entries[producer_id] = entry

    def _make_room(self) -> None:
        while len(self._entries) >= self.producers_max:
            del self._entries[next(iter(self._entries))]

    def expire(self, now_ms: int) -> int:
        """Remove producers that were inactive for too long, and return how many."""
        oldest = now_ms - self.expiration_ms
        silent = [entry.producer_id for entry in self._entries.values() if entry.last_timestamp < oldest]
        for producer_id in silent:
            del self._entries[producer_id]
        return len(silent)

    def truncate_to(self, offset: int) -> bool:
        """Whether the memory is still whole when the log ends at ``offset``.

        Batches that were pushed out of the memory of five, and epochs that a later one replaced, are not here
        to be brought back. So where a producer wrote at or above the offset everything is cleared, and False
        asks for a reload from a snapshot at or below the offset and the headers after it.
        """
        if all(entry.batches[-1].last_offset < offset for entry in self._entries.values()):
            return True
        self._entries.clear()
        return False

    def clear(self) -> None:
        self._entries.clear()

    def load(self, entries: Iterable[ProducerEntry]) -> None:
        """Take the place of whatever was known with a snapshot's producers, the longest silent first."""
        ordered = sorted(entries, key=lambda entry: (entry.last_timestamp, entry.batches[-1].last_offset))
        self._entries = {entry.producer_id: entry for entry in ordered[-self.producers_max :]}

    def describe(self) -> list[ProducerDescription]:
        """Return the producers for DescribeProducers, by producer id."""
        return [
            ProducerDescription(entry.producer_id, entry.epoch, entry.batches[-1].last_sequence, entry.last_timestamp)
            for _, entry in sorted(self._entries.items())
        ]


def _judge_epoch(header: BatchHeader, entry: ProducerEntry) -> Verdict:
    if header.producer_epoch < entry.epoch:
        return Refused(
            ErrorCode.INVALID_PRODUCER_EPOCH,
            f"producer {entry.producer_id} has epoch {entry.epoch}; {header.producer_epoch} is fenced",
        )
    if header.base_sequence != 0:
        return Refused(
            ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
            f"epoch {header.producer_epoch} of producer {entry.producer_id} begins with sequence "
            f"{header.base_sequence} instead of 0",
        )
    return ACCEPTED


def _judge_repetition(header: BatchHeader, entry: ProducerEntry) -> Verdict:
    first, last = header.base_sequence, header.last_sequence
    for batch in entry.batches:
        if batch.base_sequence == first and batch.last_sequence == last:
            return Duplicate(batch.base_offset, batch.last_offset, batch.timestamp)
    if _was_written_before(first, entry):
        return Refused(
            ErrorCode.DUPLICATE_SEQUENCE_NUMBER,
            f"producer {entry.producer_id} repeats sequences {first} to {last}, "
            f"which are older than its last {BATCHES_KEPT} batches",
        )
    return Refused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        f"producer {entry.producer_id} sent sequences {first} to {last} where {_next_sequence(entry)} comes next",
    )


def _next_sequence(entry: ProducerEntry) -> int:
    return (entry.batches[-1].last_sequence + 1) & SEQUENCE_MAX


def _was_written_before(sequence: int, entry: ProducerEntry) -> bool:
    """Whether a sequence is one that was written and then forgotten.

    Clients take the answer "duplicate" for a success. So a sequence from before the first that this partition
    ever saw is not one: a producer that was unknown may have begun here after a batch that was refused.
    """
    oldest = entry.batches[0].base_sequence
    behind = (oldest - sequence) & SEQUENCE_MAX
    return 0 < behind <= min((oldest - entry.known_from) & SEQUENCE_MAX, SEQUENCE_MAX // 2)
