"""The broker configs that Chronik supports, or accepts without effect so that Kafka's property files keep working.

Names, types, defaults and bounds are those of Kafka 4.1 except where the help text says otherwise. The defaults of
topic configs are in ``broker_log_definitions``.
"""

from typing import Final

from chronik.metadata.configs.broker_log_definitions import LOG_DEFINITIONS
from chronik.metadata.configs.topic_definitions import NO_TIERING
from chronik.metadata.configs.types import (
    INT_MAX,
    Check,
    ConfigDefinition,
    ConfigType,
    UpdateMode,
    between,
    must_be_false,
    one_of,
    some_of,
)

_B, _S, _I, _H, _L, _T = (
    ConfigType.BOOLEAN,
    ConfigType.STRING,
    ConfigType.INT,
    ConfigType.SHORT,
    ConfigType.LONG,
    ConfigType.LIST,
)
_FIXED, _ALL = UpdateMode.READ_ONLY, UpdateMode.CLUSTER_WIDE
_HAS_NO_EFFECT: Final = "accepted for compatibility; has no effect here."


def _c(
    name: str,
    kind: ConfigType,
    default: int | str | None,
    doc: str,
    check: Check | None = None,
    update: UpdateMode = _FIXED,
) -> ConfigDefinition:
    text = None if default is None else str(default)
    return ConfigDefinition(name, kind, text, doc, check, update=update)


_IDENTITY: Final = (
    _c("node.id", _I, 1, "The broker's number, unique in its cluster. Chronik's default is 1.", between(0)),
    _c("broker.id", _I, -1, "The old name of node.id.", between(-1)),
    _c("broker.rack", _S, None, "The rack or zone of the broker, for placing replicas apart."),
    _c("log.dirs", _T, None, "The data directory. Chronik supports one."),
    _c("log.dir", _S, "chronik-data", "The data directory if log.dirs is not set."),
    _c("process.roles", _T, "broker", "Kafka's division into brokers and controllers; " + _HAS_NO_EFFECT),
    _c(
        "chronik.metadata.store",
        _S,
        None,
        "The metadata store: sqlite:///path (default: in log.dirs), etcd://host:port,... or memory:.",
    ),
)

_LISTENERS: Final = (
    _c(
        "listeners",
        _T,
        "PLAINTEXT://127.0.0.1:9092",
        "Where the broker listens: NAME://host:port, several with commas.",
    ),
    _c("advertised.listeners", _T, None, "The address that clients connect to, for each listener by name."),
    _c(
        "listener.security.protocol.map",
        _S,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
        "The security protocol of each listener. Chronik supports PLAINTEXT.",
    ),
    _c("inter.broker.listener.name", _S, None, "The listener by which brokers reach each other."),
    _c(
        "security.inter.broker.protocol", _S, "PLAINTEXT", "The security protocol between brokers.", one_of("PLAINTEXT")
    ),
    _c(
        "chronik.http.listener", _S, "127.0.0.1:9644", "The address of metrics, health and status page; empty for none."
    ),
)

_CONNECTIONS: Final = (
    _c("connections.max.idle.ms", _L, 600_000, "How long a connection may be idle before it is closed."),
    _c("max.connections", _I, 10_000, "The limit of open connections; Kafka has no limit.", between(0), _ALL),
    _c("max.connections.per.ip", _I, INT_MAX, "The limit of open connections from one address.", between(0), _ALL),
    _c("max.connections.per.ip.overrides", _S, "", "The limit for named addresses.", None, _ALL),
    _c("max.connection.creation.rate", _I, INT_MAX, "New connections per second; " + _HAS_NO_EFFECT, between(0), _ALL),
    _c("socket.listen.backlog.size", _I, 50, "How many connections may wait to be accepted.", between(1)),
    _c("socket.receive.buffer.bytes", _I, 102_400, "The receive buffer of a connection; -1 for the system's default."),
    _c("socket.request.max.bytes", _I, 104_857_600, "The largest request that is read.", between(1)),
    _c("socket.send.buffer.bytes", _I, 102_400, "The send buffer of a connection; -1 for the system's default."),
    _c("queued.max.request.bytes", _L, -1, "Bytes of waiting requests; -1 means chronik.in.flight.bytes.max."),
    _c("queued.max.requests", _I, 500, "Requests that may wait; " + _HAS_NO_EFFECT, between(1)),
    _c("request.timeout.ms", _I, 30_000, "How long the broker waits for another broker's response."),
    _c(
        "chronik.in.flight.bytes.max",
        _L,
        268_435_456,
        "Bytes of requests and responses in progress, over all connections.",
        between(1),
    ),
    _c(
        "chronik.connection.in.flight.bytes.max",
        _L,
        67_108_864,
        "Bytes of requests and responses in progress on one connection.",
        between(1),
    ),
    _c(
        "chronik.forward.produce",
        _B,
        "true",
        "Whether a produce request at the wrong broker is forwarded to the leader.",
    ),
)

