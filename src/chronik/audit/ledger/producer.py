"""A ledger of every message that a producer sends: its id, the time, and the outcome.

Three lines record a user's own producer::

    ledger = ProducerLedger("audit-run")
    producer = ledger.wrap(confluent_kafka.Producer(settings), settings)
    ...
    ledger.close()

A sequence is reserved on the disk before it is used, so that a message whose row was lost with a process is unknown,
and never a phantom. If the disk fails, messages are sent without an id: the client goes on.
"""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from struct import Struct
from typing import Any, Final, TypeAlias

import numpy as np
import pyarrow as pa

from chronik.audit.ledger.base import ClientLedger
from chronik.audit.ledger.directory import new_file, note_facts, now_us
from chronik.audit.ledger.outcomes import outcome_of_code
from chronik.audit.ledger.reservation import Reservation
from chronik.audit.ledger.writing import WAITING_ROWS_MAX, LedgerThread, Row, RowStream
from chronik.audit.tables.arrow_arrays import array_of, repeated, texts
from chronik.audit.tables.ids import HEADER_BEGIN_FORM, HEADER_BYTES, HEADER_FORM, ID_DTYPE, checksum
from chronik.audit.tables.ids import key_hash as hash_of_key
from chronik.audit.tables.schemas import SENDS, UNKNOWN_NUMBER, SendOutcome

_MICROS: Final = 1000

KEY_FORM: Final = Struct(">Q?")
"""Follows the header of a message in flight that has a key or no value: hash of the key, whether the value is null."""
_WITH_KEY_BYTES: Final = HEADER_BYTES + KEY_FORM.size
ACK_FORM: Final = Struct(f">{HEADER_BYTES}sqiq")
"""An acknowledgement: the message's header, time in nanoseconds, partition, offset."""
ACK_WITH_KEY_FORM: Final = Struct(f">{_WITH_KEY_BYTES}sqiq")
_ACK_FIELDS: Final = [("done_ns", ">i8"), ("partition", ">i4"), ("offset", ">i8")]
_ACK_DTYPE: Final = np.dtype(ID_DTYPE.descr + _ACK_FIELDS)
_ACK_WITH_KEY_DTYPE: Final = np.dtype([*ID_DTYPE.descr, ("key_hash", ">u8"), ("is_null", "?"), *_ACK_FIELDS])
assert _ACK_DTYPE.itemsize == ACK_FORM.size
assert _ACK_WITH_KEY_DTYPE.itemsize == ACK_WITH_KEY_FORM.size

Sending: TypeAlias = tuple[int, int, int, bool]
"""A message in flight: sequence, time of sending, hash of the key, whether the value is null."""


