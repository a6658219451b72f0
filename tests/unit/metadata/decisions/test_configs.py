"""Changing configs: of a topic, of one broker, of all; and what a new minimum in sync does to partitions."""

from uuid import UUID

import pytest

from chronik.metadata.configs.effective import BrokerLayers
from chronik.metadata.decisions.brokers import (
    plan_register_broker,
)
from chronik.metadata.decisions.configs import (
    ConfigChange,
    plan_change_broker_configs,
    plan_change_topic_configs,
    plan_replace_broker_configs,
    plan_replace_topic_configs,
)
from chronik.metadata.decisions.topics import (
    ClusterRules,
    TopicRequest,
    plan_create_topics,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import Endpoint, Registration
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.metadata.stores.port import Change, ChangeBatch, Compare, StoreEntry
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId
from chronik.protocol.config_resources import AlterConfigOp
from tests.unit.metadata.decisions.carrying_out import carried_out

RULES = ClusterRules()
SET, DELETE, APPEND, SUBTRACT = AlterConfigOp
ONE = BrokerId(1)


def with_topic(partition_count: int = 1, **configs: str) -> Image:
    named = {name.replace("_", "."): value for name, value in configs.items()}
    image = Image()
    for broker in (1, 2, 3):
        registration = Registration(BrokerId(broker), (Endpoint("PLAINTEXT", "h", 9092),))
        image = carried_out(
            image, plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False)
        )
    topic = TopicRequest("t", UUID(int=1), partition_count, 3, configs=named)
    return carried_out(image, plan_create_topics(image, [topic], RULES))


def changed(image: Image, *changes: ConfigChange) -> Plan[None] | Refusal:
    return plan_change_topic_configs(image, "t", changes, RULES, BrokerLayers())


def refused(answer: Plan[None] | Refusal) -> ErrorCode:
    assert isinstance(answer, Refusal)
    assert answer.message
    return answer.error


def test_replacing_takes_away_what_is_not_named() -> None:
    image = with_topic(retention_ms="1", flush_ms="2")
    after = carried_out(image, plan_replace_topic_configs(image, "t", {"flush.ms": "3"}, RULES))
    assert after.topics["t"].configs == {"flush.ms": "3"}


def test_changing_leaves_what_is_not_named() -> None:
    image = with_topic(retention_ms="1", flush_ms="2")
    after = carried_out(image, changed(image, ConfigChange("flush.ms", SET, "3"), ConfigChange("retention.ms", DELETE)))
    assert after.topics["t"].configs == {"flush.ms": "3"}
    assert after.topics["t"].partitions == image.topics["t"].partitions


def test_change_is_guarded_by_the_topic_s_revision() -> None:
    image = with_topic()
    plan = changed(image, ConfigChange("flush.ms", SET, "3"))
    assert isinstance(plan, Plan)
    assert plan.transactions[0].compares == (Compare(keys.topic_key("t"), image.topics["t"].revision),)


@pytest.mark.parametrize(
    ("before", "op", "value", "after"),
    [
        ("delete", APPEND, "compact", "delete,compact"),
        ("delete", APPEND, "delete", "delete"),
        ("compact,delete", SUBTRACT, "delete", "compact"),
        ("compact", SUBTRACT, "delete", "compact"),
        (None, APPEND, "compact", "delete,compact"),
    ],
)
def test_lists_grow_and_shrink_from_the_value_that_holds(
    before: str | None, op: AlterConfigOp, value: str, after: str
) -> None:
    image = with_topic(**({"cleanup_policy": before} if before else {}))
    image = carried_out(image, changed(image, ConfigChange("cleanup.policy", op, value)))
    assert image.topics["t"].configs["cleanup.policy"] == after


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ([ConfigChange("retention.ms", APPEND, "1")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("retention.ms", SUBTRACT, "1")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("retention.ms", SET, "x")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("retention.mss", SET, "1")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("retention.mss", APPEND, "1")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("cleanup.policy", SUBTRACT, "delete")], ErrorCode.INVALID_CONFIG),
        ([ConfigChange("retention.ms", SET, None)], ErrorCode.INVALID_REQUEST),
        ([ConfigChange("flush.ms", SET, "1"), ConfigChange("flush.ms", DELETE)], ErrorCode.INVALID_REQUEST),
    ],
)
def test_change_that_may_not_be_is_refused(changes: list[ConfigChange], error: ErrorCode) -> None:
    assert refused(changed(with_topic(), *changes)) == error


def test_unknown_topic_null_value_and_unknown_broker_are_refused() -> None:
    image = with_topic()
    assert refused(plan_replace_topic_configs(image, "x", {}, RULES)) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    unknown = plan_change_topic_configs(image, "x", [], RULES, BrokerLayers())
    assert refused(unknown) == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert refused(plan_replace_topic_configs(image, "t", {"flush.ms": None}, RULES)) == ErrorCode.INVALID_REQUEST
    assert refused(plan_replace_broker_configs(image, BrokerId(9), {}, RULES)) == ErrorCode.INVALID_REQUEST


