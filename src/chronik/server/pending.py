"""A request whose answer comes later, without a task of its own."""

from collections.abc import Callable

from chronik.protocol.wire import Message


class CloseConnection(Exception):  # noqa: N818 - an order, not a failure
    """The answer where the protocol has no other way to say no: an error with acks=0, for one."""


Outcome = Message | CloseConnection | None
"""An answer, an order to close, or None where the client expects no bytes."""


class Pending:
    """Keeps where the answer goes; a handler's own kind of waiting derives from it."""

    __slots__ = ("_deliver", "_early")

    def __init__(self) -> None:
        self._deliver: Callable[[Outcome], None] | None = None
        self._early: list[Outcome] = []

    def bind(self, deliver: Callable[[Outcome], None]) -> None:
        """Say where the answer goes; one that is already there goes at once."""
        self._deliver = deliver
        if self._early:
            deliver(self._early[0])

    def finish(self, outcome: Outcome) -> None:
        """Give the answer, exactly once."""
        if self._deliver is None:
            assert not self._early, "a request gets exactly one answer"
            self._early.append(outcome)
        else:
            self._deliver(outcome)

    def abandon(self) -> None:
        """Stop waiting: the connection is gone, nobody will read the answer."""
