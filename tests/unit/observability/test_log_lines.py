"""Log lines: what a machine reads in them, and what nobody may."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from chronik.model.ids import TopicPartition
from chronik.observability.logs import (
    PER_REQUEST,
    RESTRAINED_MAX,
    JsonLines,
    Restraint,
    TextLines,
    log_to_stderr,
    without_secrets,
)

SECRET = "hunter2-is-no-password"


def line(message: str, *args: object, level: int = logging.INFO, **given: Any) -> dict[str, Any]:
    record = logging.LogRecord("chronik.server.x", level, __file__, 1, message, args, None)
    for name, value in given.items():
        setattr(record, name, value)
    document: dict[str, Any] = json.loads(JsonLines(node=3).format(record))
    return document


def test_a_json_line_has_time_level_logger_message_and_node() -> None:
    told = line("%s is %d", "this", 5, level=logging.WARNING, created=1_700_000_000.1239)
    assert told == {
        "time": "2023-11-14T22:13:20.123Z",
        "level": "warning",
        "logger": "chronik.server.x",
        "message": "this is 5",
        "node": 3,
    }


def test_a_partition_and_an_error_among_the_values_are_fields() -> None:
    told = line("%s: retention failed: %s", TopicPartition("orders", 2), OSError("no space"))
    assert told["message"] == "orders-2: retention failed: no space"
    assert (told["topic"], told["partition"]) == ("orders", 2)
    assert (told["error"], told["error_text"]) == ("OSError", "no space")


def test_what_is_given_by_name_is_a_field() -> None:
    assert line("moved", leader=2, what_to_do="nothing")["leader"] == 2


def test_a_line_stays_one_line_whatever_is_in_it() -> None:
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "a\nb %s", ("\r\n",), None)
    assert JsonLines().format(record).isprintable()


def test_a_failure_has_its_traceback_in_the_same_line() -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, __file__, 1, "it failed", (), sys.exc_info())
    told = json.loads(JsonLines().format(record))
    assert (told["error"], told["error_text"]) == ("ValueError", "broken")
    assert "test_log_lines.py" in told["traceback"]


@pytest.mark.parametrize(
    "text",
    [
        f"etcd://root:{SECRET}@127.0.0.1:2379 cannot be reached",
        f"root:{SECRET}@127.0.0.1:2379 cannot be reached",
        f"http://{SECRET}@proxy refused",
        f"ssl.keystore.password={SECRET}",
        f"sasl.jaas.config: username=admin password='{SECRET}' required",
        f'password: "{SECRET} and more {SECRET}"',
        f"api_key={SECRET}, next",
        f"chronik.token = {SECRET}",
    ],
)
def test_a_secret_is_in_no_line(text: str) -> None:
    record = logging.LogRecord("x", logging.INFO, __file__, 1, "%s", (ConnectionError(text),), None)
    assert SECRET not in JsonLines().format(record)
    assert SECRET not in TextLines().format(record)


@pytest.mark.parametrize(
    "text",
    [
        "orders-2: retention failed",
        "127.0.0.1:9092",
        "who@example.org wrote",
        "broker 1: a@b",
        "http://127.0.0.1:9644/",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


def passed(restraint: Restraint, at: float, partition: int = 0, **given: Any) -> str | None:
    args = (TopicPartition("orders", partition), int(at))
    record = logging.LogRecord("x", logging.ERROR, __file__, 1, "%s: met damage at %d", args, None)
    record.created = at
    for name, value in given.items():
        setattr(record, name, value)
    return record.getMessage() if restraint.filter(record) else None


def test_a_line_that_requests_bring_about_is_written_once_a_minute_for_each_partition() -> None:
    restraint = Restraint()
    said = [passed(restraint, at, **PER_REQUEST) for at in (0, 1, 59, 61, 62)]
    assert said == [
        "orders-0: met damage at 0",
        None,
        None,
        "orders-0: met damage at 61 (and 2 times more since the last such line)",
        None,
    ]
    assert passed(restraint, 62, partition=1, **PER_REQUEST) is not None


def test_every_other_line_is_written_and_what_is_remembered_is_bounded() -> None:
    restraint = Restraint()
    assert all(passed(restraint, 0) for _ in range(3))
    for partition in range(3 * RESTRAINED_MAX):
        passed(restraint, 0, partition, **PER_REQUEST)
    assert len(restraint._said) == RESTRAINED_MAX


@pytest.fixture
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    before = root.level, root.handlers[:]
    root.handlers[:] = []
    yield
    root.level, root.handlers[:] = before


@pytest.mark.usefixtures("own_logging")
def test_the_last_word_on_the_format_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", said := io.StringIO())
    log_to_stderr(form="json")
    log_to_stderr(form="json", node=7)
    logging.getLogger("a").info("once")
    assert [json.loads(each)["node"] for each in said.getvalue().splitlines()] == [7]
