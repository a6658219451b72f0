"""The topic configs of Kafka 4.1, with its types, defaults and bounds, and Chronik's own."""

from typing import Final

from chronik.metadata.configs.types import (
    INT_MAX,
    LONG_MAX,
    Check,
    ConfigDefinition,
    ConfigType,
    between,
    must_be_false,
    one_of,
    only,
    some_of,
    throttled_replicas,
)
from chronik.observability.trace_rules import rejection_of_rule

COMPRESSION_TYPES: Final = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")
COMPRESSION_REASON: Final = "batches are stored as the producer compressed them, so use 'producer'"
NO_TIERING: Final = "tiered storage is not supported: leave it at false"
_DAY_MS: Final = 86_400_000


def _long(name: str, default: int, doc: str, synonym: str | None, check: Check | None = None) -> ConfigDefinition:
    return ConfigDefinition(name, ConfigType.LONG, str(default), doc, check, synonym)


def _int(name: str, default: int, doc: str, synonym: str | None, check: Check | None = None) -> ConfigDefinition:
    return ConfigDefinition(name, ConfigType.INT, str(default), doc, check, synonym)


def _flag(name: str, doc: str, synonym: str | None = None, check: Check | None = None) -> ConfigDefinition:
    return ConfigDefinition(name, ConfigType.BOOLEAN, "false", doc, check, synonym)


def _list(name: str, default: str, doc: str, synonym: str | None, check: Check) -> ConfigDefinition:
    return ConfigDefinition(name, ConfigType.LIST, default, doc, check, synonym)


def _word(name: str, default: str, doc: str, synonym: str, check: Check) -> ConfigDefinition:
    return ConfigDefinition(name, ConfigType.STRING, default, doc, check, synonym)


