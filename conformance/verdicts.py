"""What a finished test runner tells: from its report, its output and its exit to one outcome per test."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from conformance.catalog import Case, Job

# A test that finds nothing to do "passes" at once. That proves nothing.
EMPTY_SECONDS_MAX = 0.001
REASON_CHARACTERS_MAX = 300

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_FAILURE = re.compile(r'^### Test "(\w+)(?: \(([^\n]*)\))?" failed at ([^\n]*?): ###\n([^\n]*)', re.MULTILINE)
_SUMMARY_LINE = re.compile(r"^\|\s*(\w+)\s*\|\s*(\w+)\s*\|\s*[\d.]+s\s*\|\s*(.*)$", re.MULTILINE)
_ASSERTION = re.compile(r"^[^\n]*(?:Assertion `|\*\*\* )[^\n]*", re.MULTILINE)


class Verdict(StrEnum):
    """How a test ended."""

    PASSED = "passed"
    EMPTY = "empty"
    SKIPPED = "skipped"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    NOT_RUN = "not run"


FAILURES = (Verdict.FAILED, Verdict.TIMED_OUT, Verdict.NOT_RUN)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test, how it ended, and why."""

    test: Case
    verdict: Verdict
    seconds: float
    reason: str = ""
    attempts: int = 1
    failed_before: str = ""
    """Why the first attempt failed, where there was another."""

    @property
    def has_passed(self) -> bool:
        return self.verdict is Verdict.PASSED


@dataclass(frozen=True, slots=True)
class RunnerExit:
    """What is left of one process of the runner; ``code`` is None if it had to be ended from outside."""

    code: int | None
    seconds: float
    output: str
    report: str | None


def judge(job: Job, ended: RunnerExit) -> tuple[Outcome, ...]:
    """Give each test of the job its outcome."""
    output = _COLOUR.sub("", ended.output)
    report = _read_report(ended.report)
    outcomes = tuple(_judge_test(test, report.get(test.name), output, ended) for test in job.tests)
    if ended.code == 0 or any(outcome.verdict in FAILURES for outcome in outcomes):
        return outcomes
    return tuple(_after_bad_exit(outcome, output, ended) for outcome in outcomes)


def _after_bad_exit(outcome: Outcome, output: str, ended: RunnerExit) -> Outcome:
    """Every test was content and the runner was not: it found, say, a thread that has not ended."""
    if not outcome.has_passed:
        return outcome
    reason = _why_ended(output, ended)
    return Outcome(outcome.test, Verdict.FAILED, outcome.seconds, reason)


def _read_report(text: str | None) -> Mapping[str, Mapping[str, Any]]:
    try:
        tests = json.loads(text or "{}").get("tests", {})
    except json.JSONDecodeError:
        return {}
    return dict(tests)


def _judge_test(test: Case, entry: Mapping[str, Any] | None, output: str, ended: RunnerExit) -> Outcome:
    failure = _failure_of(test, output)
    if entry is None:
        return _without_report(test, failure, output, ended)
    seconds = float(entry["duration"])
    match entry["state"]:
        case "PASSED" if seconds < EMPTY_SECONDS_MAX:
            return Outcome(test, Verdict.EMPTY, seconds, "it found nothing to do")
        case "PASSED":
            return Outcome(test, Verdict.PASSED, seconds)
        case "SKIPPED":
            return Outcome(test, Verdict.SKIPPED, seconds, _shorten(_skip_reason(test, output)))
        case "FAILED" | "RUNNING":
            timed_out = "timed out" in failure or ended.code is None
            verdict = Verdict.TIMED_OUT if timed_out else Verdict.FAILED
            return Outcome(test, verdict, seconds, _shorten(failure or _why_ended(output, ended)))
        case state:
            return Outcome(test, Verdict.NOT_RUN, 0.0, f"the runner ended before it ({state})")


def _without_report(test: Case, failure: str, output: str, ended: RunnerExit) -> Outcome:
    """The runner was killed or aborted before it could write one."""
    if f"Running test {test.name}" not in output and not failure:
        return Outcome(test, Verdict.NOT_RUN, 0.0, "the runner ended before it: " + _why_ended(output, ended))
    if re.search(rf"= Test {test.name} PASSED =", output):
        return Outcome(test, Verdict.FAILED, ended.seconds, "passed, and then " + _why_ended(output, ended))
    timed_out = ended.code is None or "timed out" in failure
    verdict = Verdict.TIMED_OUT if timed_out else Verdict.FAILED
    return Outcome(test, verdict, ended.seconds, _shorten(failure or _why_ended(output, ended)))


def _failure_of(test: Case, output: str) -> str:
    """The first failure that the test has reported."""
    for name, subtest, _place, reason in _FAILURE.findall(output):
        if name == test.name:
            return f"{subtest}: {reason}" if subtest else str(reason)
    return ""


def _skip_reason(test: Case, output: str) -> str:
    for name, state, reason in _SUMMARY_LINE.findall(output):
        if name == test.name and state == "SKIPPED":
            return str(reason).strip()
    return ""


def _why_ended(output: str, ended: RunnerExit) -> str:
    if ended.code is None:
        return f"ended after {ended.seconds:.0f} s without a result"
    said = _ASSERTION.findall(output)
    by_signal = f"the runner ended by signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
    return f"{by_signal}: {_shorten(said[-1])}" if said else by_signal


def _shorten(reason: str) -> str:
    return " ".join(reason.split())[:REASON_CHARACTERS_MAX]
