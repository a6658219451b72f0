"""A partition's leader without a socket: answers fetches from batches in memory, and fails as the test says."""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from typing import Any
from uuid import UUID

from chronik.client.errors import ClientError
from chronik.model.errors import ErrorCode
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.constants import EARLIEST_TIMESTAMP
from chronik.protocol.generated.fetch import (
    AbortedTransaction,
    FetchableTopicResponse,
    FetchRequest,
    FetchResponse,
    PartitionData,
)
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from chronik.records.batch import read_header, walk
from chronik.records.build import Record, build_batch
from chronik.spark.wire.leaders import LeaderConnection

Trouble = Callable[[int], ErrorCode | ClientError | None]
"""What goes wrong at the n-th fetch, counted from 0."""


def no_trouble(number: int) -> None:
    """Let every fetch succeed."""


class FakeLog:
    """Batches of one partition; answers may end within a batch, as Kafka's do."""

    def __init__(
        self, batches: list[bytes], *, log_start: int = 0, aborted: Sequence[tuple[int, int, int]] = ()
    ) -> None:
        self.batches = batches
        self.bases = [read_header(batch).base_offset for batch in batches]
        self._lasts = [read_header(batch).last_offset for batch in batches]
        self.end_offset = read_header(batches[-1]).next_offset if batches else 0
        self.log_start = log_start
        self._aborted = aborted

    def aborted_between(self, start: int, data: bytes | memoryview) -> list[AbortedTransaction]:
        """Give the aborted transactions (first offset, marker's offset, producer) that are part of an answer."""
        end = start
        for _, header in walk(data):
            end = header.next_offset
        return [
            AbortedTransaction(producer_id=producer_id, first_offset=first)
            for first, last, producer_id in self._aborted
            if last >= start and first < end
        ]

    def read(self, offset: int, bytes_max: int) -> bytes:
        first = bisect_left(self._lasts, offset)
        data = b"".join(self.batches[first : first + 1])
        for batch in self.batches[first + 1 :]:
            if len(data) >= bytes_max:
                break
            data += batch
        return data[: max(bytes_max, len(self.batches[first]) if self.batches else 0)]


def fake_log(chance: Random, batch_count: int) -> FakeLog:
    """Batches of all sizes, with holes between some of them."""
    batches, offset = [], 0
    for _ in range(batch_count):
        size = chance.choice([10, 10, 500, 5_000])
        records = [Record(None, chance.randbytes(size)) for _ in range(chance.choice([1, 5, 60]))]
        batches.append(build_batch(records, base_offset=offset))
        offset += len(records) + chance.choice([0, 0, 0, 7])
    return FakeLog(batches)


class FakeConnection:
    """What ``SliceFetch`` needs of a connection."""

    where = "fake:1"

    def __init__(self, log: FakeLog, trouble: Trouble, round_trip_s: float, asked: list[int]) -> None:
        self.round_trip_s = round_trip_s
        self._log = log
        self._trouble = trouble
        self._waiting: deque[FetchRequest] = deque()
        self._asked = asked
        self.in_flight_max = 0
        self.is_closed = False

    def version_of(self, request: type, cap: int | None = None) -> int:
        return 12

    def send(self, request: FetchRequest, response: type, version: int | None = None) -> None:
        self._waiting.append(request)
        self.in_flight_max = max(self.in_flight_max, len(self._waiting))

    def receive(self) -> FetchResponse:
        partition = self._waiting.popleft().topics[0].partitions[0]
        self._asked.append(partition.fetch_offset)
        trouble = self._trouble(len(self._asked) - 1)
        if isinstance(trouble, ClientError):
            raise trouble
        return _fetched(trouble or ErrorCode.NONE, partition, self._log)

    def call(self, request: ListOffsetsRequest, response: type) -> ListOffsetsResponse:
        timestamp = request.topics[0].partitions[0].timestamp
        offset = self._log.log_start if timestamp == EARLIEST_TIMESTAMP else self._log.end_offset
        partition = ListOffsetsPartitionResponse(offset=offset)
        return ListOffsetsResponse(topics=[ListOffsetsTopicResponse(partitions=[partition])])

    def close(self) -> None:
        self.is_closed = True


def _fetched(error: ErrorCode, wanted: Any, log: FakeLog) -> FetchResponse:
    offset = wanted.fetch_offset
    if not error and not log.log_start <= offset <= log.end_offset:
        error = ErrorCode.OFFSET_OUT_OF_RANGE
    has_data = not error and offset < log.end_offset
    data = memoryview(log.read(offset, wanted.partition_max_bytes)) if has_data else None
    partition = PartitionData(
        error_code=error,
        high_watermark=log.end_offset,
        aborted_transactions=log.aborted_between(offset, data) if data else [],
        records=data,
    )
    return FetchResponse(responses=[FetchableTopicResponse(partitions=[partition])])


class FakeLeaders:
    """Gives a new connection whenever the leader is looked for, unless that fails, too."""

    def __init__(
        self, log: FakeLog, trouble: Trouble = no_trouble, *, round_trip_s: float = 0.0, topic_id: UUID = ZERO_TOPIC_ID
    ) -> None:
        self._log = log
        self._trouble = trouble
        self._round_trip_s = round_trip_s
        self._topic_id = topic_id
        self.failures: deque[ClientError] = deque()
        self.connections: list[FakeConnection] = []
        self.asked: list[int] = []
        self.released: list[LeaderConnection] = []

    def release(self, at: TopicPartition, led: LeaderConnection) -> None:
        self.released.append(led)

    def connect(self, at: TopicPartition) -> LeaderConnection:
        if self.failures:
            raise self.failures.popleft()
        connection = FakeConnection(self._log, self._trouble, self._round_trip_s, self.asked)
        self.connections.append(connection)
        return LeaderConnection(connection, self._topic_id)  # type: ignore[arg-type]
