"""The matrix: one run for each combination of client settings, and what the bad ones have in common.

Axes, cells and the comparison are plain data; ``run_matrix`` fills the cells with runs, one after the other.
"""

import itertools
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from chronik.audit.capture.settings import RunSettings

CELLS_MAX: Final = 256
"""A matrix with more cells is refused: it would run for hours before it says anything."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One setting and the values that it takes; ``field_name`` is its name among a run's settings."""

    name: str
    field_name: str
    values: tuple[Any, ...]


Choice = tuple[str, Any]
"""An axis by its name, and one of its values."""


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One combination."""

    choices: tuple[Choice, ...]
    changes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        return ", ".join(f"{name}={shown(value)}" for name, value in self.choices) or "as given"


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """What became of a cell."""

    cell: MatrixCell
    sent: int
    verdicts: Mapping[str, tuple[int, int]]
    """Count and allowed count by verdict, flags with ``+``, of the worst group."""
    cause: str = ""
    directory: Path | None = None
    problem: str = ""
    """Why there are no verdicts, if so."""

    @property
    def delivered(self) -> int:
        return self.verdicts.get("DELIVERED", (0, 0))[0]

    @property
    def is_good(self) -> bool:
        """Whether there is nothing that is not allowed."""
        return not self.problem and all(count == allowed for count, allowed in self.verdicts.values())

    @property
    def summary(self) -> str:
        """Name what is not plainly delivered."""
        if self.problem:
            return self.problem
        counts = [f"{count:,} {name}" for name, (count, _) in self.verdicts.items() if count and name != "DELIVERED"]
        return ", ".join(counts) or "all delivered"


def shown(value: Any) -> str:
    """Spell a value as an option does."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "default" if value is None else str(value)


def cells_of(axes: Sequence[Axis]) -> list[MatrixCell]:
    """Return every combination, in the order of the axes; the last one changes fastest."""
    found = []
    for values in itertools.product(*(axis.values for axis in axes)):
        choices = tuple((axis.name, value) for axis, value in zip(axes, values, strict=True))
        changes = {axis.field_name: value for axis, value in zip(axes, values, strict=True)}
        found.append(MatrixCell(choices, changes))
    return found


def settings_of_cell(base: RunSettings, cell: MatrixCell, number: int) -> RunSettings:
    """Return the settings of a cell's run: a topic of its own, unless all are to meet the one that exists."""
    changes = dict(cell.changes)
    addresses = changes.pop("bootstrap_list", "all")
    is_fresh = changes.pop("is_fresh", base.existence != "existing")
    bootstrap = base.bootstrap.split(",")[0] if addresses == "one" else base.bootstrap
    return replace(
        base,
        **changes,
        client_bootstrap=bootstrap if bootstrap != base.bootstrap else base.client_bootstrap,
        topic=f"{base.topic}-{number}" if is_fresh else base.topic,
        existence="fresh" if is_fresh else "either",
        label=cell.label,
    )


RunCell = Callable[[MatrixCell, RunSettings, Path], Awaitable[CellOutcome]]


async def run_matrix(
    base: RunSettings,
    axes: Sequence[Axis],
    directory: Path,
    run_cell: RunCell,
    on_cell: Callable[[int, int, CellOutcome], None] = lambda number, total, outcome: None,
) -> list[CellOutcome]:
    """Run every cell, one after the other, each into a directory of its own."""
    cells = cells_of(axes)
    outcomes = []
    for number, cell in enumerate(cells, 1):
        settings = settings_of_cell(base, cell, number)
        outcome = await run_cell(cell, settings, directory / f"cell-{number:03d}")
        outcomes.append(outcome)
        on_cell(number, len(cells), outcome)
    return outcomes


# --- what differs


@dataclass(frozen=True, slots=True)
class Difference:
    """A combination of choices, and how the cells with it and without it came out."""

    choices: tuple[Choice, ...]
    bad_with: int
    all_with: int
    bad_without: int
    all_without: int

    @property
    def is_decisive(self) -> bool:
        """Whether every cell with it is bad and none without it is."""
        return 0 < self.bad_with == self.all_with and self.bad_without == 0

    @property
    def contrast(self) -> float:
        return self.bad_with / self.all_with - self.bad_without / max(self.all_without, 1)

    def __str__(self) -> str:
        named = " and ".join(f"{name}={shown(value)}" for name, value in self.choices)
        return (
            f"{named}: {self.bad_with} of {self.all_with} bad with it, {self.bad_without} of {self.all_without} without"
        )


def differences(outcomes: Sequence[CellOutcome]) -> list[Difference]:
    """Return the choices that bad cells have and good ones have not.

    If one choice, or else one pair of choices, divides them exactly, that is all there is to say. Otherwise all choices
    that are worse than the others are given, the worst first.
    """
    bad = [not outcome.is_good for outcome in outcomes]
    if not any(bad) or all(bad):
        return []
    singles = [_measured((choice,), outcomes, bad) for choice in _choices(outcomes)]
    for found in (singles, [_measured(pair, outcomes, bad) for pair in _pairs(outcomes)]):
        if decisive := [one for one in found if one.is_decisive]:
            return decisive
    worse = [one for one in singles if one.all_without and one.contrast > 0]
    return sorted(worse, key=lambda one: -one.contrast)


def _choices(outcomes: Sequence[CellOutcome]) -> list[Choice]:
    """Return every choice that was made, axis by axis."""
    axes = [name for name, _ in outcomes[0].cell.choices]
    made = dict.fromkeys(choice for outcome in outcomes for choice in outcome.cell.choices)
    return sorted(made, key=lambda choice: axes.index(choice[0]))


def _pairs(outcomes: Sequence[CellOutcome]) -> Iterator[tuple[Choice, Choice]]:
    for first, second in itertools.combinations(_choices(outcomes), 2):
        if first[0] != second[0]:
            yield first, second


def _measured(choices: Iterable[Choice], outcomes: Sequence[CellOutcome], bad: Sequence[bool]) -> Difference:
    wanted = tuple(choices)
    has = [set(wanted) <= set(outcome.cell.choices) for outcome in outcomes]
    with_it = [is_bad for is_bad, is_with in zip(bad, has, strict=True) if is_with]
    without = [is_bad for is_bad, is_with in zip(bad, has, strict=True) if not is_with]
    return Difference(wanted, sum(with_it), len(with_it), sum(without), len(without))


def common_verdict(outcomes: Sequence[CellOutcome]) -> str:
    """Return how all cells came out, where they do not differ."""
    good = sum(outcome.is_good for outcome in outcomes)
    if good == len(outcomes):
        return "every cell is good"
    return "every cell is bad: what is wrong does not depend on these settings" if not good else ""
