"""The leader of one partition in one term: it decides what is committed, who is in sync, and which writes it accepts.

A core without I/O and clock: events in, effects out. Its invariants are checked after every event:

- the high watermark never falls within the term and never passes the log end of a member of the maximal in-sync set;
- it does not move while the committed in-sync set is smaller than the minimum;
- at most one change of the in-sync set is under way, and a broker that may be a member counts as one.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple, assert_never

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, Revision
from chronik.replication.events import (
    AdvanceHighWatermark,
    FollowerFetched,
    IsrCommitted,
    LeaderEffect,
    LeaderEvent,
    LocalAppended,
    ProposalRefused,
    ProposalUnknown,
    ProposeIsr,
    RewriteUnchanged,
    Stalled,
    TimePassed,
)
from chronik.replication.progress import FollowerProgress

UNKNOWN_WAIT_MS: Final = 1_000
"""How long the outcome of a proposal may stay unknown before the unchanged state is rewritten; repeated until known."""
_UNKNOWN_REVISION: Final = Revision(0)
_NOTHING: Final[tuple[LeaderEffect, ...]] = ()


class NoChange(NamedTuple):
    """No change of the ISR is under way."""

    additions: tuple[BrokerId, ...] = ()
    removals: tuple[BrokerId, ...] = ()


class AdditionProposed(NamedTuple):
    """These brokers may be members already: the high watermark waits for them as for the others."""

    additions: tuple[BrokerId, ...]
    removals: tuple[BrokerId, ...] = ()


class RemovalProposed(NamedTuple):
    """These brokers may still be members: the high watermark waits for them until their removal is committed."""

    removals: tuple[BrokerId, ...]
    additions: tuple[BrokerId, ...] = ()


class OutcomeUnknown(NamedTuple):
    """A proposal whose outcome is unknown counts as proposed until a newer revision of the partition is seen."""

    additions: tuple[BrokerId, ...]
    removals: tuple[BrokerId, ...]
    rewrite_at_ms: int | None
    """When to rewrite the unchanged state, so that the old transaction can no longer succeed; None where a newer
    revision is known to exist."""


PendingChange = NoChange | AdditionProposed | RemovalProposed | OutcomeUnknown
"""The one change of the ISR that is under way."""
NO_CHANGE: Final = NoChange()


@dataclass(frozen=True, slots=True)
class Term:
    """One leader epoch, led under one registration of the broker."""

    leader_epoch: LeaderEpoch
    broker_epoch: BrokerEpoch


class PartitionLeader:
    """Owns the high watermark of a partition for one term, and proposes changes of the in-sync set."""

    __slots__ = (
        "_awaited",
        "_followers",
        "_lag_ms_max",
        "_required",
        "broker",
        "epoch_start_offset",
        "high_watermark",
        "in_sync_min",
        "isr",
        "log_end_offset",
        "partition_epoch",
        "pending",
        "replicas",
        "revision",
        "term",
    )

    def __init__(
        self,
        broker: BrokerId,
        term: Term,
        *,
        isr: tuple[BrokerId, ...],
        in_sync_min: int,
        partition_epoch: PartitionEpoch,
        log_end_offset: Offset,
        high_watermark: Offset,
        replicas: tuple[BrokerId, ...],
        revision: Revision = _UNKNOWN_REVISION,
        lag_ms_max: int = 30_000,
        now_ms: int = 0,
    ) -> None:
        assert broker in isr, f"broker {broker} leads {term} but is not in the in-sync set {isr}"
        assert high_watermark <= log_end_offset, "the known high watermark lies beyond the log"
        self.broker = broker
        self.term = term
        self.isr = isr
        self.replicas = replicas
        self.in_sync_min = in_sync_min
        self.partition_epoch = partition_epoch
        self.revision = revision
        self.epoch_start_offset = log_end_offset
        self.high_watermark = high_watermark
        self.log_end_offset = log_end_offset
        """The end of the leader's own log, in written or flushed bytes, as the topic's settings ask."""
        self.pending: PendingChange = NO_CHANGE
        self._lag_ms_max = lag_ms_max
        self._followers: dict[BrokerId, FollowerProgress] = {}
        self._meet_followers(now_ms)
        self._count_members()

    # --- queries

    @property
    def knows_what_is_committed(self) -> bool:
        """Whether the high watermark has reached the first offset of this term's epoch."""
        return self.high_watermark >= self.epoch_start_offset

    @property
    def has_enough_in_sync(self) -> bool:
        """Whether the committed in-sync set is as large as the minimum asks."""
        return len(self.isr) >= self._required

    @property
    def maximal_isr(self) -> tuple[BrokerId, ...]:
        """Every broker that is or may be a member; a removed one counts until its removal is committed."""
        return (*self.isr, *self.pending.additions)

    def rejection_of_acks_all(self) -> ErrorCode | None:
        """Return why a write with acks=all is rejected now, or None."""
        return None if self.has_enough_in_sync else ErrorCode.NOT_ENOUGH_REPLICAS

    def rejection_of_fetch(
        self, replica: BrokerId, broker_epoch: BrokerEpoch, leader_epoch: LeaderEpoch
    ) -> ErrorCode | None:
        """Return why a replica's fetch is rejected, or None where it may be served and counted."""
        own_epoch = self.term.leader_epoch
        if leader_epoch != own_epoch:
            return ErrorCode.FENCED_LEADER_EPOCH if leader_epoch < own_epoch else ErrorCode.UNKNOWN_LEADER_EPOCH
        follower = self._followers.get(replica)
        if follower is None:
            # Perhaps a replica of an assignment that this leader has not seen yet: the replica must retry.
            return ErrorCode.UNKNOWN_LEADER_EPOCH
        return ErrorCode.NOT_LEADER_OR_FOLLOWER if broker_epoch < follower.broker_epoch else None

    def log_end_of(self, replica: BrokerId) -> Offset | None:
        """Return the log end of a replica as it is known in this term, or None."""
        return self.log_end_offset if replica == self.broker else self._followers[replica].log_end_offset

    @property
    def followers(self) -> tuple[FollowerProgress, ...]:
        """The progress of each other replica, for status and metrics."""
        return tuple(self._followers.values())

    # --- events

    def begin(self) -> tuple[LeaderEffect, ...]:
        """Begin the term: records that every in-sync replica holds are committed."""
        return self._advance_high_watermark()

    def handle(self, event: LeaderEvent) -> tuple[LeaderEffect, ...]:
        """Apply one event and return its effects."""
        before = self.high_watermark
        match event:
            case FollowerFetched():
                effects = self._on_follower_fetched(event)
            case LocalAppended():
                effects = self._on_local_appended(event)
            case _:
                effects = self._handle_rare(event)
        assert before <= self.high_watermark <= self.log_end_offset, "the high watermark fell, or passed the log end"
        return effects

    def _handle_rare(
        self, event: IsrCommitted | ProposalRefused | ProposalUnknown | TimePassed | Stalled
    ) -> tuple[LeaderEffect, ...]:
        match event:
            case TimePassed():
                effects = self._on_time_passed(event)
            case IsrCommitted():
                effects = self._on_isr_committed(event)
            case ProposalRefused():
                effects = self._on_proposal_refused(event)
            case ProposalUnknown():
                effects = self._on_proposal_unknown(event)
            case Stalled():
                effects = self._on_stalled(event)
            case _:
                assert_never(event)
        self.check()
        return effects

    def _on_local_appended(self, event: LocalAppended) -> tuple[LeaderEffect, ...]:
        log_end_offset = event.log_end_offset
        assert log_end_offset >= self.log_end_offset, "a leader's log never shrinks within its term"
        self.log_end_offset = log_end_offset
        return self._advance_high_watermark()

    def _on_follower_fetched(self, event: FollowerFetched) -> tuple[LeaderEffect, ...]:
        follower = self._followers.get(event.follower)
        if follower is None or not follower.note_fetch(event, self.log_end_offset):
            return _NOTHING
        if follower.is_awaited:
            return self._advance_high_watermark()
        return self._propose_additions()

    def _on_isr_committed(self, event: IsrCommitted) -> tuple[LeaderEffect, ...]:
        assert self.broker in event.isr, "a leader is a member of its in-sync set"
        if (event.partition_epoch, event.revision) <= (self.partition_epoch, self.revision):
            return _NOTHING
        for gone in set(self.isr).difference(event.isr):
            # A removed replica joins again with its next fetch, not with one from before its removal.
            self._followers[gone].may_be_proposed = False
        self.isr = event.isr
        self.in_sync_min = event.in_sync_min
        self.partition_epoch = event.partition_epoch
        self.revision = event.revision
        if event.replicas is not None:
            self._reassign(event.replicas)
        self._settle(NO_CHANGE)
        return (*self._advance_high_watermark(), *self._propose_additions())

    def _on_proposal_refused(self, event: ProposalRefused) -> tuple[LeaderEffect, ...]:
        pending = self.pending
        if event.base_revision != self.revision or isinstance(pending, NoChange):
            return _NOTHING
        if event.revision is not None and event.revision > self.revision:
            self._settle(OutcomeUnknown(pending.additions, pending.removals, None))
            return _NOTHING
        self._settle(NO_CHANGE)
        return (*self._advance_high_watermark(), *self._propose_additions())

    def _on_proposal_unknown(self, event: ProposalUnknown) -> tuple[LeaderEffect, ...]:
        pending = self.pending
        if event.base_revision == self.revision and not isinstance(pending, NoChange):
            self._settle(OutcomeUnknown(pending.additions, pending.removals, event.now_ms + UNKNOWN_WAIT_MS))
        return _NOTHING

    def _on_time_passed(self, event: TimePassed) -> tuple[LeaderEffect, ...]:
        pending = self.pending
        if isinstance(pending, OutcomeUnknown):
            return self._rewrite_if_due(pending, event.now_ms)
        return self._propose_removals(event.now_ms) if isinstance(pending, NoChange) else _NOTHING

    def _on_stalled(self, event: Stalled) -> tuple[LeaderEffect, ...]:
        for follower in self._followers.values():
            follower.restart_lag_clock(event.now_ms)
        return _NOTHING

    # --- the high watermark

    def _advance_high_watermark(self) -> tuple[LeaderEffect, ...]:
        """Move the high watermark. The only place that does."""
        if len(self.isr) < self._required:
            return _NOTHING
        committed = self.log_end_offset
        for follower in self._awaited:
            # A member whose log end is not known in this term holds nothing for certain.
            log_end_offset = follower.log_end_offset
            if log_end_offset is None:
                return _NOTHING
            if log_end_offset < committed:
                committed = log_end_offset
        if committed <= self.high_watermark:
            return _NOTHING
        self.high_watermark = committed
        return (AdvanceHighWatermark(committed),)

    # --- proposals for the in-sync set

    def _propose_additions(self) -> tuple[LeaderEffect, ...]:
        """Propose every follower that has caught up, unless another change is under way."""
        if not isinstance(self.pending, NoChange):
            return _NOTHING
        joining = tuple(each for each in self._followers.values() if self._may_join(each))
        if not joining:
            return _NOTHING
        for each in joining:
            # After a refusal only its next fetch proposes it again.
            each.may_be_proposed = False
        additions = tuple(each.follower for each in joining)
        self._settle(AdditionProposed(additions))
        added = tuple((each.follower, each.broker_epoch) for each in joining)
        return (ProposeIsr((*self.isr, *additions), added, (), self.revision),)

    def _may_join(self, follower: FollowerProgress) -> bool:
        """Whether a follower holds every committed record, so that electing it later would lose nothing.

        A new leader does not know what is committed before its high watermark has reached the start of its epoch. Until
        then only that start is a bound.
        """
        log_end_offset = follower.log_end_offset
        return (
            follower.may_be_proposed
            and not follower.is_awaited
            and log_end_offset is not None
            and log_end_offset >= self.high_watermark
            and log_end_offset >= self.epoch_start_offset
        )

    def _propose_removals(self, now_ms: int) -> tuple[LeaderEffect, ...]:
        oldest_ms = now_ms - self._lag_ms_max
        removals = tuple(each.follower for each in self._awaited if each.lags(self.log_end_offset, oldest_ms))
        if not removals:
            return _NOTHING
        self._settle(RemovalProposed(removals))
        isr = tuple(member for member in self.isr if member not in removals)
        return (ProposeIsr(isr, (), removals, self.revision),)

    def _rewrite_if_due(self, pending: OutcomeUnknown, now_ms: int) -> tuple[LeaderEffect, ...]:
        if pending.rewrite_at_ms is None or now_ms < pending.rewrite_at_ms:
            return _NOTHING
        self._settle(pending._replace(rewrite_at_ms=now_ms + UNKNOWN_WAIT_MS))
        return (RewriteUnchanged(self.revision),)

    # --- members

    def _settle(self, pending: PendingChange) -> None:
        self.pending = pending
        self._count_members()

    def _count_members(self) -> None:
        """Compute what the high watermark needs of the maximal ISR: it is needed once per request."""
        maximal = self.maximal_isr
        for follower in self._followers.values():
            follower.is_awaited = follower.follower in maximal
        self._awaited = tuple(follower for follower in self._followers.values() if follower.is_awaited)
        self._required = min(self.in_sync_min, len(self.replicas))

    def _reassign(self, replicas: tuple[BrokerId, ...]) -> None:
        now_ms = max((each.caught_up_ms for each in self._followers.values()), default=0)
        self.replicas = replicas
        self._meet_followers(now_ms)

    def _meet_followers(self, now_ms: int) -> None:
        known = self._followers
        self._followers = {
            replica: known.get(replica) or FollowerProgress(replica, now_ms)
            for replica in dict.fromkeys((*self.replicas, *self.isr))
            if replica != self.broker
        }

    # --- invariants

    def check(self) -> None:
        """Assert the invariants that concern more than one event."""
        assert self.broker in self.isr, "a leader is a member of its in-sync set"
        assert len(set(self.maximal_isr)) == len(self.maximal_isr), "a broker is counted twice"
        assert not set(self.pending.additions).intersection(self.isr), "a proposal adds a member"
        assert set(self.pending.removals) <= set(self.isr), "a proposal removes a broker that is no member"
        assert self.broker not in self.pending.removals, "a proposal removes the leader"
        awaited = {each.follower for each in self._awaited}
        assert awaited == set(self.maximal_isr) - {self.broker}, (
            "the high watermark waits for other brokers than the maximal ISR"
        )
