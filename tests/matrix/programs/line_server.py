"""Serves requests from standard input, one JSON object a line, and answers each with one line.

Every program of the matrix that is written in Python is started with the broker's address and
serves the same requests. Whatever a client library prints goes to standard error.
"""

import json
import os
import sys
import threading
import traceback
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import Any

BOOTSTRAP = sys.argv[1]


def to_text(data: bytes | None) -> str | None:
    return None if data is None else b64encode(data).decode()


def to_bytes(text: str | None) -> bytes | None:
    return None if text is None else b64decode(text)


def headers_from(record: Mapping[str, Any]) -> list[tuple[str, bytes]]:
    return [(name, b64decode(value)) for name, value in record["headers"]]


def record_of(key: bytes | None, value: bytes | None, headers: Any) -> dict[str, Any]:
    """A record that was read, as the tests expect it."""
    named = [[name, to_text(data)] for name, data in headers or []]
    return {"key": to_text(key), "value": to_text(value), "headers": named}


class MemberLog:
    """What one member of a group has been through; written by its thread, read by requests."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.assigned: set[int] = set()
        self.history: list[tuple[str, list[int]]] = []
        self.values: list[str] = []
        self.error: str | None = None

    def on_assigned(self, partitions: list[int]) -> None:
        with self._lock:
            self.assigned |= set(partitions)
            self.history.append(("assigned", sorted(partitions)))

    def on_revoked(self, partitions: list[int]) -> None:
        with self._lock:
            self.assigned -= set(partitions)
            self.history.append(("revoked", sorted(partitions)))

    def on_value(self, value: bytes | None) -> None:
        with self._lock:
            self.values.append((value or b"").decode())

    def on_error(self, error: BaseException) -> None:
        traceback.print_exc()
        self.error = repr(error)

    def shown(self) -> dict[str, Any]:
        with self._lock:
            return {
                "assigned": sorted(self.assigned),
                "history": list(self.history),
                "values": list(self.values),
                "error": self.error,
            }


def serve(handlers: Mapping[str, Callable[..., Any]]) -> None:
    """Answer until standard input ends, then end at once: what is still open is not waited for."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"ok": handlers[request.pop("do")](**request)}
        except Exception as error:  # noqa: BLE001 -- whatever it is, it is the answer
            traceback.print_exc()
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers, flush=True)
    os._exit(0)