TOPIC_DEFINITIONS: Final[tuple[ConfigDefinition, ...]] = (
    _word(
        "chronik.trace",
        "off",
        "Whether requests are traced: off, on, or client=NAME for one client (NAME* for a prefix).",
        "chronik.trace",
        rejection_of_rule,
    ),
    _list(
        "cleanup.policy",
        "delete",
        "Old records: delete removes old segments, compact keeps the latest record of each key; or both.",
        "log.cleanup.policy",
        some_of("compact", "delete"),
    ),
    _int(
        "compression.gzip.level",
        -1,
        "Level of gzip where the broker compresses; has no effect here.",
        "compression.gzip.level",
        between(-1, 9),
    ),
    _int(
        "compression.lz4.level",
        9,
        "Level of lz4 where the broker compresses; has no effect here.",
        "compression.lz4.level",
        between(1, 17),
    ),
    _word(
        "compression.type",
        "producer",
        "Codec of stored batches; only 'producer', which keeps the producer's, is supported.",
        "compression.type",
        only("producer", COMPRESSION_TYPES, COMPRESSION_REASON),
    ),
    _int(
        "compression.zstd.level",
        3,
        "Level of zstd where the broker compresses; has no effect here.",
        "compression.zstd.level",
        between(-131_072, 22),
    ),
    _long(
        "delete.retention.ms",
        _DAY_MS,
        "How long a tombstone stays in a compacted topic.",
        "log.cleaner.delete.retention.ms",
        between(0),
    ),
    _long(
        "file.delete.delay.ms",
        60_000,
        "How long the files of a removed segment stay on disk.",
        "log.segment.delete.delay.ms",
        between(0),
    ),
    _long(
        "flush.messages",
        LONG_MAX,
        "After how many records the log is flushed to disk; 1 flushes before each acknowledgement.",
        "log.flush.interval.messages",
        between(1),
    ),
    _long(
        "flush.ms", LONG_MAX, "How long a record may wait to be flushed to disk.", "log.flush.interval.ms", between(0)
    ),
    _list(
        "follower.replication.throttled.replicas",
        "",
        "Replicas, as partition:broker or *, whose fetching is throttled as followers.",
        None,
        throttled_replicas,
    ),
    _int(
        "index.interval.bytes",
        4_096,
        "The bytes of log between two entries of the offset index.",
        "log.index.interval.bytes",
        between(0),
    ),
    ConfigDefinition(
        "internal.segment.bytes",
        ConfigType.INT,
        None,
        "Segment size below what segment.bytes allows, for tests.",
        between(14),
        internal=True,
    ),
    _list(
        "leader.replication.throttled.replicas",
        "",
        "Replicas, as partition:broker or *, whose sending is throttled as leaders.",
        None,
        throttled_replicas,
    ),
    _long(
        "local.retention.bytes",
        -2,
        "Bytes kept locally with tiered storage; -2 means retention.bytes.",
        "log.local.retention.bytes",
        between(-2),
    ),
    _long(
        "local.retention.ms",
        -2,
        "Time kept locally with tiered storage; -2 means retention.ms.",
        "log.local.retention.ms",
        between(-2),
    ),
    _long(
        "max.compaction.lag.ms",
        LONG_MAX,
        "After how long a record must have been compacted.",
        "log.cleaner.max.compaction.lag.ms",
        between(1),
    ),
    _int("max.message.bytes", 1_048_588, "The size limit of a record batch, as sent.", "message.max.bytes", between(0)),
    _long(
        "message.timestamp.after.max.ms",
        3_600_000,
        "How far a record's timestamp may be ahead of the broker's clock.",
        "log.message.timestamp.after.max.ms",
        between(0),
    ),
    _long(
        "message.timestamp.before.max.ms",
        LONG_MAX,
        "How far a record's timestamp may be behind the broker's clock.",
        "log.message.timestamp.before.max.ms",
        between(0),
    ),
    _word(
        "message.timestamp.type",
        "CreateTime",
        "The timestamp of a record: CreateTime is the producer's, LogAppendTime the broker's.",
        "log.message.timestamp.type",
        one_of("CreateTime", "LogAppendTime"),
    ),
    ConfigDefinition(
        "min.cleanable.dirty.ratio",
        ConfigType.DOUBLE,
        "0.5",
        "The share of new bytes at which a log is compacted again.",
        between(0, 1),
        "log.cleaner.min.cleanable.ratio",
    ),
    _long(
        "min.compaction.lag.ms",
        0,
        "How long a record is not compacted.",
        "log.cleaner.min.compaction.lag.ms",
        between(0),
    ),
    _int(
        "min.insync.replicas",
        1,
        "The smallest ISR with which acks=all is accepted and acknowledged.",
        "min.insync.replicas",
        between(1),
    ),
    _flag("preallocate", "Whether a new segment's file takes its full size at once.", "log.preallocate"),
    _flag(
        "remote.log.copy.disable", "Part of tiered storage, which is not supported.", check=must_be_false(NO_TIERING)
    ),
    _flag(
        "remote.log.delete.on.disable",
        "Part of tiered storage, which is not supported.",
        check=must_be_false(NO_TIERING),
    ),
    _flag("remote.storage.enable", "Tiered storage, which is not supported.", check=must_be_false(NO_TIERING)),
    _long(
        "retention.bytes",
        -1,
        "The size at which old segments of a partition are removed; -1 for no limit.",
        "log.retention.bytes",
        between(-1),
    ),
    _long("retention.ms", 7 * _DAY_MS, "How long records are kept; -1 for no limit.", "log.retention.ms", between(-1)),
    _int(
        "segment.bytes",
        2**30,
        "The size at which a segment is closed and the next one starts.",
        "log.segment.bytes",
        between(2**20, INT_MAX),
    ),
    _int(
        "segment.index.bytes",
        10_485_760,
        "The size limit of a segment's index.",
        "log.index.size.max.bytes",
        between(4),
    ),
    _long(
        "segment.jitter.ms",
        0,
        "The random part by which segment.ms is shortened, so that segments do not all roll at once.",
        "log.roll.jitter.ms",
        between(0),
    ),
    _long(
        "segment.ms",
        7 * _DAY_MS,
        "After how long a segment is closed even if it is not full.",
        "log.roll.ms",
        between(1),
    ),
    _flag(
        "unclean.leader.election.enable",
        "Whether a replica that may lack acknowledged records may become the leader when no other can.",
        "unclean.leader.election.enable",
    ),
)
