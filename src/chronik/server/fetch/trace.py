"""The trace of a fetch, per partition: received, compared with the watermark, read or parked, answered."""

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
from chronik.server.fetch.reading import FetchReader, FetchSpec, PartitionRead
from chronik.server.replicas.replica import Replica

_Client = tuple[str | None, int]
_Who = tuple[str, int, str | None, int]
"""Topic, partition, client id, correlation id: the fields that all events of a fetch share."""


class FetchTrace:
    """Emits the events of one fetch, for the partitions whose topics are traced.

    For a partition that the follower has completely, its fetch starts when there is something new to return.
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
        self, tracer: Tracer, catalog: Catalog, request: FetchRequest, client: _Client, reader: FetchReader
    ) -> None:
        self._tracer = tracer
        self._catalog = catalog
        self._request = request
        self._client_id, self._correlation_id = client
        self._replica = reader.replica_id if reader.is_follower else NOBODY
        self._started_ns = monotonic_ns()
        self._asked: dict[int, tuple[_Who | None, FetchSpec]] = {}
        """The specs that were read, by object identity, because topic ids are slow to hash. None: not traced."""

    def _who(self, spec: FetchSpec) -> _Who | None:
        """Return the shared fields of the events, or None if this client or topic is not traced."""
        topic = spec.topic
        if isinstance(topic, TopicId):
            found = self._catalog.image.topic_by_id(topic)
            name = str(topic) if found is None else found.name
        else:
            name = str(topic)
        if not self._tracer.follows_client(name, self._client_id):
            return None
        return name, spec.index, self._client_id, self._correlation_id

    # --- events

    def on_read(self, specs: Sequence[FetchSpec]) -> None:
        """Emit FetchStarted for the partitions that are read for the first time."""
        asked, request = self._asked, self._request
        for spec in specs:
            if id(spec) in asked:
                continue
            who = self._who(spec)
            asked[id(spec)] = (who, spec)
            if who is not None:
                # The fields are copied: a session changes its specs from one fetch to the next.
                fields = (who, self._replica, spec.offset, spec.bytes_max, request.min_bytes, request.max_wait_ms)
                self._tracer.record(_started, fields)

    def on_checked(self, spec: FetchSpec, partition: Replica, end_offset: int, bytes_max: int) -> None:
        """Emit the comparison with the watermark and, if there is data above the offset, the begin of the read."""
        who = self._asked[id(spec)][0]
        if who is None:
            return
        offset, high_watermark, log_end = spec.offset, partition.high_watermark, partition.log.log_end_offset
        if offset < end_offset:
            available = partition.bytes_between(offset, end_offset)
            fields = (who, offset, high_watermark, log_end, available, bytes_max)
            wall_ns, steady_ns = time_ns(), monotonic_ns()
            self._tracer.record_all(
                (
                    (wall_ns, steady_ns, _checked, fields),
                    (wall_ns, steady_ns, _found, fields),
                    (wall_ns, steady_ns, _begun, fields),
                )
            )
        else:
            self._tracer.record(_checked, (who, offset, high_watermark, log_end, 0, bytes_max))

    def on_parked(self, results: Sequence[PartitionRead]) -> None:
        """Emit FetchParked: there is too little data, so the fetch waits."""
        for result in results:
            who = self._asked[id(result.spec)][0]
            if who is not None:
                offset, wait_ms = result.spec.offset, self._request.max_wait_ms
                self._tracer.emit(FetchParked, *who, offset, result.high_watermark, wait_ms)

    def on_answered(self, results: Sequence[PartitionRead], response: FetchResponse) -> None:
        """Emit the outcome of each partition: the response is sent."""
        for result in results:
            who = self._asked[id(result.spec)][0]
            if who is None:
                continue
            if result.error is not ErrorCode.NONE:
                leader = _leader_in(response, result.spec)
                self._tracer.emit(RequestRefused, *who, "Fetch", result.error.name, leader, None)
            else:
                offset, size_bytes = result.spec.offset, len(result.records)
                self._tracer.record(_answered, (who, offset, result.high_watermark, size_bytes, self._started_ns))

    def on_abandoned(self) -> None:
        """Emit FetchAbandoned: the connection was closed while the fetch waited."""
        elapsed_us = (monotonic_ns() - self._started_ns) // 1_000
        for who, spec in self._asked.values():
            if who is not None:
                self._tracer.emit(FetchAbandoned, *who, spec.offset, elapsed_us)


# Events are built from the recorded fields when the trace is read.


def _started(fields: tuple[_Who, int, int, int, int, int], _steady_ns: int) -> Event:
    who, *rest = fields
    return FetchStarted(*who, *rest)


_Read = tuple[_Who, int, int, int, int, int]
"""The fields of the three events of a read: client, offset, high watermark, log end, bytes available, bytes at most."""


def _checked(fields: _Read, _steady_ns: int) -> Event:
    who, offset, high_watermark, log_end, _, _ = fields
    return WatermarkChecked(*who, offset, high_watermark, high_watermark - offset, log_end)


def _found(fields: _Read, _steady_ns: int) -> Event:
    who, offset, _, _, available, _ = fields
    return DataFound(*who, offset, available)


def _begun(fields: _Read, _steady_ns: int) -> Event:
    who, offset, _, _, _, bytes_max = fields
    return ReadBegun(*who, offset, bytes_max)


def _answered(fields: tuple[_Who, int, int, int, int], steady_ns: int) -> Event:
    who, offset, high_watermark, size_bytes, started_ns = fields
    return FetchAnswered(*who, offset, high_watermark, size_bytes, (steady_ns - started_ns) // 1_000)


def _leader_in(response: FetchResponse, spec: FetchSpec) -> int:
    for topic in response.responses:
        if spec.topic in (topic.topic, topic.topic_id):
            for data in topic.partitions:
                if data.partition_index == spec.index and data.current_leader is not None:
                    return data.current_leader.leader_id
    return NOBODY
