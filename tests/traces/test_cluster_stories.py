"""What the brokers of a cluster tell together: of followers, of requests that go astray, of leaders that die."""

from collections.abc import Iterator

import pytest
from confluent_kafka import Producer

from chronik.protocol.apis import ApiKey
from chronik.testing import ClusterProcess
from tests.cluster.replicas import in_sync, leader_of
from tests.regressions.processes import wait_until
from tests.regressions.wire import PRODUCE_VERSION, Wire, produce_request
from tests.regressions.wire import batch_of as batch
from tests.traces.telling import SECONDS_MAX, Story, asked, in_order

# Longer than a machine stands still, lest a follower that nobody paused leaves.
SETTINGS = {"chronik.http.listener": "127.0.0.1:0", "replica.lag.time.max.ms": 6_000}


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterProcess]:
    """Three brokers for the tests of this module; whoever is stopped or killed is brought back."""
    with ClusterProcess(3, SETTINGS) as running:
        yield running


@pytest.fixture
def topic(cluster: ClusterProcess, topic_name: str) -> str:
    """A topic with three replicas, all in sync, that is traced."""
    cluster.create_topic(topic_name, configs={"chronik.trace": "on"})
    wait_until(lambda: len(in_sync(cluster, topic_name)) == 3, SECONDS_MAX, "three in sync")
    return topic_name


def story_of(cluster: ClusterProcess, *nodes: int) -> Story:
    return Story(*(cluster.brokers[node].http_address for node in nodes or cluster.running))


def others(cluster: ClusterProcess, node: int) -> list[int]:
    return [each for each in cluster.nodes if each != node]


def sent(where: str, topic: str) -> list[int | None]:
    """Send one record with librdkafka and acks=all; the offset comes when it has been acknowledged."""
    offsets: list[int | None] = []
    producer = Producer({"bootstrap.servers": where, "client.id": "sender", "acks": "all"})
    producer.produce(topic, b"value", partition=0, on_delivery=lambda error, message: offsets.append(message.offset()))
    assert producer.flush(SECONDS_MAX) == 0
    return offsets


def test_a_produce_says_for_which_replica_it_waits_and_which_one_let_it_go(cluster: ClusterProcess, topic: str) -> None:
    leader = leader_of(cluster, topic)
    sent(cluster.bootstrap_servers, topic)
    slow, _ = others(cluster, leader)
    cluster.pause(slow)
    try:
        assert sent(cluster.address_of(leader), topic) == [1]
        story = story_of(cluster, leader)
        events = [each for each in story.events(topic=topic) if each.get("first_offset", 1) == 1]
    finally:
        cluster.resume(slow)
    received, appended, waiting, changed, advanced, _ = in_order(
        story.events(topic=topic)[story.names(topic=topic).index("produce_acknowledged") + 1 :],
        "produce_received",
        "produce_appended",
        "produce_waiting",
        "isr_changed",
        "watermark_advanced",
        "produce_acknowledged",
    )
    assert (appended["first_offset"], appended["last_offset"]) == (1, 1)
    assert received["correlation_id"] == appended["correlation_id"] == waiting["correlation_id"]
    assert sorted(waiting["replicas"]) == others(cluster, leader)
    assert waiting["high_watermark"] == 1
    # Only the follower that stands still was waited for in the end, and it had to leave first.
    held = [event for event in events if event["event"] == "watermark_held"]
    assert held[-1]["replicas"] == [slow]
    assert (held[-1]["candidate"], held[-1]["high_watermark"], held[-1]["log_end"]) == (1, 1, 2)
    assert (sorted(changed["was"]), slow in changed["replicas"]) == (cluster.nodes, False)
    assert (advanced["from_offset"], advanced["to_offset"]) == (1, 2)


def test_a_produce_whose_client_leaves_while_it_waits_ends_as_abandoned(cluster: ClusterProcess, topic: str) -> None:
    leader = leader_of(cluster, topic)
    slow, _ = others(cluster, leader)
    story = story_of(cluster, leader)
    cluster.pause(slow)
    try:
        with Wire(cluster.address_of(leader)) as wire:
            wire.send(ApiKey.PRODUCE, PRODUCE_VERSION, produce_request(topic, batch(b"value"), acks=-1))
            waiting = story.await_event("produce_waiting", topic=topic)
        abandoned = story.await_event("produce_abandoned", topic=topic)
    finally:
        cluster.resume(slow)
    assert abandoned["correlation_id"] == waiting["correlation_id"]
    # The batch is committed all the same, and no client is said to have been answered.
    story.await_event("watermark_advanced", topic=topic)
    ends = story.events("produce_acknowledged", "request_refused", topic=topic)
    assert [event for event in ends if event["client_id"] == waiting["client_id"]] == []


