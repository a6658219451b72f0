"""Checks of a segment's other files against its batches.

A check takes the bytes of a file and the batches that the scan found, and returns findings.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from struct import Struct
from typing import Any, Final, Literal, NamedTuple

from chronik.storage.compaction_swap import CLEANED_SUFFIX, SWAP_SUFFIX
from chronik.storage.leader_epochs import FILE_NAME as LEADER_EPOCHS
from chronik.storage.leader_epochs import parse_leader_epochs
from chronik.storage.producer_snapshot import FULL_SUFFIX, KAFKA_SUFFIX, decode_full, decode_kafka
from chronik.storage.segment import DELETED_SUFFIX, INDEX_SUFFIX, LOG_SUFFIX, TIME_INDEX_SUFFIX

Severity = Literal["error", "warning"]
ERROR: Final[Severity] = "error"
WARNING: Final[Severity] = "warning"
FINDINGS_PER_FILE_MAX: Final = 20
PARTITION_METADATA: Final = "partition.metadata"

_OFFSET_ENTRY: Final = Struct(">II")
_TIME_ENTRY: Final = Struct(">qI")
_STEM_DIGITS: Final = 20
_SEGMENT_SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX)
_SNAPSHOT_SUFFIXES: Final = (KAFKA_SUFFIX, FULL_SUFFIX)
_LEFTOVER_SUFFIXES: Final = (CLEANED_SUFFIX, SWAP_SUFFIX, DELETED_SUFFIX, ".tmp")
_OTHER_NAMES: Final = frozenset({LEADER_EPOCHS, PARTITION_METADATA})


@dataclass(frozen=True, slots=True)
class LogFinding:
    """A finding: an error is damage, a warning is something that opening the log repairs."""

    severity: Severity
    file: str
    position: int | None
    offset: int | None
    message: str


class SeenBatch(NamedTuple):
    """A batch, as the checks need it."""

    position: int
    base_offset: int
    last_offset: int
    max_timestamp: int
    leader_epoch: int


def capped(file: str, findings: Iterator[LogFinding]) -> list[LogFinding]:
    """Return the first findings of a file, and a last one that says if there are more."""
    shown = list(islice(findings, FINDINGS_PER_FILE_MAX))
    rest = sum(1 for _ in findings)
    if rest:
        shown.append(LogFinding(ERROR, file, None, None, f"and {rest} more of this kind"))
    return shown


def check_offset_index(file: str, data: bytes, base_offset: int, batches: Sequence[SeenBatch]) -> Iterator[LogFinding]:
    """Check each entry against the batch at its position; the entry has that batch's last offset."""
    if len(data) % _OFFSET_ENTRY.size:
        yield LogFinding(WARNING, file, len(data), None, f"its size is no multiple of {_OFFSET_ENTRY.size}")
    by_position = {batch.position: batch for batch in batches}
    before = -1
    for slot, (relative, position) in enumerate(_entries(_OFFSET_ENTRY, data)):
        at, offset = slot * _OFFSET_ENTRY.size, base_offset + relative
        batch = by_position.get(position)
        if batch is None:
            yield LogFinding(ERROR, file, at, offset, f"it points at {position}, where no good batch begins")
        elif batch.last_offset != offset:
            message = f"it has offset {offset} for position {position}, whose batch ends with {batch.last_offset}"
            yield LogFinding(ERROR, file, at, offset, message)
        if relative <= before:
            yield LogFinding(ERROR, file, at, offset, "offsets do not rise")
        before = relative


