"""A topic lookup in segment files."""

from collections.abc import Iterable, Iterator, Mapping
from types import TracebackType
from typing import Final, Self

import numpy as np

from chronik.model.ids import TopicPartition
from chronik.spark.decode.bodies import batch_groups
from chronik.spark.decode.columnar import Depth
from chronik.spark.decode.record_rows import rows_of
from chronik.spark.segments.files import PartitionDirectory, SegmentFile, log_start_in, segments_in, stored_partitions
from chronik.spark.segments.reading import chunks_of_headers
from chronik.spark.source.problems import ReadError, TopicMissingError
from chronik.spark.wire.chunks import Chunk

_INTERNAL: Final = frozenset({"__consumer_offsets", "__transaction_state", "__cluster_metadata"})


class SegmentLookup:
    """A directory of segment files in its present state; a partition ends after its last valid batch."""

    def __init__(self, path: str, *, read_committed: bool = False) -> None:
        self._path = path
        self._read_committed = read_committed
        self._stored = stored_partitions(path)
        if not self._stored:
            raise ReadError(
                f"path={path}: no partition is there; name a broker's data directory (the one with directories like "
                "orders-0) or the directory of one partition"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing: no file stays open."""

    def topics(self) -> list[str]:
        return sorted({at.topic for at in self._stored} - _INTERNAL)

    def partitions(self, topics: Iterable[str]) -> dict[TopicPartition, str]:
        """Return the partitions of these topics, each with its topic's id ('' where none is stored)."""
        wanted = set(topics)
        missing = sorted(wanted - {at.topic for at in self._stored})
        if missing:
            known = ", ".join(self.topics()) or "none"
            raise TopicMissingError(f"path={self._path}: no partition of {missing} is there; topics: {known}")
        return {at: stored.topic_id for at, stored in sorted(self._stored.items()) if at.topic in wanted}

    def directory_of(self, at: TopicPartition) -> str:
        """Return the directory of a partition, which is the path of its slices."""
        return self._stored[at].path

    def earliest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        return {at: log_start_in(self._stored[at]) for at in partitions}

    def latest(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return the end after the last valid batch; for ``read_committed`` the last stable offset."""
        return {at: self._end_of(self._stored[at]) for at in partitions}

    def at_times(self, times_ms: Mapping[TopicPartition, int]) -> dict[TopicPartition, int | None]:
        return {at: _first_not_older(self._stored[at], time_ms) for at, time_ms in times_ms.items()}

    def _end_of(self, stored: PartitionDirectory) -> int:
        segments = segments_in(stored.path)
        if self._read_committed:
            return _last_stable_offset(stored, segments)
        return _log_end(segments)


def _log_end(segments: list[SegmentFile]) -> int:
    """Return the end of the last segment; one without a valid batch ends at its base offset."""
    ends = [int(chunk.table.next_offsets[-1]) for chunk in chunks_of_headers(segments[-1:])]
    return ends[-1] if ends else segments[-1].base_offset


def _last_stable_offset(stored: PartitionDirectory, segments: list[SegmentFile]) -> int:
    """Return the first offset of the first transaction without a marker, or the log end."""
    undecided: dict[int, int] = {}
    end = segments[0].base_offset
    for chunk in chunks_of_headers(segments):
        end = int(chunk.table.next_offsets[-1])
        table = chunk.table.only(chunk.table.is_transactional)
        columns = (table.column("producer_id").tolist(), table.base_offsets.tolist(), table.is_control.tolist())
        for producer_id, base_offset, is_marker in zip(*columns, strict=True):
            if is_marker:
                undecided.pop(producer_id, None)
            else:
                undecided.setdefault(producer_id, base_offset)
    return min([end, *undecided.values()])


def _first_not_older(stored: PartitionDirectory, time_ms: int) -> int | None:
    log_start = log_start_in(stored)
    for chunk, number in _batches_not_older(stored, time_ms):
        for group in batch_groups(chunk.opened(number)):
            rows = rows_of(group, Depth.TIMES).rows
            is_late = (rows.timestamps_ms >= time_ms) & (rows.offsets >= log_start)
            if is_late.any():
                return int(rows.offsets[is_late.argmax()])
    return None


def _batches_not_older(stored: PartitionDirectory, time_ms: int) -> Iterator[tuple[Chunk, int]]:
    segments = segments_in(stored.path)
    late = [segment for segment in segments if (latest := segment.latest_time_ms()) is None or latest >= time_ms]
    for chunk in chunks_of_headers(late):
        is_late = (chunk.table.column("max_timestamp") >= time_ms) & ~chunk.table.is_control
        for number in np.flatnonzero(is_late).tolist():
            yield chunk, number
