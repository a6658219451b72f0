"""Bugs of the leader core: what is committed, and who is in sync."""

from typing import Any

from chronik.model.ids import BrokerEpoch, BrokerId, Offset
from chronik.replication.events import AdvanceHighWatermark, FollowerFetched, ProposalRefused
from chronik.replication.leader import NO_CHANGE, AdditionProposed, PartitionLeader, RemovalProposed
from chronik.replication.progress import FollowerProgress
from tests.simulation.mutations.registry import Patch, mutation


def _advance_to(leader: PartitionLeader, committed: int) -> tuple[AdvanceHighWatermark, ...]:
    if committed <= leader.high_watermark:
        return ()
    leader.high_watermark = Offset(committed)
    return (AdvanceHighWatermark(Offset(committed)),)


@mutation("minimum over the wrong set")
def minimum_over_the_wrong_set(patch: Patch) -> None:
    """The watermark is what a majority has, not what every in-sync member has."""

    def advance(self: PartitionLeader) -> Any:
        if not self.has_enough_in_sync:
            return ()
        ends = sorted(each.log_end_offset or 0 for each in self._awaited)
        return _advance_to(self, min(self.log_end_offset, *ends[len(ends) // 2 :] or [0]))

    patch.setattr(PartitionLeader, "_advance_high_watermark", advance)


@mutation("watermark may fall")
def watermark_may_fall(patch: Patch) -> None:
    """The watermark is computed anew each time, and may be lower than before."""

    def advance(self: PartitionLeader) -> Any:
        known = [each.log_end_offset for each in self._awaited if each.log_end_offset is not None]
        self.high_watermark = min([self.log_end_offset, *known])
        return (AdvanceHighWatermark(self.high_watermark),)

    patch.setattr(PartitionLeader, "_advance_high_watermark", advance)


@mutation("watermark skips a hole")
def watermark_skips_a_hole(patch: Patch) -> None:
    """A member whose log end is not known yet is left out of the minimum."""

    def advance(self: PartitionLeader) -> Any:
        if not self.has_enough_in_sync:
            return ()
        known = [each.log_end_offset for each in self._awaited if each.log_end_offset is not None]
        return _advance_to(self, min([self.log_end_offset, *known]))

    patch.setattr(PartitionLeader, "_advance_high_watermark", advance)


@mutation("1: watermark moves below the minimum")
def moves_below_the_minimum(patch: Patch) -> None:
    """The watermark goes on while the in-sync set is smaller than min.insync.replicas."""
    count = PartitionLeader._count_members

    def no_minimum(self: PartitionLeader) -> None:
        count(self)
        self._required = 1

    patch.setattr(PartitionLeader, "_count_members", no_minimum)


@mutation("3: unknown outcome taken for a failure")
def unknown_is_failure(patch: Patch) -> None:
    """A proposal whose outcome is unknown is taken for refused."""

    def unknown(self: PartitionLeader, event: Any) -> Any:
        return self._on_proposal_refused(ProposalRefused(event.base_revision))

    patch.setattr(PartitionLeader, "_on_proposal_unknown", unknown)


@mutation("3: fetches of older broker epochs count")
def older_broker_epochs_count(patch: Patch) -> None:
    """A late fetch of an earlier broker epoch moves the position of the present one."""
    note = FollowerProgress.note_fetch
    check = PartitionLeader.rejection_of_fetch

    def note_any(self: FollowerProgress, event: FollowerFetched, leader_end_offset: Offset) -> bool:
        newest = max(event.broker_epoch, self.broker_epoch)
        return note(self, event._replace(broker_epoch=newest), leader_end_offset)

    patch.setattr(FollowerProgress, "note_fetch", note_any)
    newest = BrokerEpoch(1 << 40)
    patch.setattr(
        PartitionLeader, "rejection_of_fetch", lambda self, who, which, epoch: check(self, who, newest, epoch)
    )


@mutation("4: a proposed addition does not count")
def additions_do_not_count(patch: Patch) -> None:
    """The watermark does not wait for a member that is being added."""
    patch.setattr(PartitionLeader, "maximal_isr", property(lambda self: self.isr))
    patch.setattr(PartitionLeader, "check", lambda self: None)


@mutation("4: a proposed removal counts at once")
def removals_count_at_once(patch: Patch) -> None:
    """The watermark does not wait any more for a member whose removal is only proposed."""

    def maximal(self: PartitionLeader) -> tuple[BrokerId, ...]:
        members = (*self.isr, *self.pending.additions)
        return tuple(each for each in members if each not in self.pending.removals)

    settle = PartitionLeader._settle

    def settle_and_advance(self: PartitionLeader, pending: Any) -> None:
        settle(self, pending)
        if isinstance(pending, RemovalProposed):
            self._advance_high_watermark()

    patch.setattr(PartitionLeader, "maximal_isr", property(maximal))
    patch.setattr(PartitionLeader, "_settle", settle_and_advance)
    patch.setattr(PartitionLeader, "check", lambda self: None)


@mutation("5: joins below the watermark")
def joins_below_the_watermark(patch: Patch) -> None:
    """A follower joins by its first fetch, wherever it is."""

    def may_join(self: PartitionLeader, follower: FollowerProgress) -> bool:
        return follower.may_be_proposed and not follower.is_awaited and follower.log_end_offset is not None

    patch.setattr(PartitionLeader, "_may_join", may_join)


@mutation("5: joins below the start of the epoch")
def joins_below_the_epoch(patch: Patch) -> None:
    """A follower joins at the watermark of a new leader, which does not yet know what is committed."""

    def may_join(self: PartitionLeader, follower: FollowerProgress) -> bool:
        end = follower.log_end_offset
        return follower.may_be_proposed and not follower.is_awaited and end is not None and end >= self.high_watermark

    patch.setattr(PartitionLeader, "_may_join", may_join)


@mutation("6: a stall of its own counts as lag")
def stalls_count_as_lag(patch: Patch) -> None:
    """A leader that slept blames its followers for it."""
    patch.setattr(PartitionLeader, "_on_stalled", PartitionLeader._on_time_passed)


@mutation("7: epoch of a fetch not checked")
def epoch_not_checked(patch: Patch) -> None:
    """A leader serves and counts fetches of any leader epoch."""
    check = PartitionLeader.rejection_of_fetch

    def any_epoch(self: PartitionLeader, who: Any, which: Any, epoch: Any) -> Any:
        return check(self, who, which, self.term.leader_epoch)

    patch.setattr(PartitionLeader, "rejection_of_fetch", any_epoch)


@mutation("11: positions outlive the term")
def positions_outlive_the_term(patch: Patch) -> None:
    """What a leader knew of its followers in an earlier term is believed in the next."""
    meet = PartitionLeader._meet_followers
    known: dict[Any, Any] = {}

    def remember(self: PartitionLeader, now_ms: int) -> None:
        meet(self, now_ms)
        key = (self.broker, self.replicas)
        for broker, progress in known.get(key, {}).items():
            progress.may_be_proposed = True
            self._followers[broker] = progress
        known[key] = self._followers

    patch.setattr(PartitionLeader, "_meet_followers", remember)


@mutation("14: a new leader lists its watermark at once")
def lists_at_once(patch: Patch) -> None:
    """ListOffsets(latest) is answered before the watermark has reached the start of the epoch."""
    patch.setattr(PartitionLeader, "knows_what_is_committed", property(lambda self: True))


@mutation("new leader takes its log for committed")
def takes_its_log_for_committed(patch: Patch) -> None:
    """A new leader begins with its log end as the watermark."""

    def begin(self: PartitionLeader) -> Any:
        return _advance_to(self, self.log_end_offset)

    patch.setattr(PartitionLeader, "begin", begin)


@mutation("a refused addition stays proposed for ever")
def refusals_are_not_heard(patch: Patch) -> None:
    """A refused proposal is never given up: the watermark waits for a follower that never joined."""

    def refused(self: PartitionLeader, event: Any) -> Any:
        return ()

    patch.setattr(PartitionLeader, "_on_proposal_refused", refused)


@mutation("an addition is believed before the store has it")
def additions_are_believed(patch: Patch) -> None:
    """A leader counts a member that it proposed as committed: the set looks larger than it is."""
    settle = PartitionLeader._settle

    def believe(self: PartitionLeader, pending: Any) -> None:
        if isinstance(pending, AdditionProposed):
            self.isr = (*self.isr, *pending.additions)
            pending = NO_CHANGE
        settle(self, pending)

    patch.setattr(PartitionLeader, "_settle", believe)
