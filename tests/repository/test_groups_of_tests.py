"""Tests that must not be spread over the workers are kept together."""

import subprocess
import sys
from pathlib import Path

TESTS = """
import os
import pytest

@pytest.mark.parametrize(
    "number", [pytest.param(index, marks=pytest.mark.xdist_group(f"group {index % 3}")) for index in range(30)]
)
def test_one(number):
    with open(f"group-{number % 3}", "a") as file:
        print(os.environ["PYTEST_XDIST_WORKER"], file=file)
"""


def test_a_group_of_tests_runs_in_one_worker(tmp_path: Path) -> None:
    """pytest and its plugin for workers have to fit together: where they do not, groups are ignored without a word."""
    (tmp_path / "test_some.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadgroup", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, "--rootdir", "."], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout
    workers = [(tmp_path / f"group-{index}").read_text().split() for index in range(3)]
    assert [len(ran) for ran in workers] == [10, 10, 10]
    assert [len(set(ran)) for ran in workers] == [1, 1, 1]
