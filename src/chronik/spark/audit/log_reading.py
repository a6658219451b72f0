"""The log of a topic as the side STORED, read in tasks: from the wire, or from segment files without a broker."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa

from chronik.audit.judge.balance.splits import Portion, Side, joined
from chronik.audit.judge.balance.summaries import NARROW_STORED, in_portions
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, STORED
from chronik.audit.tables.spans import ReadSpan
from chronik.audit.tables.stream_files import Bounds
from chronik.model.ids import TopicPartition
from chronik.spark.audit.log_rows import Target, rows_of_chunk, rows_of_problem
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
class LogPiece:
    """A share of one partition."""

    piece: Slice
    rules: ReadRules

    @property
    def side(self) -> Side:
        return Side.STORED

    def portions(self) -> Iterator[Portion]:
        """Read the piece; a portion is a range of offsets."""
        first = self.piece.start_offset
        for rows in in_portions(self._batches(self.piece, NARROW_STORED)):
            end = int(rows.column("offset")[-1].as_py()) + 1
            yield Portion(first, end, rows)
            first = end

    def again(self, chosen: Sequence[Bounds]) -> Iterator[pa.Table]:
        """Read only these ranges from the broker or the files."""
        for first, end in chosen:
            batches = list(self._batches(replace(self.piece, start_offset=first, end_offset=end), STORED))
            yield joined([batch for batch in batches if batch.num_rows], STORED)

    def _batches(self, piece: Slice, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        if piece.path is None:
            found = prefetched(SliceFetch(piece, self.rules))
        else:
            found = found_in_segments(piece, self.rules, View.RECORDS)
        with closing(found):
            for item in found:
                yield from rows_of_item(item, piece, schema)


def rows_of_item(item: Found, piece: Slice, schema: pa.Schema = STORED) -> Iterator[pa.RecordBatch]:
    """Give what was read of a slice as rows of STORED, or of some of its columns, in the order of offsets."""
    target = Target(AS_CLIENTS_SEE_IT, piece.partition, schema)
    if isinstance(item, Chunk):
        yield from (_within(rows, piece) for rows in _ordered(item, target))
    elif (rows := rows_of_problem(item, target)) is not None:
        yield _within(rows, piece)


def _ordered(chunk: Chunk, target: Target) -> Iterator[pa.RecordBatch]:
    """Give the rows of a chunk in the order of their offsets, whatever kinds of batches take turns in it."""
    parts = list(rows_of_chunk(chunk, target))
    if len(parts) == 1:
        yield parts[0]
    elif parts:
        yield from pa.Table.from_batches(parts, target.schema).sort_by("offset").combine_chunks().to_batches()


def _within(rows: pa.RecordBatch, piece: Slice) -> pa.RecordBatch:
    offsets = rows.column("offset").to_numpy()
    is_inside = (offsets >= piece.start_offset) & (offsets < piece.end_offset)
    return rows if is_inside.all() else rows.filter(pa.array(is_inside))


@dataclass(frozen=True, slots=True)
class Log:
    """What is to be read of a topic, and how far that goes."""

    pieces: tuple[LogPiece, ...]
    spans: tuple[ReadSpan, ...]


def log_on_the_wire(
    bootstrap: str, topic: str, starts: Mapping[int, int] | None = None, client_options: Mapping[str, str] | None = None
) -> Log:
    """Plan the reading of a topic from its brokers, up to the last stable offset: so aborted records are known."""
    rules = ReadRules(bootstrap, client_options or {}, read_committed=True, fail_on_data_loss=False)
    with ClusterLookup(bootstrap, client_options, read_committed=True) as lookup:
        return _plan(lookup, topic, starts or {}, rules, is_whole=False)


def log_in_segments(path: str, topic: str, starts: Mapping[int, int] | None = None) -> Log:
    """Plan the reading of a topic from a broker's data directory, to the end of each log."""
    rules = ReadRules("", fail_on_data_loss=False)
    with SegmentLookup(path) as lookup:
        log = _plan(lookup, topic, starts or {}, rules, is_whole=True)
        places = {at.partition: lookup.directory_of(at) for at in lookup.partitions([topic])}
    pieces = [replace(one, piece=replace(one.piece, path=places[one.piece.partition])) for one in log.pieces]
    return Log(tuple(pieces), log.spans)


def _plan(
    lookup: ClusterLookup | SegmentLookup, topic: str, starts: Mapping[int, int], rules: ReadRules, *, is_whole: bool
) -> Log:
    partitions = lookup.partitions([topic])
    earliest, latest = lookup.earliest(partitions), lookup.latest(partitions)
    begins = {at: max(offset, starts.get(at.partition, 0)) for at, offset in earliest.items()}
    pieces = cut(spans(begins, latest), tasks_aimed_at=TASKS_AIMED_AT)
    topic_ids = {at.topic: topic_id for at, topic_id in partitions.items()}
    read = [_span(at, earliest[at], begins[at], latest[at], is_whole=is_whole) for at in sorted(partitions)]
    return Log(tuple(LogPiece(piece, rules) for piece in slices(pieces, topic_ids)), tuple(read))


def _span(at: TopicPartition, log_start: int, begin: int, end: int, *, is_whole: bool) -> ReadSpan:
    log_end = end if is_whole else -1
    return ReadSpan(AS_CLIENTS_SEE_IT, at.partition, log_start, end, log_end, begin_offset=begin)
