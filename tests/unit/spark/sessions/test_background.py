"""A session that starts in a thread: the program goes on, and waits where it needs it."""

import threading
from typing import Any

import pytest

from chronik.spark.sessions import background


class FakeSession:
    """A session that takes part in the warm-up."""

    def range(self, count: int) -> "FakeSession":
        return self

    def mapInArrow(self, function: object, schema: str) -> "FakeSession":
        return self

    def collect(self) -> list[object]:
        return []


def test_the_start_returns_at_once_and_the_result_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    may_start = threading.Event()
    made: Any = FakeSession()
    given: dict[str, Any] = {}

    def session(master: str | None, **named: Any) -> FakeSession:
        given.update(named)
        assert may_start.wait(30)
        return made

    monkeypatch.setattr(background, "session", session)
    handle = background.start_in_background("local[2]", app_name="test")
    assert not handle.is_ready
    with pytest.raises(TimeoutError):
        handle.result(0.01)
    may_start.set()
    assert handle.result(30) is made
    assert handle.is_ready
    assert given == {"app_name": "test", "settings": None, "quiet": True, "page": True}


def test_a_failed_start_raises_where_the_session_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    def session(master: str | None, **named: Any) -> FakeSession:
        raise RuntimeError("no Java")

    monkeypatch.setattr(background, "session", session)
    with pytest.raises(RuntimeError, match="no Java"):
        background.start_in_background().result(30)
