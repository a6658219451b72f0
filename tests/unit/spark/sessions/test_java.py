"""A Java for Spark: an installed one if it is new enough, and otherwise the one from the package, through a script."""

import os
import subprocess
from pathlib import Path

import pytest

from chronik.spark.sessions import java


def fake_java(directory: Path, answer: str) -> dict[str, str]:
    program = directory / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho '{answer}' >&2\n")
    program.chmod(0o755)
    return {"PATH": str(program.parent)}


@pytest.mark.parametrize(
    ("answer", "taken"),
    [
        ('openjdk version "17.0.1"', True),
        ('openjdk version "25" 2025', True),
        ('java version "1.8.0_1"', False),
        ("", False),
    ],
)
def test_an_installed_java_is_taken_if_it_is_new_enough(tmp_path: Path, answer: str, taken: bool) -> None:
    environment = fake_java(tmp_path, answer)
    assert java.installed_java(environment) == (f"{tmp_path}/bin/java" if taken else None)
    assert java.installed_java({"JAVA_HOME": str(tmp_path), "PATH": ""}) == (f"{tmp_path}/bin/java" if taken else None)


def test_a_java_home_without_a_java_counts_as_none(tmp_path: Path) -> None:
    assert java.installed_java({"JAVA_HOME": str(tmp_path / "nothing"), "PATH": "/usr/bin"}) is None


def test_the_packaged_java_runs_with_the_module_that_it_lacks_on_its_command_line(tmp_path: Path) -> None:
    home = java.packaged_java_home(tmp_path / "a home")
    command = [home / "bin" / "java", "-Dx=a b", "--add-modules=jdk.incubator.vector", "-version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "version" in done.stderr


def test_where_there_is_no_java_the_packaged_one_is_set_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    chosen = java.use_java({"PATH": ""})
    assert Path(chosen).is_relative_to(tmp_path)
    assert os.environ["JAVA_HOME"] == str(Path(chosen).parent.parent)
