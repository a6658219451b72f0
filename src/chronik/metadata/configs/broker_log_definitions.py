"""The broker configs that are defaults of topic configs, and those of log retention and cleaning."""

from typing import Final

from chronik.metadata.configs.topic_definitions import TOPIC_DEFINITIONS
from chronik.metadata.configs.types import ConfigDefinition, ConfigType, UpdateMode, between

_I, _L, _D, _B = ConfigType.INT, ConfigType.LONG, ConfigType.DOUBLE, ConfigType.BOOLEAN
_ALL, _FIXED = UpdateMode.CLUSTER_WIDE, UpdateMode.READ_ONLY

_UNSET_BY_DEFAULT: Final = frozenset({"log.retention.ms", "log.roll.ms", "log.roll.jitter.ms", "log.flush.interval.ms"})
"""Their default comes from a config of lower precedence in another unit."""

SYNONYM_GROUPS: Final[tuple[tuple[str, ...], ...]] = (
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.flush.interval.ms", "log.flush.scheduler.interval.ms"),
    ("log.dirs", "log.dir"),
    ("node.id", "broker.id"),
)
"""Names of one setting, highest precedence first."""

MILLIS_PER_UNIT: Final = {"minutes": 60_000, "hours": 3_600_000}


def _from_topic(topic: ConfigDefinition) -> ConfigDefinition:
    """Return the broker config that is a topic config's default: same type, bounds and meaning."""
    assert topic.synonym is not None
    default = None if topic.synonym in _UNSET_BY_DEFAULT else topic.default
    doc = f"Default of the topics' {topic.name}. {topic.doc}"
    return ConfigDefinition(topic.synonym, topic.type, default, doc, topic.check, update=_ALL)


_COMPRESSION_LEVELS: Final = frozenset({"compression.gzip.level", "compression.lz4.level", "compression.zstd.level"})

LOG_DEFINITIONS: Final[tuple[ConfigDefinition, ...]] = (
    *(_from_topic(topic) for topic in TOPIC_DEFINITIONS if topic.synonym and topic.name not in _COMPRESSION_LEVELS),
    ConfigDefinition("log.retention.minutes", _I, None, "log.retention.ms in minutes, if that is not set."),
    ConfigDefinition("log.retention.hours", _I, "168", "log.retention.ms in hours, if no finer unit is set."),
    ConfigDefinition("log.roll.hours", _I, "168", "log.roll.ms in hours, if that is not set.", between(1)),
    ConfigDefinition("log.roll.jitter.hours", _I, "0", "log.roll.jitter.ms in hours, if that is not set.", between(0)),
    ConfigDefinition("log.flush.scheduler.interval.ms", _L, str(2**63 - 1), "How often logs are checked for flushing."),
    ConfigDefinition(
        "log.flush.offset.checkpoint.interval.ms", _I, "60000", "How often recovery points are saved.", between(0)
    ),
    ConfigDefinition(
        "log.flush.start.offset.checkpoint.interval.ms", _I, "60000", "How often log starts are saved.", between(0)
    ),
    ConfigDefinition(
        "log.retention.check.interval.ms", _L, "300000", "How often logs are checked for retention.", between(1)
    ),
    ConfigDefinition(
        "log.initial.task.delay.ms", _L, "30000", "When retention and cleaning begin after a start.", between(0)
    ),
    ConfigDefinition("log.cleaner.enable", _B, "true", "Whether compaction runs.", update=_FIXED),
    ConfigDefinition(
        "log.cleaner.threads", _I, "1", "The number of child processes for compaction.", between(0), update=_ALL
    ),
    ConfigDefinition(
        "log.cleaner.backoff.ms",
        _L,
        "15000",
        "How long compaction pauses when nothing is due.",
        between(0),
        update=_ALL,
    ),
    ConfigDefinition(
        "log.cleaner.dedupe.buffer.size", _L, "134217728", "Memory for the keys of one compaction.", update=_ALL
    ),
    ConfigDefinition("log.cleaner.io.buffer.size", _I, "524288", "Read buffer of compaction.", between(0), update=_ALL),
    ConfigDefinition(
        "log.cleaner.io.buffer.load.factor",
        _D,
        "0.9",
        "How full the key table may be; has no effect here.",
        update=_ALL,
    ),
    ConfigDefinition(
        "log.cleaner.io.max.bytes.per.second",
        _D,
        "1.7976931348623157E308",
        "How fast compaction may read and write.",
        update=_ALL,
    ),
)
