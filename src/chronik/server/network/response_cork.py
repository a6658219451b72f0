"""Responses that become ready during one event of the loop are sent together: one write per connection and event.

Sending each response on its own costs a pipelined client almost half of its throughput.
"""

import asyncio
from typing import Protocol


class Sender(Protocol):
    """A connection with responses to send."""

    def send_ready(self) -> None:
        """Send the responses that are ready."""


class Cork:
    """Collects the connections that have responses to send, and makes them send at the end of the event."""

    __slots__ = ("_in_event", "_loop", "_scheduled", "_senders")

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._senders: list[Sender] = []
        self._in_event = False
        self._scheduled = False

    def begin_event(self) -> None:
        """Collect senders until ``end_event``, which is called before control returns to the loop."""
        self._in_event = True

    def end_event(self) -> None:
        """Make all collected senders send."""
        self._in_event = False
        if self._senders:
            self._pull()

    def add(self, sender: Sender) -> None:
        """Add a sender: it sends at the end of this event, or soon if no event is running."""
        self._senders.append(sender)
        if not self._in_event and not self._scheduled:
            self._scheduled = True
            self._loop.call_soon(self._pull)

    def _pull(self) -> None:
        self._scheduled = False
        senders, self._senders = self._senders, []
        for sender in senders:
            sender.send_ready()
