"""What every engine of the store port must do; a new engine joins in ``conftest.py``."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from itertools import count
from typing import Any

import pytest

from chronik.metadata.stores.open import open_store
from chronik.metadata.stores.port import (
    ABSENT,
    TRANSACTION_OPS_MAX,
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    CompareTarget,
    Conflict,
    Delete,
    Put,
    Store,
    StoreClosedError,
    StoreError,
)
from chronik.model.ids import Revision
from tests.unit.metadata.stores.conftest import Run

BOUND_S = 60.0


async def put(store: Store, key: str, value: bytes) -> Revision:
    outcome = await store.transact([], [Put(key, value)])
    assert isinstance(outcome, Committed)
    return outcome.revision


async def take(store: Store, from_revision: int, number: int) -> list[ChangeBatch]:
    taken = []
    watch = store.watch(Revision(from_revision))
    try:
        while len(taken) < number:
            taken.append(await anext(watch))
    finally:
        await watch.aclose()
    return taken


@asynccontextmanager
async def in_background(work: Awaitable[Any]) -> AsyncIterator["asyncio.Task[Any]"]:
    task = asyncio.ensure_future(work)
    try:
        yield task  # type: ignore[misc]
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def test_absent_key_reads_as_none_and_an_empty_store_is_at_revision_zero(run: Run) -> None:
    async def scenario(store: Store) -> None:
        assert await store.get("a") is None
        assert await store.range("") == ((), 0)

    run(scenario)


def test_each_transaction_raises_the_revision_by_one_and_its_changes_carry_it(
    run: Run,
) -> None:
    async def scenario(store: Store) -> None:
        assert await store.transact([], [Put("a", b"1"), Put("b", b"2")]) == Committed(Revision(1))
        assert await store.transact([], [Put("a", b"3")]) == Committed(Revision(2))
        assert await store.get("a") == ("a", b"3", 1, 2)
        assert await store.get("b") == ("b", b"2", 1, 1)

    run(scenario)


def test_deleted_and_created_again_a_key_has_a_new_create_revision(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        await store.transact([], [Delete("a")])
        assert await store.get("a") is None
        await put(store, "a", b"2")
        assert await store.get("a") == ("a", b"2", 3, 3)

    run(scenario)


def test_range_gives_keys_under_the_prefix_in_order_with_the_revision(run: Run) -> None:
    async def scenario(store: Store) -> None:
        for key in ("b/2", "a", "b/1", "b0", "b", "c", "b/é"):
            await put(store, key, key.encode())
        found = await store.range("b/")
        assert [entry.key for entry in found.entries] == ["b/1", "b/2", "b/é"]
        assert found.revision == 7
        assert [entry.key for entry in (await store.range("")).entries] == ["a", "b", "b/1", "b/2", "b/é", "b0", "c"]

    run(scenario)


@pytest.mark.parametrize(
    ("compare", "holds"),
    [
        (Compare("a", Revision(2)), True),
        (Compare("a", Revision(1)), False),
        (Compare("a", ABSENT), False),
        (Compare("a", Revision(1), CompareTarget.CREATE), True),
        (Compare("a", Revision(2), CompareTarget.CREATE), False),
        (Compare("a", ABSENT, CompareTarget.CREATE), False),
        (Compare("x", ABSENT), True),
        (Compare("x", ABSENT, CompareTarget.CREATE), True),
        (Compare("x", Revision(2)), False),
    ],
)
def test_transaction_happens_only_if_its_compare_holds(run: Run, compare: Compare, holds: bool) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        await put(store, "a", b"2")
        outcome = await store.transact([compare], [Put("y", b"written")])
        assert outcome == (Committed(Revision(3)) if holds else Conflict(Revision(2)))
        assert isinstance(outcome, Committed) == holds
        assert ((await store.get("y")) is not None) == holds

    run(scenario)


def test_one_failed_compare_of_many_writes_nothing(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        compares = [Compare("a", Revision(1)), Compare("b", Revision(1))]
        assert isinstance(await store.transact(compares, [Put("b", b""), Delete("a")]), Conflict)
        assert [entry.key for entry in (await store.range("")).entries] == ["a"]
        assert (await store.range("")).revision == 1

    run(scenario)


def test_deleting_what_is_absent_is_no_change_and_no_revision(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        assert await store.transact([], [Delete("x")]) == Committed(Revision(1))
        assert await store.transact([Compare("a", Revision(1))], []) == Committed(Revision(1))
        await put(store, "b", b"2")
        assert [batch.revision for batch in await take(store, 1, 2)] == [1, 2]

    run(scenario)


def test_watch_shows_each_transaction_once_in_order_with_all_its_changes(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await store.transact([], [Put("b", b""), Put("a", b"1")])
        await store.transact([], [Delete("b"), Delete("x"), Put("a", b"2")])
        first, second = await take(store, 1, 2)
        assert first == (1, (("b", ("b", b"", 1, 1)), ("a", ("a", b"1", 1, 1))))
        assert second == (2, (("b", None), ("a", ("a", b"2", 1, 2))))

    run(scenario)


def test_watch_from_a_later_revision_shows_nothing_earlier(run: Run) -> None:
    async def scenario(store: Store) -> None:
        for value in range(5):
            await put(store, "a", b"%d" % value)
        assert [batch.revision for batch in await take(store, 4, 2)] == [4, 5]

    run(scenario)


def test_idle_watch_wakes_for_a_change_that_comes_later(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        async with in_background(take(store, 2, 1)) as waiting:
            while not waiting.done():
                await put(store, "a", b"2")
                await asyncio.wait([waiting], timeout=BOUND_S)
            assert waiting.result()[0].revision == 2

    run(scenario)


def test_watch_is_woken_by_a_commit_whose_caller_was_cancelled(run: Run) -> None:
    async def scenario(store: Store) -> None:
        async with in_background(take(store, 1, 1)) as waiting:
            await store.range("")
            await store.range("")
            caller = asyncio.ensure_future(store.transact([], [Put("a", b"1")]))
            await asyncio.sleep(0)
            caller.cancel()
            with suppress(asyncio.CancelledError):
                await caller
            if await store.get("a") is not None:
                assert (await asyncio.wait_for(waiting, BOUND_S))[0].revision == 1

    run(scenario)


def test_compare_and_set_under_contention_loses_no_increment(run: Run) -> None:
    async def increment(store: Store, times: int) -> None:
        for _ in range(times):
            for _attempt in count():
                entry = await store.get("n")
                revision = entry.mod_revision if entry else ABSENT
                value = b"%d" % (int(entry.value) + 1 if entry else 1)
                if isinstance(await store.transact([Compare("n", revision)], [Put("n", value)]), Committed):
                    break

    async def scenario(store: Store) -> None:
        await asyncio.gather(*(increment(store, 10) for _ in range(5)))
        entry = await store.get("n")
        assert entry is not None
        assert (entry.value, entry.mod_revision) == (b"50", 50)

    run(scenario)


def test_watchers_that_come_and_go_in_a_storm_see_every_revision_once(run: Run) -> None:
    async def write(store: Store, dice: random.Random, number: int) -> None:
        for _ in range(number):
            key = f"k{dice.randrange(6)}"
            await store.transact([], [Put(key, dice.randbytes(8)) if dice.random() < 0.7 else Delete(key)])

    async def follow(store: Store, dice: random.Random, state: dict[str, tuple[Any, ...]]) -> None:
        following = 1
        while "end" not in state:
            for batch in await take(store, following, dice.randint(1, 7)):
                assert batch.revision == following
                following += 1
                for change in batch.changes:
                    state.pop(change.key, None)
                    state.update({change.key: change.entry} if change.entry else {})
                if "end" in state:
                    break

    async def scenario(store: Store) -> None:
        states: list[dict[str, Any]] = [{}, {}, {}]
        followers = [
            asyncio.ensure_future(follow(store, random.Random(seed), state)) for seed, state in enumerate(states)
        ]
        await asyncio.gather(*(write(store, random.Random(seed), 60) for seed in range(3)))
        for _ in range(7):
            await store.transact([], [Put("end", b"")])
        await asyncio.wait_for(asyncio.gather(*followers), BOUND_S)
        final = {entry.key: entry for entry in (await store.range("k")).entries}
        for state in states:
            state.pop("end")
            assert state == final

    run(scenario)


def test_snapshot_and_the_watch_after_it_leave_no_gap(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        snapshot = await store.range("")
        await put(store, "b", b"2")
        (batch,) = await take(store, snapshot.revision + 1, 1)
        assert [change.key for change in batch.changes] == ["b"]

    run(scenario)


def test_compacted_history_cannot_be_watched_and_the_error_names_the_oldest(
    run: Run,
) -> None:
    async def scenario(store: Store) -> None:
        for value in range(5):
            await put(store, "a", b"%d" % value)
        await store.compact(Revision(3))
        with pytest.raises(CompactedError) as raised:
            await take(store, 3, 1)
        assert raised.value.oldest == 4
        assert [batch.revision for batch in await take(store, 4, 2)] == [4, 5]
        entry = await store.get("a")
        assert entry is not None
        assert (entry.value, entry.create_revision) == (b"4", 1)

    run(scenario)


def test_compaction_never_goes_beyond_what_happened_nor_back(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")
        await put(store, "a", b"2")
        await store.compact(Revision(99))
        await store.compact(Revision(1))
        async with in_background(take(store, 3, 1)) as waiting:
            await put(store, "a", b"3")
            assert (await waiting)[0].revision == 3
        with pytest.raises(CompactedError):
            await take(store, 2, 1)

    run(scenario)


def test_closed_store_ends_its_watches_and_refuses_calls(run: Run) -> None:
    async def scenario(store: Store) -> None:
        await put(store, "a", b"1")

        async def drain() -> list[int]:
            return [batch.revision async for batch in store.watch(Revision(1))]

        async with in_background(drain()) as draining:
            while not await store.get("a"):
                pass
            await store.close()
            assert await asyncio.wait_for(draining, BOUND_S) in ([], [1])
        await store.close()
        with pytest.raises(StoreClosedError):
            await store.get("a")
        with pytest.raises(StoreClosedError):
            await store.transact([], [Put("a", b"2")])

    run(scenario)


@pytest.mark.parametrize(
    "writes",
    [
        [Put(f"k{n}", b"") for n in range(TRANSACTION_OPS_MAX + 1)],
        [Put("a", b""), Delete("a")],
        [Put("", b"")],
    ],
    ids=["too many", "one key twice", "empty key"],
)
def test_transaction_outside_the_port_s_limits_is_a_bug_and_writes_nothing(
    run: Run, writes: list[Put | Delete]
) -> None:
    async def scenario(store: Store) -> None:
        with pytest.raises(AssertionError):
            await store.transact([], writes)
        assert (await store.range("")).revision == 0

    run(scenario)


def test_unknown_store_is_refused_with_what_may_be_used() -> None:
    with pytest.raises(StoreError, match="sqlite:///"):
        asyncio.run(open_store("zookeeper://localhost"))
