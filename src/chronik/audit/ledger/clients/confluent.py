"""Producers and consumers of confluent-kafka that record into a ledger."""

import time
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import time_ns
from types import MethodType
from typing import Any, Final
from zlib import crc32

from chronik.audit.ledger.clients.wrapping import Headers, Wrapped, header_of, listed
from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producer import ACK_FORM, ACK_WITH_KEY_FORM, KEY_FORM, ProducerLedger, Sending
from chronik.audit.tables.ids import HEADER, HEADER_BYTES, HEADER_FORM, HEADER_REST_FORM, NO_KEY, checksum, key_hash
from chronik.audit.tables.schemas import UNKNOWN_NUMBER, EventKind

_COMMITTED_S_MAX: Final = 2.0
_MICROS: Final = 1000


def wrap_producer(ledger: ProducerLedger, client: Any) -> Any:
    """Wrap a Producer or a SerializingProducer."""
    if hasattr(client, "_value_serializer"):
        return Wrapped(client, produce=_serializing_produce(ledger, client))
    return Wrapped(client, produce=_produce(ledger, client.produce))


def wrap_consumer(ledger: ConsumerLedger, client: Any, settings: Mapping[str, Any]) -> Any:
    """Wrap a Consumer."""
    if hasattr(client, "_value_deserializer"):
        raise TypeError("the ledger needs the bytes: wrap a plain Consumer, and deserialize its messages yourself")
    return _RecordedConsumer(ledger, client, settings).wrapped()


def _produce(ledger: ProducerLedger, produce: Callable[..., None]) -> Callable[..., None]:
    """Return the recorded ``produce`` of a Producer.

    The work for each message is written out here instead of calling the ledger: the calls would cost more than the
    work itself.
    """
    lock, pack, pack_key = ledger.lock, HEADER_REST_FORM.pack, KEY_FORM.pack
    begin = ledger.header_begin
    done = _done(ledger, ledger.acks, ACK_FORM.pack)
    done_with_key = _done(ledger, ledger.acks_with_key, ACK_WITH_KEY_FORM.pack)

    def recorded(  # long: no calls per message, for speed
        topic: str,
        value: Any = None,
        key: Any = None,
        partition: int = -1,
        callback: Callable[[Any, Any], None] | None = None,
        on_delivery: Callable[[Any, Any], None] | None = None,
        timestamp: int = 0,
        headers: Headers = None,
    ) -> None:
        if topic != ledger.topic and not ledger.takes(topic):
            produce(topic, value, key, partition, callback or on_delivery, None, timestamp, listed(headers))
            return
        if key is None and value.__class__ is bytes:
            crc, of_key = crc32(value), None
        else:
            value, key = _as_bytes(value), _as_bytes(key)
            crc, of_key = checksum(value, key), pack_key(key_hash(key), value is None)
        own = callback or on_delivery
        # Half as expensive as ``with``.
        lock.acquire()
        try:
            sequence = ledger.next_sequence
            if sequence >= ledger.limit and not ledger.has_more():
                produce(topic, value, key, partition, own, None, timestamp, listed(headers))
                return
            header = begin + pack(sequence, time_ns() // 1000, crc)
            marked = [(HEADER, header)] if headers is None else [*listed(headers), (HEADER, header)]
            # A bound method is the cheapest object that keeps a message's header until its delivery report.
            report: Any = MethodType(done, header) if of_key is None else MethodType(done_with_key, header + of_key)
            if own is not None:
                report = partial(_both, report, own)
            try:
                produce(topic, value, key, partition, report, None, timestamp, marked)
            except BufferError:
                # The queue is full and the caller retries; the sequence is still unused.
                raise
            except Exception as error:
                ledger.next_sequence = sequence + 1
                ledger.not_sent(_sending_of(header + (of_key or b"")), str(error))
                raise
            ledger.next_sequence = sequence + 1
        finally:
            lock.release()

    return recorded


def _serializing_produce(ledger: ProducerLedger, client: Any) -> Callable[..., None]:
    """Return the recorded ``produce`` of a SerializingProducer, whose arguments have another order."""
    from confluent_kafka import Producer
    from confluent_kafka.serialization import MessageField, SerializationContext

    produce = _produce(ledger, partial(Producer.produce, client))

    def recorded(
        topic: str,
        key: Any = None,
        value: Any = None,
        partition: int = -1,
        on_delivery: Callable[[Any, Any], None] | None = None,
        timestamp: int = 0,
        headers: Any = None,
    ) -> None:
        if client._key_serializer is not None:
            key = client._key_serializer(key, SerializationContext(topic, MessageField.KEY, headers))
        if client._value_serializer is not None:
            value = client._value_serializer(value, SerializationContext(topic, MessageField.VALUE, headers))
        produce(topic, value, key, partition, on_delivery, None, timestamp, headers)

    return recorded


def _as_bytes(data: Any) -> Any:
    return data.encode() if isinstance(data, str) else data


def _done(ledger: ProducerLedger, acks: list[bytes], pack: Callable[..., bytes]) -> Callable[[bytes, Any, Any], None]:
    """Return the delivery callback, which gets the message's header as its first argument."""
    append = acks.append

    def done(sent: bytes, error: Any, message: Any) -> None:
        if error is None and (offset := message.offset()) is not None and offset >= 0:
            append(pack(sent, time_ns(), message.partition(), offset))
        elif error is None:
            ledger.acked(_sending_of(sent), _partition_or_unknown(message), UNKNOWN_NUMBER)
        else:
            text = f"{error.name()}: {error.str()}"
            ledger.failed(_sending_of(sent), error.code(), text, _partition_or_unknown(message))

    return done


def _both(report: Callable[[Any, Any], None], own: Callable[[Any, Any], None], error: Any, message: Any) -> None:
    report(error, message)
    own(error, message)


def _sending_of(sent: bytes) -> Sending:
    """Unpack the header and key of a message in flight."""
    _, _, sequence, sent_us, _ = HEADER_FORM.unpack_from(sent)
    hashed, is_null = KEY_FORM.unpack_from(sent, HEADER_BYTES) if len(sent) > HEADER_BYTES else (NO_KEY, False)
    return sequence, sent_us, hashed, is_null


def _partition_or_unknown(message: Any) -> int:
    partition = None if message is None else message.partition()
    return UNKNOWN_NUMBER if partition is None else max(partition, UNKNOWN_NUMBER)


class _RecordedConsumer:
    """The recorded functions of a Consumer."""

    def __init__(self, ledger: ConsumerLedger, client: Any, settings: Mapping[str, Any]) -> None:
        self._ledger = ledger
        self._client = client
        self._settings = settings

    def wrapped(self) -> Any:
        """Return the client with its recorded functions."""
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
            if at.error is None:
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
        """Return the committed offsets; a partition without one starts by its reset policy."""
        try:
            committed = self._client.committed(partitions, timeout=_COMMITTED_S_MAX)
        except Exception:  # noqa: BLE001 - the offsets are then unknown, and the client must go on
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
        except Exception:  # noqa: BLE001 - a closed or failing client has no position, and must go on
            return
        for at in self._ledger.of_topic(positions):
            if at.offset >= 0:
                self._ledger.event(EventKind.POSITION, at.partition, at.offset)


def _number(partition: int | None) -> int:
    return UNKNOWN_NUMBER if partition is None else partition
