"""Batches of a log as rows of STORED, without an object per record: ids, checksums, epochs, transactions."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.tables.ids import HEADER, HEADER_BYTES, ID_DTYPE, key_hash
from chronik.audit.tables.schemas import STORED
from chronik.spark.audit.log_checksums import are_intact
from chronik.spark.decode.batch_table import BatchTable, Flags
from chronik.spark.decode.bodies import batch_groups
from chronik.spark.decode.columnar import Depth, HeaderColumns, Spans
from chronik.spark.decode.record_rows import Rows, rows_of
from chronik.spark.decode.varints import Bytes, Ints
from chronik.spark.source.problems import Problem, ProblemKind
from chronik.spark.wire.chunks import Chunk

_NAME: Final = HEADER.encode()
_NAME_DTYPE: Final = np.dtype("V16")
_NAME_WORDS: Final = np.frombuffer(_NAME.ljust(16, b"\0"), np.uint64)
_NAME_REST: Final = np.frombuffer((b"\xff" * (len(_NAME) - 8)).ljust(8, b"\0"), np.uint64)[0]
"""Which part of the second word belongs to the name."""
_STAMP_DTYPE: Final = np.dtype(f"V{HEADER_BYTES}")
_BATCH_COLUMNS: Final = ("leader_epoch", "producer_id", "producer_epoch", "base_sequence")


@dataclass(frozen=True, slots=True)
class RowTarget:
    """Whose records they are, and which columns of STORED are wanted of them."""

    node: int
    partition: int
    schema: pa.Schema = STORED


def rows_of_chunk(chunk: Chunk, target: RowTarget) -> Iterator[pa.RecordBatch]:
    """Return the records of a chunk: data, markers, and those whose batches cannot be read."""
    is_control = chunk.visibility.is_control
    for is_aborted in (False, True):
        table = chunk.table.only((chunk.visibility.is_aborted == is_aborted) & ~is_control)
        yield from _data_rows(table, target, is_aborted=is_aborted)
    if is_control.any():
        yield _bare_rows(chunk.table.only(is_control), target, is_control=True)


def rows_of_problem(problem: Problem, target: RowTarget) -> pa.RecordBatch | None:
    """Return a row for each offset that is there and cannot be read; what is gone has none."""
    if problem.kind is ProblemKind.LOST:
        return None
    offsets = np.arange(problem.start_offset, problem.end_offset)
    return _batch({"offset": offsets, "is_intact": np.zeros(len(offsets), np.bool_)}, len(offsets), target)


def _data_rows(table: BatchTable, target: RowTarget, *, is_aborted: bool) -> Iterator[pa.RecordBatch]:
    for group in batch_groups(table):
        for failed, _ in group.failures:
            yield _bare_rows(failed, target, is_control=False)
        decoded = rows_of(group, Depth.HEADERS)
        if len(decoded.unreadable):
            yield _bare_rows(decoded.unreadable, target, is_control=False)
        sound = _without(group.table, decoded.unreadable)
        columns = _record_columns(decoded.rows, target.schema) | _batch_columns(sound, sound.counts, target.schema)
        columns["is_aborted"] = np.full(len(decoded.rows), is_aborted)
        yield _batch(columns, len(decoded.rows), target)


def _without(table: BatchTable, unreadable: BatchTable) -> BatchTable:
    return table.only(~np.isin(table.base_offsets, unreadable.base_offsets)) if len(unreadable) else table


def _batch_columns(table: BatchTable, counts: Ints, schema: pa.Schema) -> dict[str, Any]:
    """Return what a batch's header says of each of its records."""
    names = [name for name in _BATCH_COLUMNS if name in schema.names]
    return {name: np.repeat(table.column(name), counts) for name in names}


def _bare_rows(table: BatchTable, target: RowTarget, *, is_control: bool) -> pa.RecordBatch:
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
    return _batch(columns | _batch_columns(table, counts, target.schema), total, target)


