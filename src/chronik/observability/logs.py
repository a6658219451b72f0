"""Log lines: text for people or JSON for machines, one line per event, without secrets.

A log call has a sentence and its values. Values of known types, such as a partition or an error, are fields of the JSON
line too, and so are those in ``extra``.
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
"""The standard attributes of a log record; all others come from ``extra``."""

_IN_ADDRESS: Final = re.compile(r"""(?:(?<=://)[^\s/@'"]*|[^\s/@:='"]+:[^\s/@'"]+)@""")
_BY_NAME: Final = re.compile(
    r"""((?:password|passwd|secret|token|api[._-]?key)\w*\s*[=:]\s*)("[^"]*"|'[^']*'|[^\s,;]+)""", re.IGNORECASE
)
_HIDDEN: Final = "[hidden]"

PER_REQUEST: Final = {"per_request": True}
"""The ``extra`` of a line that a client can trigger again and again: it is written at most once a minute."""
RESTRAINED_S: Final = 60.0
RESTRAINED_MAX: Final = 1_000


def log_to_stderr(level: int = logging.INFO, form: LogFormat = "text", node: int | None = None) -> None:
    """Log to standard error, replacing earlier handlers; every JSON line has ``node``."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines(node) if form == "json" else TextLines())
    handler.addFilter(Restraint())
    logging.basicConfig(level=level, handlers=[handler], force=True)


def without_secrets(text: str) -> str:
    """Mask secrets: in an address before the host, and behind a name such as ``password``."""
    return _BY_NAME.sub(rf"\1{_HIDDEN}", _IN_ADDRESS.sub(f"{_HIDDEN}@", text))


class Restraint(logging.Filter):
    """Lets a per-request line pass once a minute for each subject, and counts the others.

    The subject is the first value: a partition, a client, an API.
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
    """Time, level, logger, message."""

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
    """Return the fields of values with a known type, then those of ``extra``."""
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
