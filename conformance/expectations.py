"""The list of tests that pass: a plain text file in the repository, which only grows.

A line is ``NAME pass`` or ``NAME exception REASON``. A test that is listed as passing and does not is a failure; so is
one that does not pass and has no reason here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.catalog import Job
from conformance.verdicts import Outcome

PASS = "pass"
EXCEPTION = "exception"
_NAME_COLUMNS = 48


@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of one test; an exception has a reason, a pass needs none."""

    name: str
    passes: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a run says of the list."""

    lost: tuple[Outcome, ...]
    unexplained: tuple[Outcome, ...]
    gained: tuple[Outcome, ...]

    @property
    def is_good(self) -> bool:
        return not self.lost and not self.unexplained


class ListError(ValueError):
    """The list cannot be understood; the message names the line."""


def parse(text: str) -> dict[str, Expectation]:
    """Read the list."""
    expectations: dict[str, Expectation] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        expectation = _parse_line(line, number)
        if expectation.name in expectations:
            raise ListError(f"line {number}: {expectation.name} is listed twice")
        expectations[expectation.name] = expectation
    return expectations


def _parse_line(line: str, number: int) -> Expectation:
    name, verdict, reason = [*line.split(maxsplit=2), "", ""][:3]
    if verdict == PASS and not reason:
        return Expectation(name, passes=True)
    if verdict == EXCEPTION and reason:
        return Expectation(name, passes=False, reason=reason.strip())
    raise ListError(f"line {number}: neither 'NAME pass' nor 'NAME exception REASON': {line!r}")


def compare(expectations: Mapping[str, Expectation], outcomes: Iterable[Outcome]) -> Comparison:
    """Judge a run (of all tests or some) by the list."""
    lost, unexplained, gained = [], [], []
    for outcome in outcomes:
        expected = expectations.get(outcome.test.name)
        if outcome.has_passed:
            if expected is None or not expected.passes:
                gained.append(outcome)
        elif expected is None:
            unexplained.append(outcome)
        elif expected.passes:
            lost.append(outcome)
    return Comparison(tuple(lost), tuple(unexplained), tuple(gained))


def are_exceptions(expectations: Mapping[str, Expectation], job: Job) -> bool:
    """Whether none of a job's tests is expected to pass."""
    return all(test.name in expectations and not expectations[test.name].passes for test in job.tests)


def update(text: str, gained: Iterable[Outcome]) -> str:
    """Give the list with new passes in it, its comments and exceptions kept; nothing is ever taken out."""
    names = {outcome.test.name for outcome in gained}
    comments = [line for line in text.splitlines() if line.startswith("#")]
    expectations = parse(text) | {name: Expectation(name, passes=True) for name in names}
    lines = [_line(expectations[name]) for name in sorted(expectations)]
    return "\n".join([*comments, "", *lines]) + "\n"


def _line(expectation: Expectation) -> str:
    verdict = PASS if expectation.passes else f"{EXCEPTION} {expectation.reason}"
    return f"{expectation.name:<{_NAME_COLUMNS}}{verdict}"


def read(path: Path) -> str:
    """The text of the list; before the first run there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else ""
