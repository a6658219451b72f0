"""The log of a topic as the side STORED, read in tasks: from the wire, or from segment files without a broker."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from chronik.audit.judge.balance.splits import Side, SplitChunk, joined
from chronik.audit.judge.balance.summaries import NARROW_STORED, in_chunks
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, STORED
from chronik.audit.tables.spans import ReadSpan
from chronik.audit.tables.stream_files import Bounds
from chronik.model.ids import TopicPartition
from chronik.spark.audit.log_rows import RowTarget, rows_of_chunk, rows_of_problem
from chronik.spark.options.parsers import View
from chronik.spark.planning.cluster_lookup import ClusterLookup
from chronik.spark.planning.segment_lookup import SegmentLookup
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.planning.tasks import cut, slices, spans
from chronik.spark.segments.reading import found_in_segments
from chronik.spark.wire.chunks import Chunk, Found
from chronik.spark.wire.fetching import SliceFetch
from chronik.spark.wire.prefetch import prefetched

TASKS_AIMED_AT: Final = 6


@dataclass(frozen=True, slots=True)
class LogSplit:
    """A share of one partition."""

    part: Slice
    rules: ReadRules

    @property
    def side(self) -> Side:
        return Side.STORED

    def chunks(self) -> Iterator[SplitChunk]:
        """Read the split; a chunk is a range of offsets."""
        first = self.part.start_offset
        for rows in in_chunks(self._batches(self.part, NARROW_STORED)):
            end = int(rows.column("offset")[-1].as_py()) + 1
            yield SplitChunk(first, end, rows)
            first = end

    def again(self, chosen: Sequence[Bounds]) -> Iterator[pa.Table]:
        """Read only these ranges from the broker or the files."""
        for first, end in chosen:
            batches = list(self._batches(replace(self.part, start_offset=first, end_offset=end), STORED))
            yield joined([batch for batch in batches if batch.num_rows], STORED)

    def _batches(self, part: Slice, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        if part.path is None:
            found = prefetched(SliceFetch(part, self.rules))
        else:
            found = found_in_segments(part, self.rules, View.RECORDS)
        with closing(found):
            for item in found:
                yield from rows_of_item(item, part, schema)


def rows_of_item(item: Found, part: Slice, schema: pa.Schema = STORED) -> Iterator[pa.RecordBatch]:
    """Return what was read of a slice as rows of STORED, or of some of its columns, in the order of offsets."""
    target = RowTarget(AS_CLIENTS_SEE_IT, part.partition, schema)
    if isinstance(item, Chunk):
        yield from (_within(rows, part) for rows in _ordered(item, target))
    elif (rows := rows_of_problem(item, target)) is not None:
        yield _within(rows, part)


def _ordered(chunk: Chunk, target: RowTarget) -> Iterator[pa.RecordBatch]:
    """Return the rows of a chunk in the order of their offsets, whatever kinds of batches take turns in it."""
    parts = list(rows_of_chunk(chunk, target))
    if len(parts) == 1:
        yield parts[0]
    elif parts:
        yield from pa.Table.from_batches(parts, target.schema).sort_by("offset").combine_chunks().to_batches()


def _within(rows: pa.RecordBatch, part: Slice) -> pa.RecordBatch:
    offsets = rows.column("offset").to_numpy()
    is_inside = (offsets >= part.start_offset) & (offsets < part.end_offset)
    return rows if is_inside.all() else rows.filter(pa.array(is_inside))


@dataclass(frozen=True, slots=True)
class PlannedLog:
    """What is to be read of a topic, and how far that goes."""

    splits: tuple[LogSplit, ...]
    spans: tuple[ReadSpan, ...]


def log_on_the_wire(
    bootstrap: str, topic: str, starts: Mapping[int, int] | None = None, client_options: Mapping[str, str] | None = None
) -> PlannedLog:
    """Plan the reading of a topic from its brokers, up to the last stable offset: so aborted records are known."""
    rules = ReadRules(bootstrap, client_options or {}, read_committed=True, fail_on_data_loss=False)
    with ClusterLookup(bootstrap, client_options, read_committed=True) as lookup:
        return _plan(lookup, topic, starts or {}, rules, is_whole=False)


def log_in_segments(path: str, topic: str, starts: Mapping[int, int] | None = None) -> PlannedLog:
    """Plan the reading of a topic from a broker's data directory, to the end of each log."""
    rules = ReadRules("", fail_on_data_loss=False)
    with SegmentLookup(path) as lookup:
        log = _plan(lookup, topic, starts or {}, rules, is_whole=True)
        places = {at.partition: lookup.directory_of(at) for at in lookup.partitions([topic])}
    splits = [replace(one, part=replace(one.part, path=places[one.part.partition])) for one in log.splits]
    return PlannedLog(tuple(splits), log.spans)


def _plan(
    lookup: ClusterLookup | SegmentLookup, topic: str, starts: Mapping[int, int], rules: ReadRules, *, is_whole: bool
) -> PlannedLog:
    partitions = lookup.partitions([topic])
    earliest, latest = lookup.earliest(partitions), lookup.latest(partitions)
    begins = {at: max(offset, starts.get(at.partition, 0)) for at, offset in earliest.items()}
    splits = cut(spans(begins, latest), tasks_aimed_at=TASKS_AIMED_AT)
    topic_ids = {at.topic: topic_id for at, topic_id in partitions.items()}
    read = [_span(at, earliest[at], begins[at], latest[at], is_whole=is_whole) for at in sorted(partitions)]
    return PlannedLog(tuple(LogSplit(part, rules) for part in slices(splits, topic_ids)), tuple(read))


def _span(at: TopicPartition, log_start: int, begin: int, end: int, *, is_whole: bool) -> ReadSpan:
    log_end = end if is_whole else -1
    return ReadSpan(AS_CLIENTS_SEE_IT, at.partition, log_start, end, log_end, begin_offset=begin)
