"""confluent-kafka's AdminClient: topics, partitions, configs, offsets and records."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException, TopicCollection, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
    ResourceType,
)

from tests.brokers import BrokerProcess
from tests.regressions.librdkafka import numbered, read_partition, send_all

SECONDS_MAX = 60


@pytest.fixture
def admin(shared_broker: BrokerProcess) -> AdminClient:
    return AdminClient({"bootstrap.servers": shared_broker.bootstrap})


def results(futures: dict[Any, Any]) -> dict[Any, Any]:
    return {key: future.result(SECONDS_MAX) for key, future in futures.items()}


def error_of(action: Callable[[], Any]) -> KafkaError:
    with pytest.raises(KafkaException) as refused:
        action()
    error: KafkaError = refused.value.args[0]
    return error


def create(admin: AdminClient, topic: NewTopic, **options: Any) -> None:
    results(admin.create_topics([topic], request_timeout=SECONDS_MAX, **options))


def config_of(admin: AdminClient, kind: ResourceType, name: str) -> dict[str, ConfigEntry]:
    resource = ConfigResource(kind, name)
    found: dict[str, ConfigEntry] = results(admin.describe_configs([resource]))[resource]
    return found


def alter(admin: AdminClient, topic: str, name: str, operation: AlterConfigOpType, value: str | None) -> None:
    entry = ConfigEntry(name, value, incremental_operation=operation)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    results(admin.incremental_alter_configs([resource]))


def test_a_topic_is_created_listed_grown_and_deleted(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 3, 1))
    assert len(admin.list_topics(timeout=SECONDS_MAX).topics[topic_name].partitions) == 3
    results(admin.create_partitions([NewPartitions(topic_name, 5)]))
    partitions = admin.list_topics(topic_name, timeout=SECONDS_MAX).topics[topic_name].partitions
    assert {index: (one.leader, one.replicas, one.isrs) for index, one in partitions.items()} == {
        index: (1, [1], [1]) for index in range(5)
    }
    assert error_of(lambda: results(admin.create_partitions([NewPartitions(topic_name, 2)]))).code() == (
        KafkaError.INVALID_PARTITIONS
    )
    results(admin.delete_topics([topic_name]))
    assert topic_name not in admin.list_topics(timeout=SECONDS_MAX).topics
    missing = error_of(lambda: results(admin.delete_topics([topic_name])))
    assert missing.code() == KafkaError.UNKNOWN_TOPIC_OR_PART


def test_validate_only_creates_nothing_and_refuses_what_creation_would(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 3, 1), validate_only=True)
    assert topic_name not in admin.list_topics(timeout=SECONDS_MAX).topics
    for topic, code in (
        (NewTopic(topic_name, 1, 3), KafkaError.INVALID_REPLICATION_FACTOR),
        (NewTopic("bad name!", 1, 1), KafkaError.TOPIC_EXCEPTION),
        (NewTopic(topic_name, 1, 1, config={"retention.ms": "soon"}), KafkaError.INVALID_CONFIG),
        (NewTopic(topic_name, 1, 1, config={"no.such.config": "1"}), KafkaError.INVALID_CONFIG),
    ):
        for validate_only in (True, False):
            assert error_of(partial(create, admin, topic, validate_only=validate_only)).code() == code
    create(admin, NewTopic(topic_name, 1, 1))
    assert error_of(lambda: create(admin, NewTopic(topic_name, 1, 1))).code() == KafkaError.TOPIC_ALREADY_EXISTS


def test_partitions_are_assigned_by_hand(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 2, replica_assignment=[[1], [1]]))
    partitions = admin.list_topics(topic_name, timeout=SECONDS_MAX).topics[topic_name].partitions
    assert {index: one.replicas for index, one in partitions.items()} == {0: [1], 1: [1]}
    wrong = error_of(lambda: create(admin, NewTopic(f"{topic_name}-2", 1, replica_assignment=[[7]])))
    assert wrong.code() == KafkaError.INVALID_REPLICA_ASSIGNMENT


def test_names_that_collide_in_dots_and_underscores_are_refused(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(f"{topic_name}.a_b", 1, 1))
    assert error_of(lambda: create(admin, NewTopic(f"{topic_name}_a.b", 1, 1))).code() == KafkaError.TOPIC_EXCEPTION


def test_configs_have_sources_and_synonyms(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 1, 1, config={"retention.ms": "123456"}))
    configs = config_of(admin, ResourceType.TOPIC, topic_name)
    assert len(configs) > 25
    own: Any = configs["retention.ms"]
    assert (own.value, own.source, own.is_default) == ("123456", ConfigSource.DYNAMIC_TOPIC_CONFIG.value, False)
    assert own.synonyms["retention.ms"].value == "123456"
    assert "log.retention.hours" in own.synonyms
    by_default: Any = configs["segment.bytes"]
    assert (by_default.value, by_default.source) == ("1073741824", ConfigSource.DEFAULT_CONFIG.value)
    broker: Any = config_of(admin, ResourceType.BROKER, "1")
    assert broker["listeners"].source == ConfigSource.STATIC_BROKER_CONFIG.value
    assert broker["listeners"].is_read_only
    assert broker["log.segment.bytes"].value == "1073741824"


def test_configs_are_set_deleted_appended_and_subtracted(admin: AdminClient, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 1, 1))

    def value(name: str) -> tuple[str | None, bool]:
        entry = config_of(admin, ResourceType.TOPIC, topic_name)[name]
        return entry.value, entry.is_default

    alter(admin, topic_name, "retention.ms", AlterConfigOpType.SET, "77000")
    assert value("retention.ms") == ("77000", False)
    alter(admin, topic_name, "cleanup.policy", AlterConfigOpType.APPEND, "compact")
    assert value("cleanup.policy") == ("delete,compact", False)
    alter(admin, topic_name, "cleanup.policy", AlterConfigOpType.SUBTRACT, "delete")
    assert value("cleanup.policy") == ("compact", False)
    alter(admin, topic_name, "retention.ms", AlterConfigOpType.DELETE, None)
    assert value("retention.ms") == ("604800000", True)
    refused = error_of(lambda: alter(admin, topic_name, "retention.ms", AlterConfigOpType.SET, "x"))
    assert refused.code() == KafkaError.INVALID_CONFIG
    whole = ConfigResource(ResourceType.TOPIC, topic_name, set_config={"segment.ms": "90000"})
    results(admin.alter_configs([whole]))
    assert (value("segment.ms"), value("cleanup.policy")) == (("90000", False), ("delete", True))


def test_list_offsets_gives_the_ends_and_the_largest_timestamp(
    admin: AdminClient, shared_broker: BrokerProcess, topic_name: str
) -> None:
    create(admin, NewTopic(topic_name, 1, 1))
    send_all(shared_broker.bootstrap, topic_name, numbered(20))
    place = TopicPartition(topic_name, 0)
    latest_ms = read_partition(shared_broker.bootstrap, topic_name)[-1].timestamp()[1]

    spec: Any = OffsetSpec

    def offset(asked: Any) -> int:
        found: int = results(admin.list_offsets({place: asked}))[place].offset
        return found

    assert (offset(spec.earliest()), offset(spec.latest())) == (0, 20)
    assert 0 <= offset(spec.max_timestamp()) < 20
    assert offset(spec.for_timestamp(0)) == 0
    assert offset(spec.for_timestamp(latest_ms + 60_000)) == -1


def test_records_are_deleted_below_an_offset(admin: AdminClient, shared_broker: BrokerProcess, topic_name: str) -> None:
    create(admin, NewTopic(topic_name, 1, 1))
    values = numbered(20)
    send_all(shared_broker.bootstrap, topic_name, values)
    deleted = results(admin.delete_records([TopicPartition(topic_name, 0, 12)]))
    assert [one.low_watermark for one in deleted.values()] == [12]
    left = read_partition(shared_broker.bootstrap, topic_name, offset=12)
    assert [message.value() for message in left] == values[12:]
    beyond = error_of(lambda: results(admin.delete_records([TopicPartition(topic_name, 0, 21)])))
    assert beyond.code() == KafkaError.OFFSET_OUT_OF_RANGE


def test_the_cluster_and_its_topics_are_described(
    admin: AdminClient, shared_broker: BrokerProcess, topic_name: str
) -> None:
    create(admin, NewTopic(topic_name, 2, 1))
    cluster = admin.describe_cluster().result(SECONDS_MAX)
    assert cluster.cluster_id == shared_broker.ready["cluster_id"]
    assert [f"{node.host}:{node.port}" for node in cluster.nodes] == [shared_broker.bootstrap]
    topic = results(admin.describe_topics(TopicCollection([topic_name])))[topic_name]
    assert [(one.id, one.leader.id, [node.id for node in one.isr]) for one in topic.partitions] == [
        (0, 1, [1]),
        (1, 1, [1]),
    ]
