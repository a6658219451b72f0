"""How a commit wakes the watchers of this process."""

import asyncio


class ChangeSignal:
    """An event that renews itself: whoever took it before a change is woken by that change."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def next_change(self) -> asyncio.Event:
        """The event of the next change. Take it before reading the history, or a change between the two is missed."""
        return self._event

    def notify(self) -> None:
        """Wake all who wait. Only on the event loop's thread."""
        event, self._event = self._event, asyncio.Event()
        event.set()
