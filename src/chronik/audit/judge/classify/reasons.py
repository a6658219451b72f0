"""Why a message has its verdict, in one sentence for each that is named."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from chronik.audit.judge.classify.context import GroupScope, Surroundings
from chronik.audit.judge.classify.identities import Copies, Messages
from chronik.audit.judge.classify.log_facts import LogFacts
from chronik.audit.judge.classify.verdicts import FLAGS, PRECEDENCE, Flag, Verdict
from chronik.audit.judge.classify.watermarks import NO_BOUND


@dataclass(frozen=True, slots=True)
class Story:
    """All that is known of the messages in question, for one group."""

    messages: Messages
    log: LogFacts
    given: Copies
    group: GroupScope
    around: Surroundings

    def place(self, at: int) -> str:
        return f"offset {int(self.log.offsets[at])} of partition {int(self.log.partitions[at])}"

    def acked_place(self, at: int) -> str:
        return f"offset {int(self.messages.offsets[at])} of partition {int(self.messages.partitions[at])}"


Teller: TypeAlias = Callable[[Story, int], str]


def reasons(story: Story, chosen: Sequence[int], verdicts: Sequence[str], flags: Sequence[Sequence[str]]) -> list[str]:
    """Say for each chosen message why it is not plainly delivered."""
    return [
        "; ".join(filter(None, (_of_verdict(story, at, verdict), *(_of_flag(story, at, flag) for flag in own))))
        for at, verdict, own in zip(chosen, verdicts, flags, strict=True)
    ]


def _of_verdict(story: Story, at: int, verdict: str) -> str:
    if verdict == Verdict.DELIVERED:
        return ""
    teller = _VERDICT_TELLERS.get(verdict)
    return _MEANINGS[verdict] if teller is None else teller(story, at)


def _of_flag(story: Story, at: int, flag: str) -> str:
    teller = _FLAG_TELLERS.get(flag)
    return _MEANINGS[flag] if teller is None else teller(story, at)


def _absent(story: Story, at: int) -> str:
    start = story.around.log_start(int(story.messages.partitions[at]))
    return f"acknowledged at {story.acked_place(at)}, where the log begins at {start} now"


def _not_in_log(story: Story, at: int) -> str:
    return f"acknowledged at {story.acked_place(at)}, and not in the log"


def _refused(story: Story, at: int) -> str:
    return f"refused: {story.messages.errors[at].as_py() or 'no reason given'}; not in the log"


def _unknown(story: Story, at: int) -> str:
    error = story.messages.errors[at].as_py()
    return f"{error or 'the ledger does not say what became of it'}; not in the log"


def _above(story: Story, at: int) -> str:
    if story.log.is_beyond_sight[at]:
        return f"acknowledged at {story.acked_place(at)}, which nobody is served"
    bound = story.around.watched[int(story.log.partitions[at])].bound_at(story.group.judged_at_us)
    return f"stored at {story.place(at)}; readable below {bound} after the final polls"


def _above_stable(story: Story, at: int) -> str:
    bound = story.around.watched[int(story.log.partitions[at])].stable_at(story.group.judged_at_us)
    return f"stored at {story.place(at)}; stable below {bound} after the final polls"


def _out_of_scope(story: Story, at: int) -> str:
    partition = int(story.log.partitions[at])
    if not story.group.reads(partition):
        return f"stored at {story.place(at)}, which the group does not read"
    return f"stored at {story.place(at)}, before the group's start at {story.group.starts.get(partition, 0)}"


def _skipped(story: Story, at: int) -> str:
    position = story.group.positions.get(int(story.log.partitions[at]), 0)
    return f"stored at {story.place(at)}; the group's position is {position}"


def _sent_text(story: Story, at: int) -> str:
    return f"never accepted by the client: {story.messages.errors[at].as_py() or 'no reason given'}"


def _duplicated(story: Story, at: int) -> str:
    copies = story.log.copies
    places = sorted({(int(copies.partitions[i]), int(copies.offsets[i])) for i in range(*_span(copies, at))})
    return "stored at " + " and ".join(f"{partition}:{offset}" for partition, offset in places[:_PLACES_MAX])


def _misplaced(story: Story, at: int) -> str:
    return f"acknowledged at {story.acked_place(at)}, stored at {story.place(at)}"


def _redelivered(story: Story, at: int) -> str:
    begin, end = _span(story.given, at)
    return f"given to the group {end - begin} times"


def _late(story: Story, at: int) -> str:
    received = story.given.rows.column("received_us")
    first = min((received[i].as_py() for i in range(*_span(story.given, at))), default=NO_BOUND)
    return f"delivered {(first - int(story.messages.sent_us[at])) / 1e6:.3f} s after it was sent"


def _span(copies: Copies, at: int) -> tuple[int, int]:
    begin = int(copies.owners.searchsorted(at))
    return begin, int(copies.owners.searchsorted(at, side="right"))


_PLACES_MAX: Final = 4
_MEANINGS: Final[Mapping[str, str]] = {row.name: row.meaning for row in (*PRECEDENCE, *FLAGS)}
_VERDICT_TELLERS: Final[Mapping[str, Teller]] = {
    Verdict.NOT_SENT: _sent_text,
    Verdict.EXPIRED: _absent,
    Verdict.DELETED: _absent,
    Verdict.ACKED_NOT_IN_LOG: _not_in_log,
    Verdict.NOT_ACKED: _refused,
    Verdict.UNKNOWN: _unknown,
    Verdict.IN_LOG_ABOVE_HW: _above,
    Verdict.ABOVE_LSO: _above_stable,
    Verdict.OUT_OF_SCOPE: _out_of_scope,
    Verdict.SKIPPED: _skipped,
    Verdict.NOT_REACHED: _skipped,
}
_FLAG_TELLERS: Final[Mapping[str, Teller]] = {
    Flag.DUPLICATED: _duplicated,
    Flag.ACK_MISPLACED: _misplaced,
    Flag.REDELIVERED: _redelivered,
    Flag.LATE: _late,
}
