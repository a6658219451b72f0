"""The faults of a cluster, described in words: a pure function of its status."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from chronik.model.ids import NO_BROKER
from chronik.server.status.cluster import BrokerStatus, ClusterStatus
from chronik.server.status.totals import is_stalled

Json = Mapping[str, Any]

SILENT_MS: Final = 2_000
LOOP_DELAY_MS: Final = 1_000
FAULTS_MAX: Final = 100
"""Further faults are only counted."""
_NAMED_MAX: Final = 3
CRITICAL: Final = "critical"
WARNING: Final = "warning"


class ClusterFault(NamedTuple):
    """One fault, and the broker or partition that has it. The fields are those of the JSON."""

    severity: str
    kind: str
    subject: str
    text: str
    since_ms: int | None = None
    """Since when, by the wall clock; None if that is unknown."""


def faults_of(status: ClusterStatus) -> list[ClusterFault]:
    """Return the faults of a cluster, the worst and longest first."""
    found = [
        *_of_controller(status),
        *_of_brokers(status),
        *_of_partitions(status.totals.faulty, status.now_ms),
        *_of_followers(status),
    ]
    found.sort(key=lambda fault: (fault.severity != CRITICAL, _ORDER.index(fault.kind), fault.since_ms or 0))
    if len(found) <= FAULTS_MAX:
        return found
    more = len(found) - FAULTS_MAX
    return [*found[:FAULTS_MAX], ClusterFault(WARNING, "more", "cluster", f"and {more:,} more faults")]


_ORDER: Final = (
    "no_controller",
    "broker_gone",
    "broker_silent",
    "partition_offline",
    "watermark_stands",
    "under_min_isr",
    "follower_behind",
    "loop_delayed",
    "broker_unseen",
)


# --- the controller and the brokers


def _of_controller(status: ClusterStatus) -> Iterator[ClusterFault]:
    if status.controller is None:
        yield ClusterFault(
            CRITICAL,
            "no_controller",
            "cluster",
            "there is no controller, so no leader can be elected: check whether the metadata store answers",
        )


def _of_brokers(status: ClusterStatus) -> Iterator[ClusterFault]:
    for broker in status.brokers:
        subject = f"broker {broker.node_id}"
        since_ms = status.now_ms - broker.silent_for_ms
        if not broker.is_registered:
            yield ClusterFault(CRITICAL, "broker_gone", subject, _gone(broker, status), since_ms)
        elif broker.silent_for_ms >= SILENT_MS:
            yield ClusterFault(CRITICAL, "broker_silent", subject, _silent(broker, status), since_ms)
        elif broker.why_unseen is not None:
            yield ClusterFault(WARNING, "broker_unseen", subject, f"{subject}: {broker.why_unseen}")
        elif (delay_ms := _loop_delay_ms(broker)) >= LOOP_DELAY_MS:
            text = f"{subject}: its event loop was blocked for {delay_ms / 1000:.1f} s within the last minute"
            yield ClusterFault(WARNING, "loop_delayed", subject, text)


def _gone(broker: BrokerStatus, status: ClusterStatus) -> str:
    held = status.totals.replicas[broker.node_id]
    replicas = "1 replica" if held == 1 else f"{held:,} replicas"
    seconds = _seconds(broker.silent_for_ms)
    return f"broker {broker.node_id}: it has not been in the cluster for {seconds}, and holds {replicas}"


def _silent(broker: BrokerStatus, status: ClusterStatus) -> str:
    seconds = _seconds(broker.silent_for_ms)
    begin = f"broker {broker.node_id}: it is registered but has not answered at {broker.http} for {seconds}"
    led = status.totals.leads[broker.node_id]
    if led == 0:
        return begin
    what = "1 partition" if led == 1 else f"{led:,} partitions"
    # If only its HTTP server is silent, it may still serve them; no other broker does.
    return f"{begin}; it leads {what}, which no other broker serves meanwhile"


def _loop_delay_ms(broker: BrokerStatus) -> float:
    delay = (broker.head or {}).get("loop_delay") or {}
    return float(delay.get("longest_minute_ms") or 0)


# --- partitions


def _of_partitions(partitions: Iterable[Json], now_ms: int) -> Iterator[ClusterFault]:
    for partition in partitions:
        subject = f"{partition['topic']}-{partition['partition']}"
        if partition["role"] == "offline":
            yield ClusterFault(CRITICAL, "partition_offline", subject, _offline(subject, partition))
            continue
        if is_stalled(partition):
            since_ms = now_ms - partition["stands_for_ms"]
            yield ClusterFault(CRITICAL, "watermark_stands", subject, _stalled(subject, partition), since_ms)
        if len(partition["isr"]) < partition["required_in_sync"]:
            yield ClusterFault(CRITICAL, "under_min_isr", subject, f"partition {subject}: {_too_few(partition)}")


def _offline(subject: str, partition: Json) -> str:
    if partition["leader"] == NO_BROKER:
        eligible = sorted({*partition["isr"], *partition["elr"]})
        return f"partition {subject}: it has no leader; one of {_listed(eligible)} must come back to lead it"
    return f"partition {subject}: broker {partition['leader']} leads it and cannot: {partition['why_offline']}"


def _stalled(subject: str, partition: Json) -> str:
    begin = (
        f"partition {subject}: watermark at {partition['high_watermark']:,} for {_seconds(partition['stands_for_ms'])}"
        f" while the log end is {partition['log_end']:,}"
    )
    return "; ".join([begin, *_holding(partition)])


def _holding(partition: Json) -> Iterator[str]:
    """Name the followers that keep the high watermark from advancing."""
    if len(partition["isr"]) < partition["required_in_sync"]:
        yield _too_few(partition)
    for follower in partition["followers"]:
        if not follower["in_sync"] or follower["log_end"] == partition["log_end"]:
            continue
        if follower["fetched_ms_ago"] >= SILENT_MS:
            yield f"follower {follower['node']} has not fetched for {_seconds(follower['fetched_ms_ago'])}"
        elif follower["log_end"] is None:
            yield f"follower {follower['node']} has not fetched in this term"
        else:
            yield f"follower {follower['node']} is at {follower['log_end']:,}"


def _too_few(partition: Json) -> str:
    count = len(partition["isr"])
    replicas = "1 replica is" if count == 1 else f"{count} replicas are"
    asked = partition["required_in_sync"]
    return f"{replicas} in sync where min.insync.replicas asks for {asked}, so that acks=all is refused"


# --- followers


def _of_followers(status: ClusterStatus) -> Iterator[ClusterFault]:
    """Return one fault for each broker with followers out of sync: there may be thousands of them.

    A broker that is not registered has a fault of its own already.
    """
    registered = {broker.node_id for broker in status.brokers if broker.is_registered}
    behind: dict[int, list[tuple[int, str]]] = {}
    for partition in status.totals.faulty:
        for follower in partition["followers"]:
            if follower["node"] not in registered or follower["in_sync"]:
                continue
            if follower["fetched_ms_ago"] >= SILENT_MS:
                name = f"{partition['topic']}-{partition['partition']}"
                behind.setdefault(follower["node"], []).append((follower["fetched_ms_ago"], name))
    for node, late in sorted(behind.items()):
        longest_ms = max(ago_ms for ago_ms, _ in late)
        names = sorted(name for _, name in late)
        what = f"{len(late):,} partitions" if len(late) > 1 else "1 partition"
        text = (
            f"broker {node}: it follows {what} without being in sync, and has not fetched"
            f" for {_seconds(longest_ms)}: {_listed(names)}"
        )
        yield ClusterFault(WARNING, "follower_behind", f"broker {node}", text, status.now_ms - longest_ms)


def _listed(items: Sequence[object]) -> str:
    named = ", ".join(str(item) for item in items[:_NAMED_MAX])
    return f"{named} and {len(items) - _NAMED_MAX:,} more" if len(items) > _NAMED_MAX else named or "none"


def _seconds(duration_ms: int) -> str:
    return f"{duration_ms // 1000:,} s"
