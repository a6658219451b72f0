"""A broker that starts: its broker epoch, what it resigns, and the blocks of producer ids."""

from uuid import UUID

from chronik.metadata.decisions.brokers import (
    PRODUCER_ID_BLOCK,
    Registered,
    plan_producer_id_block,
    plan_register_broker,
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
)
from chronik.metadata.stores.port import Compare, Delete
from chronik.model.ids import BrokerId, Revision
from tests.unit.metadata.decisions.carrying_out import carried_out

CLUSTER_ID = "c" * 22


def registration(broker: int) -> Registration:
    return Registration(BrokerId(broker), (Endpoint("PLAINTEXT", "h", 9092),), None, "directory", "boot")


def register(image: Image, wish: Registration, cluster_id: str = CLUSTER_ID) -> Plan[Registered]:
    return plan_register_broker(image, wish, cluster_id, None, flushes_every_append=False)


def registered(image: Image, broker: int) -> Image:
    return carried_out(image, register(image, registration(broker)))


def with_partitions(count: int, brokers: int) -> Image:
    image = Image()
    for broker in range(1, brokers + 1):
        image = registered(image, broker)
    topic = TopicRequest("t", UUID(int=1), count, min(2, brokers))
    return carried_out(image, plan_create_topics(image, [topic], ClusterRules()))


def test_first_broker_founds_the_cluster_and_registers_in_one_transaction() -> None:
    plan = register(Image(), registration(1))
    (transaction,) = plan.transactions
    absent = {Compare(key, Revision(0)) for key in (keys.CLUSTER, "brokers/1", "hosts/1")}
    assert set(transaction.compares) == absent
    image = carried_out(Image(), plan)
    assert image.cluster_id == CLUSTER_ID
    assert image.brokers[BrokerId(1)].registration == registration(1)


def test_cluster_keeps_its_id_when_others_come() -> None:
    image = registered(Image(), 1)
    image = carried_out(image, register(image, registration(2), "d" * 22))
    assert image.cluster_id == CLUSTER_ID
    assert set(image.brokers) == {1, 2}


def test_each_start_is_a_later_broker_epoch() -> None:
    first = registered(Image(), 1)
    again = registered(first, 1)
    assert again.brokers[BrokerId(1)].broker_epoch > first.brokers[BrokerId(1)].broker_epoch


def test_start_ends_the_earlier_registration_under_guard_before_it_writes_its_own() -> None:
    image = registered(Image(), 1)
    ending, beginning = register(image, registration(1)).transactions
    assert ending.compares == (Compare("brokers/1", image.brokers[BrokerId(1)].revision),)
    assert ending.writes == (Delete("brokers/1"),)
    assert Compare("brokers/1", Revision(0)) in beginning.compares


def test_start_raises_the_epochs_of_all_that_the_broker_led_and_of_nothing_else() -> None:
    before = with_partitions(6, brokers=3)
    after = registered(before, 2)
    for old, new in zip(before.topics["t"].partitions, after.topics["t"].partitions, strict=True):
        raised = old.leader == 2
        assert new.leader_epoch == old.leader_epoch + raised
        assert new.partition_epoch == old.partition_epoch + raised
        assert (new.isr, new.replicas) == (old.isr, old.replicas)
        assert (new.leader == old.leader) is not raised
    assert sum(partition.leader == 2 for partition in before.topics["t"].partitions) == 2


def test_each_resignation_is_guarded_by_the_partition_s_revision() -> None:
    image = with_partitions(3, brokers=1)
    ending, _ = register(image, registration(1)).transactions
    revision = image.topics["t"].revision
    guards = {Compare(keys.partition_key(UUID(int=1), index), revision) for index in range(3)}
    assert guards <= set(ending.compares)


def test_broker_that_led_much_resigns_everything_before_it_registers() -> None:
    image = with_partitions(350, brokers=1)
    plan = register(image, registration(1))
    assert len(plan.transactions) == 5
    resigned = carried_out(image, plan, 4)
    assert resigned.brokers == {}
    assert {partition.leader_epoch for partition in resigned.topics["t"].partitions} == {1}
    assert set(carried_out(image, plan).brokers) == {1}


def test_start_that_crashed_half_way_resigns_again_at_the_next() -> None:
    image = with_partitions(350, brokers=1)
    half = carried_out(image, register(image, registration(1)), 2)
    after = registered(half, 1)
    assert all(
        new.leader_epoch > old.leader_epoch
        for old, new in zip(image.topics["t"].partitions, after.topics["t"].partitions, strict=True)
    )
    assert set(after.brokers) == {1}


def test_blocks_of_producer_ids_follow_each_other_and_are_guarded() -> None:
    image = Image()
    firsts = []
    for _ in range(3):
        plan = plan_producer_id_block(image)
        assert plan.transactions[0].compares == (Compare(keys.PRODUCER_IDS, image.producer_ids.revision),)
        assert plan.result.size == PRODUCER_ID_BLOCK
        firsts.append(plan.result.first)
        image = carried_out(image, plan)
    assert firsts == [0, 1_000, 2_000]
