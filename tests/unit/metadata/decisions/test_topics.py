"""Which topics are made, where their partitions go, and how they are deleted."""

from collections import Counter
from collections.abc import Mapping, Sequence
from uuid import UUID

import pytest

from chronik.metadata.decisions.brokers import (
    plan_register_broker,
)
from chronik.metadata.decisions.topics import (
    ClusterRules,
    CreatedTopic,
    NewPartitions,
    TopicRequest,
    find_topics,
    plan_create_partitions,
    plan_create_topics,
    plan_delete_topics,
    plan_remove_unclaimed,
)
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image, TopicImage
from chronik.metadata.image.keys import Endpoint, Registration
from chronik.metadata.stores.plan import (
    Plan,
    PlanStep,
    Refusal,
    pack,
)
from chronik.metadata.stores.port import (
    TRANSACTION_OPS_MAX,
    Compare,
    CompareTarget,
    Delete,
)
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, Revision
from tests.unit.metadata.decisions.carrying_out import carried_out

RULES = ClusterRules(topics_max=50, partitions_max=600, partitions_per_topic_max=400)


def cluster(brokers: int = 1) -> Image:
    image = Image()
    for broker in range(1, brokers + 1):
        registration = Registration(BrokerId(broker), (Endpoint("PLAINTEXT", "h", 9092),))
        image = carried_out(
            image, plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False)
        )
    return image


def topic_request(
    name: str = "t",
    partition_count: int = -1,
    replication_factor: int = -1,
    number: int = 1,
    assignment: Mapping[int, Sequence[int]] | None = None,
    configs: Mapping[str, str | None] | None = None,
) -> TopicRequest:
    assigned = {index: [BrokerId(broker) for broker in replicas] for index, replicas in (assignment or {}).items()}
    return TopicRequest(name, UUID(int=number), partition_count, replication_factor, assigned, configs or {})


def with_topic(brokers: int = 1, **members: object) -> Image:
    image = cluster(brokers)
    return carried_out(image, plan_create_topics(image, [topic_request(**members)], RULES))  # type: ignore[arg-type]


def refusal_of(image: Image, topic: TopicRequest, rules: ClusterRules = RULES) -> Refusal:
    plan = plan_create_topics(image, [topic], rules)
    answer = plan.result[topic.name]
    assert isinstance(answer, Refusal)
    assert plan.transactions == ()
    return answer


def test_topic_that_does_not_say_gets_what_is_configured() -> None:
    image = cluster(3)
    rules = RULES._replace(num_partitions=4, default_replication_factor=2, min_insync_replicas=2)
    plan = plan_create_topics(image, [topic_request(configs={"retention.ms": "1"})], rules)
    assert plan.result == {"t": CreatedTopic("t", UUID(int=1), 4, 2, {"retention.ms": "1"})}
    topic = carried_out(image, plan).topics["t"]
    assert topic.configs == {"retention.ms": "1"}
    assert [len(partition.replicas) for partition in topic.partitions] == [2] * 4
    for partition in topic.partitions:
        assert partition.isr == partition.replicas
        assert partition.leader == partition.replicas[0]
        assert (partition.leader_epoch, partition.partition_epoch, partition.min_insync) == (0, 0, 2)


def test_topic_s_own_minimum_in_sync_stands_in_each_partition() -> None:
    image = with_topic(configs={"min.insync.replicas": "2"}, partition_count=2)
    assert [partition.min_insync for partition in image.topics["t"].partitions] == [2, 2]


def test_leaders_and_replicas_are_spread_evenly_also_over_several_topics() -> None:
    image = cluster(4)
    for number in range(1, 6):
        topic = topic_request(f"t{number}", partition_count=7, replication_factor=3, number=number)
        image = carried_out(image, plan_create_topics(image, [topic], RULES))
    placed = [partition.replicas for topic in image.topics.values() for partition in topic.partitions]
    leaders = Counter(replicas[0] for replicas in placed)
    held = Counter(broker for replicas in placed for broker in replicas)
    assert max(leaders.values()) - min(leaders.values()) <= 1
    assert max(held.values()) - min(held.values()) <= 1
    assert all(len(set(replicas)) == 3 for replicas in placed)


