"""The story of a fetch, partition by partition: asked, compared, read or parked, answered."""

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from chronik.metadata.catalog import Catalog
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import (
    NOBODY,
    DataFound,
    FetchAbandoned,
    FetchAnswered,
    FetchParked,
    FetchStarted,
    ReadBegun,
    RequestRefused,
    WatermarkChecked,
)
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.server.fetching import Fetched, FetchSpec, Reader
from chronik.server.replica import Replica

if TYPE_CHECKING:
    from chronik.server.context import RequestContext, Services

_Key = tuple[object, int]


class FetchTrace:
    """Tells of those partitions of one fetch whose topics are followed.

    A follower's fetch begins, for a partition of which it has everything, when there is something to tell it.
    """

    __slots__ = ("_asked", "_catalog", "_client", "_replica", "_request", "_started_ns", "_tracer")

    def __init__(
        self, tracer: Tracer, catalog: Catalog, request: FetchRequest, client: tuple[str | None, int], replica: int
    ) -> None:
        self._tracer = tracer
        self._catalog = catalog
        self._request = request
        self._client = client
        self._replica = replica
        self._started_ns = time.monotonic_ns()
        self._asked: dict[_Key, tuple[str, FetchSpec] | None] = {}
        """What has been asked for, by its topic's name; None where it is not followed."""

    @classmethod
    def of(cls, services: "Services", request: FetchRequest, context: "RequestContext", reader: Reader) -> "FetchTrace":
        """Begin the story of a request."""
        client = (context.client_id, context.correlation_id)
        replica = reader.replica_id if reader.is_follower else NOBODY
        return cls(services.tracer, services.catalog, request, client, replica)

    def _who(self, topic: str, index: int) -> tuple[str, int, str | None, int]:
        return topic, index, *self._client

    def _name_of(self, topic: object) -> str | None:
        """The topic's name, if this client's requests for it are followed."""
        if isinstance(topic, TopicId):
            found = self._catalog.image.topic_by_id(topic)
            name = str(topic) if found is None else found.name
        else:
            name = str(topic)
        return name if self._tracer.follows_client(name, self._client[0]) else None

    # --- what happens

    def on_read(self, specs: Sequence[FetchSpec]) -> None:
        """Partitions are about to be read; what was not among them before is begun."""
        request = self._request
        for spec in specs:
            key = (spec.topic, spec.index)
            if key in self._asked:
                continue
            name = self._name_of(spec.topic)
            self._asked[key] = None if name is None else (name, spec)
            if name is not None:
                asked = (spec.offset, spec.bytes_max, request.min_bytes, request.max_wait_ms)
                self._tracer.emit(FetchStarted(*self._who(name, spec.index), self._replica, *asked))

    def on_checked(self, spec: FetchSpec, partition: Replica, end_offset: int, bytes_max: int) -> None:
        """The offset was compared with what this reader may see, which is read now where it is above."""
        known = self._asked.get((spec.topic, spec.index))
        if known is None:
            return
        who, offset, high_watermark = self._who(known[0], spec.index), spec.offset, partition.high_watermark
        gap = high_watermark - offset
        self._tracer.emit(WatermarkChecked(*who, offset, high_watermark, gap, partition.log_end_offset))
        if offset < end_offset:
            self._tracer.emit(DataFound(*who, offset, partition.bytes_between(offset, end_offset)))
            self._tracer.emit(ReadBegun(*who, offset, bytes_max))

    def on_parked(self, results: Sequence[Fetched]) -> None:
        """There is too little: the fetch waits."""
        for result in results:
            spec = result.spec
            known = self._asked.get((spec.topic, spec.index))
            if known is not None:
                who, wait_ms = self._who(known[0], spec.index), self._request.max_wait_ms
                self._tracer.emit(FetchParked(*who, spec.offset, result.high_watermark, wait_ms))

    def on_answered(self, results: Sequence[Fetched], response: FetchResponse) -> None:
        """The answer leaves."""
        leaders = _leaders_told(response) if any(result.error is not ErrorCode.NONE for result in results) else {}
        elapsed_us = self._elapsed_us()
        for result in results:
            spec = result.spec
            known = self._asked.get((spec.topic, spec.index))
            if known is None:
                continue
            who = self._who(known[0], spec.index)
            if result.error is not ErrorCode.NONE:
                leader = leaders.get((spec.topic, spec.index), NOBODY)
                self._tracer.emit(RequestRefused(*who, "Fetch", result.error.name, leader, None))
            else:
                size_bytes = len(result.records)
                told = (spec.offset, result.high_watermark, size_bytes, elapsed_us)
                self._tracer.emit(FetchAnswered(*who, *told))

    def on_abandoned(self) -> None:
        """Nobody waits for the answer any more."""
        elapsed_us = self._elapsed_us()
        for known in self._asked.values():
            if known is not None:
                name, spec = known
                self._tracer.emit(FetchAbandoned(*self._who(name, spec.index), spec.offset, elapsed_us))

    def _elapsed_us(self) -> int:
        return (time.monotonic_ns() - self._started_ns) // 1_000


def _leaders_told(response: FetchResponse) -> dict[_Key, int]:
    return {
        (asked, data.partition_index): data.current_leader.leader_id
        for topic in response.responses
        for data in topic.partitions
        if data.current_leader is not None
        for asked in (topic.topic, topic.topic_id)
    }