_TOPICS: Final = (
    _c("auto.create.topics.enable", _B, "true", "Whether a missing topic is created when a client uses it."),
    _c("delete.topic.enable", _B, "true", "Whether topics may be deleted."),
    _c("num.partitions", _I, 1, "Partitions of a new topic without a count.", between(1)),
    _c("default.replication.factor", _I, 1, "Replicas of a new topic without a count.", between(1)),
    _c(
        "max.request.partition.size.limit", _I, 2_000, "Partitions in one DescribeTopicPartitions response.", between(1)
    ),
    _c("chronik.topics.max", _I, 10_000, "How many topics the cluster may have.", between(1)),
    _c("chronik.partitions.max", _I, 100_000, "How many partitions the cluster may have.", between(1)),
    _c("chronik.topic.partitions.max", _I, 10_000, "How many partitions one topic may have.", between(1)),
    _c("create.topic.policy.class.name", ConfigType.CLASS, None, "A class that checks new topics; " + _HAS_NO_EFFECT),
    _c("alter.config.policy.class.name", ConfigType.CLASS, None, "A class that checks configs; " + _HAS_NO_EFFECT),
)

_FETCHES: Final = (
    _c("fetch.max.bytes", _I, 57_671_680, "The size limit of a fetch response.", between(1_024)),
    _c("max.incremental.fetch.session.cache.slots", _I, 1_000, "The number of cached fetch sessions.", between(0)),
    _c("fetch.purgatory.purge.interval.requests", _I, 1_000, "Purging of waiting fetches; " + _HAS_NO_EFFECT),
    _c("producer.purgatory.purge.interval.requests", _I, 1_000, "Purging of waiting produces; " + _HAS_NO_EFFECT),
)

_PRODUCERS: Final = (
    _c(
        "producer.id.expiration.ms",
        _I,
        86_400_000,
        "After how long without writes an idempotent producer is forgotten.",
        between(1),
        _ALL,
    ),
    _c(
        "producer.id.expiration.check.interval.ms", _I, 600_000, "How often inactive producers are removed.", between(1)
    ),
    _c("transaction.max.timeout.ms", _I, 900_000, "The longest transaction time-out.", between(1)),
    _c(
        "transactional.id.expiration.ms",
        _I,
        604_800_000,
        "After how long without use a transactional id is forgotten.",
        between(1),
    ),
    _c(
        "transaction.partition.verification.enable",
        _B,
        "true",
        "Transactions are checked; " + _HAS_NO_EFFECT,
        None,
        _ALL,
    ),
    _c("transaction.state.log.min.isr", _I, 2, "min.insync.replicas of the transactions' topic.", between(1)),
    _c("transaction.state.log.num.partitions", _I, 50, "Partitions of the transactions' topic.", between(1)),
    _c("transaction.state.log.replication.factor", _H, 3, "Replicas of the transactions' topic.", between(1)),
    _c("transaction.state.log.segment.bytes", _I, 104_857_600, "Segments of the transactions' topic.", between(1)),
    _c(
        "transaction.abort.timed.out.transaction.cleanup.interval.ms",
        _I,
        10_000,
        "How often timed-out transactions are aborted.",
        between(1),
    ),
    _c(
        "transaction.remove.expired.transaction.cleanup.interval.ms",
        _I,
        3_600_000,
        "How often expired ids are removed.",
        between(1),
    ),
)

