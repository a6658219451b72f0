"""What the etcd engine promises beyond the port: any member may fail, and an outcome is never guessed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chronik.metadata.catalog import Catalog
from chronik.metadata.image import (
    keys,
)
from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.etcd import (
    client as etcd_client,
)
from chronik.metadata.stores.etcd import (
    store as etcd_store,
)
from chronik.metadata.stores.etcd.address import parse_url
from chronik.metadata.stores.etcd.http import EtcdEndpoint, NoAnswerError, NotSentError
from chronik.metadata.stores.etcd.store import EtcdStore
from chronik.metadata.stores.port import (
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Put,
    StoreError,
    StoreReplacedError,
    StoreUnavailable,
)
from chronik.model.ids import ProducerId, Revision
from tests.conftest import missing
from tests.etcd_servers import ETCD, EtcdServers
from tests.unit.metadata.stores.store_processes import until

BOUND_S = 90.0

Scenario = Callable[[EtcdStore], Awaitable[None]]


@pytest.fixture
def three(tmp_path: Path) -> Iterator[EtcdServers]:
    """Three members of etcd for this test alone."""
    if ETCD is None:
        missing("etcd is not installed: apt-get install etcd-server")
    with EtcdServers(tmp_path, 3, election_ms=1_000) as servers:
        yield servers


@pytest.fixture
def one(tmp_path: Path) -> Iterator[EtcdServers]:
    """A member of etcd for this test alone."""
    if ETCD is None:
        missing("etcd is not installed: apt-get install etcd-server")
    with EtcdServers(tmp_path) as servers:
        yield servers


def on(servers: EtcdServers, scenario: Scenario) -> None:
    async def main() -> None:
        store = await EtcdStore.open(servers.url)
        try:
            await asyncio.wait_for(scenario(store), BOUND_S)
        finally:
            await store.close()

    asyncio.run(main())


async def write(store: EtcdStore, value: bytes) -> Revision:
    while True:
        try:
            return (await store.transact([], [Put("a", value)])).revision
        except StoreUnavailable:
            await asyncio.sleep(0.05)


async def follow(store: EtcdStore, seen: list[Revision]) -> None:
    while True:
        try:
            async for batch in store.watch(Revision(len(seen) + 1)):
                seen.append(batch.revision)  # noqa: PERF401 -- others look at it meanwhile
        except StoreUnavailable:
            await asyncio.sleep(0.05)


@asynccontextmanager
async def following(store: EtcdStore) -> Any:
    seen: list[Revision] = []
    task = asyncio.ensure_future(follow(store, seen))
    try:
        yield seen
    finally:
        task.cancel()
        await asyncio.wait([task])


# --- members that fail


def test_when_etcd_s_leader_is_killed_no_acknowledged_write_is_lost_and_each_revision_is_seen_once(
    three: EtcdServers,
) -> None:
    async def scenario(store: EtcdStore) -> None:
        async with following(store) as seen:
            acknowledged = {}
            for n in range(60):
                if n == 20:
                    await asyncio.to_thread(three.kill, three.leader())
                revision = await write(store, b"%d" % n)
                acknowledged[revision] = n
            last = max(acknowledged)

            async def has_seen_all() -> bool:
                return bool(seen) and seen[-1] >= last

            await until(has_seen_all)
            assert seen[:last] == list(range(1, last + 1))
            entry = await store.get("a")
            assert entry is not None
            assert entry.value == b"59"

    on(three, scenario)


def test_watch_fed_by_a_member_that_was_stopped_goes_on_at_another(
    three: EtcdServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(etcd_client, "READ_S_MAX", 1.0)
    monkeypatch.setattr(etcd_client, "WRITE_S_MAX", 3.0)
    monkeypatch.setattr(etcd_store, "WATCH_LAG_S_MAX", 0.5)

    async def scenario(store: EtcdStore) -> None:
        async with following(store) as seen:
            await write(store, b"before")

            async def has_seen(revision: int) -> bool:
                return bool(seen) and seen[-1] >= revision

            await until(lambda: has_seen(1))
            three.stop(0)
            last = await write(store, b"after")
            await until(lambda: has_seen(last))
            assert seen == list(range(1, len(seen) + 1))

    on(three, scenario)


def test_watch_goes_on_at_another_member_when_its_own_is_killed_and_whoever_watches_does_not_notice(
    three: EtcdServers,
) -> None:
    async def scenario(store: EtcdStore) -> None:
        watch = store.watch(Revision(1))
        await write(store, b"before")
        assert (await anext(watch)).revision == 1
        three.kill(0)
        last = await write(store, b"after")
        assert [(await anext(watch)).revision for _ in range(last - 1)] == list(range(2, last + 1))
        await watch.aclose()

    on(three, scenario)


def test_watch_that_falls_behind_other_members_is_restarted(
    three: EtcdServers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(etcd_store, "WATCH_LAG_S_MAX", 0.5)

    async def scenario(store: EtcdStore) -> None:
        async with following(store) as seen:
            await write(store, b"before")

            async def has_seen(revision: int) -> bool:
                return bool(seen) and seen[-1] >= revision

            await until(lambda: has_seen(1))
            endpoints = store._client._endpoints
            endpoints.append(endpoints.pop(0))
            three.stop(0)
            last = await write(store, b"after")
            await until(lambda: has_seen(last))
            assert seen == list(range(1, len(seen) + 1))

    on(three, scenario)


def test_lease_is_renewed_by_another_member_when_one_is_killed(three: EtcdServers) -> None:
    async def scenario(store: EtcdStore) -> None:
        lease = await store.lease(10_000)
        three.kill(0)
        killed_ms = boot_ms()

        async def is_renewed() -> bool:
            """Whether a renewal that was asked for afterwards was granted."""
            return lease.deadline_ms > killed_ms + lease.ttl_ms

        await until(is_renewed)
        assert not lease._ended.is_set()

    on(three, scenario)


def test_deadline_of_a_lease_stands_still_while_etcd_is_down_and_goes_on_with_it(one: EtcdServers) -> None:
    async def scenario(store: EtcdStore) -> None:
        lease = await store.lease(2_000)
        one.kill(0)
        # An answer that it gave before may still be on its way.
        with pytest.raises(StoreUnavailable):
            await store.get("a")
        down_ms = lease.deadline_ms
        with pytest.raises(StoreUnavailable):
            await store.get("a")
        assert lease.deadline_ms == down_ms
        one.start()

        async def is_renewed() -> bool:
            return lease.deadline_ms > down_ms

        await until(is_renewed)

    on(one, scenario)


def test_catalog_follows_through_a_restart_of_etcd(one: EtcdServers) -> None:
    async def scenario(store: EtcdStore) -> None:
        await store.transact([], [Put(keys.CLUSTER, keys.encode_cluster("c" * 22))])
        catalog = await Catalog.open(store)
        task = asyncio.ensure_future(catalog.follow())
        one.kill(0)

        async def is_lost() -> bool:
            return not catalog.is_connected

        await until(is_lost)
        one.start()
        await write_id(store, 1_000)
        await catalog.reached(Revision(2))
        assert catalog.image.producer_ids.next_producer_id == 1_000
        task.cancel()

    on(one, scenario)


async def write_id(store: EtcdStore, number: int) -> None:
    await store.transact([], [Put(keys.PRODUCER_IDS, keys.encode_producer_ids(ProducerId(number)))])


def test_emptied_etcd_is_not_taken_for_the_one_that_was_there(one: EtcdServers) -> None:
    async def scenario(store: EtcdStore) -> None:
        last = await write(store, b"1")
        one.kill(0)
        one.empty(0)
        one.start()
        with pytest.raises(StoreReplacedError):
            await anext(store.watch(Revision(last + 1)))

    on(one, scenario)


def test_another_cluster_behind_the_same_address_is_refused(one: EtcdServers, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with EtcdServers(other) as another:

        async def scenario(store: EtcdStore) -> None:
            await write(store, b"1")
            store._client._endpoints[0].close()
            store._client._endpoints[0] = EtcdEndpoint("127.0.0.1", int(another.url.rpartition(":")[2]))
            with pytest.raises(StoreReplacedError, match="is now cluster"):
                await store.get("a")

        on(one, scenario)


def test_changes_of_others_in_the_same_etcd_leave_no_gap(one: EtcdServers) -> None:
    async def scenario(store: EtcdStore) -> None:
        neighbour = await EtcdStore.open(one.url + "/neighbour")
        watch = store.watch(Revision(1))
        for n in range(3):
            await neighbour.transact([], [Put("x", b"%d" % n)])
            await store.transact([], [Put("a", b"%d" % n)])
        batches = [await anext(watch) for _ in range(6)]
        assert [batch.revision for batch in batches] == [1, 2, 3, 4, 5, 6]
        assert [len(batch.changes) for batch in batches] == [0, 1, 0, 1, 0, 1]
        assert [entry.key for entry in (await store.range("")).entries] == ["a"]
        assert await store.transact([Compare("a", Revision(2))], []) == Conflict(Revision(6))
        await watch.aclose()
        await neighbour.close()

    on(one, scenario)


def test_history_is_compacted_by_itself_and_entries_stay(one: EtcdServers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(etcd_store, "HISTORY_REVISIONS_MAX", 8)
    monkeypatch.setattr(etcd_store, "COMPACT_EVERY_REVISIONS", 4)

    async def scenario(store: EtcdStore) -> None:
        await store.transact([], [Put("old", b"")])
        for n in range(19):
            await write(store, b"%d" % n)

        async def is_compacted() -> bool:
            try:
                await anext(store.watch(Revision(1)))
            except CompactedError as error:
                return error.oldest == 20 - 8 + 1
            return False

        await until(is_compacted)
        assert [entry.key for entry in (await store.range("")).entries] == ["a", "old"]

    on(one, scenario)


def test_snapshot_of_several_pages_is_that_of_one_revision(one: EtcdServers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronik.metadata.stores.etcd.wire.RANGE_LIMIT", 3)

    async def scenario(store: EtcdStore) -> None:
        expected = [f"k{n}" for n in range(10)]
        await store.transact([], [Put(key, b"") for key in expected])
        read = store._client.read
        pages = 0

        async def read_and_meddle(path: str, payload: Any, timeout_s: float = 3.0) -> Any:
            nonlocal pages
            answer = await read(path, payload, timeout_s)
            pages += 1
            await store.transact([], [Put(f"k9{pages}", b"")])
            return answer

        monkeypatch.setattr(store._client, "read", read_and_meddle)
        found = await store.range("k")
        assert [entry.key for entry in found.entries] == expected
        assert (found.revision, pages) == (1, 4)

    on(one, scenario)


# --- a server that answers badly


class BadServer:
    """Takes one request after the other and answers with the given bytes, or closes."""

    def __init__(self, *answers: bytes | None) -> None:
        self._answers = list(answers)
        self.requests: list[bytes] = []

    async def __aenter__(self) -> "BadServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                return
            size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
            self.requests.append(await reader.readexactly(size))
            answer = self._answers.pop(0) if self._answers else None
            if answer is None:
                writer.close()
                return
            writer.write(answer)


def http(status: int, body: object) -> bytes:
    text = json.dumps(body).encode()
    return b"HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%b" % (status, len(text), text)


RANGE = http(200, {"header": {"cluster_id": "1", "revision": "5"}})


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{",
        b"nonsense\r\n\r\n",
        http(503, {"error": "etcdserver: request timed out", "code": 14, "message": "etcdserver: request timed out"}),
        http(200, []),
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
    ids=["closed", "half a body", "nonsense", "timed out", "no object", "bad chunk"],
)
def test_transaction_that_was_sent_and_not_answered_is_unknown_and_not_sent_again(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(etcd_client, "WRITE_S_MAX", 1.0)

    async def scenario() -> None:
        async with BadServer(RANGE, answer) as bad, BadServer(RANGE, RANGE) as good:
            store = await EtcdStore.open(f"etcd://127.0.0.1:{bad.port},127.0.0.1:{good.port}")
            with pytest.raises(StoreUnavailable):
                await store.transact([], [Put("a", b"1")])
            assert (len(bad.requests), len(good.requests)) == (2, 0)
            assert await store.get("a") is None
            assert len(good.requests) == 1
            await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_transaction_is_sent_to_the_next_member_where_the_first_cannot_be_reached() -> None:
    async def scenario() -> None:
        answer = http(200, {"header": {"cluster_id": "1", "revision": "6"}, "succeeded": True})
        async with BadServer(RANGE) as gone, BadServer(answer) as good:
            store = await EtcdStore.open(f"etcd://127.0.0.1:{gone.port},127.0.0.1:{good.port}")
            gone._server.close()
            store._client._endpoints[0]._idle.pop().abort()
            assert await store.transact([], [Put("a", b"1")]) == Committed(Revision(5))
            await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_lines_of_a_stream_are_put_together_from_pieces() -> None:
    async def scenario() -> None:
        pieces = [b'{"a"', b': 1}\n{"b": 2}\n{"c', b'": 3}\n']
        chunks = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"
        async with BadServer(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks) as server:
            endpoint = EtcdEndpoint("127.0.0.1", server.port)
            bodies = [answer.body async for answer in endpoint.stream("/v3/watch", {})]
            assert bodies == [{"a": 1}, {"b": 2}, {"c": 3}]

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_server_that_says_nothing_is_given_up_after_the_time_that_was_set() -> None:
    async def scenario() -> None:
        async with BadServer(b"") as server:
            with pytest.raises(NoAnswerError, match=r"0\.2 s"):
                await EtcdEndpoint("127.0.0.1", server.port).post("/", {}, 0.2)
        with pytest.raises(NotSentError):
            await EtcdEndpoint("127.0.0.1", server.port).post("/", {}, 0.2)

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


# --- URLs


@pytest.mark.parametrize(
    ("url", "parsed"),
    [
        ("etcd://a:1,b:2", ([("a", 1), ("b", 2)], "chronik/")),
        ("etcd://a", ([("a", 2379)], "chronik/")),
        ("etcd://[::1]:5,[::2]/x/y/", ([("::1", 5), ("::2", 2379)], "x/y/")),
    ],
)
def test_etcd_url_names_members_and_a_prefix(url: str, parsed: object) -> None:
    assert parse_url(url) == parsed


@pytest.mark.parametrize("url", ["etcd:", "etcd://", "etcd:///x", "etcd://a:b", "etcd://:5"])
def test_etcd_url_without_an_address_is_refused(url: str) -> None:
    with pytest.raises(StoreError, match="use "):
        parse_url(url)


def test_etcd_that_cannot_be_reached_is_an_error_that_names_it() -> None:
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1:1 cannot be reached"):
        asyncio.run(EtcdStore.open("etcd://127.0.0.1:1"))
