"""What one broker tells of requests that real clients make, and when it tells nothing."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from chronik.protocol.apis import ApiKey
from chronik.protocol.constants import LATEST_TIMESTAMP
from chronik.protocol.generated.heartbeat import HeartbeatRequest
from chronik.protocol.generated.list_offsets import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from tests.brokers import BrokerProcess, running_broker
from tests.conftest import BROKERS
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire, batch_of, fetch_request
from tests.traces.telling import SECONDS_MAX, Story, asked, in_order, set_trace


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """One broker for the tests of this module, which keep apart by their topics and leave no trace on."""
    broker = BrokerProcess(tmp_path_factory.mktemp("traced"), {"group.initial.rebalance.delay.ms": 0}, http=True)
    try:
        yield broker.start()
    finally:
        broker.kill()


@pytest.fixture
def broker(request: pytest.FixtureRequest, served: BrokerProcess) -> BrokerProcess:
    request.node.stash.setdefault(BROKERS, []).append(served)
    return served


@pytest.fixture
def topic(broker: BrokerProcess, topic_name: str) -> str:
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name)
    return topic_name


@pytest.fixture
def traced(broker: BrokerProcess, topic: str) -> Iterator[str]:
    """A topic that is traced for the length of a test."""
    set_trace(broker.bootstrap, "on", topic)
    yield topic
    set_trace(broker.bootstrap, None, topic)


def send(broker: BrokerProcess, topic: str, client: str = "sender") -> int:
    """Send one record with librdkafka, and give its offset."""
    offsets: list[int | None] = []
    producer = Producer({"bootstrap.servers": broker.bootstrap, "client.id": client})
    producer.produce(topic, b"value", partition=0, on_delivery=lambda error, message: offsets.append(message.offset()))
    assert producer.flush(SECONDS_MAX) == 0
    assert offsets[0] is not None
    return offsets[0]


def test_a_produce_is_told_from_its_coming_to_its_acknowledgement(broker: BrokerProcess, traced: str) -> None:
    send(broker, traced)
    story = Story(broker.http).events(topic=traced)
    received, appended, advanced, acknowledged = in_order(
        story, "produce_received", "produce_appended", "watermark_advanced", "produce_acknowledged"
    )
    assert {event["client_id"] for event in (received, appended, acknowledged)} == {"sender"}
    assert len({event["correlation_id"] for event in (received, appended, acknowledged)}) == 1
    assert received["acks"] == -1
    assert received["size_bytes"] > len(b"value")
    assert (appended["first_offset"], appended["last_offset"]) == (0, 0)
    assert (advanced["from_offset"], advanced["to_offset"], advanced["by"]) == (0, 1, broker.ready["node_id"])
    assert acknowledged["elapsed_us"] > 0
    assert {event["partition"] for event in story} == {0}


def test_a_fetch_that_waits_is_told_from_its_start_through_the_wait_to_its_answer(
    broker: BrokerProcess, traced: str
) -> None:
    consumer = Consumer(
        {
            "bootstrap.servers": broker.bootstrap,
            "client.id": "reader",
            "group.id": traced,
            "fetch.wait.max.ms": 30_000,
            "enable.auto.commit": False,
        }
    )
    consumer.assign([TopicPartition(traced, 0, 0)])
    consumer.poll(0.1)
    story = Story(broker.http)
    parked = story.await_event("fetch_parked", topic=traced, client="reader")
    send(broker, traced)
    message = consumer.poll(SECONDS_MAX)
    consumer.close()
    assert message is not None
    assert message.value() == b"value"
    events = story.events(topic=traced, client="reader")
    mine = [
        event for event in events if event.get("correlation_id", parked["correlation_id"]) == parked["correlation_id"]
    ]
    started, before, held, advanced, after, found, read, answered = in_order(
        mine,
        "fetch_started",
        "watermark_checked",
        "fetch_parked",
        "watermark_advanced",
        "watermark_checked",
        "data_found",
        "read_begun",
        "fetch_answered",
    )
    assert (started["offset"], started["replica"], started["wait_ms_max"]) == (0, -1, 30_000)
    assert started["bytes_min"] == 1
    assert started["bytes_max"] > 0
    assert (before["high_watermark"], before["gap"]) == (0, 0)
    assert held["wait_ms_max"] == 30_000
    assert advanced["to_offset"] == 1
    assert (after["offset"], after["high_watermark"], after["gap"], after["log_end"]) == (0, 1, 1, 1)
    assert found["size_bytes"] > 0
    assert read["bytes_max"] == started["bytes_max"]
    assert answered["size_bytes"] == found["size_bytes"]
    assert answered["elapsed_us"] > answered["steady_us"] - started["steady_us"] - 1_000_000


def test_a_client_that_leaves_while_its_fetch_waits_is_told(broker: BrokerProcess, traced: str) -> None:
    story = Story(broker.http)
    with Wire(broker.bootstrap) as wire:
        wire.send(ApiKey.FETCH, 12, fetch_request(traced, 0, max_wait_ms=60_000))
        story.await_event("fetch_parked", topic=traced)
    abandoned = story.await_event("fetch_abandoned", topic=traced)
    assert abandoned["offset"] == 0


def test_a_refused_fetch_and_a_refused_produce_are_told_with_their_errors(broker: BrokerProcess, traced: str) -> None:
    with Wire(broker.bootstrap) as wire:
        wire.fetch(traced, 77)
        wire.produce(traced, batch_of(b"value")[:-1] + b"!")
    refused = Story(broker.http).events("request_refused", topic=traced)
    assert [(event["api"], event["error"], event["leader"]) for event in refused] == [
        ("Fetch", "OFFSET_OUT_OF_RANGE", -1),
        ("Produce", "CORRUPT_MESSAGE", -1),
    ]
    assert refused[1]["message"]


def test_refusals_of_other_requests_are_told_where_the_broker_is_traced(broker: BrokerProcess, topic: str) -> None:
    def ask(wire: Wire, name: str) -> None:
        asked_of = ListOffsetsTopic(name, [ListOffsetsPartition(0, timestamp=LATEST_TIMESTAMP)])
        wire.call(ApiKey.LIST_OFFSETS, 7, ListOffsetsRequest(-1, 0, [asked_of]))

    with Wire(broker.bootstrap) as wire:
        ask(wire, "no-such-topic")
        set_trace(broker.bootstrap, "on")
        ask(wire, "no-such-topic")
        wire.call(ApiKey.HEARTBEAT, 4, HeartbeatRequest(topic, 1, "nobody"))
        ask(wire, topic)
        set_trace(broker.bootstrap, None)
    refused = [event for event in Story(broker.http).events("request_refused") if "topic" not in event]
    errors = [(event["api"], event["error"]) for event in refused if event["api"] in ("ListOffsets", "Heartbeat")]
    assert errors[0] == ("ListOffsets", "UNKNOWN_TOPIC_OR_PARTITION")
    assert [api for api, _ in errors] == ["ListOffsets", "Heartbeat"]


def test_the_switch_of_a_topic_goes_before_that_of_the_brokers_and_works_at_run_time(
    broker: BrokerProcess, topic: str
) -> None:
    story = Story(broker.http)
    send(broker, topic)
    assert story.events(topic=topic) == []
    set_trace(broker.bootstrap, "on")
    send(broker, topic)
    assert len(story.events("produce_acknowledged", topic=topic)) == 1
    set_trace(broker.bootstrap, "off", topic)
    send(broker, topic)
    assert len(story.events("produce_acknowledged", topic=topic)) == 1
    set_trace(broker.bootstrap, None, topic)
    send(broker, topic)
    assert len(story.events("produce_acknowledged", topic=topic)) == 2
    set_trace(broker.bootstrap, None)
    send(broker, topic)
    assert len(story.events("produce_acknowledged", topic=topic)) == 2


@pytest.mark.parametrize(("rule", "told"), [("client=one", {"one"}), ("client=o*", {"one", "other"})])
def test_a_client_is_followed_by_its_name_or_by_how_it_begins(
    broker: BrokerProcess, topic: str, rule: str, told: set[str]
) -> None:
    set_trace(broker.bootstrap, rule, topic)
    for client in ("one", "other", "third"):
        send(broker, topic, client)
    set_trace(broker.bootstrap, None, topic)
    events = Story(broker.http).events(topic=topic)
    assert {event["client_id"] for event in events if "client_id" in event} == told
    # What belongs to no client is part of everybody's story.
    assert [event["to_offset"] for event in events if event["event"] == "watermark_advanced"] == [1, 2, 3]


@pytest.mark.parametrize("value", ["yes", "client=", "client", "ON", "client=" + "x" * 300])
def test_a_value_without_meaning_is_refused_with_a_sentence(broker: BrokerProcess, topic: str, value: str) -> None:
    with pytest.raises(KafkaException, match=r"chronik\.trace: "):
        set_trace(broker.bootstrap, value, topic)


def test_kafkas_own_tool_switches_a_trace_on_and_off(broker: BrokerProcess, topic: str, run_kafka_tool: Any) -> None:
    def configure(*changes: str) -> None:
        where = ("--bootstrap-server", broker.bootstrap, "--entity-type", "topics", "--entity-name", topic)
        done = run_kafka_tool("kafka.admin.ConfigCommand", *where, "--alter", *changes)
        assert done.returncode == 0, done.stdout + done.stderr

    configure("--add-config", "chronik.trace=on")
    send(broker, topic)
    configure("--delete-config", "chronik.trace")
    send(broker, topic)
    assert len(Story(broker.http).events("produce_acknowledged", topic=topic)) == 1


def test_a_group_is_told_through_its_states(broker: BrokerProcess, topic: str) -> None:
    set_trace(broker.bootstrap, "on")
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": topic, "client.id": "member"})
    consumer.subscribe([topic])
    story = Story(broker.http)

    def states() -> list[tuple[str, str, int]]:
        moves = [event for event in story.events("group_changed") if event["group"] == topic]
        return [(event["state_before"], event["state"], event["members"]) for event in moves]

    def is_stable() -> bool:
        consumer.poll(0.05)
        return ("CompletingRebalance", "Stable", 1) in states()

    wait_until(is_stable, SECONDS_MAX, "the group is stable")
    consumer.close()
    set_trace(broker.bootstrap, None)
    assert states()[:3] == [
        ("Empty", "PreparingRebalance", 1),
        ("PreparingRebalance", "CompletingRebalance", 1),
        ("CompletingRebalance", "Stable", 1),
    ]
    assert states()[-1][1:] == ("Empty", 0)


def test_the_history_of_a_watermark_is_kept_though_nobody_traces(broker: BrokerProcess, topic: str) -> None:
    for _ in range(3):
        send(broker, topic)
    history = asked(broker.http, f"/api/topics/{topic}/0/watermarks")["advances"]
    assert [(step["from"], step["to"], step["by"]) for step in history] == [(0, 1, 1), (1, 2, 1), (2, 3, 1)]
    times = [step["at_ms"] for step in history]
    assert times == sorted(times)
    assert Story(broker.http).events(topic=topic) == []


def test_a_full_ring_drops_the_oldest_events_and_says_how_many(broker: BrokerProcess, traced: str) -> None:
    set_trace(broker.bootstrap, "100", key="chronik.trace.ring.events")
    first = asked(broker.http, "/api/traces", limit=1)
    with Wire(broker.bootstrap) as wire:
        for _ in range(60):
            wire.append(traced, b"value")
    page = asked(broker.http, "/api/traces", after=first["next"] - 1, limit=5_000)
    set_trace(broker.bootstrap, None, key="chronik.trace.ring.events")
    numbers = [event["seq"] for event in page["events"]]
    assert numbers == list(range(page["first"], page["end"]))
    assert len(numbers) == 100
    assert page["dropped"] == page["first"] - first["next"] > 0


def test_a_trace_that_is_set_before_the_start_is_on_from_the_start(tmp_path: Path) -> None:
    settings = {"chronik.trace": "on", "chronik.http.listener": "127.0.0.1:0"}
    with running_broker(tmp_path, settings) as broker, Wire(broker.bootstrap) as wire:
        wire.create_topic("early")
        wire.append("early", b"value")
        assert "produce_acknowledged" in Story(broker.http).names(topic="early")


def test_events_keep_their_order_while_several_clients_work(broker: BrokerProcess, traced: str) -> None:
    senders = [threading.Thread(target=send, args=(broker, traced)) for _ in range(4)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join(SECONDS_MAX)
    events = asked(broker.http, "/api/traces", topic=traced, limit=5_000)["events"]
    assert [event["seq"] for event in events] == sorted(event["seq"] for event in events)
    assert [event["steady_us"] for event in events] == sorted(event["steady_us"] for event in events)
    appended = [
        (event["first_offset"], event["last_offset"]) for event in events if event["event"] == "produce_appended"
    ]
    assert appended == [(offset, offset) for offset in range(4)]
    assert AdminClient({"bootstrap.servers": broker.bootstrap}).list_topics(traced, timeout=SECONDS_MAX) is not None
