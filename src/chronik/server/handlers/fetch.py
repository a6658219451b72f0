"""Fetch: committed batches of several partitions, at once or when there is enough, with or without a fetch session."""

from collections.abc import Sequence

from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, BrokerEpoch, BrokerId, TopicId
from chronik.protocol.constants import (
    CONSUMER_REPLICA_ID,
    DEBUGGING_CONSUMER_ID,
    FETCH_FIRST_VERSION_BY_ID,
    FETCH_FIRST_VERSION_WITH_REPLICA_STATE,
    FINAL_FETCH_EPOCH,
    INITIAL_FETCH_EPOCH,
    NO_FETCH_SESSION,
)
from chronik.protocol.generated.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
)
from chronik.server.fetch.reading import (
    FetchReader,
    FetchSpec,
    FetchWait,
    FollowerFetchWait,
    PartitionRead,
    count_out,
    divergence_of,
    read_partitions,
)
from chronik.server.fetch.sessions import FetchSession
from chronik.server.fetch.trace import FetchTrace
from chronik.server.loop.clock import steady_ms
from chronik.server.network.pending_responses import Pending
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.leader_hints import endpoints_of, leader_of

LEADER_VERSION = 12
"""The first version whose response may name the current leader."""
ENDPOINTS_VERSION = 16
"""The first version whose response may have the leader's address."""
_LEADER_ERRORS = frozenset((ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER))


