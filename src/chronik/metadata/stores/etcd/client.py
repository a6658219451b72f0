"""Requests to an etcd cluster: to any member, to another one if it fails, and never twice if that could write twice."""

import logging
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final

from chronik.metadata.stores.etcd.http import HTTP_OK, EtcdEndpoint, EtcdResponse, Json, NoAnswerError, NotSentError
from chronik.metadata.stores.etcd.wire import from_etcd
from chronik.metadata.stores.port import (
    LeaseEndedError,
    StoreClosedError,
    StoreError,
    StoreReplacedError,
    StoreUnavailable,
)
from chronik.model.ids import Revision

log = logging.getLogger(__name__)

READ_S_MAX: Final = 3.0
WRITE_S_MAX: Final = 8.0
"""Longer than etcd's own limit for a decision (7 s), so that etcd's error arrives."""

# gRPC codes that etcd uses.
INVALID_ARGUMENT: Final = 3
NOT_FOUND: Final = 5
OUT_OF_RANGE: Final = 11


class EtcdError(StoreError):
    """etcd rejected the request and did nothing."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"etcd refused: {message}")
        self.code = code


class EtcdClient:
    """The known members, and the one to ask first."""

    def __init__(self, endpoints: list[EtcdEndpoint]) -> None:
        self._endpoints = endpoints
        self._cluster_id: str | None = None
        self._closed = False
        self.revision = Revision(0)
        """The highest revision in any response."""
        self.on_revision: Callable[[Revision], None] = lambda revision: None

    def __str__(self) -> str:
        return ",".join(map(str, self._endpoints))

    async def read(self, path: str, payload: Json, timeout_s: float = READ_S_MAX) -> Json:
        """Send a request that is safe to repeat."""
        failures = []
        for endpoint in tuple(self._endpoints):
            try:
                return self._taken(await self._post(endpoint, path, payload, timeout_s))
            except StoreUnavailable as error:
                failures.append(str(error))
                self._ask_last(endpoint)
        raise StoreUnavailable("; ".join(failures))

    async def write(self, path: str, payload: Json) -> Json:
        """Send a write. Another member is tried only if the first cannot have received it."""
        failures = []
        for endpoint in tuple(self._endpoints):
            try:
                return self._taken(await self._post(endpoint, path, payload, WRITE_S_MAX))
            except _UnreachableError as error:
                failures.append(str(error))
                self._ask_last(endpoint)
            except StoreUnavailable:
                self._ask_last(endpoint)
                raise
        raise StoreUnavailable("; ".join(failures))

    async def stream(self, path: str, payload: Json) -> AsyncGenerator[Json, None]:
        """Send a request to one member and yield its stream of responses. Raise StoreUnavailable when it breaks."""
        self._check_open()
        endpoint = self._endpoints[0]
        try:
            async for answer in endpoint.stream(path, payload):
                yield self._taken(self._result(answer))
        except (NotSentError, NoAnswerError) as error:
            self._check_open()
            self._ask_last(endpoint)
            raise StoreUnavailable(f"etcd at {endpoint}: {error}") from error
        raise StoreUnavailable(f"etcd at {endpoint} ended the stream")

    @property
    def member_count(self) -> int:
        return len(self._endpoints)

    def end_streams(self) -> None:
        """End every stream so that it starts again: its member may have fallen behind."""
        for endpoint in self._endpoints:
            endpoint.end_streams()

    def close(self) -> None:
        self._closed = True
        for endpoint in self._endpoints:
            endpoint.close()

    async def _post(self, endpoint: EtcdEndpoint, path: str, payload: Json, timeout_s: float) -> Json:
        self._check_open()
        try:
            answer = await endpoint.post(path, payload, timeout_s)
        except NotSentError as error:
            self._check_open()
            raise _UnreachableError(str(error)) from error
        except NoAnswerError as error:
            raise StoreUnavailable(f"etcd at {endpoint}: {error}") from error
        return self._result(answer)

    def _result(self, answer: EtcdResponse) -> Json:
        problem = answer.body.get("error")
        if answer.status == HTTP_OK and problem is None:
            # Streamed responses, such as a watch, are wrapped once more than others.
            result: Json = answer.body.get("result", answer.body)
            return result
        raise _refusal(answer, problem)

    def _taken(self, result: Json) -> Json:
        """Check a response's cluster id, and note its revision."""
        header: Json = result.get("header", {})
        cluster_id = header.get("cluster_id")
        if cluster_id is not None and self._cluster_id not in (None, cluster_id):
            raise StoreReplacedError(f"etcd at {self} is now cluster {cluster_id}, and was {self._cluster_id}")
        self._cluster_id = cluster_id or self._cluster_id
        revision = from_etcd(header.get("revision", 0))
        if revision > self.revision:
            self.revision = revision
            self.on_revision(revision)
        return result

    def _ask_last(self, endpoint: EtcdEndpoint) -> None:
        """Ask the other members first from now on, and end the streams of this one."""
        endpoint.end_streams()
        self._endpoints.remove(endpoint)
        self._endpoints.append(endpoint)

    def _check_open(self) -> None:
        if self._closed:
            raise StoreClosedError("the metadata store is closed")


class _UnreachableError(StoreUnavailable):
    """Nothing was sent, so nothing was written."""


def _refusal(answer: EtcdResponse, problem: Any) -> StoreError:
    body: Json = problem if isinstance(problem, dict) else answer.body
    code = int(body.get("grpc_code") or body.get("code") or 0)
    message = str(body.get("message") or problem)
    if code == NOT_FOUND and "lease" in message:
        return LeaseEndedError(message)
    if code in (INVALID_ARGUMENT, NOT_FOUND, OUT_OF_RANGE):
        return EtcdError(code, message)
    return StoreUnavailable(f"etcd: {message} (status {answer.status}, code {code})")


async def connect(addresses: list[tuple[str, int]]) -> EtcdClient:
    """Connect; at least one member must answer."""
    client = EtcdClient([EtcdEndpoint(host, port) for host, port in addresses])
    try:
        await client.read("/v3/kv/range", {"key": "AA==", "count_only": True})
    except BaseException:
        client.close()
        raise
    return client
