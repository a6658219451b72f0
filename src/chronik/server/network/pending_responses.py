"""A request whose response comes later, without a task of its own."""

from typing import Protocol

from chronik.model.errors import ErrorCode
from chronik.protocol.wire import Message


class CloseConnection(Exception):  # noqa: N818 - an order, not a failure
    """The outcome if no response can carry the error: a failed produce with acks=0 has no response."""

    def __init__(self, reason: str, error: ErrorCode = ErrorCode.UNKNOWN_SERVER_ERROR) -> None:
        super().__init__(reason)
        self.error = error


Outcome = Message | CloseConnection | None
"""A response, an order to close the connection, or None where the client expects no response."""


class OutcomeReceiver(Protocol):
    """The place where the outcome of a request is delivered."""

    def deliver(self, outcome: Outcome) -> None:
        """Accept the outcome, once."""


class Pending:
    """A request without a response. A handler whose response must wait returns a subclass."""

    __slots__ = ("_early", "_receiver")

    def __init__(self) -> None:
        self._receiver: OutcomeReceiver | None = None
        self._early: tuple[Outcome] | None = None

    def bind(self, receiver: OutcomeReceiver) -> None:
        """Set the receiver; an outcome that is already known is delivered at once."""
        self._receiver = receiver
        if self._early is not None:
            self.finish(self._early[0])

    def finish(self, outcome: Outcome) -> None:
        """Deliver the outcome, exactly once."""
        # The reference is dropped, so that no cycle is left for the garbage collector.
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.deliver(outcome)
        else:
            assert self._early is None, "a request gets exactly one response"
            self._early = (outcome,)

    def abandon(self) -> None:
        """Stop waiting: the connection is closed, so the response cannot be sent."""
