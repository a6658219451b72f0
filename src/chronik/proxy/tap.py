"""The tap: a client's requests and responses, one row for each partition in them.

The rows hold what the client sees: a fault of the proxy looks like the same fault of a broker.
"""

import json
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

from chronik.model.errors import ErrorCode
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.delete_records import DeleteRecordsRequest
from chronik.protocol.generated.describe_cluster import DescribeClusterResponse
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse, PartitionData
from chronik.protocol.generated.find_coordinator import FindCoordinatorResponse
from chronik.protocol.generated.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.generated.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from chronik.protocol.generated.offset_fetch import OffsetFetchResponse
from chronik.protocol.generated.offset_for_leader_epoch import OffsetForLeaderEpochResponse
from chronik.protocol.generated.produce import ProduceRequest, ProduceResponse
from chronik.protocol.wire import Message
from chronik.proxy.exchange import ProxiedExchange, replica_of
from chronik.records.batch import BatchHeader, CorruptBatch, walk

REQUEST: Final = "request"
ANSWER: Final = "answer"
CONNECTED: Final = "Connect"
DISCONNECTED: Final = "Disconnect"
"""Names in the column of APIs for the two events of a connection that are none."""


@dataclass(frozen=True, slots=True)
class TapRow:
    """A row, in the order of the audit's TAP table; -1 and "" stand for what there is not."""

    at_us: int
    mono_us: int
    connection: int
    node: int
    client_id: str
    api: str
    version: int
    correlation: int
    direction: str
    partition: int = -1
    offset: int = -1
    count: int = -1
    bytes: int = -1
    error: str = ""
    high_watermark: int = -1
    log_start: int = -1
    leader: int = -1
    leader_epoch: int = -1
    text: str = ""


class Tap(Protocol):
    """Where the rows go."""

    def add(self, row: TapRow) -> None:
        """Take one row."""

    def flush(self) -> None:
        """Make readable what was taken; called about once each second."""


Fields = dict[str, Any]


