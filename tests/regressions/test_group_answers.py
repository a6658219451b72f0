"""What is answered about positions where something is wrong, in the form that Kafka gives it."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from chronik.protocol.generated.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.brokers import BrokerProcess
from tests.regressions.group_member import GroupMember
from tests.regressions.wire import Wire


@pytest.fixture
def wire(shared_broker: BrokerProcess, topic_name: str) -> Iterator[Wire]:
    with Wire(shared_broker.bootstrap) as connection:
        GroupMember(connection, "any").find()
        connection.create_topic(topic_name, 2)
        yield connection


def commit(wire: Wire, version: int, generation: int, *places: tuple[str, int]) -> list[ErrorCode]:
    topics = [
        OffsetCommitRequestTopic(topic, partitions=[OffsetCommitRequestPartition(partition, 5, -1, "")])
        for topic, partition in places
    ]
    request = OffsetCommitRequest(f"group-{uuid4().hex[:8]}", generation, "", topics=topics)
    answer = wire.call(ApiKey.OFFSET_COMMIT, version, request)
    return [ErrorCode(one.error_code) for topic in answer.topics for one in topic.partitions]


@pytest.mark.parametrize("version", range(2, 10))
def test_a_generation_of_no_group_is_illegal_and_from_version_9_on_not_found(
    wire: Wire, topic_name: str, version: int
) -> None:
    expected = ErrorCode.GROUP_ID_NOT_FOUND if version >= 9 else ErrorCode.ILLEGAL_GENERATION
    assert commit(wire, version, 3, (topic_name, 0)) == [expected]


def test_a_commit_in_no_partition_says_so_whatever_is_wrong_besides(wire: Wire, topic_name: str) -> None:
    unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    wrong = ErrorCode.ILLEGAL_GENERATION
    places = ((topic_name, 0), (topic_name, 7), (topic_name, -1), ("no-such-topic", 0))
    assert commit(wire, 8, 3, *places) == [wrong, unknown, unknown, unknown]


def test_a_fetch_of_positions_is_answered_topic_by_topic_as_it_was_asked(wire: Wire, topic_name: str) -> None:
    asked = [(topic_name, [1, 0]), ("no-such-topic", []), (topic_name, [1])]
    topics = [OffsetFetchRequestTopics(name, partition_indexes=indexes) for name, indexes in asked]
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup("never-seen", topics=topics)])
    (group,) = wire.call(ApiKey.OFFSET_FETCH, 8, request).groups
    assert [(topic.name, [one.partition_index for one in topic.partitions]) for topic in group.topics] == asked
