"""Members of a consumer group that a test lets come and go: clients of users, hooked, each in a thread.

They hear of a rebalance within a tenth of a second, where clients usually take three.
"""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import Consumer
from kafka import KafkaConsumer  # type: ignore[import-untyped]

from chronik.audit import ConsumerLedger
from chronik.audit.capture.settings import RunSettings

HEARTBEAT_MS = 100
SESSION_MS = 30_000
COMMIT_MS = 200
END_S_MAX = 60.0
POLL_S = 0.1

Poll = Callable[[], object]


class Member:
    """One consumer; it reads from its start until ``leave``."""

    def __init__(self, settings: RunSettings, ledger: ConsumerLedger) -> None:
        self.ledger = ledger
        self._settings = settings
        self._is_ending = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name=f"member-{ledger.consumer}", daemon=True)
        self._thread.start()

    def leave(self) -> None:
        """Leave the group in good order; whatever it failed of is raised."""
        self._is_ending.set()
        self._thread.join(END_S_MAX)
        assert not self._thread.is_alive(), "the member has left"
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            with self.ledger:
                client, poll = CLIENTS[self._settings.client](self.ledger, self._settings)
                while not self._is_ending.is_set():
                    poll()
                client.close()
        except BaseException as error:  # noqa: BLE001 - it is raised where the member leaves
            self._failure = error


def _confluent(ledger: ConsumerLedger, settings: RunSettings) -> tuple[Any, Poll]:
    own = {
        "bootstrap.servers": settings.bootstrap,
        "group.id": settings.group,
        "auto.offset.reset": "earliest",
        "isolation.level": settings.isolation,
        "heartbeat.interval.ms": HEARTBEAT_MS,
        "session.timeout.ms": SESSION_MS,
        "auto.commit.interval.ms": COMMIT_MS,
    }
    client = ledger.wrap(Consumer(own), own)
    client.subscribe([settings.topic])
    return client, lambda: client.consume(100, POLL_S)


def _kafka_python(ledger: ConsumerLedger, settings: RunSettings) -> tuple[Any, Poll]:
    client = KafkaConsumer(
        bootstrap_servers=settings.bootstrap.split(","),
        group_id=settings.group,
        auto_offset_reset="earliest",
        isolation_level=settings.isolation,
        heartbeat_interval_ms=HEARTBEAT_MS,
        session_timeout_ms=SESSION_MS,
        auto_commit_interval_ms=COMMIT_MS,
    )
    client = ledger.wrap(client)
    client.subscribe([settings.topic])
    # It joins once more when it first learns of the topic's partitions, and may wait for ever for that join's end.
    client.topics()
    return client, lambda: client.poll(int(POLL_S * 1000))


CLIENTS: Mapping[str, Callable[[ConsumerLedger, RunSettings], tuple[Any, Poll]]] = {
    "confluent": _confluent,
    "kafka-python": _kafka_python,
}
