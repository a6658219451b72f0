"""A ledger of every record that a consumer was handed, and of what it did meanwhile.

Three lines make a ledger of a user's own consumer::

    ledger = ConsumerLedger("audit-run")
    consumer = ledger.wrap(confluent_kafka.Consumer(settings), settings)
    ...
    ledger.close()

A record counts as delivered when the client has handed it over. Polls that come in a row are noted together, several
times a second, with the positions that the client has then.
"""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.ledger.directory import new_file, now_us, run_of, take_number, topic_of
from chronik.audit.ledger.writing import WAITING_ROWS_MAX, LedgerThread, Row, RowStream
from chronik.audit.tables.ids import decode_headers
from chronik.audit.tables.run_facts import read_run_facts
from chronik.audit.tables.schemas import DELIVERED, EVENTS, UNKNOWN_NUMBER, EventKind

NOTE_S: Final = 0.1
"""How often polls and positions are noted at most."""
_EVENTS_SUFFIX: Final = ".events.arrows"


class ConsumerLedger:
    """Records what one consumer was handed into a run's directory; to be used by the thread that polls."""

    def __init__(
        self,
        directory: str | Path,
        *,
        topic: str = "",
        consumer: int | None = None,
        group: str = "",
        run: int | None = None,
    ) -> None:
        """Record what is read of one topic: that of the run, or ``topic``, or else the first that is read."""
        self.directory = Path(directory)
        self.run = run_of(self.directory, run)
        self.topic = topic_of(self.directory, topic) if topic else read_run_facts(self.directory).topic
        folder = self.directory / "polls"
        self.consumer = take_number(folder, ".consumer") if consumer is None else consumer
        self.group = group
        self.generation = UNKNOWN_NUMBER
        self.delivered = 0
        """How many records were written; a moment behind what was handed over."""
        self.end_offsets: dict[int, int] = {}
        """Behind the highest offset that was handed over, by partition."""
        self.poll = 0
        """How many polls have given something."""
        self._stream = RowStream(new_file(folder, str(self.consumer), ".arrows"), DELIVERED, self._to_batch)
        self._events = RowStream(new_file(folder, str(self.consumer), _EVENTS_SUFFIX), EVENTS)
        self.rows = self._stream.rows
        self._thread = LedgerThread(
            f"chronik-ledger-c{self.consumer}", self._stream.write_waiting, self._events.write_waiting
        )
        self._noted = time.monotonic()
        self._records_to_note = self._empty_to_note = 0
        self._is_closed = False

    def wrap(self, client: Any, settings: Mapping[str, Any] | None = None) -> Any:
        """Give the client back such that all it hands over is recorded; ``settings`` are those it was made with."""
        from chronik.audit.ledger.consumers import wrap_consumer

        return wrap_consumer(self, client, settings or {})

    def takes(self, topic: str) -> bool:
        """Say whether records of a topic are recorded: a run is about one topic."""
        if not self.topic:
            self.topic = topic_of(self.directory, topic)
        return topic == self.topic

    def of_topic(self, partitions: Iterable[Any]) -> list[Any]:
        """Give those of a client's partitions, whichever library's, that are of the run's topic."""
        return [at for at in partitions if self.takes(at.topic)]

    def started(self, *, group: str, reset: str, isolation: str, mode: str, partitions: Sequence[int] = ()) -> None:
        """Note how it reads; before anything else."""
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
        """Note something that is no record."""
        at_us = now_us()
        offset = max(offset, UNKNOWN_NUMBER)
        self._events.rows.append(
            (self.consumer, self.group, at_us, str(kind), partition, offset, self.generation, count, text)
        )

    def polled(self, records: int) -> bool:
        """Note that a poll ended with so many records, and say whether positions should be noted now."""
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
        """Write down the polls since the last note."""
        if self._records_to_note:
            self.event(EventKind.POLL, count=self._records_to_note)
        if self._empty_to_note:
            self.event(EventKind.EMPTY, count=self._empty_to_note)
        self._records_to_note = self._empty_to_note = 0

    @property
    def failure(self) -> Exception | None:
        """Why nothing is recorded any more, if so."""
        return self._thread.failure

    def close(self) -> None:
        """Write what is left, and that the consumer ended."""
        if self._is_closed:
            return
        self._is_closed = True
        self.note_polls()
        self.event(EventKind.END)
        self._thread.close()
        if self.failure is not None:
            raise self.failure
        self._stream.close()
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _wait_for_the_disk(self) -> None:
        rows = self.rows
        if len(rows) < WAITING_ROWS_MAX:
            return
        if not self._thread.wait_until(lambda: len(rows) < WAITING_ROWS_MAX):
            # Nothing is written any more, and nobody will read this: memory stays within bounds.
            rows.clear()

    def _to_batch(self, rows: Sequence[Row]) -> pa.RecordBatch:
        generation, poll, received_us, partition, offset, timestamp_ms, header, crc = zip(*rows, strict=True)
        ids, is_ours = decode_headers(header)
        self._tally(np.array(partition, np.int64), np.array(offset, np.int64))
        group = pa.DictionaryArray.from_arrays(pa.array([0] * len(rows), pa.int32()), pa.array([self.group]))
        columns: Mapping[str, Any] = {
            "consumer": [self.consumer] * len(rows),
            "generation": generation,
            "poll": poll,
            "received_us": received_us,
            "partition": partition,
            "offset": offset,
            "timestamp_ms": timestamp_ms,
            "is_ours": is_ours,
            "run": ids["run"].astype(np.uint64),
            "producer": ids["producer"].astype(np.uint32),
            "sequence": ids["sequence"].astype(np.uint64),
            "sent_us": ids["sent_us"].astype(np.int64),
            "is_intact": is_ours & (ids["crc"] == np.array(crc, np.uint32)),
        }
        arrays = [group, *(pa.array(columns[field.name], field.type) for field in list(DELIVERED)[1:])]
        return pa.RecordBatch.from_arrays(arrays, schema=DELIVERED)

    def _tally(self, partitions: npt.NDArray[np.int64], offsets: npt.NDArray[np.int64]) -> None:
        self.delivered += len(partitions)
        for partition in np.unique(partitions).tolist():
            end = int(offsets[partitions == partition].max()) + 1
            self.end_offsets[partition] = max(end, self.end_offsets.get(partition, 0))
