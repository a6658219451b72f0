"""Fetch sessions (KIP-227): the broker remembers what a consumer follows, so that only changes travel."""

import random
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import Final

from chronik.model import limits
from chronik.model.errors import ErrorCode
from chronik.server.fetch.reading import FetchSpec, PartitionRead
from chronik.server.replicas.leader import LeaderReplica

EVICTABLE_AFTER_S: Final = 120.0
NOTED_MS: Final = 1_000
"""How often a follower's places are told that have not moved; a small part of replica.lag.time.max.ms."""
_EPOCH_MAX: Final = 2**31 - 1

Key = tuple[object, int]


@dataclass(slots=True)
class Followed:
    """One partition of a session, and what its client was last told."""

    spec: FetchSpec
    high_watermark: int = -1
    log_start_offset: int = -1
    must_tell: bool = True

    def is_news(self, fetched: PartitionRead) -> bool:
        """Whether the client must hear of this result; what it hears is remembered."""
        news = (
            self.must_tell
            or len(fetched.records) > 0
            or fetched.error is not ErrorCode.NONE
            or fetched.diverging is not None
            or fetched.high_watermark != self.high_watermark
            or fetched.log_start_offset != self.log_start_offset
        )
        # An error is told once more when it has gone, so that the client sees the partition healthy again.
        self.must_tell = fetched.error is not ErrorCode.NONE
        self.high_watermark = fetched.high_watermark
        self.log_start_offset = fetched.log_start_offset
        return news

    def is_quiet(self, partition: LeaderReplica) -> bool:
        """Whether a follower has all of a partition in its term, and was told all that there is to tell."""
        spec = self.spec
        return (
            not self.must_tell
            and not partition.is_offline
            and spec.offset == partition.log.log_end_offset
            and spec.leader_epoch == partition.leader_epoch
            and self.high_watermark == partition.high_watermark
            and self.log_start_offset == partition.log.log_start_offset
            and spec.last_fetched_epoch == partition.log.leader_epochs.latest
        )


@dataclass(slots=True)
class FetchSession:
    """What one consumer follows on this broker, in the order in which it is served next."""

    id: int
    uses_topic_ids: bool
    epoch: int = 1
    last_used_s: float = 0.0
    wake: Callable[[], None] | None = None
    """Ends the wait of a follower's fetch that is parked: its next request must not stand behind it."""
    changed: Sequence[FetchSpec] = ()
    """What the last request has named."""
    noted_ms: int = -NOTED_MS
    noted_broker_epoch: int = -1
    followed: OrderedDict[Key, Followed] = field(default_factory=OrderedDict)

    def update(self, changed: Iterable[FetchSpec], forgotten: Iterable[Key]) -> None:
        """Apply what an incremental request says."""
        for key in forgotten:
            self.followed.pop(key, None)
        self.changed = tuple(changed)
        for spec in self.changed:
            known = self.followed.get((spec.topic, spec.index))
            if known is None:
                self.followed[spec.topic, spec.index] = Followed(spec)
            else:
                known.spec = spec

    def specs(self) -> list[FetchSpec]:
        return [followed.spec for followed in self.followed.values()]

    def to_note(self, broker_epoch: int, now_ms: int) -> Sequence[FetchSpec]:
        """Give the places of a follower that its leaders must hear of.

        Those that have not moved are told from time to time only, as a sign of life.
        """
        if broker_epoch == self.noted_broker_epoch and now_ms - self.noted_ms < NOTED_MS:
            return self.changed
        self.noted_ms, self.noted_broker_epoch = now_ms, broker_epoch
        return self.specs()

    def note_propagation(self, results: Sequence[PartitionRead]) -> None:
        """Take the time from a watermark's last advance to now, when the follower hears of it."""
        now_ns = 0
        for fetched in results:
            partition = fetched.partition
            followed = self.followed.get((fetched.spec.topic, fetched.spec.index))
            if followed is None or not isinstance(partition, LeaderReplica) or not partition.advanced_ns:
                continue
            if fetched.high_watermark > followed.high_watermark:
                now_ns = now_ns or monotonic_ns()
                partition.meters.propagation.observe(now_ns - partition.advanced_ns)

    def news(self, results: Sequence[PartitionRead]) -> list[PartitionRead]:
        """Keep the results that the client must hear; partitions that gave data are served last next time."""
        told = []
        for fetched in results:
            key = (fetched.spec.topic, fetched.spec.index)
            followed = self.followed.get(key)
            if followed is None or not followed.is_news(fetched):
                continue
            told.append(fetched)
            if len(fetched.records):
                self.followed.move_to_end(key)
        return told

    def has_news(self, results: Sequence[PartitionRead]) -> bool:
        """Whether any result must be told at once, without changing what is remembered."""
        for fetched in results:
            followed = self.followed.get((fetched.spec.topic, fetched.spec.index))
            if fetched.error is not ErrorCode.NONE or (followed is not None and followed.must_tell):
                return True
        return False

    def is_behind(self, results: Sequence[PartitionRead]) -> bool:
        """Whether the client was last told another watermark than the one of now."""
        for fetched in results:
            followed = self.followed.get((fetched.spec.topic, fetched.spec.index))
            if followed is not None and followed.high_watermark != fetched.high_watermark:
                return True
        return False


class FetchSessions:
    """All sessions of this broker: a bounded number, the longest unused giving way."""

    def __init__(self, sessions_max: int, dice: random.Random) -> None:
        self._sessions_max = sessions_max
        self._dice = dice
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def open(
        self, specs: Sequence[FetchSpec], now_s: float, *, uses_topic_ids: bool, is_follower: bool = False
    ) -> FetchSession | None:
        """Open a session, or answer None where there is no room: the client then goes on without one.

        Followers always find room: there are few of them, and without a session each fetch names every partition.
        """
        if not is_follower and (len(specs) > limits.FETCH_SESSION_PARTITIONS_MAX or not self._make_room(now_s)):
            return None
        session = FetchSession(self._new_id(), uses_topic_ids, last_used_s=now_s)
        session.update(specs, ())
        self._sessions[session.id] = session
        return session

    def use(self, session_id: int, epoch: int, now_s: float, *, uses_topic_ids: bool) -> FetchSession | ErrorCode:
        """Find the session of an incremental request and count its epoch on."""
        session = self._sessions.get(session_id)
        if session is None:
            return ErrorCode.FETCH_SESSION_ID_NOT_FOUND
        if session.uses_topic_ids != uses_topic_ids:
            return ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
        if epoch != session.epoch:
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH
        session.epoch = 1 if session.epoch == _EPOCH_MAX else session.epoch + 1
        session.last_used_s = now_s
        self._sessions.move_to_end(session_id)
        return session

    def close(self, session_id: int) -> None:
        """Forget a session; an unknown one is forgotten already."""
        self._sessions.pop(session_id, None)

    def _make_room(self, now_s: float) -> bool:
        if self._sessions_max <= 0:
            return False
        if len(self._sessions) < self._sessions_max:
            return True
        oldest = next(iter(self._sessions.values()))
        if now_s - oldest.last_used_s < EVICTABLE_AFTER_S:
            return False
        del self._sessions[oldest.id]
        return True

    def _new_id(self) -> int:
        while (candidate := self._dice.randint(1, 2**31 - 1)) in self._sessions:
            pass
        return candidate
