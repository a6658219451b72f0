"""Reading Arrow stream files, whole or in part: batches that are not asked for are not decoded."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import pyarrow as pa

_BATCH: Final = "record batch"
_CUT_OFF: Final = (pa.ArrowInvalid, OSError, EOFError)
"""The errors at the end of a file, and where a kill cut it off."""
ROWS_JOINED: Final = 10_000
"""Batches are joined up to so many rows: a ledger of a slow client has a batch for every few rows."""


Bounds: TypeAlias = tuple[int, int]
"""The number of the first batch, and one above the number of the last batch."""


def stream_batches(path: Path, schema: pa.Schema | None = None) -> Iterator[pa.RecordBatch]:
    """Yield the whole batches of a file, small ones joined; a file that a kill cut off ends at its last whole batch.

    The file is mapped, so that batches which are passed over cost little. Of a schema only its columns are read.
    """
    small: list[pa.RecordBatch] = []
    rows = 0
    for batch in _whole_batches(path, schema):
        small.append(batch)
        rows += batch.num_rows
        if rows >= ROWS_JOINED:
            yield _joined(small)
            small, rows = [], 0
    if small:
        yield _joined(small)


def _whole_batches(path: Path, schema: pa.Schema | None) -> Iterator[pa.RecordBatch]:
    if not path.stat().st_size:
        return
    with pa.memory_map(str(path)) as source:
        try:
            with pa.ipc.open_stream(source, options=_only(source, schema)) as reader:
                yield from reader
        except _CUT_OFF:
            return


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    joined = pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()
    return joined[0] if joined else batches[0]


def batches_at(path: Path, schema: pa.Schema, chosen: Sequence[Bounds]) -> Iterator[tuple[int, pa.RecordBatch]]:
    """Yield the chosen whole batches of a file, in rising order of their numbers, with the columns of a schema."""
    if not path.stat().st_size:
        return
    with pa.memory_map(str(path)) as source:
        try:
            with pa.ipc.open_stream(source, options=_only(source, schema)) as reader:
                at = 0
                for first, end in chosen:
                    for _ in range(at, first):
                        _pass_over(source, reader)
                    for number in range(first, end):
                        yield number, reader.read_next_batch()
                    at = end
        except (*_CUT_OFF, StopIteration):
            return


def _pass_over(source: pa.MemoryMappedFile, reader: pa.RecordBatchReader) -> None:
    """Skip one batch; the reader needs dictionaries, which precede the first batch that uses them."""
    at = source.tell()
    if pa.ipc.read_message(source).type != _BATCH:
        source.seek(at)
        reader.read_next_batch()


def _only(source: pa.MemoryMappedFile, schema: pa.Schema | None) -> pa.ipc.IpcReadOptions:
    if schema is None:
        return pa.ipc.IpcReadOptions(use_threads=False)
    with pa.ipc.open_stream(source) as reader:
        places = {name: number for number, name in enumerate(reader.schema.names)}
    source.seek(0)
    chosen = sorted(places[name] for name in schema.names if name in places)
    # Reading columns in threads costs more than it saves: several files are read at a time instead.
    return pa.ipc.IpcReadOptions(included_fields=chosen, use_threads=False)


def batch_sizes(path: Path) -> Iterator[int]:
    """Yield the size in the file of each whole batch, from the headers alone."""
    if not path.stat().st_size:
        return
    with pa.memory_map(str(path)) as source:
        try:
            while True:
                message = pa.ipc.read_message(source)
                if message.type == _BATCH:
                    yield message.body.size
        except _CUT_OFF:
            return
