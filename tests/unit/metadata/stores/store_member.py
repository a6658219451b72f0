"""A process that opens a store and does what it is told, a line at a time: run by the tests of several processes.

It answers each line with one line. ``stop in a transaction`` stops the process (SIGSTOP) when it holds what the
engine's transactions hold.
"""

import asyncio
import os
import signal
import sys
import time
from itertools import count

from chronik.metadata.stores.open import open_store
from chronik.metadata.stores.port import ABSENT, Committed, Compare, Lease, Put, Store
from chronik.metadata.stores.sqlite import file as sqlite_file
from chronik.model.ids import Revision


class Member:
    def __init__(self, store: Store) -> None:
        self.store = store
        self.leases: list[Lease] = []

    async def obey(self, words: list[str]) -> object:
        match words:
            case ["lease", ttl_ms]:
                self.leases.append(await self.store.lease(int(ttl_ms)))
                return self.leases[-1].id
            case ["put", key, value]:
                return await self.store.transact([], [Put(key, value.encode())])
            case ["put", key, value, "leased"]:
                return await self.store.transact([], [Put(key, value.encode(), self.leases[-1].id)])
            case ["increment", key, times]:
                return await self.increment(key, int(times))
            case ["count", key]:
                return await self.count(key)
            case ["see", revision]:
                return await self.see(int(revision))
            case ["wait until lost"]:
                return await self.leases[-1].lost()
            case ["stop in a transaction"]:
                sqlite_file.StoreFile._check_place = lambda _self: os.kill(os.getpid(), signal.SIGSTOP)  # type: ignore[method-assign, assignment, return-value]
                return await self.store.transact([], [Put("stopped", b"")])
        raise AssertionError(words)

    async def increment(self, key: str, times: int) -> None:
        for _ in range(times):
            for _attempt in count():
                entry = await self.store.get(key)
                revision, value = (entry.mod_revision, int(entry.value)) if entry else (ABSENT, 0)
                outcome = await self.store.transact([Compare(key, revision)], [Put(key, b"%d" % (value + 1))])
                if isinstance(outcome, Committed):
                    break

    async def count(self, key: str) -> None:
        """Increment for ever, and say each time that it is done."""
        while True:
            await self.increment(key, 1)
            say("counted")

    async def see(self, revision: int) -> int:
        """Wait for a revision and say when it was seen."""
        await anext(self.store.watch(Revision(revision)))
        return time.monotonic_ns()


def say(answer: object) -> None:
    sys.stdout.write(f"{answer}\n")
    sys.stdout.flush()


async def main(url: str) -> None:
    store = await open_store(url)
    member = Member(store)
    say("open")
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        say(await member.obey(line.decode().strip().split(",")))
    await store.close()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
