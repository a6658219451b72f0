"""Bugs about damage and losses: bytes that are trusted, sets that are left too late, marks that are not taken."""

from collections.abc import Iterator
from typing import Any

from chronik.metadata.decisions import brokers as broker_decisions
from chronik.metadata.decisions import leaders as leader_decisions
from chronik.metadata.decisions.membership import MembershipCore
from chronik.metadata.image.image import Image
from chronik.model.ids import TopicPartition
from chronik.server.cluster import (
    unclean_recovery as last_known,
)
from chronik.server.groups import (
    loading as group_loading,
)
from chronik.server.replicas.damaged_logs import DamagedLogs
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.replica import Replica
from chronik.server.replicas.table import PartitionTable
from chronik.simulation import coordination, simulated_unclean_recovery
from chronik.simulation.simulated_broker import SimulatedBroker
from chronik.simulation.simulated_membership import SimulatedMembership
from chronik.storage import reading
from chronik.storage.recovery import Recovery
from tests.simulation.mutations.registry import Patch, mutation


@mutation("15: what is read is not checked")
def read_unchecked(patch: Patch) -> None:
    """Batches leave the broker as they come from the disk."""
    check = reading.check_batches

    def check_without_crc(data: bytes, *args: Any, **named: Any) -> Any:
        with patch.context() as blind:
            blind.setattr(reading, "crc32c", lambda view: _Anything())
            return check(data, *args, **named)

    patch.setattr(reading, "check_batches", check_without_crc)


class _Anything:
    """Equals everything."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return True

    def __ne__(self, other: object) -> bool:
        return False


@mutation("15: damage is nobody's business")
def damage_is_kept(patch: Patch) -> None:
    """A leader that cannot read its log goes on leading, although others could."""
    patch.setattr(DamagedLogs, "record", lambda self, key, state, offset: False)


@mutation("15: damage below the recovery point is cut")
def promised_is_cut(patch: Patch) -> None:
    """Recovery cuts from the first damage on, whatever had been promised."""
    begin = Recovery.__init__

    def forget_the_point(self: Recovery, *args: Any, **named: Any) -> None:
        begin(self, *args, **named | {"recovery_point": 0})

    patch.setattr(Recovery, "__init__", forget_the_point)


@mutation("15: damage is not copied anew")
def never_mended(patch: Patch) -> None:
    """A follower goes on behind its damage, and joins again with it."""
    patch.setattr(DamagedLogs, "take_repairable", lambda self, key, state: None)
    patch.setattr(DamagedLogs, "is_recorded", lambda self, key: False)
    patch.setattr(DamagedLogs, "is_repairable", lambda self, key, state: False)


@mutation("15: a coordinator leaves out what it cannot read")
def left_out(patch: Patch) -> None:
    """A coordinator that meets damage loads the rest, although others hold what is missing."""
    read = group_loading.read_batches

    def read_what_can_be(partition: Replica, offset: int, end_offset: int) -> Any:
        partition.on_damage = lambda replica, first: False
        return read(partition, offset, end_offset)

    patch.setattr(coordination, "read_batches", read_what_can_be)


@mutation("2: damage is cut before the sets are left")
def cut_before_leaving(patch: Patch) -> None:
    """A replica that cut for damage at its start serves at once, as the member that it was."""

    take_up = PartitionTable._take_up

    def begin_at_once(self: PartitionTable, opened: Any, opening: Any) -> None:
        if isinstance(opened, Exception):
            take_up(self, opened, opening)
            return
        topic = opening.topic
        self._begin_term((topic.name, opening.index), opened, topic, topic.partitions[opening.index], 0)

    patch.setattr(PartitionTable, "_take_up", begin_at_once)


@mutation("2: a cut for damage is forgotten with the process")
def cut_is_not_written_down(patch: Patch) -> None:
    """Recovery cuts and says so, but the next start does not know of it."""
    patch.setattr(Recovery, "_note_truncated_damage", lambda self, offset: None)


@mutation("2: mended under the same broker epoch")
def mended_in_place(patch: Patch) -> None:
    """A replica that finds damage leaves the sets and cuts, and registers nothing."""

    def leave_only(self: SimulatedMembership, what: str) -> None:
        self._hold.carry_out(lambda image: broker_decisions.plan_leave_sets(image, self.broker), lambda result: None)

    patch.setattr(SimulatedMembership, "_leave_for_damage", leave_only)


@mutation("2: leaves before it registers")
def leaves_first(patch: Patch) -> None:
    """A lossy broker leaves the sets as its last broker epoch, and then registers as if nothing were."""
    join = MembershipCore.join

    def leave_then_join(self: MembershipCore, lease: Any, new_cluster_id: str) -> Iterator[Any]:
        decisions = join(self, lease, new_cluster_id)
        register = next(decisions)
        if broker_decisions.may_have_lost(self._image(), self.registration, flushes_every_append=False):
            yield lambda image: broker_decisions.plan_leave_sets(image, self.broker_id)
            register = trustingly(register)
        outcome = yield register
        while True:
            try:
                decide = decisions.send(outcome)
            except StopIteration:
                return
            outcome = yield decide

    def trustingly(register: Any) -> Any:
        def decide(image: Image) -> Any:
            with patch.context() as trusting:
                trusting.setattr(broker_decisions, "may_have_lost", lambda *args, **named: False)
                return register(image)

        return decide

    patch.setattr(MembershipCore, "join", leave_then_join)


@mutation("2: the last known are not waited for")
def not_waited_for(patch: Patch) -> None:
    """Where nobody is in sync any more, whoever is there leads."""

    def without_waiting(image: Image) -> Iterator[last_known.LeaderlessPartition]:
        for topic, index, partition in image.unsettled_partitions():
            there = tuple(each for each in partition.replicas if each in image.brokers)
            if last_known._is_leaderless(partition) and there:
                yield last_known.LeaderlessPartition(topic.id, TopicPartition(topic.name, index), there)

    patch.setattr(simulated_unclean_recovery, "leaderless_partitions", without_waiting)
    patch.setattr(leader_decisions, "_rejection_of_recovery", lambda image, partition, ends: None)


@mutation("2: any of the last known leads")
def any_of_them(patch: Patch) -> None:
    """How far the logs go is not looked at."""
    plan = leader_decisions.plan_unclean_recovery

    def choose_blindly(image: Any, topic_id: Any, index: int, ends: Any) -> Any:
        return plan(image, topic_id, index, {each: end._replace(epoch=0, offset=0) for each, end in ends.items()})

    patch.setattr(simulated_unclean_recovery, "plan_unclean_recovery", choose_blindly)


@mutation("2: a loss is told to nobody")
def told_to_nobody(patch: Patch) -> None:
    """Nobody says that acknowledged records may be lost."""
    patch.setattr(SimulatedBroker, "report", lambda self, partition: None)


@mutation("2: a cut goes on past damage")
def cut_past_damage(patch: Patch) -> None:
    """A follower that is damaged where it must be cut loses more than its leader asked for, in sync or not."""
    patch.setattr(FollowerReplica, "_is_left_to_repair", lambda self, offset: False)


@mutation("15: a leader epoch is not checked")
def epoch_unchecked(patch: Patch) -> None:
    """A batch may say of itself which leader wrote it."""
    patch.setattr(reading, "_epoch_at", lambda epochs, offset: (reading._NO_EPOCH_CHECK, 2**63))
