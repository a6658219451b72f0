"""Producers and consumers of kafka-python that record into a ledger."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final

from chronik.audit.ledger.clients.wrapping import (
    Wrapped,
    record_ack,
    record_deliveries,
    record_failure,
    serialize_with,
)
from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producer import ProducerLedger
from chronik.audit.tables.ids import HEADER
from chronik.audit.tables.schemas import UNKNOWN_NUMBER, EventKind

_SERIALIZERS: Final = ("key_serializer", "value_serializer")


def wrap_producer(ledger: ProducerLedger, client: Any) -> Any:
    """Wrap a KafkaProducer."""
    return Wrapped(client, send=_send(ledger, client))


def wrap_consumer(ledger: ConsumerLedger, client: Any) -> Any:
    """Wrap a KafkaConsumer."""
    return _RecordedConsumer(ledger, client).wrapped()


def _send(ledger: ProducerLedger, client: Any) -> Callable[..., Any]:
    # The checksum is of the serialized bytes, so the ledger serializes instead of the client.
    serialized = serialize_with(*(client.config[name] for name in _SERIALIZERS))
    client.config.update(dict.fromkeys(_SERIALIZERS))
    send = client.send

    def recorded(
        topic: str,
        value: Any = None,
        key: Any = None,
        headers: list[tuple[str, bytes]] | None = None,
        partition: int | None = None,
        timestamp_ms: int | None = None,
    ) -> Any:
        key, value = serialized(topic, headers or [], key, value)
        with ledger.lock:
            stamped = ledger.header(value, key, topic)
            if stamped is None:
                return send(topic, value, key, headers, partition, timestamp_ms)
            header, sending = stamped
            try:
                future = send(topic, value, key, [*(headers or ()), (HEADER, header)], partition, timestamp_ms)
            except Exception as error:
                ledger.not_sent(sending, repr(error))
                raise
        future.add_callback(partial(record_ack, ledger, sending))
        future.add_errback(partial(record_failure, ledger, sending))
        return future

    return recorded


class _RecordedConsumer:
    """The recorded functions of a KafkaConsumer."""

    def __init__(self, ledger: ConsumerLedger, client: Any) -> None:
        self._ledger = ledger
        self._client = client
        self._deserializers = _without_deserializers(client)

    def wrapped(self) -> Any:
        """Return the client with its recorded functions."""
        own = ("poll", "subscribe", "assign", "seek", "commit", "close")
        client = self._client
        stand_in = _Iterable(client, _took_one=self._take_one, **{name: getattr(self, name) for name in own})
        if client.subscription():
            self.subscribe(list(client.subscription()))
        elif client.assignment():
            self._start("assign", [at.partition for at in self._ledger.of_topic(client.assignment())])
        return stand_in

    def poll(self, *args: Any, **options: Any) -> Any:
        try:
            found = self._client.poll(*args, **options)
        except Exception as error:
            self._ledger.event(EventKind.ERROR, text=repr(error))
            raise
        self._take([(at.partition, records) for at, records in found.items() if self._ledger.takes(at.topic)])
        return self._deserialized(found)

    def subscribe(self, topics: Any = (), pattern: Any = None, listener: Any = None) -> None:
        self._start("subscribe")
        self._client.subscribe(topics, pattern=pattern, listener=_listener(self._ledger, self._client, listener))

    def assign(self, partitions: list[Any]) -> None:
        own = self._ledger.of_topic(partitions)
        self._start("assign", [at.partition for at in own])
        self._client.assign(partitions)
        for at in own:
            self._ledger.event(EventKind.ASSIGNED, at.partition)

    def seek(self, at: Any, offset: int) -> None:
        self._client.seek(at, offset)
        if self._ledger.takes(at.topic):
            self._ledger.event(EventKind.SEEK, at.partition, offset)

    def commit(self, offsets: Any = None, **options: Any) -> Any:
        result = self._client.commit(offsets, **options)
        for at, position in (offsets or {}).items():
            if self._ledger.takes(at.topic):
                self._ledger.event(EventKind.COMMITTED, at.partition, position.offset)
        return result

    def close(self, *args: Any, **options: Any) -> None:
        self._note_positions()
        self._client.close(*args, **options)

    def _start(self, mode: str, partitions: Iterable[int] = ()) -> None:
        config = self._client.config
        self._ledger.started(
            group=config.get("group_id") or "",
            reset=config.get("auto_offset_reset", "latest"),
            isolation=config.get("isolation_level", "read_uncommitted"),
            mode=mode,
            partitions=sorted(partitions),
        )

    def _take(self, found: Iterable[tuple[int, list[Any]]]) -> None:
        if record_deliveries(self._ledger, found):
            self._note_positions()

    def _take_one(self, record: Any) -> Any:
        self._take([(record.partition, [record])] if self._ledger.takes(record.topic) else [])
        return record if self._deserializers is None else self._deserializers(record)

    def _note_positions(self) -> None:
        states = getattr(getattr(self._client, "_subscription", None), "assignment", {})
        for at, state in list(states.items()):
            # ``client.position`` may send a request; the position in memory is that of the last delivered record.
            position = getattr(state, "position", None)
            offset = getattr(position, "offset", position)
            if isinstance(offset, int) and offset >= 0 and self._ledger.takes(at.topic):
                self._ledger.event(EventKind.POSITION, at.partition, offset)

    def _deserialized(self, found: Mapping[Any, list[Any]]) -> Mapping[Any, list[Any]]:
        if self._deserializers is None:
            return found
        return {at: [self._deserializers(record) for record in records] for at, records in found.items()}


class _Iterable(Wrapped):
    """Iterates as KafkaConsumer does; each record is delivered when it is returned."""

    def __iter__(self) -> Any:
        return self

    def __next__(self) -> Any:
        record = next(self._client)
        return self._took_one(record)


def _without_deserializers(client: Any) -> Callable[[Any], Any] | None:
    """Take the deserializers out of the client, because the checksum is of the bytes on the wire."""
    names = ("key_deserializer", "value_deserializer")
    key_of, value_of = (client.config.get(name) for name in names)
    if key_of is None and value_of is None:
        return None
    client.config.update(dict.fromkeys(names))
    fetcher = getattr(client, "_fetcher", None)
    if fetcher is not None:
        fetcher.config.update(dict.fromkeys(names))

    def deserialized(record: Any) -> Any:
        return record._replace(
            key=_object(key_of, record.topic, record.key), value=_object(value_of, record.topic, record.value)
        )

    return deserialized


def _object(deserializer: Any, topic: str, data: bytes | None) -> Any:
    if deserializer is None:
        return data
    if not hasattr(deserializer, "deserialize"):
        return deserializer(data)
    try:
        return deserializer.deserialize(topic, None, data)
    except TypeError:
        return deserializer.deserialize(topic, data)


def _listener(ledger: ConsumerLedger, client: Any, own: Any) -> Any:
    from kafka import ConsumerRebalanceListener  # type: ignore[import-untyped]

    class Noting(ConsumerRebalanceListener):  # type: ignore[misc]
        def on_partitions_assigned(self, assigned: Any) -> None:
            ledger.generation = _generation(client)
            for at in ledger.of_topic(assigned):
                ledger.event(EventKind.ASSIGNED, at.partition)
            if own is not None:
                own.on_partitions_assigned(assigned)

        def on_partitions_revoked(self, revoked: Any) -> None:
            for at in ledger.of_topic(revoked):
                ledger.event(EventKind.REVOKED, at.partition)
            if own is not None:
                own.on_partitions_revoked(revoked)

        def on_partitions_lost(self, lost: Any) -> None:
            for at in ledger.of_topic(lost):
                ledger.event(EventKind.REVOKED, at.partition, text="lost")
            if own is not None:
                own.on_partitions_lost(lost)

    return Noting()


def _generation(client: Any) -> int:
    """Read the group's generation from a private attribute: the client has no public one."""
    generation = getattr(getattr(client, "_coordinator", None), "_generation", None)
    number = getattr(generation, "generation_id", UNKNOWN_NUMBER)
    return number if isinstance(number, int) else UNKNOWN_NUMBER
