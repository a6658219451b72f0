"""The table of configs: complete, consistent, and strict about values."""

import pytest

from chronik.metadata.configs.broker_log_definitions import SYNONYM_GROUPS
from chronik.metadata.configs.effective import (
    BrokerLayers,
    effective_broker_config,
    effective_topic_config,
    effective_topic_configs,
    topic_values,
)
from chronik.metadata.configs.validation import (
    BROKER_CONFIGS,
    TOPIC_CONFIGS,
    ConfigDefinition,
    UpdateMode,
    did_you_mean,
    rejection_of_dynamic_broker_config,
    rejection_of_topic_config,
    rejection_of_topic_configs,
)
from chronik.protocol.config_resources import ConfigSource
from tests.kafka_tools import TOPIC_CONFIG_NAMES

ALL_DEFINITIONS = [*TOPIC_CONFIGS.values(), *BROKER_CONFIGS.values()]


def test_every_topic_config_of_kafka_4_1_is_there_and_shown() -> None:
    shown = sorted(effective_topic_configs({}, BrokerLayers()))
    assert [name for name in shown if not name.startswith("chronik.")] == TOPIC_CONFIG_NAMES


@pytest.mark.parametrize("definition", ALL_DEFINITIONS, ids=lambda one: one.name)
def test_default_of_every_config_is_a_value_that_it_takes_and_its_doc_is_a_sentence(
    definition: ConfigDefinition,
) -> None:
    if definition.default is not None:
        definition.parse(definition.default)
    assert definition.doc.endswith(".")
    assert len(definition.doc) > 12


def test_every_synonym_is_a_broker_config_of_the_same_type_that_may_change_for_all_brokers() -> None:
    for topic in TOPIC_CONFIGS.values():
        if topic.synonym:
            broker = BROKER_CONFIGS[topic.synonym]
            assert broker.type == topic.type, topic.name
            assert broker.update is UpdateMode.CLUSTER_WIDE, topic.name
    assert all(name in BROKER_CONFIGS for group in SYNONYM_GROUPS for name in group)


def test_topic_without_configs_has_the_defaults_that_its_definitions_state() -> None:
    for name, config in effective_topic_configs({}, BrokerLayers()).items():
        assert config.value == TOPIC_CONFIGS[name].default, name
        assert config.source is ConfigSource.DEFAULT, name
        assert config.is_default


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cleanup.policy", "compact, delete"),
        ("retention.ms", "-1"),
        ("retention.ms", " 5 "),
        ("min.cleanable.dirty.ratio", "0.25"),
        ("preallocate", "TRUE"),
        ("message.timestamp.type", "LogAppendTime"),
        ("leader.replication.throttled.replicas", "*"),
        ("leader.replication.throttled.replicas", "0:1,2:3"),
        ("leader.replication.throttled.replicas", ""),
        ("compression.type", "producer"),
        ("segment.bytes", "1048576"),
        ("internal.segment.bytes", "14"),
    ],
)
def test_good_value_is_taken(name: str, value: str) -> None:
    assert rejection_of_topic_config(name, value) is None


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("cleanup.policy", "", "is not a list of"),
        ("cleanup.policy", "compact,remove", "is not a list of compact, delete"),
        ("cleanup.policy", "delete,delete", "twice"),
        ("retention.ms", "-2", "at least -1"),
        ("retention.ms", "9223372036854775808", "64-bit"),
        ("max.message.bytes", "2147483648", "32-bit"),
        ("retention.ms", "1.5", "not a whole number"),
        ("retention.ms", "1_000", "not a whole number"),
        ("retention.ms", "", "not a whole number"),
        ("min.cleanable.dirty.ratio", "1.01", "at most 1"),
        ("min.cleanable.dirty.ratio", "nan", "not a number"),
        ("min.cleanable.dirty.ratio", "half", "not a number"),
        ("preallocate", "yes", "neither true nor false"),
        ("message.timestamp.type", "createtime", "is not one of"),
        ("leader.replication.throttled.replicas", "1", "partition:broker"),
        ("compression.type", "brotli", "is not one of"),
        ("compression.type", "gzip", "not built yet"),
        ("remote.storage.enable", "true", "not supported"),
        ("segment.bytes", "1048575", "at least 1048576"),
        ("min.insync.replicas", "0", "at least 1"),
        ("retension.ms", "1", "did you mean 'retention.ms'"),
        ("zzz", "1", "unknown topic config 'zzz'"),
        ("retention.ms", None, "a value is needed"),
    ],
)
def test_bad_value_is_refused_with_the_reason(name: str, value: str | None, sentence: str) -> None:
    problem = rejection_of_topic_config(name, value)
    assert problem is not None
    assert name in problem
    assert sentence in problem


def test_all_bad_configs_of_a_topic_are_reported_at_once() -> None:
    problem = rejection_of_topic_configs({"retention.ms": "x", "segment.ms": "0", "flush.ms": "1"})
    assert problem is not None
    assert ("retention.ms" in problem, "segment.ms" in problem, "flush.ms" in problem) == (True, True, False)


