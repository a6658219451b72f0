"""Find the coordinators of groups, and send each coordinator one request about many groups.

Coordinators move and load. A request that is refused for this reason is sent again to the current coordinator until
``default.api.timeout.ms`` is over. Each group has its own result, so that one missing coordinator does not hide the
others.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Final, TypeAlias, TypeVar

from chronik.client.cluster import Cluster
from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError, RefusedError, UnreachableError, refusal
from chronik.model.errors import ErrorCode
from chronik.protocol.constants import FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS
from chronik.protocol.generated.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)

T = TypeVar("T")
Ask: TypeAlias = Callable[[BrokerConnection, list[str]], Awaitable[Mapping[str, T | RefusedError]]]

_KEY_IS_A_GROUP: Final = 0


async def coordinator_connection(cluster: Cluster, group: str, purpose: str = "") -> BrokerConnection:
    """Return the connection to a group's coordinator, retrying while there is none."""

    async def attempt() -> BrokerConnection:
        found = (await _locate(cluster, [group]))[group]
        if isinstance(found, RefusedError):
            raise found
        return await cluster.connection_to(found, purpose)

    return await cluster.retrying(attempt)


async def ask_coordinators(
    cluster: Cluster, groups: Iterable[str], ask: Ask[T], *, is_repeatable: bool = True
) -> dict[str, T | ClientError]:
    """Ask each group's coordinator; a request that is not ``is_repeatable`` is not repeated after a lost response."""
    done: dict[str, T | ClientError] = {}
    missing = list(dict.fromkeys(groups))
    if not missing:
        return done

    async def attempt() -> None:
        done.update(await _ask_once(cluster, missing, ask))
        missing[:] = [group for group in missing if _may_change(done[group], is_repeatable)]
        for group in missing:
            refused = done[group]
            assert isinstance(refused, ClientError)
            raise refused

    try:
        await cluster.retrying(attempt)
    except ClientError as error:
        for group in missing:
            done.setdefault(group, error)
    return done


def _may_change(result: object, is_repeatable: bool) -> bool:
    if isinstance(result, UnreachableError):
        return is_repeatable
    return isinstance(result, RefusedError) and result.error.is_retriable


async def _ask_once(cluster: Cluster, groups: Sequence[str], ask: Ask[T]) -> dict[str, T | ClientError]:
    done: dict[str, T | ClientError] = {}
    by_node: dict[int, list[str]] = {}
    for group, found in (await _locate(cluster, groups)).items():
        if isinstance(found, RefusedError):
            done[group] = found
        else:
            by_node.setdefault(found, []).append(group)
    answers = await asyncio.gather(*(_ask_one(cluster, node_id, asked, ask) for node_id, asked in by_node.items()))
    for answer in answers:
        done.update(answer)
    return done


async def _ask_one(cluster: Cluster, node_id: int, groups: list[str], ask: Ask[T]) -> dict[str, T | ClientError]:
    try:
        connection = await cluster.connection_to(node_id)
        answers = await ask(connection, groups)
    except ClientError as error:
        return dict.fromkeys(groups, error)
    return {group: answers.get(group, _left_out(connection, group)) for group in groups}


def _left_out(connection: BrokerConnection, group: str) -> RefusedError:
    where = f"group {group}"
    return RefusedError(ErrorCode.UNKNOWN_SERVER_ERROR, where, f"the answer of {connection.where} does not speak of it")


async def _locate(cluster: Cluster, groups: Sequence[str]) -> dict[str, int | RefusedError]:
    """Return the node ids of coordinators: in one request, or one by one with an older broker."""
    connection = await cluster.any_connection()
    if connection.version_of(FindCoordinatorRequest) >= FIND_COORDINATOR_FIRST_VERSION_WITH_KEYS:
        request = FindCoordinatorRequest(key_type=_KEY_IS_A_GROUP, coordinator_keys=list(groups))
        coordinators = (await connection.call(request, FindCoordinatorResponse)).coordinators
    else:
        coordinators = [await _locate_one(connection, group) for group in groups]
    found = {coordinator.key: _node_of(coordinator) for coordinator in coordinators}
    if any(isinstance(node_id, int) and node_id not in cluster.view.brokers for node_id in found.values()):
        await cluster.refresh(())
    return {group: found.get(group, _left_out(connection, group)) for group in groups}


async def _locate_one(connection: BrokerConnection, group: str) -> Coordinator:
    request = FindCoordinatorRequest(key=group, key_type=_KEY_IS_A_GROUP)
    answer = await connection.call(request, FindCoordinatorResponse)
    return Coordinator(
        key=group, node_id=answer.node_id, error_code=answer.error_code, error_message=answer.error_message
    )


def _node_of(coordinator: Coordinator) -> int | RefusedError:
    refused = refusal(coordinator.error_code, f"group {coordinator.key}", coordinator.error_message)
    return coordinator.node_id if refused is None else refused
