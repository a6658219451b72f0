"""Inspect a partition's directory without a broker: its content, and whether it is sound.

Files are opened read-only and no lock is taken, so a running broker is not disturbed. The log need not open: after
damage, reading continues at the next batch that passes every check.
"""

import base64
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, zip_longest
from typing import Any, Final, TypeAlias

from chronik.records.batch import BatchHeader
from chronik.records.iterate import records_of
from chronik.storage.disk import OsFile
from chronik.storage.inspect_files import (
    ERROR,
    WARNING,
    LogFinding,
    SeenBatch,
    capped,
    check_leader_epochs,
    check_names,
    check_offset_index,
    check_snapshot,
    check_time_index,
    is_of_kind,
)
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.producer_snapshot import FULL_SUFFIX, KAFKA_SUFFIX
from chronik.storage.scan import Damage, SegmentScan
from chronik.storage.segment import INDEX_SUFFIX, LOG_SUFFIX, TIME_INDEX_SUFFIX

_CODEC_NAMES: Final = ("none", "gzip", "snappy", "lz4", "zstd")


@dataclass(frozen=True, slots=True)
class RecordRow:
    """A stored record."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch that passed every check; ``records`` is None where they were not requested or cannot be read."""

    file: str
    position: int
    size_bytes: int
    base_offset: int
    last_offset: int
    record_count: int
    leader_epoch: int
    codec: str
    timestamp_type: str
    base_timestamp: int
    max_timestamp: int
    producer_id: int
    producer_epoch: int
    base_sequence: int
    last_sequence: int
    is_transactional: bool
    is_control: bool
    delete_horizon_ms: int | None
    crc: int
    records: tuple[RecordRow, ...] | None = None
    records_error: str | None = None


@dataclass(frozen=True, slots=True)
class DamageRow:
    """Bytes that are not a good batch."""

    file: str
    position: int
    end_position: int
    expected_offset: int
    reason: str


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The extent of the check, and all findings."""

    directory: str
    segments: int
    batches: int
    records: int
    size_bytes: int
    start_offset: int
    end_offset: int
    findings: tuple[LogFinding, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is damaged; warnings are things that opening the log repairs."""
        return not any(finding.severity == ERROR for finding in self.findings)


Row: TypeAlias = BatchRow | DamageRow


def partition_directories(path: str) -> list[str]:
    """Return the partition directories under a path: the path itself, or those in a data directory."""
    if _segment_files(path):
        return [path]
    children = (os.path.join(path, name) for name in sorted(os.listdir(path)))
    return [child for child in children if os.path.isdir(child) and _segment_files(child)]


def dump(
    path: str, *, with_records: bool = False, from_offset: int = 0, end_offset: int | None = None
) -> Iterator[Row]:
    """Return the batches of a partition's directory, or of one ``.log`` file, in a range of offsets."""
    directory, files = _files_of(path)
    for name, end in _with_ends(files):
        if (end is not None and end <= from_offset) or (end_offset is not None and _base_of(name) >= end_offset):
            continue
        for row in _rows(directory, name, with_records):
            if isinstance(row, DamageRow) or _touches(row, from_offset, end_offset):
                yield row


def verify(directory: str, *, with_records: bool = False, gapless: bool = False) -> VerifyReport:
    """Check everything in a partition's directory. ``gapless``: gaps between offsets are damage too.

    Compaction leaves gaps, so whether they are allowed depends on the topic.
    """
    verification = _Verification(directory, with_records, gapless)
    return verification.run()


def jsonable(row: Any) -> dict[str, Any]:
    """Convert any result of this module for ``json.dumps``; bytes become text, or base64 if they are not UTF-8."""
    converted: dict[str, Any] = _plain(asdict(row))
    return converted


def _plain(value: Any) -> Any:
    match value:
        case bytes():
            return _text(value)
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case _:
            return value


def _text(value: bytes) -> str | dict[str, str]:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _segment_files(directory: str) -> list[str]:
    return sorted(name for name in os.listdir(directory) if is_of_kind(name, LOG_SUFFIX))


def _files_of(path: str) -> tuple[str, list[str]]:
    if os.path.isdir(path):
        return path, _segment_files(path)
    directory, name = os.path.split(path)
    return directory or ".", [name]


def _with_ends(files: Sequence[str]) -> Iterator[tuple[str, int | None]]:
    """Return each file with the base offset of the next."""
    for name, following in zip_longest(files, files[1:]):
        yield name, _base_of(following) if following else None


def _base_of(name: str) -> int:
    return int(name.partition(".")[0])


def _touches(row: BatchRow, from_offset: int, end_offset: int | None) -> bool:
    return row.last_offset >= from_offset and (end_offset is None or row.base_offset < end_offset)


def _rows(directory: str, name: str, with_records: bool) -> Iterator[Row]:
    # The kernel's read-only mode protects a broker's data from a mistake here.
    file = OsFile(os.open(os.path.join(directory, name), os.O_RDONLY | os.O_CLOEXEC))
    try:
        for found in SegmentScan(file, file.size(), is_dense=False).walk(0, _base_of(name)):
            if isinstance(found, Damage):
                yield DamageRow(name, *found)
                continue
            row = _batch_row(name, found.position, found.header)
            yield _read_records(row, file) if with_records else row
    finally:
        file.close()


