"""What UIs of Kafka ask for on their first page is answered as fully as by Kafka 4.1.0, field by field."""

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, ConsumerGroupType, TopicPartition
from confluent_kafka.admin import AdminClient

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.describe_cluster import DescribeClusterRequest
from chronik.protocol.generated.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from chronik.protocol.generated.describe_log_dirs import DescribeLogDirsRequest
from chronik.protocol.generated.describe_topic_partitions import DescribeTopicPartitionsRequest, TopicRequest
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.brokers import BrokerProcess
from tests.kafka_tools import TOPIC_CONFIG_NAMES
from tests.regressions.wire import Wire

TOPIC_RESOURCE = 2
BROKER_RESOURCE = 4
# As bits, what Kafka lets everybody do where it has no authorizer.
ON_CLUSTER = 8096
ON_TOPIC = 3576
ON_GROUP = 3400
NOT_ASKED = -(1 << 31)

BROKER_CONFIGS_SHOWN = [
    "advertised.listeners",
    "auto.create.topics.enable",
    "broker.id",
    "broker.rack",
    "compression.type",
    "default.replication.factor",
    "delete.topic.enable",
    "group.initial.rebalance.delay.ms",
    "listeners",
    "log.cleaner.enable",
    "log.cleanup.policy",
    "log.dirs",
    "log.retention.bytes",
    "log.retention.hours",
    "log.retention.minutes",
    "log.retention.ms",
    "log.segment.bytes",
    "max.connections",
    "message.max.bytes",
    "min.insync.replicas",
    "node.id",
    "num.io.threads",
    "num.network.threads",
    "num.partitions",
    "offsets.retention.minutes",
    "offsets.topic.num.partitions",
    "offsets.topic.replication.factor",
    "transaction.state.log.replication.factor",
    "unclean.leader.election.enable",
]
"""What dashboards read by name: how long data is kept, how large it may be, who replicates it."""


@pytest.fixture
def wire(shared_broker: BrokerProcess) -> Iterator[Wire]:
    with Wire(shared_broker.bootstrap) as connection:
        yield connection


def configs_of(wire: Wire, kind: int, name: str) -> list[Any]:
    request = DescribeConfigsRequest(
        [DescribeConfigsResource(kind, name, None)], include_synonyms=True, include_documentation=True
    )
    (result,) = wire.call(ApiKey.DESCRIBE_CONFIGS, 4, request).results
    assert result.error_code == 0, result.error_message
    return list(result.configs)


def test_the_cluster_is_described_with_its_controller_brokers_and_rights(
    shared_broker: BrokerProcess, wire: Wire
) -> None:
    asked = DescribeClusterRequest(include_cluster_authorized_operations=True, include_fenced_brokers=True)
    answer = wire.call(ApiKey.DESCRIBE_CLUSTER, 2, asked)
    (broker,) = answer.brokers
    assert f"{broker.host}:{broker.port}" == shared_broker.bootstrap
    assert (answer.error_code, answer.endpoint_type, broker.is_fenced) == (0, 1, False)
    assert answer.controller_id == broker.broker_id
    assert len(answer.cluster_id) == 22
    assert answer.cluster_authorized_operations == ON_CLUSTER
    without = wire.call(ApiKey.DESCRIBE_CLUSTER, 2, DescribeClusterRequest())
    assert without.cluster_authorized_operations == NOT_ASKED


@pytest.mark.parametrize("version", [8, 9, 10])
def test_metadata_tells_rights_where_they_are_asked_for(wire: Wire, topic_name: str, version: int) -> None:
    wire.create_topic(topic_name)
    topics = [MetadataRequestTopic(name=topic_name), MetadataRequestTopic(name="no-such-topic")]
    asked = MetadataRequest(
        topics,
        allow_auto_topic_creation=False,
        include_cluster_authorized_operations=True,
        include_topic_authorized_operations=True,
    )
    answer = wire.call(ApiKey.METADATA, version, asked)
    assert answer.cluster_authorized_operations == ON_CLUSTER
    assert [topic.topic_authorized_operations for topic in answer.topics] == [ON_TOPIC, NOT_ASKED]
    plain = wire.call(ApiKey.METADATA, version, MetadataRequest(topics, allow_auto_topic_creation=False))
    assert plain.cluster_authorized_operations == NOT_ASKED
    assert plain.topics[0].topic_authorized_operations == NOT_ASKED


