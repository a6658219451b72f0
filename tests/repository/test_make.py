"""What was set up once is not set up again."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def make(*arguments: str) -> str:
    # Run as from a shell: a make that knows itself inside another one prints more.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--no-print-directory", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(("target", "first_command"), [("run", ".venv/bin/chronik"), ("lint", ".venv/bin/ruff")])
def test_a_second_call_does_no_set_up_work(target: str, first_command: str) -> None:
    if not (ROOT / ".venv" / ".ready").exists():
        pytest.skip("this environment was not made by make")
    plan = make("--dry-run", target)
    assert plan.startswith(first_command)
    assert "tools/environment.sh" not in plan


def test_help_names_every_command() -> None:
    listed = make("help")
    for command in ("run", "test", "matrix", "lint", "bench", "accident", "nemesis", "codec", "lock", "clean", "help"):
        assert f"make {command}" in listed