def _batch_row(name: str, position: int, header: BatchHeader) -> BatchRow:
    codec = header.attributes & 0x07
    return BatchRow(
        file=name,
        position=position,
        size_bytes=header.size_bytes,
        base_offset=header.base_offset,
        last_offset=header.last_offset,
        record_count=header.record_count,
        leader_epoch=header.partition_leader_epoch,
        codec=_CODEC_NAMES[codec] if codec < len(_CODEC_NAMES) else f"unknown ({codec})",
        timestamp_type="LogAppendTime" if header.is_log_append_time else "CreateTime",
        base_timestamp=header.base_timestamp,
        max_timestamp=header.max_timestamp,
        producer_id=header.producer_id,
        producer_epoch=header.producer_epoch,
        base_sequence=header.base_sequence,
        last_sequence=header.last_sequence,
        is_transactional=header.is_transactional,
        is_control=header.is_control,
        delete_horizon_ms=header.delete_horizon_ms,
        crc=header.crc,
    )


def _read_records(row: BatchRow, file: OsFile) -> BatchRow:
    try:
        records = tuple(RecordRow(*record) for record in records_of(file.pread(row.size_bytes, row.position)))
    except ValueError as error:
        return replace(row, records_error=str(error))
    return replace(row, records=records)


class _Verification:
    """One pass over one directory."""

    def __init__(self, directory: str, with_records: bool, gapless: bool) -> None:
        self._directory = directory
        self._with_records = with_records
        self._gapless = gapless
        self._findings: list[LogFinding] = []
        self._batches: list[SeenBatch] = []
        self._records = 0
        self._size_bytes = 0
        self._end_offset = 0

    def run(self) -> VerifyReport:
        names = sorted(os.listdir(self._directory))
        files = _segment_files(self._directory)
        self._end_offset = _base_of(files[0]) if files else 0
        for name, end in _with_ends(files):
            self._check_segment(name, end)
        self._findings += check_leader_epochs(LEADER_EPOCHS, self._read(LEADER_EPOCHS), self._batches)
        for name in names:
            data = self._read(name) if is_of_kind(name, KAFKA_SUFFIX, FULL_SUFFIX) else None
            if data is not None:
                self._findings += check_snapshot(name, data, self._end_offset)
        self._findings += check_names(names)
        return VerifyReport(
            directory=self._directory,
            segments=len(files),
            batches=len(self._batches),
            records=self._records,
            size_bytes=self._size_bytes,
            start_offset=_base_of(files[0]) if files else 0,
            end_offset=self._end_offset,
            findings=tuple(self._findings),
        )

    def _check_segment(self, name: str, end: int | None) -> None:
        base_offset = _base_of(name)
        self._check_order(name, base_offset)
        before = len(self._batches)
        for row in _rows(self._directory, name, self._with_records):
            if isinstance(row, DamageRow):
                self._note_damage(row, end)
            else:
                self._note_batch(row, end)
        self._check_indexes(name, base_offset, self._batches[before:], is_closed=end is not None)

    def _check_order(self, name: str, base_offset: int) -> None:
        if base_offset < self._end_offset:
            message = f"it begins before the segment before it ends (offset {self._end_offset})"
            self._findings.append(LogFinding(ERROR, name, None, base_offset, message))

    def _note_damage(self, row: DamageRow, end: int | None) -> None:
        is_tail = end is None and row.end_position >= self._file_size(row.file)
        what = "unfinished bytes at the end" if is_tail else "damaged bytes"
        message = f"{row.end_position - row.position} {what}: {row.reason}"
        severity = WARNING if is_tail else ERROR
        self._findings.append(LogFinding(severity, row.file, row.position, row.expected_offset, message))
        self._size_bytes += row.end_position - row.position

    def _note_batch(self, row: BatchRow, end: int | None) -> None:
        self._check_batch(row, end)
        self._batches.append(
            SeenBatch(row.position, row.base_offset, row.last_offset, row.max_timestamp, row.leader_epoch)
        )
        self._records += row.record_count
        self._size_bytes += row.size_bytes
        self._end_offset = max(self._end_offset, row.last_offset + 1)

    def _check_batch(self, row: BatchRow, end: int | None) -> None:
        if end is not None and row.last_offset >= end:
            self._accuse(row, f"it reaches offset {row.last_offset}, but the next segment begins at {end}")
        if self._gapless and row.base_offset > self._end_offset:
            self._accuse(row, f"offsets {self._end_offset} to {row.base_offset - 1} are missing before it")
        if self._batches and row.leader_epoch < self._batches[-1].leader_epoch:
            self._accuse(row, f"leader epoch {row.leader_epoch} follows {self._batches[-1].leader_epoch}")
        if row.records_error is not None:
            self._accuse(row, f"its records cannot be read: {row.records_error}")
        elif row.records is not None and not _rise_within(row, row.records):
            self._accuse(row, f"its records' offsets do not rise within {row.base_offset} to {row.last_offset}")

    def _accuse(self, row: BatchRow, message: str) -> None:
        self._findings.append(LogFinding(ERROR, row.file, row.position, row.base_offset, message))

    def _check_indexes(self, name: str, base_offset: int, batches: list[SeenBatch], *, is_closed: bool) -> None:
        stem = name.removesuffix(LOG_SUFFIX)
        for suffix, check in ((INDEX_SUFFIX, check_offset_index), (TIME_INDEX_SUFFIX, check_time_index)):
            file = stem + suffix
            data = self._read(file)
            if data is not None:
                self._findings += capped(file, check(file, data, base_offset, batches))
            elif is_closed:
                self._findings.append(LogFinding(WARNING, file, None, base_offset, "it is missing"))

    def _read(self, name: str) -> bytes | None:
        try:
            with open(os.path.join(self._directory, name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None

    def _file_size(self, name: str) -> int:
        return os.stat(os.path.join(self._directory, name)).st_size


def _rise_within(row: BatchRow, records: tuple[RecordRow, ...]) -> bool:
    offsets = [row.base_offset - 1, *(record.offset for record in records), row.last_offset + 1]
    return all(before < after for before, after in pairwise(offsets))