class PendingFetch(Pending):
    """One fetch: read and, if there is too little data, wait and read again."""

    __slots__ = (
        "_bytes_max",
        "_context",
        "_reader",
        "_request",
        "_services",
        "_session",
        "_specs",
        "_trace",
        "_unchanged",
        "_wait",
    )

    def __init__(
        self,
        request: FetchRequest,
        specs: Sequence[FetchSpec],
        session: FetchSession | None,
        services: Services,
        reader: FetchReader,
        context: RequestContext,
    ) -> None:
        super().__init__()
        self._request = request
        self._specs = specs
        self._session = session
        self._services = services
        self._reader = reader
        self._context = context
        wanted = min(request.max_bytes, services.settings.fetch_bytes_max)
        self._bytes_max = services.response_memory.allowance(wanted)
        self._wait: FetchWait | FollowerFetchWait | None = None
        self._unchanged: list[Replica] = []
        self._trace: FetchTrace | None = None
        if services.tracer.on:
            client = (context.client_id, context.correlation_id)
            self._trace = FetchTrace(services.tracer, services.catalog, request, client, reader)

    def answer_or_wait(self) -> FetchResponse | None:
        """Return the response, or None if the fetch now waits for more data."""
        results, size_bytes = self._read()
        if size_bytes >= self._request.min_bytes or self._request.max_wait_ms <= 0 or self._must_respond(results):
            return self._response(results)
        self._wait = self._begin_to_wait(results, size_bytes)
        if self._trace is not None:
            self._trace.on_parked(results)
        return None

    def _begin_to_wait(self, results: Sequence[PartitionRead], size_bytes: int) -> FetchWait | FollowerFetchWait:
        partitions = [result.partition for result in results if result.partition is not None]
        wait_s, loop = self._request.max_wait_ms / 1000, self._services.loop
        if self._reader.is_follower:
            is_behind = self._session is None or self._session.is_behind(results)
            wait = FollowerFetchWait([*self._unchanged, *partitions], wait_s, self._on_ready, loop, is_behind=is_behind)
            if self._session is not None:
                self._session.wake = wait.finish
            return wait
        return FetchWait(partitions, self._request.min_bytes - size_bytes, wait_s, self._on_ready, loop)

    def _on_ready(self) -> None:
        self._wait = None
        if self._session is not None:
            self._session.wake = None
        self.finish(self._response(self._read()[0]))

    def abandon(self) -> None:
        """Stop waiting: the connection is closed."""
        wait, self._wait = self._wait, None
        if self._session is not None:
            self._session.wake = None
        if wait is not None:
            wait.cancel()
            if self._trace is not None:
                self._trace.on_abandoned()

    def _read(self) -> tuple[list[PartitionRead], int]:
        specs = self._specs
        if self._session is not None and self._reader.is_follower:
            specs = self._changed_specs(self._session)
        if self._trace is not None:
            self._trace.on_read(specs)
        return read_partitions(specs, self._find, bytes_max=self._bytes_max, reader=self._reader, trace=self._trace)

    def _changed_specs(self, session: FetchSession) -> list[FetchSpec]:
        """Return the specs without the unchanged partitions, of which a follower may have thousands."""
        self._unchanged = []
        rest = []
        for cached in session.partitions.values():
            found = self._find(cached.spec)
            if isinstance(found, Replica) and cached.is_unchanged(found):
                self._unchanged.append(found)
            else:
                rest.append(cached.spec)
        return rest

    def note_follower(self) -> None:
        """Record the follower's fetch offsets, which may advance watermarks, before the partitions are read."""
        now_ms = steady_ms()
        follower, broker_epoch = BrokerId(self._reader.replica_id), BrokerEpoch(self._reader.broker_epoch)
        specs = self._specs if self._session is None else self._session.to_note(broker_epoch, now_ms)
        for spec in specs:
            found = self._find(spec)
            if isinstance(found, Replica) and divergence_of(found, spec) is None:
                assert isinstance(found.role, LeaderReplica), "followers fetch from what is led here"
                found.role.on_follower_fetched(follower, broker_epoch, spec.leader_epoch, spec.offset, now_ms)

    def _find(self, spec: FetchSpec) -> Replica | ErrorCode:
        partitions = self._services.partitions
        if isinstance(spec.topic, TopicId):
            if self._reader.replica_id == DEBUGGING_CONSUMER_ID:
                return partitions.replica_by_id(spec.topic, spec.index)
            led = partitions.led_by_id(spec.topic, spec.index)
            return led if isinstance(led, ErrorCode) else led.replica
        assert isinstance(spec.topic, str)
        if self._reader.replica_id == DEBUGGING_CONSUMER_ID:
            return partitions.replica_by_name(spec.topic, spec.index)
        led = partitions.led_by_name(spec.topic, spec.index)
        return led if isinstance(led, ErrorCode) else led.replica

    def _must_respond(self, results: Sequence[PartitionRead]) -> bool:
        if not results:
            return False
        if self._session is not None and self._session.must_respond(results):
            return True
        return any(result.error is not ErrorCode.NONE or result.diverging is not None for result in results)

    def _response(self, results: Sequence[PartitionRead]) -> FetchResponse:
        if self._session is not None and self._reader.is_follower:
            self._session.note_propagation(results)
        changed = results if self._session is None else self._session.changed(results)
        count_out(changed, self._reader)
        response = FetchResponse(
            session_id=NO_FETCH_SESSION if self._session is None else self._session.id, responses=_by_topic(changed)
        )
        if self._context.version >= LEADER_VERSION and any(result.error in _LEADER_ERRORS for result in changed):
            self._name_leaders(response)
        if self._trace is not None:
            self._trace.on_answered(results, response)
        return response

    def _name_leaders(self, response: FetchResponse) -> None:
        """Add the current leader and its address where the client used the wrong broker or leader epoch."""
        image = self._services.catalog.image
        named = set()
        for topic in response.responses:
            asked = topic.topic_id if topic.topic_id != ZERO_TOPIC_ID else topic.topic
            for data in topic.partitions:
                leader = leader_of(image, asked, data.partition_index) if data.error_code in _LEADER_ERRORS else None
                if leader is not None:
                    data.current_leader = LeaderIdAndEpoch(leader.id, leader.epoch)
                    named.add(leader.id)
        if self._context.version >= ENDPOINTS_VERSION:
            listener = self._context.listener
            response.node_endpoints = [NodeEndpoint(*where) for where in endpoints_of(image, named, listener)]


