"""Creating topics: one request sets up every topic that it names."""

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.create_topics import CreatableTopic, CreateTopicsRequest
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire, values_of

TOPICS = 12
PARTITIONS = 3


def test_a_request_for_n_topics_gives_n_times_p_leaders(shared_broker: BrokerProcess, topic_name: str) -> None:
    """Rule 39: N topics with P partitions give N × P leaders, and each of them stores what it is sent."""
    names = [f"{topic_name}-{number:02d}" for number in range(TOPICS)]
    with Wire(shared_broker.bootstrap) as wire:
        wanted = [CreatableTopic(name, PARTITIONS, 1) for name in names]
        created = wire.call(ApiKey.CREATE_TOPICS, 5, CreateTopicsRequest(wanted, timeout_ms=30_000))
        assert {topic.name: topic.error_code for topic in created.topics} == dict.fromkeys(names, ErrorCode.NONE)
        for topic in created.topics:
            assert topic.num_partitions == PARTITIONS

        found = wire.call(ApiKey.METADATA, 9, MetadataRequest([MetadataRequestTopic(name=name) for name in names]))
        (broker,) = found.brokers
        leaders = {(topic.name, at.partition_index): at.leader_id for topic in found.topics for at in topic.partitions}
        expected = [(name, index) for name in names for index in range(PARTITIONS)]
        assert leaders == dict.fromkeys(expected, broker.node_id)

        for name, index in expected:
            assert wire.append(name, f"{name}-{index}".encode(), partition=index) == 0
        for name, index in expected:
            assert values_of(wire.read_all(name, partition=index)) == [f"{name}-{index}".encode()]
