"""What becomes of a message, as one table: the first row that fits is its verdict; flags may be any number.

The facts are arrays with one entry per message, for one consumer group. Where these facts come from is ``naming``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

Flags: TypeAlias = npt.NDArray[np.bool_]


class Verdict(StrEnum):
    """What became of a message, for one group."""

    NOT_SENT = "NOT_SENT"
    DELIVERED_THEN_LOST = "DELIVERED_THEN_LOST"
    EXPIRED = "EXPIRED"
    DELETED = "DELETED"
    COMPACTED = "COMPACTED"
    ABORTED = "ABORTED"
    ACKED_NOT_IN_LOG = "ACKED_NOT_IN_LOG"
    NOT_ACKED = "NOT_ACKED"
    UNKNOWN = "UNKNOWN"
    IN_LOG_ABOVE_HW = "IN_LOG_ABOVE_HW"
    ABOVE_LSO = "ABOVE_LSO"
    OUT_OF_SCOPE = "OUT_OF_SCOPE"
    SKIPPED = "SKIPPED"
    NOT_REACHED = "NOT_REACHED"
    DELIVERED = "DELIVERED"


class Flag(StrEnum):
    """What else is to be said of a message."""

    LATE = "LATE"
    DUPLICATED = "DUPLICATED"
    REDELIVERED = "REDELIVERED"
    REORDERED = "REORDERED"
    CORRUPTED = "CORRUPTED"
    ACK_MISPLACED = "ACK_MISPLACED"
    STORED_THOUGH_REFUSED = "STORED_THOUGH_REFUSED"
    VISIBLE_ABOVE_HW = "VISIBLE_ABOVE_HW"
    ABORTED_VISIBLE = "ABORTED_VISIBLE"


PHANTOM: Final = "PHANTOM"
"""A record with an id of this run that no ledger reserved."""
FOREIGN: Final = "FOREIGN"
"""A record that is not of this run: counted only."""


@dataclass(slots=True)
class MessageFacts:
    """What is known of messages. ``is_in_log``: a copy is in the leader's log now, aborted ones aside."""

    is_acked: Flags
    is_refused: Flags
    is_not_sent: Flags
    is_in_log: Flags
    is_aborted: Flags
    is_expired: Flags
    is_deleted: Flags
    is_compacted: Flags
    is_above_watermark: Flags
    is_above_stable: Flags
    is_out_of_scope: Flags
    is_passed: Flags
    is_delivered: Flags
    is_late: Flags
    is_duplicated: Flags
    is_redelivered: Flags
    is_reordered: Flags
    is_corrupted: Flags
    is_ack_misplaced: Flags
    is_stored_though_refused: Flags
    is_visible_above_watermark: Flags
    is_aborted_visible: Flags
    # What was promised, and what happened around them.
    has_acks_0: Flags
    has_acks_1: Flags
    has_unclean_elections: Flags
    has_new_epoch: Flags
    is_idempotent: Flags
    has_one_in_flight: Flags
    has_cause_for_redelivery: Flags
    reads_uncommitted: Flags

    def __len__(self) -> int:
        return len(self.is_acked)


Rule: TypeAlias = Callable[[MessageFacts], Flags]


def _always(facts: MessageFacts) -> Flags:
    return np.ones(len(facts), np.bool_)


def _never(facts: MessageFacts) -> Flags:
    return np.zeros(len(facts), np.bool_)


def _is_explained(facts: MessageFacts) -> Flags:
    return facts.is_expired | facts.is_deleted | facts.is_compacted | facts.is_aborted


def _is_undelivered(facts: MessageFacts) -> Flags:
    return ~facts.is_delivered & facts.is_in_log


@dataclass(frozen=True, slots=True)
class Row:
    """A verdict or a flag: when it fits, and when it is no breach of a promise."""

    name: str
    when: Rule
    is_allowed: Rule
    meaning: str
    allowed_when: str


_NEVER_TEXT: Final = "never"
_ALWAYS_TEXT: Final = "always"

