"""The error output of a JVM is held back while Spark starts."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronik.spark.sessions.jvm import held_output


@pytest.fixture
def target(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    path = tmp_path / "shown"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    yield descriptor, path
    os.close(descriptor)


def test_lines_of_the_start_are_dropped_and_later_ones_passed_on(target: tuple[int, Path]) -> None:
    descriptor, path = target
    with held_output(descriptor) as sink:
        program = "echo starting >&2; echo; read line; echo $line >&2"
        child = subprocess.Popen(["sh", "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=sink)
        assert child.stdout is not None
        child.stdout.readline()
    child.communicate(b"running\n", timeout=30)
    _await_text(path, "running\n")


def test_lines_of_a_failed_start_are_shown(target: tuple[int, Path]) -> None:
    descriptor, path = target
    with pytest.raises(subprocess.CalledProcessError), held_output(descriptor) as sink:
        subprocess.run(["sh", "-c", "echo no memory >&2; exit 1"], stderr=sink, check=True, timeout=30)
    _await_text(path, "no memory\n")


def _await_text(path: Path, expected: str) -> None:
    deadline = time.monotonic() + 30
    while path.read_text() != expected and time.monotonic() < deadline:
        time.sleep(0.01)
    assert path.read_text() == expected
