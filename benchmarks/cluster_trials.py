"""Measurements on three brokers: throughput and delay with three replicas, memory, start, and many partitions."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer

from benchmarks.cluster_contenders import Cluster, Contender, Cpu, cpu_seconds, made_topic, memory_mb, running, topic
from benchmarks.cluster_watermark import watermark
from benchmarks.load import InvalidMeasurementError, Result, run_client
from benchmarks.trials import BATCHED, ONE_IN_FLIGHT, SINGLES, Sample

ALL = {"acks": "all"}
REST_SECONDS = 10.0
IDLE_SECONDS = 10.0
MANY = 1_000


@dataclass(frozen=True, slots=True)
class Scale:
    """How much work a trial does."""

    bulk_mb: int = 500
    small_count: int = 3_000_000
    singles: int = 20_000
    latencies: int = 8_000
    warm_mb: int = 1_000
    watermarks: int = 300


FULL = Scale()
QUICK = Scale(100, 500_000, 4_000, 2_000, 100, 100)

Measure = Callable[[Cluster, Scale], list[Sample]]
FreshMeasure = Callable[[Contender, Path], list[Sample]]


@dataclass(frozen=True, slots=True)
class Trial:
    """A measurement on a cluster that runs."""

    name: str
    figures: tuple[str, ...]
    measure: Measure


@dataclass(frozen=True, slots=True)
class FreshTrial:
    """A measurement that starts its own cluster, alone on the machine."""

    name: str
    figures: tuple[str, ...]
    measure: FreshMeasure


def bulk_1k(cluster: Cluster, scale: Scale) -> list[Sample]:
    return [_bulk(cluster, "all_1k", 1000, scale.bulk_mb * 1000, ALL, "mb_per_s")]


def bulk_100b(cluster: Cluster, scale: Scale) -> list[Sample]:
    return [_bulk(cluster, "all_100b", 100, scale.small_count, ALL, "messages_per_s")]


def bulk_leader(cluster: Cluster, scale: Scale) -> list[Sample]:
    return [_bulk(cluster, "leader_1k", 1000, scale.bulk_mb * 1000, {}, "mb_per_s")]


def pipelined(cluster: Cluster, scale: Scale) -> list[Sample]:
    with topic(cluster) as name, Cpu(cluster) as cpu:
        load: dict[str, object] = {"size": 100, "count": scale.singles, "outstanding": 2000, "conf": {**SINGLES, **ALL}}
        result = run_client("produce", servers=cluster.bootstrap_servers, topic=name, **load)
    return [Sample("all_pipelined", result["messages_per_s"], cpu.seconds, result)]


def one_in_flight(cluster: Cluster, scale: Scale) -> list[Sample]:
    with topic(cluster) as name, Cpu(cluster) as cpu:
        load: dict[str, object] = {"size": 100, "count": scale.latencies, "conf": {**ONE_IN_FLIGHT, **ALL}}
        result = run_client("one_in_flight", servers=cluster.bootstrap_servers, topic=name, **load)
    return [
        Sample("all_one_in_flight_p50", result["p50_us"], cpu.seconds, result),
        Sample("all_one_in_flight_p99", result["p99_us"], cpu.seconds, result),
    ]


def memory(cluster: Cluster, _scale: Scale) -> list[Sample]:
    """After everything that was done to it before: this trial is the last of a round."""
    return [Sample("memory", memory_mb(cluster), cpu_seconds(cluster))]


def ready(contender: Contender, directory: Path) -> list[Sample]:
    """From the start of three processes on new data until every one knows the others and a controller."""
    cluster = contender.cluster(directory)
    try:
        # Kafka's directories are formatted by a JVM of its own, which is not what is measured.
        prepare = getattr(cluster, "prepare", None)
        if prepare is not None:
            prepare()
        began = time.monotonic()
        cluster.start()
        cluster.wait_ready()
        return [Sample("ready", time.monotonic() - began, cpu_seconds(cluster))]
    finally:
        cluster.close()


def many_partitions(contender: Contender, directory: Path) -> list[Sample]:
    """A thousand partitions made, left alone, and led again after a broker was killed."""
    with running(contender, directory) as cluster:
        with Cpu(cluster) as creating:
            began = time.monotonic()
            _write_to_each(cluster, made_topic(cluster, MANY))
            created = time.monotonic() - began
        # What is left to do after a thousand logs were made is not idleness.
        time.sleep(REST_SECONDS)
        with Cpu(cluster) as idle:
            time.sleep(IDLE_SECONDS)
        cluster.kill(cluster.running[-1])
        killed = time.monotonic()
        cluster.wait_ready()
        elected = time.monotonic() - killed
    return [
        Sample("many_create", created, creating.seconds),
        Sample("many_idle", idle.seconds / IDLE_SECONDS * 100, idle.seconds),
        Sample("many_elect", elected, 0.0),
    ]


def _write_to_each(cluster: Cluster, name: str) -> None:
    """Have one message acknowledged by all replicas of every partition: before that a topic is made in name only."""
    failures: list[str] = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all", "message.timeout.ms": 120_000})
    for partition in range(MANY):
        producer.produce(
            name, b"first", partition=partition, callback=lambda e, _: failures.append(str(e)) if e else None
        )
    if producer.flush(120) or failures:
        raise InvalidMeasurementError(f"not every partition could be written to: {failures[:1]}")


def warm_up(cluster: Cluster, scale: Scale) -> None:
    """Let a JVM reach its speed."""
    for size, acks in ((1000, ALL), (100, ALL), (1000, {})):
        _bulk(cluster, "warm", size, scale.warm_mb * 1_000_000 // size // 3, acks, "mb_per_s")
    with topic(cluster) as name:
        load: dict[str, object] = {"size": 100, "count": scale.singles, "outstanding": 2000, "conf": {**SINGLES, **ALL}}
        run_client("produce", servers=cluster.bootstrap_servers, topic=name, **load)
        load = {"size": 100, "count": scale.latencies, "conf": {**ONE_IN_FLIGHT, **ALL}}
        run_client("one_in_flight", servers=cluster.bootstrap_servers, topic=name, **load)


TRIALS = (
    Trial("bulk_1k", ("all_1k",), bulk_1k),
    Trial("bulk_100b", ("all_100b",), bulk_100b),
    Trial("bulk_leader", ("leader_1k",), bulk_leader),
    Trial("pipelined", ("all_pipelined",), pipelined),
    Trial("one_in_flight", ("all_one_in_flight_p50", "all_one_in_flight_p99"), one_in_flight),
    Trial("watermark", ("watermark_p50",), lambda cluster, scale: watermark(cluster, scale.watermarks)),
    Trial("memory", ("memory",), memory),
)
FRESH_TRIALS = (
    FreshTrial("ready", ("ready",), ready),
    FreshTrial("many_partitions", ("many_create", "many_idle", "many_elect"), many_partitions),
)


def _bulk(cluster: Cluster, figure: str, size: int, count: int, acks: dict[str, str], measured: str) -> Sample:
    with topic(cluster, partitions=3) as name, Cpu(cluster) as cpu:
        result = _produce(cluster, name, size, count, {**BATCHED, **acks})
    return Sample(figure, result[measured], cpu.seconds, result)


def _produce(cluster: Cluster, name: str, size: int, count: int, conf: dict[str, str]) -> Result:
    load: dict[str, object] = {"partitions": 3, "size": size, "count": count, "conf": conf}
    result = run_client("produce", servers=cluster.bootstrap_servers, topic=name, **load)
    if result["acknowledged"] != count:
        raise InvalidMeasurementError(f"{result['acknowledged']:.0f} of {count} messages were acknowledged")
    return result
