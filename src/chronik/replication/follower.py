"""A follower of one partition in one term: it decides what to fetch, append and truncate, and what is committed.

A core without I/O and clock: events in, effects out. Its invariants are checked after every event:

- at most one thing is under way: a fetch, or the append or truncation that its response asked for;
- the high watermark never passes the log end, and falls only where the log is truncated below it;
- the log is truncated before the high watermark is raised, and the next fetch offset counts written bytes only.
"""

from typing import Final, NamedTuple, assert_never

from chronik.model.ids import BrokerId, LeaderEpoch, Offset
from chronik.replication.events import (
    AdvanceHighWatermark,
    AdvanceLogStart,
    Append,
    Appended,
    Divergence,
    FetchAgain,
    FetchAsk,
    FetchFailed,
    FetchSucceeded,
    FollowerEffect,
    FollowerEvent,
    LogTruncated,
    ReportLoss,
    StartAt,
    TruncateTo,
)

_NOTHING: Final[tuple[FollowerEffect, ...]] = ()
_AGAIN: Final = FetchAgain()


class FollowedTerm(NamedTuple):
    """The leader that is followed, and its epoch."""

    leader: BrokerId
    leader_epoch: LeaderEpoch


class Appending(NamedTuple):
    """Records are being written; the high watermark and log start of their response apply afterwards."""

    leader_high_watermark: Offset
    leader_log_start_offset: Offset


class Truncating(NamedTuple):
    """The log is being truncated to this offset."""

    offset: Offset
    committed_offset: Offset
    """Everything below this offset is committed after the truncation."""


class PartitionFollower:
    """Owns the high watermark of a followed partition for one term of its leader."""

    __slots__ = (
        "broker",
        "high_watermark",
        "last_epoch",
        "log_end_offset",
        "log_start_offset",
        "term",
        "under_way",
    )

    def __init__(
        self,
        broker: BrokerId,
        term: FollowedTerm,
        *,
        log_start_offset: Offset,
        log_end_offset: Offset,
        last_epoch: LeaderEpoch,
        high_watermark: Offset,
    ) -> None:
        assert term.leader != broker, "a broker does not follow itself"
        assert high_watermark <= log_end_offset, "the known high watermark lies beyond the log"
        self.broker = broker
        self.term = term
        self.log_start_offset = log_start_offset
        self.log_end_offset = log_end_offset
        self.last_epoch = last_epoch
        self.high_watermark = high_watermark
        self.under_way: FetchAsk | Appending | Truncating | None = None
        """The fetch in flight, or what its response asked for."""

    def next_fetch(self) -> FetchAsk | None:
        """Return the next fetch, which is then under way, or None while something is under way."""
        if self.under_way is not None:
            return None
        ask = FetchAsk(self.log_end_offset, self.last_epoch, self.term.leader_epoch)
        self.under_way = ask
        return ask

    # --- events

    def handle(self, event: FollowerEvent) -> tuple[FollowerEffect, ...]:
        """Apply one event and return its effects."""
        match event:
            case FetchSucceeded():
                effects = self._on_fetch_answered(event)
            case Appended():
                effects = self._on_appended(event)
            case LogTruncated():
                effects = self._on_truncated(event)
            case FetchFailed():
                effects = self._on_fetch_failed(event)
            case _:
                assert_never(event)
        assert self.high_watermark <= self.log_end_offset, "a follower's high watermark passed its log end"
        return effects

    def _on_fetch_answered(self, event: FetchSucceeded) -> tuple[FollowerEffect, ...]:
        if event.ask is not self.under_way:
            # The response of an older term, or of an abandoned fetch: the log may have changed since.
            return _NOTHING
        self.under_way = None
        if event.divergence is not None:
            return self._truncate_divergence(event.divergence, event.own_epoch_end_offset)
        if event.log_start_offset > self.log_end_offset:
            return self._begin_at(event.log_start_offset)
        raised = self._raise_watermark(event.high_watermark)
        if event.data_end_offset is None or event.data_end_offset <= self.log_end_offset:
            return (*raised, *self._follow_log_start(event.log_start_offset), _AGAIN)
        self.under_way = Appending(event.high_watermark, event.log_start_offset)
        return (Append(), *raised)

    def _on_appended(self, event: Appended) -> tuple[FollowerEffect, ...]:
        appending = self.under_way
        assert isinstance(appending, Appending), "records were appended that no response has brought"
        assert event.log_end_offset >= self.log_end_offset, "an append made the log shorter"
        self.under_way = None
        self.log_end_offset = event.log_end_offset
        self.last_epoch = event.last_epoch
        raised = self._raise_watermark(appending.leader_high_watermark)
        return (*raised, *self._follow_log_start(appending.leader_log_start_offset), _AGAIN)

    def _on_truncated(self, event: LogTruncated) -> tuple[FollowerEffect, ...]:
        truncating = self.under_way
        assert isinstance(truncating, Truncating), "the log was truncated without an order"
        # A batch that contains the offset is removed whole, so the end may be below the offset, never above.
        assert event.log_end_offset <= truncating.offset, "the log was truncated too little"
        self.under_way = None
        self.log_end_offset = event.log_end_offset
        self.log_start_offset = min(self.log_start_offset, event.log_end_offset)
        self.last_epoch = event.last_epoch
        self.high_watermark = min(self.high_watermark, event.log_end_offset)
        return (*self._raise_watermark(truncating.committed_offset), _AGAIN)

    def _on_fetch_failed(self, event: FetchFailed) -> tuple[FollowerEffect, ...]:
        if event.ask is self.under_way:
            self.under_way = None
        return _NOTHING

    # --- effects of a response

    def _truncate_divergence(self, divergence: Divergence, own_end_offset: Offset | None) -> tuple[FollowerEffect, ...]:
        """Truncate to where both logs are equal. The high watermark of this response is about other records."""
        assert own_end_offset is not None, "the driver looks a diverging epoch up in its own log"
        offset = min(divergence.end_offset, own_end_offset)
        if not 0 <= offset < self.log_end_offset:
            return (_AGAIN,)
        self.under_way = Truncating(offset, committed_offset=self.log_start_offset)
        return (*self._report_loss(offset), TruncateTo(offset))

    def _begin_at(self, offset: Offset) -> tuple[FollowerEffect, ...]:
        """Start again at the leader's log start, which this log does not reach. Deleted records were committed."""
        self.under_way = Truncating(offset, committed_offset=offset)
        self.log_start_offset = offset
        return (StartAt(offset),)

    def _report_loss(self, offset: Offset) -> tuple[FollowerEffect, ...]:
        committed = self.high_watermark
        if offset >= committed:
            return _NOTHING
        self.high_watermark = offset
        return (ReportLoss(offset, committed),)

    def _raise_watermark(self, leader_high_watermark: Offset) -> tuple[FollowerEffect, ...]:
        """Raise the high watermark. The only place that does."""
        committed = min(leader_high_watermark, self.log_end_offset)
        if committed <= self.high_watermark:
            return _NOTHING
        self.high_watermark = committed
        return (AdvanceHighWatermark(committed),)

    def _follow_log_start(self, leader_log_start_offset: Offset) -> tuple[FollowerEffect, ...]:
        """Advance the log start to the leader's, as far as this replica knows the records to be committed."""
        offset = min(leader_log_start_offset, self.high_watermark)
        if offset <= self.log_start_offset:
            return _NOTHING
        self.log_start_offset = offset
        return (AdvanceLogStart(offset),)
