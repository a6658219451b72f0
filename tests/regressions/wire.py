"""A connection that speaks frames, for what no client library can be made to do."""

import socket
import time
from struct import Struct
from types import TracebackType
from typing import Any, Final
from uuid import UUID

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP
from chronik.protocol.frames import decode_response_header, encode_request
from chronik.protocol.generated.create_topics import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from chronik.protocol.generated.delete_records import DeleteRecordsPartition, DeleteRecordsRequest, DeleteRecordsTopic
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchTopic, PartitionData
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.init_producer_id import InitProducerIdRequest
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    TopicProduceData,
)
from chronik.protocol.wire import Message
from chronik.records.batch import walk
from chronik.records.build import Record, build_batch
from chronik.records.iterate import StoredRecord, records_of

PRODUCE_VERSION: Final = 9
FETCH_VERSION: Final = 12
LIST_OFFSETS_VERSION: Final = 7
_SIZE: Final = Struct(">i")
_MEBIBYTE: Final = 1024 * 1024


class Wire:
    """One connection to a broker; every wait has a bound."""

    def __init__(self, bootstrap: str, seconds_max: float = 60.0) -> None:
        host, _, port = bootstrap.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=seconds_max)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._asked: dict[int, tuple[int, int]] = {}
        self._next_id = 1

    def __enter__(self) -> "Wire":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.close()

    def encode(self, key: ApiKey, version: int, request: Message) -> tuple[int, bytes]:
        """Give a frame its correlation id, and remember what was asked."""
        correlation_id, self._next_id = self._next_id, self._next_id + 1
        self._asked[correlation_id] = (key, version)
        return correlation_id, b"".join(encode_request(SERVED[key], version, correlation_id, "wire", request))

    def send(self, key: ApiKey, version: int, request: Message) -> int:
        """Send a request and give its correlation id."""
        correlation_id, frame = self.encode(key, version, request)
        self._socket.sendall(frame)
        return correlation_id

    def send_bytes(self, raw: bytes) -> None:
        """Send bytes as they are."""
        self._socket.sendall(raw)

    def receive_frame(self) -> bytes:
        """Give the next frame without its size; raises EOFError where the broker closes instead."""
        return self._read(_SIZE.unpack(self._read(4))[0])

    def receive(self) -> tuple[int, Any]:
        """Give the next answer, decoded in full, with its correlation id."""
        frame = memoryview(self.receive_frame())
        key, version = self._asked.pop(_SIZE.unpack_from(frame)[0])
        api = SERVED[key]
        correlation_id, position = decode_response_header(api, version, frame)
        return correlation_id, api.response.decode(frame[position:], version)

    def call(self, key: ApiKey, version: int, request: Message) -> Any:
        """Ask and give the answer."""
        correlation_id = self.send(key, version, request)
        answered, response = self.receive()
        assert answered == correlation_id
        return response

    def is_closed_by_broker(self) -> bool:
        """Whether the broker closes without another byte."""
        try:
            return self._socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def end_sending(self) -> None:
        """Say that nothing more comes, and go on listening."""
        self._socket.shutdown(socket.SHUT_WR)

    def drain(self) -> int:
        """Take bytes until the broker closes, and give how many they were."""
        total = 0
        try:
            while chunk := self._socket.recv(_MEBIBYTE):
                total += len(chunk)
        except ConnectionResetError:
            pass
        return total

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            chunk = self._socket.recv(min(size - len(parts), _MEBIBYTE))
            if not chunk:
                raise EOFError("the broker closed the connection")
            parts += chunk
        return bytes(parts)

    # --- the requests that most tests need

    def create_topic(self, name: str, partitions: int = 1, **configs: object) -> UUID:
        """Create a topic (``max_message_bytes=...`` sets ``max.message.bytes``) and give its id."""
        settings = [CreatableTopicConfig(key.replace("_", "."), str(value)) for key, value in configs.items()]
        topic = CreatableTopic(name, partitions, 1, [], settings)
        result = self.call(ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest([topic], 30_000)).topics[0]
        assert result.error_code == ErrorCode.NONE, (result.error_code, result.error_message)
        topic_id: UUID = result.topic_id
        return topic_id

    def produce(self, topic: str, batch: bytes, *, partition: int = 0, acks: int = -1) -> PartitionProduceResponse:
        """Produce one batch and give the partition's answer."""
        response = self.call(ApiKey.PRODUCE, PRODUCE_VERSION, produce_request(topic, batch, partition, acks))
        answer: PartitionProduceResponse = response.responses[0].partition_responses[0]
        return answer

    def append(self, topic: str, *values: bytes, partition: int = 0, acks: int = -1) -> int:
        """Produce values as one batch, which must be taken, and give its base offset."""
        answer = self.produce(topic, batch_of(*values), partition=partition, acks=acks)
        assert answer.error_code == ErrorCode.NONE, answer
        assert answer.base_offset >= 0, answer
        return answer.base_offset

    def fetch(self, topic: str, offset: int, **options: int) -> PartitionData:
        """Fetch from one partition at once."""
        response = self.call(ApiKey.FETCH, FETCH_VERSION, fetch_request(topic, offset, **options))
        assert response.error_code == ErrorCode.NONE
        data: PartitionData = response.responses[0].partitions[0]
        return data

    def read_all(self, topic: str, *, partition: int = 0, offset: int = 0) -> list[StoredRecord]:
        """Fetch from an offset to the high watermark."""
        found: list[StoredRecord] = []
        while True:
            data = self.fetch(topic, offset, partition=partition)
            assert data.error_code == ErrorCode.NONE, data
            if offset >= data.high_watermark:
                return found
            records = [record for record in stored_records(data.records) if record.offset >= offset]
            assert records, f"nothing at {offset}, below the high watermark {data.high_watermark}"
            found += records
            offset = records[-1].offset + 1

    def list_offset(self, topic: str, timestamp: int, *, partition: int = 0) -> ListOffsetsPartitionResponse:
        """Look up an offset by time, or one of the ends."""
        request = ListOffsetsRequest(-1, 0, [ListOffsetsTopic(topic, [ListOffsetsPartition(partition, -1, timestamp)])])
        response = self.call(ApiKey.LIST_OFFSETS, LIST_OFFSETS_VERSION, request)
        found: ListOffsetsPartitionResponse = response.topics[0].partitions[0]
        assert found.error_code == ErrorCode.NONE, found
        return found

    def end_offset(self, topic: str, *, partition: int = 0) -> int:
        return self.list_offset(topic, LATEST_TIMESTAMP, partition=partition).offset

    def start_offset(self, topic: str, *, partition: int = 0) -> int:
        return self.list_offset(topic, EARLIEST_TIMESTAMP, partition=partition).offset

    def delete_records(self, topic: str, offset: int, *, partition: int = 0) -> Any:
        """Raise the log start and give the partition's answer."""
        asked = DeleteRecordsTopic(topic, [DeleteRecordsPartition(partition, offset)])
        response = self.call(ApiKey.DELETE_RECORDS, 2, DeleteRecordsRequest([asked], 10_000))
        return response.topics[0].partitions[0]

    def delete_topic(self, name: str) -> None:
        """Delete a topic, which must be there."""
        response = self.call(ApiKey.DELETE_TOPICS, 5, DeleteTopicsRequest(topic_names=[name], timeout_ms=30_000))
        assert response.responses[0].error_code == ErrorCode.NONE, response.responses[0]

    def coordinator_of(self, group: str) -> int:
        """Ask which broker coordinates a group; -1 where none does now."""
        found = self.call(ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest(coordinator_keys=[group])).coordinators[0]
        node: int = found.node_id if found.error_code == ErrorCode.NONE else -1
        return node

    def new_producer_id(self) -> int:
        response = self.call(ApiKey.INIT_PRODUCER_ID, 4, InitProducerIdRequest(None, 60_000))
        assert response.error_code == ErrorCode.NONE
        producer_id: int = response.producer_id
        return producer_id


