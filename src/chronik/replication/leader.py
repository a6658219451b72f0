"""The leader of one partition in one term: what is committed, and may a write be accepted.

It decides and never acts: events in, effects out, no I/O and no clock. Its invariants are checked after every event:

- the high watermark never falls within the term and never passes the log end of an in-sync member;
- it stands still while the committed in-sync set is smaller than the minimum.
"""

from dataclasses import dataclass
from typing import assert_never

from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Incarnation, LeaderEpoch, Offset, PartitionEpoch
from chronik.replication.events import AdvanceHighWatermark, Effect, Event, IsrCommitted, LocalAppended


@dataclass(frozen=True, slots=True)
class Term:
    """One leader epoch led by one incarnation of a broker."""

    leader_epoch: LeaderEpoch
    incarnation: Incarnation


class PartitionLeader:
    """Owns the high watermark of a partition for one term."""

    __slots__ = (
        "broker",
        "epoch_start_offset",
        "high_watermark",
        "in_sync_min",
        "isr",
        "log_end_offset",
        "partition_epoch",
        "replica_count",
        "term",
    )

    def __init__(
        self,
        broker: BrokerId,
        term: Term,
        *,
        isr: tuple[BrokerId, ...],
        replica_count: int,
        in_sync_min: int,
        partition_epoch: PartitionEpoch,
        log_end_offset: Offset,
        high_watermark: Offset,
    ) -> None:
        assert broker in isr, f"broker {broker} leads {term} but is not in the in-sync set {isr}"
        assert high_watermark <= log_end_offset, "the known high watermark lies beyond the log"
        self.broker = broker
        self.term = term
        self.isr = isr
        self.replica_count = replica_count
        self.in_sync_min = in_sync_min
        self.partition_epoch = partition_epoch
        self.epoch_start_offset = log_end_offset
        self.high_watermark = high_watermark
        self.log_end_offset = log_end_offset
        """The end of the leader's own log, as far as it counts."""

    @property
    def knows_what_is_committed(self) -> bool:
        """Whether the watermark has reached the first offset of this term's epoch."""
        return self.high_watermark >= self.epoch_start_offset

    @property
    def has_enough_in_sync(self) -> bool:
        """Whether the committed in-sync set is as large as the minimum asks."""
        return len(self.isr) >= min(self.in_sync_min, self.replica_count)

    def why_not_acks_all(self) -> ErrorCode | None:
        """Say why a write with acks=all must be refused now, or None where it may be taken."""
        return None if self.has_enough_in_sync else ErrorCode.NOT_ENOUGH_REPLICAS

    def begin(self) -> tuple[Effect, ...]:
        """Take up the term: what is already on every in-sync replica is committed."""
        return self._advance_high_watermark()

    def handle(self, event: Event) -> tuple[Effect, ...]:
        """Apply one event and say what must happen because of it."""
        before = self.high_watermark
        match event:
            case LocalAppended():
                self._on_local_appended(event)
            case IsrCommitted():
                self._on_isr_committed(event)
            case _:
                assert_never(event)
        effects = self._advance_high_watermark()
        assert self.high_watermark >= before, "the high watermark fell within a term"
        assert self.high_watermark <= self.log_end_offset, "the high watermark passed the leader's log end"
        return effects

    def _on_local_appended(self, event: LocalAppended) -> None:
        assert event.log_end_offset >= self.log_end_offset, "a leader's log never shrinks within its term"
        self.log_end_offset = event.log_end_offset

    def _on_isr_committed(self, event: IsrCommitted) -> None:
        assert self.broker in event.isr, "a leader is a member of its in-sync set"
        if event.partition_epoch <= self.partition_epoch:
            return
        self.isr = event.isr
        self.in_sync_min = event.in_sync_min
        self.partition_epoch = event.partition_epoch

    def _advance_high_watermark(self) -> tuple[Effect, ...]:
        """Move the high watermark. The only place that does."""
        if not self.has_enough_in_sync:
            return ()
        # A member whose log end is not known yet in this term holds nothing for certain.
        committed = self.log_end_offset if self.isr == (self.broker,) else self.high_watermark
        if committed <= self.high_watermark:
            return ()
        self.high_watermark = committed
        return (AdvanceHighWatermark(committed),)
