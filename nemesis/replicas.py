"""What each replica of a topic holds, read from itself and not from the leader, as Kafka's debugging consumer does."""

import asyncio
from collections.abc import Collection, Mapping
from typing import NamedTuple

from chronik.client.connection import BrokerConnection
from chronik.client.settings import ClientSettings
from chronik.protocol.generated.fetch import FetchPartition, FetchRequest, FetchResponse, FetchTopic
from chronik.records.batch import walk
from chronik.records.iterate import records_of

DEBUGGING_CONSUMER = -2
FETCH_VERSION = 11
FETCH_BYTES_MAX = 4 * 1024 * 1024


class Held(NamedTuple):
    """A message as a replica holds it: who sent it as what, and under whose term it was written."""

    value: bytes
    producer: int
    producer_epoch: int
    sequence: int
    leader_epoch: int

    def __str__(self) -> str:
        sent = f"producer {self.producer} epoch {self.producer_epoch} sequence {self.sequence}"
        return f"{sent}, term {self.leader_epoch}"


Contents = dict[int, Held]
"""A message by its offset."""


def contents_of(addresses: Mapping[int, str], topic: str, partition: int) -> dict[int, Contents]:
    """Read one partition from every broker that holds it."""

    async def read() -> dict[int, Contents]:
        found = await asyncio.gather(*(_contents(address, topic, partition) for address in addresses.values()))
        return dict(zip(addresses, found, strict=True))

    return asyncio.run(read())


def differences(contents: Mapping[int, Contents], partition: int) -> list[str]:
    """Say where replicas hold different messages at an offset, or one lacks what another has."""
    offsets = sorted(set[int]().union(*contents.values()))
    for offset in offsets:
        held = {node: each.get(offset) for node, each in contents.items()}
        if len(set(held.values())) > 1:
            shown = {node: None if one is None else one.value[:24] for node, one in held.items()}
            return [f"replicas of partition {partition} differ from offset {offset} on: {shown}"]
    return []


def copies(contents: Mapping[int, Contents], partition: int, wanted: Collection[bytes]) -> list[str]:
    """Say where a replica holds some messages, and as what they were sent."""
    held = next(iter(contents.values()), {})
    return [
        f"{one.value.rstrip(b'.').decode(errors='replace')} is at offset {offset} of partition {partition} ({one})"
        for offset, one in sorted(held.items())
        if one.value in wanted
    ]


async def _contents(address: str, topic: str, partition: int) -> Contents:
    host, _, port = address.rpartition(":")
    connection = await BrokerConnection.open(host, int(port), ClientSettings(request_timeout_ms=10_000))
    try:
        found: Contents = {}
        while batch := await _fetch(connection, topic, partition, max(found, default=-1) + 1):
            found.update(batch)
        return found
    finally:
        connection.close()


async def _fetch(connection: BrokerConnection, topic: str, partition: int, offset: int) -> Contents:
    asked = FetchPartition(partition=partition, fetch_offset=offset, partition_max_bytes=FETCH_BYTES_MAX)
    request = FetchRequest(
        replica_id=DEBUGGING_CONSUMER,
        max_wait_ms=0,
        min_bytes=0,
        max_bytes=FETCH_BYTES_MAX,
        session_epoch=-1,
        topics=[FetchTopic(topic=topic, partitions=[asked])],
    )
    answer = await connection.call(request, FetchResponse, version=FETCH_VERSION)
    (told,) = answer.responses[0].partitions
    assert told.error_code == 0, f"{connection.where} refuses {topic}-{partition}: {told.error_code}"
    data = memoryview(told.records or b"")
    return {
        record.offset: Held(
            record.value or b"",
            header.producer_id,
            header.producer_epoch,
            header.base_sequence + record.offset - header.base_offset if header.producer_id >= 0 else -1,
            header.partition_leader_epoch,
        )
        for position, header in walk(data)
        for record in records_of(data[position : position + header.size_bytes])
        if record.offset >= offset
    }
