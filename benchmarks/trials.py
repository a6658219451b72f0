"""The measurements: each runs once per round and contender, and yields samples of one or two figures."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import machine
from benchmarks.brokers import Broker, Contender, await_listening, free_port, running, spawn
from benchmarks.load import InvalidMeasurementError, Result, companion, run_client

DELETION_SECONDS_MAX = 60
BATCHED = {"linger.ms": "5", "batch.size": "1000000", "batch.num.messages": "10000", "acks": "1"}
SINGLES = {"linger.ms": "0", "batch.num.messages": "1", "max.in.flight": "1000", "acks": "1"}
ONE_IN_FLIGHT = {"max.in.flight": "1", "acks": "1"}
SMALL_BATCHES = {"linger.ms": "5", "batch.size": "16384", "acks": "1"}
READING = {
    "fetch.message.max.bytes": "1048576",
    "fetch.max.bytes": "52428800",
    "queued.max.messages.kbytes": "262144",
    "fetch.wait.max.ms": "100",
}
FLUSH_EACH = {"log.flush.interval.messages": "1"}


@dataclass(frozen=True, slots=True)
class Scale:
    """How much work a trial does."""

    bulk_mb: int = 1000
    small_count: int = 8_000_000
    singles: int = 40_000
    latencies: int = 15_000
    flush_ms: int = 5000
    stall_mb: int = 2500
    neighbour_mb: int = 2000
    memory_gb: int = 5
    warm_mb: int = 3000
    warm_singles: int = 25_000
    large_log_mb: int = 1000
    fetches: int = 5000


FULL = Scale()
QUICK = Scale(300, 1_500_000, 15_000, 5000, 2000, 1000, 1000, 1, 300, 3000, 500, 2000)


@dataclass(frozen=True, slots=True)
class Sample:
    """One value of one figure, with the broker's processor time for it and what else was seen."""

    figure: str
    value: float
    cpu_s: float
    details: Mapping[str, float] = field(default_factory=dict)


