"""A consumer of aiokafka that records what it hands over."""

import time
from collections.abc import Iterable
from typing import Any

from aiokafka import ConsumerRebalanceListener  # type: ignore[import-untyped]

from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.consumers import header_of
from chronik.audit.ledger.producers import Wrapped
from chronik.audit.tables.ids import checksum
from chronik.audit.tables.schemas import EventKind


def wrap_aiokafka_consumer(ledger: ConsumerLedger, client: Any) -> Any:
    """Wrap a consumer that has no deserializers: the checksum is of the bytes on the wire."""
    if client._key_deserializer is not None or client._value_deserializer is not None:
        raise TypeError("the ledger of an aiokafka consumer needs the bytes: deserialize what it hands over yourself")
    return _Aiokafka(ledger, client).wrapped()


class _Aiokafka:
    """Replaces what hands over records, and what changes where is read."""

    def __init__(self, ledger: ConsumerLedger, client: Any) -> None:
        self._ledger = ledger
        self._client = client

    def wrapped(self) -> Any:
        """Give what stands for the client."""
        own = ("getmany", "getone", "subscribe", "assign", "seek", "commit", "stop")
        if self._client.subscription():
            self.subscribe(list(self._client.subscription()))
        return Wrapped(self._client, **{name: getattr(self, name) for name in own})

    async def getmany(self, *partitions: Any, **options: Any) -> Any:
        found = await self._client.getmany(*partitions, **options)
        await self._take([(at.partition, records) for at, records in found.items() if self._ledger.takes(at.topic)])
        return found

    async def getone(self, *partitions: Any) -> Any:
        record = await self._client.getone(*partitions)
        await self._take([(record.partition, [record])] if self._ledger.takes(record.topic) else [])
        return record

    def subscribe(self, topics: Any = (), pattern: Any = None, listener: Any = None) -> None:
        self._start("subscribe")
        self._client.subscribe(topics, pattern=pattern, listener=_Noting(self._ledger, listener))

    def assign(self, partitions: list[Any]) -> None:
        self._start("assign")
        self._client.assign(partitions)
        for at in self._ledger.of_topic(partitions):
            self._ledger.event(EventKind.ASSIGNED, at.partition)

    def seek(self, at: Any, offset: int) -> None:
        self._client.seek(at, offset)
        if self._ledger.takes(at.topic):
            self._ledger.event(EventKind.SEEK, at.partition, offset)

    async def commit(self, offsets: Any = None) -> Any:
        result = await self._client.commit(offsets)
        for at, position in (offsets or {}).items():
            if not self._ledger.takes(at.topic):
                continue
            self._ledger.event(EventKind.COMMITTED, at.partition, getattr(position, "offset", position))
        return result

    async def stop(self) -> None:
        await self._note_positions()
        await self._client.stop()

    def _start(self, mode: str) -> None:
        client = self._client
        self._ledger.started(
            group=client._group_id or "", reset=client._auto_offset_reset, isolation=client._isolation_level, mode=mode
        )

    async def _take(self, found: Iterable[tuple[int, list[Any]]]) -> None:
        ledger, count = self._ledger, 0
        received_us = time.time_ns() // 1000
        poll = ledger.poll + 1
        for partition, records in found:
            count += len(records)
            for record in records:
                crc, header = checksum(record.value, record.key), header_of(record.headers)
                place = (partition, record.offset, record.timestamp)
                ledger.rows.append((ledger.generation, poll, received_us, *place, header, crc))
        ledger.poll += count > 0
        if ledger.polled(count):
            await self._note_positions()

    async def _note_positions(self) -> None:
        for at in self._ledger.of_topic(self._client.assignment()):
            state = self._client._subscription.subscription.assignment.state_value(at)
            if state is not None and state.has_valid_position:
                self._ledger.event(EventKind.POSITION, at.partition, state.position)


class _Noting(ConsumerRebalanceListener):  # type: ignore[misc]
    """Notes assignments, and tells the user's own listener."""

    def __init__(self, ledger: ConsumerLedger, own: Any) -> None:
        self._ledger = ledger
        self._own = own

    async def on_partitions_assigned(self, assigned: Any) -> None:
        for at in self._ledger.of_topic(assigned):
            self._ledger.event(EventKind.ASSIGNED, at.partition)
        await self._tell("on_partitions_assigned", assigned)

    async def on_partitions_revoked(self, revoked: Any) -> None:
        for at in self._ledger.of_topic(revoked):
            self._ledger.event(EventKind.REVOKED, at.partition)
        await self._tell("on_partitions_revoked", revoked)

    async def _tell(self, name: str, partitions: Any) -> None:
        if self._own is not None:
            answer = getattr(self._own, name)(partitions)
            if hasattr(answer, "__await__"):
                await answer
