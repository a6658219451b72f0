"""Wrapping a client of any known library, and what the libraries' wrappers share.

A wrapped client has everything that the client has; only the recorded functions are replaced.
"""

import inspect
import time
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from chronik.audit.tables.ids import HEADER, checksum
from chronik.audit.tables.schemas import UNKNOWN_NUMBER

if TYPE_CHECKING:
    from chronik.audit.ledger.consumer import ConsumerLedger
    from chronik.audit.ledger.producer import ProducerLedger, Sending

Headers = Iterable[tuple[str, Any]] | Mapping[str, Any] | None


class Wrapped:
    """A client with some functions replaced; all other attributes are the client's own."""

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


def wrap_producer(ledger: "ProducerLedger", client: Any) -> Any:
    """Wrap a producer; the functions that it has show its library."""
    if hasattr(client, "produce"):
        from chronik.audit.ledger.clients import confluent

        return confluent.wrap_producer(ledger, client)
    if inspect.iscoroutinefunction(getattr(client, "send", None)):
        from chronik.audit.ledger.clients import aiokafka

        return aiokafka.wrap_producer(ledger, client)
    if hasattr(client, "send") and hasattr(client, "config"):
        from chronik.audit.ledger.clients import kafka_python

        return kafka_python.wrap_producer(ledger, client)
    raise TypeError(f"{type(client).__name__} is no producer of confluent-kafka, kafka-python or aiokafka")


def wrap_consumer(ledger: "ConsumerLedger", client: Any, settings: Mapping[str, Any]) -> Any:
    """Wrap a consumer; the functions that it has show its library."""
    if hasattr(client, "consume"):
        from chronik.audit.ledger.clients import confluent

        return confluent.wrap_consumer(ledger, client, settings)
    if inspect.iscoroutinefunction(getattr(client, "getmany", None)):
        from chronik.audit.ledger.clients import aiokafka

        return aiokafka.wrap_consumer(ledger, client)
    if hasattr(client, "poll") and hasattr(client, "config"):
        from chronik.audit.ledger.clients import kafka_python

        return kafka_python.wrap_consumer(ledger, client)
    raise TypeError(f"{type(client).__name__} is no consumer of confluent-kafka, kafka-python or aiokafka")


def promises_of(client: Any, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the guarantees that a producer's settings ask for; {} where the settings are unknown.

    The settings have librdkafka's or kafka-python's names.
    """
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


def listed(headers: Headers) -> list[tuple[str, Any]]:
    """Return headers of any form as a list of pairs."""
    if headers is None:
        return []
    return list(headers.items()) if isinstance(headers, Mapping) else list(headers)


def header_of(headers: Iterable[tuple[str, bytes]] | None) -> bytes | None:
    """Return the audit header of a record; of several the last one, which its sender added."""
    found = None
    for name, value in headers or ():
        if name == HEADER:
            found = value
    return found


def record_failure(ledger: "ProducerLedger", sending: "Sending", error: BaseException) -> None:
    """Record an exception of kafka-python or aiokafka; a broker's error has its code as ``errno``."""
    code = getattr(error, "errno", None)
    is_of_broker = isinstance(code, int) and code >= 0
    ledger.failed(sending, code if is_of_broker else None, repr(error))


def record_ack(ledger: "ProducerLedger", sending: "Sending", metadata: Any) -> None:
    """Record the metadata of kafka-python or aiokafka of an acknowledged message."""
    ledger.acked(sending, metadata.partition, UNKNOWN_NUMBER if metadata.offset is None else metadata.offset)


def record_deliveries(ledger: "ConsumerLedger", found: Iterable[tuple[int, list[Any]]]) -> bool:
    """Record the records of one poll by partition, and return whether positions should be recorded now."""
    count = 0
    received_us = time.time_ns() // 1000
    append, generation, poll = ledger.rows.append, ledger.generation, ledger.poll + 1
    for partition, records in found:
        count += len(records)
        for record in records:
            crc, header = checksum(record.value, record.key), header_of(record.headers)
            append((generation, poll, received_us, partition, record.offset, record.timestamp, header, crc))
    ledger.poll += count > 0
    return ledger.polled(count)


def serialize_with(key_serializer: Any, value_serializer: Any) -> Callable[..., tuple[bytes | None, bytes | None]]:
    """Return a function that serializes key and value as kafka-python and aiokafka do."""

    def serialized(topic: str, headers: Any, key: Any, value: Any) -> tuple[bytes | None, bytes | None]:
        return _bytes(key_serializer, topic, headers, key), _bytes(value_serializer, topic, headers, value)

    return serialized


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
