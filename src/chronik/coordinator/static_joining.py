"""A static member that comes back under a new id: it takes the place of its former life, with the assignment."""

from dataclasses import replace

from chronik.coordinator.answers import JoinAnswer, Ticket
from chronik.coordinator.commands import JoinGroup
from chronik.coordinator.group import Group, Member
from chronik.coordinator.rebalancing import begin_rebalance, joined, rebalance_or_complete
from chronik.coordinator.record_format import GroupRecord
from chronik.coordinator.transitions import GroupState
from chronik.coordinator.turn import Turn
from chronik.model.errors import ErrorCode


def rejoin_instance(turn: Turn, group: Group, command: JoinGroup, member: Member, ticket: Ticket) -> None:
    """Fence the former life; rebalance only where the group cannot stay as it is."""
    assert member.instance_id is not None
    former = group.members[group.instances[member.instance_id]]
    former_leader = group.leader
    turn.end_wait(group, former, ErrorCode.FENCED_INSTANCE_ID, former.member_id)
    turn.timers.cancel(former.session)
    group.replace(former, member)
    if group.state is GroupState.STABLE and _keeps_assignment(turn, group, former, member):
        turn.keep_alive(member)
        member.was_told_its_id = True
        turn.answer(ticket, _unchanged(group, command, member, former_leader))
        return
    turn.park_join(group, member, ticket)
    if group.is_rebalancing:
        rebalance_or_complete(turn, group)
    else:
        # The leader may have been told of the former id already, and would assign nothing to the new one.
        begin_rebalance(turn, group)


def _keeps_assignment(turn: Turn, group: Group, former: Member, member: Member) -> bool:
    """Store the new id with what the old one was assigned, if the protocol stays the same."""
    if group.select_protocol() != group.protocol_name:
        return False
    assignments = dict(group.assignments)
    assignments[member.member_id] = assignments.pop(former.member_id, b"")
    return turn.write_if_it_fits(GroupRecord(group.group_id, group.with_assignments(assignments, turn.now)))


def _unchanged(group: Group, command: JoinGroup, member: Member, former_leader: str | None) -> JoinAnswer:
    """A leader may not assign anew: it is told to skip that, or, where it cannot be told, that it is not the leader."""
    answer = joined(group, member)
    if command.may_skip_assignment:
        return replace(answer, skip_assignment=group.leader == member.member_id)
    return replace(answer, leader=former_leader or "", members=())
