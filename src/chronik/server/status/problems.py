"""What is wrong in the cluster, in words: a pure function of what is known of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from chronik.model.ids import NO_BROKER
from chronik.server.status.cluster import BrokerView, ClusterFacts
from chronik.server.status.totals import is_standing

Json = Mapping[str, Any]

SILENT_MS: Final = 2_000
LOOP_DELAY_MS: Final = 1_000
FAULTS_MAX: Final = 100
"""More are counted; nobody reads them one by one."""
_NAMED_MAX: Final = 3
CRITICAL: Final = "critical"
WARNING: Final = "warning"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong, with somebody or something that it is wrong with."""

    severity: str
    kind: str
    subject: str
    text: str
    since_ms: int | None = None
    """Since when, by the wall clock, where that is known."""

    def as_json(self) -> dict[str, Any]:
        return {
            "severity": self.severity,
            "kind": self.kind,
            "subject": self.subject,
            "text": self.text,
            "since_ms": self.since_ms,
        }


def faults_of(facts: ClusterFacts) -> list[Fault]:
    """Name what is wrong, the worst and longest first."""
    found = [
        *_of_controller(facts),
        *_of_brokers(facts),
        *_of_partitions(facts.tally.faulty, facts.now_ms),
        *_of_followers(facts),
    ]
    found.sort(key=lambda fault: (fault.severity != CRITICAL, _ORDER.index(fault.kind), fault.since_ms or 0))
    if len(found) <= FAULTS_MAX:
        return found
    more = len(found) - FAULTS_MAX
    return [*found[:FAULTS_MAX], Fault(WARNING, "more", "cluster", f"and {more:,} faults more")]


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


def _of_controller(facts: ClusterFacts) -> Iterator[Fault]:
    if facts.controller is None:
        yield Fault(
            CRITICAL,
            "no_controller",
            "cluster",
            "no broker is controller: no leader is elected until one is; see whether the metadata store answers",
        )


def _of_brokers(facts: ClusterFacts) -> Iterator[Fault]:
    for broker in facts.brokers:
        subject = f"broker {broker.node_id}"
        since_ms = facts.now_ms - broker.silent_for_ms
        if not broker.is_registered:
            yield Fault(CRITICAL, "broker_gone", subject, _gone(broker, facts), since_ms)
        elif broker.silent_for_ms >= SILENT_MS:
            yield Fault(CRITICAL, "broker_silent", subject, _silent(broker, facts), since_ms)
        elif broker.why_unseen is not None:
            yield Fault(WARNING, "broker_unseen", subject, f"{subject}: {broker.why_unseen}")
        elif (delay_ms := _loop_delay_ms(broker)) >= LOOP_DELAY_MS:
            text = f"{subject}: its event loop stood still for {delay_ms / 1000:.1f} s within the last minute"
            yield Fault(WARNING, "loop_delayed", subject, text)


def _gone(broker: BrokerView, facts: ClusterFacts) -> str:
    held = facts.tally.replicas[broker.node_id]
    replicas = "1 replica" if held == 1 else f"{held:,} replicas"
    seconds = _seconds(broker.silent_for_ms)
    return f"broker {broker.node_id}: it has not been in the cluster for {seconds}, and holds {replicas}"


def _silent(broker: BrokerView, facts: ClusterFacts) -> str:
    seconds = _seconds(broker.silent_for_ms)
    begin = f"broker {broker.node_id}: it is registered but has not answered at {broker.http} for {seconds}"
    led = facts.tally.leads[broker.node_id]
    if led == 0:
        return begin
    what = "1 partition" if led == 1 else f"{led:,} partitions"
    # It may serve them still, if only its HTTP side is silent; that no other broker does is sure.
    return f"{begin}; it leads {what}, which nobody else serves meanwhile"


def _loop_delay_ms(broker: BrokerView) -> float:
    delay = (broker.head or {}).get("loop_delay") or {}
    return float(delay.get("longest_minute_ms") or 0)


# --- partitions


def _of_partitions(partitions: Iterable[Json], now_ms: int) -> Iterator[Fault]:
    for partition in partitions:
        subject = f"{partition['topic']}-{partition['partition']}"
        if partition["role"] == "offline":
            yield Fault(CRITICAL, "partition_offline", subject, _offline(subject, partition))
            continue
        if is_standing(partition):
            since_ms = now_ms - partition["stands_for_ms"]
            yield Fault(CRITICAL, "watermark_stands", subject, _stands(subject, partition), since_ms)
        if len(partition["isr"]) < partition["required_in_sync"]:
            yield Fault(CRITICAL, "under_min_isr", subject, f"partition {subject}: {_too_few(partition)}")


def _offline(subject: str, partition: Json) -> str:
    if partition["leader"] == NO_BROKER:
        eligible = sorted({*partition["isr"], *partition["elr"]})
        return f"partition {subject}: it has no leader; one of {_listed(eligible)} must come back to lead it"
    return f"partition {subject}: broker {partition['leader']} leads it and cannot: {partition['why_offline']}"


def _stands(subject: str, partition: Json) -> str:
    begin = (
        f"partition {subject}: watermark at {partition['high_watermark']:,} for {_seconds(partition['stands_for_ms'])}"
        f" while the log end is {partition['log_end']:,}"
    )
    return "; ".join([begin, *_holding(partition)])


def _holding(partition: Json) -> Iterator[str]:
    """Say who keeps the watermark where it is."""
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


def _of_followers(facts: ClusterFacts) -> Iterator[Fault]:
    """One fault for each broker that follows too little: it may follow thousands of partitions.

    Of one that is gone that is said already.
    """
    registered = {broker.node_id for broker in facts.brokers if broker.is_registered}
    behind: dict[int, list[tuple[int, str]]] = {}
    for partition in facts.tally.faulty:
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
        yield Fault(WARNING, "follower_behind", f"broker {node}", text, facts.now_ms - longest_ms)


def _listed(items: Sequence[object]) -> str:
    named = ", ".join(str(item) for item in items[:_NAMED_MAX])
    return f"{named} and {len(items) - _NAMED_MAX:,} more" if len(items) > _NAMED_MAX else named or "nobody"


def _seconds(duration_ms: int) -> str:
    return f"{duration_ms // 1000:,} s"
