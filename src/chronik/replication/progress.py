"""The progress of one follower, as its leader knows it in one term."""

from chronik.model.ids import BrokerEpoch, BrokerId, Offset
from chronik.replication.events import FollowerFetched

_NEVER_SEEN = BrokerEpoch(-1)


class FollowerProgress:
    """Belongs to one term of the leader; fetches of an older epoch of the follower's broker do not count."""

    __slots__ = (
        "_fetched_leader_end_offset",
        "_fetched_ms",
        "broker_epoch",
        "caught_up_ms",
        "follower",
        "is_awaited",
        "log_end_offset",
        "may_be_proposed",
    )

    def __init__(self, follower: BrokerId, now_ms: int) -> None:
        self.follower = follower
        self.broker_epoch = _NEVER_SEEN
        self.log_end_offset: Offset | None = None
        """None until the first fetch in this term."""
        self.caught_up_ms = now_ms
        """When the follower last held everything that the leader had at that time."""
        self.is_awaited = False
        """Whether the follower is, or may be, in sync: the high watermark waits for it."""
        self.may_be_proposed = False
        """Whether the follower has fetched since it was last proposed or removed."""
        self._fetched_ms = now_ms
        self._fetched_leader_end_offset = 0

    @property
    def fetched_ms(self) -> int:
        """When the follower last fetched in this term; before its first fetch, when the term began."""
        return self._fetched_ms

    def note_fetch(self, event: FollowerFetched, leader_end_offset: Offset) -> bool:
        """Record a fetch; return False for one of an older broker epoch, which changes nothing."""
        if event.broker_epoch < self.broker_epoch:
            return False
        fetch_offset = event.fetch_offset
        if fetch_offset >= leader_end_offset:
            self.caught_up_ms = event.now_ms
        elif fetch_offset >= self._fetched_leader_end_offset:
            # The follower holds what the leader had at the fetch before, so it had caught up at that time.
            self.caught_up_ms = max(self.caught_up_ms, self._fetched_ms)
        self.broker_epoch = event.broker_epoch
        self.log_end_offset = fetch_offset
        self.may_be_proposed = True
        self._fetched_ms = event.now_ms
        self._fetched_leader_end_offset = leader_end_offset
        return True

    def lags(self, leader_end_offset: Offset, oldest_ms: int) -> bool:
        """Whether the follower lacks records and has not caught up since ``oldest_ms``."""
        return self.log_end_offset != leader_end_offset and self.caught_up_ms < oldest_ms

    def restart_lag_clock(self, now_ms: int) -> None:
        self.caught_up_ms = self._fetched_ms = now_ms
