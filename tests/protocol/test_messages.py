"""Messages as values: defaults, equality, and what a version cannot carry."""

from uuid import UUID

import pytest

from chronik.protocol.errors import ProtocolError
from chronik.protocol.generated.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    LeaderIdAndEpoch,
    PartitionData,
    ReplicaState,
)
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from chronik.protocol.generated.produce import ProduceRequest, TopicProduceData
from chronik.protocol.wire import NO_UUID, UUIDS, Message, uuid_of, varint
from tests.protocol.messages import all_messages

TOPIC_ID = UUID("00112233-4455-6677-8899-aabbccddeeff")


def test_a_new_message_has_kafkas_defaults() -> None:
    request = FetchRequest()
    assert (request.replica_id, request.max_bytes, request.session_epoch) == (-1, 0x7FFF_FFFF, -1)
    assert (request.cluster_id, request.replica_state, request.topics, request.rack_id) == (None, None, [], "")
    assert PartitionData().records is None
    assert MetadataRequest().allow_auto_topic_creation is True
    assert TopicProduceData().topic_id is NO_UUID


def test_two_messages_do_not_share_a_default_list() -> None:
    FetchRequest().topics.append(FetchTopic())
    assert FetchRequest().topics == []


def test_null_is_kept_apart_from_the_default() -> None:
    assert MetadataRequest(topics=None).topics is None
    assert MetadataRequest().topics == []


def test_messages_are_equal_when_all_fields_are() -> None:
    assert FetchTopic("a", partitions=[FetchPartition(1)]) == FetchTopic("a", partitions=[FetchPartition(1)])
    assert FetchTopic("a", partitions=[FetchPartition(1)]) != FetchTopic("a", partitions=[FetchPartition(2)])
    assert FetchRequest() != FetchResponse()
    assert repr(LeaderIdAndEpoch(1, 2)) == "LeaderIdAndEpoch(leader_id=1, leader_epoch=2)"


def test_every_message_of_defaults_is_itself_again_in_every_version() -> None:
    for message in all_messages():
        for version in message.versions:
            data = b"".join(message().encode(version))
            assert message.decode(memoryview(data), version) == message(), (message, version)


def test_a_field_that_may_be_ignored_is_dropped_where_the_version_lacks_it() -> None:
    topic = TopicProduceData(name="t", topic_id=TOPIC_ID)
    data = b"".join(ProduceRequest(topic_data=[topic]).encode(12))
    assert ProduceRequest.decode(memoryview(data), 12).topic_data == [TopicProduceData(name="t")]


@pytest.mark.parametrize(
    ("message", "version", "reason"),
    [
        (MetadataRequest(allow_auto_topic_creation=False), 3, "version 3: .*allow_auto_topic_creation is not part"),
        (FetchRequest(replica_state=ReplicaState(3, 4)), 14, "version 14: .*replica_state is not part"),
        (FetchRequest(forgotten_topics_data=[ForgottenTopic("t")]), 6, "forgotten_topics_data is not part"),
        (MetadataRequest(topics=None), 0, "NoneType"),
        (MetadataRequest(topics=[MetadataRequestTopic(name=None)]), 9, "NoneType"),
        (FetchRequest(max_wait_ms=1 << 31), 12, "format requires"),
        (FetchRequest(rack_id="x" * 40_000), 11, "format requires"),
        (FetchRequest(rack_id="\ud800"), 12, "surrogates"),
        (FetchRequest(max_wait_ms="5"), 12, "required argument is not an integer"),  # type: ignore[arg-type]
    ],
)
def test_what_a_version_cannot_carry_is_refused(message: Message, version: int, reason: str) -> None:
    with pytest.raises(ProtocolError, match=reason):
        message.encode(version)


def test_a_tagged_struct_of_defaults_is_not_sent() -> None:
    assert FetchRequest(replica_state=ReplicaState()).encode(15) == FetchRequest().encode(15)
    assert FetchRequest(replica_state=ReplicaState(1)).encode(15) != FetchRequest().encode(15)


def test_a_null_cluster_id_is_told_from_an_empty_one() -> None:
    for cluster_id in (None, "", "c"):
        data = b"".join(MetadataResponse(cluster_id=cluster_id).encode(12))
        assert MetadataResponse.decode(memoryview(data), 12).cluster_id == cluster_id


def test_an_id_is_an_ordinary_uuid_and_the_memory_of_ids_is_bounded() -> None:
    assert uuid_of(TOPIC_ID.bytes) == TOPIC_ID
    assert str(uuid_of(TOPIC_ID.bytes)) == str(TOPIC_ID)
    assert hash(uuid_of(TOPIC_ID.bytes)) == hash(TOPIC_ID)
    for number in range(1, 25_000):
        uuid_of(number.to_bytes(16, "big"))
        assert len(UUIDS) <= 10_000
    assert UUIDS[bytes(16)] is NO_UUID


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (0, "00"),
        (127, "7f"),
        (128, "8001"),
        (16_383, "ff7f"),
        (16_384, "808001"),
        ((1 << 21) - 1, "ffff7f"),
        (1 << 21, "80808001"),
        ((1 << 32) - 1, "ffffffff0f"),
    ],
)
def test_variable_length_integers_have_known_bytes(value: int, data: str) -> None:
    assert varint(value).hex() == data
