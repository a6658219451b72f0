"""``chronik trace``: switching, the state of it, and one order of time over several brokers."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chronik.cli.trace.tail import EventFilter, FollowedTrace, TraceTail, line_of
from chronik.testing import ClusterProcess
from tests.brokers import CHRONIK
from tests.clients.commands import here, json_here, ok_here
from tests.conftest import StartBroker
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire
from tests.traces.telling import SECONDS_MAX, Story


@pytest.fixture(scope="module")
def cluster() -> Iterator[ClusterProcess]:
    with ClusterProcess(2, {"chronik.http.listener": "127.0.0.1:0"}) as running:
        yield running


@pytest.fixture
def topic(cluster: ClusterProcess, topic_name: str) -> str:
    return cluster.create_topic(topic_name)


@pytest.fixture
def traced(cluster: ClusterProcess, topic_name: str) -> str:
    """A topic that is traced as soon as a broker knows it; of a later change brokers hear one after the other."""
    return cluster.create_topic(topic_name, configs={"chronik.trace": "on"})


@pytest.fixture
def http(cluster: ClusterProcess) -> str:
    return str(cluster.brokers[1].http_address)


def run(cluster: ClusterProcess, *words: str) -> str:
    return ok_here(["trace", *words], cluster.bootstrap_servers)


def await_status(cluster: ClusterProcess, http: str, is_right: Callable[[dict[str, Any]], object]) -> None:
    """Wait until whichever broker is asked has heard of what another one was told."""

    def is_told() -> bool:
        return bool(is_right(json_here(["trace", "status", "--http", http], cluster.bootstrap_servers)))

    wait_until(is_told, SECONDS_MAX, "the status is told everywhere")


def rules(status: dict[str, Any]) -> set[tuple[str, bool]]:
    return {(each["trace"], each["files"]) for each in status["brokers"]}


def send(cluster: ClusterProcess, topic: str) -> None:
    leader = cluster.view().topics[topic].partitions[0].leader
    with Wire(cluster.address_of(leader)) as wire:
        wire.append(topic, b"value")


def test_a_topic_is_switched_on_and_off_and_the_status_says_so(cluster: ClusterProcess, topic: str, http: str) -> None:
    assert run(cluster, "on", "--topic", topic, "--client", "me") == f"trace client=me: {topic}\n"
    await_status(cluster, http, lambda status: status["topics"].get(topic) == "client=me")
    status = json_here(["trace", "status", "--http", http], cluster.bootstrap_servers)
    assert [each["node"] for each in status["brokers"]] == [1, 2]
    assert rules(status) == {("off", False)}
    shown = run(cluster, "status", "--http", http)
    assert [line.split()[:3] for line in shown.splitlines()[1:3]] == [["1", "1", "topic"], ["2", "1", "topic"]]
    assert all(each["next"] >= each["first"] >= 0 for each in status["brokers"])
    assert run(cluster, "off", "--topic", topic) == f"trace off: {topic}\n"
    await_status(cluster, http, lambda status: topic not in status["topics"])


def test_off_ends_every_trace_and_a_topic_can_be_taken_out_of_one_of_everything(
    cluster: ClusterProcess, topic: str, http: str
) -> None:
    run(cluster, "on", "--files")
    await_status(cluster, http, lambda status: rules(status) == {("on", True)})
    run(cluster, "off", "--topic", topic)
    await_status(cluster, http, lambda status: status["topics"] == {topic: "off"})
    run(cluster, "on", "--topic", topic)
    await_status(cluster, http, lambda status: status["topics"] == {topic: "on"})
    run(cluster, "off")
    await_status(cluster, http, lambda status: status["topics"] == {} and rules(status) == {("off", False)})


def test_tail_prints_the_events_of_all_brokers_in_one_order_of_time(
    cluster: ClusterProcess, traced: str, http: str
) -> None:
    send(cluster, traced)
    Story(*(cluster.brokers[node].http_address for node in cluster.nodes)).await_events(
        lambda events: {event["node"] for event in events} == {1, 2}, topic=traced, event="watermark_advanced"
    )
    run(cluster, "off", "--topic", traced)
    lines = run(cluster, "tail", "--no-follow", "--http", http, "--topic", traced).splitlines()
    times = [line.split()[0] for line in lines]
    assert times == sorted(times)
    assert {line.split()[1] for line in lines} == {"1", "2"}
    assert any(
        re.search(r"produce_received +client=wire#\d+ acks=-1 size_bytes=\d+ timeout_ms=10000$", each) for each in lines
    )
    documents = [
        json.loads(line)
        for line in run(
            cluster, "tail", "--no-follow", "--http", http, "--topic", traced, "--json", "--event", "watermark_advanced"
        ).splitlines()
    ]
    assert [(each["event"], each["to_offset"]) for each in documents] == [("watermark_advanced", 1)] * 2
    assert run(cluster, "tail", "--no-follow", "--http", http, "--topic", traced, "--last", "0") == ""


def test_tail_begins_with_the_trace_that_was_switched_on_last(start_broker: StartBroker) -> None:
    broker = start_broker({"chronik.http.listener": "127.0.0.1:0"})
    words = ["trace", "tail", "--no-follow", "--http", str(broker.http), "--json", "--event", "watermark_advanced"]
    with Wire(broker.bootstrap) as wire:
        wire.create_topic("orders")
        for offset in range(2):
            ok_here(["trace", "on", "--topic", "orders"], broker.bootstrap)
            wire.append("orders", b"value")
            ok_here(["trace", "off", "--topic", "orders"], broker.bootstrap)
            lines = ok_here(words, broker.bootstrap).splitlines()
            assert [json.loads(line)["to_offset"] for line in lines] == [offset + 1]


def test_tail_follows_until_it_is_interrupted(cluster: ClusterProcess, traced: str, http: str, tmp_path: Path) -> None:
    where = ["-b", cluster.bootstrap_servers, "--http", http, "--topic", traced]
    words = [str(CHRONIK), "trace", "tail", *where, "--json"]
    with (tmp_path / "out").open("wb") as out, subprocess.Popen(words, stdout=out) as tail:
        try:
            send(cluster, traced)
            acknowledged = b'"event": "produce_acknowledged"'
            wait_until(lambda: acknowledged in (tmp_path / "out").read_bytes(), SECONDS_MAX, "the event is printed")
            tail.send_signal(signal.SIGINT)
            assert tail.wait(SECONDS_MAX) == 130
        finally:
            tail.kill()
    run(cluster, "off", "--topic", traced)


def test_tail_finds_the_http_side_by_the_brokers_settings(start_broker: StartBroker) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    broker = start_broker({"chronik.http.listener": f"0.0.0.0:{port}", "chronik.trace": "on"})
    with Wire(broker.bootstrap) as wire:
        wire.create_topic("orders")
        wire.append("orders", b"value")
    told = ok_here(["trace", "tail", "--no-follow", "--event", "produce_acknowledged"], broker.bootstrap)
    assert len(told.splitlines()) == 1


def test_without_an_http_side_tail_says_what_is_missing(cluster: ClusterProcess) -> None:
    done = here(["trace", "tail", "--no-follow", "--http", "127.0.0.1:1"], cluster.bootstrap_servers)
    assert done.returncode == 2
    assert b"no broker's HTTP server answers" in done.stderr
    assert b"--http HOST:PORT" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["on", "--topic", "no-such-topic"], 1, "no-such-topic"),
        (["tail", "--event", "nonsense"], 3, "there is no event nonsense"),
        (["on", "--client", ""], 3, "a client's name is needed"),
        (["export", "/no/such/place"], 3, "does not exist"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_right_code(
    cluster: ClusterProcess, words: list[str], code: int, said: str
) -> None:
    done = here(["trace", *words], cluster.bootstrap_servers) if words[0] != "export" else _plain(words)
    assert done.returncode == code, done.stderr
    assert said in done.stderr.decode()


def _plain(words: list[str]) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run([str(CHRONIK), "trace", *words], capture_output=True, timeout=SECONDS_MAX)


class Ring:
    """A broker whose pages are written down."""

    def __init__(self, node: int, *pages: dict[str, Any]) -> None:
        self.node = node
        self.address = "nowhere"
        self.asked: list[int | None] = []
        self._pages = list(pages)

    async def page(self, after: int | None = None, **others: object) -> dict[str, Any]:
        self.asked.append(after)
        return self._pages.pop(0)


def page(
    *numbers: int, first: int = 0, dropped: int = 0, started_ms: int = 1, at_us: int = 0, switched_on: int = 0
) -> dict[str, Any]:
    events = [{"node": 1, "seq": number, "at_us": at_us + number, "event": "truncated"} for number in numbers]
    following = numbers[-1] + 1 if numbers else first
    return {
        "started_ms": started_ms,
        "first": first,
        "switched_on": switched_on,
        "next": following,
        "end": following,
        "dropped": dropped,
        "events": events,
    }


def test_a_gap_in_a_ring_is_shown_where_it_is() -> None:
    ring: Any = Ring(1, page(0, 1), page(7, 8, first=7, dropped=5))
    followed = FollowedTrace(ring)
    assert [event["seq"] for event in asyncio.run(followed.take(EventFilter()))] == [0, 1]
    mark, *rest = asyncio.run(followed.take(EventFilter()))
    assert (mark["event"], mark["dropped"], mark["at_us"]) == ("events_dropped", 5, 7)
    assert [event["seq"] for event in rest] == [7, 8]
    assert ring.asked == [None, 1]


def test_a_broker_that_was_started_anew_is_read_from_its_beginning() -> None:
    ring: Any = Ring(1, page(5, 6), page(9, started_ms=2), page(0, 1, started_ms=2))
    followed = FollowedTrace(ring)
    asyncio.run(followed.take(EventFilter()))
    assert [event["seq"] for event in asyncio.run(followed.take(EventFilter()))] == [0, 1]
    assert ring.asked == [None, 6, None]


@pytest.mark.parametrize(("last", "after"), [(1_000, 6), (2, 7), (0, 9)])
def test_a_tail_begins_at_the_last_events_but_not_before_tracing_was_switched_on(last: int, after: int) -> None:
    ring: Any = Ring(1, page(8, 9, first=3, switched_on=7))
    followed = FollowedTrace(ring)
    asyncio.run(followed.skip_to_last(last))
    assert followed.after == after


def test_an_event_is_held_back_until_no_older_one_can_come() -> None:
    future_us = time.time_ns() // 1_000 + 3_600 * 1_000_000
    early: Any = Ring(1, page(0, 1, at_us=future_us), page(first=2))
    late: Any = Ring(2, page(0), page(1))
    tail = TraceTail(EventFilter(), {1: FollowedTrace(early), 2: FollowedTrace(late)})
    assert [event["at_us"] for event in asyncio.run(tail.turn())] == [0]
    assert [event["at_us"] for event in asyncio.run(tail.turn())] == [1]
    assert [event["at_us"] for event in tail.rest()] == [future_us, future_us + 1]


def test_a_line_for_people_has_the_time_the_broker_the_partition_and_all_that_is_told() -> None:
    event = {
        "node": 2,
        "seq": 5,
        "at_ms": 1_000,
        "at_us": 1_000_001,
        "steady_us": 7,
        "event": "produce_waiting",
        "topic": "orders",
        "partition": 1,
        "client_id": "me",
        "correlation_id": 9,
        "last_offset": 4,
        "replicas": [2, 3],
    }
    line = line_of(event)
    assert re.match(
        r"\d\d:\d\d:01\.000001  2  orders-1 +produce_waiting +client=me#9 last_offset=4 replicas=\[2,3\]$", line
    )
    assert "-  request_refused" in re.sub(" +", "  ", line_of({"node": 1, "at_us": 0, "event": "request_refused"}))
