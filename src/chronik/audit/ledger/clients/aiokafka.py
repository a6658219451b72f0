"""Producers and consumers of aiokafka that record into a ledger."""

import asyncio
from collections.abc import Iterable
from functools import partial
from typing import Any

from aiokafka import ConsumerRebalanceListener  # type: ignore[import-untyped]

from chronik.audit.ledger.clients.wrapping import (
    Wrapped,
    listed,
    record_ack,
    record_deliveries,
    record_failure,
    serialize_with,
)
from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producer import ProducerLedger, Sending
from chronik.audit.tables.ids import HEADER
from chronik.audit.tables.schemas import EventKind


def wrap_producer(ledger: ProducerLedger, client: Any) -> Any:
    """Wrap an AIOKafkaProducer."""
    # The checksum is of the serialized bytes, so the ledger serializes instead of the client.
    serialized = serialize_with(client._key_serializer, client._value_serializer)
    client._key_serializer = client._value_serializer = None
    # Sequences are in the client's order only if one send at a time waits for the client.
    turn = asyncio.Lock()

    async def send(topic: str, value: Any = None, key: Any = None, **more: Any) -> Any:
        key, value = serialized(topic, (), key, value)
        headers = listed(more.pop("headers", None))
        async with turn:
            with ledger.lock:
                stamped = ledger.header(value, key, topic)
            if stamped is None:
                return await client.send(topic, value, key, headers=headers, **more)
            header, sending = stamped
            try:
                future = await client.send(topic, value, key, headers=[*headers, (HEADER, header)], **more)
            except asyncio.CancelledError:
                ledger.failed(sending, None, "cancelled while it was sent")
                raise
            except Exception as error:
                ledger.not_sent(sending, repr(error))
                raise
        future.add_done_callback(partial(_done, ledger, sending))
        return future

    async def send_and_wait(topic: str, value: Any = None, key: Any = None, **more: Any) -> Any:
        return await (await send(topic, value, key, **more))

    return Wrapped(client, send=send, send_and_wait=send_and_wait)


def _done(ledger: ProducerLedger, sending: Sending, future: Any) -> None:
    if future.cancelled():
        ledger.failed(sending, None, "cancelled")
    elif future.exception() is not None:
        record_failure(ledger, sending, future.exception())
    else:
        record_ack(ledger, sending, future.result())


def wrap_consumer(ledger: ConsumerLedger, client: Any) -> Any:
    """Wrap an AIOKafkaConsumer without deserializers: the checksum is of the bytes on the wire."""
    if client._key_deserializer is not None or client._value_deserializer is not None:
        raise TypeError("the ledger of an aiokafka consumer needs the bytes: deserialize its records yourself")
    return _RecordedConsumer(ledger, client).wrapped()


class _RecordedConsumer:
    """The recorded functions of an AIOKafkaConsumer."""

    def __init__(self, ledger: ConsumerLedger, client: Any) -> None:
        self._ledger = ledger
        self._client = client

    def wrapped(self) -> Any:
        """Return the client with its recorded functions."""
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
        self._client.subscribe(topics, pattern=pattern, listener=_RecordingListener(self._ledger, listener))

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
        if record_deliveries(self._ledger, found):
            await self._note_positions()

    async def _note_positions(self) -> None:
        for at in self._ledger.of_topic(self._client.assignment()):
            state = self._client._subscription.subscription.assignment.state_value(at)
            if state is not None and state.has_valid_position:
                self._ledger.event(EventKind.POSITION, at.partition, state.position)


class _RecordingListener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Records assignments, and calls the user's own listener."""

    def __init__(self, ledger: ConsumerLedger, own: Any) -> None:
        self._ledger = ledger
        self._own = own

    async def on_partitions_assigned(self, assigned: Any) -> None:
        for at in self._ledger.of_topic(assigned):
            self._ledger.event(EventKind.ASSIGNED, at.partition)
        await self._call_own("on_partitions_assigned", assigned)

    async def on_partitions_revoked(self, revoked: Any) -> None:
        for at in self._ledger.of_topic(revoked):
            self._ledger.event(EventKind.REVOKED, at.partition)
        await self._call_own("on_partitions_revoked", revoked)

    async def _call_own(self, name: str, partitions: Any) -> None:
        if self._own is not None:
            answer = getattr(self._own, name)(partitions)
            if hasattr(answer, "__await__"):
                await answer
