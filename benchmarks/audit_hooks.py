"""What a ledger costs a confluent-kafka producer: processes with and without one, at full speed and at an even rate."""

import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.prerequisites import ROOT
from chronik.testing import Broker

VALUE: Final = b"x" * 100
RATE: Final = 10_000
RATE_S: Final = 8
FULL_SPEED: Final = 300_000
WARM_UP: Final = 5000
ROUNDS: Final = 3
TRIAL_S_MAX: Final = 180
_STEP: Final = 100


def main() -> None:
    """Run one trial: bootstrap, directory of the ledger or nothing, messages, messages per second or 0."""
    bootstrap, place, messages, rate = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    from confluent_kafka import Producer

    settings = {"bootstrap.servers": bootstrap, "linger.ms": 5, "queue.buffering.max.messages": 1_000_000}
    producer: Any = Producer(settings)
    ledger = None
    if place:
        from chronik.audit import ProducerLedger

        ledger = ProducerLedger(place)
        producer = ledger.wrap(producer, settings)
    # What is loaded and connected at the first messages is no part of what each message costs.
    _send(producer, WARM_UP, RATE)
    producer.flush(60)
    began, used = time.perf_counter(), _cpu_s()
    _send(producer, messages, rate)
    producer.flush(60)
    if ledger is not None:
        ledger.close()
    print(json.dumps({"wall_s": time.perf_counter() - began, "cpu_s": _cpu_s() - used}))


def _send(producer: Any, messages: int, rate: int) -> None:
    began = time.perf_counter()
    for number in range(messages):
        producer.produce("hooked", VALUE)
        if number % _STEP == 0:
            producer.poll(0)
            ahead_s = number / rate - (time.perf_counter() - began) if rate else 0.0
            if ahead_s > 0:
                time.sleep(ahead_s)


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def measure(directory: Path, rounds: int = ROUNDS) -> list[str]:
    """Take turns with and without a ledger, and say what it adds, by the medians."""
    with Broker() as broker:
        fast = _pairs(broker.bootstrap_servers, directory, FULL_SPEED, 0, rounds)
        even = _pairs(broker.bootstrap_servers, directory, RATE * RATE_S, RATE, rounds)
    plain, hooked = fast
    added_us = (hooked["cpu_s"] - plain["cpu_s"]) / FULL_SPEED * 1e6
    slower_us = (hooked["wall_s"] - plain["wall_s"]) / FULL_SPEED * 1e6
    share = (even[1]["cpu_s"] - even[0]["cpu_s"]) / even[1]["wall_s"]
    return [
        f"hooks at full speed: {added_us:.2f} us of CPU and {slower_us:.2f} us of time per message "
        f"({FULL_SPEED / plain['wall_s'] / 1e3:.0f} k -> {FULL_SPEED / hooked['wall_s'] / 1e3:.0f} k messages/s)",
        f"hooks at {RATE:,} messages/s: {share:.1%} of a core "
        f"({even[0]['cpu_s'] / even[0]['wall_s']:.1%} -> {even[1]['cpu_s'] / even[1]['wall_s']:.1%})",
    ]


def _pairs(
    bootstrap: str, directory: Path, messages: int, rate: int, rounds: int
) -> tuple[dict[str, float], dict[str, float]]:
    trials: tuple[list[dict[str, float]], list[dict[str, float]]] = ([], [])
    for _ in range(rounds):
        for number, found in enumerate(trials):
            with tempfile.TemporaryDirectory(dir=directory) as place:
                found.append(_trial(bootstrap, place if number else "", messages, rate))
    plain, hooked = ({name: statistics.median(one[name] for one in found) for name in found[0]} for found in trials)
    return plain, hooked


def _trial(bootstrap: str, place: str, messages: int, rate: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.audit_hooks", bootstrap, place, str(messages), str(rate)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=TRIAL_S_MAX)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
