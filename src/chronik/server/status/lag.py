"""The lag of a group: never below zero; counted from the log start if the committed offset is no longer in the log."""

from typing import Final, NamedTuple

EXPIRED: Final = "expired: counted from log start"
AHEAD: Final = "ahead: the committed offset is above the log end"


class Lag(NamedTuple):
    """The number of messages between a committed offset and the high watermark, and a note on how it was counted."""

    messages: int
    why: str | None = None


def lag_of(committed: int, log_start: int, end: int) -> Lag:
    """Return the lag of a committed offset; ``end`` is the high watermark."""
    if committed < log_start:
        return Lag(max(0, end - log_start), EXPIRED)
    if committed > end:
        return Lag(0, AHEAD)
    return Lag(end - committed)