def test_validate_only_and_a_change_of_nothing_write_nothing() -> None:
    image = with_topic(flush_ms="2")
    change = [ConfigChange("flush.ms", SET, "3")]
    assert plan_change_topic_configs(image, "t", change, RULES, BrokerLayers(), validate_only=True) == Plan((), None)
    assert changed(image, ConfigChange("flush.ms", SET, "2")) == Plan((), None)
    bad = plan_replace_topic_configs(image, "t", {"flush.ms": "x"}, RULES, validate_only=True)
    assert refused(bad) == ErrorCode.INVALID_CONFIG


def test_new_minimum_is_written_into_every_partition_before_the_topic_shows_it() -> None:
    image = with_topic(250)
    plan = changed(image, ConfigChange("min.insync.replicas", SET, "2"))
    assert isinstance(plan, Plan)
    assert len(plan.transactions) == 3
    assert "min.insync.replicas" not in carried_out(image, plan, 2).topics["t"].configs
    topic = carried_out(image, plan).topics["t"]
    assert {(one.min_insync, one.partition_epoch, one.leader_epoch) for one in topic.partitions} == {(2, 1, 0)}
    assert topic.configs == {"min.insync.replicas": "2"}
    key = keys.partition_key(UUID(int=1), 0)
    assert Compare(key, image.topics["t"].partitions[0].revision) in plan.transactions[0].compares


@pytest.mark.parametrize(("minimum", "elr"), [("1", ()), ("2", (2,))])
def test_lowering_the_minimum_empties_the_eligible_only_where_the_in_sync_set_then_suffices(
    minimum: str, elr: tuple[int, ...]
) -> None:
    image = with_topic(min_insync_replicas="3")
    shrunk = (
        image.topics["t"]
        .partitions[0]
        .state._replace(
            isr=(BrokerId(1),), elr=(BrokerId(2),), partition_epoch=image.topics["t"].partitions[0].partition_epoch
        )
    )
    key = keys.partition_key(UUID(int=1), 0)
    revision = image.next_revision
    entry = StoreEntry(key, keys.encode_partition(shrunk), revision, revision)
    image = image.replay(ChangeBatch(revision, (Change(key, entry),)))
    after = carried_out(image, changed(image, ConfigChange("min.insync.replicas", SET, minimum)))
    assert after.topics["t"].partitions[0].elr == elr


def test_minimum_of_all_brokers_reaches_topics_that_have_none_of_their_own() -> None:
    image = with_topic(min_insync_replicas="3")
    other = TopicRequest("u", UUID(int=2), 2, 1)
    image = carried_out(image, plan_create_topics(image, [other], RULES))
    change = [ConfigChange("min.insync.replicas", SET, "2")]
    after = carried_out(image, plan_change_broker_configs(image, None, change, RULES, BrokerLayers()))
    assert [one.min_insync for one in after.topics["t"].partitions] == [3]
    assert [one.min_insync for one in after.topics["u"].partitions] == [2, 2]
    assert after.configs_of_broker(None) == {"min.insync.replicas": "2"}
    back = [ConfigChange("min.insync.replicas", DELETE)]
    after = carried_out(after, plan_change_broker_configs(after, None, back, RULES, BrokerLayers()))
    assert [one.min_insync for one in after.topics["u"].partitions] == [1, 1]
    assert None not in after.broker_configs
    deleted = carried_out(after, changed(after, ConfigChange("min.insync.replicas", DELETE)))
    assert [one.min_insync for one in deleted.topics["t"].partitions] == [1]


def test_configs_of_one_broker_and_of_all_stand_apart() -> None:
    image = with_topic()
    image = carried_out(image, plan_replace_broker_configs(image, ONE, {"log.retention.ms": "1"}, RULES))
    image = carried_out(image, plan_replace_broker_configs(image, None, {"log.retention.ms": "2"}, RULES))
    assert image.configs_of_broker(ONE) == {"log.retention.ms": "1"}
    assert image.configs_of_broker(None) == {"log.retention.ms": "2"}
    layers = BrokerLayers.of(image, ONE, {"log.retention.ms": "3"})
    assert [one.value for one in layers.synonyms("log.retention.ms")][:3] == ["1", "2", "3"]
    image = carried_out(image, plan_replace_broker_configs(image, ONE, {}, RULES))
    assert image.configs_of_broker(ONE) == {}


@pytest.mark.parametrize("name", ["listeners", "node.id", "log.retention.hours", "no.such.config"])
def test_broker_config_that_may_not_change_at_run_time_is_refused(name: str) -> None:
    image = with_topic()
    change = [ConfigChange(name, SET, "1")]
    assert refused(plan_change_broker_configs(image, ONE, change, RULES, BrokerLayers())) == ErrorCode.INVALID_REQUEST
    assert refused(plan_replace_broker_configs(image, None, {name: "1"}, RULES)) == ErrorCode.INVALID_REQUEST


def test_unknown_broker_config_may_be_cleared_but_not_set() -> None:
    image = with_topic()
    cleared = plan_change_broker_configs(
        image, ONE, [ConfigChange("leader.replication.throttled.rate", DELETE, None)], RULES, BrokerLayers()
    )
    assert cleared == Plan((), None)
    kept = ConfigChange("leader.replication.throttled.rate", SET, "1")
    assert refused(plan_change_broker_configs(image, ONE, [kept], RULES, BrokerLayers())) is ErrorCode.INVALID_REQUEST
