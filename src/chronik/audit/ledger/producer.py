"""A ledger of every message that a producer was given: its id, when it was sent, and what came of it.

Three lines make a ledger of a user's own producer::

    ledger = ProducerLedger("audit-run")
    producer = ledger.wrap(confluent_kafka.Producer(settings), settings)
    ...
    ledger.close()

A sequence is reserved on the disk before it is used, so that a message whose row was lost with a process is unknown,
and never a phantom. What a failing disk keeps from being recorded goes out without an id: the client goes on.
"""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.ledger.arrays import array_of, empty_texts, texts
from chronik.audit.ledger.directory import new_file, note_facts, now_us, run_of, take_number, topic_of
from chronik.audit.ledger.outcomes import outcome_of_code
from chronik.audit.ledger.reservation import Reservation
from chronik.audit.ledger.writing import WAITING_ROWS_MAX, LedgerThread, Row, RowStream
from chronik.audit.tables.ids import HEADER_BEGIN_FORM, HEADER_BYTES, HEADER_FORM, ID_DTYPE, checksum
from chronik.audit.tables.ids import key_hash as hash_of_key
from chronik.audit.tables.schemas import SENDS, UNKNOWN_NUMBER, Outcome

_RESERVED: Final = ".reserved"
_MICROS: Final = 1000

KEY_FORM: Final = Struct(">Q?")
"""What is kept of a message in flight behind its header, if it has a key or no value: hash of the key, is it null."""
_WITH_KEY_BYTES: Final = HEADER_BYTES + KEY_FORM.size
ACK_FORM: Final = Struct(f">{HEADER_BYTES}sqiq")
"""An acknowledgement: what was kept of the message, time in nanoseconds, partition, offset."""
ACK_WITH_KEY_FORM: Final = Struct(f">{_WITH_KEY_BYTES}sqiq")
_ACK_FIELDS: Final = [("done_ns", ">i8"), ("partition", ">i4"), ("offset", ">i8")]
_ACK_DTYPE: Final = np.dtype(ID_DTYPE.descr + _ACK_FIELDS)
_ACK_WITH_KEY_DTYPE: Final = np.dtype([*ID_DTYPE.descr, ("key_hash", ">u8"), ("is_null", "?"), *_ACK_FIELDS])
assert _ACK_DTYPE.itemsize == ACK_FORM.size
assert _ACK_WITH_KEY_DTYPE.itemsize == ACK_WITH_KEY_FORM.size

Ints: TypeAlias = npt.NDArray[np.int64]
Sending: TypeAlias = tuple[int, int, int, bool]
"""Sequence, time of sending, hash of the key, whether the value is null: what is kept of a message in flight."""


@dataclass(slots=True)
class Tally:
    """How far the rows have come that were written; a moment behind what was sent."""

    outcomes: Counter[int] = field(default_factory=Counter)
    end_offsets: dict[int, int] = field(default_factory=dict)
    """Behind the highest offset that was acknowledged, by partition."""

    def add_acks(self, partitions: Ints, offsets: Ints) -> None:
        """Count acknowledgements."""
        self.outcomes[Outcome.ACKED] += len(partitions)
        for partition in np.unique(partitions).tolist():
            end = int(offsets[partitions == partition].max()) + 1
            self.end_offsets[partition] = max(end, self.end_offsets.get(partition, 0))