def check_time_index(file: str, data: bytes, base_offset: int, batches: Sequence[SeenBatch]) -> Iterator[LogFinding]:
    """Check that entries rise, and that no batch up to an entry's offset has a later timestamp."""
    if len(data) % _TIME_ENTRY.size:
        yield LogFinding(WARNING, file, len(data), None, f"its size is no multiple of {_TIME_ENTRY.size}")
    remaining = iter(batches)
    batch = next(remaining, None)
    last_time, last_relative, latest = -1, -1, -1
    for slot, (timestamp, relative) in enumerate(_entries(_TIME_ENTRY, data)):
        at, offset = slot * _TIME_ENTRY.size, base_offset + relative
        if timestamp <= last_time or relative < last_relative:
            yield LogFinding(ERROR, file, at, offset, "timestamps and offsets do not rise")
        last_time, last_relative = timestamp, relative
        while batch is not None and batch.last_offset <= offset:
            latest = max(latest, batch.max_timestamp)
            batch = next(remaining, None)
        if latest > timestamp:
            message = f"it has {timestamp} as the latest up to offset {offset}, but a batch there has {latest}"
            yield LogFinding(ERROR, file, at, offset, message)


def _entries(layout: Struct, data: bytes) -> Iterator[tuple[Any, ...]]:
    """Return a file's entries; zeros at its end are preallocated space."""
    whole = data[: len(data) // layout.size * layout.size]
    used = len(whole.rstrip(b"\0"))
    rounded = -(-used // layout.size) * layout.size
    yield from layout.iter_unpack(whole[:rounded])


def check_leader_epochs(file: str, data: bytes | None, batches: Iterable[SeenBatch]) -> Iterator[LogFinding]:
    """Check the epochs' start offsets against the epoch of each batch."""
    if data is None:
        if any(batch.leader_epoch >= 0 for batch in batches):
            yield LogFinding(WARNING, file, None, None, "it is missing")
        return
    try:
        epochs = parse_leader_epochs(data)
    except ValueError as error:
        yield LogFinding(ERROR, file, None, None, f"it cannot be read: {error}")
        return
    reported = set()
    for batch in batches:
        known = epochs.range_at(batch.base_offset)
        claimed = known.leader_epoch if known else -1
        if claimed != batch.leader_epoch and (claimed, batch.leader_epoch) not in reported:
            reported.add((claimed, batch.leader_epoch))
            message = f"it has epoch {claimed} where the batch carries {batch.leader_epoch}"
            yield LogFinding(ERROR, file, None, batch.base_offset, message)


def check_snapshot(file: str, data: bytes, end_offset: int) -> Iterator[LogFinding]:
    """Check that a producer snapshot can be read and belongs to this log."""
    offset = int(file[:_STEM_DIGITS])
    try:
        entries = decode_full(data) if file.endswith(FULL_SUFFIX) else decode_kafka(data)
    except ValueError as error:
        yield LogFinding(ERROR, file, None, offset, str(error))
        return
    if offset > end_offset:
        yield LogFinding(WARNING, file, None, offset, f"it is of offset {offset}, but the log ends at {end_offset}")
    for entry in entries:
        if entry.batches[-1].last_offset >= offset:
            message = f"producer {entry.producer_id} wrote offset {entry.batches[-1].last_offset}, which is later"
            yield LogFinding(ERROR, file, None, offset, message)


def check_names(names: Iterable[str]) -> Iterator[LogFinding]:
    """Report files that do not belong in a partition's directory."""
    known = sorted(names)
    logs = {name[:_STEM_DIGITS] for name in known if is_of_kind(name, LOG_SUFFIX)}
    for name in known:
        if name in _OTHER_NAMES or is_of_kind(name, *_SNAPSHOT_SUFFIXES):
            continue
        if name.endswith(_LEFTOVER_SUFFIXES):
            yield LogFinding(WARNING, name, None, None, "it is left over from something unfinished")
        elif not is_of_kind(name, *_SEGMENT_SUFFIXES):
            yield LogFinding(WARNING, name, None, None, "it does not belong here")
        elif name[:_STEM_DIGITS] not in logs:
            yield LogFinding(WARNING, name, None, int(name[:_STEM_DIGITS]), "its segment is missing")


def is_of_kind(name: str, *suffixes: str) -> bool:
    """Return whether a name is an offset with one of the suffixes."""
    stem, suffix = name[:_STEM_DIGITS], name[_STEM_DIGITS:]
    return len(stem) == _STEM_DIGITS and stem.isdecimal() and suffix in suffixes
