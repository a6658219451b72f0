"""What one command or event leads to, while it is being handled: records, answers, and requests that wait."""

from collections.abc import Callable

from chronik.coordinator.answers import Answer, GroupMove, JoinAnswer, StateRecord, Step, SyncAnswer, Ticket
from chronik.coordinator.group import Group, Member
from chronik.coordinator.group_settings import GroupSettings
from chronik.coordinator.groups import Groups
from chronik.coordinator.record_format import Record, encode
from chronik.coordinator.timers import Timers
from chronik.coordinator.transitions import GroupEvent
from chronik.model.errors import ErrorCode


class Turn:
    """The shard's working place: every handler gets it, and ``take`` clears it for the next."""

    __slots__ = ("_answers", "_moves", "_records", "groups", "new_id", "now", "parked", "settings", "timers")

    def __init__(self, settings: GroupSettings, new_id: Callable[[], str]) -> None:
        self.settings = settings
        self.new_id = new_id
        self.groups = Groups()
        self.timers = Timers()
        self.now = 0
        self.parked: dict[Ticket, tuple[Group, Member]] = {}
        """Who waits for a generation or an assignment, under which ticket."""
        self._records: list[StateRecord] = []
        self._answers: list[tuple[Ticket, Answer]] = []
        self._moves: list[GroupMove] = []

    def take(self) -> Step:
        """What has come together since the last time."""
        step = Step(tuple(self._records), tuple(self._answers), tuple(self._moves))
        self._records.clear()
        self._answers.clear()
        self._moves.clear()
        return step

    def move(self, group: Group, event: GroupEvent) -> None:
        """Let a group come into its next state."""
        group.move(event, self.now)
        states = group.previous_state.value, group.state.value
        self._moves.append(GroupMove(group.group_id, *states, group.generation, len(group.members)))

    # Records

    def write(self, record: Record) -> None:
        """Write a record and let it take effect."""
        self._records.append(encode(record))
        self.groups.apply(record)

    def write_if_it_fits(self, *records: Record) -> bool:
        """Write them all, unless they are more than one append may hold."""
        encoded = [encode(record) for record in records]
        if sum(len(key) + len(value or b"") for key, value in encoded) > self.settings.record_bytes_max:
            return False
        self._records += encoded
        for record in records:
            self.groups.apply(record)
        return True

    # Answers

    def answer(self, ticket: Ticket, answer: Answer) -> None:
        self._answers.append((ticket, answer))

    def park_join(self, group: Group, member: Member, ticket: Ticket) -> None:
        """Let a member wait for the next generation. Its session rests meanwhile, unless it is new."""
        self.supersede(group, member)
        group.joining[member.member_id] = ticket
        self.parked[ticket] = (group, member)
        if not member.is_new:
            self.timers.cancel(member.session)

    def park_sync(self, group: Group, member: Member, ticket: Ticket) -> None:
        """Let a member wait for its assignment. Its session rests meanwhile."""
        self.supersede(group, member)
        group.syncing[member.member_id] = ticket
        self.parked[ticket] = (group, member)
        self.timers.cancel(member.session)

    def supersede(self, group: Group, member: Member) -> None:
        """End an earlier wait: whoever still listens to it is told to come again."""
        error = ErrorCode.REBALANCE_IN_PROGRESS
        self.end_join(group, member, JoinAnswer(error, member.member_id))
        self.end_sync(group, member, SyncAnswer(error))

    def end_join(self, group: Group, member: Member, answer: JoinAnswer) -> None:
        """Answer a member that waits for a generation, if it does."""
        if member.member_id in group.joining:
            self._end(group.joining.pop(member.member_id), answer)

    def end_sync(self, group: Group, member: Member, answer: SyncAnswer) -> None:
        """Answer a member that waits for its assignment, if it does."""
        if member.member_id in group.syncing:
            self._end(group.syncing.pop(member.member_id), answer)

    def end_wait(self, group: Group, member: Member, error: ErrorCode, member_id: str) -> None:
        """Refuse whatever a member waits for."""
        self.end_join(group, member, JoinAnswer(error, member_id))
        self.end_sync(group, member, SyncAnswer(error))

    def _end(self, ticket: Ticket, answer: Answer) -> None:
        del self.parked[ticket]
        self._answers.append((ticket, answer))

    # Sessions

    def keep_alive(self, member: Member) -> None:
        """A member was heard of: its session begins anew."""
        self.timers.set(member.session, self.now + member.session_timeout_ms)