class ProducerLedger:
    """Records the sends of one producer into a run's directory; safe to use from several threads."""

    def __init__(
        self,
        directory: str | Path,
        *,
        topic: str = "",
        producer: int | None = None,
        run: int | None = None,
        is_retried: bool = True,
    ) -> None:
        """Record what is sent to one topic: that of the run, or ``topic``, or else the first that is sent to."""
        self.directory = Path(directory)
        self.run = run_of(self.directory, run)
        self.topic = topic_of(self.directory, topic) if topic else ""
        folder = self.directory / "sends"
        self.producer = take_number(folder, _RESERVED) if producer is None else producer
        folder.mkdir(parents=True, exist_ok=True)
        self._reservation = Reservation(folder / f"{self.producer}{_RESERVED}", self.producer)
        self.incarnation = self._reservation.incarnation
        self.next_sequence = self._reservation.first
        self.limit = self.next_sequence
        """From this sequence on, ``has_more`` is asked before it is used."""
        self.lock = threading.Lock()
        """Held from the taking of a sequence until the client has taken the message: sequences are in its order."""
        self._is_retried = is_retried
        self.tally = Tally()
        self.header_begin = HEADER_BEGIN_FORM.pack(self.run, self.producer)
        """What all headers of this producer begin with."""
        self._stream = RowStream(new_file(folder, str(self.producer), ".arrows"), SENDS, self._to_batch)
        self.rows = self._stream.rows
        self.acks: list[bytes] = self._stream.add_form(partial(self._acks_to_batch, _ACK_DTYPE))
        """What was acknowledged, which is nearly all, as ``ACK_FORM``."""
        self.acks_with_key: list[bytes] = self._stream.add_form(partial(self._acks_to_batch, _ACK_WITH_KEY_DTYPE))
        """The same of messages with a key or without a value, as ``ACK_WITH_KEY_FORM``."""
        self._thread = LedgerThread(f"chronik-ledger-p{self.producer}", self._reserve_ahead, self._stream.write_waiting)
        self._is_closed = False

    def wrap(self, client: Any, settings: Mapping[str, Any] | None = None) -> Any:
        """Give the client back such that all it sends is recorded; all else of it is as it was.

        ``settings`` are those it was made with, which say what it was promised; kafka-python's clients know them.
        """
        from chronik.audit.ledger.producers import promises_of, wrap_producer

        promises = promises_of(client, settings)
        if promises:
            note_facts(self.directory, producers={str(self.producer): promises})
        return wrap_producer(self, client)

    def header(self, value: bytes | None, key: bytes | None, topic: str = "") -> tuple[bytes, Sending] | None:
        """Take the next sequence and make the header; to be called with the lock held.

        None where it is not to be recorded, or nothing can be. Whoever does not send after all calls ``give_back``.
        """
        if topic and topic != self.topic and not self.takes(topic):
            return None
        sequence = self.next_sequence
        if sequence >= self.limit and not self.has_more():
            return None
        self.next_sequence = sequence + 1
        sent_us = time.time_ns() // _MICROS
        stamped = HEADER_FORM.pack(self.run, self.producer, sequence, sent_us, checksum(value, key))
        return stamped, (sequence, sent_us, 0 if key is None else hash_of_key(key), value is None)

    def give_back(self, sending: Sending) -> None:
        """Take back the last sequence, before the lock is released: the client did not take the message."""
        assert sending[0] == self.next_sequence - 1, "only the last one can be given back"
        self.next_sequence = sending[0]

    def acked(self, sending: Sending, partition: int, offset: int) -> None:
        """Note that a broker acknowledged; without an offset (acks=0) nobody did."""
        if offset >= 0:
            sequence, sent_us, hashed, is_null = sending
            sent = HEADER_FORM.pack(self.run, self.producer, sequence, sent_us, 0) + KEY_FORM.pack(hashed, is_null)
            self.acks_with_key.append(ACK_WITH_KEY_FORM.pack(sent, time.time_ns(), partition, offset))
        else:
            self.rows.append((*sending, now_us(), partition, Outcome.UNKNOWN, UNKNOWN_NUMBER, "acknowledged by nobody"))

    def failed(self, sending: Sending, code: int | None, error: str, partition: int = UNKNOWN_NUMBER) -> None:
        """Note an error; ``code`` is the broker's or librdkafka's where there is one."""
        outcome = Outcome.UNKNOWN if code is None else outcome_of_code(code, is_retried=self._is_retried)
        self.rows.append((*sending, now_us(), partition, outcome, UNKNOWN_NUMBER, error))

    def not_sent(self, sending: Sending, error: str) -> None:
        """Note that the client did not take the message, and that nobody will try again."""
        self.rows.append((*sending, now_us(), UNKNOWN_NUMBER, Outcome.NOT_SENT, UNKNOWN_NUMBER, error))

    @property
    def failure(self) -> Exception | None:
        """Why nothing is recorded any more, if so."""
        return self._thread.failure

    def close(self) -> None:
        """Write what is left, and where the sequences stopped; what has no outcome by then is unknown."""
        if self._is_closed:
            return
        self._is_closed = True
        self._thread.close()
        if self.failure is not None:
            raise self.failure
        self._stream.close()
        self._reservation.close(self.next_sequence)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def takes(self, topic: str) -> bool:
        """Say whether messages of a topic are recorded: a run is about one topic, and others pass as they are."""
        if not self.topic:
            self.topic = topic_of(self.directory, topic)
        return topic == self.topic

    def has_more(self) -> bool:
        """Say whether the next sequence may be used, and wait for the next block where it may not yet.

        It is asked for ahead, in the middle of the block before it, so that nobody waits as a rule.
        """
        if self.next_sequence < self._reservation.soon:
            self.limit = self._reservation.soon
            return True
        if self.next_sequence < self._reservation.end:
            self.limit = self._reservation.end
            self._thread.wake()
            return True
        return self._thread.wait_until(lambda: self.next_sequence < self._reservation.end)

    def _reserve_ahead(self) -> None:
        # Rows that wait beyond all measure hold up the sender here, where it needs the next block anyway.
        if len(self._stream) < WAITING_ROWS_MAX and self._reservation.may_soon_run_out(self.next_sequence):
            self._reservation.reserve()
            self.limit = self._reservation.soon

    def _acks_to_batch(self, kind: np.dtype[np.void], rows: Sequence[bytes]) -> pa.RecordBatch:
        acks, count = np.frombuffer(b"".join(rows), kind), len(rows)
        self.tally.add_acks(acks["partition"].astype(np.int64), acks["offset"].astype(np.int64))
        has_key = kind is _ACK_WITH_KEY_DTYPE
        return self._batch(
            count,
            sequence=acks["sequence"],
            key_hash=acks["key_hash"] if has_key else np.zeros(count),
            is_null=acks["is_null"] if has_key else np.zeros(count),
            sent_us=acks["sent_us"],
            done_us=acks["done_ns"].astype(np.int64) // _MICROS,
            partition=acks["partition"],
            outcome=np.full(count, Outcome.ACKED),
            offset=acks["offset"],
            error=empty_texts(count),
        )

    def _to_batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        sequence, sent_us, key_hash, is_null, done_us, partition, outcome, offset, error = zip(*rows, strict=True)
        self.tally.outcomes.update(outcome)
        return self._batch(
            len(rows),
            sequence=sequence,
            key_hash=key_hash,
            is_null=is_null,
            sent_us=sent_us,
            done_us=done_us,
            partition=partition,
            outcome=outcome,
            offset=offset,
            error=texts(error),
        )

    def _batch(self, count: int, *, error: pa.Array, **columns: Any) -> pa.RecordBatch:
        columns |= {"producer": np.full(count, self.producer), "incarnation": np.full(count, self.incarnation)}
        numbers = {name: array_of(column, SENDS.field(name).type) for name, column in columns.items()}
        return pa.RecordBatch.from_pydict({"error": error, **numbers}, SENDS)
