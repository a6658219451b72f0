"""The cluster's status as JSON: overview, topics, partitions, groups."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from chronik.server.status.cluster import BrokerStatus, ClusterStatus
from chronik.server.status.problems import faults_of
from chronik.server.status.totals import PartitionTotals, has_fault

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


def overview(status: ClusterStatus) -> Json:
    """Return the overview of the cluster."""
    totals = status.totals.cluster
    return {
        "cluster_id": status.image.cluster_id,
        "controller": status.controller,
        "now_ms": status.now_ms,
        "asked": status.asked,
        "brokers": [_broker(broker, status) for broker in status.brokers],
        "totals": {
            "topics": len(status.image.topics),
            "partitions": totals.partitions,
            "under_replicated": totals.under_replicated,
            "offline": totals.offline,
            "lag": totals.lag,
        },
        "topics": topics(status),
        "groups": groups(status),
        "faults": [fault._asdict() for fault in faults_of(status)],
    }


def _broker(broker: BrokerStatus, status: ClusterStatus) -> Json:
    known: Json = {
        "node_id": broker.node_id,
        "cluster_id": status.image.cluster_id,
        "is_controller": status.controller == broker.node_id,
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
        "leads": status.totals.leads[broker.node_id],
        "replicas": status.totals.replicas[broker.node_id],
    }


def _state(broker: BrokerStatus) -> str:
    if not broker.is_registered:
        return "gone"
    return "silent" if broker.silent_for_ms else "unseen"


def topics(status: ClusterStatus) -> Iterator[Json]:
    """Return the summary of every topic, by name."""
    return (_topic(status, name) for name in sorted(status.image.topics))


def _topic(status: ClusterStatus, name: str) -> Json:
    sums = status.totals.topics.get(name, PartitionTotals())
    return {
        "topic": name,
        "topic_id": str(status.image.topics[name].id),
        "partitions": sums.partitions,
        "replication": sums.replication,
        "lag": sums.lag,
        "bytes_in": round(status.topic_bytes_in.get(name, 0.0), 1),
        "under_replicated": sums.under_replicated,
        "offline": sums.offline,
        "standing": sums.stalled,
        "leader_silent": sums.leader_silent,
    }


def topic_in_full(status: ClusterStatus, name: str) -> Json:
    """Return one topic with its configs and all its partitions."""
    configs = dict(sorted(status.image.topics[name].configs.items()))
    return {**_topic(status, name), "configs": configs, "all_partitions": partitions_of(status, name)}


def partitions_of(status: ClusterStatus, name: str) -> Iterator[Json]:
    """Return all partitions of a topic."""
    return (status.partitions[name, index] for index in range(len(status.image.topics[name].partitions)))


def partitions(
    status: ClusterStatus,
    topic: str | None,
    sort: str,
    offset: int,
    limit: int,
    *,
    contains: str = "",
    only_faults: bool,
) -> Json:
    """Return a page of the partitions that match."""
    wanted: Iterable[Json] = status.partitions.values() if topic is None else partitions_of(status, topic)
    found = (partition for partition in wanted if contains in partition["topic"])
    chosen = [partition for partition in found if not only_faults or has_fault(partition)]
    chosen.sort(key=_by_lag if sort == "lag" else _by_name)
    return {"total": len(chosen), "partitions": iter(chosen[offset : offset + limit])}


def groups(status: ClusterStatus) -> Iterator[Json]:
    """Return the summary of every group, by name."""
    return (
        {"group": each["group"], "state": each["state"], "members": len(each["members"]), "lag": each["lag"]}
        for each in sorted(status.groups, key=lambda each: str(each["group"]))
    )


def _by_name(partition: Json) -> tuple[str, int]:
    return partition["topic"], partition["partition"]


def _by_lag(partition: Json) -> tuple[int, str, int]:
    return -(partition["lag"] or 0), *_by_name(partition)
