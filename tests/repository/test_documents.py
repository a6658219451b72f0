"""Documents are kept true: the paths they name exist, and so do the guards and tests of each rule."""

import ast
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
INVARIANTS = ROOT / "docs" / "invariants.md"
IN_BACKTICKS = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^[\w.-]+(/[\w.-]+)*/?$")
PACKAGE = "src/chronik"


@cache
def known_roots() -> set[str]:
    """The first names of tracked paths, from the root and from inside the package."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    inside = [path.removeprefix(PACKAGE + "/") for path in listed if path.startswith(PACKAGE + "/")]
    return {path.split("/")[0] for path in (*listed, *inside)}


def looks_like_a_path(words: str) -> bool:
    """A path from the root or from inside the package, and not merely a word such as ``model``."""
    if not PATH.match(words) or words.split("/")[0] not in known_roots():
        return False
    return "/" in words or words.endswith((".md", ".toml", ".py"))


def named_paths(document: Path) -> Iterator[str]:
    for words in IN_BACKTICKS.findall(document.read_text(encoding="utf-8")):
        path = words.split("::")[0]
        if looks_like_a_path(path):
            yield path


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_paths_named_in_a_document_exist(document: Path) -> None:
    missing = [path for path in named_paths(document) if not exists(path)]
    assert missing == []


def exists(path: str) -> bool:
    return (ROOT / path).exists() or (ROOT / PACKAGE / path).exists()


def test_a_path_that_does_not_exist_would_be_seen() -> None:
    assert looks_like_a_path("src/chronik/storage/no_such_module.py")
    assert looks_like_a_path("storage/no_such_module.py")
    assert not exists("storage/no_such_module.py")
    assert not looks_like_a_path("model")
    assert not looks_like_a_path("log.segment.bytes")


def rows() -> list[list[str]]:
    """The rows of all tables in the invariants, by number."""
    lines = INVARIANTS.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return sorted((row for row in cells if row[0].isdigit()), key=lambda row: int(row[0]))


def rows_in_force() -> list[list[str]]:
    """Number, rule, guard and tests of each rule; those of what is not built yet name no guard."""
    return [row for row in rows() if len(row) == 4]


@pytest.mark.parametrize("row", rows_in_force(), ids=lambda row: row[0])
def test_each_invariant_names_a_guard_and_a_test_that_exist(row: list[str]) -> None:
    _, _, guard, tests = row
    guards = IN_BACKTICKS.findall(guard)
    named_tests = IN_BACKTICKS.findall(tests)
    assert guards, "no guard is named"
    assert named_tests, "no test is named"
    assert [path for path in guards if not exists(path)] == []
    assert [name for name in named_tests if not is_test(name)] == []


def is_test(name: str) -> bool:
    path, _, function = name.partition("::")
    return (ROOT / path).exists() and function in function_names(path)


@cache
def function_names(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_invariants_are_numbered_without_a_gap() -> None:
    numbers = [int(row[0]) for row in rows()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
