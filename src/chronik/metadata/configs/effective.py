"""The effective value of a config, its source and its synonyms, as DescribeConfigs shows them."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from chronik.metadata.configs.broker_log_definitions import MILLIS_PER_UNIT
from chronik.metadata.configs.validation import (
    BROKER_CONFIGS,
    TOPIC_CONFIGS,
    ConfigDefinition,
    ConfigValue,
    UpdateMode,
    broker_synonyms,
)
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import NOTHING
from chronik.model.ids import BrokerId
from chronik.protocol.config_resources import ConfigSource


class ConfigSynonym(NamedTuple):
    """A value that is set for the same setting; the first in the list is the effective one."""

    name: str
    value: str | None
    source: ConfigSource


class EffectiveConfig(NamedTuple):
    """A config with its effective value."""

    definition: ConfigDefinition
    value: str | None
    source: ConfigSource
    synonyms: tuple[ConfigSynonym, ...]
    is_read_only: bool

    @property
    def name(self) -> str:
        return self.definition.name

    @property
    def is_default(self) -> bool:
        return self.source is ConfigSource.DEFAULT

    @property
    def typed(self) -> ConfigValue:
        return None if self.value is None else self.definition.parse(self.value)


class BrokerLayers(NamedTuple):
    """The configs of one broker by source: dynamic, dynamic default of all brokers, static."""

    dynamic: Mapping[str, str] = NOTHING
    dynamic_default: Mapping[str, str] = NOTHING
    static: Mapping[str, str] = NOTHING

    @classmethod
    def of(cls, image: Image, broker_id: BrokerId, static: Mapping[str, str]) -> "BrokerLayers":
        return cls(image.configs_of_broker(broker_id), image.configs_of_broker(None), static)

    def synonyms(self, name: str) -> tuple[ConfigSynonym, ...]:
        """Return the values that are set for a broker config and its synonyms, in order of precedence."""
        return tuple(self._set_values(broker_synonyms(name)))

    def _set_values(self, names: tuple[str, ...]) -> Iterator[ConfigSynonym]:
        layers = (
            (self.dynamic, ConfigSource.DYNAMIC_BROKER),
            (self.dynamic_default, ConfigSource.DYNAMIC_DEFAULT_BROKER),
            (self.static, ConfigSource.STATIC_BROKER),
        )
        for values, source in layers:
            yield from (ConfigSynonym(name, values[name], source) for name in names if name in values)
        for name in names:
            default = BROKER_CONFIGS[name].default
            if default is not None:
                yield ConfigSynonym(name, default, ConfigSource.DEFAULT)


def effective_broker_config(name: str, layers: BrokerLayers) -> EffectiveConfig:
    """Return the effective value of a broker config."""
    definition = BROKER_CONFIGS[name]
    synonyms = layers.synonyms(name)
    read_only = definition.update is UpdateMode.READ_ONLY
    if not synonyms:
        return EffectiveConfig(definition, None, ConfigSource.DEFAULT, (), read_only)
    return EffectiveConfig(definition, _converted(synonyms[0], name), synonyms[0].source, synonyms, read_only)


def effective_topic_config(name: str, topic: Mapping[str, str], layers: BrokerLayers) -> EffectiveConfig:
    """Return the effective value of a topic config from the topic's and the broker's configs."""
    definition = TOPIC_CONFIGS[name]
    own = [ConfigSynonym(name, topic[name], ConfigSource.TOPIC)] if name in topic else []
    below = layers.synonyms(definition.synonym) if definition.synonym else ()
    synonyms = (*own, *below)
    if not synonyms:
        return EffectiveConfig(definition, definition.default, ConfigSource.DEFAULT, (), is_read_only=False)
    value = topic[name] if own else _converted(synonyms[0], definition.synonym or name)
    return EffectiveConfig(definition, value, synonyms[0].source, synonyms, is_read_only=False)


def effective_topic_configs(topic: Mapping[str, str], layers: BrokerLayers) -> dict[str, EffectiveConfig]:
    """Return every config of a topic; internal ones only where the topic sets them."""
    return {
        name: effective_topic_config(name, topic, layers)
        for name, definition in TOPIC_CONFIGS.items()
        if not definition.internal or name in topic
    }


def effective_broker_configs(layers: BrokerLayers) -> dict[str, EffectiveConfig]:
    return {name: effective_broker_config(name, layers) for name in BROKER_CONFIGS}


def topic_values(topic: Mapping[str, str], layers: BrokerLayers) -> dict[str, ConfigValue]:
    """Return the typed value of every config of a topic, by name; a log is configured from them."""
    values = {name: config.typed for name, config in effective_topic_configs(topic, layers).items()}
    small_segments = values.pop("internal.segment.bytes", None)
    return values if small_segments is None else values | {"segment.bytes": small_segments}


def _converted(found: ConfigSynonym, name: str) -> str | None:
    """Convert a value that was set in another unit."""
    factor = MILLIS_PER_UNIT.get(found.name.rpartition(".")[2])
    if found.value is None or factor is None or not name.endswith(".ms"):
        return found.value
    # A negative retention means "unlimited" in every unit.
    amount = int(found.value)
    return str(amount * factor) if amount >= 0 else "-1"