_GROUPS: Final = (
    _c("group.initial.rebalance.delay.ms", _I, 3_000, "How long a new group waits for more members."),
    _c("group.max.session.timeout.ms", _I, 1_800_000, "The longest session time-out of a member."),
    _c("group.min.session.timeout.ms", _I, 6_000, "The shortest session time-out of a member."),
    _c("group.max.size", _I, INT_MAX, "How many members a group may have.", between(1)),
    _c(
        "group.coordinator.rebalance.protocols",
        _T,
        "classic",
        "The supported group protocols: in Chronik the classic one.",
        some_of("classic"),
    ),
    _c("group.coordinator.threads", _I, 4, "Threads of the coordinator; " + _HAS_NO_EFFECT, between(1)),
    _c("group.coordinator.append.linger.ms", _I, 5, "Batching of the coordinator's writes; " + _HAS_NO_EFFECT),
    _c("group.consumer.heartbeat.interval.ms", _I, 5_000, "Heartbeats of the consumer protocol.", between(1)),
    _c("group.consumer.min.heartbeat.interval.ms", _I, 5_000, "The shortest heartbeat interval.", between(1)),
    _c("group.consumer.max.heartbeat.interval.ms", _I, 15_000, "The longest heartbeat interval.", between(1)),
    _c("group.consumer.session.timeout.ms", _I, 45_000, "Session time-out of the consumer protocol.", between(1)),
    _c("group.consumer.min.session.timeout.ms", _I, 45_000, "The shortest such session time-out.", between(1)),
    _c("group.consumer.max.session.timeout.ms", _I, 60_000, "The longest such session time-out.", between(1)),
    _c("group.consumer.max.size", _I, INT_MAX, "Members of a group of the consumer protocol.", between(1)),
    _c("group.consumer.migration.policy", _S, "bidirectional", "How groups change between the protocols."),
    _c("offset.metadata.max.bytes", _I, 4_096, "The longest metadata of a committed offset."),
    _c("offsets.commit.timeout.ms", _I, 5_000, "How long a commit waits for its replicas.", between(1)),
    _c("offsets.load.buffer.size", _I, 5_242_880, "Read size while offsets are loaded.", between(1)),
    _c("offsets.retention.check.interval.ms", _L, 600_000, "How often expired offsets are removed.", between(1)),
    _c("offsets.retention.minutes", _I, 10_080, "How long an empty group's offsets are kept.", between(1)),
    _c("offsets.topic.compression.codec", _I, 0, "Codec of the offsets' topic; " + _HAS_NO_EFFECT),
    _c("offsets.topic.num.partitions", _I, 50, "Partitions of the offsets' topic.", between(1)),
    _c("offsets.topic.replication.factor", _H, 3, "Replicas of the offsets' topic.", between(1)),
    _c("offsets.topic.segment.bytes", _I, 104_857_600, "Segments of the offsets' topic.", between(1)),
    _c("share.coordinator.state.topic.min.isr", _H, 2, "Share groups; " + _HAS_NO_EFFECT, between(1)),
    _c("share.coordinator.state.topic.num.partitions", _I, 50, "Share groups; " + _HAS_NO_EFFECT, between(1)),
    _c("share.coordinator.state.topic.replication.factor", _H, 3, "Share groups; " + _HAS_NO_EFFECT, between(1)),
)

_REPLICATION: Final = (
    _c("replica.lag.time.max.ms", _L, 30_000, "After how long a lagging follower leaves the ISR."),
    _c("replica.fetch.backoff.ms", _I, 1_000, "How long a follower waits after a failed fetch.", between(0)),
    _c("replica.fetch.max.bytes", _I, 1_048_576, "The size limit of a follower's fetch, per partition.", between(0)),
    _c("replica.fetch.min.bytes", _I, 1, "The size that a follower's fetch waits for."),
    _c(
        "replica.fetch.response.max.bytes", _I, 10_485_760, "The size limit of a follower's fetch response.", between(0)
    ),
    _c("replica.fetch.wait.max.ms", _I, 500, "How long a follower's fetch may wait."),
    _c("replica.high.watermark.checkpoint.interval.ms", _L, 5_000, "How often high watermarks are saved."),
    _c("replica.selector.class", ConfigType.CLASS, None, "Which replica consumers read from; " + _HAS_NO_EFFECT),
    _c("replica.socket.receive.buffer.bytes", _I, 65_536, "A follower's receive buffer."),
    _c("replica.socket.timeout.ms", _I, 30_000, "How long a follower waits for a response."),
    _c("num.replica.fetchers", _I, 1, "Fetch connections to each leader; " + _HAS_NO_EFFECT, None, _ALL),
    _c("auto.leader.rebalance.enable", _B, "true", "Whether leadership goes back to the preferred replicas."),
    _c("leader.imbalance.check.interval.seconds", _L, 300, "How often the balance of leaders is checked.", between(1)),
    _c("leader.imbalance.per.broker.percentage", _I, 10, "Allowed imbalance of a broker's leaders, in per cent."),
    _c("controlled.shutdown.enable", _B, "true", "Whether a stopping broker moves its leaders first."),
)

