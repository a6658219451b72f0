"""A member's access to its group's coordinator, which it finds again when it has moved."""

import itertools
from collections.abc import Callable
from typing import Final, TypeVar

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import RefusedError, UnreachableError, error_of
from chronik.client.groups.coordinators import coordinator_connection
from chronik.model.errors import ErrorCode
from chronik.protocol.wire import Message

R = TypeVar("R", bound=Message)

_MOVED: Final = frozenset({ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE})
_TRANSIENT: Final = _MOVED | {ErrorCode.COORDINATOR_LOAD_IN_PROGRESS}

_purposes = itertools.count()


class CoordinatorClient:
    """Sends one member's requests to the group's coordinator, on its own connection.

    A JoinGroup waits at the broker for all members, so two members on one connection would wait for each other.
    """

    def __init__(self, cluster: Cluster, group_id: str) -> None:
        self.group_id = group_id
        self._cluster = cluster
        self._purpose = f"group-{next(_purposes)}"
        self._connection: BrokerConnection | None = None

    async def call(
        self,
        request: Message,
        response: type[R],
        *,
        error_in: Callable[[R], int],
        version_max: int | None = None,
        timeout_s: float | None = None,
    ) -> R:
        """Send a request to the coordinator; retry while the response is a retriable coordinator error."""

        async def attempt() -> R:
            connection = await self.connection()
            version = connection.version_of(type(request), version_max)
            try:
                answer = await connection.call(request, response, version=version, timeout_s=timeout_s)
            except UnreachableError:
                self._connection = None
                raise
            self._check(error_in(answer))
            return answer

        return await self._cluster.retrying(attempt)

    async def connection(self) -> BrokerConnection:
        """Return the connection to the coordinator; find the coordinator if it is unknown."""
        if self._connection is None or not self._connection.is_open:
            self._connection = await coordinator_connection(self._cluster, self.group_id, self._purpose)
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()

    def _check(self, code: int) -> None:
        error = error_of(code)
        if error in _MOVED:
            self._connection = None
        if error in _TRANSIENT:
            raise RefusedError(error, f"group {self.group_id}")
