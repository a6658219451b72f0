"""Checks of the batches of one replica by their headers: offsets, checksums, times, epochs, sequences.

Nothing here needs to know who wrote the topic. Idempotent producers number what they send, so that batches which are
missing, doubled or out of order show; of other producers that cannot be seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import zip_longest
from struct import Struct
from typing import Any, Final
from zlib import crc32

from chronik.records.batch import BatchHeader, sequence_after

BUCKET_BITS: Final = 15
"""Replicas are compared by sums over this many bits of offsets."""
NOTED_MAX: Final = 1_000
"""Of each kind at most so many are named; all are counted."""
_FINGERPRINT: Final = Struct(">qIiI")
_NO_PRODUCER: Final = -1
_NO_TIME: Final = -1
_HOUR_MS: Final = 3_600_000


class Oddity(StrEnum):
    """The anomalies of a batch."""

    GAP = "gap"
    OVERLAP = "overlap"
    DAMAGED = "damaged"
    EPOCH_FELL = "epoch-fell"
    TIME_FELL = "time-fell"
    FROM_THE_FUTURE = "from-the-future"
    SEQUENCE_GAP = "sequence-gap"
    SEQUENCE_TWICE = "sequence-twice"
    OLD_PRODUCER_EPOCH = "old-producer-epoch"
    OPEN_TRANSACTION = "open-transaction"


@dataclass(frozen=True, slots=True)
class Noted:
    """Something odd, and the offsets that it concerns."""

    oddity: Oddity
    first_offset: int
    end_offset: int
    text: str


@dataclass(slots=True)
class _Producer:
    """The state of one idempotent producer."""

    epoch: int
    next_sequence: int
    open_since: int | None = None


@dataclass(slots=True)
class Examination:
    """One replica, batch by batch in the order of the log."""

    now_ms: int
    compared: range = range(0)
    """The offsets that every replica should hold alike."""
    next_offset: int = -1
    first_offset: int = -1
    batches: int = 0
    records: int = 0
    size_bytes: int = 0
    control_batches: int = 0
    transactional_batches: int = 0
    idempotent_batches: int = 0
    first_time_ms: int = -1
    last_time_ms: int = -1
    counts: dict[Oddity, int] = field(default_factory=dict)
    noted: list[Noted] = field(default_factory=list)
    sums: dict[int, int] = field(default_factory=dict)
    """By ``offset >> BUCKET_BITS``: a sum over what identifies the batches that begin there, in their order."""
    _epoch: int = -1
    _producers: dict[int, _Producer] = field(default_factory=dict)

    @property
    def producers(self) -> int:
        """How many idempotent producers wrote here."""
        return len(self._producers)

    def take(self, header: BatchHeader, *, is_whole: bool, marker: int | None = None) -> None:
        """Take the next batch; ``is_whole`` if its checksum is right, ``marker`` if it ends a transaction."""
        self._check_place(header)
        if not is_whole:
            self._note(Oddity.DAMAGED, header, "the checksum is wrong")
        self._check_epoch(header)
        self._check_time(header)
        self._check_producer(header, marker)
        self._count(header)

    def take_damaged(self, first_offset: int, end_offset: int) -> None:
        """Take offsets that are there and cannot be read."""
        self._add(Noted(Oddity.DAMAGED, first_offset, end_offset, "it cannot be read"))
        if self.next_offset < 0:
            self.first_offset = first_offset
        self.next_offset = max(self.next_offset, end_offset)

    def end(self) -> None:
        """Note what is still open when the log has been read."""
        for producer_id, producer in sorted(self._producers.items()):
            if producer.open_since is not None:
                text = f"a transaction of producer {producer_id} has no end yet"
                self._add(Noted(Oddity.OPEN_TRANSACTION, producer.open_since, self.next_offset, text))

    def _check_place(self, header: BatchHeader) -> None:
        if self.next_offset < 0:
            self.first_offset = header.base_offset
        elif header.base_offset > self.next_offset:
            count = header.base_offset - self.next_offset
            self._add(Noted(Oddity.GAP, self.next_offset, header.base_offset, f"{count:,} offsets are not there"))
        elif header.base_offset < self.next_offset:
            text = f"a batch begins at {header.base_offset:,}, where one ends at {self.next_offset:,}"
            self._note(Oddity.OVERLAP, header, text)
        self.next_offset = max(self.next_offset, header.next_offset)

    def _check_epoch(self, header: BatchHeader) -> None:
        if header.partition_leader_epoch < self._epoch:
            text = f"leader epoch {header.partition_leader_epoch} follows epoch {self._epoch}"
            self._note(Oddity.EPOCH_FELL, header, text)
        self._epoch = max(self._epoch, header.partition_leader_epoch)

    def _check_time(self, header: BatchHeader) -> None:
        if header.max_timestamp == _NO_TIME:
            return
        if header.max_timestamp > self.now_ms + _HOUR_MS:
            self._note(Oddity.FROM_THE_FUTURE, header, f"its time is {header.max_timestamp - self.now_ms:,} ms ahead")
        if header.max_timestamp < self.last_time_ms:
            text = f"its time is {self.last_time_ms - header.max_timestamp:,} ms before that of a batch before it"
            self._note(Oddity.TIME_FELL, header, text)
        self.first_time_ms = header.base_timestamp if self.first_time_ms < 0 else self.first_time_ms
        self.last_time_ms = max(self.last_time_ms, header.max_timestamp)

    def _check_producer(self, header: BatchHeader, marker: int | None) -> None:
        if header.producer_id == _NO_PRODUCER:
            return
        known = self._producers.get(header.producer_id)
        if header.is_control:
            if known is not None and marker is not None:
                known.open_since = None
            return
        self.idempotent_batches += 1
        if known is None or header.producer_epoch > known.epoch:
            self._begin_producer(header, known)
        elif header.producer_epoch < known.epoch:
            text = f"producer {header.producer_id} epoch {header.producer_epoch} wrote behind epoch {known.epoch}"
            self._note(Oddity.OLD_PRODUCER_EPOCH, header, text)
        else:
            self._check_sequence(header, known)
        self._open_transaction(header)

    def _begin_producer(self, header: BatchHeader, known: _Producer | None) -> None:
        is_known_from_its_begin = known is not None or self.first_offset == 0
        if header.base_sequence != 0 and is_known_from_its_begin:
            text = f"producer {header.producer_id} epoch {header.producer_epoch} begins at {header.base_sequence:,}"
            self._note(Oddity.SEQUENCE_GAP, header, text)
        open_since = None if known is None else known.open_since
        next_sequence = sequence_after(header.last_sequence, 1)
        self._producers[header.producer_id] = _Producer(header.producer_epoch, next_sequence, open_since)

    def _check_sequence(self, header: BatchHeader, known: _Producer) -> None:
        expected = known.next_sequence
        if header.base_sequence == expected:
            known.next_sequence = sequence_after(header.last_sequence, 1)
            return
        ahead = (header.base_sequence - expected) % 2**31
        is_behind = ahead >= 2**30
        if is_behind:
            text = f"producer {header.producer_id}: sequence {header.base_sequence:,} again, {expected:,} was due"
            self._note(Oddity.SEQUENCE_TWICE, header, text)
            return
        text = f"producer {header.producer_id}: sequences {expected:,} to {header.base_sequence - 1:,} are not there"
        self._note(Oddity.SEQUENCE_GAP, header, text)
        known.next_sequence = sequence_after(header.last_sequence, 1)

    def _open_transaction(self, header: BatchHeader) -> None:
        producer = self._producers[header.producer_id]
        if header.is_transactional and producer.open_since is None:
            producer.open_since = header.base_offset

    def _count(self, header: BatchHeader) -> None:
        self.batches += 1
        self.records += header.record_count
        self.size_bytes += header.size_bytes
        self.control_batches += header.is_control
        self.transactional_batches += header.is_transactional and not header.is_control
        if header.base_offset >= self.compared.start and header.next_offset <= self.compared.stop:
            bucket = header.base_offset >> BUCKET_BITS
            self.sums[bucket] = crc32(fingerprint(header), self.sums.get(bucket, 0))

    def _note(self, oddity: Oddity, header: BatchHeader, text: str) -> None:
        self._add(Noted(oddity, header.base_offset, header.next_offset, text))

    def _add(self, noted: Noted) -> None:
        count = self.counts[noted.oddity] = self.counts.get(noted.oddity, 0) + 1
        if count <= NOTED_MAX:
            self.noted.append(noted)


def fingerprint(header: BatchHeader) -> bytes:
    """Return what two replicas have in common of a batch, if it is the same batch."""
    return _FINGERPRINT.pack(header.base_offset, header.crc, header.partition_leader_epoch, header.size_bytes)


def differing_buckets(one: Examination, other: Examination) -> list[int]:
    """Return the buckets in which two replicas do not hold the same batches."""
    return sorted(bucket for bucket in {*one.sums, *other.sums} if one.sums.get(bucket) != other.sums.get(bucket))


def first_difference(one: list[BatchHeader], other: list[BatchHeader]) -> str:
    """Return where the same range of two replicas differs, and how."""
    for left, right in zip_longest(one, other):
        if left is None or right is None:
            there = left or right
            return f"at offset {there.base_offset:,} one has a batch that the other has not"
        if fingerprint(left) != fingerprint(right):
            return f"at offset {min(left.base_offset, right.base_offset):,}: {_difference(left, right)}"
    return "they do not differ any more"


def _difference(left: BatchHeader, right: BatchHeader) -> str:
    if left.base_offset != right.base_offset:
        return f"one has a batch at {left.base_offset:,}, the other at {right.base_offset:,}"
    if left.partition_leader_epoch != right.partition_leader_epoch:
        return f"written in leader epoch {left.partition_leader_epoch} and in {right.partition_leader_epoch}"
    return f"other bytes ({left.size_bytes:,} B and {right.size_bytes:,} B)"


def examination_to_json(examination: Examination) -> dict[str, Any]:
    """Write down an examination that goes on later; the sums of one that is compared are not among it."""
    own = {name: getattr(examination, name) for name in _KEPT}
    producers = [
        [number, one.epoch, one.next_sequence, one.open_since] for number, one in examination._producers.items()
    ]
    return {**own, "epoch": examination._epoch, "producers": producers}


def examination_from_json(raw: Mapping[str, Any]) -> Examination:
    """Go on with an examination that was written down."""
    producers = {number: _Producer(epoch, due, since) for number, epoch, due, since in raw["producers"]}
    return Examination(**{name: raw[name] for name in _KEPT}, _epoch=raw["epoch"], _producers=producers)


_KEPT: Final = (
    "now_ms", "next_offset", "first_offset", "batches", "records", "size_bytes", "control_batches",
    "transactional_batches", "idempotent_batches", "first_time_ms", "last_time_ms",
)  # fmt: skip
