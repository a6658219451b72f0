"""Wakes the watchers of this process after a commit."""

import asyncio


class ChangeSignal:
    """An event that is replaced after each change: a change wakes all that took the event before."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def next_change(self) -> asyncio.Event:
        """Return the event of the next change. Take it before reading the history, or a change in between is missed."""
        return self._event

    def notify(self) -> None:
        """Wake all waiters. Only on the event loop's thread."""
        event, self._event = self._event, asyncio.Event()
        event.set()
