"""From what is read to records to send: lines with key and value, JSON, whole files."""

import base64
import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from chronik.cli.shell.times import milliseconds_of

Headers = tuple[tuple[str, bytes | None], ...]


class OutgoingRecord(NamedTuple):
    """A record to send; without a partition the key chooses, without a time it is now."""

    key: bytes | None
    value: bytes | None
    headers: Headers = ()
    partition: int | None = None
    timestamp_ms: int | None = None


@dataclass(frozen=True, slots=True)
class LineFormat:
    """How a line is read: where its key ends, and which texts mean null."""

    key_separator: bytes | None = None
    null_marker: bytes | None = None
    empty_is_null: bool = False
    key: bytes | None = None

    def parse(self, line: bytes) -> tuple[bytes | None, bytes | None]:
        """Split a line in key and value."""
        if self.key_separator is None:
            return self.key, self.or_null(line)
        key, separator, value = line.partition(self.key_separator)
        if not separator:
            return self.key, self.or_null(line)
        return self.or_null(key), self.or_null(value)

    def record(self, line: bytes) -> OutgoingRecord:
        """Make a record of a line."""
        return OutgoingRecord(*self.parse(line))

    def or_null(self, text: bytes) -> bytes | None:
        """Return null for the texts that mean it."""
        return None if text == self.null_marker or (self.empty_is_null and not text) else text


_FIELDS: Final = ("key", "key_base64", "value", "value_base64", "headers", "partition", "timestamp", "timestamp_ms")
_IGNORED: Final = ("topic", "offset")
"""Fields of ``topic consume --json`` that are ignored, so that its output can be sent again."""


@dataclass(frozen=True, slots=True)
class JsonFormat:
    """How a line of JSON is read: one object per record."""

    line: LineFormat = LineFormat()

    def record(self, line: bytes) -> OutgoingRecord:
        """Make a record of a line; raises ValueError with the reason where it is none."""
        document = _object(line)
        unknown = [_unknown(name) for name in document if name not in (*_FIELDS, *_IGNORED)]
        if unknown:
            raise ValueError("; ".join(unknown))
        key, value = _bytes(document, "key"), _bytes(document, "value")
        return OutgoingRecord(
            self.line.key if key is None else self.line.or_null(key),
            None if value is None else self.line.or_null(value),
            _headers(document.get("headers")),
            _whole(document, "partition"),
            _timestamp(document),
        )


def _object(line: bytes) -> dict[str, Any]:
    try:
        document = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError('not a JSON object like {"key": "k", "value": "v"}')
    return document


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, _FIELDS, n=1)
    return f"unknown field {name!r}" + (f" (did you mean {near[0]!r}?)" if near else f": use {', '.join(_FIELDS)}")


def _bytes(document: Mapping[str, Any], name: str) -> bytes | None:
    """Take a text as it is and anything else as JSON again; bytes that are no text come as base64."""
    if f"{name}_base64" in document:
        try:
            return base64.b64decode(document[f"{name}_base64"], validate=True)
        except (ValueError, TypeError):
            raise ValueError(f"{name}_base64 is not base64") from None
    content = document.get(name)
    if content is None or isinstance(content, str):
        return None if content is None else content.encode()
    return json.dumps(content, separators=(",", ":"), ensure_ascii=False).encode()


def _headers(given: Any) -> Headers:
    """Read headers: an object, or a list of {name, value} where a name comes twice."""
    if given is None:
        return ()
    if isinstance(given, dict):
        return tuple((name, _bytes({"value": value}, "value")) for name, value in given.items())
    if isinstance(given, list) and all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in given):
        return tuple((item["name"], _bytes(item, "value")) for item in given)
    raise ValueError('headers are {"name": "value"} or [{"name": "n", "value": "v"}]')


def _whole(document: Mapping[str, Any], name: str) -> int | None:
    number = document.get(name)
    if number is None or (isinstance(number, int) and not isinstance(number, bool) and number >= 0):
        return number
    raise ValueError(f"{name} {number!r} is not a whole number from 0 on")


def _timestamp(document: Mapping[str, Any]) -> int | None:
    """Read a time in ms, or as ISO 8601."""
    if isinstance(document.get("timestamp"), str):
        try:
            return milliseconds_of(document["timestamp"])
        except ValueError:
            raise ValueError(f"timestamp {document['timestamp']!r} is not a time") from None
    name = "timestamp" if "timestamp" in document else "timestamp_ms"
    return _whole(document, name)
