"""Every broker that an answer names is reached through the proxy, and no version is offered that is not understood."""

from collections.abc import Callable
from typing import Final, Protocol

from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.constants import FINAL_FETCH_EPOCH, NO_FETCH_SESSION
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsResponse
from chronik.protocol.generated.describe_cluster import DescribeClusterResponse
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.protocol.generated.find_coordinator import FindCoordinatorResponse
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.generated.produce import ProduceResponse
from chronik.protocol.wire import Message

Address = tuple[str, int]
Place = Callable[[int, str, int], Address]
"""From a broker's number and its own address to the address before it."""

# They name no broker, so that they may pass as bytes in whatever version both ends speak.
PASSED_UNREAD: Final = frozenset(
    {
        ApiKey.ADD_PARTITIONS_TO_TXN,
        ApiKey.ADD_OFFSETS_TO_TXN,
        ApiKey.END_TXN,
        ApiKey.WRITE_TXN_MARKERS,
        ApiKey.TXN_OFFSET_COMMIT,
        ApiKey.CONSUMER_GROUP_HEARTBEAT,
        ApiKey.CONSUMER_GROUP_DESCRIBE,
        ApiKey.GET_TELEMETRY_SUBSCRIPTIONS,
        ApiKey.PUSH_TELEMETRY,
    }
)


class _Placed(Protocol):
    """What names a broker and where it is."""

    node_id: int
    host: str
    port: int


def rewrite(answer: Message, place: Place) -> None:
    """Put the proxy's addresses into an answer, and take out what cannot go through it."""
    match answer:
        case MetadataResponse():
            for broker in answer.brokers:
                _move(broker, place)
        case FindCoordinatorResponse():
            _move(answer, place)
            for coordinator in answer.coordinators:
                _move(coordinator, place)
        case DescribeClusterResponse():
            for member in answer.brokers:
                member.host, member.port = place(member.broker_id, member.host, member.port)
        case ProduceResponse():
            for node in answer.node_endpoints:
                _move(node, place)
        case FetchResponse():
            # A session would let answers leave out partitions that a fault has changed for this client.
            answer.session_id = NO_FETCH_SESSION
            for endpoint in answer.node_endpoints:
                _move(endpoint, place)
        case ApiVersionsResponse():
            answer.api_keys = [both for offered in answer.api_keys if (both := _understood(offered)) is not None]


def _move(placed: _Placed, place: Place) -> None:
    if placed.node_id >= 0 and placed.host:
        placed.host, placed.port = place(placed.node_id, placed.host, placed.port)


def _understood(offered: ApiVersion) -> ApiVersion | None:
    """Narrow what a broker offers to what is understood here as well; None if that is nothing."""
    if offered.api_key in PASSED_UNREAD:
        return offered
    known = SERVED.get(offered.api_key)
    if known is None or known.version_max < offered.min_version:
        return None
    highest = min(offered.max_version, known.version_max)
    return ApiVersion(api_key=offered.api_key, min_version=offered.min_version, max_version=highest)


def without_session(request: FetchRequest) -> None:
    """Ask the broker for everything each time, as a client without sessions does."""
    request.session_id = NO_FETCH_SESSION
    request.session_epoch = FINAL_FETCH_EPOCH
    request.forgotten_topics_data = []
