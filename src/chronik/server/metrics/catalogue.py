"""The table of metrics: all exported metrics are in it, and a test compares the documentation with it.

A series is exported by one broker only, so that sums over all brokers are right: series of a partition by its leader,
series of a group by its coordinator, series of the cluster by the controller.
"""

from enum import Enum
from typing import Final, NamedTuple


class MetricType(Enum):
    """Prometheus' types."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"


class Description(NamedTuple):
    """One metric: the name for queries, without the suffixes of histograms and summaries."""

    name: str
    kind: MetricType
    meaning: str
    labels: tuple[str, ...] = ()


_C, _G, _H, _S = MetricType.COUNTER, MetricType.GAUGE, MetricType.HISTOGRAM, MetricType.SUMMARY
_TP: Final = ("topic", "partition")
_REQUEST: Final = ("request",)
_GROUP: Final = ("consumergroup", "topic", "partition")

CHRONIK: Final = (
    Description("chronik_build_info", _G, "Always 1; the labels say what runs.", ("version", "node_id", "cluster_id")),
    Description("chronik_request_seconds", _H, "How long requests took, by API and stage.", ("api", "stage")),
    Description("chronik_requests_refused_total", _C, "Errors in responses, by API.", ("api", "error")),
    Description("chronik_requests_waiting", _G, "Requests without a response.", ("api",)),
    Description("chronik_forwarded_total", _C, "Requests forwarded to the leaders of their partitions."),
    Description("chronik_forwarded_batches_total", _C, "Batches in forwarded requests."),
    Description(
        "chronik_misdirected_clients_told_total", _C, "Misdirected requests that were rejected instead of forwarded."
    ),
    Description("chronik_connections", _G, "Open connections of clients and brokers, by listener.", ("listener",)),
    Description("chronik_connections_refused_total", _C, "Connections refused because a limit was reached."),
    Description("chronik_unsent_bytes", _G, "Responses in memory that clients have not received yet."),
    Description("chronik_event_loop_delay_seconds", _H, "How late the event loop's timers fire."),
    Description("chronik_event_loop_delay_longest_seconds", _G, "The longest delay of the last one to two minutes."),
    Description("chronik_event_loop_idle_ratio", _G, "The share of the last second in which the event loop was idle."),
    Description("chronik_flush_seconds", _H, "How long flushes to the disk took."),
    Description("chronik_watermark_commit_seconds", _H, "From the append of records to the high watermark above them."),
    Description(
        "chronik_watermark_propagation_seconds",
        _H,
        "From an advance of the high watermark to a follower's response with it.",
    ),
    Description("chronik_store_round_trip_seconds", _H, "Round trips to the metadata store.", ("operation",)),
    Description("chronik_store_failures_total", _C, "Round trips that failed.", ("operation",)),
    Description("chronik_store_connected", _G, "1 while the metadata store answers."),
    Description("chronik_metadata_revision", _G, "The store's revision that this broker has applied."),
    Description("chronik_member", _G, "1 while this broker is registered in the cluster."),
    Description("chronik_partition_log_start_offset", _G, "The log start offset, from the leader.", _TP),
    Description("chronik_partition_high_watermark", _G, "The high watermark, from the leader.", _TP),
    Description("chronik_partition_last_stable_offset", _G, "The last stable offset, from the leader.", _TP),
    Description("chronik_partition_log_end_offset", _G, "The log end offset, from the leader.", _TP),
    Description(
        "chronik_partition_lag", _G, "Records that are written and not committed: log end minus high watermark.", _TP
    ),
    Description(
        "chronik_partition_watermark_stands_seconds",
        _G,
        "How long the high watermark has not moved below the log end; 0 if it moves or covers the log.",
        _TP,
    ),
    Description("chronik_partition_leader_epoch", _G, "The epoch of the leader.", _TP),
    Description("chronik_partition_in_sync_replicas", _G, "How many replicas are in sync.", _TP),
    Description("chronik_partition_replicas", _G, "How many replicas there should be.", _TP),
    Description("chronik_partition_offline", _G, "1 if this broker's replica is offline.", _TP),
    Description("chronik_follower_log_end_offset", _G, "The log end offset of a follower.", (*_TP, "follower")),
    Description(
        "chronik_follower_caught_up_seconds", _G, "How long ago a follower was last caught up.", (*_TP, "follower")
    ),
    Description("chronik_follower_fetched_seconds", _G, "How long ago a follower last fetched.", (*_TP, "follower")),
    Description("chronik_replica_high_watermark", _G, "The high watermark, as a follower knows it.", _TP),
    Description("chronik_group_state", _G, "1 for the state that a group is in.", ("consumergroup", "state")),
)
"""Chronik's own."""

