"""Consumers of confluent-kafka, kafka-python and aiokafka that record what they hand over.

A wrapped client has everything that the client has; polling, seeking and the callbacks of assignments are other
functions. What differs between the libraries ends here.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producers import Wrapped
from chronik.audit.tables.ids import HEADER, checksum
from chronik.audit.tables.schemas import UNKNOWN_NUMBER, EventKind

_COMMITTED_S_MAX: Final = 2.0
_MICROS: Final = 1000


def wrap_consumer(ledger: ConsumerLedger, client: Any, settings: Mapping[str, Any]) -> Any:
    """Wrap a consumer of any library that is known, by what it can do."""
    if hasattr(client, "_value_deserializer") and hasattr(client, "consume"):
        raise TypeError("the ledger needs the bytes: wrap a plain Consumer, and deserialize what it hands over")
    if hasattr(client, "consume"):
        return _Confluent(ledger, client, settings).wrapped()
    if inspect.iscoroutinefunction(getattr(client, "getmany", None)):
        from chronik.audit.ledger.aiokafka_consumer import wrap_aiokafka_consumer

        return wrap_aiokafka_consumer(ledger, client)
    if hasattr(client, "poll") and hasattr(client, "config"):
        return _KafkaPython(ledger, client).wrapped()
    raise TypeError(f"{type(client).__name__} is no consumer of confluent-kafka, kafka-python or aiokafka")


def header_of(headers: Iterable[tuple[str, bytes]] | None) -> bytes | None:
    """Find the id among a record's headers; where there are several, the last one was put by whoever sent it."""
    found = None
    for name, value in headers or ():
        if name == HEADER:
            found = value
    return found


class _Confluent:
    """A consumer of confluent-kafka."""

    def __init__(self, ledger: ConsumerLedger, client: Any, settings: Mapping[str, Any]) -> None:
        self._ledger = ledger
        self._client = client
        self._settings = settings

    def wrapped(self) -> Any:
        """Give what stands for the client."""
        own = ("poll", "consume", "subscribe", "assign", "seek", "commit", "close")
        return Wrapped(self._client, **{name: getattr(self, name) for name in own})

    def poll(self, *args: Any, **options: Any) -> Any:
        message = self._client.poll(*args, **options)
        self._take(() if message is None else (message,))
        return message

    def consume(self, *args: Any, **options: Any) -> Any:
        messages = self._client.consume(*args, **options)
        self._take(messages)
        return messages

    def subscribe(self, topics: list[str], **callbacks: Callable[..., Any]) -> None:
        if len(topics) == 1:
            self._ledger.takes(topics[0])
        self._start("subscribe")
        lost = callbacks.get("on_lost") or callbacks.get("on_revoke")
        self._client.subscribe(
            topics,
            on_assign=self._noting(EventKind.ASSIGNED, callbacks.get("on_assign"), ""),
            on_revoke=self._noting(EventKind.REVOKED, callbacks.get("on_revoke"), ""),
            on_lost=self._noting(EventKind.REVOKED, lost, "lost"),
        )

    def assign(self, partitions: list[Any]) -> None:
        own = self._ledger.of_topic(partitions)
        self._start("assign", [at.partition for at in own])
        self._client.assign(partitions)
        for at in own:
            self._ledger.event(EventKind.ASSIGNED, at.partition, at.offset)

    def seek(self, at: Any) -> None:
        self._client.seek(at)
        if self._ledger.takes(at.topic):
            self._ledger.event(EventKind.SEEK, at.partition, at.offset)

    def commit(self, *args: Any, **options: Any) -> Any:
        committed = self._client.commit(*args, **options)
        for at in self._ledger.of_topic(committed or ()):
            self._ledger.event(EventKind.COMMITTED, at.partition, at.offset)
        return committed

    def close(self) -> None:
        self._note_positions()
        self._client.close()

    def _start(self, mode: str, partitions: Iterable[int] = ()) -> None:
        settings = self._settings
        self._ledger.started(
            group=str(settings.get("group.id", "")),
            reset=str(settings.get("auto.offset.reset", "latest")),
            isolation=str(settings.get("isolation.level", "read_committed")),
            mode=mode,
            partitions=sorted(partitions),
        )

    def _noting(self, kind: EventKind, own: Callable[..., Any] | None, text: str) -> Callable[..., Any]:
        def note(client: Any, partitions: list[Any]) -> None:
            if kind is EventKind.REVOKED:
                self._note_positions()
            of_run = self._ledger.of_topic(partitions)
            starts = self._starts(of_run) if kind is EventKind.ASSIGNED else {}
            for at in of_run:
                self._ledger.event(kind, at.partition, starts.get(at.partition, at.offset), text=text)
            if own is not None:
                own(client, partitions)

        return note

    def _starts(self, partitions: list[Any]) -> dict[int, int]:
        """Ask where the group goes on; where nothing is committed, the reset policy says it."""
        try:
            committed = self._client.committed(partitions, timeout=_COMMITTED_S_MAX)
        except Exception:  # noqa: BLE001 - the positions are then not known, and the client must go on
            return {}
        return {at.partition: at.offset for at in committed if at.offset >= 0}

    def _take(self, messages: Iterable[Any]) -> None:
        ledger, count = self._ledger, 0
        received_us = time.time_ns() // _MICROS
        append, generation, poll = ledger.rows.append, ledger.generation, ledger.poll + 1
        takes = ledger.takes
        for message in messages:
            if message.error() is not None:
                ledger.event(EventKind.ERROR, _number(message.partition()), text=str(message.error()))
                continue
            if not takes(message.topic()):
                continue
            count += 1
            crc = checksum(message.value(), message.key())
            header = header_of(message.headers())
            at = (message.partition(), message.offset(), message.timestamp()[1])
            append((generation, poll, received_us, *at, header, crc))
        ledger.poll += count > 0
        if ledger.polled(count):
            self._note_positions()

    def _note_positions(self) -> None:
        try:
            positions = self._client.position(self._client.assignment())
        except Exception:  # noqa: BLE001 - a client that is closed or fails has no position, and must go on
            return
        for at in self._ledger.of_topic(positions):
            if at.offset >= 0:
                self._ledger.event(EventKind.POSITION, at.partition, at.offset)


