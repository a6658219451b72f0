"""An archive as a data frame of exactly the committed files.

Spark reads local files itself, and skips files by filters. Tasks read files of an object store with pyarrow, because
Spark has no driver for it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from chronik.spark.archive.compaction import conformed
from chronik.spark.archive.layout import parsed_path
from chronik.spark.archive.places import local_path, open_place
from chronik.spark.archive.table import ArchiveError, ArchiveTable, StoredFile


def archive_frame(spark: SparkSession, table: ArchiveTable, columns: Sequence[str] = ()) -> DataFrame:
    """Return the rows of an archive, with all columns or the named ones, in any case."""
    if table.snapshot() is None:
        raise ArchiveError(f"{table.url} holds no archive", "Name the directory or URL that was given as --to.")
    schema = table.schema()
    named = {name.lower() for name in columns}
    wanted = pa.schema([column for column in schema if not named or column.name.lower() in named])
    files = table.files()
    root = local_path(table.url)
    if not files:
        return spark.createDataFrame([], from_arrow_schema(wanted))
    if root is None:
        return _read_by_tasks(spark, table, files, wanted)
    return _read_by_spark(spark, root, files, schema).select(*wanted.names)


def _read_by_spark(spark: SparkSession, root: Path, files: Sequence[StoredFile], schema: pa.Schema) -> DataFrame:
    paths = [str(root / file.path) for file in files]
    return spark.read.schema(from_arrow_schema(schema)).option("basePath", str(root)).parquet(*paths)


def _read_by_tasks(
    spark: SparkSession, table: ArchiveTable, files: Sequence[StoredFile], wanted: pa.Schema
) -> DataFrame:
    paths = [file.path for file in files]
    count = min(len(paths), 3 * spark.sparkContext.defaultParallelism)
    numbers = spark.range(0, len(paths), 1, count)
    reading = _reading(table.url, table.storage_options, paths, wanted)
    return numbers.mapInArrow(reading, from_arrow_schema(wanted))


def _reading(
    url: str, options: Mapping[str, str], paths: Sequence[str], wanted: pa.Schema
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def read(numbers: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        place = open_place(url, options)
        for batch in numbers:
            for number in batch.column("id").to_pylist():
                yield from read_file(place, paths[number], wanted)

    return read


def read_file(place: pa.fs.FileSystem, path: str, wanted: pa.Schema, rows: int = 10_000) -> Iterator[pa.RecordBatch]:
    """Read one file, with the columns in its path."""
    name = parsed_path(path)
    with place.open_input_file(path) as stream:
        file = pq.ParquetFile(stream)
        inside = [column for column in wanted.names if column in file.schema_arrow.names]
        for batch in file.iter_batches(rows, columns=inside):
            table = pa.Table.from_batches([batch])
            if name is not None:
                table = table.append_column("partition", pa.repeat(pa.scalar(name.partition, pa.int32()), len(batch)))
                table = table.append_column("date", pa.repeat(pa.scalar(name.date), len(batch)))
            yield from conformed(table, wanted).to_batches()
