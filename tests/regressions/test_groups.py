"""Groups over the wire: who coordinates, what is kept, and how waiting ends."""

import time
from collections.abc import Iterator
from math import inf
from pathlib import Path
from uuid import uuid4

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest
from chronik.protocol.generated.describe_groups import DescribeGroupsRequest
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.list_groups import ListGroupsRequest
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.brokers import BrokerProcess, running_broker
from tests.conftest import StartBroker
from tests.regressions.group_member import GroupMember, committed
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, batch_of

QUICK = {"group.initial.rebalance.delay.ms": 0}
OFFSETS_TOPIC = "__consumer_offsets"
SECONDS_MAX = 60.0


@pytest.fixture(scope="module")
def quick_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """One broker for this module, whose groups do not wait for more members."""
    with running_broker(tmp_path_factory.mktemp("groups"), QUICK) as broker:
        yield broker


@pytest.fixture
def wire(quick_broker: BrokerProcess) -> Iterator[Wire]:
    with Wire(quick_broker.bootstrap) as connection:
        GroupMember(connection, "any").find()
        yield connection


def fresh(wire: Wire, **settings: object) -> GroupMember:
    """A member of a group that nobody has used."""
    return GroupMember(wire, f"group-{uuid4().hex[:8]}", **settings)  # type: ignore[arg-type]


def described(wire: Wire, group: str) -> tuple[str, list[str]]:
    (found,) = wire.call(ApiKey.DESCRIBE_GROUPS, 5, DescribeGroupsRequest([group])).groups
    return found.group_state, [member.member_id for member in found.members]


# --- the life of a member


@pytest.mark.parametrize("version", range(10))
def test_a_member_joins_commits_and_leaves_in_every_version(wire: Wire, topic_name: str, version: int) -> None:
    """Rule 49: the group APIs of every version do what they are for."""
    wire.create_topic(topic_name)
    member = fresh(wire, version=version)
    found = member.find()
    assert (found.error_code, found.node_id) == (ErrorCode.NONE, 1)
    joined = member.join()
    assert joined.error_code == ErrorCode.NONE
    assert joined.leader == member.member_id
    assert [one.member_id for one in joined.members] == [member.member_id]
    assert member.sync({member.member_id: b"part"}).assignment == b"part"
    assert member.beat() is ErrorCode.NONE
    assert member.commit({(topic_name, 0): 5}) == {(topic_name, 0): ErrorCode.NONE}
    assert committed(wire, member.group, topic_name, [0]) == {0: 5}
    assert described(wire, member.group) == ("Stable", [member.member_id])
    assert member.leave() is ErrorCode.NONE
    assert described(wire, member.group) == ("Empty", [])


def test_a_member_that_falls_silent_is_out_after_its_session_time_out(wire: Wire) -> None:
    member = fresh(wire, session_timeout_ms=6_000)
    member.join_alone()
    started = time.monotonic()
    while described(wire, member.group)[0] != "Empty":
        assert time.monotonic() < started + SECONDS_MAX, "the session did not end"
        time.sleep(0.1)
    assert time.monotonic() - started > 5
    assert member.beat() is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_second_member_makes_the_first_join_again(quick_broker: BrokerProcess, wire: Wire) -> None:
    first = fresh(wire)
    first.join_alone()
    with Wire(quick_broker.bootstrap) as other:
        second = GroupMember(other, first.group)
        answer = second.call(ApiKey.JOIN_GROUP, second.join_request())
        second.member_id = answer.member_id
        other.send(ApiKey.JOIN_GROUP, 9, second.join_request())
        deadline = time.monotonic() + SECONDS_MAX
        while first.beat() is not ErrorCode.REBALANCE_IN_PROGRESS:
            assert time.monotonic() < deadline
        leading = first.join()
        _, following = other.receive()
        assert (leading.generation_id, following.generation_id) == (2, 2)
        assert {one.member_id for one in leading.members} == {first.member_id, second.member_id}
        assert following.members == []


