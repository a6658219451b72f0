"""``chronik cluster status --watch``: the cluster live in a terminal, or block after block where there is none."""

import asyncio
import os
import re
import signal
import sys
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from chronik.cli import exits
from chronik.cli.cluster.watch_frame import Picture, frame, rendered
from chronik.cli.cluster.watch_status import ClusterSnapshot, Watch
from chronik.cli.shell.screen import draw, is_interactive, may_colour, size, taken_screen

_KEY: Final = re.compile(r"\x1b\[[0-9;]*[~A-Za-z]|\x1bO.|.", re.DOTALL)
_PAGE: Final = 10
_STEPS: Final = {
    **dict.fromkeys(("\x1b[A", "\x1bOA", "k"), -1),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "j"), 1),
    **dict.fromkeys(("\x1b[5~", "b"), -_PAGE),
    **dict.fromkeys(("\x1b[6~", " "), _PAGE),
}
"""How far a key scrolls."""
_LEAVE: Final = ("q", "Q", "\x03")
_BLOCK_WIDTH: Final = 120
_BLOCK_PARTITIONS: Final = 20


def watch(facts: Watch, interval_s: float) -> int:
    """Show the cluster until the reader leaves."""
    try:
        return asyncio.run(_Screen(facts, interval_s).run() if is_interactive() else _blocks(facts, interval_s))
    except KeyboardInterrupt:
        return exits.OK


async def _blocks(watch: Watch, interval_s: float) -> int:
    """Print a block each time, for files and pipes: nothing is drawn over, and nothing is coloured."""
    while True:
        facts = await watch.facts()
        shown = replace(facts, partitions=facts.partitions[:_BLOCK_PARTITIONS])
        picture = Picture(_BLOCK_WIDTH, None, _clock(), sort=watch.sort)
        sys.stdout.write("\n".join(line.text for line in frame(shown, picture)) + "\n\n")
        sys.stdout.flush()
        await asyncio.sleep(interval_s)


def _clock() -> str:
    return datetime.now().astimezone().strftime("%H:%M:%S")


@dataclass
class _Screen:
    """The live screen: the last status, the chosen view, and the events that redraw it."""

    watch: Watch
    interval_s: float
    facts: ClusterSnapshot = field(default_factory=lambda: ClusterSnapshot("no broker yet", problem="asking"))
    scrolled: int = 0
    is_left: bool = False

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        self._left = asyncio.Event()
        self._asked = asyncio.Event()
        self._colour = may_colour(os.environ, sys.stdout)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._left.set)
        with taken_screen():
            loop.add_signal_handler(signal.SIGWINCH, self.draw)
            loop.add_reader(sys.stdin.fileno(), self._on_keys)
            self.draw()
            asking = asyncio.create_task(self._keep_asking())
            try:
                await self._left_or_broken(asking)
            finally:
                asking.cancel()
                loop.remove_reader(sys.stdin.fileno())
        return exits.OK

    async def _left_or_broken(self, asking: "asyncio.Task[None]") -> None:
        left = asyncio.create_task(self._left.wait())
        await asyncio.wait({left, asking}, return_when=asyncio.FIRST_COMPLETED)
        left.cancel()
        if asking.done():
            asking.result()

    async def _keep_asking(self) -> None:
        while True:
            self._asked.clear()
            self.facts = await self.watch.facts()
            self.draw()
            try:
                async with asyncio.timeout(self.interval_s):
                    await self._asked.wait()
            except TimeoutError:
                pass

    def _on_keys(self) -> None:
        try:
            keys = os.read(sys.stdin.fileno(), 64).decode(errors="replace")
        except OSError:
            keys = ""
        if not keys:
            self._left.set()
        # A key that is held down comes several times at once.
        for key in _KEY.findall(keys):
            self._on_key(key)
        self.draw()

    def _on_key(self, key: str) -> None:
        if key in _LEAVE:
            self._left.set()
        elif key == "s":
            self.watch.sort = "name" if self.watch.sort == "lag" else "lag"
            self._asked.set()
        wanted = self.scrolled + _STEPS.get(key, 0)
        self.scrolled = max(min(wanted, len(self.facts.partitions) - 1), 0)

    def draw(self) -> None:
        """Draw what is known into what room there is now."""
        width, height = size()
        picture = Picture(width, height, _clock(), self.scrolled, self.watch.sort)
        draw(rendered(frame(self.facts, picture), colour=self._colour))
