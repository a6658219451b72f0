"""Commands start fast and end with a code that means one thing."""

import json
import subprocess
import sys

import pytest

from chronik.cli import (
    main,
)
from chronik.cli.exits import FAILED, INTERRUPTED, OK, UNKNOWN, WRONG_USE, Failure
from chronik.cli.group import (
    commands as group,
)
from chronik.cli.shell.options import failure_of
from chronik.cli.topic import (
    commands as topic,
)
from chronik.client.errors import ConnectionFailedError, RefusedError, SettingsRefusedError
from chronik.model.errors import ErrorCode

HEAVY = ("rich", "asyncio", "chronik.client", "chronik.server", "chronik.protocol", "chronik.records", "cramjam")


def loaded_after(code: str) -> set[str]:
    program = f"import sys\n{code}\nimport json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("code", ["import chronik.cli.main", "from chronik.cli.main import run; run(['version'])"])
def test_program_loads_nothing_heavy_before_it_is_needed(code: str) -> None:
    loaded = loaded_after(code)
    assert "chronik.cli.main" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_broker_is_served_without_loading_what_prints_tables() -> None:
    assert "rich" not in loaded_after("import chronik.cli.serve, chronik.server.run")


def test_help_lists_every_command_and_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["--help"]) == OK
    text = capsys.readouterr().out
    assert all(f"  {name} " in text for name in main.COMMANDS)
    assert all(f"  {code} " in text for code in (OK, FAILED, UNKNOWN, WRONG_USE, INTERRUPTED))


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_of_the_table_can_be_loaded_and_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([name, "--help"]) == OK
    assert f"chronik {name}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("noun", "name"),
    [(noun, name) for noun, table in (("topic", topic), ("group", group)) for name in table.COMMANDS],
)
def test_every_command_about_a_cluster_can_be_loaded_and_takes_settings(
    noun: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run([noun, name, "--help"]) == OK
    text = capsys.readouterr().out
    assert f"chronik {noun} {name}" in text
    assert all(option in text for option in ("--bootstrap", "--json", "--timeout", "-X"))


@pytest.mark.parametrize(
    "args",
    [
        ["nonsense"],
        ["topic", "nonsense"],
        ["topic", "create"],
        ["topic", "list", "--nonsense"],
        ["topic", "list", "-X", "linger=1"],
        ["topic", "list", "-X", "no-equals-sign"],
        ["-X", "linger=1", "topic", "list"],
        ["-X", "client.id=me", "version"],
        ["topic", "list", "-b", "host:port"],
        ["topic", "create", "t", "-p", "0"],
        ["topic", "create", "t", "--assign", "0:1", "-p", "1"],
        ["topic", "alter", "t"],
        ["topic", "alter", "t", "--trim", "zero"],
        ["topic", "consume", "t", "--from", "yesterday"],
        ["topic", "produce", "t", "--idempotent", "--acks", "1"],
        ["topic", "consume", "t", "-f", "%q"],
        ["topic", "consume", "t", "--json", "-D", ";"],
        ["topic", "consume", "t", "-F", "-e"],
        ["topic", "consume", "t", "-F", "-o", "e@5"],
        ["topic", "consume", "t", "-o", "1", "-o", "2"],
        ["topic", "consume", "t", "--group", "g", "-p", "0"],
        ["topic", "consume", "t", "--group", "g", "-o", "5"],
        ["topic", "produce", "t", "file", "-l", "lines"],
        ["topic", "produce", "t", "--from-json", "-K", ":"],
        ["topic", "produce", "t", "-D", ""],
        ["group", "list", "--state", "Sleepy"],
        ["group", "describe"],
        ["group", "describe", "g", "--all-groups"],
        ["group", "describe", "g", "--members", "--state"],
        ["group", "seek", "g", "--topic", "t"],
        ["group", "seek", "g", "--to-earliest"],
        ["group", "seek", "g", "--topic", "t", "--to-offset", "0", "--to-latest"],
        ["group", "seek", "g", "--topic", "t", "--all-topics", "--to-latest"],
        ["group", "seek", "g", "--topic", "t:x", "--to-latest"],
        ["group", "seek", "g", "--topic", "t", "--by-duration", "soon"],
        ["group", "seek", "g", "--topic", "t", "--to-datetime", "soon"],
        ["group", "seek", "g", "--topic", "t", "--to-latest", "--export", "--json"],
        ["group", "delete"],
        ["config", "set", "topic", "t"],
        ["config", "get", "planet", "t"],
        ["serve", "-X", "listenerz=PLAINTEXT://127.0.0.1:0"],
    ],
)
@pytest.mark.usefixtures("own_logging")
def test_wrong_use_is_told_on_stderr_with_its_own_exit_code(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(args) == WRONG_USE
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err


def test_failures_of_the_client_have_codes_by_what_they_mean() -> None:
    assert failure_of(ConnectionFailedError("h:1: gone")).code == UNKNOWN
    assert failure_of(SettingsRefusedError("no such setting")).code == WRONG_USE
    refused = failure_of(RefusedError(ErrorCode.TOPIC_ALREADY_EXISTS, "topic t"))
    assert (refused.code, refused.message) == (FAILED, "topic t: TOPIC_ALREADY_EXISTS")
    assert "topic alter" in refused.advice


def test_failure_shows_what_happened_and_then_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    Failure("h:1: connection refused", "Start it.").show()
    assert capsys.readouterr().err == "chronik: h:1: connection refused\n  Start it.\n"


def test_cluster_that_cannot_be_reached_is_exit_code_2_with_its_address(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["topic", "list", "-b", "127.0.0.1:1", "--timeout", "2"]) == UNKNOWN
    assert "127.0.0.1:1: connection refused" in capsys.readouterr().err
