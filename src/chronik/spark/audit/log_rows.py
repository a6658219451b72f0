"""Batches of a log as rows of STORED, without an object per record: ids, checksums, epochs, transactions."""

import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.ids import HEADER, HEADER_BYTES, ID_DTYPE, key_hash
from chronik.audit.schemas import STORED
from chronik.spark.batch_table import BatchTable, Flags
from chronik.spark.bodies import groups_of
from chronik.spark.chunks import Chunk
from chronik.spark.columnar import Depth, HeaderColumns, Spans
from chronik.spark.problems import Kind, Problem
from chronik.spark.record_rows import Rows, rows_of
from chronik.spark.varints import Bytes, Ints

_NAME: Final = HEADER.encode()
_NAME_REST: Final = len(_NAME) - 8
_NAME_WORDS: Final = (np.frombuffer(_NAME[:8], np.uint64)[0], np.frombuffer(_NAME[_NAME_REST:], np.uint64)[0])
"""The name as two words, which overlap."""
_BATCH_COLUMNS: Final = {
    "leader_epoch": "leader_epoch",
    "producer_id": "producer_id",
    "producer_epoch": "producer_epoch",
    "base_sequence": "base_sequence",
}


def rows_of_chunk(chunk: Chunk, node: int, partition: int) -> Iterator[pa.RecordBatch]:
    """Give the records of a chunk: data, markers, and those whose batches cannot be read."""
    is_control = chunk.seen.is_control
    for is_aborted in (False, True):
        table = chunk.table.only((chunk.seen.is_aborted == is_aborted) & ~is_control)
        yield from _data_rows(table, node, partition, is_aborted=is_aborted)
    if is_control.any():
        yield _bare_rows(chunk.table.only(is_control), node, partition, is_control=True)


def rows_of_problem(problem: Problem, node: int, partition: int) -> pa.RecordBatch | None:
    """Give a row for each offset that is there and cannot be read; what is gone has none."""
    if problem.kind is Kind.LOST:
        return None
    offsets = np.arange(problem.start_offset, problem.end_offset)
    return _batch({"offset": offsets, "is_intact": np.zeros(len(offsets), np.bool_)}, len(offsets), node, partition)


def _data_rows(table: BatchTable, node: int, partition: int, *, is_aborted: bool) -> Iterator[pa.RecordBatch]:
    for group in groups_of(table):
        for failed, _ in group.failures:
            yield _bare_rows(failed, node, partition, is_control=False)
        decoded = rows_of(group, Depth.HEADERS)
        if len(decoded.unreadable):
            yield _bare_rows(decoded.unreadable, node, partition, is_control=False)
        sound = _without(group.table, decoded.unreadable)
        columns = _record_columns(decoded.rows)
        for name, field in _BATCH_COLUMNS.items():
            columns[name] = np.repeat(sound.column(field), sound.counts)
        columns["is_aborted"] = np.full(len(decoded.rows), is_aborted)
        yield _batch(columns, len(decoded.rows), node, partition)


def _without(table: BatchTable, unreadable: BatchTable) -> BatchTable:
    return table.only(~np.isin(table.base_offsets, unreadable.base_offsets)) if len(unreadable) else table


def _bare_rows(table: BatchTable, node: int, partition: int, *, is_control: bool) -> pa.RecordBatch:
    """Rows of whole batches by their headers alone."""
    counts = table.next_offsets - table.base_offsets
    total = int(counts.sum())
    firsts = np.cumsum(counts) - counts
    columns: dict[str, Any] = {
        "offset": np.arange(total) + np.repeat(table.base_offsets - firsts, counts),
        "timestamp_ms": np.repeat(table.column("base_timestamp"), counts),
        "is_intact": np.full(total, is_control),
        "is_control": np.full(total, is_control),
    }
    for name, field in _BATCH_COLUMNS.items():
        columns[name] = np.repeat(table.column(field), counts)
    return _batch(columns, total, node, partition)


