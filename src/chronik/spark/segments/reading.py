"""Read one slice from segment files: complete batches, or only their headers, and skip damage."""

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from struct import Struct
from typing import Final

import numpy as np

from chronik.records.batch import BATCH_LENGTH_MIN, HEADER_BYTES, LOG_OVERHEAD_BYTES
from chronik.spark.decode.batch_table import BatchTable, headers_at, read_table, table_at
from chronik.spark.decode.transactions import Aborted, visibility_of
from chronik.spark.decode.varints import Bytes
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.segments.files import (
    AbortedTransaction,
    SegmentFile,
    aborted_between,
    directory_of,
    segments_between,
    segments_in,
)
from chronik.spark.source.problems import Problem, ProblemKind
from chronik.spark.wire.chunks import Chunk, Found
from chronik.storage.disk import OsFile
from chronik.storage.scan import Damage, GoodBatch, SegmentScan

READ_BYTES: Final = 8 * 1024 * 1024
"""The size of a read."""

_NO_END: Final = 2**62
_LENGTH: Final = Struct(">i")
_LENGTH_POSITION: Final = 8
_HEADERS_PER_CHUNK: Final = 10_000
_WINDOW_BYTES: Final = 64 * 1024
_SKIPPED_BYTES_MIN: Final = 8 * 1024
"""Batches of at least this mean size are skipped; smaller ones are read together with their headers."""


def found_in_segments(piece: Slice, rules: ReadRules, view: View) -> Generator[Found]:
    """Return the batches of the slice in the order of offsets, and its damaged or missing offsets."""
    path = directory_of(piece)
    aborted = aborted_between(path, piece.start_offset, piece.end_offset) if rules.read_committed else ()
    position = piece.start_offset
    for segment in segments_between(path, piece.start_offset, piece.end_offset):
        if segment.base_offset > position and position == piece.start_offset and _is_first(path, segment):
            yield _lost(position, segment.base_offset, f"the files begin at offset {segment.base_offset}")
        try:
            walk = _Walk(segment, piece, view, aborted)
        except FileNotFoundError:
            end = piece.end_offset if segment.next_base_offset is None else segment.next_base_offset
            yield _lost(max(position, segment.base_offset), min(end, piece.end_offset), "its file has been removed")
            position = end
            continue
        with walk:
            yield from walk
            position = max(position, walk.expected_offset)
    if position < piece.end_offset:
        yield _lost(position, piece.end_offset, f"the files end at offset {position}")


def chunks_of_headers(segments: Iterable[SegmentFile]) -> Iterator[Chunk]:
    """Return the headers of all valid batches in these segments."""
    for segment in segments:
        everything = Slice("", "", 0, segment.base_offset, _NO_END)
        with _Walk(segment, everything, View.BATCHES, ()) as walk:
            yield from (found for found in walk if isinstance(found, Chunk) and len(found.table))


def _is_first(path: str, segment: SegmentFile) -> bool:
    return segments_in(path)[0].base_offset == segment.base_offset


def _lost(start_offset: int, end_offset: int, message: str) -> Problem:
    return Problem(ProblemKind.LOST, start_offset, end_offset, message)


