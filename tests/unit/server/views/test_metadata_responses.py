"""Metadata answers that are kept: the same bytes as a fresh answer, for as long as the same is true."""

from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID

import pytest

from chronik.metadata.image.image import BrokerImage, ControllerImage, Image, PartitionImage, TopicImage
from chronik.metadata.image.keys import NOTHING, Endpoint, Registration
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch, Revision
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from chronik.server.handlers import metadata
from chronik.server.requests.context import RequestContext, Services
from chronik.server.views.metadata_responses import EncodedMetadata, MetadataCache

IDS = tuple(map(BrokerId, (1, 2, 3)))


def image_of(topics: int, leader: BrokerId = IDS[0]) -> Image:
    partition = PartitionImage(
        replicas=IDS,
        isr=IDS,
        leader=leader,
        leader_epoch=LeaderEpoch(4),
        partition_epoch=PartitionEpoch(5),
        min_insync=2,
        elr=(),
        last_known=(),
        adding=(),
        removing=(),
        revision=Revision(6),
    )
    named = {
        f"t{number}": TopicImage(f"t{number}", UUID(int=number + 1), (partition, partition), NOTHING, Revision(1))
        for number in reversed(range(topics))
    }
    brokers = {
        broker: BrokerImage(
            Registration(broker, (Endpoint("PLAINTEXT", "h", 9000 + broker), Endpoint("OTHER", "o", 1))),
            BrokerEpoch(1),
            Revision(1),
        )
        for broker in reversed(IDS)
    }
    names = {topic.id: name for name, topic in named.items()}
    return Image(Revision(9), "c", brokers, named, names, controller=ControllerImage(IDS[1], Revision(2)))


class Asked:
    """A broker that is asked for metadata."""

    def __init__(self, image: Image) -> None:
        self.offline: set[tuple[str, int]] = set()
        self.answers = MetadataCache()
        self.catalog = SimpleNamespace(image=image)

    def ask(
        self, names: list[str] | None = None, *, version: int = 12, listener: str = "PLAINTEXT", **flags: bool
    ) -> MetadataResponse:
        partitions = SimpleNamespace(
            has_offline=lambda: bool(self.offline), is_offline=lambda topic, index: (topic, index) in self.offline
        )
        services: Any = SimpleNamespace(
            catalog=self.catalog,
            partitions=partitions,
            node_id=IDS[0],
            metadata_cache=self.answers,
            settings=SimpleNamespace(auto_create_topics=False),
        )
        topics = None if names is None else [MetadataRequestTopic(name=name) for name in names]
        context = RequestContext(version=version, client_id="test", listener=listener, peer="test")
        answer = metadata.handle(MetadataRequest(topics, **flags), context, cast(Services, services))
        assert isinstance(answer, MetadataResponse)
        return answer

    def read(self, names: list[str] | None = None, *, version: int = 12, **how: Any) -> MetadataResponse:
        body = b"".join(self.ask(names, version=version, **how).encode(version))
        return MetadataResponse.decode(memoryview(body), version)


@pytest.mark.parametrize(
    ("version", "flags"),
    [
        (1, {}),
        (5, {}),
        (9, {}),
        (9, {"include_cluster_authorized_operations": True}),
        (9, {"include_topic_authorized_operations": True}),
        (12, {}),
        (12, {"include_topic_authorized_operations": True}),
        (13, {}),
    ],
)
def test_a_kept_answer_is_the_fresh_one_for_each_version_listener_and_question(
    version: int, flags: dict[str, Any]
) -> None:
    asked = Asked(image_of(9))
    names = [f"t{number}" for number in range(9)]
    questions: list[dict[str, Any]] = [
        {"names": None},
        {"names": names},
        {"names": names[::-1]},
        {"names": None, "listener": "OTHER"},
    ]
    for question in questions:
        fresh = Asked(image_of(9)).read(version=version, **question, **flags)
        first, second = (asked.read(version=version, **question, **flags) for _ in range(2))
        assert first == second == fresh


def test_an_answer_is_encoded_once_for_one_image() -> None:
    asked = Asked(image_of(20))
    first, second = asked.ask(), asked.ask()
    assert isinstance(first, EncodedMetadata)
    assert first is second


def test_another_image_gets_another_answer() -> None:
    asked = Asked(image_of(20))
    asked.ask()
    asked.catalog.image = image_of(20, leader=IDS[2])
    assert {one.leader_id for topic in asked.read().topics for one in topic.partitions} == {3}


def test_a_replica_that_cannot_be_served_is_told_at_once() -> None:
    asked = Asked(image_of(20))
    asked.ask()
    asked.offline = {("t3", 1)}
    told = {topic.name: [one.leader_id for one in topic.partitions] for topic in asked.read().topics}
    assert told["t3"] == [1, -1]
    asked.offline = set()
    assert {one.leader_id for topic in asked.read().topics for one in topic.partitions} == {1}


def test_brokers_and_topics_stand_in_one_order_whatever_the_image_was_made_from() -> None:
    told = Asked(image_of(5)).read()
    assert [broker.node_id for broker in told.brokers] == [1, 2, 3]
    assert [topic.name for topic in told.topics] == [f"t{number}" for number in range(5)]
    assert told.controller_id == 2


def test_no_more_is_kept_than_there_is_room_for() -> None:
    asked = Asked(image_of(20))
    size = len(asked.ask().encode(12)[0])
    asked.answers = MetadataCache(bytes_max=size)
    assert asked.ask() is asked.ask()
    assert asked.ask(version=9) is not asked.ask(version=9)
