"""Writing the trace to files: events of the ring are written in a thread, while chronik.trace.files is true."""

import asyncio
import logging
from pathlib import Path
from typing import Final

from chronik.observability.trace import TraceEntry, Tracer
from chronik.observability.trace_events import EventsDropped
from chronik.observability.trace_files import DIRECTORY, TraceFiles
from chronik.server.loop.disk_threads import DiskThread

log = logging.getLogger(__name__)

INTERVAL_S: Final = 0.25
EVENTS_AT_ONCE: Final = 500
"""How many events are encoded at once: meanwhile the thread holds the interpreter."""
PAUSE_S: Final = 5.0
"""The pause after a disk error."""


class TraceRecorder:
    """Follows the ring. If the ring has dropped events, the files say how many are missing."""

    def __init__(self, tracer: Tracer, data: str, loop: asyncio.AbstractEventLoop) -> None:
        self._tracer = tracer
        self._data = Path(data)
        self._loop = loop
        self._is_on = asyncio.Event()
        self._bytes_max = 0
        self._after = -1
        self._files: TraceFiles | None = None
        self._thread: DiskThread | None = None

    def configure(self, *, is_on: bool, bytes_max: int) -> None:
        """Switch writing on or off. Events that the ring already holds are written too."""
        self._bytes_max = bytes_max
        if is_on:
            self._is_on.set()
        else:
            self._is_on.clear()

    async def run(self) -> None:
        """Write, for as long as the broker runs."""
        while True:
            await self._is_on.wait()
            try:
                while await self._write_some():
                    pass
            except OSError as error:
                log.warning(
                    "traces cannot be written to %s: %s. Make room, or set chronik.trace.files to false.",
                    self._data / DIRECTORY,
                    error,
                )
                await asyncio.sleep(PAUSE_S)
            await asyncio.sleep(INTERVAL_S)

    async def close(self) -> None:
        """Write the remaining events, and close the file."""
        try:
            while self._is_on.is_set() and await self._write_some():
                pass
        except OSError as error:
            log.warning("the last traces cannot be written: %s", error)
        if self._thread is not None and self._files is not None:
            await self._thread.run(self._files.close)
            self._thread.stop()
            self._thread = None

    async def _write_some(self) -> bool:
        """Write the next events, and return whether there are more."""
        page = self._tracer.events(self._after, EVENTS_AT_ONCE)
        entries = page.entries
        if page.dropped and entries:
            first = entries[0]
            entries = [TraceEntry(first.seq - 1, first.wall_ns, first.steady_ns, EventsDropped(page.dropped)), *entries]
        before, self._after = self._after, page.next - 1
        try:
            if entries:
                await self._write(entries)
        except OSError:
            self._after = before
            raise
        return page.next < self._tracer.next_seq

    async def _write(self, entries: list[TraceEntry]) -> None:
        if self._thread is None:
            self._thread = DiskThread("chronik-trace", self._loop)
        files = self._files
        if files is None:
            files = self._files = TraceFiles(self._data / DIRECTORY, self._tracer.node, self._bytes_max)
        files.bytes_max = self._bytes_max
        await self._thread.run(lambda: files.write(entries))
