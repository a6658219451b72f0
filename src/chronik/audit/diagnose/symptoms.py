"""What a rule of diagnosis finds, and how a rule is written down."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from chronik.audit.diagnose.facts import Facts

NOWHERE: Final = -1
"""In place of a partition: it concerns none in particular, or which one is not known."""


class Stage(IntEnum):
    """Where on its way a message is, from the producer to the consumer."""

    CLIENT = 0
    APPEND = 1
    COMMIT = 2
    FETCH = 3
    CONSUME = 4


class Source(StrEnum):
    """What a rule draws on."""

    LEDGERS = "ledgers"
    STORED = "stored records"
    OBSERVER = "observer"
    """With the history of epochs, which it asks for at the end."""
    TAP = "tap"
    TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Symptom:
    """That a rule applies to a partition, since when, and what shows it."""

    partition: int
    since_us: int
    until_us: int
    evidence: tuple[str, ...]
    count: int = 0
    """How many messages of its partition it concerns, where that can be said."""
    is_allowed: bool = False
    remaining: tuple[str, ...] = ()
    """Names of rules, or causes in words, that the evidence does not tell apart from this one."""
    record: tuple[str, ...] = ()
    """What to record so that it can be told."""
    remedy: str = ""
    """What to do, where it follows from what was found rather than from the rule."""
    unplaced: int = 0
    """How many more it may concern, of which nobody knows the partition: the same ones for every partition."""


Query = Callable[[Facts], Iterable[Symptom]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern: how it is named, what shows it, what to do about it. Its precedence is its place in the table."""

    name: str
    stage: Stage
    title: str
    """A clause in the past tense, to which partition and time are added."""
    shown_by: str
    """The evidence in words, for the documentation."""
    needs: tuple[Source, ...]
    """Without these it is never concluded."""
    one_of: tuple[Source, ...]
    """Nor without one of these, where there are any."""
    settled_by: tuple[Source, ...]
    """Without these it may leave several causes open."""
    explains: tuple[str, ...]
    """The verdicts that it can be the cause of, and flags, which are marked with ``+``."""
    remedy: str
    query: Query
    is_open: bool = False
    """It always leaves several causes open: what decides between them was not recorded, or cannot be."""
