"""Rewriting segments so that of each key the latest record stays. Runs in the compaction process.

Rules, all of them Kafka's:
- A batch keeps its base offset, last offset delta, sequence numbers and codec, whatever is removed from it.
- A tombstone (null value) that is its key's latest record stays until the batch's delete horizon. The first
  compaction that meets it sets the horizon (``now + delete.retention.ms``), so that a slow reader sees it.
- A batch left without records is dropped, unless a producer is known by it.
- Control and transactional batches are copied as they are: which of them count is not known here.
- Records without a key have no meaning in a compacted log and are dropped.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Final

from chronik.records.batch import (
    CODEC_MASK,
    CONTROL_BIT,
    DELETE_HORIZON_BIT,
    HEADER_BYTES,
    LOG_APPEND_TIME_BIT,
    TRANSACTIONAL_BIT,
    BatchHeader,
    crc_is_right,
    read_header,
)
from chronik.records.build import append_fields, batch_from
from chronik.records.iterate import RecordSpan, body_of, spans_of
from chronik.storage.compaction import CleanedGroup, CompactionJob, CompactionResult
from chronik.storage.compaction_swap import CLEANED_SUFFIX, Manifest, cleaned_path, discard, log_path, write_manifest
from chronik.storage.disk import Disk, File, write_file
from chronik.storage.indexes import OffsetIndex, TimeIndex
from chronik.storage.segment import INDEX_SUFFIX, LOG_SUFFIX, TIME_INDEX_SUFFIX

_COPIED_WHOLE: Final = CONTROL_BIT | TRANSACTIONAL_BIT
_NO_TIMESTAMP: Final = -1
_WRITE_BYTES: Final = 1024 * 1024

Progress = Callable[[str, int], None]


class UncleanableError(Exception):
    """A segment that cannot be compacted because it is damaged."""

    def __init__(self, path: str, position: int, reason: str) -> None:
        super().__init__(f"{path} at position {position}: {reason}")


@dataclass(slots=True)
class _Counts:
    records_before: int = 0
    records_after: int = 0
    records_without_key: int = 0
    bytes_before: int = 0
    bytes_after: int = 0


def run_job(disk: Disk, job: CompactionJob, progress: Progress = lambda step, done: None) -> CompactionResult:
    """Run a job; what cannot be compacted is reported in the result, and a failing disk raises."""
    try:
        return _Cleaner(disk, job, progress).run()
    except UncleanableError as error:
        discard(disk, job.directory, CLEANED_SUFFIX)
        return CompactionResult(job.directory, (), job.first_dirty_offset, error=str(error))


class _Cleaner:
    """One job under way."""

    def __init__(self, disk: Disk, job: CompactionJob, progress: Progress) -> None:
        self._disk = disk
        self._job = job
        self._progress = progress
        self._map = OffsetMap(job.dedupe_buffer_bytes)
        self._remembered = frozenset(job.remembered_batches)
        self._counts = _Counts()

    def run(self) -> CompactionResult:
        mapped_end = self._fill_map()
        self._progress("mapped", mapped_end)
        cleaned = []
        for group in self._job.groups:
            if group[0] < mapped_end:
                cleaned.append(self._clean_group(group, mapped_end))
                self._progress("cleaned", group[-1])
        return CompactionResult(
            self._job.directory,
            tuple(group for group in cleaned if group is not None),
            mapped_end,
            keys=len(self._map),
            **asdict(self._counts),
        )

    def _fill_map(self) -> int:
        """Collect the latest offsets of the dirty keys, and return up to which offset they are known."""
        starts = [base for group in self._job.groups for base in group]
        ends = [*starts[1:], self._job.end_offset]
        for base_offset, end_offset in zip(starts, ends, strict=True):
            if end_offset <= self._job.first_dirty_offset:
                continue
            full_at = self._map_segment(base_offset)
            if full_at is not None:
                return full_at
        return self._job.end_offset

    def _map_segment(self, base_offset: int) -> int | None:
        """Add a segment's keys; return the offset of the first key for which there is no room."""
        for position, header, batch in self._batches(base_offset):
            if header.next_offset <= self._job.first_dirty_offset or header.attributes & _COPIED_WHOLE:
                continue
            body, spans = self._read(base_offset, position, header, batch)
            for span in spans:
                offset = header.base_offset + span.offset_delta
                key = span.key_in(body)
                if key is None or offset < self._job.first_dirty_offset:
                    continue
                if not self._map.put(key, offset):
                    return offset
        return None

    def _clean_group(self, group: tuple[int, ...], mapped_end: int) -> CleanedGroup | None:
        """Write the group's new segment; None if it would equal the existing one."""
        writer = _SegmentWriter(self._disk, self._job.directory, group[0], self._job.index_interval_bytes)
        changed = len(group) > 1
        try:
            for base_offset in group:
                for position, header, batch in self._batches(base_offset):
                    kept = self._clean_batch(base_offset, position, header, batch, mapped_end)
                    changed = changed or kept != batch
                    self._counts.bytes_before += len(batch)
                    self._counts.bytes_after += len(kept)
                    if kept:
                        writer.append(kept)
            if not changed:
                return None
            cleaned = writer.finish(group)
            write_manifest(self._disk, self._job.directory, Manifest(group[0], group))
            return cleaned
        finally:
            writer.close(keep=changed)

    def _clean_batch(
        self, base_offset: int, position: int, header: BatchHeader, batch: bytes, mapped_end: int
    ) -> bytes:
        """Return the new form of the batch; b"" drops it."""
        if header.attributes & _COPIED_WHOLE or header.base_offset >= mapped_end:
            return batch
        body, spans = self._read(base_offset, position, header, batch)
        kept = [span for span in spans if self._stays(header, body, span, mapped_end)]
        self._count(spans, kept)
        if not kept:
            return emptied(header) if header.base_offset in self._remembered else b""
        horizon = self._new_horizon(header, kept)
        if horizon is None and len(kept) == len(spans):
            return batch
        return rewritten(header, body, kept, horizon)

    def _stays(self, header: BatchHeader, body: bytes, span: RecordSpan, mapped_end: int) -> bool:
        key = span.key_in(body)
        offset = header.base_offset + span.offset_delta
        if offset >= mapped_end:
            return True
        if key is None or self._map.latest(key) > offset:
            return False
        horizon = header.delete_horizon_ms
        return span.value_length >= 0 or horizon is None or self._job.now_ms < horizon

    def _new_horizon(self, header: BatchHeader, kept: list[RecordSpan]) -> int | None:
        if header.delete_horizon_ms is not None or all(span.value_length >= 0 for span in kept):
            return None
        return self._job.now_ms + self._job.delete_retention_ms

    def _read(
        self, base_offset: int, position: int, header: BatchHeader, batch: bytes
    ) -> tuple[bytes, list[RecordSpan]]:
        try:
            body = body_of(batch, header)
            return body, list(spans_of(body, header.record_count))
        except ValueError as error:
            raise UncleanableError(log_path(self._job.directory, base_offset), position, str(error)) from error

    def _batches(self, base_offset: int) -> Iterator[tuple[int, BatchHeader, bytes]]:
        path = log_path(self._job.directory, base_offset)
        file = self._disk.open(path)
        try:
            yield from whole_batches(path, file)
        finally:
            file.close()

    def _count(self, spans: list[RecordSpan], kept: list[RecordSpan]) -> None:
        self._counts.records_before += len(spans)
        self._counts.records_after += len(kept)
        self._counts.records_without_key += sum(span.key_length < 0 for span in spans)


