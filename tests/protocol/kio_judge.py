"""kio as an independent judge: values of its messages, their bytes, and a comparison with ours.

kio only ever sees well-formed values here: its compiled reader aborts the process on hostile bytes.
"""

import dataclasses
import importlib
import io
from datetime import UTC, datetime, timedelta
from functools import cache
from types import NoneType, UnionType
from typing import Any, get_args, get_origin
from uuid import UUID

from hypothesis import strategies as st
from kio.schema.errors import ErrorCode
from kio.schema.index import schema_name_map
from kio.serial import entity_writer

from chronik.protocol.wire import NO_UUID, Message, Struct

UNKNOWN_TAG = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ONE_MS = timedelta(milliseconds=1)
# The last millisecond that a datetime can hold.
_DATETIME_MS_MAX = 253_402_300_799_999


def _integers(bits: int) -> st.SearchStrategy[int]:
    return st.integers(-(1 << bits - 1), (1 << bits - 1) - 1)


# One, two, three and four bytes to a character, and lengths on both sides of what fits in one byte.
_TEXT = st.text("a\0é€𝄞", max_size=4) | st.sampled_from(["x" * 126, "x" * 127, "x" * 128])
_BINARY = st.binary(max_size=16) | st.just(b"y" * 20_000)
_PRIMITIVES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "int8": _integers(8),
    "int16": _integers(16),
    "int32": _integers(32),
    "int64": _integers(64),
    "uint16": st.integers(0, 0xFFFF),
    "float64": st.floats(allow_nan=False),
    "string": _TEXT,
    "bytes": _BINARY,
    "records": _BINARY,
    "uuid": st.integers(1, (1 << 128) - 1).map(lambda number: UUID(int=number)),
    "error_code": st.sampled_from(ErrorCode),
    "timedelta_i32": _integers(32).map(lambda ms: timedelta(milliseconds=ms)),
    "timedelta_i64": st.integers(-(10**13), 10**13).map(lambda ms: timedelta(milliseconds=ms)),
    "datetime_i64": st.integers(0, _DATETIME_MS_MAX).map(lambda ms: _EPOCH + ms * _ONE_MS),
}


def kio_class(message: type[Message], version: int) -> Any:
    """kio's class for one of our messages in one version."""
    module = message.__module__.rpartition(".")[2]
    kinds: dict[str, str] = {kind.name: path for kind, path in schema_name_map[module][version].items()}
    path, _, class_name = kinds[_kind(message.__name__)].partition(":")
    return getattr(importlib.import_module(path), class_name)


def _kind(name: str) -> str:
    for suffix in ("Header", "Request", "Response"):
        if name.endswith(suffix):
            return suffix.lower()
    return "data"


def _is_struct(value: Any) -> bool:
    return dataclasses.is_dataclass(value)


def _split(declared: Any) -> tuple[Any, bool, bool]:
    """The inner type, whether it is an array, and whether it may be null."""
    is_nullable = False
    if get_origin(declared) is UnionType:
        is_nullable = True
        declared = next(part for part in get_args(declared) if part is not NoneType)
    if get_origin(declared) is tuple:
        return get_args(declared)[0], True, is_nullable
    return declared, False, is_nullable


@cache
def values(entity: Any) -> st.SearchStrategy[Any]:
    """All messages of kio's class, also with null and empty arrays."""
    return st.builds(entity, **{field.name: _field_values(field) for field in dataclasses.fields(entity)})


def _field_values(field: dataclasses.Field[Any]) -> st.SearchStrategy[Any]:
    inner, is_array, is_nullable = _split(field.type)
    strategy = values(inner) if _is_struct(inner) else _PRIMITIVES[field.metadata["kafka_type"]]
    if is_array:
        strategy = st.lists(strategy, max_size=2).map(tuple)
    if is_nullable:
        strategy = st.none() | strategy
    return strategy


@cache
def with_unknown_tag(entity: Any) -> Any:
    """A class like kio's, each of whose structs has one more tagged field, which no Kafka defines."""
    fields = []
    for field in dataclasses.fields(entity):
        inner, is_array, is_nullable = _split(field.type)
        declared = with_unknown_tag(inner) if _is_struct(inner) else inner
        declared = tuple[declared, ...] if is_array else declared  # type: ignore[valid-type]
        item = dataclasses.field(default=field.default, metadata=field.metadata, kw_only=True)
        fields.append((field.name, declared | None if is_nullable else declared, item))
    unknown = dataclasses.field(default=b"", metadata={"kafka_type": "bytes", "tag": UNKNOWN_TAG}, kw_only=True)
    constants = {name: getattr(entity, name) for name in ("__type__", "__version__", "__flexible__")}
    return dataclasses.make_dataclass(
        entity.__name__, [*fields, ("unknown", bytes, unknown)], namespace=constants, frozen=True
    )


def extended(value: Any, unknown: bytes) -> Any:
    """The same message with an unknown tagged field in each of its structs."""
    if isinstance(value, tuple):
        return tuple(extended(item, unknown) for item in value)
    if not _is_struct(value):
        return value
    fields = {item.name: extended(getattr(value, item.name), unknown) for item in dataclasses.fields(value)}
    entity: Any = type(value)
    return with_unknown_tag(entity)(**fields, unknown=unknown)


def kio_bytes(value: Any) -> bytes:
    buffer = io.BytesIO()
    entity_writer(type(value))(buffer, value)
    return buffer.getvalue()


def plain(value: Any) -> Any:
    """What kio says in the words of our codec."""
    match value:
        case ErrorCode():
            return int(value.value)
        case timedelta():
            return value // _ONE_MS
        case datetime():
            return (value - _EPOCH) // _ONE_MS
    return value


def differences(ours: Struct, theirs: Any) -> list[str]:
    """Every field in which our message is not kio's; fields that kio's version lacks must have their defaults."""
    found = []
    names = {_our_name(ours, field.name): field for field in dataclasses.fields(theirs)}
    blank = type(ours)()
    for name in ours.__slots__:
        mine = getattr(ours, name)
        if name not in names:
            same = mine == getattr(blank, name)
        else:
            same = _same(mine, getattr(theirs, names[name].name), names[name])
        if not same:
            found.append(f"{type(ours).__name__}.{name}: {mine!r}")
    return found


def _our_name(ours: Struct, name: str) -> str:
    for candidate in (name, f"{name}_ms", f"{name}_"):
        if candidate in ours.__slots__:
            return candidate
    raise AssertionError(f"{type(ours).__name__} has no field for kio's {name}")


def _same(mine: Any, theirs: Any, field: dataclasses.Field[Any]) -> bool:
    if isinstance(theirs, tuple):
        return isinstance(mine, list) and len(mine) == len(theirs) and all(map(_same_item, mine, theirs))
    if _is_struct(theirs):
        # A tagged struct that was not sent is None in our codec and a struct of defaults in kio.
        return bool(theirs == field.default) if mine is None else not differences(mine, theirs)
    if theirs is None:
        return bool(mine == _null_of(field))
    return bool(mine == plain(theirs))


def _null_of(field: dataclasses.Field[Any]) -> Any:
    return {"uuid": NO_UUID, "datetime_i64": -1}.get(field.metadata.get("kafka_type", ""))


def _same_item(mine: Any, theirs: Any) -> bool:
    if isinstance(mine, Struct):
        return not differences(mine, theirs)
    return bool(mine == plain(theirs))