class _Walk:
    """Reads one segment; ``expected_offset`` is the offset after the last batch."""

    def __init__(self, segment: SegmentFile, piece: Slice, view: View, aborted: Sequence[AbortedTransaction]) -> None:
        self._segment = segment
        self._piece = piece
        self._aborted = aborted
        self._check_crcs = view in (View.RECORDS, View.PROBLEMS)
        # A transaction ends at its marker, which is a record: headers are then not enough.
        self._headers_only = view is View.BATCHES or (view is View.RANGES and not aborted)
        self._report_tail = view is View.PROBLEMS and segment.next_base_offset is None
        self.expected_offset = segment.base_offset
        self._position = 0
        self._fd = os.open(segment.path, os.O_RDONLY | os.O_CLOEXEC)
        self._end = os.fstat(self._fd).st_size

    def __enter__(self) -> "_Walk":
        self._seek()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)

    def _seek(self) -> None:
        """Begin at the index's position, if a plausible batch begins there."""
        position = self._segment.position_before(self._piece.start_offset)
        data = self._read(position, HEADER_BYTES)
        if not position or len(data) < HEADER_BYTES:
            return
        header = table_at(data, [0])
        base_offset = int(header.base_offsets[0])
        if header.first_wrong_header(self._segment.base_offset) is None and base_offset <= self._piece.start_offset:
            self._position, self.expected_offset = position, base_offset

    def __iter__(self) -> Iterator[Found]:
        """Return the batches up to the end of the slice or file, and the damage between them."""
        while self._position < self._end and self.expected_offset < self._piece.end_offset:
            table = self._next_headers() if self._headers_only else self._next_batches()
            wrong = table.first_wrong_header(self.expected_offset)
            plausible = table if wrong is None else table.only(slice(0, wrong))
            inside = plausible.only(plausible.base_offsets < self._piece.end_offset)
            sound = self._up_to_wrong_crc(inside)
            if len(sound):
                yield self._advance(sound)
            if len(sound) == len(inside) < len(plausible):
                self.expected_offset = self._piece.end_offset
            elif len(sound) < len(table) or not len(table):
                yield from self._past_damage()
        if self._report_tail:
            yield from self._tail()

    def _up_to_wrong_crc(self, table: BatchTable) -> BatchTable:
        wrong = table.wrong_crcs() if self._check_crcs else []
        return table.only(slice(0, wrong[0])) if wrong else table

    def _advance(self, table: BatchTable) -> Chunk:
        # With headers only, positions are those of the file; otherwise they are relative to the read bytes.
        self._position = table.end_position if self._headers_only else self._position + table.end_position
        self.expected_offset = int(table.next_offsets[-1])
        new = table.only(table.next_offsets > self._piece.start_offset)
        seen = visibility_of(new, self._aborted_in(new))
        return Chunk(new, seen, open_batch=self._open_batch if self._headers_only else None)

    def _aborted_in(self, table: BatchTable) -> Aborted:
        if not self._aborted or not len(table):
            return ()
        first, end = int(table.base_offsets[0]), int(table.next_offsets[-1])
        return [
            (one.first_offset, one.producer_id)
            for one in self._aborted
            if one.marker_offset >= first and one.first_offset < end
        ]

    # -- the file ------------------------------------------------------------------------------------------------

    def _read(self, position: int, size: int) -> Bytes:
        buffer = np.empty(max(min(size, self._end - position), 0), np.uint8)
        filled = os.preadv(self._fd, [buffer.data], position) if len(buffer) else 0
        return buffer[:filled]

    def _next_batches(self) -> BatchTable:
        table = read_table(self._read(self._position, READ_BYTES))
        return table if len(table) else self._open_batch(self._position)

    def _open_batch(self, position: int) -> BatchTable:
        """Read the batch at a position, however long it is."""
        head = self._read(position, HEADER_BYTES)
        if len(head) < HEADER_BYTES:
            return table_at(head, [])
        size = int(table_at(head, [0]).sizes[0])
        return read_table(self._read(position, size if position + size <= self._end else 0)).only(slice(0, 1))

    def _next_headers(self) -> BatchTable:
        """Read the headers of the next batches; long batches are skipped."""
        position, end = self._position, self._end
        positions: list[int] = []
        headers = bytearray()
        window, window_start = b"", position
        while len(positions) < _HEADERS_PER_CHUNK and position + HEADER_BYTES <= end:
            at = position - window_start
            if at + HEADER_BYTES > len(window):
                is_long = position - self._position > _SKIPPED_BYTES_MIN * len(positions) > 0
                window = os.pread(self._fd, HEADER_BYTES if is_long else _WINDOW_BYTES, position)
                window_start, at = position, 0
                if len(window) < HEADER_BYTES:
                    break
            length: int = _LENGTH.unpack_from(window, at + _LENGTH_POSITION)[0]
            if length < BATCH_LENGTH_MIN or position + LOG_OVERHEAD_BYTES + length > end:
                break
            positions.append(position)
            headers += window[at : at + HEADER_BYTES]
            position += LOG_OVERHEAD_BYTES + length
        return headers_at(positions, bytes(headers))

    # -- damage --------------------------------------------------------------------------------------------------

    def _past_damage(self) -> Iterator[Problem]:
        """Skip damaged bytes; the offsets up to the next valid batch cannot be read."""
        expected, next_base = self.expected_offset, self._segment.next_base_offset
        walk = self._scan().walk(self._position, expected)
        found = next(walk)
        if isinstance(found, GoodBatch):
            # The header passes every check of the scan, but its record count is impossible.
            found = Damage(self._position, self._position + found.header.size_bytes, expected, "its counts are wrong")
            behind: GoodBatch | Damage | None = next(walk, None)
        else:
            behind = next(walk, None)
        self._position = found.end_position
        if isinstance(behind, GoodBatch):
            self.expected_offset = behind.header.base_offset
        else:
            self.expected_offset = self._piece.end_offset if next_base is None else next_base
        problem = self._problem(found, expected, self.expected_offset)
        if problem.start_offset < problem.end_offset:
            yield problem

    def _tail(self) -> Iterator[Problem]:
        """Report bytes after the last batch."""
        if self._position < self._end:
            reason = self._scan().check(self._position, self.expected_offset)
            if isinstance(reason, str):
                end = self.expected_offset
                yield self._problem(Damage(self._position, self._end, end, reason), end, end)

    def _scan(self) -> SegmentScan:
        return SegmentScan(OsFile(self._fd), self._end, is_dense=False)

    def _problem(self, damage: Damage, start_offset: int, end_offset: int) -> Problem:
        return Problem(
            ProblemKind.DAMAGED,
            max(start_offset, self._piece.start_offset),
            min(end_offset, self._piece.end_offset),
            damage.reason,
            file=self._segment.path,
            position=damage.position,
            size_bytes=damage.end_position - damage.position,
        )