def whole_batches(path: str, file: File) -> Iterator[tuple[int, BatchHeader, bytes]]:
    """Return each batch of a closed segment, with its CRC checked; anything else in the file is damage."""
    position, end = 0, file.size()
    while position < end:
        start = file.pread(HEADER_BYTES, position)
        if len(start) < HEADER_BYTES:
            raise UncleanableError(path, position, f"{len(start)} bytes are no batch")
        header = read_header(start)
        if not HEADER_BYTES <= header.size_bytes <= end - position:
            raise UncleanableError(path, position, f"no batch of {header.size_bytes} bytes fits here")
        batch = start + file.pread(header.size_bytes - HEADER_BYTES, position + HEADER_BYTES)
        if not crc_is_right(batch, 0, header.size_bytes):
            raise UncleanableError(path, position, "the CRC does not match")
        yield position, header, batch
        position += len(batch)


def emptied(header: BatchHeader) -> bytes:
    """Return a batch without records, which keeps offsets and sequence numbers known."""
    attributes = header.attributes & ~(CODEC_MASK | DELETE_HORIZON_BIT)
    return batch_from(header._replace(attributes=attributes, base_timestamp=_NO_TIMESTAMP, record_count=0), b"")


def rewritten(header: BatchHeader, body: bytes, kept: list[RecordSpan], horizon: int | None) -> bytes:
    """Return a batch with some of its records; a new delete horizon replaces the base timestamp."""
    new_body = bytearray()
    base_timestamp = header.base_timestamp if horizon is None else horizon
    shift = header.base_timestamp - base_timestamp
    for span in kept:
        if shift:
            fields = body[span.fields_start : span.end]
            append_fields(new_body, fields, span.timestamp_delta + shift, span.offset_delta)
        else:
            new_body += body[span.start : span.end]
    max_timestamp = header.max_timestamp
    if not header.attributes & LOG_APPEND_TIME_BIT:
        max_timestamp = header.base_timestamp + max(span.timestamp_delta for span in kept)
    attributes = header.attributes if horizon is None else header.attributes | DELETE_HORIZON_BIT
    return batch_from(
        header._replace(
            attributes=attributes,
            base_timestamp=base_timestamp,
            max_timestamp=max_timestamp,
            record_count=len(kept),
        ),
        new_body,
    )


