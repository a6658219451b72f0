"""The Python of a local session's workers: this one, without Spark's zip files before its packages."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import chronik
from chronik.spark.sessions.session import worker_python
from chronik.spark.sessions.shims import shim_directory

SAY = "import json, os, sys; print(json.dumps([sys.executable, os.environ['PYTHONPATH'], sys.argv[1:]]))"


def test_workers_run_this_python_without_the_zip_files(tmp_path: Path) -> None:
    zips = ["/spark/python/lib/pyspark.zip", "/spark/python/lib/py4j-0.10.9.9-src.zip"]
    path = os.pathsep.join([*zips, "/own one", "/spark/jars/core.jar"])
    program = worker_python(tmp_path / "a place")
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [program, "-c", SAY, "an argument", ""], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    chronik_path = str(Path(chronik.__file__).parent.parent)
    expected = os.pathsep.join(["/own one", "/spark/jars/core.jar", chronik_path])
    assert json.loads(done.stdout) == [sys.executable, expected, ["an argument", ""]]


def test_scripts_lie_where_nobody_else_can_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert shim_directory().is_relative_to(tmp_path / "cache")
    assert shim_directory().stat().st_mode & 0o077 == 0
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert not shim_directory().is_relative_to(tmp_path)