def _number(partition: int | None) -> int:
    return UNKNOWN_NUMBER if partition is None else partition


class _KafkaPython:
    """A consumer of kafka-python."""

    def __init__(self, ledger: ConsumerLedger, client: Any) -> None:
        self._ledger = ledger
        self._client = client
        self._deserializers = _without_deserializers(client)

    def wrapped(self) -> Any:
        """Give what stands for the client."""
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
        ledger, count = self._ledger, 0
        received_us = time.time_ns() // _MICROS
        append, generation, poll = ledger.rows.append, ledger.generation, ledger.poll + 1
        for partition, records in found:
            count += len(records)
            for record in records:
                crc, header = checksum(record.value, record.key), header_of(record.headers)
                append((generation, poll, received_us, partition, record.offset, record.timestamp, header, crc))
        ledger.poll += count > 0
        if ledger.polled(count):
            self._note_positions()

    def _take_one(self, record: Any) -> Any:
        self._take([(record.partition, [record])] if self._ledger.takes(record.topic) else [])
        return record if self._deserializers is None else self._deserializers(record)

    def _note_positions(self) -> None:
        states = getattr(getattr(self._client, "_subscription", None), "assignment", {})
        for at, state in list(states.items()):
            # Asking the client for a position may go to the network; what it has in memory is what was delivered.
            position = getattr(state, "position", None)
            offset = getattr(position, "offset", position)
            if isinstance(offset, int) and offset >= 0 and self._ledger.takes(at.topic):
                self._ledger.event(EventKind.POSITION, at.partition, offset)

    def _deserialized(self, found: Mapping[Any, list[Any]]) -> Mapping[Any, list[Any]]:
        if self._deserializers is None:
            return found
        return {at: [self._deserializers(record) for record in records] for at, records in found.items()}


class _Iterable(Wrapped):
    """Iterates as kafka-python's consumers do; each record counts when it is handed over."""

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

    return Noting()


def _generation(client: Any) -> int:
    """Read the group's generation from inside the client, which has no other word for it."""
    generation = getattr(getattr(client, "_coordinator", None), "_generation", None)
    number = getattr(generation, "generation_id", UNKNOWN_NUMBER)
    return number if isinstance(number, int) else UNKNOWN_NUMBER
