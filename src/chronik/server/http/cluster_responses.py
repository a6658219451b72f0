"""The cluster's facts in the shapes that are answered: overview, topics, partitions, groups."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from chronik.server.status.cluster import BrokerView, ClusterFacts
from chronik.server.status.problems import faults_of
from chronik.server.status.totals import Sums, has_fault

Json = dict[str, Any]

_HEAD_OF_SILENT: Final[Json] = {
    "version": None,
    "started_ms": None,
    "now_ms": None,
    "memory_bytes": None,
    "cpu_s": None,
    "connections": None,
    "loop_delay": None,
    "rates": None,
}


def overview(facts: ClusterFacts) -> Json:
    """Give the whole cluster at a glance."""
    totals = facts.tally.totals
    return {
        "cluster_id": facts.image.cluster_id,
        "controller": facts.controller,
        "now_ms": facts.now_ms,
        "asked": facts.asked,
        "brokers": [_broker(broker, facts) for broker in facts.brokers],
        "totals": {
            "topics": len(facts.image.topics),
            "partitions": totals.partitions,
            "under_replicated": totals.under_replicated,
            "offline": totals.offline,
            "lag": totals.lag,
        },
        "topics": topics(facts),
        "groups": groups(facts),
        "faults": [fault.as_json() for fault in faults_of(facts)],
    }


def _broker(broker: BrokerView, facts: ClusterFacts) -> Json:
    known: Json = {
        "node_id": broker.node_id,
        "cluster_id": facts.image.cluster_id,
        "is_controller": facts.controller == broker.node_id,
        "state": _state(broker),
        "kafka": broker.kafka,
        "http": broker.http,
        "rack": broker.rack,
    }
    return {
        **_HEAD_OF_SILENT,
        **known,
        **(broker.head or {}),
        "up": broker.is_registered and broker.silent_for_ms == 0,
        "silent_for_ms": broker.silent_for_ms,
        "leads": facts.tally.leads[broker.node_id],
        "replicas": facts.tally.replicas[broker.node_id],
    }


def _state(broker: BrokerView) -> str:
    if not broker.is_registered:
        return "gone"
    return "silent" if broker.silent_for_ms else "unseen"


def topics(facts: ClusterFacts) -> Iterator[Json]:
    """Give every topic in one line each, by name."""
    return (_topic(facts, name) for name in sorted(facts.image.topics))


def _topic(facts: ClusterFacts, name: str) -> Json:
    sums = facts.tally.topics.get(name, Sums())
    return {
        "topic": name,
        "topic_id": str(facts.image.topics[name].id),
        "partitions": sums.partitions,
        "replication": sums.replication,
        "lag": sums.lag,
        "bytes_in": round(facts.topic_bytes_in.get(name, 0.0), 1),
        "under_replicated": sums.under_replicated,
        "offline": sums.offline,
        "standing": sums.standing,
    }


def topic_in_full(facts: ClusterFacts, name: str) -> Json:
    """Give one topic with its configs and all its partitions."""
    configs = dict(sorted(facts.image.topics[name].configs.items()))
    return {**_topic(facts, name), "configs": configs, "all_partitions": partitions_of(facts, name)}


def partitions_of(facts: ClusterFacts, name: str) -> Iterator[Json]:
    """Give all partitions of a topic."""
    return (facts.partitions[name, index] for index in range(len(facts.image.topics[name].partitions)))


def partitions(
    facts: ClusterFacts,
    topic: str | None,
    sort: str,
    offset: int,
    limit: int,
    *,
    contains: str = "",
    only_faults: bool,
) -> Json:
    """Give a page of the partitions that are asked for."""
    wanted: Iterable[Json] = facts.partitions.values() if topic is None else partitions_of(facts, topic)
    found = (partition for partition in wanted if contains in partition["topic"])
    chosen = [partition for partition in found if not only_faults or has_fault(partition)]
    chosen.sort(key=_by_lag if sort == "lag" else _by_name)
    return {"total": len(chosen), "partitions": iter(chosen[offset : offset + limit])}


def groups(facts: ClusterFacts) -> Iterator[Json]:
    """Give every group in one line each, by name."""
    return (
        {"group": each["group"], "state": each["state"], "members": len(each["members"]), "lag": each["lag"]}
        for each in sorted(facts.groups, key=lambda each: str(each["group"]))
    )


def _by_name(partition: Json) -> tuple[str, int]:
    return partition["topic"], partition["partition"]


def _by_lag(partition: Json) -> tuple[int, str, int]:
    return -(partition["lag"] or 0), *_by_name(partition)
