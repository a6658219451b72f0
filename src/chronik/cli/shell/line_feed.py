"""Lines of a file, pipe or terminal, as they come, without holding up the event loop.

A thread of its own reads the descriptor itself: one from a pool would be waited for at the end, and a terminal on
which nobody types would then keep the command from ending.
"""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from typing import Final

_READ_BYTES: Final = 256 * 1024
_CHUNKS_AHEAD_MAX: Final = 4


NEWLINE: Final = b"\n"


def split_lines(pending: bytes, data: bytes, end: bytes = NEWLINE) -> tuple[list[bytes], bytes]:
    """Return the whole lines, without their ends, and what is left of the last one."""
    *lines, rest = (pending + data).split(end)
    return [line.removesuffix(b"\r") for line in lines] if end == NEWLINE else lines, rest


async def lines_of(descriptor: int, end: bytes = NEWLINE) -> AsyncIterator[list[bytes]]:
    """Return lists of lines until the descriptor ends; a last line without an end counts too."""
    chunks: asyncio.Queue[bytes | OSError] = asyncio.Queue(_CHUNKS_AHEAD_MAX)
    loop = asyncio.get_running_loop()
    threading.Thread(target=_read_all, args=(descriptor, chunks, loop), daemon=True, name="line-feed").start()
    pending = b""
    while data := await chunks.get():
        if isinstance(data, OSError):
            raise data
        lines, pending = split_lines(pending, data, end)
        if lines:
            yield lines
    if pending:
        yield [pending]


def _read_all(descriptor: int, chunks: "asyncio.Queue[bytes | OSError]", loop: asyncio.AbstractEventLoop) -> None:
    data: bytes | OSError = b"begin"
    while data and not isinstance(data, OSError):
        try:
            data = os.read(descriptor, _READ_BYTES)
        except OSError as error:
            data = error
        try:
            asyncio.run_coroutine_threadsafe(chunks.put(data), loop).result()
        except (RuntimeError, asyncio.CancelledError):
            return
