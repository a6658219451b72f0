"""The image: replayed change by change it is what a snapshot shows, and it stops on what must never happen."""

import asyncio
import random
from collections.abc import Iterable
from uuid import UUID

import pytest

from chronik.metadata.configs.effective import BrokerLayers
from chronik.metadata.decisions.brokers import (
    plan_producer_id_block,
    plan_register_broker,
)
from chronik.metadata.decisions.configs import ConfigChange, plan_change_broker_configs, plan_change_topic_configs
from chronik.metadata.decisions.topics import (
    ClusterRules,
    NewPartitions,
    TopicRequest,
    plan_create_partitions,
    plan_create_topics,
    plan_delete_topics,
    plan_remove_unclaimed,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import ControllerImage, Image
from chronik.metadata.image.keys import Endpoint, PartitionState, Registration, TopicRecord
from chronik.metadata.stores.memory.store import MemoryStore
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
)
from chronik.metadata.stores.port import Change, ChangeBatch, Delete, Put, RangeResult, StoreEntry, Write
from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch, Revision
from chronik.protocol.config_resources import AlterConfigOp

ONE = UUID(int=1)
ENDPOINTS = (Endpoint("PLAINTEXT", "localhost", 9092),)


def state(
    leader: int = 1, leader_epoch: int = 0, partition_epoch: int = 0, isr: Iterable[int] = (1, 2)
) -> PartitionState:
    return PartitionState(
        replicas=(BrokerId(1), BrokerId(2)),
        isr=tuple(map(BrokerId, isr)),
        leader=BrokerId(leader),
        leader_epoch=LeaderEpoch(leader_epoch),
        partition_epoch=PartitionEpoch(partition_epoch),
        min_insync=1,
    )


def put_partition(index: int, partition: PartitionState, topic_id: UUID = ONE) -> Put:
    return Put(keys.partition_key(topic_id, index), keys.encode_partition(partition))


def put_topic(name: str, partition_count: int, topic_id: UUID = ONE) -> Put:
    return Put(keys.topic_key(name), keys.encode_topic(TopicRecord(name, topic_id, partition_count, {"a": "b"})))


def replayed(image: Image, *writes: Write) -> Image:
    """Replay writes as one transaction; keys are taken as created by it."""
    revision = Revision(image.revision + 1)
    changes = (
        Change(write.key, StoreEntry(write.key, write.value, revision, revision) if isinstance(write, Put) else None)
        for write in writes
    )
    return image.replay(ChangeBatch(revision, tuple(changes)))


def with_topic(partition_count: int = 2) -> Image:
    partitions = [put_partition(index, state()) for index in range(partition_count)]
    return replayed(Image(), *partitions, put_topic("t", partition_count))


def test_topic_is_found_by_name_by_id_and_by_key() -> None:
    image = with_topic()
    topic = image.topics["t"]
    assert (topic.id, len(topic.partitions), topic.configs, topic.revision) == (ONE, 2, {"a": "b"}, 1)
    assert image.topic_by_id(ONE) is topic
    assert image.topic_at("topics/t") is topic
    assert image.topic_by_id(UUID(int=2)) is None
    assert image.partition_count == 2


def test_partition_outside_a_topic_is_none() -> None:
    image = with_topic()
    assert image.partition("t", 1) is image.topics["t"].partitions[1]
    assert (image.partition("t", 2), image.partition("t", -1), image.partition("x", 0)) == (None, None, None)


def test_partitions_without_their_topic_are_no_topic_until_its_key_comes() -> None:
    image = replayed(Image(), put_partition(0, state()), put_partition(1, state()))
    assert (image.topics, image.partition_count, set(image.unclaimed)) == ({}, 0, {ONE})
    image = replayed(image, put_topic("t", 2))
    assert (image.partition_count, image.unclaimed) == (2, {})
    assert len(image.topics["t"].partitions) == 2


def test_partition_beyond_the_count_joins_when_the_count_is_raised() -> None:
    image = replayed(with_topic(), put_partition(2, state()))
    assert len(image.topics["t"].partitions) == 2
    image = replayed(image, put_topic("t", 3))
    assert (len(image.topics["t"].partitions), image.partition_count, image.unclaimed) == (3, 3, {})


def test_partition_that_a_crash_left_behind_may_be_overwritten_with_another_leader() -> None:
    image = replayed(with_topic(), put_partition(2, state(leader=1)))
    image = replayed(image, put_partition(2, state(leader=2)), put_topic("t", 3))
    assert image.topics["t"].partitions[2].leader == 2


def test_deleted_topic_is_gone_with_its_key_and_its_partitions_with_theirs() -> None:
    image = replayed(with_topic(), Delete(keys.topic_key("t")))
    assert (image.topics, image.names, image.names_by_key, image.partition_count) == ({}, {}, {}, 0)
    assert set(image.unclaimed[ONE]) == {0, 1}
    image = replayed(image, Delete(keys.partition_key(ONE, 0)), Delete(keys.partition_key(ONE, 1)))
    assert image.unclaimed == {}