def test_the_watermark_moves_because_of_the_last_follower_and_followers_learn_it(
    cluster: ClusterProcess, topic: str
) -> None:
    leader = leader_of(cluster, topic)
    sent(cluster.bootstrap_servers, topic)
    story = story_of(cluster)
    found = story.await_events(
        lambda events: {each["node"] for each in events} == set(cluster.nodes), topic=topic, event="watermark_advanced"
    )
    by = {event["node"]: event["by"] for event in found}
    assert by[leader] in others(cluster, leader)
    assert {by[node] for node in others(cluster, leader)} == {leader}
    fetches = story_of(cluster, leader).events("fetch_started", topic=topic)
    assert {event["replica"] for event in fetches} == set(others(cluster, leader))
    for node in others(cluster, leader):
        history = asked(str(cluster.brokers[node].http_address), f"/api/topics/{topic}/0/watermarks", node=node)
        assert [(step["from"], step["to"], step["by"]) for step in history["advances"]] == [(0, 1, leader)]


def test_a_produce_to_the_wrong_broker_is_told_by_the_one_that_passes_it_on_and_by_the_leader(
    cluster: ClusterProcess, topic: str
) -> None:
    leader = leader_of(cluster, topic)
    wrong = others(cluster, leader)[0]
    with Wire(cluster.address_of(wrong)) as wire:
        wire.produce(topic, batch(b"value"))
    here = story_of(cluster, wrong).events("produce_received", "produce_forwarded", "produce_acknowledged", topic=topic)
    assert [event["event"] for event in here] == ["produce_received", "produce_forwarded", "produce_acknowledged"]
    assert here[1]["leader"] == leader
    assert here[2]["first_offset"] == 0
    there = story_of(cluster, leader).events("produce_received", "produce_acknowledged", topic=topic)
    assert {event["client_id"] for event in there} == {f"chronik-forward/{wrong}"}
    both = story_of(cluster, wrong, leader).events(
        "produce_received", "produce_forwarded", "produce_acknowledged", topic=topic
    )
    assert [event["node"] for event in both] == [wrong, wrong, leader, leader, wrong]


def test_a_refusal_names_the_leader_that_the_client_is_told(cluster: ClusterProcess, topic: str) -> None:
    leader = leader_of(cluster, topic)
    wrong = others(cluster, leader)[0]
    with Wire(cluster.address_of(wrong)) as wire:
        wire.fetch(topic, 0)
    refused = story_of(cluster, wrong).events("request_refused", topic=topic)
    assert [(event["api"], event["error"], event["leader"]) for event in refused] == [
        ("Fetch", "NOT_LEADER_OR_FOLLOWER", leader)
    ]


def test_a_forwarded_request_is_told_by_the_leader_though_the_rule_names_its_client(
    cluster: ClusterProcess, topic_name: str
) -> None:
    cluster.create_topic(topic_name, configs={"chronik.trace": "client=sender"})
    leader = leader_of(cluster, topic_name)
    with Wire(cluster.address_of(others(cluster, leader)[0])) as wire:
        wire.produce(topic_name, batch(b"value"))
    story = story_of(cluster)
    received = story.events("produce_received", topic=topic_name)
    assert {event["node"] for event in received} == {leader}


def test_the_death_of_a_leader_is_told_by_those_who_are_left_and_the_history_goes_on(
    cluster: ClusterProcess, topic: str
) -> None:
    leader = leader_of(cluster, topic)
    sent(cluster.bootstrap_servers, topic)
    story_of(cluster).await_events(
        lambda events: {each["node"] for each in events} == set(cluster.nodes), topic=topic, event="watermark_advanced"
    )
    cluster.kill(leader)
    story = story_of(cluster)
    changes = story.await_events(
        lambda events: {each["node"] for each in events if each["leader"] >= 0} == set(others(cluster, leader)),
        topic=topic,
        event="leader_changed",
    )
    latest = [event for event in changes if event["leader"] >= 0]
    assert {event["leader"] for event in latest} <= set(others(cluster, leader))
    assert {event["leader_before"] for event in changes} & {leader, -1}
    next_leader = latest[-1]["leader"]
    sent(cluster.address_of(next_leader), topic)
    http = str(cluster.brokers[next_leader].http_address)
    history = asked(http, f"/api/topics/{topic}/0/watermarks", node=next_leader)["advances"]
    steps = [(step["from"], step["to"]) for step in history]
    assert steps == [(0, 1), (1, 2)]
    assert history[0]["by"] == leader
    cluster.start(leader)
    wait_until(lambda: len(in_sync(cluster, topic)) == 3, SECONDS_MAX, "three in sync")