def test_topics_are_described_page_by_page_with_rights(wire: Wire, topic_name: str) -> None:
    topic_id = wire.create_topic(topic_name, 2)
    asked = DescribeTopicPartitionsRequest([TopicRequest(topic_name)], 100)
    (topic,) = wire.call(ApiKey.DESCRIBE_TOPIC_PARTITIONS, 0, asked).topics
    assert (topic.topic_id, topic.is_internal, topic.topic_authorized_operations) == (topic_id, False, ON_TOPIC)
    for partition in topic.partitions:
        assert partition.replica_nodes == partition.isr_nodes == [partition.leader_id]
        assert partition.offline_replicas == []


def test_a_topic_has_exactly_kafkas_configs_each_with_type_and_documentation(wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name)
    configs = configs_of(wire, TOPIC_RESOURCE, topic_name)
    assert sorted(config.name for config in configs if not config.name.startswith("chronik.")) == TOPIC_CONFIG_NAMES
    for config in configs:
        assert config.config_type > 0, config.name
        assert config.documentation, config.name
        assert not config.read_only, config.name


def test_a_broker_shows_the_configs_that_dashboards_read(wire: Wire) -> None:
    configs = {config.name: config for config in configs_of(wire, BROKER_RESOURCE, "1")}
    assert set(BROKER_CONFIGS_SHOWN) <= set(configs)
    for config in configs.values():
        assert config.config_type > 0, config.name
        assert config.documentation, config.name
    assert not [name for name in configs if "password" in name]


def test_the_data_directory_is_described_with_the_space_of_its_disk(
    shared_broker: BrokerProcess, wire: Wire, topic_name: str
) -> None:
    wire.create_topic(topic_name)
    wire.append(topic_name, b"a record")
    (directory,) = wire.call(ApiKey.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequest(None)).results
    assert (directory.error_code, directory.log_dir) == (0, str(shared_broker.data))
    assert 0 < directory.usable_bytes < directory.total_bytes
    sizes = {topic.name: [p.partition_size for p in topic.partitions] for topic in directory.topics}
    assert sizes[topic_name][0] > 0


def test_groups_are_listed_and_described_with_their_positions_and_rights(
    shared_broker: BrokerProcess, wire: Wire, topic_name: str
) -> None:
    wire.create_topic(topic_name)
    wire.append(topic_name, b"one", b"two")
    admin = AdminClient({"bootstrap.servers": shared_broker.bootstrap})
    position = ConsumerGroupTopicPartitions(topic_name, [TopicPartition(topic_name, 0, 1)])
    admin.alter_consumer_group_offsets([position])[topic_name].result(timeout=60)
    listed = {group.group_id: group for group in admin.list_consumer_groups().result(timeout=60).valid}
    assert (listed[topic_name].state, listed[topic_name].type) == (ConsumerGroupState.EMPTY, ConsumerGroupType.CLASSIC)
    described = admin.describe_consumer_groups([topic_name], include_authorized_operations=True)[topic_name]
    group = described.result(timeout=60)
    assert group.members == []
    assert f"{group.coordinator.host}:{group.coordinator.port}" == shared_broker.bootstrap
    assert sum(1 << operation.value for operation in group.authorized_operations) == ON_GROUP
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(topic_name)])[topic_name].result(timeout=60)
    assert [(one.topic, one.partition, one.offset) for one in found.topic_partitions] == [(topic_name, 0, 1)]
