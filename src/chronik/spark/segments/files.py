"""The partitions and segments in a broker's data directory, or in a copy of it.

Files are only read, never locked or changed: the broker may run.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from chronik.model.ids import TopicPartition
from chronik.spark.planning.slices import Slice
from chronik.spark.source.problems import ReadError, TopicMissingError
from chronik.storage.checkpoints import LOG_START, parse_offsets
from chronik.storage.directory import PARTITION_METADATA, parse_uuid

_PARTITION_NAME: Final = re.compile(r"(.+)-(\d+)")
_LOG_NAME: Final = re.compile(r"\d{20}\.log")
_INDEX_ENTRY: Final = np.dtype([("offset", ">u4"), ("position", ">u4")])
_TIME_ENTRY: Final = np.dtype([("timestamp", ">i8"), ("offset", ">u4")])
_ABORTED_ENTRY: Final = np.dtype(
    [("version", ">i2"), ("producer_id", ">i8"), ("first", ">i8"), ("last", ">i8"), ("stable", ">i8")]
)


@dataclass(frozen=True, slots=True)
class PartitionDirectory:
    """A partition's directory."""

    at: TopicPartition
    topic_id: str
    path: str


class AbortedTransaction(NamedTuple):
    """A transaction from its first record to the marker that ended it."""

    first_offset: int
    marker_offset: int
    producer_id: int


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """One segment, and where the next one begins (None: it is the last)."""

    base_offset: int
    path: str
    next_base_offset: int | None

    def position_before(self, offset: int) -> int:
        """Return a position at or before the batch of an offset, by the sparse index, which may be missing."""
        entries = _entries(self._beside(".index"), _INDEX_ENTRY)
        if offset <= self.base_offset or not len(entries):
            return 0
        slot = int(np.searchsorted(entries["offset"].astype(np.int64), offset - self.base_offset, side="right")) - 1
        return int(entries["position"][slot]) if slot >= 0 else 0

    def latest_time_ms(self) -> int | None:
        """Return the latest timestamp of a closed segment by its index; None where it is unknown."""
        if self.next_base_offset is None:
            return None
        entries = _entries(self._beside(".timeindex"), _TIME_ENTRY)
        return int(entries["timestamp"].max()) if len(entries) else None

    def aborted(self) -> list[AbortedTransaction]:
        """Return the aborted transactions whose markers are in this segment."""
        entries = _entries(self._beside(".txnindex"), _ABORTED_ENTRY)
        columns = (entries[name].astype(np.int64).tolist() for name in ("first", "last", "producer_id"))
        return [AbortedTransaction(*values) for values in zip(*columns, strict=True)]

    def _beside(self, suffix: str) -> str:
        return self.path.removesuffix(".log") + suffix


def _entries(path: str, layout: np.dtype) -> np.ndarray:
    """Read an index without its preallocated end; a missing index is empty."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        data = b""
    whole = np.frombuffer(data[: len(data) // layout.itemsize * layout.itemsize], layout)
    is_used = whole.view(np.uint8).reshape(len(whole), layout.itemsize).any(axis=1)
    used = int(np.flatnonzero(is_used)[-1]) + 1 if is_used.any() else 0
    return whole[:used]


def stored_partitions(path: str) -> dict[TopicPartition, PartitionDirectory]:
    """Find the partitions of a data directory, or the one partition whose directory this is."""
    if not os.path.isdir(path):
        raise ReadError(f"path={path}: there is no such directory on this machine")
    own = _partition_at(path)
    if own is not None:
        return {own.at: own}
    found = (_partition_at(entry.path) for entry in sorted(os.scandir(path), key=lambda entry: entry.name))
    return {partition.at: partition for partition in found if partition is not None}


def _partition_at(path: str) -> PartitionDirectory | None:
    match = _PARTITION_NAME.fullmatch(os.path.basename(os.path.normpath(path)))
    if match is None or not os.path.isdir(path) or not any(_LOG_NAME.fullmatch(name) for name in os.listdir(path)):
        return None
    return PartitionDirectory(TopicPartition(match[1], int(match[2])), _topic_id_in(path), os.path.abspath(path))


def directory_of(piece: Slice) -> str:
    """Return the directory of a slice's partition; the slice's path is that directory or its parent."""
    assert piece.path is not None, "the slice names no directory"
    inside = os.path.join(piece.path, str(TopicPartition(piece.topic, piece.partition)))
    return inside if os.path.isdir(inside) else piece.path


def _topic_id_in(path: str) -> str:
    try:
        lines = Path(path, PARTITION_METADATA).read_text(encoding="utf-8").splitlines()
        return str(parse_uuid(dict(line.split(": ", 1) for line in lines)["topic_id"]))
    except (FileNotFoundError, ValueError, KeyError):
        return ""


def segments_in(path: str) -> list[SegmentFile]:
    """Return a partition's segments in the order of offsets."""
    try:
        names = sorted(name for name in os.listdir(path) if _LOG_NAME.fullmatch(name))
    except FileNotFoundError:
        raise TopicMissingError(f"path={path}: the partition's directory does not exist") from None
    bases: list[int | None] = [int(name[:20]) for name in names]
    nexts = [*bases[1:], None]
    return [
        SegmentFile(int(name[:20]), os.path.join(path, name), behind)
        for name, behind in zip(names, nexts[: len(names)], strict=True)
    ]


def segments_between(path: str, start_offset: int, end_offset: int) -> Iterator[SegmentFile]:
    """Return the segments that hold offsets of a slice."""
    for segment in segments_in(path):
        if segment.base_offset >= end_offset:
            return
        if segment.next_base_offset is None or segment.next_base_offset > start_offset:
            yield segment


def aborted_between(path: str, start_offset: int, end_offset: int) -> list[AbortedTransaction]:
    """Return the aborted transactions with records in a slice, from Kafka's transaction indexes."""
    return [
        aborted
        for segment in segments_in(path)
        if segment.next_base_offset is None or segment.next_base_offset > start_offset
        for aborted in segment.aborted()
        if aborted.first_offset < end_offset and aborted.marker_offset >= start_offset
    ]


def log_start_in(partition: PartitionDirectory) -> int:
    """Return the log start offset: that of the first segment, or a later one where records were deleted."""
    segments = segments_in(partition.path)
    first = segments[0].base_offset if segments else 0
    try:
        data = Path(partition.path).parent.joinpath(LOG_START).read_bytes()
        return max(first, parse_offsets(data).get(partition.at, first))
    except (FileNotFoundError, ValueError):
        return first
