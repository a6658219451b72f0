"""The story of a fetch, partition by partition: asked, compared, read or parked, answered."""

from collections.abc import Sequence
from time import monotonic_ns, time_ns

from chronik.metadata.catalog import Catalog
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicId
from chronik.observability.trace import Tracer
from chronik.observability.trace_events import (
    NOBODY,
    DataFound,
    Event,
    FetchAbandoned,
    FetchAnswered,
    FetchParked,
    FetchStarted,
    ReadBegun,
    RequestRefused,
    WatermarkChecked,
)
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.server.fetch.reading import FetchSpec, PartitionRead, Reader
from chronik.server.replicas.replica import Replica

_Who = tuple[str, int, str | None, int]
"""Topic, partition, client id, correlation id."""


class FetchTrace:
    """Tells of those partitions of one fetch whose topics are followed.

    A follower's fetch begins, for a partition of which it has everything, when there is something to tell it.
    """

    __slots__ = (
        "_asked",
        "_catalog",
        "_client_id",
        "_correlation_id",
        "_replica",
        "_request",
        "_started_ns",
        "_tracer",
    )

    def __init__(
        self, tracer: Tracer, catalog: Catalog, request: FetchRequest, client: tuple[str | None, int], reader: Reader
    ) -> None:
        self._tracer = tracer
        self._catalog = catalog
        self._request = request
        self._client_id, self._correlation_id = client
        self._replica = reader.replica_id if reader.is_follower else NOBODY
        self._started_ns = monotonic_ns()
        self._asked: dict[int, tuple[_Who | None, FetchSpec]] = {}
        """What has been asked for, by the identity of the ask: its ids are dear to hash. None: it is not followed."""

    def _who(self, spec: FetchSpec) -> _Who | None:
        """Whose it is, if this client's requests for the topic are followed."""
        topic = spec.topic
        if isinstance(topic, TopicId):
            found = self._catalog.image.topic_by_id(topic)
            name = str(topic) if found is None else found.name
        else:
            name = str(topic)
        if not self._tracer.follows_client(name, self._client_id):
            return None
        return name, spec.index, self._client_id, self._correlation_id

    # --- what happens

    def on_read(self, specs: Sequence[FetchSpec]) -> None:
        """Partitions are about to be read; what was not among them before is begun."""
        asked, request = self._asked, self._request
        for spec in specs:
            if id(spec) in asked:
                continue
            who = self._who(spec)
            asked[id(spec)] = (who, spec)
            if who is not None:
                # A session changes its specs from one fetch to the next, so the spec itself will not do.
                told = (who, self._replica, spec.offset, spec.bytes_max, request.min_bytes, request.max_wait_ms)
                self._tracer.record(_started, told)

    def on_checked(self, spec: FetchSpec, partition: Replica, end_offset: int, bytes_max: int) -> None:
        """The offset was compared with what this reader may see, which is read now where it is above."""
        who = self._asked[id(spec)][0]
        if who is None:
            return
        offset, high_watermark, log_end = spec.offset, partition.high_watermark, partition.log.log_end_offset
        if offset < end_offset:
            available = partition.bytes_between(offset, end_offset)
            told = (who, offset, high_watermark, log_end, available, bytes_max)
            wall_ns, steady_ns = time_ns(), monotonic_ns()
            self._tracer.record_all(
                (
                    (wall_ns, steady_ns, _checked, told),
                    (wall_ns, steady_ns, _found, told),
                    (wall_ns, steady_ns, _begun, told),
                )
            )
        else:
            self._tracer.record(_checked, (who, offset, high_watermark, log_end, 0, bytes_max))

    def on_parked(self, results: Sequence[PartitionRead]) -> None:
        """There is too little: the fetch waits."""
        for result in results:
            who = self._asked[id(result.spec)][0]
            if who is not None:
                offset, wait_ms = result.spec.offset, self._request.max_wait_ms
                self._tracer.emit(FetchParked, *who, offset, result.high_watermark, wait_ms)

    def on_answered(self, results: Sequence[PartitionRead], response: FetchResponse) -> None:
        """The answer leaves."""
        for result in results:
            who = self._asked[id(result.spec)][0]
            if who is None:
                continue
            if result.error is not ErrorCode.NONE:
                leader = _leader_told(response, result.spec)
                self._tracer.emit(RequestRefused, *who, "Fetch", result.error.name, leader, None)
            else:
                offset, size_bytes = result.spec.offset, len(result.records)
                self._tracer.record(_answered, (who, offset, result.high_watermark, size_bytes, self._started_ns))

    def on_abandoned(self) -> None:
        """Nobody waits for the answer any more."""
        elapsed_us = (monotonic_ns() - self._started_ns) // 1_000
        for who, spec in self._asked.values():
            if who is not None:
                self._tracer.emit(FetchAbandoned, *who, spec.offset, elapsed_us)


# How events are made of what was told, when somebody reads them.


def _started(told: tuple[_Who, int, int, int, int, int], _steady_ns: int) -> Event:
    who, *fields = told
    return FetchStarted(*who, *fields)


_Read = tuple[_Who, int, int, int, int, int]
"""What the three events of a read share: whose, offset, high watermark, log end, bytes available, bytes at most."""


def _checked(told: _Read, _steady_ns: int) -> Event:
    who, offset, high_watermark, log_end, _, _ = told
    return WatermarkChecked(*who, offset, high_watermark, high_watermark - offset, log_end)


def _found(told: _Read, _steady_ns: int) -> Event:
    who, offset, _, _, available, _ = told
    return DataFound(*who, offset, available)


def _begun(told: _Read, _steady_ns: int) -> Event:
    who, offset, _, _, _, bytes_max = told
    return ReadBegun(*who, offset, bytes_max)


def _answered(told: tuple[_Who, int, int, int, int], steady_ns: int) -> Event:
    who, offset, high_watermark, size_bytes, started_ns = told
    return FetchAnswered(*who, offset, high_watermark, size_bytes, (steady_ns - started_ns) // 1_000)


def _leader_told(response: FetchResponse, spec: FetchSpec) -> int:
    for topic in response.responses:
        if spec.topic in (topic.topic, topic.topic_id):
            for data in topic.partitions:
                if data.partition_index == spec.index and data.current_leader is not None:
                    return data.current_leader.leader_id
    return NOBODY
