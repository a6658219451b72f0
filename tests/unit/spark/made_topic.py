"""A topic without a cluster, for tests of the archive: what it holds follows from partition and offset alone."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import DeltaTable

from chronik.spark.archive.coverage import TopicState
from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.driver import Archiver, ArchiveRules
from chronik.spark.archive.layout import RECORD_SCHEMA
from chronik.spark.archive.parquet_files import WriteTask, write_slice
from chronik.spark.archive.plain_parquet import ParquetArchive
from chronik.spark.archive.table import ArchiveTable, WrittenFile
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.schemas import arrow_schema

TOPIC_ID = "0a1b2c3d-1111-4222-8333-444455556666"
OTHER_ID = "99887766-1111-4222-8333-444455556666"
FIRST_TIME_MS = 1_700_000_000_000
RULES = ReadRules("nowhere:1", include_headers=True)

Row = tuple[str, int, int, bytes, bytes]


@dataclass
class MadeTopic:
    """Partitions from a start to an end; some offsets are control records, or were compacted away."""

    ends: dict[int, int]
    starts: dict[int, int] = field(default_factory=dict)
    topic_id: str = TOPIC_ID
    control: frozenset[tuple[int, int]] = frozenset()
    compacted: frozenset[tuple[int, int]] = frozenset()
    step_ms: int = 60_000

    def state(self) -> TopicState:
        starts = {partition: self.starts.get(partition, 0) for partition in self.ends}
        return TopicState("orders", self.topic_id, starts, dict(self.ends))

    def offsets(self, partition: int, start: int, end: int) -> list[int]:
        gone = self.control | self.compacted
        return [offset for offset in range(start, end) if (partition, offset) not in gone]

    def read(self, piece: Slice, rules: ReadRules, view: View) -> Iterator[pa.RecordBatch]:
        start, end = max(piece.start_offset, self.starts.get(piece.partition, 0)), piece.end_offset
        if view is View.BATCHES:
            yield self._control_batches(piece.partition, start, end)
            return
        for begin in range(start, end, 100):
            offsets = self.offsets(piece.partition, begin, min(begin + 100, end))
            batch = self.batch(piece.partition, offsets)
            yield batch.select(list(rules.columns)) if rules.columns else batch

    def batch(self, partition: int, offsets: Sequence[int]) -> pa.RecordBatch:
        count = len(offsets)
        times = FIRST_TIME_MS * 1000 + np.array(offsets, np.int64) * self.step_ms * 1000
        headers = [[{"key": "n", "value": b"%d" % offset}] if offset % 2 else None for offset in offsets]
        columns = [
            pa.array([key_of(partition, offset) for offset in offsets], pa.binary()),
            pa.array([value_of(partition, offset) for offset in offsets], pa.binary()),
            pa.repeat(pa.scalar("orders"), count),
            pa.repeat(pa.scalar(partition, pa.int32()), count),
            pa.array(offsets, pa.int64()),
            pa.array(times, pa.timestamp("us", "UTC")),
            pa.repeat(pa.scalar(0, pa.int32()), count),
            pa.array(headers, RECORD_SCHEMA.field("headers").type),
        ]
        return pa.RecordBatch.from_arrays(columns, schema=RECORD_SCHEMA)

    def rows(self) -> Counter[Row]:
        """All that an archive of the topic holds."""
        return Counter(
            (self.topic_id, partition, offset, key_of(partition, offset), value_of(partition, offset))
            for partition, end in self.ends.items()
            for offset in self.offsets(partition, self.starts.get(partition, 0), end)
        )

    def _control_batches(self, partition: int, start: int, end: int) -> pa.RecordBatch:
        columns = ("baseOffset", "lastOffset", "isControl")
        rows = [
            {"baseOffset": offset, "lastOffset": offset, "isControl": True}
            for number, offset in sorted(self.control)
            if number == partition and start <= offset < end
        ]
        return pa.RecordBatch.from_pylist(rows, arrow_schema(View.BATCHES, columns))


def key_of(partition: int, offset: int) -> bytes:
    return b"key-%d-%d" % (partition, offset % 7)


def value_of(partition: int, offset: int) -> bytes:
    return b'{"id": %d, "partition": %d}' % (offset, partition)


def run_here(topic: MadeTopic, tasks: Sequence[WriteTask]) -> list[WrittenFile]:
    """Run the archive's tasks in this process, one after the other."""
    return [file for task in tasks for file in write_slice(task, topic.read)]


def archiver(table: ArchiveTable, topic: MadeTopic, **chosen: object) -> Archiver:
    rules = ArchiveRules(RULES, **chosen)  # type: ignore[arg-type]
    return Archiver(table, topic.state, lambda tasks: run_here(topic, tasks), rules)


def archive(table: ArchiveTable, topic: MadeTopic, **chosen: object) -> None:
    """Bring a table up to date with the topic."""
    driver = archiver(table, topic, **chosen)
    state = driver.prepare()
    driver.archive_until(state.topic_id, state.ends)


def opened(form: str, directory: Path) -> ArchiveTable:
    return DeltaArchive(str(directory)) if form == "delta" else ParquetArchive(str(directory))


def rows_in(form: str, directory: Path) -> Counter[Row]:
    """What readers who know nothing of archives see: the rows of the table, as a multiset."""
    columns = ["topic_id", "partition", "offset", "key", "value"]
    if form == "delta":
        table = DeltaTable(str(directory)).to_pyarrow_table(columns=columns)
    else:
        table = ds.dataset(str(directory), partitioning="hive").to_table(columns=columns)
    return Counter(zip(*(table.column(name).to_pylist() for name in columns), strict=True))
