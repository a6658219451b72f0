"""Clients may be many, slow, wrong or hostile: they are told so or cut off, and others are served meanwhile."""

import asyncio
import random
import time
from collections.abc import Callable

import pytest

from chronik.model import limits
from chronik.server.http.connection import TimeBounds
from tests.http.asking import SECONDS_MAX, RawConnection, get
from tests.http.servers import LONG_BYTES, PATIENT, RunningServer

SHORT_S = 0.3


def await_condition(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def is_open(connection: RawConnection) -> bool:
    """Send one more byte."""
    try:
        connection.send(b"x")
    except ConnectionError:
        return False
    return True


def test_more_connections_than_the_bound_are_refused_with_words_and_room_is_used_again() -> None:
    with RunningServer() as server:
        held = [RawConnection(server.address) for _ in range(limits.HTTP_CONNECTIONS_MAX)]
        await_condition(lambda: server.connections == limits.HTTP_CONNECTIONS_MAX, "all are open")
        refused = get(server.address, "/live")
        assert refused.status == 503
        assert str(limits.HTTP_CONNECTIONS_MAX) in refused.document["error"]
        assert refused.headers["connection"] == "close"
        held.pop().close()
        await_condition(lambda: server.connections == limits.HTTP_CONNECTIONS_MAX - 1, "one is gone")
        assert get(server.address, "/live").status == 200
        for each in held:
            each.close()


def test_whoever_is_idle_makes_room_the_longest_idle_first() -> None:
    with RunningServer() as server:
        held = []
        for _ in range(limits.HTTP_CONNECTIONS_MAX):
            connection = RawConnection(server.address)
            connection.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert connection.answers(1)[0].status == 200
            held.append(connection)
        assert get(server.address, "/live").status == 200
        assert held[0].read_to_end() == b""
        await_condition(lambda: server.connections == limits.HTTP_CONNECTIONS_MAX - 1, "the new one is gone")
        held[1].send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert held[1].answers(1)[0].status == 200
        for each in held:
            each.close()


def test_a_head_that_never_ends_is_cut_off() -> None:
    with RunningServer(TimeBounds(head_s=SHORT_S, idle_s=20, answer_s=20, linger_s=1)) as server:
        with RawConnection(server.address) as slow:
            slow.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            assert slow.read_to_end() == b""
        assert server.asked == []


def test_a_byte_now_and_then_does_not_prolong_the_time_for_a_head() -> None:
    with (
        RunningServer(TimeBounds(head_s=SHORT_S, idle_s=20, answer_s=20, linger_s=1)) as server,
        RawConnection(server.address) as slow,
    ):
        slow.send(b"GET /live HTTP/1.1\r\nX-Slow: ")
        deadline = time.monotonic() + SECONDS_MAX
        while is_open(slow):
            assert time.monotonic() < deadline, "it was never cut off"
            time.sleep(SHORT_S / 10)


def test_a_connection_that_says_nothing_is_cut_off_and_so_is_one_that_says_nothing_more() -> None:
    with RunningServer(TimeBounds(head_s=SHORT_S, idle_s=SHORT_S, answer_s=20, linger_s=1)) as server:
        with RawConnection(server.address) as silent:
            assert silent.read_to_end() == b""
        with RawConnection(server.address) as idle:
            idle.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert idle.answers(1)[0].document == {"live": True}
            assert idle.read_to_end() == b""


def test_a_reader_that_does_not_take_its_answer_is_cut_off_and_little_is_made_for_it() -> None:
    with RunningServer(TimeBounds(head_s=20, idle_s=20, answer_s=SHORT_S, linger_s=1)) as server:
        with RawConnection(server.address, receive_bytes=4096) as slow:
            slow.send(b"GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await_condition(lambda: server.made_bytes > 0, "the answer is begun")
            await_condition(lambda: server.connections == 0, "the reader is cut off")
            # What the kernel takes on both sides, and nothing in the broker's own memory.
            assert server.made_bytes < LONG_BYTES // 2
        assert get(server.address, "/live").status == 200


@pytest.mark.parametrize("seed", range(5))
def test_garbage_is_answered_with_400_and_the_next_client_is_served(seed: int) -> None:
    dice = random.Random(seed)
    with RunningServer() as server:
        with RawConnection(server.address) as hostile:
            hostile.send(dice.randbytes(400) + b"\r\n\r\n")
            answer = hostile.answers(1)[0]
            assert answer.status == 400, answer
            assert answer.document["what_to_do"]
        assert get(server.address, "/live").status == 200


@pytest.mark.parametrize(
    "request_text",
    [
        pytest.param(b"GET /live HTTP/1.1\r\n\r\n", id="no host"),
        pytest.param(b"GET /live HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", id="two hosts"),
        pytest.param(b"GET /li\xffve HTTP/1.1\r\nHost: localhost\r\n\r\n", id="a path that is not ASCII"),
        pytest.param(b"GET  /live HTTP/1.1\r\nHost: localhost\r\n\r\n", id="two spaces"),
        pytest.param(b"GET /live HTTP/1.1\r\nHost : localhost\r\n\r\n", id="a space before the colon"),
        pytest.param(b"GET /live HTTP/3.0\r\nHost: localhost\r\n\r\n", id="a version from the future"),
        pytest.param(b"GET http://[ HTTP/1.1\r\nHost: localhost\r\n\r\n", id="an address that is none"),
        pytest.param(b"GET /?" + b"a&" * 40 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", id="too many parameters"),
        pytest.param(
            b"GET /live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            id="two ways to end a body",
        ),
    ],
)
def test_a_wrong_request_is_refused_in_words(request_text: bytes) -> None:
    with RunningServer() as server, RawConnection(server.address) as wrong:
        wrong.send(request_text)
        answer = wrong.answers(1)[0]
        assert answer.status in (400, 413, 505), answer
        assert set(answer.document) == {"error", "what_to_do"}


def test_a_head_that_is_too_long_is_refused_before_all_of_it_is_read() -> None:
    with RunningServer() as server, RawConnection(server.address) as wrong:
        wrong.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n")
        wrong.send(b"X-Long: " + b"x" * (2 * limits.HTTP_HEAD_BYTES_MAX))
        answer = wrong.answers(1)[0]
        assert answer.status == 431
        assert str(limits.HTTP_HEAD_BYTES_MAX) in answer.document["error"]


def test_a_body_is_refused_whatever_it_holds() -> None:
    with RunningServer() as server, RawConnection(server.address) as wrong:
        wrong.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
        answer = wrong.answers(1)[0]
        assert (answer.status, answer.headers["connection"]) == (413, "close")
        assert wrong.read_to_end() == b""
    assert server.asked == []


def test_a_client_that_still_sends_can_read_why_it_was_refused() -> None:
    with RunningServer() as server, RawConnection(server.address) as wrong:
        wrong.send(b"POST /live HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50000\r\n\r\n")
        assert wrong.is_told(SECONDS_MAX)
        for _ in range(10):
            wrong.send(bytes(5_000))
            time.sleep(0.01)
        assert wrong.answers(1)[0].status == 405


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"])
def test_nothing_but_reading_is_allowed(method: str) -> None:
    with RunningServer() as server:
        answer = get(server.address, "/live", method)
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")
        assert server.asked == []


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:9644", "10.0.0.7:9644", "localhost.evil.example", "[::2]:1"]
)
def test_a_name_that_is_not_this_machines_is_refused_where_only_this_machine_may_ask(host: str) -> None:
    with RunningServer() as server:
        answer = get(server.address, "/live", headers={"Host": host})
        assert answer.status == 421
        assert host in answer.document["error"]
        assert server.asked == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:9644", "127.0.0.1", "127.1.2.3:80", "[::1]:9644"])
def test_this_machines_own_names_are_served(host: str) -> None:
    with RunningServer() as server:
        assert get(server.address, "/live", headers={"Host": host}).status == 200


def test_a_listener_for_other_machines_is_served_under_any_name() -> None:
    with RunningServer(host="0.0.0.0") as server:
        assert get(server.address, "/live", headers={"Host": "broker-1.example:9644"}).status == 200


def test_requests_that_come_in_one_piece_are_answered_in_order() -> None:
    targets = [b"/live", b"/nothing", b"/broken", b"/live"] * 25
    with RunningServer() as server, RawConnection(server.address) as eager:
        eager.send(b"".join(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n" for target in targets))
        statuses = [answer.status for answer in eager.answers(len(targets))]
        assert statuses == [200, 404, 500, 200] * 25
        assert server.asked == [target.decode() for target in targets]


def test_requests_that_come_in_one_piece_let_others_be_served_between_them() -> None:
    with RunningServer() as server, RawConnection(server.address) as eager:
        served: list[int] = []

        async def tick() -> None:
            while len(server.asked) < 100:
                served.append(len(server.asked))
                await asyncio.sleep(0)

        ticking = asyncio.run_coroutine_threadsafe(tick(), server.loop)
        eager.send(b"GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n" * 100)
        eager.answers(100)
        ticking.result(SECONDS_MAX)
        assert set(range(100)) - set(served) <= {0}


def test_a_mistake_of_ours_is_answered_and_the_connection_goes_on() -> None:
    with RunningServer() as server, RawConnection(server.address) as client:
        client.send(b"GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\nGET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert [answer.status for answer in client.answers(2)] == [500, 200]


def test_an_answer_that_fails_half_way_ends_the_connection_and_nothing_else() -> None:
    with RunningServer() as server:
        with RawConnection(server.address) as client:
            client.send(b"GET /broken-later HTTP/1.1\r\nHost: localhost\r\n\r\n")
            taken = client.read_to_end()
            # The last chunk, of no bytes, is missing: the client can tell that the answer is not whole.
            assert not taken.endswith(b"0\r\n\r\n")
        assert get(server.address, "/live").status == 200


def test_head_is_answered_without_a_body() -> None:
    with RunningServer() as server, RawConnection(server.address) as client:
        client.send(b"HEAD /live HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /long HTTP/1.1\r\nHost: localhost\r\n\r\n")
        first, second = client.answers(2, method="HEAD")
        assert (first.status, first.body, first.headers["content-length"]) == (200, b"", "13")
        assert (second.status, second.body) == (200, b"")
        assert server.made_bytes == 0


def test_an_old_client_gets_a_whole_answer_and_the_end_of_the_connection() -> None:
    with RunningServer() as server, RawConnection(server.address) as old:
        old.send(b"GET /long HTTP/1.0\r\n\r\n")
        head, _, body = old.read_to_end().partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200")
        assert len(body) == LONG_BYTES


def test_every_answer_forbids_what_a_browser_might_do_with_it() -> None:
    with RunningServer() as server:
        for target in ("/live", "/nothing", "/broken"):
            headers = get(server.address, target).headers
            assert headers["content-security-policy"].startswith("default-src 'self'")
            assert headers["x-content-type-options"] == "nosniff"
            assert "access-control-allow-origin" not in headers


def test_before_the_broker_is_built_and_when_it_stops_only_its_life_is_told() -> None:
    with RunningServer(PATIENT) as server:
        server.loop.call_soon_threadsafe(server.server.begin_stop)
        await_condition(lambda: get(server.address, "/ready").status == 503, "it says that it stops")
        assert get(server.address, "/live").status == 200
        assert get(server.address, "/api/cluster").document["error"] == "the broker is stopping"
