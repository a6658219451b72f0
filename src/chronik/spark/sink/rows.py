"""Rows of a sink: their schema, and the records that are made of them."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import pyarrow as pa
from pyspark.sql.types import StructType

from chronik.spark.options.options import OptionsRefusedError

_BYTES: Final = ("string", "binary")
_HEADERS: Final = ("array<struct<key:string,value:binary>>",)
_TYPES: Final = {"topic": ("string",), "key": _BYTES, "value": _BYTES, "headers": _HEADERS, "partition": ("int",)}

Headers = list[tuple[str, bytes | None]]


class SinkRecord(NamedTuple):
    """One row as a record to send."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers
    partition: int | None


def check_schema(schema: StructType, topic: str | None) -> None:
    """Raise for a schema that cannot be written, with every reason."""
    types = {field.name: field.dataType.simpleString() for field in schema.fields}
    problems = [
        f"column {name!r} is {types[name]}, but must be {' or '.join(allowed)}"
        for name, allowed in _TYPES.items()
        if name in types and types[name] not in allowed
    ]
    if "value" not in types:
        problems.append("there is no column 'value'")
    if topic is None and "topic" not in types:
        problems.append("the topic is missing: give the option 'topic', or a column of that name")
    unknown = sorted(types.keys() - _TYPES.keys())
    if unknown:
        problems.append(f"unknown columns {', '.join(unknown)}: select key, value, headers, topic and partition only")
    if problems:
        raise OptionsRefusedError("Rows for format('chronik'): " + "; ".join(problems))


def records_of(batch: pa.RecordBatch, topic: str | None) -> Iterator[SinkRecord]:
    """Make records of rows; the option ``topic`` overrides the column."""
    topics = [topic] * batch.num_rows if topic is not None else _values(batch, "topic")
    columns = (_bytes(batch, "key"), _bytes(batch, "value"), _values(batch, "headers"), _values(batch, "partition"))
    for name, key, value, headers, partition in zip(topics, *columns, strict=True):
        if name is None:
            raise ValueError("a row has null as its topic: give the option 'topic', or filter such rows out")
        yield SinkRecord(name, key, value, _headers(headers), partition)


def _headers(found: Sequence[dict[str, Any]] | None) -> Headers:
    return [(header["key"], header["value"]) for header in found or ()]


def _bytes(batch: pa.RecordBatch, name: str) -> Sequence[Any]:
    return _values(batch, name, lambda column: column.cast(pa.binary()))


def _values(
    batch: pa.RecordBatch, name: str, convert: Callable[[pa.Array], pa.Array] = lambda column: column
) -> Sequence[Any]:
    if name not in batch.schema.names:
        return [None] * batch.num_rows
    values: Sequence[Any] = convert(batch.column(name)).to_pylist()
    return values
