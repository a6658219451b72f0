"""Processes on one SQLite store that are killed and stopped at random moments, most of them within a transaction."""

import asyncio
import random
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from chronik.metadata.stores.sqlite.store import SqliteStore
from chronik.model.ids import Revision
from tests.unit.metadata.stores.store_processes import MemberProcess, member_process, until

BOUND_S = 100.0
TTL_MS = 500
FAULTS = 12


class Counting:
    """A few processes that increment one key, and others in the place of those that end."""

    def __init__(self, url: str, stack: AsyncExitStack) -> None:
        self._url = url
        self._stack = stack
        self.members: list[MemberProcess] = []
        self.ended = 0
        self.counted = 0

    async def begin(self) -> None:
        member = await self._stack.enter_async_context(member_process(self._url))
        await member.ask("lease", TTL_MS)
        member.tell("count", "n")
        self.members.append(member)

    async def suffer(self, dice: random.Random) -> None:
        """Do something bad to one of them."""
        member = dice.choice(self.members)
        if dice.random() < 0.3:
            await member.kill()
        else:
            member.stop()
            await asyncio.sleep(dice.uniform(0.0, 3 * TTL_MS / 1000))
            if member.process.returncode is None:
                member.go_on()
        await self.replace_the_dead()

    async def replace_the_dead(self) -> None:
        for member in [member for member in self.members if member.process.returncode is not None]:
            self.members.remove(member)
            self.ended += 1
            await self._take_account(member)
            await self.begin()

    async def end(self) -> None:
        for member in self.members:
            await member.kill()
            self.ended += 1
            await self._take_account(member)

    async def _take_account(self, member: MemberProcess) -> None:
        self.counted += (await member.rest()).count(b"counted")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_increment_is_lost_none_is_made_twice_and_the_others_always_go_on(tmp_path: Path, seed: int) -> None:
    async def scenario() -> None:
        store = await SqliteStore.open(str(tmp_path / "metadata.db"))
        async with AsyncExitStack() as stack:
            counting = Counting(f"sqlite://{tmp_path}/metadata.db", stack)
            for _ in range(3):
                await counting.begin()
            dice = random.Random(seed)
            for _ in range(FAULTS):
                await counting.suffer(dice)
                before = (await store.range("n")).revision
                await until(lambda before=before: is_beyond(store, before))  # type: ignore[misc]
            await counting.end()
            entry = await store.get("n")
            assert entry is not None
            # One that was committed may not have been told of by whoever ended right after it.
            assert counting.counted <= int(entry.value) <= counting.counted + counting.ended
            await every_increment_is_in_the_history(store, int(entry.value))
        await store.close()

    asyncio.run(asyncio.wait_for(scenario(), BOUND_S))


async def is_beyond(store: SqliteStore, revision: Revision) -> bool:
    return (await store.range("n")).revision > revision


async def every_increment_is_in_the_history(store: SqliteStore, last: int) -> None:
    # Further back the history may have been compacted.
    expected = max(1, last - 2_000)
    async for batch in store.watch(Revision(expected)):
        assert batch.revision == expected
        assert [change.entry and change.entry.value for change in batch.changes] == [b"%d" % expected]
        if expected == last:
            return
        expected += 1
