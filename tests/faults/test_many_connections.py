"""Many clients, some of which never read or never finish a sentence: the loop keeps its beat, memory stays flat."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from soak.watch import cpu_wait_seconds
from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.faults.connection_load import CONSUMERS
from tests.regressions.librdkafka import read_partition, send_all, values_read
from tests.regressions.processes import memory_bytes, open_descriptors, wait_until
from tests.regressions.wire import Wire, batch_of, fetch_request, produce_request, values_of

SECONDS = float(os.environ.get("CHRONIK_SOAK_SECONDS", "60"))
HEARTBEAT_SECONDS_MAX = 1.0
STALLS_OF_THE_MACHINE_MAX = 2
"""A host that does not run this machine, or a disk that stands still, delays a probe and is not the loop's doing:
seen once, for 2.7 s. A loop that does too much at once does it again and again within the minute."""
PROBE_SECONDS = 0.05
PARTITIONS = 4
GROWTH_BYTES_MAX = 16 * 1024 * 1024
ROOT = Path(__file__).parents[2]
MEBIBYTE = 1024 * 1024
SILENT_READERS = 30
STEADY = 10


class Heartbeat:
    """Asks the broker every 50 ms, and notes how long it took and how much memory it had.

    Time for which broker or watcher waited for a CPU that others used does not count: the loop did not stand still.
    """

    def __init__(self, broker: BrokerProcess) -> None:
        self.delays: list[float] = []
        self.memory: list[int] = []
        self._broker = broker

    def watch(self, load: subprocess.Popen[bytes], seconds_max: float) -> None:
        deadline = time.monotonic() + seconds_max
        with Wire(self._broker.bootstrap) as wire:
            while load.poll() is None:
                assert time.monotonic() < deadline, "the load has not ended"
                waited, started = cpu_wait_seconds(self._broker.pid), time.perf_counter()
                wire.call(ApiKey.API_VERSIONS, 3, ApiVersionsRequest("heartbeat", "1"))
                took = time.perf_counter() - started
                self.delays.append(took - (cpu_wait_seconds(self._broker.pid) - waited))
                self.memory.append(memory_bytes(self._broker.pid))
                time.sleep(PROBE_SECONDS)


@pytest.mark.timeout(SECONDS + 120)
def test_the_loop_keeps_its_beat_and_memory_stays_flat_under_64_connections(
    start_broker: StartBroker, topic_name: str, tmp_path: Path
) -> None:
    """Rules 1, 46, 57."""
    broker = start_broker()
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, PARTITIONS)
        for partition in range(PARTITIONS):
            # What the slow readers ask for, so that each could pin megabytes.
            for _ in range(3):
                wire.append(topic_name, bytes(900_000), partition=partition)
        # Consumers that name a group have this topic made, whose files stay open.
        found = wire.call(ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest(coordinator_keys=["none"]))
        assert found.coordinators[0].error_code == ErrorCode.NONE
        at_rest = open_descriptors(broker.pid)
    heartbeat, output = Heartbeat(broker), tmp_path / "account.json"
    command = [sys.executable, "-m", "tests.faults.connection_load", broker.bootstrap, topic_name, str(PARTITIONS)]
    with output.open("wb") as file:
        load = subprocess.Popen([*command, str(SECONDS)], stdout=file, cwd=ROOT)
        try:
            heartbeat.watch(load, SECONDS + 60)
        finally:
            if load.poll() is None:
                load.kill()
            load.wait()
    assert load.returncode == 0
    assert len(heartbeat.delays) > SECONDS / PROBE_SECONDS / 10
    missed = [round(delay, 2) for delay in heartbeat.delays if delay >= HEARTBEAT_SECONDS_MAX]
    assert len(missed) <= STALLS_OF_THE_MACHINE_MAX, missed
    _assert_flat(heartbeat.memory)
    wait_until(lambda: open_descriptors(broker.pid) <= at_rest, 60, "all connections are closed")
    _assert_account_is_right(broker, topic_name, json.loads(output.read_text()))
    assert " died" not in broker.log_text


def _assert_flat(samples: list[int]) -> None:
    """The first tenth is left out: buffers and caches have their first use there."""
    settled = samples[len(samples) // 10 :]
    half = len(settled) // 2
    first, second = max(settled[:half]), max(settled[half:])
    assert second - first < GROWTH_BYTES_MAX, f"{first} bytes at most, then {second}"


def _assert_account_is_right(broker: BrokerProcess, topic: str, account: dict[str, Any]) -> None:
    assert account["failed"] == []
    acknowledged = account["acknowledged"]
    assert len(acknowledged) == account["sent"]
    assert len(account["seen"]) == CONSUMERS
    assert all(account["seen"]), "a consumer has seen nothing"
    with Wire(broker.bootstrap) as wire:
        stored = {index: values_of(wire.read_all(topic, partition=index)) for index in range(PARTITIONS)}
    for value, partition, offset in acknowledged:
        assert stored[partition][offset] == value.encode()
    counts = Counter(value for values in stored.values() for value in values)
    assert counts.total() == len(acknowledged) + 3 * PARTITIONS


# --- back-pressure

SMALL_MEMORY = {
    "chronik.in.flight.bytes.max": 4 * MEBIBYTE,
    "socket.request.max.bytes": 2 * MEBIBYTE,
    "message.max.bytes": MEBIBYTE,
}


def test_ten_times_the_memory_for_requests_can_be_written_and_read_back(
    start_broker: StartBroker, topic_name: str
) -> None:
    """Rules 15, 22: overload slows, loses nothing, and what was lent comes back."""
    broker = start_broker(SMALL_MEMORY)
    writers, values_each = 8, 8
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, writers)
    sent = {
        index: [b"%d-%d-" % (index, number) + bytes(700_000) for number in range(values_each)]
        for index in range(writers)
    }
    assert sum(len(value) for values in sent.values() for value in values) > 10 * 4 * MEBIBYTE
    acknowledged: dict[int, dict[bytes, int]] = {}

    def write(index: int) -> None:
        acknowledged[index] = send_all(
            broker.bootstrap, topic_name, sent[index], partition=index, enable_idempotence=True, linger_ms=0
        )

    threads = [threading.Thread(target=write, args=(index,)) for index in sent]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for index, values in sent.items():
        assert acknowledged[index] == {value: offset for offset, value in enumerate(values)}
        assert values_read(read_partition(broker.bootstrap, topic_name, index)) == Counter(values)
    # Everything that was lent has been given back: the largest frame finds room at once.
    with Wire(broker.bootstrap) as wire:
        assert wire.append(topic_name, bytes(MEBIBYTE - 1000)) == values_each


def test_readers_that_never_read_do_not_starve_the_others(start_broker: StartBroker, topic_name: str) -> None:
    """Rules 22, 57: their answers wait in bounds, and everybody else is served."""
    broker = start_broker(SMALL_MEMORY)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        for _ in range(5):
            wire.append(topic_name, bytes(900_000))
    before = memory_bytes(broker.pid)
    peaks = [_memory_with_silent_readers(broker, topic_name) for _ in range(4)]
    # Each may hold the one answer that it does not take; the limit and the pool of free buffers come on top.
    bound = (SILENT_READERS + 4 + 16 + 8) * MEBIBYTE
    assert peaks[0] - before < bound, f"{peaks[0] - before} bytes for {20 * SILENT_READERS} unread answers"
    # What the first ones held serves the next: nothing was forgotten when they went away.
    assert max(peaks) - peaks[0] < 10 * MEBIBYTE, peaks


def _memory_with_silent_readers(broker: BrokerProcess, topic: str) -> int:
    """Let readers ask and never read; beside them others are served. Gives the memory at that moment."""
    silent = [Wire(broker.bootstrap) for _ in range(SILENT_READERS)]
    try:
        for wire in silent:
            for _ in range(20):
                wire.send(ApiKey.FETCH, 12, fetch_request(topic, 0))
        with Wire(broker.bootstrap) as wire:
            end = wire.append(topic, bytes(900_000)) + 1
            assert len(wire.read_all(topic)) == end
        return _settled_memory(broker)
    finally:
        for wire in silent:
            wire._socket.close()


def _settled_memory(broker: BrokerProcess) -> int:
    """Give the memory once it stays what it is: the broker answers the silent ones when it comes to them."""
    deadline, seen = time.monotonic() + 60, [memory_bytes(broker.pid)]
    while len(seen) < STEADY or max(seen[-STEADY:]) - min(seen[-STEADY:]) > MEBIBYTE:
        assert time.monotonic() < deadline, f"the memory does not settle: {seen[-STEADY:]}"
        time.sleep(0.05)
        seen.append(memory_bytes(broker.pid))
    return seen[-1]


def test_half_a_frame_does_not_hold_the_memory_that_others_need(start_broker: StartBroker, topic_name: str) -> None:
    """Rule 15: those who stall while holding a buffer lose it to those who wait."""
    broker = start_broker(SMALL_MEMORY)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        stalled = [Wire(broker.bootstrap) for _ in range(6)]
        _, frame = wire.encode(ApiKey.PRODUCE, 9, produce_request(topic_name, batch_of(bytes(1_000_000))))
        wire._asked.clear()
        for each in stalled:
            each.send_bytes(frame[:600_000])
        started = time.monotonic()
        assert wire.append(topic_name, bytes(1_000_000)) == 0
        # Far less than the time after which idle connections are closed.
        assert time.monotonic() - started < 45
        for each in stalled:
            each._socket.close()
        assert wire.end_offset(topic_name) == 1
