"""The one table of metrics: what is not in it is not exported, and the documentation is held against it.

A series is told by one broker only, so that sums over all brokers are right: what is of a partition by its leader, what
is of a group by its coordinator, what is of the cluster by the controller.
"""

from enum import Enum
from typing import Final, NamedTuple


class Kind(Enum):
    """As Prometheus calls them."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"
    SUMMARY = "summary"


class Description(NamedTuple):
    """One metric: its name as it is queried, without the suffixes of histograms and summaries."""

    name: str
    kind: Kind
    meaning: str
    labels: tuple[str, ...] = ()


_C, _G, _H, _S = Kind.COUNTER, Kind.GAUGE, Kind.HISTOGRAM, Kind.SUMMARY
_TP: Final = ("topic", "partition")
_REQUEST: Final = ("request",)
_GROUP: Final = ("consumergroup", "topic", "partition")

CHRONIK: Final = (
    Description("chronik_build_info", _G, "Always 1; the labels say what runs.", ("version", "node_id", "cluster_id")),
    Description("chronik_request_seconds", _H, "How long requests took, by API and stage.", ("api", "stage")),
    Description("chronik_requests_refused_total", _C, "Errors in answers, by API.", ("api", "error")),
    Description("chronik_requests_waiting", _G, "Requests whose answers are still to come.", ("api",)),
    Description("chronik_forwarded_total", _C, "Requests passed on to the leaders of their partitions."),
    Description("chronik_forwarded_batches_total", _C, "Batches in requests that were passed on."),
    Description("chronik_misdirected_clients_told_total", _C, "Clients told to look for the leader."),
    Description("chronik_connections", _G, "Open connections of clients and brokers, by listener.", ("listener",)),
    Description("chronik_connections_refused_total", _C, "Connections refused because a limit was reached."),
    Description("chronik_unsent_bytes", _G, "Answers in memory that their readers have not taken yet."),
    Description("chronik_event_loop_delay_seconds", _H, "How late the event loop's timers fire."),
    Description("chronik_event_loop_delay_longest_seconds", _G, "The longest delay of the last one to two minutes."),
    Description(
        "chronik_event_loop_idle_ratio", _G, "Which share of the last second the event loop had nothing to do."
    ),
    Description("chronik_flush_seconds", _H, "How long flushes to the disk took."),
    Description("chronik_watermark_commit_seconds", _H, "From records being written to the watermark covering them."),
    Description("chronik_watermark_propagation_seconds", _H, "From the watermark advancing to a follower being told."),
    Description("chronik_store_round_trip_seconds", _H, "Round trips to the metadata store.", ("operation",)),
    Description("chronik_store_failures_total", _C, "Round trips that failed.", ("operation",)),
    Description("chronik_store_connected", _G, "1 while the metadata store answers."),
    Description("chronik_metadata_revision", _G, "The store's revision that this broker has applied."),
    Description("chronik_member", _G, "1 while this broker is registered in the cluster."),
    Description("chronik_partition_log_start_offset", _G, "Where the log begins, told by the leader.", _TP),
    Description("chronik_partition_high_watermark", _G, "Where what is committed ends, told by the leader.", _TP),
    Description("chronik_partition_last_stable_offset", _G, "Where what read_committed reads ends.", _TP),
    Description("chronik_partition_log_end_offset", _G, "Where the log ends, told by the leader.", _TP),
    Description("chronik_partition_lag", _G, "What is written and not committed: log end less watermark.", _TP),
    Description(
        "chronik_partition_watermark_stands_seconds",
        _G,
        "For how long the watermark has not moved although the log is longer; 0 while it moves or covers all.",
        _TP,
    ),
    Description("chronik_partition_leader_epoch", _G, "The epoch of the leader.", _TP),
    Description("chronik_partition_in_sync_replicas", _G, "How many replicas are in sync.", _TP),
    Description("chronik_partition_replicas", _G, "How many replicas there should be.", _TP),
    Description("chronik_partition_offline", _G, "1 where this broker's copy cannot serve.", _TP),
    Description("chronik_follower_log_end_offset", _G, "Up to where a follower has the log.", (*_TP, "follower")),
    Description(
        "chronik_follower_caught_up_seconds", _G, "How long ago a follower last had everything.", (*_TP, "follower")
    ),
    Description("chronik_follower_fetched_seconds", _G, "How long ago a follower last fetched.", (*_TP, "follower")),
    Description("chronik_replica_high_watermark", _G, "The watermark as a follower knows it.", _TP),
    Description("chronik_group_state", _G, "1 for the state that a group is in.", ("consumergroup", "state")),
)
"""Chronik's own."""

