"""``chronik audit accident``, which ``make run`` is: the whole pipeline on Spark, in a screen and a half."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

LINES_MAX = 60
WIDTH_MAX = 140
MESSAGES = 600
COMMAND = [sys.executable, "-m", "chronik.cli.main", "audit", "accident", "-n", str(MESSAGES)]


def accident(*options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *options], capture_output=True, text=True, check=False)


@pytest.mark.xdist_group("accident defects")
def test_the_accident_is_judged_and_looked_at_by_spark_on_a_screen_and_a_half(tmp_path: Path) -> None:
    done = accident("--keep", str(tmp_path / "run"))
    assert done.returncode == 0, done.stdout + done.stderr
    named = [line for line in done.stderr.splitlines() if line.startswith("judged by ")]
    assert len(named) == 1
    assert re.fullmatch(r"judged by Spark 4\.\d+\.\d+ on local\[\*\], page at http://127\.0\.0\.1:\d+", named[0])
    assert "WARN" not in done.stderr, "Spark's start-up lines are shown with --verbose only"

    lines = done.stdout.splitlines()
    assert len(lines) + len(done.stderr.splitlines()) <= LINES_MAX
    assert max(len(line) for line in lines) <= WIDTH_MAX
    assert lines[0] == f"OK  {MESSAGES} of {MESSAGES} delivered."
    assert "The predecessor's attempts" in lines
    looked = lines[next(at for at, line in enumerate(lines) if 'format("chronik")' in line) + 2 :][:3]
    stored = json.loads((tmp_path / "run" / "report.json").read_text())["partitions"]
    assert [(line.split()[0], line.split()[1]) for line in looked] == [
        (str(row["partition"]), f"{row['stored']:,}") for row in stored
    ]


@pytest.mark.xdist_group("accident defects")
def test_without_spark_the_local_engine_judges_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(without_pyspark(tmp_path / "site")), prepend=":")
    done = accident("--keep", str(tmp_path / "run"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "judged by the local engine: Spark is not installed" in done.stderr
    assert f"OK  {MESSAGES} of {MESSAGES} delivered." in done.stdout
    assert 'format("chronik")' not in done.stdout


def without_pyspark(directory: Path) -> Path:
    """Make a directory for the path in which Python starts as if pyspark were not installed."""
    directory.mkdir()
    (directory / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "find = PathFinder.find_spec\n"
        "PathFinder.find_spec = lambda name, *more: None if name.startswith('pyspark') else find(name, *more)\n"
    )
    return directory
