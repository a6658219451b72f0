"""Producers of confluent-kafka, kafka-python and aiokafka that record what they send.

A wrapped client has everything that the client has; only sending is another function. What differs between the
libraries (how they serialise, how they tell what came of a message) ends here.
"""

import asyncio
import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from time import time_ns
from types import MethodType
from typing import Any, Final
from zlib import crc32

from chronik.audit.ledger.producer import ACK_FORM, ACK_WITH_KEY_FORM, KEY_FORM, ProducerLedger, Sending
from chronik.audit.tables.ids import HEADER, HEADER_BYTES, HEADER_FORM, HEADER_REST_FORM, NO_KEY, checksum, key_hash
from chronik.audit.tables.schemas import UNKNOWN_NUMBER

Headers = Iterable[tuple[str, Any]] | Mapping[str, Any] | None


class Wrapped:
    """Stands for a client: what is not replaced is the client's own."""

    def __init__(self, client: Any, **replaced: Callable[..., Any]) -> None:
        self.__dict__.update(replaced)
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def __len__(self) -> int:
        return len(self._client)

    def __enter__(self) -> Any:
        self._client.__enter__()
        return self

    def __exit__(self, *reason: Any) -> Any:
        return self._client.__exit__(*reason)

    async def __aenter__(self) -> Any:
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *reason: Any) -> Any:
        return await self._client.__aexit__(*reason)


def wrap_producer(ledger: ProducerLedger, client: Any) -> Any:
    """Wrap a producer of any library that is known, by what it can do."""
    if hasattr(client, "produce") and hasattr(client, "_value_serializer"):
        return Wrapped(client, produce=_serializing_produce(ledger, client))
    if hasattr(client, "produce"):
        return Wrapped(client, produce=confluent_produce(ledger, client.produce))
    if inspect.iscoroutinefunction(getattr(client, "send", None)):
        return _wrap_aiokafka(ledger, client)
    if hasattr(client, "send") and hasattr(client, "config"):
        return Wrapped(client, send=_kafka_python_send(ledger, client))
    raise TypeError(f"{type(client).__name__} is no producer of confluent-kafka, kafka-python or aiokafka")


