"""What the test runner leaves behind is read as it is meant: a pass is a pass only where something was tried."""

import json

import pytest

from conformance.catalog import Case, Job
from conformance.verdicts import Outcome, RunnerExit, Verdict, judge

ONE, TWO = Case("0012_produce_consume"), Case("0012_other")
FAILURE = (
    "\x1b[36m[0012_produce_consume / 1.0s] TEST FAILURE\n"
    '\x1b[0m\x1b[31m### Test "0012_produce_consume (part:7)" failed '
    "at 0012-produce_consume.c:718:part() at Mon Nov 16 03:26:42 2026: ###\n"
    'Test assertion failed: "count == 10": \n'
)
TIME_OUT = (
    '### Test "0012_produce_consume" failed at test.c:1562:check_test_timeouts() at Mon Nov 16 03:32:10 2026: ###\n'
    "Test 0012_produce_consume timed out (timeout set to 10 seconds)\n"
)
RUNNING = "================= Running test 0012_produce_consume =================\n"
SKIP_LINE = (
    "|\x1b[36m 0012_produce_consume                     |    SKIPPED |   0.000s \x1b[0m|\x1b[36m needs SSL\x1b[0m\n"
)


def outcomes_of(*tests: Case, code: int | None = 0, output: str = "", **states: tuple[str, float]) -> list[Outcome]:
    """Judge a runner that reports these states: ``one=("PASSED", 1.5)``."""
    names = {"one": ONE.name, "two": TWO.name}
    entries = {
        names[key]: {"name": names[key], "state": state, "duration": seconds}
        for key, (state, seconds) in states.items()
    }
    report = json.dumps({"tests": entries}) if states else None
    return list(judge(Job("0012", "default", tests), RunnerExit(code, 3.0, output, report)))


def test_a_pass_is_a_pass() -> None:
    assert outcomes_of(ONE, one=("PASSED", 1.5)) == [Outcome(ONE, Verdict.PASSED, 1.5)]


def test_a_pass_in_under_a_millisecond_is_empty() -> None:
    assert outcomes_of(ONE, one=("PASSED", 0.0))[0].verdict is Verdict.EMPTY
    assert outcomes_of(ONE, one=("PASSED", 0.001))[0].verdict is Verdict.PASSED


def test_a_failure_has_its_subtest_and_its_words() -> None:
    (outcome,) = outcomes_of(ONE, code=-6, output=FAILURE, one=("FAILED", 1.0))
    assert outcome == Outcome(ONE, Verdict.FAILED, 1.0, 'part:7: Test assertion failed: "count == 10":')


def test_a_time_out_of_the_test_is_told_from_a_failure() -> None:
    (outcome,) = outcomes_of(ONE, code=-9, output=TIME_OUT, one=("FAILED", 10.1))
    assert outcome.verdict is Verdict.TIMED_OUT


def test_a_runner_that_had_to_be_ended_timed_out() -> None:
    (outcome,) = outcomes_of(ONE, code=None, output=RUNNING)
    assert outcome == Outcome(ONE, Verdict.TIMED_OUT, 3.0, "ended after 3 s without a result")


def test_a_skipped_test_has_not_passed_and_says_why() -> None:
    (outcome,) = outcomes_of(ONE, output=SKIP_LINE, one=("SKIPPED", 0.0))
    assert (outcome.verdict, outcome.reason, outcome.has_passed) == (Verdict.SKIPPED, "needs SSL", False)


def test_an_abort_without_a_report_fails_the_test_that_ran_and_only_that_one() -> None:
    output = RUNNING + "*** rdkafka.c:12: assert: ok ***\n"
    first, second = outcomes_of(ONE, TWO, code=-6, output=output)
    assert first == Outcome(ONE, Verdict.FAILED, 3.0, "the runner ended by signal 6: *** rdkafka.c:12: assert: ok ***")
    assert second.verdict is Verdict.NOT_RUN


@pytest.mark.parametrize("state", ["DNS", "RUNNING"])
def test_what_the_runner_did_not_finish_has_not_passed(state: str) -> None:
    first, second = outcomes_of(ONE, TWO, code=-9, output=TIME_OUT, one=("FAILED", 10.0), two=(state, 0.0))
    assert first.verdict is Verdict.TIMED_OUT
    assert not second.has_passed


def test_a_runner_that_ends_badly_after_its_tests_has_not_passed() -> None:
    output = "3 thread(s) still active\ntest-runner: test.c:7706: test_fail0: Assertion `0' failed.\n"
    (outcome,) = outcomes_of(ONE, code=-6, output=output, one=("PASSED", 1.5))
    assert outcome.verdict is Verdict.FAILED
    assert "Assertion `0' failed" in outcome.reason


def test_one_failure_does_not_take_the_pass_from_another_test() -> None:
    first, second = outcomes_of(ONE, TWO, code=-6, output=FAILURE, one=("FAILED", 1.0), two=("PASSED", 2.0))
    assert (first.verdict, second.verdict) == (Verdict.FAILED, Verdict.PASSED)


def test_a_report_that_was_cut_short_is_no_report() -> None:
    job, ended = Job("0012", "default", (ONE,)), RunnerExit(-9, 3.0, RUNNING, '{"tests": {"0012_')
    assert [outcome.verdict for outcome in judge(job, ended)] == [Verdict.FAILED]
