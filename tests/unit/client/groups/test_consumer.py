"""Members of a group with our own client, against a real broker: shared out, handed over, resumed, told when lost."""

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from chronik.client.admin import Admin
from chronik.client.cluster import Cluster
from chronik.client.errors import ConnectionFailedError, RefusedError
from chronik.client.groups.consumer import GroupConsumer
from chronik.client.groups.coordinator import CoordinatorClient
from chronik.client.groups.settings import GroupConsumerSettings
from chronik.client.settings import ClientSettings
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorResponse
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse
from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.unit.client.fake_broker import FakeBroker
from tests.unit.client.groups.group_members import (
    AT_ONCE,
    QUICK,
    SECONDS_MAX,
    OtherMember,
    Reader,
    Watcher,
    committed,
    create,
    kafka_python,
    librdkafka,
    members,
    run,
    send,
    until,
    until_assigned,
    values_of,
)


@pytest.fixture(scope="module")
def quick_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker that does not wait for further members of a new group."""
    broker = BrokerProcess(tmp_path_factory.mktemp("groups"), AT_ONCE)
    yield broker.start()
    if broker.is_running:
        broker.kill()


def test_members_share_the_partitions_and_each_record_is_read_once(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    """Also those that come while a member joins and while one leaves."""

    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 4)
            first = Reader(quick_broker.bootstrap, topic_name, topic_name)
            await until(lambda: first.share == [0, 1, 2, 3])
            flow = asyncio.create_task(send(cluster, topic_name, 0, range(3000)))
            second = Reader(quick_broker.bootstrap, topic_name, topic_name)
            await until(lambda: len(first.share) == len(second.share) == 2)
            await send(cluster, topic_name, second.share[0], range(3000, 3100))
            await until(lambda: set(second.seen) >= set(range(3000, 3100)))
            await second.stop()
            await flow
            await until(lambda: first.share == [0, 1, 2, 3])
            await send(cluster, topic_name, 3, range(3100, 3200))
            await until(lambda: len(first.seen) + len(second.seen) >= 3200)
            await first.stop()
            assert Counter(first.seen + second.seen) == Counter(range(3200))

    run(scenario)


def test_other_clients_and_this_one_share_a_group_whoever_leads_it(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    bootstrap = quick_broker.bootstrap

    async def scenario() -> None:
        async with Cluster(bootstrap) as cluster:
            await create(cluster, topic_name, 6)
            ours_leads, theirs_leads = f"{topic_name}-1", f"{topic_name}-2"
            ours = Reader(bootstrap, ours_leads, topic_name)
            await until(lambda: len(ours.share) == 6)
            theirs = OtherMember(lambda: librdkafka(bootstrap, ours_leads, topic_name))
            await until(lambda: len(ours.share) == len(theirs.share) == 3)
            assert sorted(ours.share + theirs.share) == list(range(6))
            await asyncio.gather(theirs.stop(), ours.stop())

            python = OtherMember(lambda: kafka_python(bootstrap, theirs_leads, topic_name))
            await until(lambda: len(python.share) == 6)
            ours = Reader(bootstrap, theirs_leads, topic_name)
            await until(lambda: len(ours.share) == len(python.share) == 3)
            assert sorted(ours.share + python.share) == list(range(6))
            await python.stop()
            await until(lambda: ours.share == list(range(6)))
            await ours.stop()

    run(scenario)


def test_a_member_that_comes_back_reads_on_behind_what_was_dealt_with(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            await send(cluster, topic_name, 0, range(10))
            at = TopicPartition(topic_name, 0)
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK) as consumer:
                fetched = await anext(consumer)
                assert values_of(fetched) == list(range(10))
                await consumer.seek(at, 4)
            assert await committed(cluster, topic_name) == {at: 4}
            assert await members(cluster, topic_name) == [], "it has left, and nobody waits for its session to end"
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK) as consumer:
                assert values_of(await anext(consumer)) == list(range(4, 10))
            assert await committed(cluster, topic_name) == {at: 10}

    run(scenario)


def test_offsets_are_committed_by_themselves_while_nothing_comes_and_not_before_they_are_dealt_with(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            await send(cluster, topic_name, 0, range(5))
            at = TopicPartition(topic_name, 0)
            settings = GroupConsumerSettings(offset_reset="earliest", auto_commit_interval_ms=100)
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as consumer:
                await anext(consumer)
                await asyncio.sleep(0.3)
                assert await committed(cluster, topic_name) == {}, "the program has not come back for more"
                assert await consumer.poll(0.3) is None
                while await committed(cluster, topic_name) != {at: 5}:
                    assert await consumer.poll(0.1) is None

    run(scenario)


def test_without_automatic_commits_only_what_is_committed_is_not_read_again(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            await send(cluster, topic_name, 0, range(10))
            at = TopicPartition(topic_name, 0)
            settings = GroupConsumerSettings(offset_reset="earliest", auto_commit=False)
            for explicit, expected in ((None, {}), ({at: 6}, {at: 6})):
                async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as consumer:
                    assert values_of(await anext(consumer)) == list(range(10))
                    if explicit is not None:
                        await consumer.commit(explicit)
                assert await committed(cluster, topic_name) == expected

    run(scenario)


def test_a_static_member_that_restarts_keeps_its_partitions_and_disturbs_nobody(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    def settings(instance: str) -> GroupConsumerSettings:
        return GroupConsumerSettings(instance_id=instance, offset_reset="earliest", heartbeat_interval_ms=100)

    async def restarted(member: Reader, other: Reader, instance: str) -> Reader:
        share, events = member.share, list(other.watcher.events)
        await member.stop()
        again = Reader(quick_broker.bootstrap, topic_name, topic_name, settings(instance))
        await until(lambda: again.share == share)
        async with Cluster(quick_broker.bootstrap) as cluster:
            await send(cluster, topic_name, share[0], range(5))
        await until(lambda: sorted(again.seen) == list(range(5)))
        assert other.watcher.events == events
        return again

    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 4)
            one = Reader(quick_broker.bootstrap, topic_name, topic_name, settings("one"))
            await until(lambda: len(one.share) == 4)
            two = Reader(quick_broker.bootstrap, topic_name, topic_name, settings("two"))
            await until(lambda: one.share == [0, 1] and two.share == [2, 3])
            # The first is the leader, which does not share out anew when it comes back.
            two = await restarted(two, one, "two")
            one = await restarted(one, two, "one")
            await asyncio.gather(one.stop(), two.stop())

    run(scenario)


def test_who_loses_its_instance_id_to_another_hears_so_at_the_next_poll(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    settings = GroupConsumerSettings(instance_id="only", offset_reset="earliest", heartbeat_interval_ms=100)

    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as first:
                await until_assigned(first)
                async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as second:
                    await until_assigned(second)
                    with pytest.raises(RefusedError) as refused:
                        await first.poll(SECONDS_MAX)
                    assert refused.value.error is ErrorCode.FENCED_INSTANCE_ID
                    with pytest.raises(RefusedError):
                        await first.poll(0)

    run(scenario)


def test_a_program_that_does_not_poll_loses_its_partitions_and_comes_back_with_its_next_poll(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    slow = GroupConsumerSettings(
        offset_reset="earliest", heartbeat_interval_ms=100, session_timeout_ms=6_000, poll_interval_ms_max=500
    )

    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            await send(cluster, topic_name, 0, range(5))
            watcher = Watcher()
            consumer = GroupConsumer(cluster, topic_name, [topic_name], settings=slow, listener=watcher)
            async with consumer:
                assert values_of(await anext(consumer)) == list(range(5))
                # A busy machine may have kept the first poll itself from coming back in time.
                await until(lambda: watcher.events[-1:] == ["lost"])
                assert consumer.assignment == []
                await consumer.commit()
                assert await committed(cluster, topic_name) == {}, "what is lost is not committed"
                assert await members(cluster, topic_name) == []
                assert values_of(await anext(consumer)) == list(range(5))

    run(scenario)


def test_partitions_are_handed_over_only_when_the_program_comes_back_for_more(
    quick_broker: BrokerProcess, topic_name: str
) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 2)
            await send(cluster, topic_name, 0, range(5))
            watcher = Watcher()
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK, listener=watcher) as consumer:
                await anext(consumer)
                other = Reader(quick_broker.bootstrap, topic_name, topic_name)
                # Several heartbeats say that the group rebalances while the program works on what it has.
                await asyncio.sleep(0.5)
                assert watcher.events == ["assigned"]
                assert await committed(cluster, topic_name) == {}
                while not other.share:
                    await consumer.poll(0.05)
                assert (await committed(cluster, topic_name))[TopicPartition(topic_name, 0)] == 5
                await other.stop()
                assert other.seen == []

    run(scenario)


def test_a_member_that_still_waits_to_join_can_leave_at_once(quick_broker: BrokerProcess, topic_name: str) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 2)
            await send(cluster, topic_name, 0, range(5))
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK) as busy:
                await anext(busy)
                [busy_id] = await members(cluster, topic_name)
                waiting = await GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK).__aenter__()
                while len(await members(cluster, topic_name)) < 2:
                    assert await waiting.poll(0.05) is None
                async with asyncio.timeout(60):
                    await waiting.close()
                assert await members(cluster, topic_name) == [busy_id]

    run(scenario)


def test_a_member_survives_the_death_of_its_coordinator(start_broker: StartBroker, topic_name: str) -> None:
    broker = start_broker(AT_ONCE)

    async def scenario() -> None:
        async with Cluster(broker.bootstrap, ClientSettings(retry_backoff_ms_max=100)) as cluster:
            await create(cluster, topic_name, 2)
            settings = GroupConsumerSettings(
                offset_reset="earliest", heartbeat_interval_ms=100, auto_commit_interval_ms=50
            )
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as consumer:
                await send(cluster, topic_name, 0, range(10))
                seen = values_of(await anext(consumer))
                await consumer.commit()
                await asyncio.to_thread(broker.restart, kill=True)
                await send(cluster, topic_name, 1, range(10, 20))
                while set(seen) != set(range(20)):
                    fetched = await consumer.poll(0.1)
                    seen += values_of(fetched) if fetched else []
                assert Counter(seen) == Counter(range(20))

    run(scenario)


def test_topics_that_appear_later_are_read_by_name_and_by_pattern(quick_broker: BrokerProcess, topic_name: str) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap, ClientSettings(metadata_age_ms_max=100)) as cluster:
            named, matched = f"{topic_name}-named", f"{topic_name}-matched"
            settings = GroupConsumerSettings(offset_reset="earliest", heartbeat_interval_ms=100, allow_creation=False)
            pattern = f"{topic_name}-mat.*"
            async with (
                GroupConsumer(cluster, f"{topic_name}-1", [named], settings=settings) as by_name,
                GroupConsumer(cluster, f"{topic_name}-2", pattern=pattern, settings=settings) as by_pattern,
            ):
                assert await by_name.poll(0.3) is None
                assert await by_pattern.poll(0.3) is None
                for topic, consumer in ((named, by_name), (matched, by_pattern)):
                    await create(cluster, topic, 1)
                    await send(cluster, topic, 0, range(3))
                    assert values_of(await anext(consumer)) == [0, 1, 2]

    run(scenario)


def test_a_deleted_topic_is_given_up_and_the_others_are_read_on(quick_broker: BrokerProcess, topic_name: str) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap, ClientSettings(metadata_age_ms_max=100)) as cluster:
            doomed, kept = f"{topic_name}-doomed", f"{topic_name}-kept"
            await create(cluster, doomed, 1)
            await create(cluster, kept, 1)
            settings = GroupConsumerSettings(offset_reset="earliest", heartbeat_interval_ms=100, allow_creation=False)
            async with GroupConsumer(cluster, topic_name, [doomed, kept], settings=settings) as consumer:
                await until_assigned(consumer)
                await Admin(cluster).delete_topics([doomed])
                await send(cluster, kept, 0, range(3))
                seen: list[int] = []
                while seen != [0, 1, 2] or [at.topic for at in consumer.assignment] != [kept]:
                    fetched = await consumer.poll(0.1)
                    seen += values_of(fetched) if fetched else []

    run(scenario)


def test_no_committed_offset_and_no_reset_is_an_error(quick_broker: BrokerProcess, topic_name: str) -> None:
    async def scenario() -> None:
        async with Cluster(quick_broker.bootstrap) as cluster:
            await create(cluster, topic_name, 1)
            settings = GroupConsumerSettings(offset_reset="none")
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=settings) as consumer:
                with pytest.raises(RefusedError, match="no offset is committed"):
                    await anext(consumer)

    run(scenario)


def test_a_cluster_that_stays_away_is_told_by_the_next_poll(start_broker: StartBroker, topic_name: str) -> None:
    broker = start_broker(AT_ONCE)

    async def scenario() -> None:
        async with Cluster(broker.bootstrap, ClientSettings(retry_timeout_ms=500)) as cluster:
            await create(cluster, topic_name, 1)
            async with GroupConsumer(cluster, topic_name, [topic_name], settings=QUICK) as consumer:
                await until_assigned(consumer)
                broker.kill()
                with pytest.raises(ConnectionFailedError):
                    await consumer.poll(SECONDS_MAX)

    run(scenario)


def test_a_coordinator_that_loads_or_has_moved_is_asked_again() -> None:
    answers = [
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.UNKNOWN_MEMBER_ID,
    ]

    async def scenario() -> None:
        settings = ClientSettings(retry_backoff_ms=1)
        async with FakeBroker() as broker, Cluster(broker.bootstrap, settings) as cluster:
            found = FindCoordinatorResponse(coordinators=[Coordinator(key="g", node_id=1)])
            broker.overrides[ApiKey.FIND_COORDINATOR] = lambda request, version: found
            broker.overrides[ApiKey.HEARTBEAT] = lambda request, version: HeartbeatResponse(error_code=answers.pop(0))
            coordinator = CoordinatorClient(cluster, "g")
            answer = await coordinator.call(
                HeartbeatRequest(group_id="g"), HeartbeatResponse, error_in=lambda answer: answer.error_code
            )
            assert answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID
            asked = [key for key, _ in broker.asked]
            assert asked.count(ApiKey.HEARTBEAT) == 4
            assert asked.count(ApiKey.FIND_COORDINATOR) == 3, "looked for at first, and after each word that it moved"

    run(scenario)
