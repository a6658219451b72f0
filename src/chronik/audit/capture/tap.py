"""Tap files: what went over the wire, written by the proxy while a run lasts, read by the diagnosis afterwards."""

import json
import threading
import time
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa

from chronik.audit.tables import schemas
from chronik.proxy.tap import TapRow

FILE_NAME: Final = "tap.arrows"
ROWS_MAX: Final = 10_000
FLUSH_S: Final = 1.0
_VALUES: Final = attrgetter(*schemas.TAP.names)


class TapWriter:
    """Writes rows to a stream file; what was flushed can be read whatever then happens to this process."""

    def __init__(self, path: Path, topic: str | None = None) -> None:
        """Write to ``path``; with a ``topic``, the rows of partitions of other topics are left out."""
        path.parent.mkdir(parents=True, exist_ok=True)
        self._topic = None if topic is None else json.dumps(topic)
        self._file = pa.OSFile(str(path), "wb")
        self._stream = pa.ipc.new_stream(self._file, schemas.TAP)
        self._rows: list[TapRow] = []
        self._flushed_s = time.monotonic()
        # The proxy adds rows in its own thread, and the caller closes in another.
        self._lock = threading.Lock()

    def add(self, row: TapRow) -> None:
        """Take one row; it is in the file within a second, or when there are many."""
        if not self._is_wanted(row):
            return
        with self._lock:
            self._rows.append(row)
        if len(self._rows) >= ROWS_MAX or time.monotonic() - self._flushed_s >= FLUSH_S:
            self.flush()

    def flush(self) -> None:
        """Write what was taken as one batch."""
        with self._lock:
            rows, self._rows = self._rows, []
            self._flushed_s = time.monotonic()
            if not rows or self._file.closed:
                return
            self._stream.write_batch(_batch(rows))
            self._file.flush()

    def close(self) -> None:
        """Write the rest and end the file; may be called again."""
        self.flush()
        with self._lock:
            if not self._file.closed:
                self._stream.close()
                self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _is_wanted(self, row: TapRow) -> bool:
        return self._topic is None or row.partition < 0 or f'"topic":{self._topic}' in row.text


def _batch(rows: list[TapRow]) -> pa.RecordBatch:
    columns = zip(*map(_VALUES, rows), strict=True)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schemas.TAP, strict=True)]
    return pa.record_batch(arrays, schema=schemas.TAP)


def texts(table: pa.Table) -> list[dict[str, Any]]:
    """Read the JSON of the rows' texts, an empty object where there is none."""
    return [json.loads(text) if text else {} for text in table.column("text").to_pylist()]
