"""How far a group is behind: never below zero, and from the log start on where its position is no longer in the log."""

from typing import Final, NamedTuple

EXPIRED: Final = "expired: counted from log start"
AHEAD: Final = "ahead: the position lies above the log's end"


class Lag(NamedTuple):
    """Messages that a group has yet to read of a partition, and what is special about the count."""

    messages: int
    why: str | None = None


def lag_of(committed: int, log_start: int, end: int) -> Lag:
    """Count what lies between a group's position and the end that consumers see."""
    if committed < log_start:
        return Lag(max(0, end - log_start), EXPIRED)
    if committed > end:
        return Lag(0, AHEAD)
    return Lag(end - committed)
