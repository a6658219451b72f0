"""Requests and answers as the proxy sees them, made without a socket."""

from collections.abc import Sequence

from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import RequestHeader
from chronik.protocol.generated.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)
from chronik.protocol.generated.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from chronik.protocol.wire import Message
from chronik.proxy.exchange import Fault, ProxiedExchange, SeenTopics, note_answer
from chronik.records.build import Record, build_batch

TOPIC = "orders"
_KEYS = {ProduceRequest: ApiKey.PRODUCE, FetchRequest: ApiKey.FETCH, ListOffsetsRequest: ApiKey.LIST_OFFSETS}


def exchange_of(request: Message, seen: SeenTopics) -> ProxiedExchange:
    """An exchange in the newest version that has topic names."""
    api = SERVED[_KEYS[type(request)]]
    header = RequestHeader(api.key, min(api.version_max, 12), 1, "somebody", 0)
    return ProxiedExchange(1, 1, header, api, b"", seen, request)


def batch(count: int, base_offset: int = 0) -> bytes:
    """A batch whose records know their offsets."""
    records = [Record(None, b"value %d" % (base_offset + i), timestamp=1) for i in range(count)]
    return build_batch(records, base_offset=base_offset)


class Writer:
    """A client that produces through faults to a broker that appends; it keeps both sides of the story."""

    def __init__(self, *faults: Fault, partition: int = 0) -> None:
        self.faults = faults
        self.seen = SeenTopics()
        self.partition = partition
        self.log_end = 0
        self.acks: list[tuple[int, int]] = []
        self.written: list[tuple[int, int]] = []
        self.errors: list[int] = []
        self.last: ProxiedExchange | None = None

    def send(self, count: int) -> None:
        """Send a batch; what was written and what was acknowledged is noted as (base offset, count)."""
        data = PartitionProduceData(index=self.partition, records=batch(count))
        request = ProduceRequest(acks=1, topic_data=[TopicProduceData(name=TOPIC, partition_data=[data])])
        exchange = self.last = exchange_of(request, self.seen)
        for fault in self.faults:
            fault.on_request(exchange)
        answer = ProduceResponse() if exchange.is_local else self._append(exchange, count)
        note_answer(exchange, answer)
        told = [one for topic in answer.responses for one in topic.partition_responses]
        told += [taken.answer() for taken in exchange.taken]
        for fault in self.faults:
            fault.on_answer(exchange, answer)
        for one in told:
            self.errors.append(one.error_code)
            if not one.error_code:
                self.acks.append((one.base_offset, count))

    def _append(self, exchange: ProxiedExchange, count: int) -> ProduceResponse:
        base = self.log_end
        for _ in range(exchange.copies):
            self.written.append((self.log_end, count))
            self.log_end += count
        one = PartitionProduceResponse(index=self.partition, base_offset=base)
        return ProduceResponse(responses=[TopicProduceResponse(name=TOPIC, partition_responses=[one])])


def fetch(
    fault: Fault,
    batches: Sequence[bytes],
    watermark: int,
    *,
    seen: SeenTopics | None = None,
    offset: int = 0,
    replica: int = -1,
    partition: int = 0,
) -> tuple[PartitionData, ProxiedExchange]:
    """Send one answer to a fetch through a fault, and give what the client gets."""
    asked = FetchPartition(partition=partition, fetch_offset=offset)
    request = FetchRequest(replica_id=replica, max_wait_ms=500, topics=[FetchTopic(topic=TOPIC, partitions=[asked])])
    one = PartitionData(
        partition_index=partition,
        high_watermark=watermark,
        last_stable_offset=watermark,
        log_start_offset=0,
        records=b"".join(batches),
    )
    exchange = exchange_of(request, seen or SeenTopics())
    fault.on_request(exchange)
    fault.on_answer(exchange, FetchResponse(responses=[FetchableTopicResponse(topic=TOPIC, partitions=[one])]))
    return one, exchange


def last_offset(fault: Fault, true: int, seen: SeenTopics, *, replica: int = -1, timestamp: int = -1) -> int:
    """Ask for the last offset through a fault."""
    asked = ListOffsetsTopic(name=TOPIC, partitions=[ListOffsetsPartition(partition_index=0, timestamp=timestamp)])
    told = ListOffsetsPartitionResponse(partition_index=0, offset=true)
    answer = ListOffsetsResponse(topics=[ListOffsetsTopicResponse(name=TOPIC, partitions=[told])])
    fault.on_answer(exchange_of(ListOffsetsRequest(replica_id=replica, topics=[asked]), seen), answer)
    return told.offset
