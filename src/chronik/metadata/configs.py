"""Configs of topics and brokers: looking them up by name, checking values, and suggesting the name that was meant."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Final

from chronik.metadata.config_types import ConfigDefinition, ConfigValue
from chronik.metadata.topic_definitions import TOPIC_DEFINITIONS

MIN_INSYNC_REPLICAS: Final = "min.insync.replicas"
TOPIC_CONFIGS: Final[Mapping[str, ConfigDefinition]] = {one.name: one for one in TOPIC_DEFINITIONS}


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Give a half-sentence with the nearest known name, or nothing where none is near."""
    near = get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def why_not_topic_configs(configs: Mapping[str, str | None]) -> str | None:
    """Say what is wrong with configs that a topic is given, or None where all are good."""
    problems = [problem for name, value in configs.items() if (problem := why_not_topic_config(name, value))]
    if not problems:
        problems = _why_not_together({name: value for name, value in configs.items() if value is not None})
    return "; ".join(problems) or None


def why_not_topic_config(name: str, value: str | None) -> str | None:
    """Say what is wrong with one config that a topic is given."""
    definition = TOPIC_CONFIGS.get(name)
    if definition is None:
        return f"unknown topic config {name!r}{did_you_mean(name, TOPIC_CONFIGS)}"
    return f"{name}: a value is needed" if value is None else why_not_value(definition, value)


def why_not_value(definition: ConfigDefinition, value: str) -> str | None:
    """Say what is wrong with a value for a config."""
    try:
        definition.parse(value)
    except ValueError as error:
        return str(error)
    return None


def topic_value(name: str, configs: Mapping[str, str]) -> ConfigValue:
    """Give the typed value that a topic's own configs set, or else Kafka's default."""
    definition = TOPIC_CONFIGS[name]
    text = configs.get(name, definition.default)
    return None if text is None else definition.parse(text)


def _why_not_together(configs: Mapping[str, str]) -> list[str]:
    least, most = topic_value("min.compaction.lag.ms", configs), topic_value("max.compaction.lag.ms", configs)
    assert isinstance(least, int)
    assert isinstance(most, int)
    if least > most:
        return [f"min.compaction.lag.ms ({least}) is above max.compaction.lag.ms ({most})"]
    return []
