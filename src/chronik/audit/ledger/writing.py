"""Writing tables while they grow: Arrow streams whose tail may be torn, fed by a thread with rows gathered in memory.

A stream file is readable up to its last whole batch at any moment, whatever becomes of the process that wrote it.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

from chronik.audit.tables.arrow_arrays import column_of

FLUSH_S: Final = 0.2
"""How long a row waits in memory."""
BATCH_ROWS_MAX: Final = 10_000
WAITING_ROWS_MAX: Final = 200_000
"""With more waiting rows than this, the client waits."""

_log = logging.getLogger(__name__)

Row = tuple[Any, ...]
ToBatch = Callable[[Sequence[Any]], pa.RecordBatch]


class StreamFile:
    """An Arrow stream file of its own; a batch that was written is in the file."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        # A second writer would damage the file: an existing file has another writer.
        path.touch(exist_ok=False)
        self._sink = pa.OSFile(str(path), "wb")
        self._writer = pa.ipc.new_stream(self._sink, schema)

    def write(self, batch: pa.RecordBatch) -> None:
        self._writer.write_batch(batch)

    def close(self) -> None:
        """Write the end mark; a file without it is readable, and shows that its writer was killed."""
        self._writer.close()
        self._sink.close()


def rows_to_batch(schema: pa.Schema) -> ToBatch:
    """Make a function that turns rows in the order of the schema into a batch."""
    kinds = [field.type for field in schema]

    def to_batch(rows: Sequence[Row]) -> pa.RecordBatch:
        columns = zip(*rows, strict=True)
        return pa.RecordBatch.from_arrays(
            [column_of(column, kind) for column, kind in zip(columns, kinds, strict=True)], schema=schema
        )

    return to_batch


class RowStream:
    """Rows that any thread appends to ``rows`` (``append`` is atomic) and ``write_waiting`` writes.

    Rows of other forms, each with a list and a function of its own, go to the same file.
    """

    def __init__(self, path: Path, schema: pa.Schema, to_batch: ToBatch | None = None) -> None:
        self._file = StreamFile(path, schema)
        self._forms: list[tuple[list[Any], ToBatch]] = []
        self.rows = self.add_form(to_batch or rows_to_batch(schema))

    def add_form(self, to_batch: ToBatch) -> list[Any]:
        """Return a list for rows that this function turns into batches."""
        rows: list[Any] = []
        self._forms.append((rows, to_batch))
        return rows

    def __len__(self) -> int:
        """How many rows wait."""
        return sum(len(rows) for rows, _ in self._forms)

    def write_waiting(self) -> None:
        """Write what waits now, in batches of a bounded size; called by one thread at a time."""
        for rows, to_batch in self._forms:
            left = len(rows)
            while left > 0:
                size = min(left, BATCH_ROWS_MAX)
                self._file.write(to_batch(rows[:size]))
                # Only what is in the file leaves the memory; others append behind it meanwhile.
                del rows[:size]
                left -= size

    def close(self) -> None:
        self.write_waiting()
        self._file.close()


class LedgerThread:
    """A thread that runs duties (writing rows, reserving sequences) again and again until it is closed."""

    def __init__(self, name: str, *duties: Callable[[], None]) -> None:
        self._duties = duties
        self._due = threading.Condition()
        self._is_ending = False
        self.failure: Exception | None = None
        """The error after which nothing is recorded any more."""
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Run the duties now."""
        with self._due:
            self._due.notify_all()

    def wait_until(self, is_so: Callable[[], bool]) -> bool:
        """Wait until a condition holds, and return whether it does; stop waiting when the thread has failed."""
        with self._due:
            self._due.notify_all()
            while not is_so() and self.failure is None and not self._is_ending:
                self._due.wait(FLUSH_S)
        return is_so()

    def close(self) -> None:
        """Run the duties a last time and end."""
        with self._due:
            self._is_ending = True
            self._due.notify_all()
        self._thread.join()

    def _run(self) -> None:
        while not self._is_ending and self.failure is None:
            began = time.monotonic()
            self._run_duties()
            with self._due:
                self._due.notify_all()
                if not self._is_ending:
                    self._due.wait(max(0.001, FLUSH_S - (time.monotonic() - began)))
        if self.failure is None:
            self._run_duties()

    def _run_duties(self) -> None:
        try:
            for duty in self._duties:
                duty()
        except Exception as error:  # noqa: BLE001 - a ledger that cannot be written must not end the client it watches
            self.failure = error
            _log.error("the ledger cannot be written, and records nothing from now on: %s", error)