def promises_of(client: Any, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Read from a client's settings, by librdkafka's or kafka-python's names, what it was promised; {}: not known."""
    own = settings if settings is not None else getattr(client, "config", None)
    if not isinstance(own, Mapping):
        return {}
    plain = {str(name).replace(".", "_"): value for name, value in own.items()}
    is_transactional = bool(plain.get("transactional_id"))
    is_idempotent = str(plain.get("enable_idempotence", False)).lower() == "true" or is_transactional
    in_flight = plain.get("max_in_flight_requests_per_connection", plain.get("max_in_flight", 5))
    return {
        "acks": "all" if is_idempotent else str(plain.get("acks", plain.get("request_required_acks", "all"))),
        "idempotent": is_idempotent,
        "in_flight": int(in_flight),
        "transactional": is_transactional,
    }


def confluent_produce(ledger: ProducerLedger, produce: Callable[..., None]) -> Callable[..., None]:
    """Make ``produce`` of a confluent-kafka producer.

    Everything that happens for each message stands here once more, without the calls to the ledger that it is made
    of elsewhere: they would cost more than the work itself.
    """
    lock, pack, pack_key = ledger.lock, HEADER_REST_FORM.pack, KEY_FORM.pack
    begin = ledger.header_begin
    done = _confluent_done(ledger, ledger.acks, ACK_FORM.pack)
    done_with_key = _confluent_done(ledger, ledger.acks_with_key, ACK_WITH_KEY_FORM.pack)

    def recorded(  # long: one message, in one piece, for the sake of speed
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
            produce(topic, value, key, partition, callback or on_delivery, None, timestamp, _listed(headers))
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
                produce(topic, value, key, partition, own, None, timestamp, _listed(headers))
                return
            header = begin + pack(sequence, time_ns() // 1000, crc)
            marked = [(HEADER, header)] if headers is None else [*_listed(headers), (HEADER, header)]
            # A bound method is the lightest thing that remembers a message until its report comes.
            report: Any = MethodType(done, header) if of_key is None else MethodType(done_with_key, header + of_key)
            if own is not None:
                report = partial(_both, report, own)
            try:
                produce(topic, value, key, partition, report, None, timestamp, marked)
            except BufferError:
                # The queue is full, and the caller will try again; the sequence was not used.
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
    """Make ``produce`` of a confluent-kafka SerializingProducer, whose arguments stand in another order."""
    from confluent_kafka import Producer
    from confluent_kafka.serialization import MessageField, SerializationContext

    produce = confluent_produce(ledger, partial(Producer.produce, client))

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


def _confluent_done(
    ledger: ProducerLedger, acks: list[bytes], pack: Callable[..., bytes]
) -> Callable[[bytes, Any, Any], None]:
    """Make what is called with a message's header and with what became of it."""
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
    """Read what was packed for a message in flight."""
    _, _, sequence, sent_us, _ = HEADER_FORM.unpack_from(sent)
    hashed, is_null = KEY_FORM.unpack_from(sent, HEADER_BYTES) if len(sent) > HEADER_BYTES else (NO_KEY, False)
    return sequence, sent_us, hashed, is_null


def _offset_or_unknown(offset: int | None) -> int:
    return UNKNOWN_NUMBER if offset is None else offset


def _partition_or_unknown(message: Any) -> int:
    partition = None if message is None else message.partition()
    return UNKNOWN_NUMBER if partition is None else max(partition, UNKNOWN_NUMBER)


def _listed(headers: Headers) -> Any:
    if headers is None:
        return []
    return list(headers.items()) if isinstance(headers, Mapping) else list(headers)


def _kafka_python_send(ledger: ProducerLedger, client: Any) -> Callable[..., Any]:
    serialized = _kafka_python_serializers(client)
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
        future.add_callback(partial(_kafka_python_acked, ledger, sending))
        future.add_errback(partial(_failed_with, ledger, sending))
        return future

    return recorded


def _kafka_python_acked(ledger: ProducerLedger, sending: Any, metadata: Any) -> None:
    ledger.acked(sending, metadata.partition, _offset_or_unknown(metadata.offset))


def _failed_with(ledger: ProducerLedger, sending: Any, error: BaseException) -> None:
    code = getattr(error, "errno", None)
    is_of_broker = isinstance(code, int) and code >= 0
    ledger.failed(sending, code if is_of_broker else None, repr(error))


_SERIALIZERS: Final = ("key_serializer", "value_serializer")


def _kafka_python_serializers(client: Any) -> Callable[..., tuple[bytes | None, bytes | None]]:
    """Take the serializers out of the client, because the checksum is of the bytes that they make."""
    key_serializer, value_serializer = (client.config[name] for name in _SERIALIZERS)
    client.config.update(dict.fromkeys(_SERIALIZERS))
    return partial(_both_serialized, key_serializer, value_serializer)


def _both_serialized(
    key_serializer: Any, value_serializer: Any, topic: str, headers: Any, key: Any, value: Any
) -> tuple[bytes | None, bytes | None]:
    return _bytes(key_serializer, topic, headers, key), _bytes(value_serializer, topic, headers, value)


def _bytes(serializer: Any, topic: str, headers: Any, data: Any) -> bytes | None:
    if serializer is not None:
        data = _serialize(serializer, topic, headers, data)
    return data if data is None or isinstance(data, bytes) else bytes(data)


def _serialize(serializer: Any, topic: str, headers: Any, data: Any) -> Any:
    if not hasattr(serializer, "serialize"):
        return serializer(data)
    try:
        return serializer.serialize(topic, headers, data)
    except TypeError:
        return serializer.serialize(topic, data)


def _wrap_aiokafka(ledger: ProducerLedger, client: Any) -> Any:
    serialized = _aiokafka_serializers(client)
    # The order in which waiting sends are served is the client's own only if they come one at a time.
    turn = asyncio.Lock()

    async def send(topic: str, value: Any = None, key: Any = None, **more: Any) -> Any:
        key, value = serialized(topic, (), key, value)
        headers = _listed(more.pop("headers", None))
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
        future.add_done_callback(partial(_aiokafka_done, ledger, sending))
        return future

    async def send_and_wait(topic: str, value: Any = None, key: Any = None, **more: Any) -> Any:
        return await (await send(topic, value, key, **more))

    return Wrapped(client, send=send, send_and_wait=send_and_wait)


def _aiokafka_serializers(client: Any) -> Callable[..., tuple[bytes | None, bytes | None]]:
    key_serializer, value_serializer = client._key_serializer, client._value_serializer
    client._key_serializer = client._value_serializer = None
    return partial(_both_serialized, key_serializer, value_serializer)


def _aiokafka_done(ledger: ProducerLedger, sending: Any, future: Any) -> None:
    if future.cancelled():
        ledger.failed(sending, None, "cancelled")
    elif future.exception() is not None:
        _failed_with(ledger, sending, future.exception())
    else:
        metadata = future.result()
        ledger.acked(sending, metadata.partition, _offset_or_unknown(metadata.offset))
