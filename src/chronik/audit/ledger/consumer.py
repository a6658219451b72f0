"""A ledger of every record that a consumer received, and of its polls, positions, assignments and commits.

Three lines record a user's own consumer::

    ledger = ConsumerLedger("audit-run")
    consumer = ledger.wrap(confluent_kafka.Consumer(settings), settings)
    ...
    ledger.close()

A record is delivered when the client returns it to the application. Consecutive polls are recorded together, several
times a second, with the client's positions at that time.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from chronik.audit.ledger.base import ClientLedger
from chronik.audit.ledger.directory import new_file, now_us
from chronik.audit.ledger.writing import WAITING_ROWS_MAX, LedgerThread, Row, RowStream
from chronik.audit.tables.arrow_arrays import array_of, same_text
from chronik.audit.tables.ids import decode_headers
from chronik.audit.tables.schemas import DELIVERED, EVENTS, UNKNOWN_NUMBER, EventKind

NOTE_S: Final = 0.1
"""The least time between two notes of polls and positions."""
_EVENTS_SUFFIX: Final = ".events.arrows"


class ConsumerLedger(ClientLedger):
    """Records the deliveries of one consumer into a run's directory; to be used by the thread that polls."""

    folder_name = "polls"
    number_suffix = ".consumer"

    def __init__(
        self,
        directory: str | Path,
        *,
        topic: str = "",
        consumer: int | None = None,
        group: str = "",
        run: int | None = None,
    ) -> None:
        """Record the reads of one topic: the run's topic, or ``topic``, or else the first topic of a record."""
        super().__init__(directory, topic, consumer, run)
        self.consumer = self.number
        self.group = group
        self.generation = UNKNOWN_NUMBER
        self.delivered = 0
        """How many records are in the written rows; slightly behind the client."""
        self.poll = 0
        """How many polls have returned records."""
        stream = RowStream(new_file(self.folder, str(self.consumer), ".arrows"), DELIVERED, self._to_batch)
        self._events = RowStream(new_file(self.folder, str(self.consumer), _EVENTS_SUFFIX), EVENTS)
        self._streams = (stream, self._events)
        self.rows = stream.rows
        self._thread = LedgerThread(
            f"chronik-ledger-c{self.consumer}", stream.write_waiting, self._events.write_waiting
        )
        self._noted = time.monotonic()
        self._records_to_note = self._empty_to_note = 0

    def wrap(self, client: Any, settings: Mapping[str, Any] | None = None) -> Any:
        """Return the client with recorded deliveries; ``settings`` are the client's settings."""
        from chronik.audit.ledger.clients.wrapping import wrap_consumer

        return wrap_consumer(self, client, settings or {})

    def of_topic(self, partitions: Iterable[Any]) -> list[Any]:
        """Return the partitions of the run's topic, out of any library's topic-partitions."""
        return [at for at in partitions if self.takes(at.topic)]

    def started(self, *, group: str, reset: str, isolation: str, mode: str, partitions: Sequence[int] = ()) -> None:
        """Record the consumer's mode and settings, before its first poll."""
        self.group = group or self.group
        text = {"reset": reset, "isolation": isolation, "mode": mode, "partitions": list(partitions)}
        self.event(EventKind.START, text=json.dumps(text))

    def event(
        self,
        kind: EventKind,
        partition: int = UNKNOWN_NUMBER,
        offset: int = UNKNOWN_NUMBER,
        count: int = 0,
        text: str = "",
    ) -> None:
        """Record an event of the consumer."""
        at_us = now_us()
        offset = max(offset, UNKNOWN_NUMBER)
        self._events.rows.append(
            (self.consumer, self.group, at_us, str(kind), partition, offset, self.generation, count, text)
        )

    def polled(self, records: int) -> bool:
        """Count a poll, and return whether positions should be recorded now."""
        if records:
            self._records_to_note += records
            self._wait_for_the_disk()
        else:
            self._empty_to_note += 1
        now = time.monotonic()
        if now - self._noted < NOTE_S:
            return False
        self._noted = now
        self.note_polls()
        return True

    def note_polls(self) -> None:
        """Record the polls since the last note."""
        if self._records_to_note:
            self.event(EventKind.POLL, count=self._records_to_note)
        if self._empty_to_note:
            self.event(EventKind.EMPTY, count=self._empty_to_note)
        self._records_to_note = self._empty_to_note = 0

    def _before_close(self) -> None:
        self.note_polls()
        self.event(EventKind.END)

    def _wait_for_the_disk(self) -> None:
        rows = self.rows
        if len(rows) < WAITING_ROWS_MAX:
            return
        if not self._thread.wait_until(lambda: len(rows) < WAITING_ROWS_MAX):
            # The ledger has failed: drop the rows, so that memory stays bounded.
            rows.clear()

    def _to_batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        generation, poll, received_us, partition, offset, timestamp_ms, header, crc = zip(*rows, strict=True)
        ids, is_ours = decode_headers(header)
        self.delivered += len(rows)
        self._advance_ends(partition, offset)
        columns: Mapping[str, Any] = {
            "consumer": np.full(len(rows), self.consumer),
            "generation": generation,
            "poll": poll,
            "received_us": received_us,
            "partition": partition,
            "offset": offset,
            "timestamp_ms": timestamp_ms,
            "is_ours": is_ours,
            "run": ids["run"],
            "producer": ids["producer"],
            "sequence": ids["sequence"],
            "sent_us": ids["sent_us"],
            "is_intact": is_ours & (ids["crc"] == np.array(crc, np.uint32)),
        }
        arrays = [array_of(columns[field.name], field.type) for field in list(DELIVERED)[1:]]
        return pa.RecordBatch.from_arrays([same_text(self.group, len(rows)), *arrays], schema=DELIVERED)
