"""What the SQLite engine promises beyond the port: the file outlives its process, whatever ends it."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from chronik.metadata.stores.open import open_store, sqlite_path
from chronik.metadata.stores.port import (
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Delete,
    Put,
    StoreError,
    StoreUnavailable,
)
from chronik.metadata.stores.sqlite import file as sqlite_file
from chronik.metadata.stores.sqlite import store as sqlite_store
from chronik.metadata.stores.sqlite.store import SqliteStore
from chronik.model.ids import Revision

BOUND_S = 30.0

WRITER = """
import asyncio, sys
from chronik.metadata.stores.sqlite.store import SqliteStore
from chronik.metadata.stores.port import Put

async def main():
    store = await SqliteStore.open(sys.argv[1])
    for n in range(1_000_000):
        outcome = await store.transact([], [Put("a", b"%d" % n), Put("b", b"%d" % n)])
        print(outcome.revision, flush=True)

asyncio.run(main())
"""

HALF_A_TRANSACTION = """
import sqlite3, sys, time
sql = sqlite3.connect(sys.argv[1], isolation_level=None)
sql.execute("BEGIN IMMEDIATE")
sql.execute("INSERT INTO entries VALUES ('half', x'00', 2, 2, NULL)")
sql.execute("UPDATE counters SET revision = 2")
print("begun", flush=True)
time.sleep(600)
"""


def on_store(path: Path, scenario: Callable[[SqliteStore], Coroutine[Any, Any, Any]]) -> Any:
    async def main() -> Any:
        store = await SqliteStore.open(str(path))
        try:
            return await asyncio.wait_for(scenario(store), BOUND_S)
        finally:
            await store.close()

    return asyncio.run(main())


def run_script(script: str, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE, text=True)


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


async def history_of(store: SqliteStore, number: int) -> list[ChangeBatch]:
    watch = store.watch(Revision(1))
    return [await anext(watch) for _ in range(number)]


def test_entries_revisions_and_history_are_there_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"

    async def write(store: SqliteStore) -> None:
        await store.transact([], [Put("a", b"1")])
        await store.transact([], [Put("a", b"2"), Put("b", b"")])

    async def read(store: SqliteStore) -> None:
        assert await store.range("") == ((("a", b"2", 1, 2), ("b", b"", 2, 2)), 2)
        assert [batch.revision for batch in await history_of(store, 2)] == [1, 2]
        assert await store.transact([], [Delete("a")]) == Committed(Revision(3))

    on_store(path, write)
    on_store(path, read)


@pytest.mark.parametrize("commits", [1, 20])
def test_every_acknowledged_commit_is_there_whole_after_kill_9(tmp_path: Path, commits: int) -> None:
    path = tmp_path / "metadata.db"
    writer = run_script(WRITER, path)
    try:
        acknowledged = [int(first_line(writer)) for _ in range(commits)][-1]
    finally:
        writer.send_signal(signal.SIGKILL)
        assert writer.stdout is not None
        # Through the same buffer as the lines before, which may have taken more than it gave.
        rest = writer.stdout.read()
        writer.wait(BOUND_S)
    acknowledged = int([str(acknowledged), *rest.split()][-1])

    async def read(store: SqliteStore) -> None:
        found = await store.range("")
        assert found.revision in (acknowledged, acknowledged + 1)
        expected = b"%d" % (found.revision - 1)
        assert [(entry.key, entry.value) for entry in found.entries] == [("a", expected), ("b", expected)]

    on_store(path, read)


def test_process_killed_in_the_middle_of_a_transaction_leaves_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    on_store(path, lambda store: store.transact([], [Put("a", b"1")]))
    other = run_script(HALF_A_TRANSACTION, path)
    try:
        assert first_line(other) == "begun"
    finally:
        other.kill()
        other.wait(BOUND_S)

    async def go_on(store: SqliteStore) -> None:
        assert await store.range("") == ((("a", b"1", 1, 1),), 1)
        assert await store.transact([], [Put("b", b"2")]) == Committed(Revision(2))

    on_store(path, go_on)


def test_stranger_stopped_in_the_middle_of_a_transaction_delays_writers_for_a_bounded_time_and_is_not_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "metadata.db"
    on_store(path, lambda store: store.transact([], [Put("a", b"1")]))
    monkeypatch.setattr(sqlite_store, "LOCKED_S_MAX", 0.2)
    other = run_script(HALF_A_TRANSACTION, path)

    async def meet_the_stopped(store: SqliteStore) -> None:
        assert (await store.range("")).revision == 1
        with pytest.raises(StoreUnavailable, match="locked"):
            await store.transact([], [Put("b", b"2")])
        assert other.poll() is None
        other.kill()
        other.wait(BOUND_S)
        assert await store.transact([], [Put("b", b"2")]) == Committed(Revision(2))

    try:
        assert first_line(other) == "begun"
        other.send_signal(signal.SIGSTOP)
        on_store(path, meet_the_stopped)
    finally:
        other.kill()
        other.wait(BOUND_S)


def test_two_processes_worth_of_stores_on_one_file_guard_against_each_other(tmp_path: Path) -> None:
    path = str(tmp_path / "metadata.db")

    async def scenario() -> None:
        one, two = await SqliteStore.open(path), await SqliteStore.open(path)
        assert await one.transact([Compare("a", Revision(0))], [Put("a", b"one")]) == Committed(Revision(1))
        assert await two.transact([Compare("a", Revision(0))], [Put("a", b"two")]) == Conflict(Revision(1))
        assert await two.transact([Compare("a", Revision(1))], [Put("a", b"two")]) == Committed(Revision(2))
        assert [batch.revision for batch in await history_of(one, 2)] == [1, 2]
        await one.close()
        await two.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


def test_commit_between_a_watcher_s_read_and_its_wait_is_not_missed(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore) -> None:
        read = store._read_file.history
        commits: list[Committed | Conflict] = []

        async def commit() -> Committed | Conflict:
            return await store.transact([], [Put("a", b"1")])

        loop = asyncio.get_running_loop()

        def read_then_commit(from_revision: Revision) -> list[ChangeBatch]:
            found = read(from_revision)
            if not commits:
                commits.append(asyncio.run_coroutine_threadsafe(commit(), loop).result(BOUND_S))
            return found

        store._read_file.history = read_then_commit  # type: ignore[method-assign]
        assert [batch.revision for batch in await history_of(store, 1)] == [1]

    on_store(tmp_path / "metadata.db", scenario)


def test_writes_that_fail_half_way_leave_nothing_and_the_store_goes_on(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore) -> None:
        await store.transact([], [Put("a", b"1")])
        with pytest.raises(StoreError):
            await store.transact([], [Put("b", b"2"), Put("c", object())])  # type: ignore[arg-type]
        assert await store.range("") == ((("a", b"1", 1, 1),), 1)
        assert await store.transact([], [Put("b", b"2")]) == Committed(Revision(2))

    on_store(tmp_path / "metadata.db", scenario)


def test_history_is_compacted_by_itself_and_entries_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_file, "HISTORY_REVISIONS_MAX", 8)
    monkeypatch.setattr(sqlite_file, "COMPACT_EVERY_REVISIONS", 4)

    async def scenario(store: SqliteStore) -> None:
        await store.transact([], [Put("old", b"")])
        for n in range(20):
            await store.transact([], [Put("a", b"%d" % n)])
        with pytest.raises(CompactedError) as raised:
            await history_of(store, 1)
        assert 20 - 8 - 4 < raised.value.oldest <= 21 - 8
        assert [entry.key for entry in (await store.range("")).entries] == ["a", "old"]

    path = tmp_path / "metadata.db"
    on_store(path, scenario)
    with sqlite3.connect(path) as sql:
        assert sql.execute("SELECT count(*) FROM history").fetchone()[0] <= 12


def test_every_commit_is_flushed_to_disk_before_it_is_acknowledged(tmp_path: Path) -> None:
    async def scenario(store: SqliteStore) -> None:
        pragmas = await store._on(
            store._writer,
            lambda: [
                store._file._sql.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
            ],
        )
        assert pragmas == ["wal", 2]

    on_store(tmp_path / "metadata.db", scenario)


def test_file_that_is_no_store_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    text = tmp_path / "text.db"
    text.write_bytes(b"this is no database" * 100)
    with pytest.raises(StoreError, match="not a database"):
        asyncio.run(open_store(f"sqlite://{text}"))
    assert text.read_bytes() == b"this is no database" * 100

    foreign = tmp_path / "foreign.db"
    with sqlite3.connect(foreign) as sql:
        sql.execute("CREATE TABLE recipes (name TEXT)")
    with pytest.raises(StoreError, match="not a metadata store of Chronik"):
        asyncio.run(open_store(f"sqlite://{foreign}"))


def test_store_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "metadata.db"
    on_store(path, lambda store: store.get("a"))
    with sqlite3.connect(path) as sql:
        sql.execute("PRAGMA user_version = 99")
    with pytest.raises(StoreError, match="schema version 99"):
        asyncio.run(open_store(f"sqlite://{path}"))


def test_missing_directory_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/metadata\.db"):
        asyncio.run(open_store(f"sqlite://{tmp_path}/nowhere/metadata.db"))


MOUNTS = """\
25 1 254:0 / / rw,relatime - ext4 /dev/vda rw
31 25 0:40 / /srv rw,relatime shared:1 - nfs4 server:/export rw
32 31 254:1 / /srv/local\\040disk rw,relatime - xfs /dev/vdb rw
33 25 0:41 / /share rw - ext4 /dev/vdc rw
34 33 0:42 / /share rw - cifs //server/share rw
"""


@pytest.mark.parametrize(
    ("directory", "kind"),
    [
        ("/", "ext4"),
        ("/var/lib", "ext4"),
        ("/srv", "nfs4"),
        ("/srv/chronik", "nfs4"),
        ("/srvother", "ext4"),
        ("/srv/local disk/chronik", "xfs"),
        ("/share", "cifs"),
    ],
)
def test_kind_of_file_system_is_that_of_the_nearest_mount(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str, kind: str
) -> None:
    (tmp_path / "mountinfo").write_text(MOUNTS)
    monkeypatch.setattr(sqlite_store, "MOUNTS", str(tmp_path / "mountinfo"))
    assert sqlite_store.file_system_of(directory) == kind


def test_network_file_system_is_refused_and_nothing_is_made_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_store, "file_system_of", lambda directory: "nfs4")
    with pytest.raises(StoreError, match="network file system"):
        asyncio.run(SqliteStore.open(str(tmp_path / "metadata.db")))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "path"),
    [("sqlite:///a/b.db", "/a/b.db"), ("sqlite:b.db", "b.db"), ("sqlite:///a%20b.db", "/a b.db")],
)
def test_sqlite_url_names_a_path(url: str, path: str) -> None:
    assert sqlite_path(url) == path


def test_sqlite_url_without_a_file_is_refused() -> None:
    with pytest.raises(StoreError, match="names no file"):
        sqlite_path("sqlite://")


def test_close_ends_the_threads(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = await SqliteStore.open(str(tmp_path / "metadata.db"))
        threads = [*store._reader._threads, *store._writer._threads]
        assert len(threads) == 2
        await store.close()
        for thread in threads:
            thread.join(BOUND_S)
            assert not thread.is_alive()

    asyncio.run(scenario())
    assert not os.path.exists(tmp_path / "metadata.db-wal")
