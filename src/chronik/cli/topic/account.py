"""The number of sent records and their outcomes."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

import click

from chronik.client.delivery import DeliveryOutcome, DeliveryReport
from chronik.model.errors import ErrorCode

_PROBLEMS_SHOWN_MAX: Final = 10
_PROBLEMS_KEPT_MAX: Final = 1000


@dataclass(slots=True)
class Account:
    """Counts of results; the first failures are kept with the place that the record came from."""

    sent: int = 0
    unreadable: int = 0
    outcomes: Counter[DeliveryOutcome] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    problems: list[dict[str, str]] = field(default_factory=list)

    def add(self, place: int | str, delivery: DeliveryReport) -> None:
        """Count one result."""
        self.outcomes[delivery.outcome] += 1
        if delivery.error:
            self.errors[delivery.error.name] += 1
            self._keep(place, delivery.outcome.value, delivery.error.name, delivery.reason)

    def add_refused(self, place: int | str, error: ErrorCode, reason: str) -> None:
        """Count a record that was refused before it left."""
        self.sent += 1
        self.outcomes[DeliveryOutcome.REFUSED] += 1
        self.errors[error.name] += 1
        self._keep(place, DeliveryOutcome.REFUSED.value, error.name, reason)

    def add_unreadable(self, place: int | str, reason: str) -> None:
        """Count what could not be made a record."""
        self.unreadable += 1
        self._keep(place, "unreadable", "", reason)

    def _keep(self, place: int | str, outcome: str, error: str, reason: str) -> None:
        if len(self.problems) < _PROBLEMS_KEPT_MAX:
            self.problems.append({"record": _named(place), "outcome": outcome, "error": error, "reason": reason})

    @property
    def failures(self) -> int:
        """How many records have no acknowledgement for a reason that is known."""
        return self.unreadable + self.errors.total()

    def document(self, topic: str) -> dict[str, Any]:
        """Return the account for machines."""
        return {
            "topic": topic,
            "sent": self.sent,
            **{outcome.value: self.outcomes[outcome] for outcome in DeliveryOutcome},
            "unreadable": self.unreadable,
            "errors": dict(self.errors),
            "problems": self.problems,
        }

    def sentence(self, topic: str) -> str:
        """Return the account for people."""
        counts = [f"{self.outcomes[outcome]} {outcome.value}" for outcome in DeliveryOutcome]
        unreadable = [f"{self.unreadable} not readable"] if self.unreadable else []
        return f"topic {topic}: {self.sent} sent, {', '.join((*counts, *unreadable))}"

    def print_problems(self) -> None:
        """Name the first records that failed, and say how many more there are."""
        for problem in self.problems[:_PROBLEMS_SHOWN_MAX]:
            # A reason that the broker gave begins with the error's own name.
            name = "" if not problem["error"] or problem["error"] in problem["reason"] else f"{problem['error']}: "
            click.echo(f"chronik: {problem['record']} {problem['outcome']}: {name}{problem['reason']}", err=True)
        more = self.failures - _PROBLEMS_SHOWN_MAX
        if more > 0:
            click.echo(f"chronik: and {more} more ({', '.join(self._by_error())})", err=True)

    def _by_error(self) -> list[str]:
        counts = [f"{count} {name}" for name, count in self.errors.most_common()]
        return [*counts, *([f"{self.unreadable} unreadable"] if self.unreadable else [])]


def _named(place: int | str) -> str:
    return f"line {place}" if isinstance(place, int) else place