def test_compaction_lags_must_not_cross() -> None:
    crossed = {"min.compaction.lag.ms": "10", "max.compaction.lag.ms": "9"}
    assert "is above" in (rejection_of_topic_configs(crossed) or "")
    assert rejection_of_topic_configs(crossed | {"max.compaction.lag.ms": "10"}) is None


def test_nearest_name_is_suggested_only_where_one_is_near() -> None:
    assert did_you_mean("retention.m", TOPIC_CONFIGS) == "; did you mean 'retention.ms'?"
    assert did_you_mean("qqqqqq", TOPIC_CONFIGS) == ""


@pytest.mark.parametrize(
    ("name", "value", "for_all", "sentence"),
    [
        ("log.retention.ms", "5", True, None),
        ("log.retention.ms", "5", False, None),
        ("log.retention.ms", None, False, None),
        ("log.retention.ms", "x", True, "not a whole number"),
        ("log.retention.hours", "5", True, "cannot be changed while brokers run"),
        ("listeners", "PLAINTEXT://h:1", False, "cannot be changed while brokers run"),
        ("log.retention.m", "5", True, "did you mean 'log.retention.ms'"),
        ("min.insync.replicas", "2", False, "whole cluster"),
        ("min.insync.replicas", "2", True, None),
        ("compression.type", "lz4", True, "not built yet"),
    ],
)
def test_broker_configs_change_at_run_time_only_where_kafka_s_do(
    name: str, value: str | None, for_all: bool, sentence: str | None
) -> None:
    problem = rejection_of_dynamic_broker_config(name, value, for_all=for_all)
    assert (problem is None) if sentence is None else (problem is not None and sentence in problem)


LAYERS = BrokerLayers(
    dynamic={"log.retention.ms": "3"},
    dynamic_default={"log.retention.ms": "4"},
    static={"log.retention.minutes": "5", "log.retention.hours": "6"},
)


def test_topic_s_value_wins_and_everything_beneath_is_listed_in_order() -> None:
    config = effective_topic_config("retention.ms", {"retention.ms": "2"}, LAYERS)
    assert (config.value, config.source) == ("2", ConfigSource.TOPIC)
    assert [(one.name, one.value, int(one.source)) for one in config.synonyms] == [
        ("retention.ms", "2", 1),
        ("log.retention.ms", "3", 2),
        ("log.retention.ms", "4", 3),
        ("log.retention.minutes", "5", 4),
        ("log.retention.hours", "6", 4),
        ("log.retention.hours", "168", 5),
    ]


@pytest.mark.parametrize(
    ("layers", "value", "source"),
    [
        (LAYERS, "3", ConfigSource.DYNAMIC_BROKER),
        (LAYERS._replace(dynamic={}), "4", ConfigSource.DYNAMIC_DEFAULT_BROKER),
        (LAYERS._replace(dynamic={}, dynamic_default={}), "300000", ConfigSource.STATIC_BROKER),
        (BrokerLayers(static={"log.retention.hours": "6"}), "21600000", ConfigSource.STATIC_BROKER),
        (BrokerLayers(static={"log.retention.hours": "-1"}), "-1", ConfigSource.STATIC_BROKER),
        (
            BrokerLayers(static={"log.retention.hours": "6", "log.retention.ms": "7"}),
            "7",
            ConfigSource.STATIC_BROKER,
        ),
        (BrokerLayers(), "604800000", ConfigSource.DEFAULT),
    ],
)
def test_finer_unit_and_nearer_source_win(layers: BrokerLayers, value: str, source: ConfigSource) -> None:
    config = effective_topic_config("retention.ms", {}, layers)
    assert (config.value, config.source) == (value, source)


def test_rolling_in_hours_and_flushing_by_the_scheduler_reach_the_topic() -> None:
    layers = BrokerLayers(
        static={"log.roll.hours": "2", "log.roll.jitter.hours": "1", "log.flush.scheduler.interval.ms": "9"}
    )
    values = topic_values({}, layers)
    assert (values["segment.ms"], values["segment.jitter.ms"], values["flush.ms"]) == (7_200_000, 3_600_000, 9)


def test_broker_config_shows_its_own_unit_and_only_names_of_lower_precedence() -> None:
    config = effective_broker_config("log.retention.hours", LAYERS)
    assert (config.value, config.is_read_only) == ("6", True)
    assert [one.name for one in config.synonyms] == ["log.retention.hours", "log.retention.hours"]
    nothing = effective_broker_config("broker.rack", BrokerLayers())
    assert (nothing.value, nothing.synonyms, nothing.source) == (None, (), ConfigSource.DEFAULT)


def test_values_for_a_log_are_typed_and_small_segments_of_tests_count() -> None:
    values = topic_values({"cleanup.policy": "compact,delete", "internal.segment.bytes": "100"}, BrokerLayers())
    assert values["cleanup.policy"] == ("compact", "delete")
    assert values["segment.bytes"] == 100
    assert values["preallocate"] is False
    assert values["min.cleanable.dirty.ratio"] == 0.5
    assert "internal.segment.bytes" not in values
