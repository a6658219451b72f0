"""Several processes on one SQLite file: they wake each other, see each other die, and none can hold up the rest."""

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from chronik.metadata.stores.boot_clock import boot_ms
from chronik.metadata.stores.port import ChangeBatch, Committed, Put, StoreReplacedError
from chronik.metadata.stores.sqlite import locks as sqlite_locks
from chronik.metadata.stores.sqlite import peers as sqlite_peers
from chronik.metadata.stores.sqlite.locks import writers
from chronik.metadata.stores.sqlite.presence import MemberRecord, Members, Presence, open_process, start_ticks
from chronik.metadata.stores.sqlite.store import SqliteStore
from chronik.model.ids import Revision
from tests.unit.metadata.stores.store_processes import MemberProcess, member_process, until

BOUND_S = 60.0
LONG_MS = 600_000

Scenario = Callable[[SqliteStore, MemberProcess], Coroutine[Any, Any, None]]


def with_one_other(path: Path, scenario: Scenario) -> None:
    async def main() -> None:
        store = await SqliteStore.open(str(path / "metadata.db"))
        try:
            async with member_process(f"sqlite://{path}/metadata.db") as other:
                await asyncio.wait_for(scenario(store, other), BOUND_S)
        finally:
            await store.close()

    asyncio.run(main())


async def is_writing(path: Path, other: MemberProcess) -> bool:
    return other.pid in writers(str(path / "metadata.db"))


async def is_absent(store: SqliteStore, key: str) -> bool:
    return await store.get(key) is None


async def next_batch(store: SqliteStore, revision: int) -> ChangeBatch:
    return await anext(store.watch(Revision(revision)))


