"""A batch of records for one partition, with the futures of their results."""

import asyncio

from chronik.client.delivery import APPEND_DISPROVED, DeliveryOutcome, DeliveryReport
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec

_RECORD_OVERHEAD_BYTES = 24
_UNNUMBERED = -1


def record_bytes(record: Record) -> int:
    """Return an upper bound of a record's size in a batch without compression."""
    headers = sum(len(name) * 4 + len(value or b"") + 10 for name, value in record.headers)
    return len(record.key or b"") + len(record.value or b"") + headers + _RECORD_OVERHEAD_BYTES


class ProducerBatch:
    """Open while records are added; then sent, perhaps several times; settled once."""

    def __init__(self, at: TopicPartition, deadline: float) -> None:
        self.at = at
        self.deadline = deadline
        self.records: list[Record] = []
        self.waiters: list[asyncio.Future[DeliveryReport]] = []
        self.size_bytes = 0
        self.sequence = _UNNUMBERED
        self.maybe_written = False
        self.last_error = ErrorCode.REQUEST_TIMED_OUT
        self.last_reason = "never sent"
        self._encoded: bytes | None = None

    def add(self, record: Record, size_bytes: int, waiter: asyncio.Future[DeliveryReport]) -> None:
        self.records.append(record)
        self.waiters.append(waiter)
        self.size_bytes += size_bytes

    def number(self, sequence: int) -> None:
        """Assign the sequence, which is the same for every attempt."""
        self.sequence = sequence
        self._encoded = None

    def unnumber(self) -> None:
        """Remove the sequence, because the producer's sequence starts again."""
        self.number(_UNNUMBERED)

    @property
    def is_numbered(self) -> bool:
        """Whether the batch has a sequence."""
        return self.sequence != _UNNUMBERED

    def encoded(self, codec: Codec, producer_id: int, producer_epoch: int) -> bytes:
        """Return the encoded bytes, built once."""
        if self._encoded is None:
            self._encoded = build_batch(
                self.records,
                codec=codec,
                producer_id=producer_id,
                producer_epoch=producer_epoch,
                base_sequence=self.sequence,
            )
        return self._encoded

    def acknowledge(self, base_offset: int, append_time_ms: int) -> None:
        """Settle every record with its offset; -1 if the broker knows a duplicate but not its offset."""
        for index, waiter in enumerate(self.waiters):
            offset = base_offset + index if base_offset >= 0 else -1
            timestamp = append_time_ms if append_time_ms >= 0 else self.records[index].timestamp
            _settle(waiter, DeliveryReport(self.at, DeliveryOutcome.ACKNOWLEDGED, offset, timestamp))

    def give_up(self, error: ErrorCode, reason: str) -> None:
        """Settle every record without an acknowledgement, as refused or unknown."""
        outcome = DeliveryOutcome.UNKNOWN if self.maybe_written else DeliveryOutcome.REFUSED
        for waiter in self.waiters:
            _settle(waiter, DeliveryReport(self.at, outcome, error=error, reason=reason))

    def release_unacknowledged(self) -> None:
        """Settle every record as sent without a response (acks=0)."""
        self.maybe_written = True
        self.give_up(ErrorCode.NONE, "sent with acks=0")

    def note_error(self, error: ErrorCode) -> None:
        """Note an error that leaves open whether the records were appended."""
        if error not in APPEND_DISPROVED:
            self.maybe_written = True

    def note_attempt(self, error: ErrorCode, reason: str) -> None:
        """Note why the last attempt failed, in case there is no further one."""
        self.last_error, self.last_reason = error, reason


def _settle(waiter: asyncio.Future[DeliveryReport], delivery: DeliveryReport) -> None:
    if not waiter.done():
        waiter.set_result(delivery)
