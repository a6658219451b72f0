"""The samples of partitions, from their leaders, and of replicas, from the brokers that hold them."""

from dataclasses import dataclass

from chronik.server.metrics.families import Families
from chronik.server.status.local import FollowerStatus, ReplicaStatus


@dataclass(slots=True)
class PartitionSums:
    """Kafka's counts over all partitions of a broker."""

    replicas: int = 0
    led: int = 0
    offline: int = 0
    under_replicated: int = 0
    under_min_isr: int = 0
    at_min_isr: int = 0
    copy_lag_max: int = 0


def add_partition(families: Families, replica: ReplicaStatus, sums: PartitionSums) -> None:
    """Add one replica of this broker, and its partition if this broker leads it."""
    where = (replica.topic, replica.partition)
    sums.replicas += 1
    is_offline = replica.role == "offline"
    sums.offline += is_offline
    families.add("chronik_partition_offline", int(is_offline), *where)
    if replica.log_end is None or replica.log_start is None or replica.high_watermark is None:
        return
    families.add("kafka_log_log_size", replica.size_bytes or 0, *where)
    families.add("kafka_log_log_logstartoffset", replica.log_start, *where)
    families.add("kafka_log_log_logendoffset", replica.log_end, *where)
    if replica.role == "leader":
        _add_led(families, replica, sums)
    else:
        families.add("chronik_replica_high_watermark", replica.high_watermark, *where)


def _add_led(families: Families, replica: ReplicaStatus, sums: PartitionSums) -> None:
    where = (replica.topic, replica.partition)
    in_sync, replicas = len(replica.isr), len(replica.replicas)
    is_under = in_sync < replicas
    is_below, is_at = in_sync < replica.required_in_sync, in_sync == replica.required_in_sync
    sums.led += 1
    sums.under_replicated += is_under
    sums.under_min_isr += is_below
    sums.at_min_isr += is_at
    samples = {
        "chronik_partition_log_start_offset": replica.log_start,
        "chronik_partition_high_watermark": replica.high_watermark,
        "chronik_partition_last_stable_offset": replica.last_stable_offset,
        "chronik_partition_log_end_offset": replica.log_end,
        "chronik_partition_lag": replica.lag,
        "chronik_partition_watermark_stands_seconds": replica.stalled_ms / 1000,
        "chronik_partition_leader_epoch": replica.leader_epoch,
        "chronik_partition_in_sync_replicas": in_sync,
        "chronik_partition_replicas": replicas,
        "kafka_cluster_partition_underreplicated": is_under,
        "kafka_cluster_partition_underminisr": is_below,
        "kafka_cluster_partition_atminisr": is_at,
        "kafka_topic_partition_current_offset": replica.high_watermark,
        "kafka_topic_partition_oldest_offset": replica.log_start,
        "kafka_topic_partition_in_sync_replica": in_sync,
        "kafka_topic_partition_leader": replica.leader,
        "kafka_topic_partition_leader_is_preferred": replica.leader == replica.replicas[0],
        "kafka_topic_partition_replicas": replicas,
        "kafka_topic_partition_under_replicated_partition": is_under,
    }
    for name, value in samples.items():
        families.add(name, int(value) if isinstance(value, bool) else value or 0, *where)
    for follower in replica.followers:
        _add_follower(families, replica, follower, sums)


def _add_follower(families: Families, replica: ReplicaStatus, follower: FollowerStatus, sums: PartitionSums) -> None:
    where = (replica.topic, replica.partition, follower.node)
    families.add("chronik_follower_caught_up_seconds", follower.caught_up_ms_ago / 1000, *where)
    families.add("chronik_follower_fetched_seconds", follower.fetched_ms_ago / 1000, *where)
    if follower.log_end is not None and replica.log_end is not None:
        families.add("chronik_follower_log_end_offset", follower.log_end, *where)
        sums.copy_lag_max = max(sums.copy_lag_max, replica.log_end - follower.log_end)


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
