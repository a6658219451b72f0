"""The exchange of the accident: messages sent with kafka-python as fast as possible, then read in large polls."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import uuid4

TOPIC: Final = "debug-large-batch"
MESSAGES: Final = 5000
PARTITIONS: Final = 3
READ_S_MAX: Final = 60.0
POLL_RECORDS_MAX: Final = 500
_FLUSH_S_MAX: Final = 60.0


@dataclass(slots=True)
class Exchange:
    """What was sent, what came of each send, and what was read."""

    sent: list[bytes] = field(default_factory=list)
    acknowledged: dict[bytes, tuple[int, int]] = field(default_factory=dict)
    """Partition and offset by message; with acks=0 nobody tells the offset, and it is -1."""
    failed: dict[bytes, str] = field(default_factory=dict)
    read: list[tuple[int, int, bytes]] = field(default_factory=list)
    sending_s: float = 0.0
    reading_s: float = 0.0


def exchange(
    bootstrap: str | Sequence[str],
    topic: str,
    messages: Sequence[bytes],
    *,
    acks: int | str = 1,
    in_flight: int = 5,
    read_s_max: float = READ_S_MAX,
) -> Exchange:
    """Send all messages and look at every result, then read until all were seen or nothing comes any more."""
    servers = [bootstrap] if isinstance(bootstrap, str) else list(bootstrap)
    done = Exchange(sent=list(messages))
    began = time.monotonic()
    _send(servers, topic, done, acks, in_flight)
    sent = time.monotonic()
    done.read = list(_read(servers, topic, set(messages), read_s_max))
    done.sending_s, done.reading_s = sent - began, time.monotonic() - sent
    return done


def _send(servers: list[str], topic: str, done: Exchange, acks: int | str, in_flight: int) -> None:
    from kafka import KafkaProducer  # type: ignore[import-untyped]

    producer = KafkaProducer(
        bootstrap_servers=servers,
        acks=acks,
        enable_idempotence=False,
        max_in_flight_requests_per_connection=in_flight,
    )
    try:
        futures = [producer.send(topic, value) for value in done.sent]
        producer.flush(timeout=_FLUSH_S_MAX)
        for value, future in zip(done.sent, futures, strict=True):
            _note_result(done, value, future)
    finally:
        producer.close(timeout=_FLUSH_S_MAX)


def _note_result(done: Exchange, value: bytes, future: Any) -> None:
    if not future.is_done:
        done.failed[value] = "no result"
    elif future.succeeded():
        done.acknowledged[value] = (future.value.partition, future.value.offset)
    else:
        done.failed[value] = repr(future.exception)


def _read(servers: list[str], topic: str, wanted: set[bytes], read_s_max: float) -> Iterator[tuple[int, int, bytes]]:
    from kafka import KafkaConsumer

    consumer = KafkaConsumer(
        topic,
        bootstrap_servers=servers,
        group_id=f"accident-{uuid4().hex[:8]}",
        auto_offset_reset="earliest",
        consumer_timeout_ms=int(read_s_max * 1000),
        max_poll_records=POLL_RECORDS_MAX,
    )
    # Before it joins: kafka-python may never take up an assignment that it got before it knew of the partitions.
    consumer.topics()
    try:
        missing = set(wanted)
        for record in consumer:
            missing.discard(record.value)
            yield record.partition, record.offset, record.value
            if not missing:
                break
    finally:
        consumer.close()