class _SegmentWriter:
    """A new segment under names that end in ``.cleaned``."""

    def __init__(self, disk: Disk, directory: str, base_offset: int, index_interval_bytes: int) -> None:
        self._disk = disk
        self._base_offset = base_offset
        self._interval = index_interval_bytes
        self._paths = {
            suffix: cleaned_path(directory, base_offset, suffix)
            for suffix in (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)
        }
        self._offsets = OffsetIndex(disk, self._paths[INDEX_SUFFIX], is_loaded=True)
        self._times = TimeIndex(disk, self._paths[TIME_INDEX_SUFFIX], is_loaded=True)
        self._file = disk.open(self._paths[LOG_SUFFIX], create=True)
        self._file.truncate(0)
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._written_bytes = 0
        self._since_entry = 0
        self._max_timestamp = -1
        self._max_timestamp_offset = base_offset

    def append(self, batch: bytes) -> None:
        header = read_header(batch)
        # A batch without records keeps its time for its producer's sake, but no search by time may find it.
        if header.record_count > 0 and header.max_timestamp > self._max_timestamp:
            self._max_timestamp, self._max_timestamp_offset = header.max_timestamp, header.last_offset
        if self._since_entry > self._interval:
            self._offsets.append(header.last_offset - self._base_offset, self._written_bytes + self._pending_bytes)
            self._add_time()
            self._since_entry = 0
        self._since_entry += len(batch)
        self._pending.append(batch)
        self._pending_bytes += len(batch)
        if self._pending_bytes >= _WRITE_BYTES:
            self._write_pending()

    def finish(self, group: tuple[int, ...]) -> CleanedGroup:
        """Sync everything."""
        self._write_pending()
        self._file.sync()
        self._add_time()
        write_file(self._disk, self._paths[INDEX_SUFFIX], self._offsets.to_bytes())
        write_file(self._disk, self._paths[TIME_INDEX_SUFFIX], self._times.to_bytes())
        return CleanedGroup(self._base_offset, group, self._written_bytes, self._max_timestamp)

    def close(self, *, keep: bool) -> None:
        self._file.close()
        if not keep:
            self._disk.unlink(self._paths[LOG_SUFFIX])

    def _add_time(self) -> None:
        if self._max_timestamp >= 0:
            self._times.append(self._max_timestamp, self._max_timestamp_offset - self._base_offset)

    def _write_pending(self) -> None:
        data = memoryview(b"".join(self._pending))
        while data:
            written = self._file.pwritev([data], self._written_bytes)
            self._written_bytes += written
            data = data[written:]
        self._pending, self._pending_bytes = [], 0


KEY_BYTES: Final = 16
"""Keys of this length or more are stored as a digest of 128 bits, which no two keys share in practice."""
MAP_ENTRY_BYTES: Final = 200
"""The memory of one key in a dictionary, with its offset and its share of empty slots (measured: 150 to 195)."""


class OffsetMap:
    """A dictionary from keys to their latest offsets, with a size limit."""

    def __init__(self, memory_bytes: int) -> None:
        self.keys_max = max(1, memory_bytes // MAP_ENTRY_BYTES)
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """Note a key's occurrence, offsets rising from call to call; return False if there is no room for a new key."""
        name = _name(key)
        if len(self._offsets) >= self.keys_max and name not in self._offsets:
            return False
        self._offsets[name] = offset
        return True

    def latest(self, key: bytes) -> int:
        """Return a key's latest offset, or -1."""
        return self._offsets.get(_name(key), -1)


def _name(key: bytes) -> bytes:
    # Shorter keys are stored as they are; their length distinguishes them from digests.
    return key if len(key) < KEY_BYTES else blake2b(key, digest_size=KEY_BYTES).digest()
