"""The tidy checks find what they are for, and the repository has none of it."""

import pytest

from tools import tidy
from tools.tidy import SourceFile

OPENING = '"""What it is for."""\n'


def messages(path: str, text: str) -> list[str]:
    return [finding.message for finding in tidy.findings(SourceFile(path, text))]


def test_a_plain_module_has_no_findings() -> None:
    assert messages("src/chronik/records/batch.py", OPENING + "SIZE = 61\n") == []


def test_a_module_must_say_what_it_is_for() -> None:
    assert messages("src/chronik/records/batch.py", "SIZE = 61\n") == ["the module does not say what it is for"]


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "misc"])
def test_a_drawer_is_not_a_module_name(name: str) -> None:
    assert messages(f"src/chronik/{name}.py", OPENING)
    assert messages(f"src/chronik/{name}/batch.py", OPENING)


def test_a_module_over_500_lines_is_found_unless_generated() -> None:
    text = OPENING + "SIZE = 61\n" * 500
    assert messages("src/chronik/records/batch.py", text) == ["501 lines, at most 500"]
    assert messages("src/chronik/protocol/generated/fetch.py", text) == []


def test_a_function_over_60_lines_is_found_unless_its_first_line_gives_the_reason() -> None:
    body = "    size = 61\n" * 60
    assert messages("src/chronik/records/batch.py", f"{OPENING}def walk():\n{body}") == [
        "walk has 61 lines, at most 60"
    ]
    assert messages("src/chronik/records/batch.py", f"{OPENING}def walk():  # long: one table\n{body}") == []
    assert messages("src/chronik/records/batch.py", f"{OPENING}def walk():  # long:\n{body}") != []


def test_unfinished_marks_are_found() -> None:
    for mark in ("TO" + "DO", "FIX" + "ME"):
        assert messages("docs/architecture.md", f"say more {mark}\n") == [f"an unfinished mark: {mark}"]


def test_paths_of_a_machine_are_found_and_parts_of_other_paths_are_not() -> None:
    assert messages("README.md", "see /" + "root/notes\n") != []
    assert messages("README.md", "see https://example.org/" + "home/page\n") == []


def test_addresses_of_registries_are_found() -> None:
    assert messages("requirements/dev.txt", "--index-url https://pypi." + "org/simple\n") != []
    assert messages("tests/clients/java/pom.xml", "<url>https://repo." + "maven.apache.org</url>\n") != []


def test_a_file_with_tests_must_be_named_so_that_pytest_finds_it() -> None:
    text = OPENING + "def test_it():\n    assert True\n"
    assert messages("tests/unit/batches.py", text) != []
    assert messages("tests/unit/test_batches.py", text) == []


def test_the_repository_is_tidy() -> None:
    files = list(tidy.tracked_files())
    found = [finding for file in files for finding in tidy.findings(file)]
    found += [finding for check in tidy.TREE_CHECKS for finding in check(files)]
    assert [str(finding) for finding in found] == []


def product(texts: dict[str, str]) -> list[SourceFile]:
    return [SourceFile(f"src/chronik/{path}", OPENING + text) for path, text in texts.items()]


def tree_messages(files: list[SourceFile]) -> list[str]:
    return [finding.message for check in tidy.TREE_CHECKS for finding in check(files)]


def test_a_folder_with_too_many_modules_is_found_and_handlers_are_exempt() -> None:
    crowd = {f"storage/part_{number}.py": "" for number in range(26)}
    assert tree_messages(product(crowd)) == ["26 modules in one folder, at most 25"]
    assert tree_messages(product({path.replace("storage", "server/handlers"): "" for path in crowd})) == []
    assert tree_messages(product(dict(list(crowd.items())[:25]))) == []


def test_a_small_module_with_one_importer_is_found() -> None:
    importer = {"storage/log.py": "from chronik.storage import offsets\n", "storage/offsets.py": "FIRST = 0\n"}
    assert tree_messages(product(importer)) == ["2 lines for one importer, chronik.storage.log: merge the two"]
    second = {"storage/index.py": "from chronik.storage.offsets import FIRST\n"}
    assert tree_messages(product(importer | second)) == []
    other_package = {"cli/log.py": "from chronik.storage import offsets\n", "storage/offsets.py": "FIRST = 0\n"}
    assert tree_messages(product(other_package)) == []
    long = {"storage/offsets.py": "FIRST = 0\n" * 60}
    assert tree_messages(product(importer | long)) == []


def test_a_public_class_name_that_occurs_twice_is_found() -> None:
    twice = {"storage/log.py": "class Log: ...\n", "audit/log.py": "class Log: ...\n"}
    assert tree_messages(product(twice)) == ["class Log is also in src/chronik/storage/log.py"]
    assert tree_messages(product({path: text.replace("Log", "_Log") for path, text in twice.items()})) == []
