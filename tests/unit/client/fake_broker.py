"""A broker in the test's own event loop that does what the test tells it: answers, errors, silence, nonsense."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, Self
from uuid import UUID

from chronik.model.errors import ErrorCode
from chronik.protocol import apis, frames
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsResponse
from chronik.protocol.generated.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from chronik.protocol.generated.init_producer_id import InitProducerIdResponse
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from chronik.protocol.generated.metadata import (
    MetadataResponse,
    MetadataResponseBroker,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from chronik.protocol.generated.produce import PartitionProduceResponse, ProduceResponse, TopicProduceResponse
from chronik.records.batch import BatchHeader, read_header, stamp

SILENCE = object()
HANG_UP = object()

TOPIC = "events"
TOPIC_ID = UUID(int=7)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for a condition, within a bound."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110 - conditions are about the broker's state, which has no events
            await asyncio.sleep(0.001)


class FakeBroker:
    """One broker with one topic. ``errors`` are given, in turn, to the next produced batches (NONE: append)."""

    def __init__(self, node_id: int = 1, partitions: int = 1) -> None:
        self.node_id = node_id
        self.port = 0
        self.partitions = partitions
        self.cluster: list[FakeBroker] = [self]
        self.leader_of: dict[int, int] = dict.fromkeys(range(partitions), node_id)
        self.logs: dict[int, list[bytes]] = {index: [] for index in range(partitions)}
        self.ends: dict[int, int] = dict.fromkeys(range(partitions), 0)
        self.log_starts: dict[int, int] = dict.fromkeys(range(partitions), 0)
        self.appended: list[BatchHeader] = []
        self.asked: list[tuple[apis.ApiKey, int]] = []
        self.errors: deque[ErrorCode | object] = deque()
        self.versions = {key: (api.version_min, api.version_max) for key, api in apis.SERVED.items()}
        self.overrides: dict[apis.ApiKey, Callable[[Any, int], Any]] = {}
        self.produce_gate = asyncio.Event()
        self.produce_gate.set()
        self.in_flight = 0
        self.in_flight_most = 0
        self._sequences: dict[tuple[int, int, int], int] = {}
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def bootstrap(self) -> str:
        return f"127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.hang_up()

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        answers: asyncio.Queue[asyncio.Task[Any]] = asyncio.Queue()
        sender = asyncio.create_task(self._send_in_order(answers, writer))
        try:
            while True:
                size = int.from_bytes(await reader.readexactly(4), "big")
                frame = memoryview(await reader.readexactly(size))
                answers.put_nowait(asyncio.create_task(self._answer(frame)))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            sender.cancel()
            self._writers.discard(writer)
            writer.close()

    async def _send_in_order(self, answers: "asyncio.Queue[asyncio.Task[Any]]", writer: asyncio.StreamWriter) -> None:
        while True:
            answer = await (await answers.get())
            if answer is HANG_UP:
                writer.transport.abort()
            elif isinstance(answer, bytes):
                writer.write(answer)

    async def _answer(self, frame: memoryview) -> Any:
        header = frames.decode_request_header(frame)
        key = apis.ApiKey(header.api_key)
        api = apis.SERVED[key]
        self.asked.append((key, header.version))
        version = header.version
        lowest, highest = self.versions[key]
        if key is apis.ApiKey.API_VERSIONS and not lowest <= version <= highest:
            answer: Any = apis.unsupported_api_versions_response()
            answer.api_keys = [ApiVersion(api_key=key, min_version=lowest, max_version=highest)]
            version = 0
        else:
            request = api.request.decode(frame[header.body_position :], version)
            answer = await self._handle(key, request, version)
        if answer is SILENCE or answer is HANG_UP or isinstance(answer, bytes):
            return answer
        return b"".join(frames.encode_response(api, version, header.correlation_id, answer))

    async def _handle(self, key: apis.ApiKey, request: Any, version: int) -> Any:
        if key in self.overrides:
            return self.overrides[key](request, version)
        match key:
            case apis.ApiKey.API_VERSIONS:
                return ApiVersionsResponse(
                    api_keys=[
                        ApiVersion(api_key=k, min_version=low, max_version=high)
                        for k, (low, high) in self.versions.items()
                    ]
                )
            case apis.ApiKey.METADATA:
                return self._metadata(request)
            case apis.ApiKey.PRODUCE:
                return await self._produce(request)
            case apis.ApiKey.FETCH:
                return self._fetch(request)
            case apis.ApiKey.LIST_OFFSETS:
                return self._list_offsets(request)
            case apis.ApiKey.INIT_PRODUCER_ID:
                return InitProducerIdResponse(producer_id=4000, producer_epoch=0)
        raise AssertionError(key)

    def _metadata(self, request: Any) -> MetadataResponse:
        names = [TOPIC] if request.topics is None else [topic.name for topic in request.topics]
        return MetadataResponse(
            brokers=[MetadataResponseBroker(node_id=b.node_id, host="127.0.0.1", port=b.port) for b in self.cluster],
            controller_id=self.node_id,
            cluster_id="fake",
            topics=[self._topic(name) for name in names],
        )

    def _topic(self, name: str) -> MetadataResponseTopic:
        if name != TOPIC:
            return MetadataResponseTopic(name=name, error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        partitions = [
            MetadataResponsePartition(partition_index=index, leader_id=leader, replica_nodes=[1], isr_nodes=[1])
            for index, leader in self.leader_of.items()
        ]
        return MetadataResponseTopic(name=name, topic_id=TOPIC_ID, partitions=partitions)

    async def _produce(self, request: Any) -> Any:
        self.in_flight += 1
        self.in_flight_most = max(self.in_flight_most, self.in_flight)
        partition = request.topic_data[0].partition_data[0]
        # The broker takes requests in the order of their arrival; only the answers wait.
        answer = self._append(partition.index, bytearray(partition.records))
        await self.produce_gate.wait()
        self.in_flight -= 1
        if request.acks == 0:
            return SILENCE
        if answer is SILENCE or answer is HANG_UP:
            return answer
        topic = TopicProduceResponse(name=TOPIC, topic_id=TOPIC_ID, partition_responses=[answer])
        return ProduceResponse(responses=[topic])

    def _append(self, index: int, batch: bytearray) -> Any:
        outcome = self.errors.popleft() if self.errors else ErrorCode.NONE
        if self.leader_of[index] != self.node_id:
            outcome = ErrorCode.NOT_LEADER_OR_FOLLOWER
        if outcome is HANG_UP or outcome is SILENCE:
            return outcome
        header = read_header(batch)
        outcome = outcome or self._judge_sequence(index, header)
        if outcome:
            return PartitionProduceResponse(index=index, error_code=int(outcome), base_offset=-1)
        base_offset = self.ends[index]
        stamp(batch, 0, base_offset, 0)
        self.logs[index].append(bytes(batch))
        self.ends[index] += header.record_count
        self.appended.append(read_header(batch))
        return PartitionProduceResponse(index=index, base_offset=base_offset)

    def _judge_sequence(self, index: int, header: BatchHeader) -> ErrorCode:
        if header.producer_id < 0:
            return ErrorCode.NONE
        key = (index, header.producer_id, header.producer_epoch)
        expected = self._sequences.get(key, 0)
        if header.base_sequence < expected:
            return ErrorCode.DUPLICATE_SEQUENCE_NUMBER
        if header.base_sequence != expected:
            return ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        self._sequences[key] = header.base_sequence + header.record_count
        return ErrorCode.NONE

    def _fetch(self, request: Any) -> FetchResponse:
        answers = [self._fetched(partition) for topic in request.topics for partition in topic.partitions]
        return FetchResponse(responses=[FetchableTopicResponse(topic=TOPIC, topic_id=TOPIC_ID, partitions=answers)])

    def _fetched(self, wanted: Any) -> PartitionData:
        index, end = wanted.partition, self.ends[wanted.partition]
        if self.leader_of[index] != self.node_id:
            return PartitionData(partition_index=index, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
        if not self.log_starts[index] <= wanted.fetch_offset <= end:
            return PartitionData(
                partition_index=index,
                error_code=ErrorCode.OFFSET_OUT_OF_RANGE,
                high_watermark=end,
                log_start_offset=self.log_starts[index],
            )
        batches = [batch for batch in self.logs[index] if read_header(batch).last_offset >= wanted.fetch_offset]
        return PartitionData(partition_index=index, high_watermark=end, records=b"".join(batches[:2]))

    def _list_offsets(self, request: Any) -> ListOffsetsResponse:
        topics = [
            ListOffsetsTopicResponse(name=topic.name, partitions=[self._offset(p) for p in topic.partitions])
            for topic in request.topics
        ]
        return ListOffsetsResponse(topics=topics)

    def _offset(self, wanted: Any) -> ListOffsetsPartitionResponse:
        index = wanted.partition_index
        offset = self.ends[index] if wanted.timestamp == -1 else self.log_starts[index]
        error = ErrorCode.NONE if self.leader_of[index] == self.node_id else ErrorCode.NOT_LEADER_OR_FOLLOWER
        return ListOffsetsPartitionResponse(partition_index=index, offset=offset, error_code=error)
