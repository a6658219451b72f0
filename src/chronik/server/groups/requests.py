"""Requests to the group coordinator. Each waits for its responses without a task, and is completed once."""

from collections.abc import Callable, Sequence
from typing import Protocol

from chronik.coordinator.responses import GroupResponse
from chronik.protocol.wire import Message
from chronik.server.network.pending_responses import Pending


class RequestHolder(Protocol):
    """The shard that holds a request until its response is ready."""

    def abandon(self, request: "GroupRequestHandle") -> None:
        """Drop a request whose connection is closed."""


class GroupRequestHandle(Protocol):
    """Identifies the request of a command, and receives its response."""

    holder: RequestHolder | None

    def __hash__(self) -> int:
        """Identify the request."""

    def complete(self, response: GroupResponse) -> None:
        """Accept the response, once."""


class _CoordinatorRequest(Pending):
    """Keeps a response that is ready before the handler returns, so that it needs no slot in its connection."""

    __slots__ = ("_response",)

    def __init__(self) -> None:
        super().__init__()
        self._response: Message | None = None

    def reply(self) -> Message | Pending:
        """Return the response if it is ready, else the request itself, whose response comes later."""
        return self if self._response is None else self._response

    def _respond(self, message: Message) -> None:
        if self._receiver is None and self._response is None:
            self._response = message
        else:
            self.finish(message)


class GroupRequest(_CoordinatorRequest):
    """A request with one command for one group."""

    __slots__ = ("_shape", "holder")

    def __init__(self, shape: Callable[[GroupResponse], Message]) -> None:
        super().__init__()
        self._shape = shape
        self.holder: RequestHolder | None = None

    def complete(self, response: GroupResponse) -> None:
        """Respond with the group's response."""
        self._respond(self._shape(response))

    def abandon(self) -> None:
        """Drop the request from its shard: the connection is closed."""
        if self.holder is not None:
            self.holder.abandon(self)


class GroupPart:
    """One command of a request that has commands for several groups or shards."""

    __slots__ = ("_index", "_whole", "holder")

    def __init__(self, whole: "GroupRequests", index: int) -> None:
        self._whole = whole
        self._index = index
        self.holder: RequestHolder | None = None

    def complete(self, response: GroupResponse) -> None:
        """Complete this part; the last part completes the request."""
        self._whole.complete(self._index, response)


class GroupRequests(_CoordinatorRequest):
    """A request that is complete when all of its parts are. Responses are in the order of the commands."""

    __slots__ = ("_missing", "_results", "_shape", "parts")

    def __init__(self, count: int, shape: Callable[[Sequence[GroupResponse]], Message]) -> None:
        super().__init__()
        self._shape = shape
        self._results: list[GroupResponse | None] = [None] * count
        self._missing = count
        self.parts = [GroupPart(self, index) for index in range(count)]
        if not count:
            self._respond(shape(()))

    def complete(self, index: int, response: GroupResponse) -> None:
        """Keep the response of one part, and complete the request with the last one."""
        assert self._results[index] is None, "a part gets exactly one response"
        self._results[index] = response
        self._missing -= 1
        if self._missing:
            return
        # The references are dropped, so that no cycle is left for the garbage collector.
        self.parts = []
        self._respond(self._shape([one for one in self._results if one is not None]))

    def abandon(self) -> None:
        """Drop the parts from their shards: the connection is closed."""
        for part in self.parts:
            if part.holder is not None:
                part.holder.abandon(part)
