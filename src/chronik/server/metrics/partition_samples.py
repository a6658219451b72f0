"""The samples of partitions: each as its leader knows it, and every copy as the broker that holds it does."""

from dataclasses import dataclass

from chronik.server.metrics.families import Families
from chronik.server.status.local import FollowerFacts, PartitionFacts


@dataclass(slots=True)
class PartitionSums:
    """What Kafka tells of all partitions together."""

    replicas: int = 0
    led: int = 0
    offline: int = 0
    under_replicated: int = 0
    under_min_isr: int = 0
    at_min_isr: int = 0
    copy_lag_max: int = 0


def add_partition(families: Families, facts: PartitionFacts, sums: PartitionSums) -> None:
    """Add what is known here of one partition."""
    where = (facts.topic, facts.partition)
    sums.replicas += 1
    is_offline = facts.role == "offline"
    sums.offline += is_offline
    families.add("chronik_partition_offline", int(is_offline), *where)
    if facts.log_end is None or facts.log_start is None or facts.high_watermark is None:
        return
    families.add("kafka_log_log_size", facts.size_bytes or 0, *where)
    families.add("kafka_log_log_logstartoffset", facts.log_start, *where)
    families.add("kafka_log_log_logendoffset", facts.log_end, *where)
    if facts.role == "leader":
        _add_led(families, facts, sums)
    else:
        families.add("chronik_replica_high_watermark", facts.high_watermark, *where)


def _add_led(families: Families, facts: PartitionFacts, sums: PartitionSums) -> None:
    where = (facts.topic, facts.partition)
    in_sync, replicas = len(facts.isr), len(facts.replicas)
    is_under = in_sync < replicas
    is_below, is_at = in_sync < facts.required_in_sync, in_sync == facts.required_in_sync
    sums.led += 1
    sums.under_replicated += is_under
    sums.under_min_isr += is_below
    sums.at_min_isr += is_at
    samples = {
        "chronik_partition_log_start_offset": facts.log_start,
        "chronik_partition_high_watermark": facts.high_watermark,
        "chronik_partition_last_stable_offset": facts.last_stable_offset,
        "chronik_partition_log_end_offset": facts.log_end,
        "chronik_partition_lag": facts.lag,
        "chronik_partition_watermark_stands_seconds": facts.stands_for_ms / 1000,
        "chronik_partition_leader_epoch": facts.leader_epoch,
        "chronik_partition_in_sync_replicas": in_sync,
        "chronik_partition_replicas": replicas,
        "kafka_cluster_partition_underreplicated": is_under,
        "kafka_cluster_partition_underminisr": is_below,
        "kafka_cluster_partition_atminisr": is_at,
        "kafka_topic_partition_current_offset": facts.high_watermark,
        "kafka_topic_partition_oldest_offset": facts.log_start,
        "kafka_topic_partition_in_sync_replica": in_sync,
        "kafka_topic_partition_leader": facts.leader,
        "kafka_topic_partition_leader_is_preferred": facts.leader == facts.replicas[0],
        "kafka_topic_partition_replicas": replicas,
        "kafka_topic_partition_under_replicated_partition": is_under,
    }
    for name, value in samples.items():
        families.add(name, int(value) if isinstance(value, bool) else value or 0, *where)
    for follower in facts.followers:
        _add_follower(families, facts, follower, sums)


def _add_follower(families: Families, facts: PartitionFacts, follower: FollowerFacts, sums: PartitionSums) -> None:
    where = (facts.topic, facts.partition, follower.node)
    families.add("chronik_follower_caught_up_seconds", follower.caught_up_ms_ago / 1000, *where)
    families.add("chronik_follower_fetched_seconds", follower.fetched_ms_ago / 1000, *where)
    if follower.log_end is not None and facts.log_end is not None:
        families.add("chronik_follower_log_end_offset", follower.log_end, *where)
        sums.copy_lag_max = max(sums.copy_lag_max, facts.log_end - follower.log_end)


def add_sums(families: Families, sums: PartitionSums) -> None:
    """Add Kafka's counts of all partitions."""
    prefix = "kafka_server_replicamanager_"
    families.add(f"{prefix}leadercount", sums.led)
    families.add(f"{prefix}partitioncount", sums.replicas)
    families.add(f"{prefix}offlinereplicacount", sums.offline)
    families.add(f"{prefix}underreplicatedpartitions", sums.under_replicated)
    families.add(f"{prefix}underminisrpartitioncount", sums.under_min_isr)
    families.add(f"{prefix}atminisrpartitioncount", sums.at_min_isr)
    families.add("kafka_server_replicafetchermanager_maxlag", sums.copy_lag_max)