Measure = Callable[[Broker, Scale], list[Sample]]
FreshMeasure = Callable[[Contender, Path, Scale], list[Sample]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A measurement on a broker that is already running with ``settings``."""

    name: str
    figures: tuple[str, ...]
    measure: Measure
    settings: tuple[tuple[str, str], ...] = ()
    peer_too: bool = True


@dataclass(frozen=True, slots=True)
class FreshTrial:
    """A measurement that starts its own broker, alone on the machine."""

    name: str
    figures: tuple[str, ...]
    measure: FreshMeasure


def bulk_1k(broker: Broker, scale: Scale) -> list[Sample]:
    return _bulk(broker, 1000, scale.bulk_mb * 1000, ("produce_1k", "consume_1k"), "mb_per_s")


def bulk_100b(broker: Broker, scale: Scale) -> list[Sample]:
    return _bulk(broker, 100, scale.small_count, ("produce_100b", "consume_100b"), "messages_per_s")


def pipelined(broker: Broker, scale: Scale) -> list[Sample]:
    with topic(broker) as name, _Cpu(broker) as cpu:
        load: dict[str, object] = {"size": 100, "count": scale.singles, "outstanding": 2000, "conf": SINGLES}
        result = run_client("produce", servers=broker.servers, topic=name, **load)
    return [Sample("pipelined", result["messages_per_s"], cpu.seconds, result)]


def one_in_flight(broker: Broker, scale: Scale) -> list[Sample]:
    with topic(broker) as name, _Cpu(broker) as cpu:
        load: dict[str, object] = {"size": 100, "count": scale.latencies, "conf": ONE_IN_FLIGHT}
        result = run_client("one_in_flight", servers=broker.servers, topic=name, **load)
    return [
        Sample("one_in_flight_p50", result["p50_us"], cpu.seconds, result),
        Sample("one_in_flight_p99", result["p99_us"], cpu.seconds, result),
    ]


def flush_64(broker: Broker, scale: Scale) -> list[Sample]:
    """Durable singles on many connections, sent by plain sockets and again by librdkafka, which costs more itself."""
    plain = _connections(broker, scale, "connections_wire", "flush_64", {})
    return [plain, _connections(broker, scale, "connections", "flush_64_rdkafka", ONE_IN_FLIGHT)]


def longest_delay(broker: Broker, scale: Scale) -> list[Sample]:
    """Bulk writes beside a process that fills the disk, seen by a probe on a connection of its own."""
    file = broker.directory / "neighbour"
    with topic(broker, partitions=4) as name, companion("fill", path=file, mb=scale.neighbour_mb) as neighbour:
        _await_size(file, scale.neighbour_mb * 250_000)
        with companion("probe", servers=broker.servers) as probe, _Cpu(broker) as cpu:
            produced = _produce(broker, name, 1000, scale.stall_mb * 1000)
    details = {**probe.result, "neighbour_mb_per_s": neighbour.result["mb_per_s"], "mb_per_s": produced["mb_per_s"]}
    return [Sample("longest_delay", probe.result["max_ms"], cpu.seconds, details)]


def fetch_cost(broker: Broker, scale: Scale) -> list[Sample]:
    """Random fetches of one batch from a small and a large log, both in the page cache."""
    with topic(broker) as small, topic(broker) as large, _Cpu(broker) as cpu:
        from_small = _random_fetches(broker, small, 64_000, scale.fetches)
        from_large = _random_fetches(broker, large, scale.large_log_mb * 1000, scale.fetches)
    details = {"small_p50_us": from_small["p50_us"], "small_p99_us": from_small["p99_us"]}
    details |= {"large_p50_us": from_large["p50_us"], "large_p99_us": from_large["p99_us"]}
    return [Sample("fetch_cost", from_large["p50_us"] / from_small["p50_us"], cpu.seconds, details)]


def first_ack(contender: Contender, directory: Path, _scale: Scale) -> list[Sample]:
    """Restart a broker that holds one topic, and send until the first acknowledgement."""
    port = free_port()
    try:
        _make_topic_and_stop(contender, directory, port)
        with companion("first_ack", servers=f"127.0.0.1:{port}", topic="first") as client:
            start_ns = time.monotonic_ns()
            broker = spawn(contender, directory, port, {})
            try:
                client.process.wait(90)
                cpu = machine.cpu_seconds(broker.pid)
            finally:
                broker.stop()
        took = (client.result["acknowledged_ns"] - start_ns) / 1e9
        return [Sample("first_ack", took, cpu, {"port_open_s": (client.result["open_ns"] - start_ns) / 1e9})]
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def memory(contender: Contender, directory: Path, scale: Scale) -> list[Sample]:
    """Anonymous memory of a new broker, and of the same after gigabytes were written and read."""
    with running(contender, directory, {}) as broker:
        with topic(broker), _Cpu(broker) as idle_cpu:
            idle_mb = machine.anonymous_mb(broker.pid)
        with _Cpu(broker) as cpu:
            for _ in range(scale.memory_gb):
                _bulk(broker, 1000, 1_000_000, ("produce", "consume"), "mb_per_s")
        loaded_mb = machine.anonymous_mb(broker.pid)
    return [Sample("memory_idle", idle_mb, idle_cpu.seconds), Sample("memory_loaded", loaded_mb, cpu.seconds)]


def warm_up(broker: Broker, scale: Scale) -> None:
    """Let both brokers reach their speed: a JVM needs gigabytes and thousands of requests for it."""
    for size, share in ((1000, 0.75), (100, 0.25)):
        _bulk(broker, size, int(scale.warm_mb * 1_000_000 * share / size), ("produce", "consume"), "mb_per_s")
    with topic(broker) as name:
        load: dict[str, object] = {"size": 100, "count": scale.warm_singles, "outstanding": 2000, "conf": SINGLES}
        run_client("produce", servers=broker.servers, topic=name, **load)
        load = {"size": 100, "count": scale.warm_singles // 3, "conf": ONE_IN_FLIGHT}
        run_client("one_in_flight", servers=broker.servers, topic=name, **load)


TRIALS = (
    Trial("bulk_1k", ("produce_1k", "consume_1k"), bulk_1k),
    Trial("bulk_100b", ("produce_100b", "consume_100b"), bulk_100b),
    Trial("pipelined", ("pipelined",), pipelined),
    Trial("one_in_flight", ("one_in_flight_p50", "one_in_flight_p99"), one_in_flight),
    Trial("longest_delay", ("longest_delay",), longest_delay),
    Trial("fetch_cost", ("fetch_cost",), fetch_cost, peer_too=False),
    Trial("flush", ("flush_64", "flush_64_rdkafka"), flush_64, settings=tuple(FLUSH_EACH.items())),
)
FRESH_TRIALS = (
    FreshTrial("first_ack", ("first_ack",), first_ack),
    FreshTrial("memory", ("memory_idle", "memory_loaded"), memory),
)


@contextmanager
def topic(broker: Broker, partitions: int = 1) -> Iterator[str]:
    """A topic of its own for the block; afterwards it is deleted and its files are gone."""
    broker.check_alive()
    name = f"bench-{time.monotonic_ns()}"
    run_client("topic", servers=broker.servers, topic=name, partitions=partitions)
    try:
        yield name
    finally:
        broker.check_alive()
        run_client("topic", servers=broker.servers, topic=name, delete=1)
        _await_gone(broker.directory / "data", name)


class _Cpu:
    """Processor time that a broker uses inside a block."""

    def __init__(self, broker: Broker) -> None:
        self._pid = broker.pid
        self.seconds = 0.0

    def __enter__(self) -> "_Cpu":
        self._before = machine.cpu_seconds(self._pid)
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = round(machine.cpu_seconds(self._pid) - self._before, 2)


def _bulk(broker: Broker, size: int, count: int, figures: tuple[str, str], measured: str) -> list[Sample]:
    """Write a topic of four partitions in batches, then read it back whole."""
    with topic(broker, partitions=4) as name:
        with _Cpu(broker) as writing:
            produced = _produce(broker, name, size, count)
        with _Cpu(broker) as reading:
            consumed = run_client(
                "consume", servers=broker.servers, topic=name, partitions=4, size=size, count=count, conf=READING
            )
    return [
        Sample(figures[0], produced[measured], writing.seconds, produced),
        Sample(figures[1], consumed[measured], reading.seconds, consumed),
    ]


def _produce(broker: Broker, name: str, size: int, count: int) -> Result:
    result = run_client(
        "produce", servers=broker.servers, topic=name, partitions=4, size=size, count=count, conf=BATCHED
    )
    if result["acknowledged"] != count:
        raise InvalidMeasurementError(f"{result['acknowledged']:.0f} of {count} messages were acknowledged")
    return result


def _connections(broker: Broker, scale: Scale, client: str, figure: str, conf: Mapping[str, str]) -> Sample:
    with topic(broker) as name:
        load: dict[str, object] = {"connections": 64, "size": 100, "ms": scale.flush_ms, "conf": conf}
        with _Cpu(broker) as cpu:
            result = run_client(client, servers=broker.servers, topic=name, **load)
    return Sample(figure, result["messages_per_s"], cpu.seconds, result)


def _random_fetches(broker: Broker, name: str, count: int, fetches: int) -> Result:
    run_client("produce", servers=broker.servers, topic=name, size=1000, count=count, conf=SMALL_BATCHES)
    return run_client("random_fetch", servers=broker.servers, topic=name, end=count, count=fetches)


def _make_topic_and_stop(contender: Contender, directory: Path, port: int) -> None:
    broker = spawn(contender, directory, port, {})
    try:
        await_listening(broker)
        run_client("topic", servers=broker.servers, topic="first", partitions=1)
    finally:
        broker.stop()


def _await_gone(data: Path, name: str) -> None:
    deadline = time.monotonic() + DELETION_SECONDS_MAX
    while any(entry.name.startswith(name) for entry in data.iterdir()):
        if time.monotonic() > deadline:
            raise InvalidMeasurementError(f"the files of {name} are still there after {DELETION_SECONDS_MAX} s")
        time.sleep(0.05)


def _await_size(file: Path, size: int) -> None:
    deadline = time.monotonic() + 60
    while not file.exists() or file.stat().st_size < size:
        if time.monotonic() > deadline:
            raise InvalidMeasurementError("the neighbour does not fill the disk")
        time.sleep(0.05)
