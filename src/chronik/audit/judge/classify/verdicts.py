"""The table of verdicts: the first row that fits is the verdict of a message. It may have any number of flags.

A row holds everything about a verdict: its definition, when it is allowed, and its texts. The facts that rows are
tested against are arrays with one element per message, for one consumer group; ``classifier`` finds them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from chronik.audit.judge.classify import explanations
from chronik.audit.judge.classify.explanations import Explanation, GroupEvidence

Flags: TypeAlias = npt.NDArray[np.bool_]


class Verdict(StrEnum):
    """The fate of a message, for one group."""

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


class MessageFlag(StrEnum):
    """What a message may have beside its verdict."""

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
class VerdictRow:
    """A verdict or a flag: when it fits, when it breaks no promise, and all texts about it."""

    name: str
    when: Rule
    meaning: str
    """Its definition, for documents and reports."""
    is_allowed: Rule = _never
    allowed_if: str = ""
    sentence: str = ""
    """Behind a count of messages, in a headline."""
    explanation: Explanation | None = None
    """What is known of one message; the meaning, where there is none."""

    @property
    def allowed_when(self) -> str:
        return self.allowed_if or ("always" if self.is_allowed is _always else "never")

    def explain(self, evidence: GroupEvidence, at: int) -> str:
        """Return why a message has this verdict or flag."""
        return self.meaning if self.explanation is None else self.explanation(evidence, at)


PRECEDENCE: Final[Sequence[VerdictRow]] = (
    VerdictRow(
        Verdict.NOT_SENT,
        lambda f: f.is_not_sent,
        "the client never accepted it",
        sentence="never accepted by the client",
        explanation=explanations.not_sent,
    ),
    VerdictRow(
        Verdict.DELIVERED_THEN_LOST,
        lambda f: f.is_delivered & ~f.is_in_log & ~_is_explained(f),
        "delivered, absent from the log now, unexplained",
        sentence="delivered, and then lost from the log",
    ),
    VerdictRow(
        Verdict.EXPIRED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_expired,
        "not delivered; below log start with retention due",
        _always,
        sentence="expired before they were read",
        explanation=explanations.below_log_start,
    ),
    VerdictRow(
        Verdict.DELETED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_deleted,
        "not delivered; below log start, and DeleteRecords was seen",
        _always,
        sentence="deleted before they were read",
        explanation=explanations.below_log_start,
    ),
    VerdictRow(
        Verdict.COMPACTED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_compacted,
        "not delivered; a later record of the same key is stored in a compacted topic",
        _always,
        sentence="replaced by a later record of the same key",
    ),
    VerdictRow(
        Verdict.ABORTED,
        lambda f: ~f.is_delivered & ~f.is_in_log & f.is_aborted,
        "not delivered; its transaction was aborted",
        _always,
        sentence="in transactions that were aborted",
    ),
    VerdictRow(
        Verdict.ACKED_NOT_IN_LOG,
        lambda f: f.is_acked & ~f.is_in_log & ~f.is_delivered,
        "acknowledged, absent from the log",
        lambda f: f.has_new_epoch & (f.has_acks_1 | f.has_unclean_elections),
        "acks=1 or unclean elections were configured, and the leader epoch changed afterwards",
        "acknowledged but not in the log",
        explanations.not_in_log,
    ),
    VerdictRow(
        Verdict.NOT_ACKED,
        lambda f: f.is_refused & ~f.is_in_log & ~f.is_delivered,
        "refused, and absent from the log",
        sentence="refused",
        explanation=explanations.refused,
    ),
    VerdictRow(
        Verdict.UNKNOWN,
        lambda f: ~f.is_in_log & ~f.is_delivered,
        "its outcome is not known, and it is absent from the log",
        lambda f: f.has_acks_0,
        "acks=0",
        "without a known outcome, and not in the log",
        explanations.unknown,
    ),
    VerdictRow(
        Verdict.IN_LOG_ABOVE_HW,
        lambda f: _is_undelivered(f) & f.is_above_watermark,
        "stored, not delivered, at or above the lower of the served watermark and the smallest in-sync log end, "
        "after the final polls",
        sentence="in the log but above the watermark",
        explanation=explanations.above_watermark,
    ),
    VerdictRow(
        Verdict.ABOVE_LSO,
        lambda f: _is_undelivered(f) & f.is_above_stable,
        "stored, not delivered to a read_committed group, at or above the last stable offset after the final polls",
        sentence="held back by an open transaction",
        explanation=explanations.above_last_stable,
    ),
    VerdictRow(
        Verdict.OUT_OF_SCOPE,
        lambda f: _is_undelivered(f) & f.is_out_of_scope,
        "before the group's start, or in a partition that it did not read",
        _always,
        sentence="outside of what the group reads",
        explanation=explanations.out_of_scope,
    ),
    VerdictRow(
        Verdict.SKIPPED,
        lambda f: _is_undelivered(f) & f.is_passed,
        "the group's position passed it without delivering it",
        sentence="in the log but passed over by the group",
        explanation=explanations.not_delivered,
    ),
    VerdictRow(
        Verdict.NOT_REACHED,
        _is_undelivered,
        "the group's position stopped before it",
        sentence="in the log but not reached by the group",
        explanation=explanations.not_delivered,
    ),
    VerdictRow(Verdict.DELIVERED, _always, "delivered", _always, explanation=lambda evidence, at: ""),
)
"""The verdicts, in the order in which they are tried."""

FLAGS: Final[Sequence[VerdictRow]] = (
    VerdictRow(
        MessageFlag.LATE,
        lambda f: f.is_late,
        "delivered after the run's time-out",
        explanation=explanations.late,
    ),
    VerdictRow(
        MessageFlag.DUPLICATED,
        lambda f: f.is_duplicated,
        "stored at two offsets",
        lambda f: ~f.is_idempotent,
        "without idempotence",
        explanation=explanations.duplicated,
    ),
    VerdictRow(
        MessageFlag.REDELIVERED,
        lambda f: f.is_redelivered,
        "one offset twice to one group",
        lambda f: f.has_cause_for_redelivery,
        "a rebalance, a seek or a restart lies between",
        explanation=explanations.redelivered,
    ),
    VerdictRow(
        MessageFlag.REORDERED,
        lambda f: f.is_reordered,
        "its first copy lies behind a message that the same producer sent later to that partition",
        lambda f: ~f.is_idempotent & ~f.has_one_in_flight,
        "without idempotence and with more than one request in flight",
    ),
    VerdictRow(
        MessageFlag.CORRUPTED,
        lambda f: f.is_corrupted,
        "its checksum is wrong, or its id unreadable at its acknowledged offset",
    ),
    VerdictRow(
        MessageFlag.ACK_MISPLACED,
        lambda f: f.is_ack_misplaced,
        "stored, but not where it was acknowledged",
        explanation=explanations.misplaced,
    ),
    VerdictRow(
        MessageFlag.STORED_THOUGH_REFUSED,
        lambda f: f.is_stored_though_refused,
        "stored, though the producer got a refusal",
    ),
    VerdictRow(
        MessageFlag.VISIBLE_ABOVE_HW,
        lambda f: f.is_visible_above_watermark,
        "delivered before the watermark had passed it",
    ),
    VerdictRow(
        MessageFlag.ABORTED_VISIBLE,
        lambda f: f.is_aborted_visible,
        "delivered, though its transaction was aborted",
        lambda f: f.reads_uncommitted,
        "under read_uncommitted",
    ),
)
_ROWS: Final[Mapping[str, VerdictRow]] = {row.name: row for row in (*PRECEDENCE, *FLAGS)}


def explain_messages(
    evidence: GroupEvidence, chosen: Sequence[int], verdicts: Sequence[str], flags: Sequence[Sequence[str]]
) -> list[str]:
    """Return for each chosen message why it is not plainly delivered."""
    return [
        "; ".join(filter(None, (_ROWS[name].explain(evidence, at) for name in (verdict, *own))))
        for at, verdict, own in zip(chosen, verdicts, flags, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of each message as an index into ``PRECEDENCE``, its flags by name, and whether all is allowed."""

    verdicts: npt.NDArray[np.int8]
    flags: dict[str, Flags]
    allowed_flags: dict[str, Flags]
    is_allowed: Flags

    @property
    def is_plain(self) -> Flags:
        """Return which messages are delivered and have no flag."""
        plain: Flags = self.verdicts == len(PRECEDENCE) - 1
        for is_set in self.flags.values():
            plain = plain & ~is_set
        return plain


def judge(facts: MessageFacts, *, strict: bool = False) -> Judged:
    """Return the verdict and the flags of each message. ``strict`` allows nothing but a plain delivery."""
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
