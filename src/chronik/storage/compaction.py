"""Log compaction: when it is due, what it covers, and the messages between broker and child process.

The broker plans (``plan_compaction``), a child process rewrites (``segment_cleaner``), and the broker swaps the new
segments in (``compaction_swap``). A job and its result are sent as JSON.

The latest record of each key stays. Segments keep their order and batches their offsets, so removed records leave gaps.
The active segment and everything at or above the high watermark are never touched.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Final

from chronik.storage.log_config import LogConfig
from chronik.storage.producer_state import ProducerEntry

DEDUPE_BUFFER_BYTES: Final = 128 * 1024 * 1024
"""Kafka's ``log.cleaner.dedupe.buffer.size``: the memory for keys in one compaction."""
_OFFSET_SPAN_MAX: Final = 2**31 - 1


@dataclass(frozen=True, slots=True)
class SegmentInfo:
    """A segment for planning; unknown timestamps are -1."""

    base_offset: int
    size_bytes: int
    max_timestamp: int
    first_timestamp: int = -1


@dataclass(frozen=True, slots=True)
class CompactionJob:
    """The work of the child process. Groups are base offsets; each group becomes one segment."""

    directory: str
    groups: tuple[tuple[int, ...], ...]
    first_dirty_offset: int
    end_offset: int
    delete_retention_ms: int
    index_interval_bytes: int
    now_ms: int
    remembered_batches: tuple[int, ...] = ()
    """Base offsets of the last batches of producers: they stay, if necessary without records."""
    dedupe_buffer_bytes: int = DEDUPE_BUFFER_BYTES

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "CompactionJob":
        fields = json.loads(text)
        fields["groups"] = tuple(tuple(group) for group in fields["groups"])
        fields["remembered_batches"] = tuple(fields["remembered_batches"])
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class CleanedGroup:
    """A new segment, its files still named ``.cleaned``, and the segments that it replaces."""

    base_offset: int
    replaces: tuple[int, ...]
    size_bytes: int
    max_timestamp: int

    @classmethod
    def from_fields(cls, fields: dict[str, Any]) -> "CleanedGroup":
        return cls(**fields | {"replaces": tuple(fields["replaces"])})


@dataclass(frozen=True, slots=True)
class CompactionResult:
    """The result of the child process. With an error nothing may be swapped in."""

    directory: str
    groups: tuple[CleanedGroup, ...]
    cleaned_end_offset: int
    """The next job's first dirty offset: below it, no key occurs twice."""
    bytes_before: int = 0
    bytes_after: int = 0
    records_before: int = 0
    records_after: int = 0
    records_without_key: int = 0
    keys: int = 0
    error: str | None = None

    def to_json(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> "CompactionResult":
        fields = json.loads(text)
        fields["groups"] = tuple(CleanedGroup.from_fields(group) for group in fields["groups"])
        return cls(**fields)


def plan_compaction(
    directory: str,
    segments: Sequence[SegmentInfo],
    config: LogConfig,
    *,
    first_dirty_offset: int,
    high_watermark: int,
    now_ms: int,
    producers: Iterable[ProducerEntry] = (),
    dedupe_buffer_bytes: int = DEDUPE_BUFFER_BYTES,
) -> CompactionJob | None:
    """Return the next compaction job, or None. ``segments`` are all segments of the log, the active one last."""
    if not config.cleanup_compact:
        return None
    cleanable = _cleanable(segments, config, high_watermark, now_ms)
    dirty = _dirty(segments, cleanable, first_dirty_offset)
    if not dirty or not _is_due(cleanable, dirty, config, now_ms):
        return None
    end_offset = segments[len(cleanable)].base_offset
    return CompactionJob(
        directory=directory,
        groups=tuple(_groups(segments, len(cleanable), config)),
        first_dirty_offset=max(first_dirty_offset, segments[0].base_offset),
        end_offset=end_offset,
        delete_retention_ms=config.delete_retention_ms,
        index_interval_bytes=config.index_interval_bytes,
        now_ms=now_ms,
        remembered_batches=remembered_batches(producers, end_offset),
        dedupe_buffer_bytes=dedupe_buffer_bytes,
    )


def remembered_batches(producers: Iterable[ProducerEntry], end_offset: int) -> tuple[int, ...]:
    """Return the base offsets, below an offset, of the last batches of producers."""
    known = (batch.base_offset for entry in producers for batch in entry.batches)
    return tuple(sorted(offset for offset in known if offset < end_offset))


def _cleanable(
    segments: Sequence[SegmentInfo], config: LogConfig, high_watermark: int, now_ms: int
) -> Sequence[SegmentInfo]:
    """Return the closed segments up to the first that is not committed or too young."""
    youngest = now_ms - config.min_compaction_lag_ms
    for index, (segment, following) in enumerate(pairwise(segments)):
        is_young = config.min_compaction_lag_ms > 0 and segment.max_timestamp > youngest
        if following.base_offset > high_watermark or is_young:
            return segments[:index]
    return segments[:-1]


def _dirty(
    segments: Sequence[SegmentInfo], cleanable: Sequence[SegmentInfo], first_dirty_offset: int
) -> Sequence[SegmentInfo]:
    for index in range(len(cleanable)):
        if segments[index + 1].base_offset > first_dirty_offset:
            return cleanable[index:]
    return ()


def _is_due(cleanable: Sequence[SegmentInfo], dirty: Sequence[SegmentInfo], config: LogConfig, now_ms: int) -> bool:
    dirty_bytes = sum(segment.size_bytes for segment in dirty)
    all_bytes = sum(segment.size_bytes for segment in cleanable)
    if dirty_bytes == 0:
        return False
    if dirty_bytes > config.min_cleanable_dirty_ratio * all_bytes:
        return True
    first = dirty[0].first_timestamp if dirty[0].first_timestamp >= 0 else dirty[0].max_timestamp
    return first >= 0 and now_ms - first > config.max_compaction_lag_ms


def _groups(segments: Sequence[SegmentInfo], count: int, config: LogConfig) -> Iterable[tuple[int, ...]]:
    """Join neighbours that fit into one segment, or compaction would leave smaller and smaller files."""
    group: list[int] = []
    group_bytes = 0
    for segment, following in pairwise(segments[: count + 1]):
        too_large = group_bytes + segment.size_bytes > config.segment_bytes
        if group and (too_large or following.base_offset - group[0] > _OFFSET_SPAN_MAX):
            yield tuple(group)
            group, group_bytes = [], 0
        group.append(segment.base_offset)
        group_bytes += segment.size_bytes
    if group:
        yield tuple(group)
