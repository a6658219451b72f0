"""One run with many faults, each at a message of its own."""

from tests.audit.verdicts.faults import FAULTS, Expected
from tests.audit.verdicts.synthetic import SyntheticRun

TOGETHER = (
    "lost",
    "delivered, then lost",
    "skipped",
    "refused",
    "stored though refused",
    "timed out",
    "without a row",
    "not sent",
    "duplicated",
    "duplicated, one copy unseen",
    "redelivered",
    "reordered",
    "corrupted",
    "corrupted on the way",
    "unreadable",
    "acknowledged elsewhere",
    "offset given twice",
    "late",
    "aborted",
    "aborted and visible",
)
"""Faults that do not get in each other's way."""


def mixed_run(
    messages: int, *, first: int = 10, step: int = 7, groups: tuple[str, ...] = ("readers",)
) -> tuple[SyntheticRun, dict[tuple[int, int], Expected]]:
    """Make a run with one fault every few messages of the second producer."""
    run = SyntheticRun(messages=messages, groups=groups)
    by_name = {fault.name: fault for fault in FAULTS}
    expected = {
        (1, first + step * number): by_name[name].inject(run, 1, first + step * number)
        for number, name in enumerate(TOGETHER)
    }
    return run, expected
