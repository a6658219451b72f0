"""From a topic's configs to the settings of its logs and of the produce path."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.metadata.configs.effective import BrokerLayers, topic_values
from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId
from chronik.records.validation import ProduceRules
from chronik.storage.log_config import LogConfig

RESOLVED_MAX: Final = 256


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The settings of one topic's partitions."""

    log: LogConfig
    rules: ProduceRules


@dataclass(frozen=True, slots=True)
class TopicConfigs:
    """Resolves topic configs over this broker's dynamic and static configs."""

    broker_id: BrokerId
    static: Mapping[str, str]
    _resolved: dict[frozenset[tuple[int, str, str]], LogSettings] = field(default_factory=dict)

    def layers(self, image: Image) -> BrokerLayers:
        """Return the configs that apply where a topic has none of its own."""
        return BrokerLayers.of(image, self.broker_id, self.static)

    def settings_of(self, image: Image, configs: Mapping[str, str]) -> LogSettings:
        """Return the settings of a topic with these configs; topics with equal configs share one result."""
        layers = self.layers(image)
        dynamic = enumerate((configs, layers.dynamic, layers.dynamic_default))
        key = frozenset((level, name, value) for level, values in dynamic for name, value in values.items())
        found = self._resolved.get(key)
        if found is None:
            if len(self._resolved) >= RESOLVED_MAX:
                self._resolved.clear()
            found = self._resolved[key] = _resolve(configs, layers)
        return found


def _resolve(configs: Mapping[str, str], layers: BrokerLayers) -> LogSettings:
    values: dict[str, Any] = topic_values(configs, layers)
    policies = values["cleanup.policy"]
    return LogSettings(
        LogConfig(
            segment_bytes=values["segment.bytes"],
            segment_ms=values["segment.ms"],
            segment_jitter_ms=values["segment.jitter.ms"],
            segment_index_bytes=values["segment.index.bytes"],
            index_interval_bytes=values["index.interval.bytes"],
            retention_ms=values["retention.ms"],
            retention_bytes=values["retention.bytes"],
            cleanup_delete="delete" in policies,
            cleanup_compact="compact" in policies,
            delete_retention_ms=values["delete.retention.ms"],
            min_cleanable_dirty_ratio=values["min.cleanable.dirty.ratio"],
            min_compaction_lag_ms=values["min.compaction.lag.ms"],
            max_compaction_lag_ms=values["max.compaction.lag.ms"],
            file_delete_delay_ms=values["file.delete.delay.ms"],
            max_message_bytes=values["max.message.bytes"],
            flush_messages=values["flush.messages"],
            flush_ms=values["flush.ms"],
        ),
        ProduceRules(
            max_message_bytes=values["max.message.bytes"],
            log_append_time=values["message.timestamp.type"] == "LogAppendTime",
            timestamp_before_max_ms=values["message.timestamp.before.max.ms"],
            timestamp_after_max_ms=values["message.timestamp.after.max.ms"],
        ),
    )
