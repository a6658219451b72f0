"""The client program of confluent-kafka."""

import time
from typing import Any

from confluent_kafka import Consumer, Producer

from chronik.audit.capture.clients.program import POLL_S, Program, consumer_ledger, payloads, producer_ledger
from chronik.audit.capture.settings import ClientTask, RunSettings


def produce(program: Program, task: ClientTask) -> None:
    """Send, and wait for what comes of it."""
    settings = task.run_settings
    with producer_ledger(program, task) as ledger:
        producer = ledger.wrap(Producer(producer_settings(settings)))
        for value, key in payloads(program, task):
            _send(producer, settings.topic, value, key)
            producer.poll(0)
        _await_outcomes(program, producer, settings.delivery_s + 5)


def _send(producer: Any, topic: str, value: bytes, key: bytes | None) -> None:
    while True:
        try:
            producer.produce(topic, value, key)
            return
        except BufferError:
            producer.poll(0.1)


def _await_outcomes(program: Program, producer: Any, seconds: float) -> None:
    until = time.monotonic() + seconds
    while len(producer) and program.may_wait(until):
        producer.poll(0.05)


def consume(program: Program, task: ClientTask) -> None:
    """Read until the run stops."""
    settings = task.run_settings
    with consumer_ledger(program, task) as ledger:
        own = consumer_settings(settings, task.reset)
        consumer = ledger.wrap(Consumer(own), own)
        consumer.subscribe([settings.topic])
        is_ready = False
        while not program.stop.is_set():
            consumer.consume(settings.max_poll_records, POLL_S)
            if not is_ready and consumer.assignment():
                is_ready = True
                program.write({"event": "ready"})
        consumer.close()


def producer_settings(settings: RunSettings) -> dict[str, Any]:
    """Spell the run's settings as librdkafka does."""
    return {
        "bootstrap.servers": settings.seen_by_clients,
        "client.id": "chronik-audit-producer",
        "acks": "all" if settings.idempotent else settings.acks,
        "enable.idempotence": settings.idempotent,
        "max.in.flight.requests.per.connection": settings.in_flight,
        "message.timeout.ms": int(settings.delivery_s * 1000),
        "request.timeout.ms": min(30_000, int(settings.delivery_s * 1000)),
        "linger.ms": 5,
        "retry.backoff.max.ms": 500,
    }


def consumer_settings(settings: RunSettings, reset: str) -> dict[str, Any]:
    """Spell the run's settings as librdkafka does."""
    own: dict[str, Any] = {
        "bootstrap.servers": settings.seen_by_clients,
        "client.id": "chronik-audit-consumer",
        "group.id": settings.group,
        "auto.offset.reset": reset,
        "isolation.level": settings.isolation,
        "enable.auto.commit": True,
        "auto.commit.interval.ms": 1000,
    }
    if settings.fetch_max_bytes is not None:
        limit = settings.fetch_max_bytes
        own |= {"fetch.max.bytes": max(limit, 1_000_000), "max.partition.fetch.bytes": limit}
        own |= {"message.max.bytes": min(1_000_000, max(limit, 1000))}
    return own


if __name__ == "__main__":
    Program().run(produce, consume)