def handle(request: FetchRequest, context: RequestContext, services: Services) -> FetchResponse | Pending:
    """Respond at once if there is enough data, else wait."""
    uses_topic_ids = context.version >= FETCH_FIRST_VERSION_BY_ID
    reader = _reader(request, context.version)
    if reader.replica_id < DEBUGGING_CONSUMER_ID:
        return FetchResponse(error_code=ErrorCode.INVALID_REQUEST)
    session = _session_of(request, services, uses_topic_ids=uses_topic_ids, is_follower=reader.is_follower)
    if isinstance(session, ErrorCode):
        return FetchResponse(error_code=session)
    specs = _specs(request, uses_topic_ids=uses_topic_ids) if session is None else session.specs()
    fetch = PendingFetch(request, specs, session, services, reader, context)
    if reader.is_follower:
        fetch.note_follower()
    return fetch.answer_or_wait() or fetch


def _reader(request: FetchRequest, version: int) -> FetchReader:
    if version < FETCH_FIRST_VERSION_WITH_REPLICA_STATE:
        return FetchReader(request.replica_id)
    state = request.replica_state
    return FetchReader(CONSUMER_REPLICA_ID) if state is None else FetchReader(state.replica_id, state.replica_epoch)


def _session_of(
    request: FetchRequest, services: Services, *, uses_topic_ids: bool, is_follower: bool
) -> FetchSession | ErrorCode | None:
    now_s = services.loop.time()
    if request.session_epoch in (INITIAL_FETCH_EPOCH, FINAL_FETCH_EPOCH):
        if request.session_id != NO_FETCH_SESSION:
            services.sessions.close(request.session_id)
        if request.session_epoch == FINAL_FETCH_EPOCH:
            return None
        specs = _specs(request, uses_topic_ids=uses_topic_ids)
        return services.sessions.open(specs, now_s, uses_topic_ids=uses_topic_ids, is_follower=is_follower)
    session = services.sessions.use(request.session_id, request.session_epoch, now_s, uses_topic_ids=uses_topic_ids)
    if isinstance(session, FetchSession):
        if session.wake is not None:
            session.wake()
        forgotten = [
            (topic.topic_id if uses_topic_ids else topic.topic, index)
            for topic in request.forgotten_topics_data
            for index in topic.partitions
        ]
        session.update(_specs(request, uses_topic_ids=uses_topic_ids), forgotten)
    return session


def _specs(request: FetchRequest, *, uses_topic_ids: bool) -> list[FetchSpec]:
    return [
        FetchSpec(
            topic.topic_id if uses_topic_ids else topic.topic,
            partition.partition,
            partition.fetch_offset,
            partition.partition_max_bytes,
            partition.current_leader_epoch,
            partition.last_fetched_epoch,
        )
        for topic in request.topics
        for partition in topic.partitions
    ]


def _by_topic(results: Sequence[PartitionRead]) -> list[FetchableTopicResponse]:
    responses: list[FetchableTopicResponse] = []
    current: object = None
    for result in results:
        topic = result.spec.topic
        if not responses or topic != current:
            current = topic
            responses.append(_topic_response(topic))
        responses[-1].partitions.append(_partition_data(result))
    return responses


def _topic_response(topic: object) -> FetchableTopicResponse:
    if isinstance(topic, TopicId):
        return FetchableTopicResponse(topic_id=topic)
    assert isinstance(topic, str)
    return FetchableTopicResponse(topic=topic, topic_id=ZERO_TOPIC_ID)


def _partition_data(result: PartitionRead) -> PartitionData:
    data = PartitionData(
        partition_index=result.spec.index,
        error_code=result.error,
        high_watermark=result.high_watermark,
        last_stable_offset=result.last_stable_offset,
        log_start_offset=result.log_start_offset,
        aborted_transactions=None,
        records=result.records,
    )
    if result.diverging is not None:
        data.diverging_epoch = EpochEndOffset(*result.diverging)
    return data
