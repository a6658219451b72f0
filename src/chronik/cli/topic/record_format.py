"""Printing records: kcat's ``-f`` patterns as functions from a record to bytes, JSON, and a printer with a limit."""

import base64
import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from chronik.cli.shell.escapes import unescaped
from chronik.client.fetched import FetchedRecords
from chronik.model.ids import TopicPartition
from chronik.records.iterate import StoredRecord

Render: TypeAlias = Callable[[TopicPartition, StoredRecord], bytes]
Rendered: TypeAlias = Iterable[tuple[int, bytes | ValueError]]
"""The offset of each record, and its text or the reason why the record has none."""

_PATTERN = re.compile(r"%(.|$)", re.DOTALL)
_NULL_SIZE: Final = -1

FORMAT_HELP: Final = (
    "%t topic, %p partition, %o offset, %T time in ms, %k key, %s value, %K and %S their sizes (-1: null), "
    "%R value's size as 4 bytes, %h headers, %% a percent sign; \\n \\t \\r \\0 \\xNN"
)


class RecordPrinter:
    """Prints records up to a number, and counts them."""

    def __init__(
        self,
        render: Callable[[FetchedRecords], Rendered],
        count_max: int | None,
        on_error: Callable[[TopicPartition, int, ValueError], None] | None = None,
    ) -> None:
        self._render = render
        self._count_max = count_max
        self._on_error = on_error
        self.count = 0

    @property
    def is_done(self) -> bool:
        """Return whether the number is reached."""
        return self._count_max is not None and self.count >= self._count_max

    def print_fetched(self, fetched: FetchedRecords) -> int | None:
        """Print fetched records, and return the offset after the last printed one."""
        output, end = sys.stdout.buffer, None
        for offset, text in self._render(fetched):
            self.count += 1
            if isinstance(text, bytes):
                output.write(text)
            elif self._on_error is not None:
                self._on_error(fetched.topic_partition, offset, text)
            end = offset + 1
            if self.is_done:
                break
        output.flush()
        return end


def rendered_by(render: Render) -> Callable[[FetchedRecords], Rendered]:
    """Return the function that renders all fetched records, one by one."""

    def render_all(fetched: FetchedRecords) -> Rendered:
        at = fetched.topic_partition
        return ((record.offset, render(at, record)) for record in fetched.records())

    return render_all


def record_format(pattern: str, null: bytes = b"") -> Render:
    """Return the function that renders a record by a pattern, with ``null`` for keys and values that are null."""
    pieces: list[bytes | Render] = []
    position = 0
    for found in _PATTERN.finditer(pattern):
        pieces.append(unescaped(pattern[position : found.start()]))
        pieces.append(_field(found[1], null))
        position = found.end()
    pieces.append(unescaped(pattern[position:]))
    kept = [piece for piece in pieces if piece != b""]

    def render(at: TopicPartition, record: StoredRecord) -> bytes:
        return b"".join(piece if isinstance(piece, bytes) else piece(at, record) for piece in kept)

    return render


def line_format(key_separator: bytes | None, end: bytes, null: bytes = b"") -> Render:
    """Return the function that renders a record as its key (with a key separator), its value and ``end``."""

    def value_only(at: TopicPartition, record: StoredRecord) -> bytes:
        return (null if record.value is None else record.value) + end

    def key_and_value(at: TopicPartition, record: StoredRecord) -> bytes:
        assert key_separator is not None
        return (null if record.key is None else record.key) + key_separator + value_only(at, record)

    return value_only if key_separator is None else key_and_value


def _field(letter: str, null: bytes) -> bytes | Render:
    fields: dict[str, bytes | Render] = {
        "%": b"%",
        "t": lambda at, record: at.topic.encode(),
        "p": lambda at, record: b"%d" % at.partition,
        "o": lambda at, record: b"%d" % record.offset,
        "T": lambda at, record: b"%d" % record.timestamp,
        "k": lambda at, record: null if record.key is None else record.key,
        "s": lambda at, record: null if record.value is None else record.value,
        "K": lambda at, record: b"%d" % _size(record.key),
        "S": lambda at, record: b"%d" % _size(record.value),
        "R": lambda at, record: _size(record.value).to_bytes(4, "big", signed=True),
        "h": lambda at, record: b",".join(map(_header, record.headers)),
    }
    if letter not in fields:
        raise ValueError(f"unknown pattern '%{letter}': use {', '.join(f'%{known}' for known in fields)}")
    return fields[letter]


def _size(data: bytes | None) -> int:
    return _NULL_SIZE if data is None else len(data)


def _header(header: tuple[str, bytes | None]) -> bytes:
    name, value = header
    return name.encode() + b"=" + (b"NULL" if value is None else value)


def json_format(at: TopicPartition, record: StoredRecord) -> bytes:
    """Return a record as one line of JSON."""
    return json_line(at, record).encode() + b"\n"


def json_line(at: TopicPartition, record: StoredRecord) -> str:
    """Return a record as JSON; bytes that are not UTF-8 are base64 in a field whose name ends with _base64."""
    document = {
        "topic": at.topic,
        "partition": at.partition,
        "offset": record.offset,
        "timestamp_ms": record.timestamp,
        **_readable("key", record.key),
        **_readable("value", record.value),
        "headers": [{"name": name, **_readable("value", value)} for name, value in record.headers],
    }
    return json.dumps(document, ensure_ascii=False)


def _readable(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {f"{name}_base64": base64.b64encode(data).decode()}
