"""The programs on the page about testing do what it says."""

import re
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "testing.md"
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_every_program_on_the_page_runs(pytester: pytest.Pytester) -> None:
    programs = [text for language, text in BLOCKS if language == "python"]
    (ini,) = (text for language, text in BLOCKS if language == "ini")
    pytester.makeini(ini)
    for number, text in enumerate(programs):
        pytester.path.joinpath(f"test_program_{number}.py").write_text(text + "\ndef test_loaded(): pass\n")
    result = pytester.runpytest_subprocess("--strict-markers", "-p", "no:cacheprovider", timeout=100)
    result.assert_outcomes(passed=3 + len(programs))
