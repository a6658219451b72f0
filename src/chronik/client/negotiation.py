"""Which version of an API two sides speak: the highest that both know."""

from collections.abc import Mapping
from typing import NamedTuple


class VersionRange(NamedTuple):
    """Versions from ``lowest`` to ``highest``, both included."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        """Spell the range as people do."""
        return f"{self.lowest}-{self.highest}"


def highest_common(ours: VersionRange, theirs: VersionRange | None, cap: int | None = None) -> int | None:
    """Give the highest version within both ranges and not above ``cap``, or None."""
    if theirs is None:
        return None
    highest = min(ours.highest, theirs.highest)
    if cap is not None:
        highest = min(highest, cap)
    return highest if highest >= max(ours.lowest, theirs.lowest) else None


class Dialect:
    """The versions that one broker has said it speaks."""

    def __init__(self, ranges: Mapping[int, VersionRange]) -> None:
        self.ranges = dict(ranges)

    def version_for(self, api_key: int, ours: VersionRange, cap: int | None = None) -> int | None:
        """Choose the version of one API, or None where there is none in common."""
        return highest_common(ours, self.ranges.get(api_key), cap)
