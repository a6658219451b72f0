"""Fetch: committed batches from several partitions, at once or when there is enough, with or without a session."""

from collections.abc import Sequence

from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicId
from chronik.protocol.generated.fetch import (
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    PartitionData,
)
from chronik.server.context import RequestContext, Services
from chronik.server.fetch_sessions import FINAL_EPOCH, INITIAL_EPOCH, NO_SESSION, FetchSession
from chronik.server.fetching import CONSUMER, DEBUGGING_REPLICA, Fetched, FetchSpec, FetchWait, read_partitions
from chronik.server.partition import Partition
from chronik.server.pending import Pending

TOPIC_ID_VERSION = 13
REPLICA_STATE_VERSION = 15


class PendingFetch(Pending):
    """One fetch: read, and where there is too little, wait and read again."""

    __slots__ = ("_bytes_max", "_replica_id", "_request", "_services", "_session", "_specs", "_uses_topic_ids", "_wait")

    def __init__(
        self,
        request: FetchRequest,
        specs: Sequence[FetchSpec],
        session: FetchSession | None,
        services: Services,
        *,
        replica_id: int,
        uses_topic_ids: bool,
    ) -> None:
        super().__init__()
        self._request = request
        self._specs = specs
        self._session = session
        self._services = services
        self._replica_id = replica_id
        self._uses_topic_ids = uses_topic_ids
        wanted = min(request.max_bytes, services.settings.fetch_bytes_max)
        self._bytes_max = services.response_memory.allowance(wanted)
        self._wait: FetchWait | None = None

    def answer_or_wait(self) -> FetchResponse | None:
        """Give the answer, or None where the fetch now waits for more."""
        results, size_bytes = self._read()
        if size_bytes >= self._request.min_bytes or self._request.max_wait_ms <= 0 or self._must_tell(results):
            return self._response(results)
        partitions = [result.partition for result in results if result.partition is not None]
        self._wait = FetchWait(
            partitions,
            self._request.min_bytes - size_bytes,
            self._request.max_wait_ms / 1000,
            self._on_ready,
            self._services.loop,
        )
        return None

    def _on_ready(self) -> None:
        self._wait = None
        self.finish(self._response(self._read()[0]))

    def abandon(self) -> None:
        """Leave the partitions that the fetch waits for."""
        wait, self._wait = self._wait, None
        if wait is not None:
            wait.cancel()

    def _read(self) -> tuple[list[Fetched], int]:
        return read_partitions(self._specs, self._find, bytes_max=self._bytes_max, replica_id=self._replica_id)

    def _find(self, spec: FetchSpec) -> Partition | ErrorCode:
        partitions = self._services.partitions
        if isinstance(spec.topic, TopicId):
            return partitions.led_by_id(spec.topic, spec.index)
        assert isinstance(spec.topic, str)
        return partitions.led_by_name(spec.topic, spec.index)

    def _must_tell(self, results: Sequence[Fetched]) -> bool:
        if not results:
            return False
        if self._session is not None and self._session.has_news(results):
            return True
        return any(result.error is not ErrorCode.NONE for result in results)

    def _response(self, results: Sequence[Fetched]) -> FetchResponse:
        told = results if self._session is None else self._session.news(results)
        return FetchResponse(
            session_id=NO_SESSION if self._session is None else self._session.id, responses=_by_topic(told)
        )


def handle(request: FetchRequest, context: RequestContext, services: Services) -> FetchResponse | Pending:
    """Answer at once where there is enough to send, else wait."""
    uses_topic_ids = context.version >= TOPIC_ID_VERSION
    session = _session_of(request, services, uses_topic_ids=uses_topic_ids)
    if isinstance(session, ErrorCode):
        return FetchResponse(error_code=session)
    specs = _specs(request, uses_topic_ids=uses_topic_ids) if session is None else session.specs()
    replica_id = _replica_id(request, context.version)
    if replica_id not in (CONSUMER, DEBUGGING_REPLICA):
        refused = [Fetched(spec, ErrorCode.NOT_LEADER_OR_FOLLOWER) for spec in specs]
        return FetchResponse(responses=_by_topic(refused))
    fetch = PendingFetch(request, specs, session, services, replica_id=replica_id, uses_topic_ids=uses_topic_ids)
    return fetch.answer_or_wait() or fetch


def _replica_id(request: FetchRequest, version: int) -> int:
    if version >= REPLICA_STATE_VERSION:
        return request.replica_state.replica_id if request.replica_state is not None else CONSUMER
    return request.replica_id


def _session_of(request: FetchRequest, services: Services, *, uses_topic_ids: bool) -> FetchSession | ErrorCode | None:
    now_s = services.loop.time()
    if request.session_epoch in (INITIAL_EPOCH, FINAL_EPOCH):
        if request.session_id != NO_SESSION:
            services.sessions.close(request.session_id)
        if request.session_epoch == FINAL_EPOCH:
            return None
        specs = _specs(request, uses_topic_ids=uses_topic_ids)
        return services.sessions.open(specs, now_s, uses_topic_ids=uses_topic_ids)
    session = services.sessions.use(request.session_id, request.session_epoch, now_s, uses_topic_ids=uses_topic_ids)
    if isinstance(session, FetchSession):
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


def _by_topic(results: Sequence[Fetched]) -> list[FetchableTopicResponse]:
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


def _partition_data(result: Fetched) -> PartitionData:
    data = PartitionData(
        partition_index=result.spec.index,
        error_code=result.error,
        high_watermark=result.high_watermark,
        last_stable_offset=result.last_stable_offset,
        log_start_offset=result.log_start_offset,
        aborted_transactions=None,
        records=result.records,
    )
    if result.error in (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER) and result.partition:
        data.current_leader = LeaderIdAndEpoch(result.partition.leader.broker, result.partition.leader_epoch)
    return data
