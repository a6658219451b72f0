"""A request whose answer comes later, without a task of its own."""

from typing import Protocol

from chronik.model.errors import ErrorCode
from chronik.protocol.wire import Message


class CloseConnection(Exception):  # noqa: N818 - an order, not a failure
    """The answer where the protocol has no other way to say no: an error with acks=0, for one."""

    def __init__(self, reason: str, error: ErrorCode = ErrorCode.UNKNOWN_SERVER_ERROR) -> None:
        super().__init__(reason)
        self.error = error


Outcome = Message | CloseConnection | None
"""An answer, an order to close, or None where the client expects no bytes."""


class Delivery(Protocol):
    """Where an outcome goes."""

    def deliver(self, outcome: Outcome) -> None:
        """Take the outcome, once."""


class Pending:
    """Keeps where the answer goes; a handler's own kind of waiting derives from it."""

    __slots__ = ("_delivery", "_early")

    def __init__(self) -> None:
        self._delivery: Delivery | None = None
        self._early: tuple[Outcome] | None = None

    def bind(self, delivery: Delivery) -> None:
        """Say where the answer goes; one that is already there goes at once."""
        self._delivery = delivery
        if self._early is not None:
            self.finish(self._early[0])

    def finish(self, outcome: Outcome) -> None:
        """Give the answer, exactly once."""
        # Let go of, so that no cycle is left for the garbage collector.
        delivery, self._delivery = self._delivery, None
        if delivery is not None:
            delivery.deliver(outcome)
        else:
            assert self._early is None, "a request gets exactly one answer"
            self._early = (outcome,)

    def abandon(self) -> None:
        """Stop waiting: the connection is gone, nobody will read the answer."""
