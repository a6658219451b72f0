"""Starting and steering the processes of ``store_member.py``."""

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

SCRIPT = Path(__file__).with_name("store_member.py")


class MemberProcess:
    """Another process on the same store."""

    def __init__(self, process: Process) -> None:
        self.process = process

    @property
    def pid(self) -> int:
        return self.process.pid

    async def ask(self, *words: object) -> str:
        self.tell(*words)
        return await self.answer()

    def tell(self, *words: object) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(",".join(map(str, words)).encode() + b"\n")

    async def answer(self) -> str:
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        assert line, "the process ended"
        return line.decode().strip()

    async def rest(self) -> bytes:
        """Read what a process that has ended still had said."""
        assert self.process.stdout is not None
        return await self.process.stdout.read()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    async def kill(self) -> int:
        with suppress(ProcessLookupError):
            self.process.kill()
        return await self.process.wait()


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again until it holds; the caller sets the bound."""
    while not await holds():  # noqa: ASYNC110 -- what is waited for happens in another process
        await asyncio.sleep(0.01)


@asynccontextmanager
async def member_process(url: str) -> AsyncIterator[MemberProcess]:
    process = await asyncio.create_subprocess_exec(sys.executable, str(SCRIPT), url, stdin=PIPE, stdout=PIPE)
    member = MemberProcess(process)
    try:
        assert await member.answer() == "open"
        yield member
    finally:
        await member.kill()