KAFKA: Final = (
    Description("kafka_server_brokertopicmetrics_messagesin_total", _C, "Records taken from producers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_bytesin_total", _C, "Bytes taken from producers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_bytesout_total", _C, "Bytes given to consumers.", ("topic",)),
    Description("kafka_server_brokertopicmetrics_replicationbytesin_total", _C, "Bytes copied from leaders."),
    Description("kafka_server_brokertopicmetrics_replicationbytesout_total", _C, "Bytes given to followers."),
    Description(
        "kafka_server_brokertopicmetrics_totalproducerequests_total", _C, "Batches from producers.", ("topic",)
    ),
    Description(
        "kafka_server_brokertopicmetrics_totalfetchrequests_total", _C, "Partitions in answers to fetches.", ("topic",)
    ),
    Description("kafka_server_brokertopicmetrics_failedproducerequests_total", _C, "Errors in answers to Produce."),
    Description("kafka_server_brokertopicmetrics_failedfetchrequests_total", _C, "Errors in answers to Fetch."),
    Description("kafka_network_requestmetrics_requests_total", _C, "Requests answered.", _REQUEST),
    Description("kafka_network_requestmetrics_errors_total", _C, "Errors in answers.", ("request", "error")),
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
    Description("kafka_server_replicamanager_offlinereplicacount", _G, "Replicas here that cannot serve."),
    Description(
        "kafka_server_replicamanager_underreplicatedpartitions", _G, "Led partitions with replicas out of sync."
    ),
    Description(
        "kafka_server_replicamanager_underminisrpartitioncount", _G, "Led partitions below min.insync.replicas."
    ),
    Description("kafka_server_replicamanager_atminisrpartitioncount", _G, "Led partitions at min.insync.replicas."),
    Description("kafka_server_replicamanager_isrshrinks_total", _C, "In-sync sets that lost a replica."),
    Description("kafka_server_replicamanager_isrexpands_total", _C, "In-sync sets that won a replica."),
    Description("kafka_server_replicafetchermanager_maxlag", _G, "Records that the slowest copy here lacks."),
    Description("kafka_cluster_partition_underreplicated", _G, "1 where replicas are out of sync.", _TP),
    Description("kafka_cluster_partition_underminisr", _G, "1 where too few replicas are in sync.", _TP),
    Description("kafka_cluster_partition_atminisr", _G, "1 where just enough replicas are in sync.", _TP),
    Description("kafka_controller_kafkacontroller_activecontrollercount", _G, "1 on the controller, 0 elsewhere."),
    Description("kafka_controller_controllerstats_leaderelectionrateandtimems", _S, "Leaders elected here, in ms."),
    Description(
        "kafka_controller_controllerstats_uncleanleaderelections_total", _C, "Those that may lack acknowledged records."
    ),
    Description("kafka_controller_kafkacontroller_offlinepartitionscount", _G, "Partitions without a leader."),
    Description("kafka_controller_kafkacontroller_globaltopiccount", _G, "Topics of the cluster."),
    Description("kafka_controller_kafkacontroller_globalpartitioncount", _G, "Partitions of the cluster."),
    Description("kafka_controller_kafkacontroller_activebrokercount", _G, "Brokers that are registered."),
    Description(
        "kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
        _G,
        "Partitions led by another than the first.",
    ),
    Description("kafka_log_log_size", _G, "Bytes of a replica's log.", _TP),
    Description("kafka_log_log_logstartoffset", _G, "Where a replica's log begins.", _TP),
    Description("kafka_log_log_logendoffset", _G, "Where a replica's log ends.", _TP),
    Description("kafka_log_logflushstats_logflushrateandtimems", _S, "Flushes, in ms."),
    Description("kafka_coordinator_group_groupmetadatamanager_numgroups", _G, "Groups coordinated here."),
    Description("kafka_coordinator_group_groupmetadatamanager_numoffsets", _G, "Positions kept here."),
)
"""As the JMX exporter spells Kafka's own. Of what has a topic, the series without one is of all topics."""

KAFKA_EXPORTER: Final = (
    Description("kafka_brokers", _G, "Brokers of the cluster."),
    Description("kafka_broker_info", _G, "Always 1; where each broker is.", ("id", "address")),
    Description("kafka_topic_partitions", _G, "Partitions of a topic.", ("topic",)),
    Description("kafka_topic_partition_current_offset", _G, "The high watermark.", _TP),
    Description("kafka_topic_partition_oldest_offset", _G, "Where the log begins.", _TP),
    Description("kafka_topic_partition_in_sync_replica", _G, "How many replicas are in sync.", _TP),
    Description("kafka_topic_partition_leader", _G, "The id of the leader.", _TP),
    Description("kafka_topic_partition_leader_is_preferred", _G, "1 where the first replica leads.", _TP),
    Description("kafka_topic_partition_replicas", _G, "How many replicas there should be.", _TP),
    Description("kafka_topic_partition_under_replicated_partition", _G, "1 where replicas are out of sync.", _TP),
    Description("kafka_consumergroup_current_offset", _G, "The position that a group has committed.", _GROUP),
    Description("kafka_consumergroup_current_offset_sum", _G, "The same, summed up.", ("consumergroup", "topic")),
    Description(
        "kafka_consumergroup_lag",
        _G,
        "Records that a group has still to read; never negative, from the log start where the position expired.",
        _GROUP,
    ),
    Description("kafka_consumergroup_lag_sum", _G, "The same, summed up.", ("consumergroup", "topic")),
    Description("kafka_consumergroup_members", _G, "Members of a group.", ("consumergroup",)),
)
"""As kafka_exporter spells them."""

PROCESS: Final = (
    Description("process_virtual_memory_bytes", _G, "Virtual memory size in bytes."),
    Description("process_resident_memory_bytes", _G, "Resident memory size in bytes."),
    Description("process_start_time_seconds", _G, "Start time of the process since unix epoch in seconds."),
    Description("process_cpu_seconds_total", _C, "Total user and system CPU time spent in seconds."),
    Description("process_open_fds", _G, "Number of open file descriptors."),
    Description("process_max_fds", _G, "Maximum number of open file descriptors."),
)
"""As every Prometheus client has them; the library makes these."""

ALL: Final = {each.name: each for each in (*CHRONIK, *KAFKA, *KAFKA_EXPORTER, *PROCESS)}