def batch_of(*values: bytes, base_sequence: int = -1, producer_id: int = -1) -> bytes:
    """A batch of values without keys; with a producer id it is an idempotent producer's, of epoch 0."""
    now_ms = time.time_ns() // 1_000_000
    records = [Record(None, value, timestamp=now_ms) for value in values]
    epoch = 0 if producer_id >= 0 else -1
    return build_batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=base_sequence)


def produce_request(topic: str, batch: bytes, partition: int = 0, acks: int = -1) -> ProduceRequest:
    data = TopicProduceData(name=topic, partition_data=[PartitionProduceData(partition, batch)])
    return ProduceRequest(None, acks, 10_000, [data])


def fetch_request(
    topic: str,
    offset: int,
    *,
    partition: int = 0,
    max_wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = 50 * _MEBIBYTE,
    partition_max_bytes: int = _MEBIBYTE,
    replica_id: int = -1,
) -> FetchRequest:
    """A fetch of one partition by name, without a session."""
    asked = FetchPartition(partition, -1, offset, partition_max_bytes=partition_max_bytes)
    return FetchRequest(
        replica_id=replica_id,
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, partitions=[asked])],
    )


def stored_records(records: Any) -> list[StoredRecord]:
    """Every record of the batches that a fetch gave; part of a batch at the end is an error."""
    view = memoryview(records if records is not None else b"")
    found: list[StoredRecord] = []
    end = 0
    for position, header in walk(view):
        end = position + header.size_bytes
        found += records_of(view[position:end])
    assert end == len(view), "a fetch gives whole batches"
    return found


def values_of(records: list[StoredRecord]) -> list[bytes | None]:
    return [record.value for record in records]
