"""What was set up once is not set up again."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize(("target", "first_command"), [("run", ".venv/bin/chronik"), ("lint", ".venv/bin/ruff")])
def test_a_second_call_does_no_set_up_work(target: str, first_command: str) -> None:
    if not (ROOT / ".venv" / ".ready").exists():
        pytest.skip("this environment was not made by make")
    plan = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert plan.startswith(first_command)
    assert "tools/environment.sh" not in plan


def test_help_names_every_command() -> None:
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for command in ("run", "test", "lint", "bench", "codec", "lock", "clean", "help"):
        assert f"make {command}" in listed
