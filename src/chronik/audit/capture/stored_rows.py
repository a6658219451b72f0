"""Batches of records as rows of STORED: ids and checksums read, aborted transactions found by their markers."""

from collections.abc import Iterator
from typing import Any, Final

from chronik.audit.tables.ids import HEADER, checksum, decode_header, key_hash
from chronik.audit.tables.schemas import STORED
from chronik.records.batch import CONTROL_BIT, TRANSACTIONAL_BIT, BatchHeader, crc_is_right, walk
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError, StoredRecord, records_of

Row = tuple[Any, ...]
_ABORT: Final = 0
_IS_ABORTED: Final = STORED.get_field_index("is_aborted")


class BatchReader:
    """Rows of one replica, gathered until they are taken; a transaction's rows wait for its marker."""

    def __init__(self, node: int, partition: int) -> None:
        self._node = node
        self._partition = partition
        self._rows: list[list[Any]] = []
        self._open: dict[int, list[list[Any]]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, data: bytes, from_offset: int) -> int:
        """Read whole batches, without records below an offset; return the next offset."""
        end = from_offset
        for position, header in whole_batches(data):
            next_offset = header.base_offset + header.last_offset_delta + 1
            if next_offset > end:
                self._take_batch(data, position, header, end)
                end = next_offset
        return end

    def take_settled(self) -> list[Row]:
        """Return and remove the rows before the first open transaction."""
        firsts = [rows[0] for rows in self._open.values() if rows]
        if firsts:
            wanted = {id(row) for row in firsts}
            count = next(number for number, row in enumerate(self._rows) if id(row) in wanted)
        else:
            count = len(self._rows)
        taken = [tuple(row) for row in self._rows[:count]]
        del self._rows[:count]
        return taken

    def take_all(self) -> list[Row]:
        """Return all rows: transactions that are still open are not aborted."""
        self._open.clear()
        return self.take_settled()

    def _take_batch(self, data: bytes, position: int, header: BatchHeader, from_offset: int) -> None:
        batch = data[position : position + header.size_bytes]
        rows = [row for row in self._batch_rows(batch, header) if row[2] >= from_offset]
        self._rows += rows
        if header.attributes & CONTROL_BIT:
            self._end_transaction(header.producer_id, batch)
        elif header.attributes & TRANSACTIONAL_BIT:
            self._open.setdefault(header.producer_id, []).extend(rows)

    def _end_transaction(self, producer_id: int, batch: bytes) -> None:
        rows = self._open.pop(producer_id, [])
        if marker_type(batch) == _ABORT:
            for row in rows:
                row[_IS_ABORTED] = True

    def _batch_rows(self, batch: bytes, header: BatchHeader) -> Iterator[list[Any]]:
        try:
            if not crc_is_right(batch, 0, header.size_bytes):
                raise CorruptRecordsError("its checksum is wrong")
            found = list(records_of(batch))
        except (CorruptRecordsError, CodecError, ValueError):
            yield from self._unreadable(header)
            return
        for record in found:
            yield self._row(record, header)

    def _row(self, record: StoredRecord, header: BatchHeader) -> list[Any]:
        stamp = decode_header(next((value for name, value in record.headers if name == HEADER), None))
        is_ours = stamp is not None
        run, producer, sequence, sent_us = (0, 0, 0, -1) if stamp is None else stamp[:4]
        is_intact = stamp is None or stamp.crc == checksum(record.value, record.key)
        return [
            self._node,
            self._partition,
            record.offset,
            record.timestamp,
            is_ours,
            run,
            producer,
            sequence,
            sent_us,
            is_intact,
            key_hash(record.key),
            record.value is None,
            *_origin(header),
        ]

    def _unreadable(self, header: BatchHeader) -> Iterator[list[Any]]:
        for offset in range(header.base_offset, header.base_offset + header.last_offset_delta + 1):
            what = [self._node, self._partition, offset, header.base_timestamp, False, 0, 0, 0, -1, False, 0, False]
            yield [*what, *_origin(header)]


def _origin(header: BatchHeader) -> list[Any]:
    is_control = bool(header.attributes & CONTROL_BIT)
    ids = (header.partition_leader_epoch, header.producer_id, header.producer_epoch, header.base_sequence)
    return [*ids, is_control, False]


def whole_batches(data: bytes) -> Iterator[tuple[int, BatchHeader]]:
    """Walk the batches of a buffer up to the first that is cut or cannot be one."""
    try:
        yield from walk(data)
    except ValueError:
        return


def marker_type(batch: bytes) -> int:
    """Read the type from a control record's key (version, then type, two bytes each); -1 where there is none."""
    try:
        return int.from_bytes((next(records_of(batch)).key or b"")[2:4], "big", signed=True)
    except (StopIteration, ValueError):
        return -1
