"""Sixty-four clients of all manners, as a process of its own, so that whoever watches the broker is not slowed by them.

``python -m tests.faults.connection_load BOOTSTRAP TOPIC PARTITIONS SECONDS`` prints, as JSON, every value that was
acknowledged with its partition and offset, what was sent in all, and how many records the readers have seen.
"""

import json
import socket
import sys
import threading
import time
from struct import Struct
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.frames import encode_request
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from tests.regressions.wire import fetch_request

PRODUCERS = 8
CONSUMERS = 4
NEVER_READ = 24
HALF_OPEN = 20
ASKING = 8
VALUES_PER_ROUND = 10
ROUND_SECONDS = 0.05
_SIZE = Struct(">i")


class Sending:
    """An idempotent producer at a steady pace."""

    def __init__(self, bootstrap: str, topic: str, partitions: int, name: str) -> None:
        self.sent = 0
        self.acknowledged: list[tuple[str, int, int]] = []
        self.failed: list[str] = []
        self._topic = topic
        self._partitions = partitions
        self._name = name
        self._producer = Producer({"bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 2})

    def run(self, until: float) -> None:
        while time.monotonic() < until:
            for _ in range(VALUES_PER_ROUND):
                value = f"{self._name}-{self.sent}".encode().ljust(300, b".")
                partition = self.sent % self._partitions
                self._producer.produce(self._topic, value, partition=partition, on_delivery=self._on_outcome)
                self.sent += 1
            self._producer.poll(ROUND_SECONDS)
        assert self._producer.flush(60) == 0

    def _on_outcome(self, error: KafkaError | None, message: Message) -> None:
        value, partition, offset = message.value(), message.partition(), message.offset()
        if error is not None or value is None or partition is None or offset is None:
            self.failed.append(str(error))
        else:
            self.acknowledged.append((value.decode(), partition, offset))


def read_on(bootstrap: str, topic: str, partition: int, until: float, seen: list[int]) -> None:
    """Consume at the tail, counting."""
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "none", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, partition, 0)])
    count = 0
    while time.monotonic() < until:
        count += sum(message.error() is None for message in consumer.consume(500, timeout=0.2))
    seen.append(count)
    consumer.close()


def connect(bootstrap: str) -> socket.socket:
    host, _, port = bootstrap.rpartition(":")
    return socket.create_connection((host, int(port)), timeout=60)


def frame(key: ApiKey, version: int, request: Any) -> bytes:
    return b"".join(encode_request(SERVED[key], version, 1, "load", request))


def ask_without_reading(bootstrap: str, topic: str, partition: int) -> socket.socket:
    """Ask for more than any buffer holds, and never take a byte of it."""
    sock = connect(bootstrap)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    asked = frame(ApiKey.FETCH, 12, fetch_request(topic, 0, partition=partition, max_wait_ms=100)) * 200
    sock.send(asked, socket.MSG_DONTWAIT)
    return sock


def begin_a_frame(bootstrap: str, number: int) -> socket.socket:
    """Announce a frame and send part of it: nothing, its size, a few bytes, or more than a receive buffer holds."""
    sock = connect(bootstrap)
    part = [b"", _SIZE.pack(5_000_000), _SIZE.pack(900) + bytes(100), _SIZE.pack(3_000_000) + bytes(70_000)]
    sock.sendall(part[number % len(part)])
    return sock


def ask_now_and_then(bootstrap: str, until: float) -> None:
    with connect(bootstrap) as sock:
        while time.monotonic() < until:
            sock.sendall(frame(ApiKey.API_VERSIONS, 3, ApiVersionsRequest("load", "1")))
            size = _SIZE.unpack(sock.recv(4, socket.MSG_WAITALL))[0]
            sock.recv(size, socket.MSG_WAITALL)
            time.sleep(0.1)


def main(bootstrap: str, topic: str, partitions: int, seconds: float) -> None:
    until = time.monotonic() + seconds
    senders = [Sending(bootstrap, topic, partitions, f"p{index}") for index in range(PRODUCERS)]
    seen: list[int] = []
    threads = [threading.Thread(target=sender.run, args=(until,)) for sender in senders]
    threads += [
        threading.Thread(target=read_on, args=(bootstrap, topic, index % partitions, until, seen))
        for index in range(CONSUMERS)
    ]
    threads += [threading.Thread(target=ask_now_and_then, args=(bootstrap, until)) for _ in range(ASKING)]
    for thread in threads:
        thread.start()
    # The unruly ones come while the others are at work.
    time.sleep(1)
    held = [ask_without_reading(bootstrap, topic, index % partitions) for index in range(NEVER_READ)]
    held += [begin_a_frame(bootstrap, index) for index in range(HALF_OPEN)]
    for thread in threads:
        thread.join()
    for sock in held:
        sock.close()
    account = {
        "sent": sum(sender.sent for sender in senders),
        "acknowledged": [entry for sender in senders for entry in sender.acknowledged],
        "failed": [error for sender in senders for error in sender.failed],
        "seen": seen,
    }
    sys.stdout.write(json.dumps(account))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
