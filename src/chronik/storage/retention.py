"""Which segments of a log have had their time; a decision that changes nothing."""

from collections.abc import Callable
from typing import NamedTuple

from chronik.storage.log_config import LogConfig
from chronik.storage.segment import Segment
from chronik.storage.segment_list import SegmentList


class LogBounds(NamedTuple):
    """What retention must know of a log."""

    log_start_offset: int
    log_end_offset: int
    high_watermark: int


def plan_expired(
    segments: SegmentList, config: LogConfig, bounds: LogBounds, now_ms: int, modified_ms: Callable[[Segment], int]
) -> list[tuple[Segment, str]]:
    """Give the segments to delete, the oldest first, each with the reason.

    Only whole segments below the high watermark go, without a gap between them; an empty active segment stays.
    """
    expired: list[tuple[Segment, str]] = []
    excess_bytes = segments.size_bytes - config.retention_bytes
    for slot, segment in enumerate(segments):
        end_offset = segments.end_offset_of(slot, bounds.log_end_offset)
        is_empty_active = segment is segments.active and segment.size_bytes == 0
        if end_offset > bounds.high_watermark or is_empty_active:
            break
        reason = _below_start(end_offset, bounds.log_start_offset)
        if reason is None and config.cleanup_delete:
            reason = _too_old(segment, config, now_ms, modified_ms) or _too_large(segment, config, excess_bytes)
        if reason is None:
            break
        excess_bytes -= segment.size_bytes
        expired.append((segment, reason))
    return expired


def _below_start(end_offset: int, log_start_offset: int) -> str | None:
    return f"it lies below the log start {log_start_offset}" if end_offset <= log_start_offset else None


def _too_old(segment: Segment, config: LogConfig, now_ms: int, modified_ms: Callable[[Segment], int]) -> str | None:
    if config.retention_ms < 0:
        return None
    newest = segment.max_timestamp if segment.max_timestamp >= 0 else modified_ms(segment)
    if now_ms - newest <= config.retention_ms:
        return None
    return f"its newest record is {now_ms - newest} ms old, more than retention.ms={config.retention_ms}"


def _too_large(segment: Segment, config: LogConfig, excess_bytes: int) -> str | None:
    if config.retention_bytes < 0 or excess_bytes < segment.size_bytes:
        return None
    return f"the log is {excess_bytes} bytes larger than retention.bytes={config.retention_bytes}"
