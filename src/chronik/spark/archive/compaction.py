"""Join small files of a Delta archive to larger ones, in commits that change no row.

Files of one topic id, partition and date are joined in the order of offsets, up to the target size. Readers see the
small files or the large one, never both. The small ones stay for readers of older versions, until they are removed as
orphans.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from chronik.spark.archive.delta_table import DeltaArchive
from chronik.spark.archive.file_writer import FileWriter
from chronik.spark.archive.layout import file_path, file_schema, parsed_path
from chronik.spark.archive.places import open_place
from chronik.spark.archive.table import WrittenFile

_ROWS_AT_ONCE = 64 * 1024


@dataclass(frozen=True, slots=True)
class SmallFile:
    """A file of the archive, and the files it may be joined with."""

    path: str
    group: tuple[str, int, str]
    start_offset: int
    end_offset: int
    size_bytes: int


def plan_compaction(files: Iterable[SmallFile], target_bytes: int) -> list[list[SmallFile]]:
    """Return the files to join: neighbours of a group that together do not exceed the target."""
    plan = []
    ordered = sorted(files, key=lambda file: (file.group, file.start_offset, file.path))
    for _, group in groupby(ordered, key=lambda file: file.group):
        joined: list[SmallFile] = []
        for file in group:
            if joined and sum(other.size_bytes for other in joined) + file.size_bytes > target_bytes:
                plan.append(joined)
                joined = []
            joined.append(file)
        plan.append(joined)
    return [joined for joined in plan if len(joined) > 1]


def compact(archive: DeltaArchive, target_bytes: int, on_joined: Callable[[int], None] = lambda done: None) -> int:
    """Join small files, with one commit for each new file; return the number of removed files."""
    archive.snapshot()
    plan = plan_compaction(_small_files(archive), target_bytes)
    for done, joined in enumerate(plan):
        on_joined(done)
        archive.snapshot()
        archive.replace([file.path for file in joined], _rewritten(archive, joined))
    archive.snapshot()
    return sum(len(joined) - 1 for joined in plan)


def _small_files(archive: DeltaArchive) -> list[SmallFile]:
    """Return the archive's own files; files of other programs stay as they are."""
    found = []
    for row in archive.add_actions():
        name = parsed_path(row["path"])
        if name is not None and row["min.offset"] is not None:
            group = (name.topic_digits, name.partition, name.date)
            offsets = row["min.offset"], row["max.offset"] + 1
            found.append(SmallFile(row["path"], group, *offsets, row["size_bytes"]))
    return found


def _rewritten(archive: DeltaArchive, joined: Sequence[SmallFile]) -> WrittenFile:
    digits, partition, date = joined[0].group
    schema = file_schema(archive.schema())
    path = file_path(partition, date, joined[0].start_offset, joined[-1].end_offset, digits, uuid4().hex)
    where = archive.destination()
    place = open_place(where.url, where.storage_options)
    writer = FileWriter(where, path, partition, date, schema)
    try:
        for file in joined:
            with place.open_input_file(file.path) as stream:
                for batch in pq.ParquetFile(stream).iter_batches(_ROWS_AT_ONCE):
                    writer.append(conformed(pa.Table.from_batches([batch]), schema))
    except BaseException:
        writer.abandon()
        raise
    return writer.close()


def conformed(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return the columns of a schema; null where a file is older than a column."""
    columns = [
        table.column(field.name).cast(field.type)
        if field.name in table.column_names
        else pa.nulls(table.num_rows, field.type)
        for field in schema
    ]
    return pa.table(columns, schema=schema)
