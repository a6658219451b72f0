"""`python -m benchmarks.fresh_broker`: how long a test waits for a broker of its own from `chronik.testing`."""

import statistics
import time

import click
from confluent_kafka import Consumer, Producer

from benchmarks import machine
from chronik.testing import Broker

ANSWER_S_MAX = 30.0
QUIET = {"log.connection.close": False, "log_level": 0}
ROWS = (
    "ready",
    "of which on a processor",
    "first message acknowledged",
    "first message read by a group",
    "ended and removed",
)


@click.command()
@click.option("--rounds", default=15, show_default=True)
def main(rounds: int) -> None:
    """Start brokers one after the other, and print the median, lowest and highest time to each step."""
    times = [one_broker() for _ in range(rounds)]
    for number, title in enumerate(ROWS):
        steps = [steps[number] for steps in times]
        print(f"{title:32} {statistics.median(steps):.2f} s  ({min(steps):.2f} to {max(steps):.2f})")


def one_broker() -> tuple[float, ...]:
    """Seconds from the start of a broker to each step; the last is how long its end takes."""
    broker, began = Broker(), time.monotonic()
    try:
        broker.start()
        ready, worked = time.monotonic() - began, machine.cpu_seconds(broker.pid)
        send(broker)
        acknowledged = time.monotonic() - began
        read(broker)
        done = time.monotonic() - began
    finally:
        ending = time.monotonic()
        broker.close()
    return ready, worked, acknowledged, done, time.monotonic() - ending


def send(broker: Broker) -> None:
    outcomes: list[object] = []
    producer = Producer(broker.properties({**QUIET, "linger.ms": 0}))
    producer.produce("first", b"x", on_delivery=lambda error, _: outcomes.append(error))
    producer.flush(ANSWER_S_MAX)
    assert outcomes == [None], outcomes


def read(broker: Broker) -> None:
    consumer = Consumer(broker.properties({**QUIET, "group.id": "first", "auto.offset.reset": "earliest"}))
    consumer.subscribe(["first"])
    message = consumer.poll(ANSWER_S_MAX)
    assert message is not None
    assert message.error() is None
    consumer.close()


if __name__ == "__main__":
    main()
