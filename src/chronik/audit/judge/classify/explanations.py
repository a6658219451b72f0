"""Why a message has its verdict: one sentence with its offsets, times and errors. The table of verdicts names them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from chronik.audit.judge.classify.context import AuditContext, GroupScope
from chronik.audit.judge.classify.identities import Copies, Messages
from chronik.audit.judge.classify.log_facts import LogFacts
from chronik.audit.judge.classify.watermarks import NO_BOUND


@dataclass(frozen=True, slots=True)
class GroupEvidence:
    """Everything that is known of the messages of pass 2, for one group."""

    messages: Messages
    log: LogFacts
    given: Copies
    group: GroupScope
    context: AuditContext

    def place(self, at: int) -> str:
        return f"offset {int(self.log.offsets[at])} of partition {int(self.log.partitions[at])}"

    def acked_place(self, at: int) -> str:
        return f"offset {int(self.messages.offsets[at])} of partition {int(self.messages.partitions[at])}"


_PLACES_MAX: Final = 4
Explanation: TypeAlias = Callable[[GroupEvidence, int], str]


def below_log_start(evidence: GroupEvidence, at: int) -> str:
    start = evidence.context.log_start(int(evidence.messages.partitions[at]))
    return f"acknowledged at {evidence.acked_place(at)}, where the log begins at {start} now"


def not_in_log(evidence: GroupEvidence, at: int) -> str:
    return f"acknowledged at {evidence.acked_place(at)}, and not in the log"


def refused(evidence: GroupEvidence, at: int) -> str:
    return f"refused: {evidence.messages.errors[at].as_py() or 'no reason given'}; not in the log"


def unknown(evidence: GroupEvidence, at: int) -> str:
    error = evidence.messages.errors[at].as_py()
    return f"{error or 'the ledger does not say what became of it'}; not in the log"


def above_watermark(evidence: GroupEvidence, at: int) -> str:
    if evidence.log.is_beyond_sight[at]:
        return f"acknowledged at {evidence.acked_place(at)}, which no client is served"
    bound = evidence.context.watched[int(evidence.log.partitions[at])].bound_at(evidence.group.judged_at_us)
    return f"stored at {evidence.place(at)}; readable below {bound} after the final polls"


def above_last_stable(evidence: GroupEvidence, at: int) -> str:
    bound = evidence.context.watched[int(evidence.log.partitions[at])].stable_at(evidence.group.judged_at_us)
    return f"stored at {evidence.place(at)}; stable below {bound} after the final polls"


def out_of_scope(evidence: GroupEvidence, at: int) -> str:
    partition = int(evidence.log.partitions[at])
    if not evidence.group.reads(partition):
        return f"stored at {evidence.place(at)}, which the group does not read"
    return f"stored at {evidence.place(at)}, before the group's start at {evidence.group.starts.get(partition, 0)}"


def not_delivered(evidence: GroupEvidence, at: int) -> str:
    position = evidence.group.positions.get(int(evidence.log.partitions[at]), 0)
    return f"stored at {evidence.place(at)}; the group's position is {position}"


def not_sent(evidence: GroupEvidence, at: int) -> str:
    return f"never accepted by the client: {evidence.messages.errors[at].as_py() or 'no reason given'}"


def duplicated(evidence: GroupEvidence, at: int) -> str:
    copies = evidence.log.copies
    places = sorted({(int(copies.partitions[i]), int(copies.offsets[i])) for i in range(*_span(copies, at))})
    return "stored at " + " and ".join(f"{partition}:{offset}" for partition, offset in places[:_PLACES_MAX])


def misplaced(evidence: GroupEvidence, at: int) -> str:
    return f"acknowledged at {evidence.acked_place(at)}, stored at {evidence.place(at)}"


def redelivered(evidence: GroupEvidence, at: int) -> str:
    begin, end = _span(evidence.given, at)
    return f"given to the group {end - begin} times"


def late(evidence: GroupEvidence, at: int) -> str:
    received = evidence.given.rows.column("received_us")
    first = min((received[i].as_py() for i in range(*_span(evidence.given, at))), default=NO_BOUND)
    return f"delivered {(first - int(evidence.messages.sent_us[at])) / 1e6:.3f} s after it was sent"


def _span(copies: Copies, at: int) -> tuple[int, int]:
    begin = int(copies.owners.searchsorted(at))
    return begin, int(copies.owners.searchsorted(at, side="right"))