def test_a_parked_join_whose_connection_is_closed_leaves_no_ghost(quick_broker: BrokerProcess, wire: Wire) -> None:
    """Rule 19: nobody waits for a member that nobody can hear from."""
    first = fresh(wire)
    first.join_alone()
    with Wire(quick_broker.bootstrap) as other:
        # Before version 4 a member is taken in without having been told its id.
        ghost = GroupMember(other, first.group, version=2)
        other.send(ApiKey.JOIN_GROUP, 2, ghost.join_request())
        deadline = time.monotonic() + SECONDS_MAX
        while first.beat() is not ErrorCode.REBALANCE_IN_PROGRESS:
            assert time.monotonic() < deadline
    while described(wire, first.group)[1] != [first.member_id]:
        assert time.monotonic() < deadline, "the ghost is still a member"
    assert [one.member_id for one in first.join().members] == [first.member_id]


def test_a_static_member_that_comes_back_keeps_its_assignment_without_a_rebalance(
    quick_broker: BrokerProcess, wire: Wire
) -> None:
    static = fresh(wire, instance_id="one")
    static.join_alone()
    with Wire(quick_broker.bootstrap) as other:
        again = GroupMember(other, static.group, instance_id="one")
        answer = again.join()
        assert (answer.error_code, answer.generation_id) == (ErrorCode.NONE, static.generation)
        assert again.sync().assignment == b"all"
        assert again.beat() is ErrorCode.NONE
    assert static.beat() is ErrorCode.FENCED_INSTANCE_ID


# --- positions


def test_a_group_never_seen_has_no_position_and_that_is_no_error(wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name, 2)
    assert committed(wire, "never-seen", topic_name, [0, 1]) == {0: -1, 1: -1}
    assert described(wire, "never-seen") == ("Dead", [])


