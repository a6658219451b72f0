"""The start and the end of reading on the command line, in our words and kcat's."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

from chronik.cli.shell.times import milliseconds_of
from chronik.client.consumer import FromEarliest, FromLatest, FromOffset, FromTime, Start

START_HELP: Final = (
    "earliest or beginning, latest or end, an offset (-5: the last five), stored (where the group of -X group.id is), "
    "a time (2026-11-16T08:30, @1763280000000 or s@...), e@TIME to end before a time"
)


@dataclass(frozen=True, slots=True)
class FromStored:
    """Begin at the offset that a group has committed."""


@dataclass(frozen=True, slots=True)
class Until:
    """End before the first record with this time (in ms) or a later one."""

    timestamp_ms: int


Bound: TypeAlias = Start | FromStored | Until


@dataclass(frozen=True, slots=True)
class ReadingRange:
    """The range to read; ``start`` is None where none was given."""

    start: Start | FromStored | None = None
    until_ms: int | None = None


def bound_of(text: str) -> Bound:
    """Read one bound: a word, an offset, or a time."""
    words: dict[str, Bound] = {
        "earliest": FromEarliest(),
        "beginning": FromEarliest(),
        "latest": FromLatest(),
        "end": FromLatest(),
        "stored": FromStored(),
    }
    if text in words:
        return words[text]
    if text.startswith("e@"):
        return Until(_time(text[2:]))
    if text.startswith(("@", "s@")):
        return FromTime(_time(text.partition("@")[2]))
    if text.removeprefix("-").isdecimal():
        return FromOffset(int(text))
    return FromTime(milliseconds_of(text))


def _time(text: str) -> int:
    return int(text) if text.isdecimal() else milliseconds_of(text)


def range_of(texts: Iterable[str]) -> ReadingRange:
    """Read bounds that were given one by one: at most one begins, and at most one ends."""
    bounds = [bound_of(text) for text in texts]
    ends = [bound for bound in bounds if isinstance(bound, Until)]
    starts = [bound for bound in bounds if not isinstance(bound, Until)]
    if len(starts) > 1 or len(ends) > 1:
        raise ValueError("one start and one end (e@TIME) are enough")
    return ReadingRange(starts[0] if starts else None, ends[0].timestamp_ms if ends else None)