def test_topic_made_again_under_its_name_is_another_topic() -> None:
    two = UUID(int=2)
    image = replayed(with_topic(), Delete(keys.topic_key("t")))
    image = replayed(image, put_partition(0, state(), two), put_topic("t", 1, two))
    assert image.topics["t"].id == two
    assert image.topic_by_id(ONE) is None
    assert image.partition_count == 1


def test_change_of_one_partition_shares_all_that_stayed() -> None:
    before = replayed(with_topic(), put_partition(0, state(), UUID(int=2)), put_topic("u", 1, UUID(int=2)))
    after = replayed(before, put_partition(1, state(partition_epoch=1, isr=(1,))))
    assert after.topics["u"] is before.topics["u"]
    assert after.brokers is before.brokers
    assert (after.names is before.names, after.names_by_key is before.names_by_key) == (True, True)
    assert after.topics["t"].partitions[0] is before.topics["t"].partitions[0]
    assert before.topics["t"].partitions[1].isr == (1, 2)
    assert after.topics["t"].partitions[1].isr == (1,)
    assert after.topics["t"].partitions[1].revision == 3


def unsettled(image: Image) -> set[int]:
    return {index for _, index in image.unsettled}


def put_broker(broker: int) -> Put:
    return Put(f"brokers/{broker}", keys.encode_registration(Registration(BrokerId(broker), ENDPOINTS)))


def test_partitions_that_may_need_a_controller_are_known_without_looking_at_all() -> None:
    image = replayed(with_topic(3), put_broker(1))
    assert unsettled(image) == {0, 1, 2}, "2 is in sync everywhere, and not there"
    image = replayed(image, put_broker(2))
    assert unsettled(image) == set()
    image = replayed(image, put_partition(1, state(leader=-1, leader_epoch=1)))
    assert unsettled(image) == {1}
    image = replayed(image, put_partition(2, state(isr=(1,))), Delete("brokers/2"))
    assert unsettled(image) == {0, 1}
    image = replayed(image, put_partition(0, state(isr=(1,))))
    assert unsettled(image) == {1}
    image = replayed(image, Delete(keys.topic_key("t")))
    assert unsettled(image) == set()


def test_a_reassignment_may_need_a_controller() -> None:
    image = replayed(with_topic(1), put_broker(1), put_broker(2))
    moving = state()._replace(adding=(BrokerId(2),), isr=(BrokerId(1),))
    assert unsettled(replayed(image, put_partition(0, moving))) == {0}


def test_controller_and_hosts_are_in_the_image_and_go_with_their_keys() -> None:
    host = keys.Host("d", "b", None, is_lossy=True)
    image = replayed(Image(), Put(keys.CONTROLLER, keys.encode_controller(BrokerId(7))))
    image = replayed(image, Put(keys.host_key(BrokerId(7)), keys.encode_host(host)))
    assert image.controller == ControllerImage(BrokerId(7), Revision(1))
    assert image.hosts[BrokerId(7)].host == host._replace(broker_epoch=BrokerEpoch(2))
    image = replayed(image, Delete(keys.CONTROLLER), Delete(keys.host_key(BrokerId(7))))
    assert (image.controller, image.hosts) == (None, {})


def test_partition_state_of_a_store_that_knew_no_reassignments_is_read() -> None:
    old = keys.encode_partition(state()).replace(b',"adding":[],"removing":[]', b"")
    assert b"adding" not in old
    assert keys.decode_partition(old) == state()


def test_broker_s_broker_epoch_is_the_create_revision_of_its_registration() -> None:
    registration = Registration(BrokerId(1), ENDPOINTS, rack="a", directory_id="d", boot_id="b", closed_broker_epoch=4)
    entry = StoreEntry("brokers/1", keys.encode_registration(registration), Revision(5), Revision(8))
    image = Image().replay(ChangeBatch(Revision(8), (Change("brokers/1", entry),)))
    broker = image.brokers[BrokerId(1)]
    assert (broker.broker_epoch, broker.revision) == (BrokerEpoch(5), 8)
    assert broker.registration == registration
    assert broker.endpoint("PLAINTEXT") == ("PLAINTEXT", "localhost", 9092, "PLAINTEXT")
    assert broker.endpoint("OTHER") is None
    assert replayed(image, Delete("brokers/1")).brokers == {}