def _record_columns(rows: Rows, schema: pa.Schema) -> dict[str, Any]:
    assert rows.headers is not None
    assert rows.keys is not None
    assert rows.values is not None
    ids, is_ours = find_ids(rows.data, rows.headers)
    columns = {
        "offset": rows.offsets,
        "timestamp_ms": rows.timestamps_ms,
        "is_ours": is_ours,
        "run": ids["run"],
        "producer": ids["producer"],
        "sequence": ids["sequence"],
        "sent_us": np.where(is_ours, ids["sent_us"], -1),
        "is_intact": _are_intact(rows, ids["crc"].astype(np.uint32), is_ours),
        "is_null": rows.values.lengths < 0,
    }
    if "key_hash" in schema.names:
        columns["key_hash"] = _key_hashes(rows.data, rows.keys)
    return columns


def find_ids(data: Bytes, headers: HeaderColumns) -> tuple[npt.NDArray[np.void], Flags]:
    """Read the id of every record, from its first header of that name; zero where there is none."""
    is_fitting = (headers.names.lengths == len(_NAME)) & (headers.values.lengths == HEADER_BYTES)
    fitting = np.flatnonzero(is_fitting)
    # An id lies behind each of these names, so that there are more bytes than those of a name.
    words = _anywhere(data, _NAME_DTYPE)[headers.names.starts[fitting]].view(np.uint64).reshape(-1, 2)
    fitting = fitting[(words[:, 0] == _NAME_WORDS[0]) & ((words[:, 1] & _NAME_REST) == _NAME_WORDS[1])]
    stamps = _anywhere(data, _STAMP_DTYPE)[headers.values.starts[fitting]]
    total = len(headers.counts)
    if len(fitting) == total and (headers.counts == 1).all():
        return stamps.view(ID_DTYPE), np.ones(total, np.bool_)
    owners = np.repeat(np.arange(total), headers.counts)[fitting]
    is_first = np.append(True, owners[1:] != owners[:-1])[: len(owners)]
    found, is_ours = np.zeros(total, _STAMP_DTYPE), np.zeros(total, np.bool_)
    found[owners[is_first]] = stamps[is_first]
    is_ours[owners] = True
    return found.view(ID_DTYPE), is_ours


def _anywhere(data: Bytes, kind: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return the bytes that begin at each place: many fields are copied in one step, wherever they stand."""
    return np.ndarray((max(0, len(data) - kind.itemsize + 1),), kind, np.ascontiguousarray(data).data, 0, (1,))


def _are_intact(rows: Rows, claimed: npt.NDArray[np.uint32], is_ours: Flags) -> Flags:
    """Return which records are what their checksum says; those that have none are."""
    assert rows.keys is not None
    assert rows.values is not None
    if is_ours.all():
        return are_intact(rows.data, rows.keys, rows.values, claimed)
    found = np.ones(len(is_ours), np.bool_)
    found[is_ours] = are_intact(rows.data, rows.keys.only(is_ours), rows.values.only(is_ours), claimed[is_ours])
    return found


def _key_hashes(data: Bytes, keys: Spans) -> npt.NDArray[np.uint64]:
    found = np.zeros(len(keys.lengths), np.uint64)
    view = data.data
    for at in np.flatnonzero(keys.lengths >= 0).tolist():
        start = int(keys.starts[at])
        found[at] = key_hash(bytes(view[start : start + int(keys.lengths[at])]))
    return found


def _batch(columns: dict[str, Any], count: int, target: RowTarget) -> pa.RecordBatch:
    known = columns | {"node": np.full(count, target.node), "partition": np.full(count, target.partition)}
    arrays = [
        pa.array(
            known[field.name].astype(field.type.to_pandas_dtype(), copy=False)
            if field.name in known
            else np.full(count, _NOTHING.get(field.name, 0), field.type.to_pandas_dtype()),
            field.type,
        )
        for field in target.schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=target.schema)


_NOTHING: Final = {
    "sent_us": -1,
    "timestamp_ms": -1,
    "leader_epoch": -1,
    "producer_id": -1,
    "producer_epoch": -1,
    "base_sequence": -1,
}
