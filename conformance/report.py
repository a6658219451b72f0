"""How a run is shown: a line as each job ends, the table, and JSON for machines."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conformance.catalog import Job
from conformance.expectations import Comparison, Expectation
from conformance.verdicts import Outcome, Verdict

_NAME_COLUMNS = 48


def progress(number: int, count: int, job: Job, outcomes: Iterable[Outcome]) -> str:
    """One line per job, as it ends."""
    ended = ", ".join(
        f"{_short(outcome)} {outcome.verdict} {outcome.seconds:.1f} s{_attempts(outcome)}" for outcome in outcomes
    )
    return f"[{number:>3}/{count}] {job.number} {ended}"


def _short(outcome: Outcome) -> str:
    return outcome.test.name[5:] + (" (local)" if outcome.test.is_local else "")


def _attempts(outcome: Outcome) -> str:
    return f" (attempt {outcome.attempts}; the first: {outcome.failed_before})" if outcome.attempts > 1 else ""


def table(outcomes: Iterable[Outcome]) -> str:
    """All tests, with time, verdict and reason."""
    return "\n".join([f"{'test':<{_NAME_COLUMNS}}{'seconds':>9}  {'verdict':<10} reason", *map(_row, outcomes)])


def _row(outcome: Outcome) -> str:
    name = outcome.test.name + (" (local)" if outcome.test.is_local else "")
    why = outcome.reason + _attempts(outcome)
    return f"{name:<{_NAME_COLUMNS}}{outcome.seconds:>9.1f}  {outcome.verdict:<10} {why}".rstrip()


def exceptions(outcomes: Iterable[Outcome], expectations: Mapping[str, Expectation]) -> str:
    """Why those that do not pass need not, as the list has it."""
    listed = (expectations.get(outcome.test.name) for outcome in outcomes if not outcome.has_passed)
    return "\n".join(f"exception {each.name}: {each.reason}" for each in listed if each is not None and not each.passes)


def summary(outcomes: Sequence[Outcome], comparison: Comparison) -> str:
    """How many ended how, and what that means for the list."""
    counts = {verdict: sum(outcome.verdict is verdict for outcome in outcomes) for verdict in Verdict}
    lines = [", ".join(f"{count} {verdict}" for verdict, count in counts.items() if count)]
    lines += _names("listed as passing, and no longer do", comparison.lost)
    lines += _names("do not pass, and have no reason in the list", comparison.unexplained)
    lines += _names("pass, and are not listed as passing (--update does it)", comparison.gained)
    return "\n".join(lines)


def _names(what: str, outcomes: Sequence[Outcome]) -> list[str]:
    return [f"{what}: {', '.join(outcome.test.name for outcome in outcomes)}"] if outcomes else []


def as_json(broker: str, library: str, outcomes: Sequence[Outcome], comparison: Comparison) -> dict[str, Any]:
    """The run as data."""
    return {
        "broker": broker,
        "librdkafka": library,
        "good": comparison.is_good,
        "lost": [outcome.test.name for outcome in comparison.lost],
        "unexplained": [outcome.test.name for outcome in comparison.unexplained],
        "gained": [outcome.test.name for outcome in comparison.gained],
        "tests": [
            {
                "name": outcome.test.name,
                "local": outcome.test.is_local,
                "scenario": outcome.test.scenario,
                "verdict": outcome.verdict.value,
                "attempts": outcome.attempts,
                "failed_before": outcome.failed_before,
                "seconds": round(outcome.seconds, 3),
                "reason": outcome.reason,
            }
            for outcome in outcomes
        ],
    }