def test_a_commit_keeps_what_exists_and_refuses_the_rest_one_by_one(wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name)
    member = fresh(wire)
    assert member.commit({(topic_name, 0): 3, (topic_name, 7): 3, (f"{topic_name}-not", 0): 3}) == {
        (topic_name, 0): ErrorCode.NONE,
        (topic_name, 7): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        (f"{topic_name}-not", 0): ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    assert committed(wire, member.group, topic_name, [0]) == {0: 3}


def test_a_thousand_positions_are_fetched_at_once(wire: Wire, topic_name: str) -> None:
    wire.create_topic(topic_name, 20)
    member = fresh(wire)
    wished = {partition: partition * 3 for partition in range(20)}
    answered = member.commit({(topic_name, partition): offset for partition, offset in wished.items()})
    assert set(answered.values()) == {ErrorCode.NONE}
    found = committed(wire, member.group, topic_name, list(range(1_000)))
    assert found == {partition: wished.get(partition, -1) for partition in range(1_000)}


def test_a_topic_of_the_same_name_does_not_inherit_committed_offsets(wire: Wire, topic_name: str) -> None:
    """Rule 17 of replication: deleting a topic removes what groups committed for it."""
    wire.create_topic(topic_name)
    member = fresh(wire)
    member.commit({(topic_name, 0): 9})
    assert committed(wire, member.group, topic_name, [0]) == {0: 9}
    wire.call(ApiKey.DELETE_TOPICS, 5, DeleteTopicsRequest(topic_names=[topic_name], timeout_ms=10_000))
    wire.create_topic(topic_name)
    assert committed(wire, member.group, topic_name, [0]) == {0: -1}


# --- the coordinator


def test_every_listener_and_every_version_names_the_same_coordinator(start_broker: StartBroker, tmp_path: Path) -> None:
    """Rule 47: the coordinator is the leader of the partition that the group's id hashes to, wherever one asks."""
    broker = start_broker({"offsets.topic.num.partitions": 5}, node_id=7)
    with Wire(broker.bootstrap) as wire:
        batched = wire.call(ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest("", 0, ["a", "b", ""])).coordinators
        single = [wire.call(ApiKey.FIND_COORDINATOR, 3, FindCoordinatorRequest(key)) for key in ("a", "b", "")]
    host, port = broker.bootstrap.split(":")
    assert {(one.node_id, one.host, one.port, one.error_code) for one in [*batched, *single]} == {
        (7, host, int(port), ErrorCode.NONE)
    }


def test_a_replication_factor_that_cannot_be_had_is_said_and_not_lowered(start_broker: StartBroker) -> None:
    broker = start_broker({"offsets.topic.replication.factor": 3})
    with Wire(broker.bootstrap) as wire:
        (found,) = wire.call(ApiKey.FIND_COORDINATOR, 4, FindCoordinatorRequest("", 0, ["g"])).coordinators
        assert found.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert "replication factor of 3" in found.error_message
        assert wire.call(ApiKey.LIST_GROUPS, 4, ListGroupsRequest()).error_code == ErrorCode.NONE
    assert "replication factor of 3" in broker.log_text


def test_transactional_ids_are_refused_and_unknown_kinds_too(wire: Wire) -> None:
    for kind, error in ((1, ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED), (2, ErrorCode.INVALID_REQUEST)):
        (found,) = wire.call(ApiKey.FIND_COORDINATOR, 6, FindCoordinatorRequest("", kind, ["x"])).coordinators
        assert found.error_code == error


def test_the_offsets_topic_is_closed_to_producers_and_cannot_be_deleted_or_grown(wire: Wire) -> None:
    data = TopicProduceData(OFFSETS_TOPIC, partition_data=[PartitionProduceData(0, batch_of(b"x"))])
    produced = wire.call(ApiKey.PRODUCE, 9, ProduceRequest(None, -1, 1_000, [data])).responses[0].partition_responses
    deleted = wire.call(ApiKey.DELETE_TOPICS, 5, DeleteTopicsRequest(topic_names=[OFFSETS_TOPIC], timeout_ms=1_000))
    grown = wire.call(
        ApiKey.CREATE_PARTITIONS, 3, CreatePartitionsRequest([CreatePartitionsTopic(OFFSETS_TOPIC, 99, None)], 1_000)
    )
    assert produced[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert deleted.responses[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert grown.results[0].error_code == ErrorCode.INVALID_PARTITIONS


# --- the end of a broker


def test_a_member_goes_on_in_its_generation_after_kill_9(start_broker: StartBroker, topic_name: str) -> None:
    broker = start_broker(QUICK)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
        member = fresh(wire, session_timeout_ms=120_000)
        member.find()
        member.join_alone()
        member.commit({(topic_name, 0): 42})
    broker.restart(kill=True)
    with Wire(broker.bootstrap) as wire:
        assert committed(wire, member.group, topic_name, [0]) == {0: 42}
        member.wire = wire
        assert member.beat() is ErrorCode.NONE
        assert described(wire, member.group) == ("Stable", [member.member_id])


def test_positions_outlive_the_compaction_of_their_topic(start_broker: StartBroker, topic_name: str) -> None:
    settings = {
        "offsets.topic.num.partitions": 1,
        "offsets.topic.segment.bytes": 1_048_576,
        "log.cleaner.backoff.ms": 200,
        "log.cleaner.min.cleanable.ratio": 0.1,
    }
    broker = start_broker(settings)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, 20)
        member = fresh(wire)
        member.find()
        for offset in range(700):
            answered = member.commit({(topic_name, partition): offset for partition in range(20)})
            assert set(answered.values()) == {ErrorCode.NONE}
        first = broker.data / f"{OFFSETS_TOPIC}-0" / f"{0:020}.log"
        # While what was compacted takes its place, the file is not there for a moment.
        wait_until(lambda: _size(first) < 100_000, SECONDS_MAX, "the offsets' topic is compacted")
    broker.restart(kill=True)
    with Wire(broker.bootstrap) as wire:
        assert committed(wire, member.group, topic_name, list(range(20))) == dict.fromkeys(range(20), 699)


def _size(path: Path) -> float:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return inf


def test_a_broker_that_stops_answers_parked_joins_without_delay(start_broker: StartBroker) -> None:
    broker = start_broker({"group.initial.rebalance.delay.ms": 60_000})
    with Wire(broker.bootstrap) as wire:
        member = fresh(wire, version=2)
        member.find()
        wire.send(ApiKey.JOIN_GROUP, 2, member.join_request())
        with Wire(broker.bootstrap) as other:
            deadline = time.monotonic() + SECONDS_MAX
            while described(other, member.group)[0] != "PreparingRebalance":
                assert time.monotonic() < deadline
        started = time.monotonic()
        assert broker.stop() == 0
        # Far less than the delay for which the join is parked.
        assert time.monotonic() - started < 30
        _, answer = wire.receive()
        assert answer.error_code == ErrorCode.NOT_COORDINATOR