def test_each_change_wakes_the_watcher_of_another_process(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        for revision in range(1, 22):
            other.tell("see", revision)
            await asyncio.sleep(0.01)
            await store.transact([], [Put("a", b"")])
            assert int(await other.answer()) > 0

    with_one_other(tmp_path, scenario)


def test_killed_process_loses_its_keys_long_before_its_lease_would_end(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", LONG_MS)
        await other.ask("put", "alive", "1", "leased")
        await other.ask("put", "stays", "1")
        await other.kill()
        batch = await next_batch(store, 3)
        assert batch == (3, (("alive", None),))
        assert [entry.key for entry in (await store.range("")).entries] == ["stays"]

    with_one_other(tmp_path, scenario)


def test_process_killed_while_nobody_looked_loses_its_keys_when_the_store_is_opened_again(tmp_path: Path) -> None:
    url = f"sqlite://{tmp_path}/metadata.db"

    async def scenario() -> None:
        async with member_process(url) as other:
            await other.ask("lease", LONG_MS)
            await other.ask("put", "alive", "1", "leased")
        store = await SqliteStore.open(str(tmp_path / "metadata.db"))
        assert await store.get("alive") is None
        assert store._presence.others() == []
        await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_stopped_process_loses_its_keys_when_its_time_is_over_and_finds_out_when_it_goes_on(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", 4_000)
        await other.ask("put", "alive", "1", "leased")
        other.stop()
        stopped_ms = boot_ms()
        assert await next_batch(store, 2) == (2, (("alive", None),))
        assert boot_ms() - stopped_ms >= 600
        other.go_on()
        assert await other.ask("wait until lost") == "None"

    with_one_other(tmp_path, scenario)


def test_lease_of_a_process_that_beats_is_not_ended_by_others(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", 5_000)
        await other.ask("put", "alive", "1", "leased")
        end_ms = boot_ms() + 5_500

        async def has_beaten() -> bool:
            (name,) = store._presence.others()
            record = store._presence.members.record(name)
            return record is not None and record.beat_ms > end_ms

        await until(has_beaten)
        assert await store.get("alive") is not None

    with_one_other(tmp_path, scenario)


def test_process_stopped_in_a_transaction_is_ended_after_its_time_and_readers_never_wait(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", 4_000)
        await other.ask("put", "alive", "1", "leased")
        other.tell("stop in a transaction")
        await until(lambda: is_writing(tmp_path, other))
        writing = asyncio.ensure_future(store.transact([], [Put("b", b"2")]))
        assert await store.get("stopped") is None
        assert not writing.done()
        assert isinstance(await writing, Committed)
        assert await other.process.wait() == -signal.SIGKILL
        await until(lambda: is_absent(store, "alive"))
        assert await store.get("stopped") is None

    with_one_other(tmp_path, scenario)


def test_only_who_holds_the_lock_and_is_silent_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", LONG_MS)
        path = str(tmp_path / "metadata.db")
        monkeypatch.setattr(sqlite_locks, "writers", lambda path: {other.pid})
        assert not sqlite_locks.end_stopped_writer(path, store._presence)
        monkeypatch.setattr(sqlite_locks, "boot_ms", lambda: boot_ms() + LONG_MS)
        monkeypatch.setattr(sqlite_locks, "writers", lambda path: {1})
        assert not sqlite_locks.end_stopped_writer(path, store._presence)
        assert other.process.returncode is None
        monkeypatch.setattr(sqlite_locks, "writers", lambda path: {other.pid})
        assert sqlite_locks.end_stopped_writer(path, store._presence)
        assert await other.process.wait() == -signal.SIGKILL

    with_one_other(tmp_path, scenario)


def test_three_processes_that_count_together_lose_no_increment(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        url = f"sqlite://{tmp_path}/metadata.db"
        async with member_process(url) as second, member_process(url) as third:
            members = (other, second, third)
            await asyncio.gather(*(member.ask("increment", "n", 20) for member in members))
        assert await store.get("n") == ("n", b"60", 1, 60)

    with_one_other(tmp_path, scenario)


def test_process_killed_before_it_could_wake_the_others_is_seen_to_have_committed(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        waiting = asyncio.ensure_future(next_batch(store, 1))
        await store.get("a")
        with sqlite3.connect(tmp_path / "metadata.db") as unseen:
            unseen.execute("INSERT INTO history VALUES (1, 0, 'a', x'31', 1)")
            unseen.execute("UPDATE counters SET revision = 1")
        await asyncio.sleep(0.05)
        assert not waiting.done()
        await other.kill()
        assert (await waiting).revision == 1

    with_one_other(tmp_path, scenario)


def test_a_process_that_was_stalled_gives_the_others_time_before_it_ends_their_leases(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", LONG_MS)
        (row,) = await store.read_leases()
        noticed_ms = boot_ms()
        store._peers._due_ms = noticed_ms - sqlite_peers.LATE_MS_MAX - 1
        store._peers._notice_own_stall()
        other.stop()
        # As if it were a short one, which would have ended where the machine held this test up.
        assert store._peers._deadline_ms(row._replace(ttl_ms=0)) >= noticed_ms + sqlite_peers.GRACE_MS

    with_one_other(tmp_path, scenario)


def test_lease_that_another_process_took_out_of_the_store_is_lost_to_its_holder(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await other.ask("lease", LONG_MS)
        other.tell("wait until lost")
        (row,) = await store.read_leases()
        await store.end(row.id)
        assert await other.answer() == "None"

    with_one_other(tmp_path, scenario)


def test_replaced_file_is_refused_by_a_process_that_has_the_old_one_open(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore, other: MemberProcess) -> None:
        await store.transact([], [Put("a", b"1")])
        os.rename(tmp_path / "metadata.db", tmp_path / "old.db")
        with pytest.raises(StoreReplacedError):
            await store.transact([], [Put("a", b"2")])
        with pytest.raises(StoreReplacedError):
            await next_batch(store, 2)

    with_one_other(tmp_path, scenario)


def test_lock_file_shows_only_a_locked_and_complete_record_and_a_path_of_any_length_will_do(tmp_path: Path) -> None:
    directory = tmp_path / ("d" * 120)
    directory.mkdir()
    members = Members(str(directory / "metadata.db-members"))
    presence = Presence(members)
    assert members.names() == [presence.name]
    record = members.record(presence.name)
    assert record is not None
    assert (record.pid, record.start_ticks) == (os.getpid(), start_ticks(os.getpid()))
    assert members.is_held(presence.name)
    presence.close()
    assert members.names() == []
    assert not members.is_held(presence.name)
    members.close()


def test_process_with_the_id_but_not_the_start_time_of_a_member_is_left_alone() -> None:
    assert open_process(MemberRecord(os.getpid(), 1, 0)) is None
    process = open_process(MemberRecord(os.getpid(), start_ticks(os.getpid()) or 0, 0))
    assert process is not None
    os.close(process)


def test_store_of_the_first_schema_is_brought_up_to_date_with_all_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    with sqlite3.connect(path) as sql:
        sql.executescript(
            "CREATE TABLE counters (revision INTEGER NOT NULL, compacted_revision INTEGER NOT NULL);"
            "INSERT INTO counters VALUES (7, 5);"
            "CREATE TABLE entries (key TEXT PRIMARY KEY, value BLOB NOT NULL, create_revision INTEGER NOT NULL,"
            " mod_revision INTEGER NOT NULL) WITHOUT ROWID;"
            "INSERT INTO entries VALUES ('a', x'31', 3, 7);"
            "CREATE TABLE history (revision INTEGER NOT NULL, position INTEGER NOT NULL, key TEXT NOT NULL, value BLOB,"
            " create_revision INTEGER, PRIMARY KEY (revision, position)) WITHOUT ROWID;"
            "PRAGMA application_id = 1128813131; PRAGMA user_version = 1;"
        )

    async def scenario() -> None:
        store = await SqliteStore.open(str(path))
        assert await store.range("") == ((("a", b"1", 3, 7),), 7)
        lease = await store.lease(LONG_MS)
        await store.transact([], [Put("b", b"", lease.id)])
        await lease.revoke()
        assert await store.get("b") is None
        await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))