PRECEDENCE: Final[Sequence[Row]] = (
    Row(Verdict.NOT_SENT, lambda f: f.is_not_sent, _never, "the client never accepted it", _NEVER_TEXT),
    Row(
        Verdict.DELIVERED_THEN_LOST,
        lambda f: f.is_delivered & ~f.is_in_log & ~_is_explained(f),
        _never,
        "delivered, absent from the log now, unexplained",
        _NEVER_TEXT,
    ),
    Row(
        Verdict.EXPIRED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_expired,
        _always,
        "not delivered; below log start with retention due",
        _ALWAYS_TEXT,
    ),
    Row(
        Verdict.DELETED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_deleted,
        _always,
        "not delivered; below log start, and DeleteRecords was seen",
        _ALWAYS_TEXT,
    ),
    Row(
        Verdict.COMPACTED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_compacted,
        _always,
        "not delivered; a later record of the same key is stored in a compacted topic",
        _ALWAYS_TEXT,
    ),
    Row(
        Verdict.ABORTED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_aborted,
        _always,
        "not delivered; its transaction was aborted",
        _ALWAYS_TEXT,
    ),
    Row(
        Verdict.ACKED_NOT_IN_LOG,
        lambda f: f.is_acked & ~f.is_in_log & ~f.is_delivered,
        lambda f: f.has_new_epoch & (f.has_acks_1 | f.has_unclean_elections),
        "acknowledged, absent from the log",
        "acks=1 or unclean elections were configured, and the leader epoch changed afterwards",
    ),
    Row(
        Verdict.NOT_ACKED,
        lambda f: f.is_refused & ~f.is_in_log & ~f.is_delivered,
        _never,
        "refused, and absent from the log",
        _NEVER_TEXT,
    ),
    Row(
        Verdict.UNKNOWN,
        lambda f: ~f.is_in_log & ~f.is_delivered,
        lambda f: f.has_acks_0,
        "its outcome is not known, and it is absent from the log",
        "acks=0",
    ),
    Row(
        Verdict.IN_LOG_ABOVE_HW,
        lambda f: _is_undelivered(f) & f.is_above_watermark,
        _never,
        "stored, not delivered, at or above the lower of the served watermark and the smallest in-sync log end, "
        "after the final polls",
        _NEVER_TEXT,
    ),
    Row(
        Verdict.ABOVE_LSO,
        lambda f: _is_undelivered(f) & f.is_above_stable,
        _never,
        "stored, not delivered to a read_committed group, at or above the last stable offset after the final polls",
        _NEVER_TEXT,
    ),
    Row(
        Verdict.OUT_OF_SCOPE,
        lambda f: _is_undelivered(f) & f.is_out_of_scope,
        _always,
        "before the group's start, or in a partition that it did not read",
        _ALWAYS_TEXT,
    ),
    Row(
        Verdict.SKIPPED,
        lambda f: _is_undelivered(f) & f.is_passed,
        _never,
        "the group's position passed it without delivering it",
        _NEVER_TEXT,
    ),
    Row(Verdict.NOT_REACHED, _is_undelivered, _never, "the group's position stopped before it", _NEVER_TEXT),
    Row(Verdict.DELIVERED, _always, _always, "delivered", _ALWAYS_TEXT),
)
"""The verdicts in their order."""

FLAGS: Final[Sequence[Row]] = (
    Row(Flag.LATE, lambda f: f.is_late, _never, "delivered after the run's time-out", _NEVER_TEXT),
    Row(
        Flag.DUPLICATED,
        lambda f: f.is_duplicated,
        lambda f: ~f.is_idempotent,
        "stored at two offsets",
        "without idempotence",
    ),
    Row(
        Flag.REDELIVERED,
        lambda f: f.is_redelivered,
        lambda f: f.has_cause_for_redelivery,
        "one offset twice to one group",
        "a rebalance, a seek or a restart lies between",
    ),
    Row(
        Flag.REORDERED,
        lambda f: f.is_reordered,
        lambda f: ~f.is_idempotent & ~f.has_one_in_flight,
        "its first copy stands behind a message that the same producer sent later to that partition",
        "without idempotence and with more than one request in flight",
    ),
    Row(
        Flag.CORRUPTED,
        lambda f: f.is_corrupted,
        _never,
        "its checksum is wrong, or its id unreadable at its acknowledged offset",
        _NEVER_TEXT,
    ),
    Row(
        Flag.ACK_MISPLACED,
        lambda f: f.is_ack_misplaced,
        _never,
        "stored, but not where it was acknowledged",
        _NEVER_TEXT,
    ),
    Row(
        Flag.STORED_THOUGH_REFUSED,
        lambda f: f.is_stored_though_refused,
        _never,
        "stored, though the producer was told that it is not",
        _NEVER_TEXT,
    ),
    Row(
        Flag.VISIBLE_ABOVE_HW,
        lambda f: f.is_visible_above_watermark,
        _never,
        "delivered before the watermark had passed it",
        _NEVER_TEXT,
    ),
    Row(
        Flag.ABORTED_VISIBLE,
        lambda f: f.is_aborted_visible,
        lambda f: f.reads_uncommitted,
        "delivered, though its transaction was aborted",
        "under read_uncommitted",
    ),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of each message as an index into ``PRECEDENCE``, its flags by name, and whether all is allowed."""

    verdicts: npt.NDArray[np.int8]
    flags: dict[str, Flags]
    allowed_flags: dict[str, Flags]
    is_allowed: Flags

    @property
    def is_plain(self) -> Flags:
        """Which are delivered and nothing else."""
        plain: Flags = self.verdicts == len(PRECEDENCE) - 1
        for is_set in self.flags.values():
            plain = plain & ~is_set
        return plain


def judge(facts: MessageFacts, *, strict: bool = False) -> Judged:
    """Give each message its verdict and flags. ``strict`` allows nothing but a plain delivery."""
    fits = np.stack([row.when(facts) for row in PRECEDENCE])
    verdicts = fits.argmax(axis=0).astype(np.int8)
    is_allowed = np.stack([row.is_allowed(facts) for row in PRECEDENCE])[verdicts, np.arange(len(facts))]
    flags = {row.name: row.when(facts) for row in FLAGS}
    if strict:
        is_allowed = verdicts == len(PRECEDENCE) - 1
    allowed_flags = {row.name: _never(facts) if strict else row.is_allowed(facts) for row in FLAGS}
    for name, is_set in flags.items():
        is_allowed = is_allowed & (~is_set | allowed_flags[name])
    return Judged(verdicts, flags, allowed_flags, is_allowed)