def test_partition_state_survives_the_store_whole() -> None:
    full = state()._replace(elr=(), last_known=(BrokerId(2),), min_insync=2)
    assert keys.decode_partition(keys.encode_partition(full)) == full


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (state(leader_epoch=2), state(leader_epoch=1)),
        (state(partition_epoch=2), state(partition_epoch=1)),
        (state(leader=1), state(leader=2)),
        (state(), state(leader=2, leader_epoch=1, isr=(1,))),
        (state(), state()._replace(isr=(BrokerId(1), BrokerId(3)))),
        (state(isr=(1,)), state(isr=(1,))._replace(elr=(BrokerId(1),))),
        (state(isr=(1,)), state(isr=(1,))._replace(elr=(BrokerId(7),))),
        (state(), state()._replace(min_insync=0)),
        (state(), state()._replace(last_known=(BrokerId(7),))),
        (state(), state()._replace(adding=(BrokerId(7),))),
        (state(), state()._replace(adding=(BrokerId(2),), removing=(BrokerId(2),))),
    ],
    ids=[
        "leader epoch falls",
        "partition epoch falls",
        "two leaders in one epoch",
        "leader not in sync",
        "in sync but no replica",
        "eligible and in sync",
        "eligible but no replica",
        "no minimum",
        "remembered but no replica",
        "added but no replica",
        "added and removed",
    ],
)
def test_replay_stops_on_a_state_that_would_lose_data(before: PartitionState, after: PartitionState) -> None:
    image = replayed(Image(), put_partition(0, before), put_topic("t", 1))
    with pytest.raises(AssertionError):
        replayed(image, put_partition(0, after))


def test_leaderless_partition_and_same_leader_in_a_later_epoch_are_good() -> None:
    image = replayed(Image(), put_partition(0, state()), put_topic("t", 1))
    image = replayed(image, put_partition(0, state(leader=-1, leader_epoch=1, isr=())))
    image = replayed(image, put_partition(0, state(leader=1, leader_epoch=2, isr=(1,))))
    assert image.topics["t"].partitions[0].leader == 1


def test_replay_stops_on_a_revision_that_was_replayed_already() -> None:
    image = with_topic()
    with pytest.raises(AssertionError):
        image.replay(ChangeBatch(image.revision, (Change("brokers/1", None),)))


def test_replay_stops_on_another_cluster_s_id_and_on_ids_handed_out_twice() -> None:
    image = replayed(
        Image(), Put(keys.CLUSTER, keys.encode_cluster("a")), Put(keys.PRODUCER_IDS, b'{"next_producer_id":9}')
    )
    with pytest.raises(AssertionError):
        replayed(image, Put(keys.CLUSTER, keys.encode_cluster("b")))
    with pytest.raises(AssertionError):
        replayed(image, Put(keys.PRODUCER_IDS, b'{"next_producer_id":8}'))


def test_topic_key_before_its_partitions_is_a_broken_promise() -> None:
    with pytest.raises(AssertionError, match="before its partitions"):
        replayed(Image(), put_topic("t", 1))


def some_plan(image: Image, dice: random.Random) -> Plan[object] | Refusal:
    """Draw a decision that a cluster might take."""
    rules, layers = ClusterRules(), BrokerLayers()
    name = dice.choice(["a", "b.c", "b_c", "d"])
    known = dice.choice(sorted(image.topics) or ["none"])
    match dice.randrange(8):
        case 0:
            registration = Registration(BrokerId(dice.randint(1, 3)), ENDPOINTS)
            return plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False)
        case 1 | 2:
            topic_id = UUID(int=dice.getrandbits(128))
            return plan_create_topics(image, [TopicRequest(name, topic_id, dice.choice([1, 3, 120]))], rules)
        case 3:
            return plan_delete_topics(image, [image.topics[known].id] if known in image.topics else [])
        case 4:
            return plan_create_partitions(image, NewPartitions(known, dice.randint(2, 5)), rules)
        case 5:
            change = ConfigChange("min.insync.replicas", AlterConfigOp.SET, str(dice.randint(1, 3)))
            return plan_change_topic_configs(image, known, [change], rules, layers)
        case 6:
            change = ConfigChange("min.insync.replicas", dice.choice([AlterConfigOp.SET, AlterConfigOp.DELETE]), "2")
            return plan_change_broker_configs(image, None, [change], rules, layers)
        case _:
            return dice.choice([plan_producer_id_block, plan_remove_unclaimed])(image)


@pytest.mark.parametrize("seed", range(8))
def test_image_replayed_step_by_step_is_the_image_of_the_snapshot_whatever_happened(seed: int) -> None:
    async def scenario() -> None:
        dice = random.Random(seed)
        store = MemoryStore()
        image = Image()
        watch = store.watch(Revision(1))
        for _ in range(120):
            plan = some_plan(image, dice)
            if isinstance(plan, Refusal):
                continue
            # A crash may come between any two transactions of a plan.
            done = plan.transactions[: dice.randint(0, len(plan.transactions) + 2)]
            for transaction in done:
                outcome = await store.transact(transaction.compares, transaction.writes)
                while image.revision < outcome.revision:
                    image = image.replay(await anext(watch))
            snapshot: RangeResult = await store.range("")
            assert image == Image.load(snapshot)
            assert image.partition_count == sum(len(topic.partitions) for topic in image.topics.values())
        assert image.revision > 20

    asyncio.run(scenario())
