"""Log lines: text for people or JSON for machines, one line per event, and never a secret.

Whoever logs writes a sentence and its values. A value that has a meaning by its type, a partition or an error, is a
field of the JSON line as well, and so is whatever is given as ``extra``: the sentence is said once.
"""

import json
import logging
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final, Literal

from chronik.model.ids import TopicPartition

LogFormat = Literal["text", "json"]
FORMATS: Final[tuple[LogFormat, ...]] = ("text", "json")

_TEXT: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
_OWN: Final = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "per_request"}
"""What a record has of its own; everything else on it was given by whoever logged."""

_IN_ADDRESS: Final = re.compile(r"""(?:(?<=://)[^\s/@'"]*|[^\s/@:='"]+:[^\s/@'"]+)@""")
_BY_NAME: Final = re.compile(
    r"""((?:password|passwd|secret|token|api[._-]?key)\w*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;]+)""", re.IGNORECASE
)
_HIDDEN: Final = "[hidden]"

PER_REQUEST: Final = {"per_request": True}
"""Given as ``extra`` with a line that a client can bring about again and again: it is written once in a while."""
RESTRAINED_S: Final = 60.0
RESTRAINED_MAX: Final = 1_000


def log_to_stderr(level: int = logging.INFO, form: LogFormat = "text", node: int | None = None) -> None:
    """Log on standard error from now on, in place of what was set up before; ``node`` is named in every JSON line."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(node) if form == "json" else TextLines())
    handler.addFilter(Restraint())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def without_secrets(text: str) -> str:
    """Hide what stands where passwords stand: in an address before the host, and behind a name that says so."""
    return _BY_NAME.sub(rf"\1{_HIDDEN}", _IN_ADDRESS.sub(f"{_HIDDEN}@", text))


class Restraint(logging.Filter):
    """Lets a line that requests bring about pass once a minute for each thing that it is about, and counts the rest.

    What it is about is the first value: a partition, a client, an API.
    """

    def __init__(self) -> None:
        super().__init__()
        self._said: dict[tuple[str, str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if not getattr(record, "per_request", False):
            return True
        values = record.args if isinstance(record.args, tuple) else ()
        key = (record.name, str(record.msg), str(values[0]) if values else "")
        said_at, more = self._said.get(key, (None, 0))
        if said_at is not None and record.created - said_at < RESTRAINED_S:
            self._said[key] = (said_at, more + 1)
            return False
        if more:
            record.msg, record.args = f"{record.msg} (and %d times more since the last such line)", (*values, more)
        self._said.pop(key, None)
        self._said[key] = (record.created, 0)
        if len(self._said) > RESTRAINED_MAX:
            del self._said[next(iter(self._said))]
        return True


class TextLines(logging.Formatter):
    """Time, level, where, what."""

    def __init__(self) -> None:
        super().__init__(_TEXT)

    def format(self, record: logging.LogRecord) -> str:
        return without_secrets(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON document per line."""

    def __init__(self, node: int | None = None) -> None:
        super().__init__()
        self._node = node

    def format(self, record: logging.LogRecord) -> str:
        document: dict[str, Any] = {
            "time": _time(record.created),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if self._node is not None:
            document["node"] = self._node
        document |= dict(_fields(record))
        if record.exc_info and record.exc_info[0] is not None:
            document["traceback"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(document, ensure_ascii=False, default=str)


def _time(created: float) -> str:
    return datetime.fromtimestamp(created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _fields(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    """Give what has a meaning by its type, then what was given by name."""
    for value in record.args if isinstance(record.args, tuple) else ():
        if isinstance(value, TopicPartition):
            yield from (("topic", value.topic), ("partition", value.partition))
        elif isinstance(value, BaseException):
            yield from _error_fields(value)
    if record.exc_info and record.exc_info[1] is not None:
        yield from _error_fields(record.exc_info[1])
    for name, value in vars(record).items():
        if name not in _OWN:
            yield name, without_secrets(value) if isinstance(value, str) else value


def _error_fields(error: BaseException) -> Iterator[tuple[str, str]]:
    yield "error", type(error).__name__
    yield "error_text", without_secrets(str(error))