KAFKA: Final = (
    Description("kafka_server_brokertopicmetrics_messagesin_total", _C, "Records from producers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_bytesin_total", _C, "Bytes from producers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_bytesout_total", _C, "Bytes to consumers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_replicationbytesin_total", _C, "Bytes fetched from leaders."),
    Description("kafka_server_brokertopicmetrics_replicationbytesout_total", _C, "Bytes to followers."),
    Description(
        "kafka_server_brokertopicmetrics_totalproducerequests_total", _C, "Batches from producers.", ("topic",)
    ),
    Description(
        "kafka_server_brokertopicmetrics_totalfetchrequests_total", _C, "Partitions in Fetch responses.", ("topic",)
    ),
    Description("kafka_server_brokertopicmetrics_failedproducerequests_total", _C, "Errors in Produce responses."),
    Description("kafka_server_brokertopicmetrics_failedfetchrequests_total", _C, "Errors in Fetch responses."),
    Description("kafka_network_requestmetrics_requests_total", _C, "Requests with a response.", _REQUEST),
    Description("kafka_network_requestmetrics_errors_total", _C, "Errors in responses.", ("request", "error")),
    Description("kafka_network_requestmetrics_totaltimems", _S, "The whole time of a request, in ms.", _REQUEST),
    Description("kafka_network_requestmetrics_requestqueuetimems", _S, "The stage queue, in ms.", _REQUEST),
    Description("kafka_network_requestmetrics_localtimems", _S, "The stage local, in ms.", _REQUEST),
    Description("kafka_network_requestmetrics_remotetimems", _S, "The stage remote, in ms.", _REQUEST),
    Description("kafka_network_requestmetrics_responsesendtimems", _S, "The stage response, in ms.", _REQUEST),
    Description("kafka_network_socketserver_networkprocessoravgidle_percent", _G, "Idle share of the loop, 0 to 1."),
    Description(
        "kafka_server_kafkarequesthandlerpool_requesthandleravgidle_percent", _G, "Idle share of the loop, 0 to 1."
    ),
    Description("kafka_server_socket_server_metrics_connection_count", _G, "Open connections.", ("listener",)),
    Description(
        "kafka_server_delayedoperationpurgatory_purgatorysize", _G, "Requests that wait.", ("delayedOperation",)
    ),
    Description("kafka_server_kafkaserver_brokerstate", _G, "3 while the broker serves, as in Kafka."),
    Description("kafka_server_replicamanager_leadercount", _G, "Partitions that this broker leads."),
    Description("kafka_server_replicamanager_partitioncount", _G, "Replicas that this broker holds."),
    Description("kafka_server_replicamanager_offlinereplicacount", _G, "Replicas of this broker that are offline."),
    Description(
        "kafka_server_replicamanager_underreplicatedpartitions", _G, "Led partitions with replicas out of sync."
    ),
    Description(
        "kafka_server_replicamanager_underminisrpartitioncount", _G, "Led partitions below min.insync.replicas."
    ),
    Description("kafka_server_replicamanager_atminisrpartitioncount", _G, "Led partitions at min.insync.replicas."),
    Description("kafka_server_replicamanager_isrshrinks_total", _C, "Times that an ISR lost a replica."),
    Description("kafka_server_replicamanager_isrexpands_total", _C, "Times that an ISR gained a replica."),
    Description(
        "kafka_server_replicafetchermanager_maxlag",
        _G,
        "The largest number of records that a follower of this broker is behind.",
    ),
    Description("kafka_cluster_partition_underreplicated", _G, "1 if replicas are out of sync.", _TP),
    Description("kafka_cluster_partition_underminisr", _G, "1 if fewer than min.insync.replicas are in sync.", _TP),
    Description("kafka_cluster_partition_atminisr", _G, "1 if exactly min.insync.replicas are in sync.", _TP),
    Description("kafka_controller_kafkacontroller_activecontrollercount", _G, "1 on the controller, 0 elsewhere."),
    Description(
        "kafka_controller_controllerstats_leaderelectionrateandtimems", _S, "Elections by this controller, in ms."
    ),
    Description(
        "kafka_controller_controllerstats_uncleanleaderelections_total",
        _C,
        "Elections that may have lost acknowledged records.",
    ),
    Description("kafka_controller_kafkacontroller_offlinepartitionscount", _G, "Partitions without a leader."),
    Description("kafka_controller_kafkacontroller_globaltopiccount", _G, "Topics of the cluster."),
    Description("kafka_controller_kafkacontroller_globalpartitioncount", _G, "Partitions of the cluster."),
    Description("kafka_controller_kafkacontroller_activebrokercount", _G, "Brokers that are registered."),
    Description(
        "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
        _G,
        "Partitions whose leader is not the preferred replica.",
    ),
    Description("kafka_log_log_size", _G, "Bytes of a replica's log.", _TP),
    Description("kafka_log_log_logstartoffset", _G, "The log start offset of a replica.", _TP),
    Description("kafka_log_log_logendoffset", _G, "The log end offset of a replica.", _TP),
    Description("kafka_log_logflushstats_logflushrateandtimems", _S, "Flushes, in ms."),
    Description("kafka_coordinator_group_groupmetadatamanager_numgroups", _G, "Groups that this broker coordinates."),
    Description("kafka_coordinator_group_groupmetadatamanager_numoffsets", _G, "Committed offsets of these groups."),
)
"""Kafka's own metrics, with the names of the JMX exporter. A series without the label topic is of all topics."""

