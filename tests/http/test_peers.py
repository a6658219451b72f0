"""What other brokers say is taken within bounds, and only from who they are."""

import asyncio
from typing import Any

import pytest

from chronik.server.status.cluster import BrokerReport, check_identity
from chronik.server.status.peers import PeerError, ask, ask_lines
from tests.http.servers import LONG_BYTES, RunningServer

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"


def asked(answer: bytes, *, closes: bool = True, seconds_max: float = 20.0, lines: bool = True) -> Any:
    """Ask a server that answers with these bytes whatever it is asked."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        if closes:
            writer.close()

    async def run() -> Any:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        address = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with server:
            return await (ask_lines if lines else ask)(address, "/api/broker?form=lines", seconds_max)

    return asyncio.run(run())


def test_lines_are_taken_one_by_one() -> None:
    body = b'{"broker": {"node_id": 2}}\n{"partition": {}}\n'
    assert asked(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body) == [
        {"broker": {"node_id": 2}},
        {"partition": {}},
    ]


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\x00\x01garbage\r\n\r\n", id="garbage"),
        pytest.param(HEAD + b"Content-Length: 100\r\n\r\nhalf", id="half an answer"),
        pytest.param(HEAD + b"Content-Length: 3\r\n\r\n[1]", id="no object"),
        pytest.param(HEAD + b"Content-Length: 3\r\n\r\n{a}", id="no JSON"),
        pytest.param(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\n{}", id="a refusal"),
    ],
)
def test_an_answer_that_is_none_is_an_error_in_words(answer: bytes) -> None:
    with pytest.raises(PeerError, match=r"127\.0\.0\.1:"):
        asked(answer)


def test_a_broker_that_never_answers_is_waited_for_within_a_bound() -> None:
    with pytest.raises(PeerError, match=r"within 0\.2 s"):
        asked(HEAD, closes=False, seconds_max=0.2)


def test_an_answer_that_is_too_long_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronik.server.status.peers.HTTP_PEER_BYTES_MAX", LONG_BYTES // 10)
    with RunningServer() as side, pytest.raises(PeerError, match="more than"):
        asyncio.run(ask(side.address, "/long", 20.0))


def test_nobody_at_an_address_is_an_error_in_words() -> None:
    with pytest.raises(PeerError, match=r"no answer from 127\.0\.0\.1:1"):
        asyncio.run(ask("127.0.0.1:1", "/live"))


@pytest.mark.parametrize(("node", "cluster_id"), [(3, "ours"), (2, "theirs")])
def test_another_brokers_answer_is_not_taken_for_the_one_that_was_asked(node: int, cluster_id: str) -> None:
    """127.0.0.1 of another machine is this one: whoever asks there meets itself."""
    with pytest.raises(PeerError, match="where broker 2 should be"):
        check_identity(BrokerReport({"node_id": node, "cluster_id": cluster_id}), 2, "ours")
    check_identity(BrokerReport({"node_id": 2, "cluster_id": "ours"}), 2, "ours")
