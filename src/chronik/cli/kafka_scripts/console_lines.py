"""How the console producer reads a line: headers, key and value, as Kafka's LineMessageReader splits them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chronik.cli.kafka_scripts.flags import UsageError
from chronik.cli.topic.record_input import Headers, OutgoingRecord

_NAMES: Final = (
    "parse.key",
    "parse.headers",
    "ignore.error",
    "key.separator",
    "headers.delimiter",
    "headers.separator",
    "headers.key.separator",
    "null.marker",
)


class LineError(ValueError):
    """A line lacks a separator."""


@dataclass(frozen=True, slots=True)
class ConsoleLines:
    """The properties of the reader, as bytes."""

    has_key: bool = False
    has_headers: bool = False
    ignores_errors: bool = False
    key_separator: bytes = b"\t"
    headers_delimiter: bytes = b"\t"
    headers_separator: bytes = b","
    header_key_separator: bytes = b":"
    null_marker: bytes | None = None

    def parse(self, line: bytes, number: int) -> OutgoingRecord:
        """Return the record of a line; raise LineError where a separator is missing."""
        where = f"on line number {number}: '{line.decode(errors='replace')}'"
        headers, rest = self._split(
            line, self.headers_delimiter, self.has_headers, f"No headers delimiter found {where}"
        )
        key, value = self._split(rest, self.key_separator, self.has_key, f"No key separator found {where}")
        pairs = self._headers(headers, number) if headers is not None else ()
        return OutgoingRecord(self._or_null(key), self._or_null(value), pairs)

    def _split(self, text: bytes, separator: bytes, is_wanted: bool, problem: str) -> tuple[bytes | None, bytes]:
        if not is_wanted:
            return None, text
        before, found, after = text.partition(separator)
        if found:
            return before, after
        if not self.ignores_errors:
            raise LineError(problem)
        return None, text

    def _headers(self, text: bytes, number: int) -> Headers:
        if text == self.null_marker:
            return ()
        return tuple(self._header(pair, number) for pair in text.split(self.headers_separator))

    def _header(self, pair: bytes, number: int) -> tuple[str, bytes | None]:
        name, found, value = pair.partition(self.header_key_separator)
        if not found and not self.ignores_errors:
            shown = pair.decode(errors="replace")
            raise LineError(f"No header key separator found in pair '{shown}' on line number {number}")
        return name.decode(errors="replace"), self._or_null(value) if found else None

    def _or_null(self, text: bytes | None) -> bytes | None:
        return None if text is None or text == self.null_marker else text


def console_lines(properties: Mapping[str, str]) -> ConsoleLines:
    """Return the line reader with these properties."""
    unknown = sorted(name for name in properties if name not in _NAMES)
    if unknown:
        raise UsageError(f"unknown reader property {', '.join(unknown)}: known are {', '.join(_NAMES)}")
    reader = ConsoleLines()
    marker = properties.get("null.marker")
    separators = [properties.get(name, "\0") for name in _NAMES[3:7]]
    if "" in separators:
        raise UsageError("a separator may not be empty")
    return ConsoleLines(
        _is_true(properties, "parse.key"),
        _is_true(properties, "parse.headers"),
        _is_true(properties, "ignore.error"),
        _bytes(properties, "key.separator", reader.key_separator),
        _bytes(properties, "headers.delimiter", reader.headers_delimiter),
        _bytes(properties, "headers.separator", reader.headers_separator),
        _bytes(properties, "headers.key.separator", reader.header_key_separator),
        None if marker is None else marker.encode(),
    )


def _is_true(properties: Mapping[str, str], name: str) -> bool:
    return properties.get(name, "false").strip().lower() == "true"


def _bytes(properties: Mapping[str, str], name: str, default: bytes) -> bytes:
    return properties[name].encode() if name in properties else default