def test_new_broker_takes_the_new_partitions() -> None:
    image = with_topic(brokers=1, partition_count=3)
    registration = Registration(BrokerId(2), (Endpoint("PLAINTEXT", "h", 9093),))
    image = carried_out(image, plan_register_broker(image, registration, "x" * 22, None, flushes_every_append=False))
    image = carried_out(image, plan_create_topics(image, [topic_request("u", 3, number=2)], RULES))
    assert [partition.leader for partition in image.topics["u"].partitions] == [2, 2, 2]


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        (topic_request(""), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic_request("a b"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic_request("x" * 250), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic_request("my.topic"), ErrorCode.INVALID_TOPIC_EXCEPTION),
        (topic_request("my_topic", number=9), ErrorCode.TOPIC_ALREADY_EXISTS),
        (topic_request(number=9, partition_count=0), ErrorCode.INVALID_PARTITIONS),
        (topic_request(number=9, partition_count=-2), ErrorCode.INVALID_PARTITIONS),
        (topic_request(number=9, partition_count=401), ErrorCode.INVALID_PARTITIONS),
        (topic_request(number=9, replication_factor=0), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic_request(number=9, replication_factor=-2), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic_request(number=9, replication_factor=3), ErrorCode.INVALID_REPLICATION_FACTOR),
        (topic_request(number=9, configs={"retention.ms": "x"}), ErrorCode.INVALID_CONFIG),
        (topic_request(number=9, configs={"retention.ms": None}), ErrorCode.INVALID_CONFIG),
        (topic_request(number=9, configs={"retention.mss": "1"}), ErrorCode.INVALID_CONFIG),
        (topic_request(number=9, configs={"compression.type": "zstd"}), ErrorCode.INVALID_CONFIG),
        (topic_request(number=9, configs={"remote.storage.enable": "true"}), ErrorCode.INVALID_CONFIG),
        (topic_request(number=9, partition_count=1, assignment={0: [1]}), ErrorCode.INVALID_REQUEST),
        (topic_request(number=9, replication_factor=1, assignment={0: [1]}), ErrorCode.INVALID_REQUEST),
        (topic_request(number=9, assignment={1: [1]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={0: [1], 2: [1]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={0: []}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={0: [1, 1]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={0: [1], 1: [1, 2]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={0: [7]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (topic_request(number=9, assignment={n: [1] for n in range(401)}), ErrorCode.INVALID_PARTITIONS),
    ],
)
def test_topic_that_may_not_be_is_refused_with_kafka_s_code(topic: TopicRequest, error: ErrorCode) -> None:
    image = with_topic(brokers=2, name="my_topic", number=5)
    refusal = refusal_of(image, topic._replace(id=UUID(int=99)))
    assert refusal.error == error
    assert refusal.message


def test_manual_assignment_is_kept_with_its_first_replica_as_leader() -> None:
    image = with_topic(brokers=3, assignment={1: [3, 1], 0: [2, 3]})
    topic = image.topics["t"]
    assert [partition.replicas for partition in topic.partitions] == [(2, 3), (3, 1)]
    assert [partition.leader for partition in topic.partitions] == [2, 3]


def test_two_topics_of_one_request_that_collide_are_not_both_made() -> None:
    plan = plan_create_topics(cluster(), [topic_request("a.b", number=1), topic_request("a_b", number=2)], RULES)
    assert isinstance(plan.result["a.b"], CreatedTopic)
    second = plan.result["a_b"]
    assert isinstance(second, Refusal)
    assert second.error == ErrorCode.INVALID_TOPIC_EXCEPTION


def test_name_that_stands_twice_in_a_request_is_refused() -> None:
    plan = plan_create_topics(cluster(), [topic_request(number=1), topic_request(number=2)], RULES)
    answer = plan.result["t"]
    assert isinstance(answer, Refusal)
    assert (answer.error, plan.transactions) == (ErrorCode.INVALID_REQUEST, ())


def test_limits_of_topics_and_partitions_count_the_whole_request() -> None:
    image = cluster()
    rules = RULES._replace(topics_max=2, partitions_max=10)
    plan = plan_create_topics(
        image,
        [topic_request("a", 6, number=1), topic_request("b", 5, number=2), topic_request("c", 4, number=3)],
        rules,
    )
    assert [isinstance(answer, Refusal) for answer in plan.result.values()] == [False, True, False]
    refused = plan.result["b"]
    assert isinstance(refused, Refusal)
    assert refused.error == ErrorCode.POLICY_VIOLATION
    image = carried_out(image, plan)
    assert refusal_of(image, topic_request("d", 1, number=4), rules).error == ErrorCode.POLICY_VIOLATION


def test_limit_of_topics_counts_those_of_the_same_request() -> None:
    topics = [topic_request(f"t{number}", number=number) for number in range(1, 4)]
    plan = plan_create_topics(cluster(), topics, RULES._replace(topics_max=2))
    assert [isinstance(answer, Refusal) for answer in plan.result.values()] == [False, False, True]


def test_followers_go_where_fewest_replicas_are() -> None:
    image = with_topic(brokers=4, assignment={0: [1, 4], 1: [2, 4], 2: [3, 4], 3: [4, 2]})
    image = carried_out(image, plan_create_topics(image, [topic_request("u", 1, 2, number=2)], RULES))
    assert image.topics["u"].partitions[0].replicas == (1, 3)


def test_transactions_keep_the_limit_of_compares_too() -> None:
    steps = [
        PlanStep((Compare(f"a{n}", Revision(1)), Compare(f"b{n}", Revision(1))), (Delete(f"c{n}"),)) for n in range(120)
    ]
    packed = pack(steps)
    assert all(len(transaction.compares) <= TRANSACTION_OPS_MAX for transaction in packed)
    assert [write for transaction in packed for write in transaction.writes] == [Delete(f"c{n}") for n in range(120)]


def test_validate_only_answers_the_same_and_does_nothing() -> None:
    image = cluster()
    topics = [topic_request("a", 3, number=1), topic_request("b", 0, number=2)]
    checked = plan_create_topics(image, topics, RULES, validate_only=True)
    assert checked.result == plan_create_topics(image, topics, RULES).result
    assert checked.transactions == ()


def test_creation_is_guarded_by_the_topic_key_and_by_the_brokers_broker_epochs() -> None:
    image = cluster(2)
    (transaction,) = plan_create_topics(image, [topic_request(partition_count=2)], RULES).transactions
    assert set(transaction.compares) == {
        Compare(keys.topic_key("t"), Revision(0)),
        Compare("brokers/1", Revision(1), CompareTarget.CREATE),
        Compare("brokers/2", Revision(2), CompareTarget.CREATE),
    }


def test_large_topic_comes_in_transactions_that_etcd_takes_and_its_key_comes_last() -> None:
    image = cluster()
    plan = plan_create_topics(image, [topic_request(partition_count=350)], RULES)
    assert len(plan.transactions) == 4
    assert all(len(transaction.writes) <= TRANSACTION_OPS_MAX for transaction in plan.transactions)
    for done in range(4):
        assert carried_out(image, plan, done).topics == {}
    assert len(carried_out(image, plan).topics["t"].partitions) == 350


def test_plan_made_again_after_a_crash_half_way_makes_the_topic_whole() -> None:
    image = cluster()
    half = carried_out(image, plan_create_topics(image, [topic_request(partition_count=350)], RULES), 2)
    whole = carried_out(half, plan_create_topics(half, [topic_request(partition_count=350)], RULES))
    assert (whole.partition_count, whole.unclaimed) == (350, {})


def test_topic_that_exists_with_the_requested_id_was_created_by_the_request() -> None:
    image = with_topic(partition_count=2)
    plan = plan_create_topics(image, [topic_request(partition_count=2)], RULES)
    assert plan.result == {"t": CreatedTopic("t", UUID(int=1), 2, 1, {})}
    assert plan.transactions == ()


def test_small_topics_share_a_transaction() -> None:
    topics = [topic_request(f"t{number}", number=number) for number in range(1, 21)]
    assert len(plan_create_topics(cluster(), topics, RULES).transactions) == 1


def test_topics_are_looked_up_by_name_and_by_id_in_the_order_asked() -> None:
    image = with_topic()
    found = find_topics(image, ["x", "t"], [UUID(int=1), UUID(int=9)])
    kinds = [one.error if isinstance(one, Refusal) else one.name for one in found]
    assert kinds == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "t", "t", ErrorCode.UNKNOWN_TOPIC_ID]


def test_deletion_takes_the_topic_first_and_leaves_no_partition() -> None:
    image = with_topic(partition_count=250)
    plan = plan_delete_topics(image, [UUID(int=1)])
    first = plan.transactions[0]
    assert first.writes[0] == Delete(keys.topic_key("t"))
    assert first.compares == (Compare(keys.topic_key("t"), image.topics["t"].revision),)
    assert carried_out(image, plan, 1).topics == {}
    after = carried_out(image, plan)
    assert (after.partition_count, after.unclaimed) == (0, {})


def test_deletion_made_again_after_a_crash_half_way_leaves_nothing() -> None:
    image = with_topic(partition_count=250)
    half = carried_out(image, plan_delete_topics(image, [UUID(int=1)]), 1)
    assert half.unclaimed != {}
    assert carried_out(half, plan_delete_topics(half, [UUID(int=1)])).unclaimed == {}
    swept = plan_remove_unclaimed(half)
    assert carried_out(half, swept).unclaimed == {}
    assert swept.result > 0


def test_further_partitions_come_after_the_old_ones_which_stay() -> None:
    image = with_topic(brokers=3, partition_count=2, replication_factor=2)
    plan = plan_create_partitions(image, NewPartitions("t", 5), RULES)
    assert isinstance(plan, Plan)
    after = carried_out(image, plan)
    topic: TopicImage = after.topics["t"]
    assert topic.partitions[:2] == image.topics["t"].partitions
    assert [len(partition.replicas) for partition in topic.partitions] == [2] * 5
    assert (topic.id, after.partition_count, after.unclaimed) == (UUID(int=1), 5, {})
    (transaction,) = plan.transactions
    assert Compare(keys.topic_key("t"), image.topics["t"].revision) in transaction.compares


def test_many_further_partitions_appear_all_at_once() -> None:
    image = with_topic(partition_count=2)
    plan = plan_create_partitions(image, NewPartitions("t", 300), RULES)
    assert isinstance(plan, Plan)
    assert [len(carried_out(image, plan, done).topics["t"].partitions) for done in range(4)] == [2, 2, 2, 300]


def test_further_partitions_may_be_assigned_by_hand() -> None:
    image = with_topic(brokers=3, partition_count=1, replication_factor=2)
    requested = NewPartitions("t", 2, [[BrokerId(3), BrokerId(2)]])
    plan = plan_create_partitions(image, requested, RULES)
    assert isinstance(plan, Plan)
    assert carried_out(image, plan).topics["t"].partitions[1].replicas == (3, 2)
    assert plan_create_partitions(image, requested, RULES, validate_only=True) == Plan((), plan.result)


@pytest.mark.parametrize(
    ("requested", "error"),
    [
        (NewPartitions("x", 5), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (NewPartitions("t", 2), ErrorCode.INVALID_PARTITIONS),
        (NewPartitions("t", 1), ErrorCode.INVALID_PARTITIONS),
        (NewPartitions("t", -1), ErrorCode.INVALID_PARTITIONS),
        (NewPartitions("t", 401), ErrorCode.INVALID_PARTITIONS),
        (NewPartitions("t", 3, []), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("t", 3, [[BrokerId(1)], [BrokerId(2)]]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("t", 3, [[BrokerId(1), BrokerId(2)]]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (NewPartitions("t", 3, [[BrokerId(9)]]), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
def test_further_partitions_that_may_not_be_are_refused(requested: NewPartitions, error: ErrorCode) -> None:
    answer = plan_create_partitions(with_topic(brokers=2, partition_count=2), requested, RULES)
    assert isinstance(answer, Refusal)
    assert answer.error == error


def test_cluster_s_limit_holds_for_further_partitions() -> None:
    answer = plan_create_partitions(
        with_topic(partition_count=2), NewPartitions("t", 5), RULES._replace(partitions_max=4)
    )
    assert isinstance(answer, Refusal)
    assert answer.error == ErrorCode.POLICY_VIOLATION
