"""Fetch sessions (KIP-227): the broker remembers the partitions of a consumer or follower, and returns only changes."""

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
from chronik.server.replicas.replica import Replica

EVICTABLE_AFTER_S: Final = 120.0
NOTED_MS: Final = 1_000
"""How often a follower's unchanged fetch offsets are recorded; a small part of replica.lag.time.max.ms."""
_EPOCH_MAX: Final = 2**31 - 1

Key = tuple[object, int]


@dataclass(slots=True)
class CachedPartition:
    """One partition of a session, and the state that its client last received."""

    spec: FetchSpec
    high_watermark: int = -1
    log_start_offset: int = -1
    must_send: bool = True

    def update(self, result: PartitionRead) -> bool:
        """Remember a result, and return whether the client must receive it."""
        is_changed = (
            self.must_send
            or len(result.records) > 0
            or result.error is not ErrorCode.NONE
            or result.diverging is not None
            or result.high_watermark != self.high_watermark
            or result.log_start_offset != self.log_start_offset
        )
        # After an error the next result is sent too, so that the client sees that the partition is healthy again.
        self.must_send = result.error is not ErrorCode.NONE
        self.high_watermark = result.high_watermark
        self.log_start_offset = result.log_start_offset
        return is_changed

    def is_unchanged(self, partition: Replica) -> bool:
        """Whether the follower has the whole log of this leader term, and the latest watermark and log start."""
        spec = self.spec
        return (
            not self.must_send
            and not partition.is_offline
            and spec.offset == partition.log.log_end_offset
            and spec.leader_epoch == partition.leader_epoch
            and self.high_watermark == partition.high_watermark
            and self.log_start_offset == partition.log.log_start_offset
            and spec.last_fetched_epoch == partition.log.leader_epochs.latest
        )


@dataclass(slots=True)
class FetchSession:
    """The partitions of one client of this broker, in the order in which they are served next."""

    id: int
    uses_topic_ids: bool
    epoch: int = 1
    last_used_s: float = 0.0
    wake: Callable[[], None] | None = None
    """Ends the wait of a follower's parked fetch, so that the follower's next request is handled at once."""
    named: Sequence[FetchSpec] = ()
    """The partitions that the last request named."""
    noted_ms: int = -NOTED_MS
    noted_broker_epoch: int = -1
    partitions: OrderedDict[Key, CachedPartition] = field(default_factory=OrderedDict)

    def update(self, named: Iterable[FetchSpec], forgotten: Iterable[Key]) -> None:
        """Apply an incremental request."""
        for key in forgotten:
            self.partitions.pop(key, None)
        self.named = tuple(named)
        for spec in self.named:
            known = self.partitions.get((spec.topic, spec.index))
            if known is None:
                self.partitions[spec.topic, spec.index] = CachedPartition(spec)
            else:
                known.spec = spec

    def specs(self) -> list[FetchSpec]:
        return [cached.spec for cached in self.partitions.values()]

    def to_note(self, broker_epoch: int, now_ms: int) -> Sequence[FetchSpec]:
        """Return the fetch offsets of a follower that its leaders must record.

        Unchanged offsets are recorded only from time to time, as a sign of life.
        """
        if broker_epoch == self.noted_broker_epoch and now_ms - self.noted_ms < NOTED_MS:
            return self.named
        self.noted_ms, self.noted_broker_epoch = now_ms, broker_epoch
        return self.specs()

    def note_propagation(self, results: Sequence[PartitionRead]) -> None:
        """Record the time from the last advance of each watermark until now, when the follower receives it."""
        now_ns = 0
        for result in results:
            led = None if result.partition is None else result.partition.role
            cached = self._cached(result)
            if cached is None or not isinstance(led, LeaderReplica) or not led.advanced_ns:
                continue
            if result.high_watermark > cached.high_watermark:
                now_ns = now_ns or monotonic_ns()
                led.meters.propagation.observe(now_ns - led.advanced_ns)

    def changed(self, results: Sequence[PartitionRead]) -> list[PartitionRead]:
        """Return the results that the client must receive. Partitions with data are served last next time."""
        changed = []
        for result in results:
            cached = self._cached(result)
            if cached is None or not cached.update(result):
                continue
            changed.append(result)
            if len(result.records):
                self.partitions.move_to_end((result.spec.topic, result.spec.index))
        return changed

    def must_respond(self, results: Sequence[PartitionRead]) -> bool:
        """Whether a result must be sent at once. Nothing is remembered."""
        for result in results:
            cached = self._cached(result)
            if result.error is not ErrorCode.NONE or (cached is not None and cached.must_send):
                return True
        return False

    def is_behind(self, results: Sequence[PartitionRead]) -> bool:
        """Whether the client knows another high watermark than the current one."""
        for result in results:
            if (cached := self._cached(result)) is not None and cached.high_watermark != result.high_watermark:
                return True
        return False

    def _cached(self, result: PartitionRead) -> CachedPartition | None:
        return self.partitions.get((result.spec.topic, result.spec.index))


class FetchSessions:
    """All sessions of this broker. Their number is limited: a new session replaces the one unused for longest."""

    def __init__(self, sessions_max: int, rng: random.Random) -> None:
        self._sessions_max = sessions_max
        self._rng = rng
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def open(
        self, specs: Sequence[FetchSpec], now_s: float, *, uses_topic_ids: bool, is_follower: bool = False
    ) -> FetchSession | None:
        """Open a session, or return None if there is no room: the client then fetches without a session.

        A follower always gets a session: followers are few, and without a session each fetch names every partition.
        """
        if not is_follower and (len(specs) > limits.FETCH_SESSION_PARTITIONS_MAX or not self._make_room(now_s)):
            return None
        session = FetchSession(self._new_id(), uses_topic_ids, last_used_s=now_s)
        session.update(specs, ())
        self._sessions[session.id] = session
        return session

    def use(self, session_id: int, epoch: int, now_s: float, *, uses_topic_ids: bool) -> FetchSession | ErrorCode:
        """Return the session of an incremental request, and advance its epoch."""
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
        """Remove a session, if it exists."""
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
        while (candidate := self._rng.randint(1, 2**31 - 1)) in self._sessions:
            pass
        return candidate
