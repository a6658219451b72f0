"""Documents are kept true: paths and links lead somewhere, lines are short, and each rule has a guard and a test."""

import ast
import importlib
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(ROOT / folder / "README.md" for folder in ("benchmarks", "deploy", "examples")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
# Made by a program, from texts that have no line breaks.
GENERATED = {ROOT / "docs" / "compatibility.md"}
LINE_LENGTH_MAX = 120
PICTURE_BYTES_MAX = 200_000
FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!\!)\[[^\]]+\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)$", re.MULTILINE)
NAMED_CODE = re.compile(r"^([A-Z]\w*[a-z]\w*)(?:\.(\w+))?(?:\(.*\))?$")
IMPORT = re.compile(r"^from (chronik[\w.]*) import ([\w, ]+)$", re.MULTILINE)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
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


def links(text: str) -> list[str]:
    """The targets of a document's links and pictures that are files of the repository."""
    found = [next(filter(None, groups)) for groups in LINK.findall(FENCED.sub("", text))]
    return [target for target in found if not target.startswith(("http://", "https://"))]


def broken_links(document: Path, text: str) -> list[str]:
    """The links that name no file of the repository, or no heading of it."""
    return [target for target in links(text) if not leads_somewhere(document, target)]


def leads_somewhere(document: Path, target: str) -> bool:
    path, _, anchor = target.partition("#")
    file = (document.parent / path).resolve() if path else document
    if not file.exists() or not file.is_relative_to(ROOT):
        return False
    return not anchor or anchor in anchors(file.read_text(encoding="utf-8"))


def anchors(text: str) -> set[str]:
    """The names that headings get as link targets: lower case, without punctuation, with dashes for spaces."""
    headings = HEADING.findall(FENCED.sub("", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    assert broken_links(document, document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_other_documents_are_linked_not_only_named(document: Path) -> None:
    text = FENCED.sub("", document.read_text(encoding="utf-8"))
    named = [words for words in IN_BACKTICKS.findall(text) if words.endswith(".md") and exists(words)]
    assert [words for words in named if (ROOT / words) != document] == []


@pytest.mark.parametrize("document", sorted(set(DOCUMENTS) - GENERATED), ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_prose_are_short(document: Path) -> None:
    assert long_lines(document.read_text(encoding="utf-8")) == []


def long_lines(text: str) -> list[str]:
    """Lines outside tables and fenced blocks that are too long."""
    lines = FENCED.sub("", text).splitlines()
    return [line for line in lines if len(line) > LINE_LENGTH_MAX and not line.startswith("|")]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_document_is_reached_from_the_index(document: Path) -> None:
    index = ROOT / "docs" / "README.md"
    reached = {(index.parent / target.partition("#")[0]).resolve() for target in links(index.read_text("utf-8"))}
    assert document == index or document == ROOT / "README.md" or {document, document.parent} & reached


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_programs_in_a_document_import_names_that_exist(document: Path) -> None:
    imports = IMPORT.findall(document.read_text(encoding="utf-8"))
    named = [(module, name) for module, names in imports for name in names.split(", ")]
    assert [each for each in named if not hasattr(importlib.import_module(each[0]), each[1])] == []


def test_pictures_are_small_and_shown_somewhere() -> None:
    pictures = {path.resolve() for path in (ROOT / "docs" / "images").iterdir()}
    shown = {(page.parent / target).resolve() for page in DOCUMENTS for target in links(page.read_text("utf-8"))}
    assert pictures <= shown
    assert [path.name for path in pictures if path.stat().st_size > PICTURE_BYTES_MAX] == []


def test_a_broken_link_and_a_long_line_would_be_seen() -> None:
    document = ROOT / "README.md"
    good = "[a](docs/README.md) [b](docs/README.md#documents-by-reader) [c](https://example.org)"
    bad = "[d](docs/none.md) ![e](docs/none.png) [f](docs/README.md#none)"
    assert broken_links(document, f"{good} {bad}") == ["docs/none.md", "docs/none.png", "docs/README.md#none"]
    assert long_lines("x" * 121 + "\n| " + "x" * 200 + "\n```\n" + "x" * 200 + "\n```\n") == ["x" * 121]


def test_classes_named_in_the_architecture_exist() -> None:
    text = FENCED.sub("", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))
    named = [match for words in IN_BACKTICKS.findall(text) if (match := NAMED_CODE.match(words))]
    assert named
    assert [match.group(0) for match in named if not is_defined(match.group(1), match.group(2))] == []


def is_defined(name: str, attribute: str | None) -> bool:
    classes = [node for node in classes_of_the_product() if node.name == name]
    return any(attribute is None or attribute in methods(node) for node in classes)


def methods(node: ast.ClassDef) -> set[str]:
    return {each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)}


@cache
def classes_of_the_product() -> list[ast.ClassDef]:
    modules = [path for path in (ROOT / PACKAGE).rglob("*.py") if "generated" not in path.parts]
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules]
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]


def rows() -> list[list[str]]:
    """The rows of all tables in the invariants, by number: rule, number, and more."""
    lines = INVARIANTS.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return sorted((row for row in cells if row[1].isdigit()), key=lambda row: int(row[1]))


def rows_in_force() -> list[list[str]]:
    """Rule, number, guards and tests of each rule; the rules of what is not built yet have no guard."""
    return [row for row in rows() if len(row) == 4]


@pytest.mark.parametrize("row", rows_in_force(), ids=lambda row: row[1])
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
    numbers = [int(row[1]) for row in rows()]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
