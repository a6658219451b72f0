"""Tidiness that is worth a failing build: sizes, names, unfinished marks, foreign addresses.

usage: python tools/tidy.py

A check is a function from one tracked file to findings, or from the whole tree to findings. What a
file may not contain is spelled here in pieces, so that this file passes its own checks.
"""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

MODULE_LINES_MAX = 500
FUNCTION_LINES_MAX = 60
FOLDER_MODULES_MAX = 25
SMALL_MODULE_LINES = 60
PRODUCT = "src/chronik/"
GENERATED = "src/chronik/protocol/generated/"
HANDLERS = "src/chronik/server/handlers/"
# Small modules with one importer that stay apart, because they are a port or a table.
PORTS_AND_TABLES: frozenset[str] = frozenset()
DRAWERS = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
BINARY_SUFFIXES = {".png", ".jar", ".gz", ".ico", ".xz"}

LONG_WITH_REASON = re.compile(r"#\s*long:\s*\S+")
UNFINISHED = re.compile(r"\b(TOD[O]|FIXM[E]|XX[X])\b")
MACHINE_PATH = re.compile(r"(?<![\w.\-])/(" + "|".join(("work", "root", "home")) + r")/")
REGISTRY_HOSTS = re.compile(
    "|".join(
        re.escape(".".join(parts))
        for parts in (
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("repo", "maven"),
            ("repo1", "maven"),
            ("npmjs", "org"),
            ("npmjs", "com"),
            ("crates", "io"),
            ("proxy", "golang"),
        )
    )
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One tracked text file, by its path from the root of the repository."""

    path: str
    text: str

    @property
    def is_python(self) -> bool:
        return self.path.endswith(".py")

    @property
    def is_generated(self) -> bool:
        return self.path.startswith(GENERATED)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to put right, and where."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def check_docstring(file: SourceFile) -> Iterator[Finding]:
    """Every module opens with what it is for."""
    if file.is_python and ast.get_docstring(ast.parse(file.text)) is None:
        yield Finding(file.path, 1, "the module does not say what it is for")


def check_name(file: SourceFile) -> Iterator[Finding]:
    """Modules are named by a noun of the domain, tests so that pytest finds them."""
    for part in Path(file.path).with_suffix("").parts:
        if part in DRAWERS:
            yield Finding(file.path, 1, f"'{part}' says nothing about what is inside")
    if file.is_python and file.path.startswith("tests/") and holds_tests(file) and not is_test_file(file):
        yield Finding(file.path, 1, "holds tests, but is not named test_*.py: pytest does not see them")


def is_test_file(file: SourceFile) -> bool:
    return Path(file.path).name.startswith("test_")


def holds_tests(file: SourceFile) -> bool:
    names = (
        node.name for node in ast.parse(file.text).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(name.startswith("test_") for name in names)


def check_module_size(file: SourceFile) -> Iterator[Finding]:
    """A module fits in a reader's head."""
    lines = file.text.count("\n")
    if file.is_python and not file.is_generated and lines > MODULE_LINES_MAX:
        yield Finding(file.path, MODULE_LINES_MAX, f"{lines} lines, at most {MODULE_LINES_MAX}")


def check_function_size(file: SourceFile) -> Iterator[Finding]:
    """A function fits on a screen, or its first line says ``# long: why``."""
    if not file.is_python or file.is_generated:
        return
    lines = file.text.splitlines()
    for node in ast.walk(ast.parse(file.text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        length = (node.end_lineno or node.lineno) - node.lineno + 1
        if length > FUNCTION_LINES_MAX and not LONG_WITH_REASON.search(lines[node.lineno - 1]):
            yield Finding(file.path, node.lineno, f"{node.name} has {length} lines, at most {FUNCTION_LINES_MAX}")


def check_unfinished(file: SourceFile) -> Iterator[Finding]:
    """What is committed is finished; what is not built is an issue, not a comment."""
    yield from matches(file, UNFINISHED, "an unfinished mark")


def check_machine_paths(file: SourceFile) -> Iterator[Finding]:
    """Nothing depends on where it was written."""
    yield from matches(file, MACHINE_PATH, "a path of somebody's machine")


def check_registries(file: SourceFile) -> Iterator[Finding]:
    """Which registry serves the packages is the machine's business."""
    yield from matches(file, REGISTRY_HOSTS, "the address of a registry")


def matches(file: SourceFile, pattern: re.Pattern[str], what: str) -> Iterator[Finding]:
    if pattern.search(file.text) is None:
        return
    for number, line in enumerate(file.text.splitlines(), 1):
        if found := pattern.search(line):
            yield Finding(file.path, number, f"{what}: {found.group()}")


def product_modules(files: Iterable[SourceFile]) -> list[SourceFile]:
    """Return the modules of the product that people write."""
    return [file for file in files if file.is_python and file.path.startswith(PRODUCT) and not file.is_generated]


def check_folder_sizes(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """A folder is a concept: with more modules than a reader can keep in mind, it is several."""
    folders = Counter(
        str(Path(file.path).parent) for file in product_modules(files) if not file.path.endswith("__init__.py")
    )
    for folder, modules in sorted(folders.items()):
        if modules > FOLDER_MODULES_MAX and f"{folder}/" != HANDLERS:
            yield Finding(folder, 1, f"{modules} modules in one folder, at most {FOLDER_MODULES_MAX}")


def check_small_modules(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """A small module with one importer is a part of its importer, unless it is a handler, a port or a table."""
    modules = {module_name(file): file for file in product_modules(files)}
    importers: dict[str, set[str]] = {name: set() for name in modules}
    for name, file in modules.items():
        for imported in imported_modules(file, modules.keys()):
            importers[imported].add(name)
    for name, file in sorted(modules.items()):
        stays_apart = file.path.startswith(HANDLERS) or file.path in PORTS_AND_TABLES
        if stays_apart or file.path.endswith("__init__.py") or len(importers[name]) != 1:
            continue
        lines, importer = file.text.count("\n"), min(importers[name])
        # A module that another package imports is a door of its own package.
        if lines < SMALL_MODULE_LINES and importer.split(".")[:2] == name.split(".")[:2]:
            yield Finding(file.path, 1, f"{lines} lines for one importer, {importer}: merge the two")


def module_name(file: SourceFile) -> str:
    return ".".join(Path(file.path).with_suffix("").parts[1:]).removesuffix(".__init__")


def imported_modules(file: SourceFile, modules: Collection[str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in modules:
                    yield whole
                elif node.module in modules:
                    yield node.module


def check_class_names(files: Iterable[SourceFile]) -> Iterator[Finding]:
    """A public class has a name of its own in the product."""
    seen: dict[str, str] = {}
    for file in product_modules(files):
        for node in ast.parse(file.text).body:
            if not isinstance(node, ast.ClassDef) or node.name.startswith("_"):
                continue
            if node.name in seen:
                yield Finding(file.path, node.lineno, f"class {node.name} is also in {seen[node.name]}")
            seen.setdefault(node.name, file.path)


TREE_CHECKS: tuple[Callable[[Iterable[SourceFile]], Iterator[Finding]], ...] = (
    check_folder_sizes,
    check_small_modules,
    check_class_names,
)

CHECKS: tuple[Callable[[SourceFile], Iterator[Finding]], ...] = (
    check_docstring,
    check_name,
    check_module_size,
    check_function_size,
    check_unfinished,
    check_machine_paths,
    check_registries,
)


def tracked_files() -> Iterator[SourceFile]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        path = ROOT / name
        if path.is_file() and path.suffix not in BINARY_SUFFIXES:
            yield SourceFile(name, path.read_text(encoding="utf-8"))


def findings(file: SourceFile) -> Iterator[Finding]:
    for check in CHECKS:
        yield from check(file)


def main() -> int:
    files = list(tracked_files())
    found = [finding for file in files for finding in findings(file)]
    found += [finding for check in TREE_CHECKS for finding in check(files)]
    for finding in found:
        print(finding)
    print(f"tidy: {len(files)} files, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