KAFKA_EXPORTER: Final = (
    Description("kafka_brokers", _G, "Brokers of the cluster."),
    Description("kafka_broker_info", _G, "Always 1; the address of each broker.", ("id", "address")),
    Description("kafka_topic_partitions", _G, "Partitions of a topic.", ("topic",)),
    Description("kafka_topic_partition_current_offset", _G, "The high watermark.", _TP),
    Description("kafka_topic_partition_oldest_offset", _G, "The log start offset.", _TP),
    Description("kafka_topic_partition_in_sync_replica", _G, "How many replicas are in sync.", _TP),
    Description("kafka_topic_partition_leader", _G, "The id of the leader.", _TP),
    Description("kafka_topic_partition_leader_is_preferred", _G, "1 if the preferred replica leads.", _TP),
    Description("kafka_topic_partition_replicas", _G, "How many replicas there should be.", _TP),
    Description("kafka_topic_partition_under_replicated_partition", _G, "1 if replicas are out of sync.", _TP),
    Description("kafka_consumergroup_current_offset", _G, "The committed offset of a group.", _GROUP),
    Description("kafka_consumergroup_current_offset_sum", _G, "The same, summed up.", ("consumergroup", "topic")),
    Description(
        "kafka_consumergroup_lag",
        _G,
        "Records that a group has yet to read; never negative; from the log start if the committed offset is below it.",
        _GROUP,
    ),
    Description("kafka_consumergroup_lag_sum", _G, "The same, summed up.", ("consumergroup", "topic")),
    Description("kafka_consumergroup_members", _G, "Members of a group.", ("consumergroup",)),
)
"""The names of kafka_exporter."""

PROCESS: Final = (
    Description("process_virtual_memory_bytes", _G, "Virtual memory size in bytes."),
    Description("process_resident_memory_bytes", _G, "Resident memory size in bytes."),
    Description("process_start_time_seconds", _G, "Start time of the process since unix epoch in seconds."),
    Description("process_cpu_seconds_total", _C, "Total user and system CPU time spent in seconds."),
    Description("process_open_fds", _G, "Number of open file descriptors."),
    Description("process_max_fds", _G, "Maximum number of open file descriptors."),
)
"""Exported by every Prometheus client; the library makes them."""

ALL: Final = {each.name: each for each in (*CHRONIK, *KAFKA, *KAFKA_EXPORTER, *PROCESS)}
