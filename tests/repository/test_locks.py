"""What is installed is what was locked: everything pinned with hashes, and nothing asked for left out."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
REQUIREMENTS = ROOT / "requirements"
LOCKS = sorted(REQUIREMENTS.glob("*.txt"))
PIN = re.compile(r"^([A-Za-z0-9._-]+)==\S+")


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", re.split(r"[\s<>=!;\[]", name, maxsplit=1)[0]).lower()


def entries(lock: Path) -> dict[str, str]:
    """Each locked package with the whole text of its entry."""
    blocks = re.split(r"\n(?=\S)", lock.read_text(encoding="utf-8"))
    return {normal(pin.group(1)): block for block in blocks if (pin := PIN.match(block))}


def asked_for(path: Path) -> set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {normal(line) for line in lines if line and not line.startswith("#")}


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def runtime_dependencies() -> set[str]:
    return {normal(line) for line in project()["dependencies"]}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_every_locked_package_has_hashes(lock: Path) -> None:
    assert entries(lock)
    assert [name for name, entry in entries(lock).items() if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.name)
def test_locks_name_no_address(lock: Path) -> None:
    assert "://" not in lock.read_text(encoding="utf-8")


def lock_of(path: Path) -> Path:
    """What has an environment of its own has a lock of its own."""
    own = path.with_suffix(".txt")
    return own if own.exists() else REQUIREMENTS / "dev.txt"


def test_the_locks_hold_all_that_is_asked_for() -> None:
    for path in REQUIREMENTS.glob("*.in"):
        assert asked_for(path) - entries(lock_of(path)).keys() == set()
    assert runtime_dependencies() - entries(REQUIREMENTS / "dev.txt").keys() == set()
    assert runtime_dependencies() - entries(REQUIREMENTS / "runtime.txt").keys() == set()


def test_all_that_spark_needs_is_there_for_the_tests() -> None:
    asked = {normal(line) for line in project()["optional-dependencies"]["spark"]}
    assert asked - entries(REQUIREMENTS / "dev.txt").keys() == set()


def test_development_and_run_time_use_the_same_versions() -> None:
    runtime, dev = entries(REQUIREMENTS / "runtime.txt"), entries(REQUIREMENTS / "dev.txt")
    pins = {name: PIN.match(entry).group() for name, entry in runtime.items()}  # type: ignore[union-attr]
    assert {name: PIN.match(dev[name]).group() for name in pins} == pins  # type: ignore[union-attr]
