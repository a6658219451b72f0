"""The client program of aiokafka."""

import asyncio
import logging
import time
from typing import Any

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer  # type: ignore[import-untyped]

from chronik.audit.capture.clients.program import POLL_S, Program, consumer_ledger, payloads, producer_ledger
from chronik.audit.capture.settings import ClientTask, RunSettings


def produce(program: Program, task: ClientTask) -> None:
    """Send, and wait for what comes of it."""
    asyncio.run(_produce(program, task))


async def _produce(program: Program, task: ClientTask) -> None:
    settings = task.run_settings
    with producer_ledger(program, task) as ledger:
        producer = ledger.wrap(AIOKafkaProducer(**producer_settings(settings)))
        await producer.start()
        waiting: set[asyncio.Future[Any]] = set()
        for value, key in payloads(program, task):
            await _send(producer, settings.topic, value, key, waiting)
        await _await_outcomes(program, waiting, settings.delivery_s + 5)
        await asyncio.wait_for(producer.stop(), settings.delivery_s + 5)


async def _send(producer: Any, topic: str, value: bytes, key: bytes | None, waiting: set[asyncio.Future[Any]]) -> None:
    try:
        future = await producer.send(topic, value, key)
    except Exception:
        # The ledger has it as not sent, and the next one may be taken.
        logging.getLogger(__name__).exception("a message was not taken")
        return
    waiting.add(future)
    future.add_done_callback(waiting.discard)


async def _await_outcomes(program: Program, waiting: set[asyncio.Future[Any]], seconds: float) -> None:
    until = time.monotonic() + seconds
    while waiting and program.may_wait(until):
        await asyncio.wait(list(waiting), timeout=POLL_S)


def consume(program: Program, task: ClientTask) -> None:
    """Read until the run stops."""
    asyncio.run(_consume(program, task))


async def _consume(program: Program, task: ClientTask) -> None:
    settings = task.run_settings
    with consumer_ledger(program, task) as ledger:
        consumer = ledger.wrap(AIOKafkaConsumer(**consumer_settings(settings, task.reset)))
        consumer.subscribe([settings.topic])
        await consumer.start()
        program.write({"event": "ready"})
        while not program.stop.is_set():
            await consumer.getmany(timeout_ms=int(POLL_S * 1000), max_records=settings.max_poll_records)
        await consumer.stop()


def producer_settings(settings: RunSettings) -> dict[str, Any]:
    """Spell the run's settings as aiokafka does; it has one request in flight to each broker, always."""
    acks = "all" if settings.idempotent else settings.acks
    return {
        "bootstrap_servers": settings.seen_by_clients,
        "client_id": "chronik-audit-producer",
        "acks": "all" if acks in ("all", "-1") else int(acks),
        "enable_idempotence": settings.idempotent,
        "request_timeout_ms": int(settings.delivery_s * 1000),
    }


def consumer_settings(settings: RunSettings, reset: str) -> dict[str, Any]:
    """Spell the run's settings as aiokafka does."""
    own: dict[str, Any] = {
        "bootstrap_servers": settings.seen_by_clients,
        "client_id": "chronik-audit-consumer",
        "group_id": settings.group,
        "auto_offset_reset": reset,
        "isolation_level": settings.isolation,
        "auto_commit_interval_ms": 1000,
    }
    if settings.fetch_max_bytes is not None:
        own |= {"fetch_max_bytes": settings.fetch_max_bytes, "max_partition_fetch_bytes": settings.fetch_max_bytes}
    return own


if __name__ == "__main__":
    Program().run(produce, consume)
