"""The layout of an archive: the table's columns, its directories, and the names of its files.

``partition=P/date=D/P-FROM-TO-ID[-N].parquet``: FROM and TO bound the offsets, ID is the beginning of the topic's id
(two topics of one name may have the same offsets), and N distinguishes attempts of a task.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.spark.options.parsers import View
from chronik.spark.source.schemas import arrow_schema

PARTITION_COLUMNS: Final = ("partition", "date")
TOPIC_ID_DIGITS: Final = 8
TIME_MIN_MS: Final = int(np.datetime64("0001-01-01", "ms").astype(np.int64))
TIME_MAX_MS: Final = int(np.datetime64("9999-12-31T23:59:59.999", "ms").astype(np.int64))
"""A producer may write any number as a timestamp; outside of this range the first or the last date is used."""

_NAME: Final = re.compile(
    r"partition=(?P<partition>\d+)/date=(?P<date>\d{4}-\d{2}-\d{2})/"
    r"(?P=partition)-(?P<start>\d+)-(?P<end>\d+)-(?P<topic>[0-9a-f]+)(-[0-9a-f]+)?\.parquet"
)

RECORD_SCHEMA: Final[pa.Schema] = arrow_schema(View.RECORDS, (), include_headers=True)


@dataclass(frozen=True, slots=True)
class FileName:
    """The parts of a file's path."""

    partition: int
    date: str
    start_offset: int
    end_offset: int
    topic_digits: str


def table_schema(decoded: Iterable[pa.Field] = ()) -> pa.Schema:
    """Return the columns of the table: record, topic id, decoded fields, date."""
    return pa.schema([*RECORD_SCHEMA, pa.field("topic_id", pa.string()), *decoded, pa.field("date", pa.date32())])


def file_schema(table: pa.Schema) -> pa.Schema:
    """Return the columns inside of the files: all except those of the directory names."""
    return pa.schema([column for column in table if column.name not in PARTITION_COLUMNS])


def file_path(partition: int, date: str, start: int, end: int, topic_id: str, attempt: str = "") -> str:
    """Return the path of a file; ``end`` is exclusive."""
    tail = f"-{attempt}" if attempt else ""
    return f"partition={partition}/date={date}/{partition}-{start}-{end}-{topic_digits(topic_id)}{tail}.parquet"


def topic_digits(topic_id: str) -> str:
    """Return the digits of a topic id for file names; zeros where a cluster has no topic ids."""
    return topic_id.replace("-", "")[:TOPIC_ID_DIGITS] or "0" * TOPIC_ID_DIGITS


def parsed_path(path: str) -> FileName | None:
    """Parse a path; ``None`` for a file that no archive has written."""
    found = _NAME.fullmatch(path)
    if found is None:
        return None
    return FileName(int(found["partition"]), found["date"], int(found["start"]), int(found["end"]), found["topic"])
