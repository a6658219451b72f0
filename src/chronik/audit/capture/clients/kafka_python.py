"""The client program of kafka-python."""

import logging
import time
from typing import Any

from kafka import KafkaConsumer, KafkaProducer  # type: ignore[import-untyped]

from chronik.audit.capture.clients.program import POLL_S, Program, consumer_ledger, payloads, producer_ledger
from chronik.audit.capture.settings import ClientTask, RunSettings

_FLUSH_STEP_S = 0.2


def produce(program: Program, task: ClientTask) -> None:
    """Send, and wait for what comes of it."""
    settings = task.run_settings
    with producer_ledger(program, task) as ledger:
        producer = ledger.wrap(KafkaProducer(**producer_settings(settings)))
        for value, key in payloads(program, task):
            _send(producer, settings.topic, value, key)
        _await_outcomes(program, producer, settings.delivery_s + 5)
        producer.close(timeout=1)


def _send(producer: Any, topic: str, value: bytes, key: bytes | None) -> None:
    try:
        producer.send(topic, value, key)
    except Exception:
        # The ledger has it as not sent, and the next one may be taken.
        logging.getLogger(__name__).exception("a message was not taken")


def _await_outcomes(program: Program, producer: Any, seconds: float) -> None:
    from kafka.errors import KafkaTimeoutError  # type: ignore[import-untyped]

    until = time.monotonic() + seconds
    while program.may_wait(until):
        try:
            producer.flush(timeout=_FLUSH_STEP_S)
            return
        except KafkaTimeoutError:
            continue


def consume(program: Program, task: ClientTask) -> None:
    """Read until the run stops."""
    settings = task.run_settings
    with consumer_ledger(program, task) as ledger:
        consumer = ledger.wrap(KafkaConsumer(**consumer_settings(settings, task.reset)))
        consumer.subscribe([settings.topic])
        # The library joins again when it first learns of the topic's partitions, and never hears of that join's end
        # where a poll ends meanwhile (with Apache Kafka too): here it learns of them before it joins.
        consumer.topics()
        is_ready = False
        while not program.stop.is_set():
            consumer.poll(timeout_ms=int(POLL_S * 1000))
            if not is_ready and consumer.assignment():
                is_ready = True
                program.write({"event": "ready"})
        consumer.close()


def producer_settings(settings: RunSettings) -> dict[str, Any]:
    """Spell the run's settings as kafka-python does."""
    acks = "all" if settings.idempotent else settings.acks
    return {
        "bootstrap_servers": settings.seen_by_clients.split(","),
        "client_id": "chronik-audit-producer",
        "acks": "all" if acks in ("all", "-1") else int(acks),
        "enable_idempotence": settings.idempotent,
        "max_in_flight_requests_per_connection": settings.in_flight,
        "delivery_timeout_ms": int(settings.delivery_s * 1000),
        "request_timeout_ms": max(100, min(30_000, int(settings.delivery_s * 1000) - 100)),
        "max_block_ms": int(settings.delivery_s * 1000),
    }


def consumer_settings(settings: RunSettings, reset: str) -> dict[str, Any]:
    """Spell the run's settings as kafka-python does."""
    own: dict[str, Any] = {
        "bootstrap_servers": settings.seen_by_clients.split(","),
        "client_id": "chronik-audit-consumer",
        "group_id": settings.group,
        "auto_offset_reset": reset,
        "isolation_level": settings.isolation,
        "max_poll_records": settings.max_poll_records,
        "auto_commit_interval_ms": 1000,
    }
    if settings.fetch_max_bytes is not None:
        own |= {"fetch_max_bytes": settings.fetch_max_bytes, "max_partition_fetch_bytes": settings.fetch_max_bytes}
    return own


if __name__ == "__main__":
    Program().run(produce, consume)
