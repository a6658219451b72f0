"""Brokers' trace files in Spark: as a DataFrame, or as one Parquet file.

The files are JSON lines (``chronik.observability.trace_files``); the table of events defines the columns. An incomplete
line, which a killed broker may leave, is skipped.
"""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa
from pyarrow import parquet

from chronik.observability.trace_events import COLUMNS, Kind
from chronik.observability.trace_files import PATTERN

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_AT_ONCE: Final = 50_000
_SPARK: Final[dict[Kind, str]] = {"int": "INT", "long": "BIGINT", "string": "STRING", "ints": "ARRAY<INT>"}
_ARROW: Final[dict[Kind, pa.DataType]] = {
    "int": pa.int32(),
    "long": pa.int64(),
    "string": pa.string(),
    "ints": pa.list_(pa.int32()),
}


class Exported(NamedTuple):
    """The result of an export."""

    files: int
    events: int
    damaged_lines: int


def spark_schema() -> str:
    """Return the columns of a trace as Spark's DDL."""
    return ", ".join(f"`{name}` {_SPARK[column.kind]}" for name, column in COLUMNS.items())


def arrow_schema() -> pa.Schema:
    """Return the columns of a trace as an Arrow schema."""
    return pa.schema([pa.field(name, _ARROW[column.kind]) for name, column in COLUMNS.items()])


def read_traces(spark: "SparkSession", *paths: str | Path) -> "DataFrame":
    """Read trace files, or directories of them at any depth, such as data directories: one row for each event."""
    files = [str(path) for path in trace_files(paths)]
    if not files:
        raise FileNotFoundError(f"there are no trace files ({PATTERN}) in {', '.join(map(str, paths))}")
    return spark.read.schema(spark_schema()).option("mode", "DROPMALFORMED").json(files)


def export_traces(paths: Iterable[str | Path], target: str | Path) -> Exported:
    """Write the events of trace files to one Parquet file."""
    files = trace_files(paths)
    if not files:
        raise FileNotFoundError(f"there are no trace files ({PATTERN}) in {', '.join(map(str, paths))}")
    damaged: list[Path] = []
    rows = (row for path in files for row in _events_in(path, damaged))
    count, schema = 0, arrow_schema()
    with parquet.ParquetWriter(str(target), schema) as writer:
        while some := list(islice(rows, ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema=schema))
            count += len(some)
    return Exported(len(files), count, len(damaged))


def trace_files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the named trace files, and those in named directories."""
    found: list[Path] = []
    for path in map(Path, paths):
        found += sorted(path.rglob(PATTERN)) if path.is_dir() else [path]
    return found


def _events_in(path: Path, damaged: list[Path]) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            try:
                event = json.loads(line)
            except ValueError:
                event = None
            if isinstance(event, dict):
                yield event
            else:
                damaged.append(path)