def rows(exchange: ProxiedExchange, direction: str, message: Message | None, size: int) -> Iterator[TapRow]:
    """Yield the rows of a request or a response; an undecoded one has one row with its size."""
    header = exchange.header
    name = f"api {header.api_key}" if exchange.api is None else exchange.api.name
    client = header.client_id or ""
    now = (time.time_ns() // 1000, time.monotonic_ns() // 1000)
    own = (*now, exchange.connection, exchange.node, client, name, header.version, header.correlation_id, direction)
    described = [{}] if message is None else list(_described(exchange, message))
    for fields in described or [{}]:
        if "bytes" not in fields:
            fields["bytes"] = size
        yield TapRow(*own, **fields)


def connection_row(connection: int, node: int, name: str) -> TapRow:
    """Return the row of a connection that begins or ends."""
    now = (time.time_ns() // 1000, time.monotonic_ns() // 1000)
    return TapRow(*now, connection, node, "", name, -1, -1, REQUEST)


# long: one branch for each kind of message, each a line
def _described(exchange: ProxiedExchange, message: Message) -> Iterator[Fields]:
    match message:
        case ProduceRequest():
            return _produce_request(exchange, message)
        case ProduceResponse():
            return _produce_answer(exchange, message)
        case FetchRequest():
            return _fetch_request(exchange, message)
        case FetchResponse():
            return _fetch_answer(exchange, message)
        case ListOffsetsRequest():
            return _list_offsets_request(message)
        case ListOffsetsResponse():
            return _list_offsets_answer(message)
        case MetadataResponse():
            return _metadata_answer(message)
        case DescribeClusterResponse():
            return iter([{"text": _text(brokers=sorted(one.broker_id for one in message.brokers))}])
        case FindCoordinatorResponse():
            return _coordinators(message)
        case OffsetCommitRequest():
            return _commit_request(exchange, message)
        case OffsetCommitResponse():
            return _commit_answer(exchange, message)
        case OffsetFetchResponse():
            return _committed(exchange, message)
        case OffsetForLeaderEpochResponse():
            return _epoch_ends(message)
        case DeleteRecordsRequest():
            return _deletions(message)
        case ApiVersionsRequest():
            software = f"{message.client_software_name} {message.client_software_version}".strip()
            return iter([{"text": _text(software=software)}])
        case _:
            return iter([_plain(message)])


def _produce_request(exchange: ProxiedExchange, message: ProduceRequest) -> Iterator[Fields]:
    for topic in message.topic_data:
        name = exchange.seen.name_of(topic.name, topic.topic_id)
        for one in topic.partition_data:
            headers = _headers(one.records)
            yield {
                "partition": one.index,
                "count": sum(header.record_count for header in headers),
                "bytes": len(one.records or b""),
                "text": _text(topic=name, acks=message.acks, **_producer(headers)),
            }


def _producer(headers: list[BatchHeader]) -> Fields:
    if not headers:
        return {}
    first = headers[0]
    if first.producer_id < 0:
        return {"crc": first.crc}
    numbers = {"producer_id": first.producer_id, "producer_epoch": first.producer_epoch}
    return {"crc": first.crc, **numbers, "base_sequence": first.base_sequence}


def _produce_answer(exchange: ProxiedExchange, message: ProduceResponse) -> Iterator[Fields]:
    for topic in message.responses:
        name = exchange.seen.name_of(topic.name, topic.topic_id)
        for one in topic.partition_responses:
            yield {
                "partition": one.index,
                "offset": one.base_offset,
                "error": _error(one.error_code),
                "log_start": one.log_start_offset,
                "leader": -1 if one.current_leader is None else one.current_leader.leader_id,
                "leader_epoch": -1 if one.current_leader is None else one.current_leader.leader_epoch,
                "text": _text(topic=name),
            }


def _fetch_request(exchange: ProxiedExchange, message: FetchRequest) -> Iterator[Fields]:
    shared = {"replica": replica_of(message), "max_wait_ms": message.max_wait_ms, "isolation": message.isolation_level}
    for topic in message.topics:
        name = exchange.seen.name_of(topic.topic, topic.topic_id)
        for one in topic.partitions:
            yield {
                "partition": one.partition,
                "offset": one.fetch_offset,
                "bytes": one.partition_max_bytes,
                "leader_epoch": one.current_leader_epoch,
                "text": _text(topic=name, **shared),
            }


def _fetch_answer(exchange: ProxiedExchange, message: FetchResponse) -> Iterator[Fields]:
    if message.error_code:
        yield {"error": _error(message.error_code)}
    replica = replica_of(exchange.request)
    for topic in message.responses:
        name = exchange.seen.name_of(topic.topic, topic.topic_id)
        for one in topic.partitions:
            yield _fetched(name, replica, one)


def _fetched(name: str, replica: int, one: PartitionData) -> Fields:
    headers = _headers(one.records)
    known = {} if not headers else {"next": headers[-1].next_offset}
    return {
        "partition": one.partition_index,
        "offset": headers[0].base_offset if headers else -1,
        "count": sum(header.record_count for header in headers),
        "bytes": len(one.records or b""),
        "error": _error(one.error_code),
        "high_watermark": one.high_watermark,
        "log_start": one.log_start_offset,
        "leader": -1 if one.current_leader is None else one.current_leader.leader_id,
        "leader_epoch": -1 if one.current_leader is None else one.current_leader.leader_epoch,
        "text": _text(topic=name, replica=replica, last_stable=one.last_stable_offset, **known),
    }


def _list_offsets_request(message: ListOffsetsRequest) -> Iterator[Fields]:
    for topic in message.topics:
        for one in topic.partitions:
            yield {
                "partition": one.partition_index,
                "leader_epoch": one.current_leader_epoch,
                "text": _text(topic=topic.name, timestamp=one.timestamp, replica=message.replica_id),
            }


def _list_offsets_answer(message: ListOffsetsResponse) -> Iterator[Fields]:
    for topic in message.topics:
        for one in topic.partitions:
            yield {
                "partition": one.partition_index,
                "offset": one.offset,
                "error": _error(one.error_code),
                "leader_epoch": one.leader_epoch,
                "text": _text(topic=topic.name),
            }


def _metadata_answer(message: MetadataResponse) -> Iterator[Fields]:
    listed = sorted(broker.node_id for broker in message.brokers)
    yield {"text": _text(brokers=listed, controller=message.controller_id), "error": _error(message.error_code)}
    for topic in message.topics:
        if topic.error_code:
            yield {"error": _error(topic.error_code), "text": _text(topic=topic.name)}
        for one in topic.partitions:
            yield {
                "partition": one.partition_index,
                "error": _error(one.error_code),
                "leader": one.leader_id,
                "leader_epoch": one.leader_epoch,
                "text": _text(topic=topic.name, isr=list(one.isr_nodes), replicas=list(one.replica_nodes)),
            }


def _coordinators(message: FindCoordinatorResponse) -> Iterator[Fields]:
    if not message.coordinators:
        yield {"leader": message.node_id, "error": _error(message.error_code)}
    for one in message.coordinators:
        yield {"leader": one.node_id, "error": _error(one.error_code), "text": _text(key=one.key)}


def _commit_request(exchange: ProxiedExchange, message: OffsetCommitRequest) -> Iterator[Fields]:
    for topic in message.topics:
        name = exchange.seen.name_of(topic.name, topic.topic_id)
        text = _text(topic=name, group=message.group_id, generation=message.generation_id_or_member_epoch)
        for one in topic.partitions:
            yield {"partition": one.partition_index, "offset": one.committed_offset, "text": text}


def _commit_answer(exchange: ProxiedExchange, message: OffsetCommitResponse) -> Iterator[Fields]:
    for topic in message.topics:
        text = _text(topic=exchange.seen.name_of(topic.name, topic.topic_id))
        for one in topic.partitions:
            yield {"partition": one.partition_index, "error": _error(one.error_code), "text": text}


def _committed(exchange: ProxiedExchange, message: OffsetFetchResponse) -> Iterator[Fields]:
    if message.error_code:
        yield {"error": _error(message.error_code)}
    for topic in message.topics:
        yield from _committed_in(topic.name, topic.partitions)
    for group in message.groups:
        if group.error_code:
            yield {"error": _error(group.error_code), "text": _text(group=group.group_id)}
        for one in group.topics:
            yield from _committed_in(exchange.seen.name_of(one.name, one.topic_id), one.partitions)


def _committed_in(name: str, partitions: Iterable[Any]) -> Iterator[Fields]:
    for one in partitions:
        known = {"partition": one.partition_index, "offset": one.committed_offset}
        yield {**known, "error": _error(one.error_code), "text": _text(topic=name)}


def _epoch_ends(message: OffsetForLeaderEpochResponse) -> Iterator[Fields]:
    for topic in message.topics:
        for one in topic.partitions:
            yield {
                "partition": one.partition,
                "offset": one.end_offset,
                "error": _error(one.error_code),
                "leader_epoch": one.leader_epoch,
                "text": _text(topic=topic.topic),
            }


def _deletions(message: DeleteRecordsRequest) -> Iterator[Fields]:
    for topic in message.topics:
        for one in topic.partitions:
            yield {"partition": one.partition_index, "offset": one.offset, "text": _text(topic=topic.name)}


def _plain(message: Message) -> Fields:
    """Describe any other message by what many have: an error, a group, a generation, a member."""
    wanted = {"group_id": "group", "generation_id": "generation", "member_id": "member"}
    known = {ours: getattr(message, theirs) for theirs, ours in wanted.items() if hasattr(message, theirs)}
    text = _text(**known) if known else ""
    return {"error": _error(getattr(message, "error_code", 0)), "text": text}


def _headers(records: memoryview | bytes | None) -> list[BatchHeader]:
    try:
        return [header for _, header in walk(records or b"")]
    except CorruptBatch:
        return []


def _error(code: int) -> str:
    if not code:
        return ""
    try:
        return ErrorCode(code).name
    except ValueError:
        return f"error {code}"


def _text(**fields: object) -> str:
    return json.dumps(fields, separators=(",", ":"))
