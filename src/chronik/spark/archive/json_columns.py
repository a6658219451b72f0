"""Decode JSON values into columns.

A batch is parsed at once; where that fails, its halves are parsed, so that a few bad values cost a few more parses. A
value that is not a JSON object of the wanted types has null columns and the reason in ``json_error``. The raw value
always stays.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json as pj

ERROR_COLUMN: Final = "json_error"
TYPES: Final[dict[str, pa.DataType]] = {
    "string": pa.string(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
}

_SPEC: Final = re.compile(r"(?P<column>\w+)(=(?P<name>[^:]+))?:(?P<type>\w+)")
# One line each, so that lines and parsed rows can be compared: text after the object would make two rows of one line.
_ONE_LINE_OBJECT: Final = r"(?s)^[ \t]*\{[^\n\r]*\}[ \t]*$"


@dataclass(frozen=True, slots=True)
class JsonColumn:
    """One field of the JSON object, and its column."""

    column: str
    name: str
    type_name: str

    @property
    def type(self) -> pa.DataType:
        return TYPES[self.type_name]


def parsed_columns(text: str, reserved: Sequence[str]) -> tuple[JsonColumn, ...]:
    """Read ``COLUMN:TYPE`` or ``COLUMN=FIELD:TYPE``, separated by commas; a `ValueError` names the fault."""
    columns = tuple(_parsed(part.strip()) for part in text.split(",") if part.strip())
    names = [column.column for column in columns]
    for name in names:
        if name in reserved or name == ERROR_COLUMN:
            raise ValueError(f"{name!r} is a column of the record: give it another name, as in json_{name}={name}:TYPE")
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is named twice")
    return columns


def _parsed(part: str) -> JsonColumn:
    found = _SPEC.fullmatch(part)
    if found is None or found["type"] not in TYPES:
        raise ValueError(f"{part!r} is not COLUMN:TYPE or COLUMN=FIELD:TYPE, with a TYPE of {', '.join(TYPES)}")
    return JsonColumn(found["column"], found["name"] or found["column"], found["type"])


def decoded_fields(columns: Sequence[JsonColumn]) -> list[pa.Field]:
    """Return the table's columns for these fields."""
    if not columns:
        return []
    return [*(pa.field(column.column, column.type) for column in columns), pa.field(ERROR_COLUMN, pa.string())]


def decode(values: pa.Array, columns: Sequence[JsonColumn]) -> list[pa.Array]:
    """Decode values into the arrays of `decoded_fields`. A null value (a tombstone) is no error."""
    texts = _texts(values)
    is_object = pc.fill_null(pc.match_substring_regex(texts, _ONE_LINE_OBJECT), fill_value=False)
    rows = pc.indices_nonzero(is_object)
    parsed, reasons = _parse(texts.take(rows), columns)
    place = _places(len(values), rows)
    error = pc.if_else(pc.and_(pc.is_valid(values), pc.invert(is_object)), "not a JSON object on one line", None)
    errors = pc.coalesce(error, reasons.take(place))
    return [*(parsed.column(column.name).combine_chunks().take(place) for column in columns), errors]


def _texts(values: pa.Array) -> pa.Array:
    """Return the values as text; a value that is not UTF-8 is null."""
    try:
        return values.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([_text(value.as_buffer()) if value.is_valid else None for value in values], pa.string())


def _text(buffer: pa.Buffer) -> str | None:
    try:
        return str(buffer, "utf-8")
    except UnicodeDecodeError:
        return None


def _places(count: int, rows: pa.Array) -> pa.Array:
    """Return the parsed row of each of ``count`` values, or null."""
    import numpy as np

    place = np.full(count, -1, dtype=np.int64)
    place[rows.to_numpy()] = np.arange(len(rows))
    return pa.array(place, mask=place < 0)


def _parse(texts: pa.Array, columns: Sequence[JsonColumn]) -> tuple[pa.Table, pa.Array]:
    """Parse objects to one row each; return the rows, and the reasons of those that did not parse."""
    schema = pa.schema({column.name: column.type for column in columns})
    found: list[tuple[pa.Table, pa.Array]] = []
    waiting = [texts] if len(texts) else []
    while waiting:
        some = waiting.pop()
        reason = ""
        try:
            rows = _parse_all(some, schema)
        except pa.ArrowInvalid as error:
            rows, reason = None, str(error)
        if rows is not None and rows.num_rows == len(some):
            found.append((rows, pa.nulls(len(some), pa.string())))
        elif len(some) == 1:
            found.append((_null_row(schema), pa.array([reason or "more than one JSON value"])))
        else:
            half = len(some) // 2
            waiting += [some.slice(half), some.slice(0, half)]
    if not found:
        return schema.empty_table(), pa.array([], pa.string())
    return pa.concat_tables([rows for rows, _ in found]), pa.concat_arrays([reasons for _, reasons in found])


def _parse_all(texts: pa.Array, schema: pa.Schema) -> pa.Table:
    lines = "\n".join(texts.to_pylist()).encode() + b"\n"
    return pj.read_json(
        pa.BufferReader(lines),
        read_options=pj.ReadOptions(use_threads=False, block_size=len(lines) + 1),
        parse_options=pj.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore"),
    )


def _null_row(schema: pa.Schema) -> pa.Table:
    return pa.table([pa.nulls(1, column.type) for column in schema], schema=schema)
