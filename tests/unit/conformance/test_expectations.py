"""The list of tests that pass only grows, and what does not pass has a reason in it."""

import subprocess
from pathlib import Path

import pytest

from conformance.catalog import Case, Job
from conformance.expectations import Expectation, ListError, are_exceptions, compare, parse, update
from conformance.scripts import install_scripts
from conformance.source import matches
from conformance.verdicts import Outcome, Verdict

TEXT = """# What the list is.
0001_multiobj    pass
0045_subscribe   exception needs what is not built
"""


def outcome(name: str, verdict: Verdict = Verdict.PASSED) -> Outcome:
    return Outcome(Case(name), verdict, 1.0)


def test_the_list_is_read() -> None:
    assert parse(TEXT) == {
        "0001_multiobj": Expectation("0001_multiobj", passes=True),
        "0045_subscribe": Expectation("0045_subscribe", passes=False, reason="needs what is not built"),
    }


@pytest.mark.parametrize(
    "line", ["0001_a", "0001_a maybe", "0001_a exception", "0001_a pass but", "0001_multiobj pass"]
)
def test_a_line_that_says_nothing_certain_is_refused(line: str) -> None:
    with pytest.raises(ListError, match="line 4"):
        parse(f"{TEXT}{line}\n")


@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict is not Verdict.PASSED])
def test_a_listed_test_that_does_not_pass_is_lost(verdict: Verdict) -> None:
    comparison = compare(parse(TEXT), [outcome("0001_multiobj", verdict)])
    assert [each.test.name for each in comparison.lost] == ["0001_multiobj"]
    assert not comparison.is_good


def test_an_exception_may_fail() -> None:
    assert compare(parse(TEXT), [outcome("0001_multiobj"), outcome("0045_subscribe", Verdict.TIMED_OUT)]).is_good


def test_a_failure_without_a_reason_in_the_list_is_not_good() -> None:
    comparison = compare(parse(TEXT), [outcome("0059_bsearch", Verdict.FAILED)])
    assert [each.test.name for each in comparison.unexplained] == ["0059_bsearch"]
    assert not comparison.is_good


def test_new_passes_are_told_and_added_and_nothing_is_taken_out() -> None:
    comparison = compare(parse(TEXT), [outcome("0045_subscribe"), outcome("0012_both"), outcome("0001_multiobj")])
    assert comparison.is_good
    assert [each.test.name for each in comparison.gained] == ["0045_subscribe", "0012_both"]
    text = update(TEXT, comparison.gained)
    assert text.startswith("# What the list is.\n")
    assert {name: expectation.passes for name, expectation in parse(text).items()} == {
        "0001_multiobj": True,
        "0012_both": True,
        "0045_subscribe": True,
    }
    assert update(text, ()) == text


def test_only_a_job_without_any_expected_pass_is_excepted() -> None:
    listed = parse(TEXT)
    excepted, passing, unknown = Case("0045_subscribe"), Case("0001_multiobj"), Case("0059_bsearch")
    assert are_exceptions(listed, Job("0045", "default", (excepted,)))
    for other in (passing, unknown):
        assert not are_exceptions(listed, Job("0045", "default", (excepted, other)))


def test_a_run_of_one_test_loses_none_of_the_others() -> None:
    assert compare(parse(TEXT), [outcome("0012_both")]).lost == ()


def test_the_list_in_the_repository_can_be_read() -> None:
    path = Path(__file__).parents[3] / "conformance" / "tests.txt"
    assert sum(each.passes for each in parse(path.read_text(encoding="utf-8")).values()) > 10


def test_a_package_with_other_bytes_does_not_match_its_digest() -> None:
    digest = "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    assert matches(b"abc", digest)
    assert not matches(b"abd", digest)


def test_the_script_that_librdkafka_calls_is_our_own(tmp_path: Path) -> None:
    done = subprocess.run(
        [install_scripts(tmp_path) / "bin" / "kafka-topics.sh"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 1
    assert "--bootstrap-server" in done.stdout + done.stderr