def _record_columns(rows: Rows) -> dict[str, Any]:
    assert rows.headers is not None
    assert rows.keys is not None
    assert rows.values is not None
    ids, is_ours = find_ids(rows.data, rows.headers)
    return {
        "offset": rows.offsets,
        "timestamp_ms": rows.timestamps_ms,
        "is_ours": is_ours,
        "run": ids["run"].astype(np.uint64),
        "producer": ids["producer"].astype(np.uint32),
        "sequence": ids["sequence"].astype(np.uint64),
        "sent_us": np.where(is_ours, ids["sent_us"].astype(np.int64), -1),
        "is_intact": ~is_ours | (checksums(rows.data, rows.keys, rows.values) == ids["crc"]),
        "key_hash": _key_hashes(rows.data, rows.keys),
        "is_null": rows.values.lengths < 0,
    }


def find_ids(data: Bytes, headers: HeaderColumns) -> tuple[npt.NDArray[np.void], Flags]:
    """Read the id of every record, from its first header of that name; zero where there is none."""
    total = len(headers.counts)
    found = np.zeros(total, ID_DTYPE)
    is_ours = np.zeros(total, np.bool_)
    is_fitting = (headers.names.lengths == len(_NAME)) & (headers.values.lengths == HEADER_BYTES)
    chosen = np.flatnonzero(is_fitting)
    if len(chosen):
        words = _words_anywhere(data)
        names = headers.names.starts[chosen]
        chosen = chosen[(words[names] == _NAME_WORDS[0]) & (words[names + _NAME_REST] == _NAME_WORDS[1])]
        owners = np.repeat(np.arange(total), headers.counts)[chosen]
        is_first = np.append(True, owners[1:] != owners[:-1])[: len(owners)]
        owners, stamps = owners[is_first], headers.values.starts[chosen[is_first]]
        found[owners] = np.stack([words[stamps + at] for at in range(0, HEADER_BYTES, 8)], axis=1).view(ID_DTYPE)[:, 0]
        is_ours[owners] = True
    return found, is_ours


def _words_anywhere(data: Bytes) -> npt.NDArray[np.uint64]:
    """Give the eight bytes that begin at each place: fields are compared and copied by words, wherever they stand."""
    return np.ndarray((max(0, len(data) - 7),), np.uint64, np.ascontiguousarray(data).data, 0, (1,))


def checksums(data: Bytes, keys: Spans, values: Spans) -> npt.NDArray[np.uint32]:
    """Sum up value and key of each record: the one loop over records, in C but for its steps."""
    view, crc32 = data.data, zlib.crc32
    places = zip(
        keys.starts.tolist(),
        (keys.starts + np.maximum(keys.lengths, 0)).tolist(),
        values.starts.tolist(),
        (values.starts + np.maximum(values.lengths, 0)).tolist(),
        strict=True,
    )
    if not (keys.lengths > 0).any():
        return np.array([crc32(view[v:ve]) for _, _, v, ve in places], np.uint32)
    return np.array([crc32(view[k:ke], crc32(view[v:ve])) for k, ke, v, ve in places], np.uint32)


def _key_hashes(data: Bytes, keys: Spans) -> npt.NDArray[np.uint64]:
    found = np.zeros(len(keys.lengths), np.uint64)
    view = data.data
    for at in np.flatnonzero(keys.lengths >= 0).tolist():
        start = int(keys.starts[at])
        found[at] = key_hash(bytes(view[start : start + int(keys.lengths[at])]))
    return found


def _batch(columns: dict[str, Any], count: int, node: int, partition: int) -> pa.RecordBatch:
    known: dict[str, Ints] = {**columns, "node": np.full(count, node), "partition": np.full(count, partition)}
    arrays = [
        pa.array(
            known[field.name].astype(field.type.to_pandas_dtype(), copy=False)
            if field.name in known
            else np.full(count, _NOTHING.get(field.name, 0), field.type.to_pandas_dtype()),
            field.type,
        )
        for field in STORED
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=STORED)


_NOTHING: Final = {
    "sent_us": -1,
    "timestamp_ms": -1,
    "leader_epoch": -1,
    "producer_id": -1,
    "producer_epoch": -1,
    "base_sequence": -1,
}
