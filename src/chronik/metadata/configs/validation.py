"""Look up configs of topics and brokers by name, check values, and suggest the name that was meant."""

from collections.abc import Iterable, Mapping
from typing import Final

from chronik.metadata.configs.broker_definitions import BROKER_DEFINITIONS
from chronik.metadata.configs.broker_log_definitions import SYNONYM_GROUPS
from chronik.metadata.configs.topic_definitions import TOPIC_DEFINITIONS
from chronik.metadata.configs.types import ConfigDefinition, ConfigType, ConfigValue, UpdateMode, split_list
from chronik.protocol.config_resources import ConfigSource

__all__ = [
    "BROKER_CONFIGS",
    "MIN_INSYNC_REPLICAS",
    "TOPIC_CONFIGS",
    "ConfigDefinition",
    "ConfigSource",
    "ConfigType",
    "ConfigValue",
    "UpdateMode",
    "broker_synonyms",
    "did_you_mean",
    "rejection_of_dynamic_broker_config",
    "rejection_of_topic_config",
    "rejection_of_topic_configs",
    "rejection_of_value",
    "split_list",
]

MIN_INSYNC_REPLICAS: Final = "min.insync.replicas"
TOPIC_CONFIGS: Final[Mapping[str, ConfigDefinition]] = {one.name: one for one in TOPIC_DEFINITIONS}
BROKER_CONFIGS: Final[Mapping[str, ConfigDefinition]] = {one.name: one for one in BROKER_DEFINITIONS}
_GROUP_OF: Final = {name: group for group in SYNONYM_GROUPS for name in group}

assert len(TOPIC_CONFIGS) == len(TOPIC_DEFINITIONS), "a topic config is defined twice"
assert len(BROKER_CONFIGS) == len(BROKER_DEFINITIONS), "a broker config is defined twice"


def broker_synonyms(name: str) -> tuple[str, ...]:
    """Return the synonyms of a broker config, highest precedence first, starting with itself."""
    group = _GROUP_OF.get(name, (name,))
    return group[group.index(name) :]


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Return a half-sentence that suggests the nearest known name, or an empty text."""
    # Imported at the first mistake: it would slow every start.
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(known), n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near else ""


def rejection_of_topic_configs(configs: Mapping[str, str | None]) -> str | None:
    """Return the problem of a topic's configs, or None."""
    problems = [problem for name, value in configs.items() if (problem := rejection_of_topic_config(name, value))]
    if not problems:
        problems = _rejection_of_combination({name: value for name, value in configs.items() if value is not None})
    return "; ".join(problems) or None


def rejection_of_topic_config(name: str, value: str | None) -> str | None:
    """Return the problem of one topic config, or None."""
    definition = TOPIC_CONFIGS.get(name)
    if definition is None:
        return f"unknown topic config {name!r}{did_you_mean(name, TOPIC_CONFIGS)}"
    return f"{name}: a value is needed" if value is None else rejection_of_value(definition, value)


def rejection_of_dynamic_broker_config(name: str, value: str | None, *, for_all: bool) -> str | None:
    """Return why a broker config may not be changed dynamically, for all brokers or for one; value None deletes it."""
    definition = BROKER_CONFIGS.get(name)
    if definition is None:
        return f"unknown broker config {name!r}{did_you_mean(name, BROKER_CONFIGS)}"
    if definition.update is UpdateMode.READ_ONLY:
        return f"{name} cannot be changed while brokers run: set it in server.properties and start the broker again"
    if definition.update is UpdateMode.PER_BROKER and for_all:
        return f"{name} can be changed for one broker only, not for all"
    if name == MIN_INSYNC_REPLICAS and not for_all:
        return f"{name} is a promise of the whole cluster: change it for all brokers, or for a topic"
    return None if value is None else rejection_of_value(definition, value)


def rejection_of_value(definition: ConfigDefinition, value: str) -> str | None:
    """Return the problem of a value, or None."""
    try:
        definition.parse(value)
    except ValueError as error:
        return str(error)
    return None


def _rejection_of_combination(configs: Mapping[str, str]) -> list[str]:
    least, most = _lag("min.compaction.lag.ms", configs), _lag("max.compaction.lag.ms", configs)
    return [f"min.compaction.lag.ms ({least}) is above max.compaction.lag.ms ({most})"] if least > most else []


def _lag(name: str, configs: Mapping[str, str]) -> int:
    definition = TOPIC_CONFIGS[name]
    value = definition.parse(configs.get(name, definition.default or ""))
    assert isinstance(value, int)
    return value
