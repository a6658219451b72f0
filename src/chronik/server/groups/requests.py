"""Requests to the group coordinator: each waits for its answers without a task, and is told once."""

from collections.abc import Callable, Sequence
from typing import Protocol

from chronik.coordinator.responses import GroupResponse
from chronik.protocol.wire import Message
from chronik.server.network.pending_responses import Pending


class Parking(Protocol):
    """Where a request waits."""

    def abandon(self, request: "GroupRequestHandle") -> None:
        """Hear that nobody waits any more."""


class GroupRequestHandle(Protocol):
    """A request that a shard gets with a command and responds to."""

    parking: Parking | None

    def __hash__(self) -> int:
        """Identify the request."""

    def give(self, answer: GroupResponse) -> None:
        """Take the answer, once."""


class GroupRequest(Pending):
    """A request that asks one thing of one group."""

    __slots__ = ("_response", "_shape", "parking")

    def __init__(self, shape: Callable[[GroupResponse], Message]) -> None:
        super().__init__()
        self._shape = shape
        self._response: Message | None = None
        self.parking: Parking | None = None

    def give(self, answer: GroupResponse) -> None:
        """Respond: within the call that asked, or later to the connection that waits."""
        response = self._shape(answer)
        if self._delivery is None and self._response is None:
            self._response = response
        else:
            self.finish(response)

    def reply(self) -> Message | Pending:
        """Give the response if it is there already, which spares the connection a promise."""
        return self if self._response is None else self._response

    def abandon(self) -> None:
        """Let the shard know that the connection is gone."""
        if self.parking is not None:
            self.parking.abandon(self)


class GroupPart:
    """One of the things that a request asks of several groups or shards."""

    __slots__ = ("_index", "_whole", "parking")

    def __init__(self, whole: "GroupRequests", index: int) -> None:
        self._whole = whole
        self._index = index
        self.parking: Parking | None = None

    def give(self, answer: GroupResponse) -> None:
        """Respond to this part; the last one completes the response."""
        self._whole.take(self._index, answer)


class GroupRequests(Pending):
    """A request that is answered when all of its parts are, in the order in which they were asked."""

    __slots__ = ("_answers", "_response", "_shape", "_unanswered", "parts")

    def __init__(self, count: int, shape: Callable[[Sequence[GroupResponse]], Message]) -> None:
        super().__init__()
        self._shape = shape
        self._answers: list[GroupResponse | None] = [None] * count
        self._unanswered = count
        self._response: Message | None = None
        self.parts = [GroupPart(self, index) for index in range(count)]
        if not count:
            self._response = shape(())

    def take(self, index: int, answer: GroupResponse) -> None:
        """Keep one answer, and respond with the last."""
        assert self._answers[index] is None, "a part gets exactly one answer"
        self._answers[index] = answer
        self._unanswered -= 1
        if self._unanswered:
            return
        # Let go of, so that no cycle is left for the garbage collector.
        self.parts = []
        response = self._shape([one for one in self._answers if one is not None])
        if self._delivery is None:
            self._response = response
        else:
            self.finish(response)

    def reply(self) -> Message | Pending:
        """Give the response if it is there already."""
        return self if self._response is None else self._response

    def abandon(self) -> None:
        """Let the shards know that the connection is gone."""
        for part in self.parts:
            if part.parking is not None:
                part.parking.abandon(part)
