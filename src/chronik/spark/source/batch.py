"""``format("chronik")`` for Spark: the data source, and its reader for batch queries.

Spark plans on the driver and pickles the reader for the tasks; only `read` runs there.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator
from typing import Final

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.datasource import (
    DataSource,
    DataSourceArrowWriter,
    DataSourceReader,
    DataSourceStreamArrowWriter,
    DataSourceStreamReader,
    Filter,
    InputPartition,
)
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructField, StructType

from chronik.spark.options.options import OptionsRefusedError, SourceOptions, sink_options, source_options
from chronik.spark.planning.batch_plan import plan_batch
from chronik.spark.sessions.py_files import share_py_files_with_streams
from chronik.spark.sink.writer import BatchSink, StreamSink
from chronik.spark.source.pushed_filters import Narrowing, take_filters
from chronik.spark.source.schemas import arrow_schema
from chronik.spark.source.stream import StreamReader
from chronik.spark.source.task import read_partition, rules_of, tasks_of

FORMAT: Final = "chronik"


class ChronikSource(DataSource):
    """Topics of a Kafka-compatible cluster as tables and streams."""

    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> StructType:
        """Return the schema of the view. Spark calls this first, so that wrong options fail here."""
        options = self._options_of_either_kind()
        return from_arrow_schema(arrow_schema(options.view, (), options.include_headers))

    def reader(self, schema: StructType) -> DataSourceReader:
        options = source_options(self.options, streaming=False)
        return ChronikBatchReader(options, chosen_columns(schema, options))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        options = source_options(self.options, streaming=True)
        return StreamReader(options, chosen_columns(schema, options))

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceArrowWriter:
        return BatchSink(sink_options(self.options), schema, overwrite=overwrite)

    def streamWriter(self, schema: StructType, overwrite: bool) -> DataSourceStreamArrowWriter:
        # Spark passes "overwrite" for the output mode "complete"; like its Kafka sink, this one appends.
        return StreamSink(sink_options(self.options), schema)

    def _options_of_either_kind(self) -> SourceOptions:
        """Read the options before it is known whether the query is a batch or a stream."""
        try:
            return source_options(self.options, streaming=True)
        except OptionsRefusedError:
            return source_options(self.options, streaming=False)


class ChronikBatchReader(DataSourceReader):
    """Reads a range of offsets that is fixed when the query is planned."""

    def __init__(self, options: SourceOptions, columns: tuple[str, ...]) -> None:
        self.options = options
        self.columns = columns
        self.narrowing = Narrowing()

    @property
    def pushFilters(self) -> "_FilterTaker":
        """Accept filters where pushdown is enabled, and pass Spark's check where it is not."""
        return _FilterTaker(self._take)

    def _take(self, filters: list[Filter]) -> Iterable[Filter]:
        self.narrowing, left = take_filters(filters, self.options.view)
        return left

    def partitions(self) -> list[InputPartition]:
        return tasks_of(plan_batch(self.options, self.narrowing), self.options)

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        rules = rules_of(self.options, self.columns, self.narrowing.time_from_ms)
        return read_partition(partition, rules, self.options.view)


class _FilterTaker:
    """A ``pushFilters`` for both settings of ``spark.sql.python.filterPushdown.enabled``.

    With pushdown off, Spark refuses a reader whose ``pushFilters`` has another ``__func__`` than its base class.
    """

    def __init__(self, take: Callable[[list[Filter]], Iterable[Filter]]) -> None:
        self._take = take
        self.__func__ = DataSourceReader.pushFilters

    def __call__(self, filters: list[Filter]) -> Iterable[Filter]:
        return self._take(filters)


def chosen_columns(schema: StructType, options: SourceOptions) -> tuple[str, ...]:
    """Return the columns of ``.schema(...)``; each must be a column of the view, with its type.

    Spark prunes no columns of a Python source, so that a narrow schema is how a query reads less.
    """
    known = {field.name: field for field in from_arrow_schema(arrow_schema(options.view, include_headers=True)).fields}
    problems = [problem for field in schema.fields if (problem := _column_problem(field, known))]
    if problems:
        offered = ", ".join(f"{name} {field.dataType.simpleString()}" for name, field in known.items())
        raise OptionsRefusedError(
            f"schema of format('chronik'), view {options.view}: {'; '.join(problems)}. The columns are: {offered}"
        )
    return tuple(schema.fieldNames())


def _column_problem(field: StructField, known: dict[str, StructField]) -> str | None:
    match = known.get(field.name)
    if match is None:
        near = difflib.get_close_matches(field.name, known, n=1)
        return f"there is no column {field.name!r}" + (f" (did you mean {near[0]!r}?)" if near else "")
    if match.dataType.simpleString() != field.dataType.simpleString():
        return f"column {field.name!r} is {match.dataType.simpleString()}, not {field.dataType.simpleString()}"
    return None


def register(spark: SparkSession) -> None:
    """Register the source in a session that cannot find it, as where Chronik came with ``--py-files``."""
    share_py_files_with_streams(spark)
    spark.dataSource.register(ChronikSource)