class ProducerLedger(ClientLedger):
    """Records the sends of one producer into a run's directory; safe to use from several threads."""

    folder_name = "sends"
    number_suffix = ".reserved"

    def __init__(
        self,
        directory: str | Path,
        *,
        topic: str = "",
        producer: int | None = None,
        run: int | None = None,
        is_retried: bool = True,
    ) -> None:
        """Record the sends to one topic: the run's topic, or ``topic``, or else the first topic of a send."""
        super().__init__(directory, topic, producer, run)
        self.producer = self.number
        self._reservation = Reservation(self.folder / f"{self.producer}{self.number_suffix}", self.producer)
        self.incarnation = self._reservation.incarnation
        self.next_sequence = self._reservation.first
        self.limit = self.next_sequence
        """From this sequence on, ``has_more`` is asked before the sequence is used."""
        self.lock = threading.Lock()
        """Held from the taking of a sequence until the client has taken the message: sequences are in its order."""
        self._is_retried = is_retried
        self.outcomes: Counter[int] = Counter()
        """How many written rows have each outcome; slightly behind the client."""
        self.header_begin = HEADER_BEGIN_FORM.pack(self.run, self.producer)
        """The bytes that all headers of this producer begin with."""
        stream = RowStream(new_file(self.folder, str(self.producer), ".arrows"), SENDS, self._to_batch)
        self._streams = (stream,)
        self.rows = stream.rows
        self.acks: list[bytes] = stream.add_form(partial(self._acks_to_batch, _ACK_DTYPE))
        """Acknowledgements, which nearly all rows are, as ``ACK_FORM``."""
        self.acks_with_key: list[bytes] = stream.add_form(partial(self._acks_to_batch, _ACK_WITH_KEY_DTYPE))
        """Acknowledgements of messages with a key or without a value, as ``ACK_WITH_KEY_FORM``."""
        self._thread = LedgerThread(f"chronik-ledger-p{self.producer}", self._reserve_ahead, stream.write_waiting)

    def wrap(self, client: Any, settings: Mapping[str, Any] | None = None) -> Any:
        """Return the client with recorded sends; everything else of it is unchanged.

        ``settings`` are the client's settings (acks, idempotence ...); kafka-python's clients know their own.
        """
        from chronik.audit.ledger.clients.wrapping import promises_of, wrap_producer

        promises = promises_of(client, settings)
        if promises:
            note_facts(self.directory, producers={str(self.producer): promises})
        return wrap_producer(self, client)

    def header(self, value: bytes | None, key: bytes | None, topic: str = "") -> tuple[bytes, Sending] | None:
        """Take the next sequence and return the header; the caller holds the lock.

        None for a topic that is not recorded, or when the ledger has failed.
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

    def acked(self, sending: Sending, partition: int, offset: int) -> None:
        """Record an acknowledgement; without an offset (acks=0) the outcome is unknown."""
        if offset >= 0:
            sequence, sent_us, hashed, is_null = sending
            sent = HEADER_FORM.pack(self.run, self.producer, sequence, sent_us, 0) + KEY_FORM.pack(hashed, is_null)
            self.acks_with_key.append(ACK_WITH_KEY_FORM.pack(sent, time.time_ns(), partition, offset))
        else:
            self.rows.append(
                (*sending, now_us(), partition, SendOutcome.UNKNOWN, UNKNOWN_NUMBER, "acknowledged by nobody")
            )

    def failed(self, sending: Sending, code: int | None, error: str, partition: int = UNKNOWN_NUMBER) -> None:
        """Record an error; ``code`` is the broker's or librdkafka's where there is one."""
        outcome = SendOutcome.UNKNOWN if code is None else outcome_of_code(code, is_retried=self._is_retried)
        self.rows.append((*sending, now_us(), partition, outcome, UNKNOWN_NUMBER, error))

    def not_sent(self, sending: Sending, error: str) -> None:
        """Record that the client rejected the message and will not retry it."""
        self.rows.append((*sending, now_us(), UNKNOWN_NUMBER, SendOutcome.NOT_SENT, UNKNOWN_NUMBER, error))

    def _after_close(self) -> None:
        self._reservation.close(self.next_sequence)

    def has_more(self) -> bool:
        """Return whether the next sequence may be used, and wait for the next block if necessary.

        The next block is reserved ahead, in the middle of the block before it, so that senders rarely wait.
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
        # With too many waiting rows no block is reserved, so that the sender waits in ``has_more``.
        if len(self._streams[0]) < WAITING_ROWS_MAX and self._reservation.may_soon_run_out(self.next_sequence):
            self._reservation.reserve()
            self.limit = self._reservation.soon

    def _acks_to_batch(self, kind: np.dtype[np.void], rows: Sequence[bytes]) -> pa.RecordBatch:
        acks, count = np.frombuffer(b"".join(rows), kind), len(rows)
        self.outcomes[SendOutcome.ACKED] += count
        self._advance_ends(acks["partition"], acks["offset"])
        has_key = kind is _ACK_WITH_KEY_DTYPE
        return self._batch(
            count,
            sequence=acks["sequence"],
            key_hash=acks["key_hash"] if has_key else np.zeros(count),
            is_null=acks["is_null"] if has_key else np.zeros(count),
            sent_us=acks["sent_us"],
            done_us=acks["done_ns"].astype(np.int64) // _MICROS,
            partition=acks["partition"],
            outcome=np.full(count, SendOutcome.ACKED),
            offset=acks["offset"],
            error=repeated("", count),
        )

    def _to_batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        sequence, sent_us, key_hash, is_null, done_us, partition, outcome, offset, error = zip(*rows, strict=True)
        self.outcomes.update(outcome)
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