_CONTROLLER: Final = (
    _c("controller.listener.names", _T, None, "Listeners of Kafka's controllers: Chronik does not open them."),
    _c("controller.quorum.voters", _T, "", "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("controller.quorum.bootstrap.servers", _T, "", "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("controller.quorum.election.timeout.ms", _I, 1_000, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("controller.quorum.fetch.timeout.ms", _I, 2_000, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("controller.quorum.request.timeout.ms", _I, 2_000, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("controller.socket.timeout.ms", _I, 30_000, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("metadata.log.dir", _S, None, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c("broker.heartbeat.interval.ms", _I, 2_000, "Kafka's controllers; " + _HAS_NO_EFFECT),
    _c(
        "broker.session.timeout.ms",
        _I,
        9_000,
        "After how long without a heartbeat a broker is dead; 2,000 with etcd.",
        between(100),
    ),
)

_TRACES: Final = (
    _c(
        "chronik.trace.ring.events",
        _I,
        20_000,
        "The number of trace events in each broker's memory, about 0.5 KB each.",
        between(100, 1_000_000),
        _ALL,
    ),
    _c(
        "chronik.trace.files",
        _B,
        "false",
        "Whether traces are also written to files in the data directory.",
        None,
        _ALL,
    ),
    _c(
        "chronik.trace.files.bytes.max",
        _L,
        67_108_864,
        "The size limit of all trace files; the oldest are removed.",
        between(65_536),
        _ALL,
    ),
)

_PROCESS: Final = (
    _c("num.network.threads", _I, 3, "Threads for connections; " + _HAS_NO_EFFECT, between(1), _ALL),
    _c("num.io.threads", _I, 8, "Threads for requests; " + _HAS_NO_EFFECT, between(1), _ALL),
    _c("background.threads", _I, 10, "Threads for other work; " + _HAS_NO_EFFECT, between(1), _ALL),
    _c("num.recovery.threads.per.data.dir", _I, 2, "Threads for recovery; " + _HAS_NO_EFFECT, between(1), _ALL),
    _c("num.replica.alter.log.dirs.threads", _I, None, "Threads for moving logs; " + _HAS_NO_EFFECT),
    _c("compression.gzip.level", _I, -1, "Level of gzip; " + _HAS_NO_EFFECT, between(-1, 9), _ALL),
    _c("compression.lz4.level", _I, 9, "Level of lz4; " + _HAS_NO_EFFECT, between(1, 17), _ALL),
    _c("compression.zstd.level", _I, 3, "Level of zstd; " + _HAS_NO_EFFECT, between(-131_072, 22), _ALL),
    _c("metric.reporters", _T, "", "Classes that report metrics; " + _HAS_NO_EFFECT, None, _ALL),
    _c("metrics.num.samples", _I, 2, "Samples of metrics; " + _HAS_NO_EFFECT, between(1)),
    _c("metrics.recording.level", _S, "INFO", "Level of metrics; " + _HAS_NO_EFFECT),
    _c("metrics.sample.window.ms", _L, 30_000, "Window of metrics; " + _HAS_NO_EFFECT, between(1)),
    _c("quota.window.num", _I, 11, "Samples of quotas; " + _HAS_NO_EFFECT, between(1)),
    _c("quota.window.size.seconds", _I, 1, "Window of quotas; " + _HAS_NO_EFFECT, between(1)),
    _c("allow.everyone.if.no.acl.found", _B, "true", "Without ACLs everyone may do everything; " + _HAS_NO_EFFECT),
    _c("unstable.api.versions.enable", _B, "false", "API versions under development; " + _HAS_NO_EFFECT),
    _c(
        "remote.log.storage.system.enable",
        _B,
        "false",
        "Tiered storage, which is not supported.",
        must_be_false(NO_TIERING),
    ),
    _c("log.dir.failure.timeout.ms", _L, 30_000, "How long a failed directory may go unreported.", between(1)),
)

BROKER_DEFINITIONS: Final[tuple[ConfigDefinition, ...]] = (
    *_IDENTITY,
    *_LISTENERS,
    *_CONNECTIONS,
    *_TOPICS,
    *_FETCHES,
    *_PRODUCERS,
    *_GROUPS,
    *_REPLICATION,
    *_CONTROLLER,
    *_TRACES,
    *_PROCESS,
    *LOG_DEFINITIONS,
)
