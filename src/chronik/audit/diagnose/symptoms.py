"""The symptoms that a diagnosis rule finds, and the form of a rule."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from chronik.audit.diagnose.run_evidence import RunEvidence

NOWHERE: Final = -1
"""In place of a partition: the symptom concerns no particular partition, or the partition is unknown."""


class Stage(IntEnum):
    """The stages of a message between producer and consumer."""

    CLIENT = 0
    APPEND = 1
    COMMIT = 2
    FETCH = 3
    CONSUME = 4


class Source(StrEnum):
    """The evidence that a rule uses."""

    LEDGERS = "ledgers"
    STORED = "stored records"
    OBSERVER = "observer"
    """Includes the epoch history, which the observer reads at the end of the run."""
    TAP = "tap"
    TRACE = "trace"


@dataclass(frozen=True, slots=True)
class Symptom:
    """A rule that applies to a partition: since when, and the evidence for it."""

    partition: int
    since_us: int
    until_us: int
    evidence: tuple[str, ...]
    count: int = 0
    """The number of affected messages of the partition, where it is known."""
    is_allowed: bool = False
    remaining: tuple[str, ...] = ()
    """Rules, or causes in words, that the evidence cannot distinguish from this one."""
    record: tuple[str, ...] = ()
    """What to record so that the causes can be distinguished."""
    remedy: str = ""
    """The remedy, where it depends on the evidence rather than on the rule."""
    unplaced: int = 0
    """The number of messages of unknown partition that may be affected too; the same messages for every partition."""


Query = Callable[[RunEvidence], Iterable[Symptom]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One pattern: its name, the evidence for it, and the remedy. Its place in the table is its precedence."""

    name: str
    stage: Stage
    title: str
    """A clause in the past tense; partition and time are added to it."""
    shown_by: str
    """The evidence in words, for the documentation."""
    needs: tuple[Source, ...]
    """The rule never applies without all of these."""
    one_of: tuple[Source, ...]
    """The rule also needs one of these, unless empty."""
    settled_by: tuple[Source, ...]
    """Without these the rule may leave several causes open."""
    explains: tuple[str, ...]
    """The verdicts and flags (``+``) that the rule can explain."""
    remedy: str
    query: Query
    is_open: bool = False
    """The rule always leaves several causes open: the evidence that decides between them cannot be recorded."""
