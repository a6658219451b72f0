"""Version negotiation of an API: the highest version that both sides support."""

from collections.abc import Mapping
from typing import NamedTuple


class VersionRange(NamedTuple):
    """Versions from ``lowest`` to ``highest``, inclusive."""

    lowest: int
    highest: int

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}"


def highest_common(ours: VersionRange, theirs: VersionRange | None, cap: int | None = None) -> int | None:
    """Return the highest version within both ranges and not above ``cap``, or None."""
    if theirs is None:
        return None
    highest = min(ours.highest, theirs.highest)
    if cap is not None:
        highest = min(highest, cap)
    return highest if highest >= max(ours.lowest, theirs.lowest) else None


class Dialect:
    """The API versions of one broker."""

    def __init__(self, ranges: Mapping[int, VersionRange]) -> None:
        self.ranges = dict(ranges)

    def version_for(self, api_key: int, ours: VersionRange, cap: int | None = None) -> int | None:
        """Return the version to use for one API, or None without a common one."""
        return highest_common(ours, self.ranges.get(api_key), cap)
