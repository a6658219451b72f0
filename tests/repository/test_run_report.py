"""A test run is only believed when every file took part and every skip says why."""

import xml.etree.ElementTree as ElementTree

from tools.run_report import problems

RUN = """<testsuites><testsuite>
  <testcase file="tests/unit/test_a.py" name="test_one"/>
  <testcase file="tests/unit/test_b.py" name="test_two"><skipped message="{reason}"/></testcase>
</testsuite></testsuites>"""


def judged(*files: str, reason: str = "kcat is not installed") -> list[str]:
    return list(problems(ElementTree.fromstring(RUN.format(reason=reason)), set(files)))


def test_a_run_of_all_files_with_reasons_is_believed() -> None:
    assert judged("tests/unit/test_a.py", "tests/unit/test_b.py") == []


def test_a_file_that_was_not_collected_is_named() -> None:
    assert judged("tests/unit/test_a.py", "tests/unit/test_c.py") == ["tests/unit/test_c.py: not collected"]


def test_a_skip_without_a_reason_is_named() -> None:
    assert judged(reason="") == ["tests/unit/test_b.py::test_two: skipped without a reason"]
    assert judged(reason="unconditional skip") == judged(reason="")
