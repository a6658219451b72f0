"""Whatever names a broker names the proxy's port for it, and what is offered is understood."""

from chronik.protocol.apis import SERVED, ApiKey
from chronik.protocol.generated.api_versions import ApiVersion, ApiVersionsResponse
from chronik.protocol.generated.describe_cluster import DescribeClusterBroker, DescribeClusterResponse
from chronik.protocol.generated.fetch import FetchRequest, FetchResponse
from chronik.protocol.generated.fetch import NodeEndpoint as FetchNode
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorResponse
from chronik.protocol.generated.metadata import MetadataResponse, MetadataResponseBroker
from chronik.protocol.generated.produce import NodeEndpoint as ProduceNode
from chronik.protocol.generated.produce import ProduceResponse
from chronik.protocol.wire import Message
from chronik.proxy.addresses import rewrite, without_session
from chronik.proxy.exchange import SeenTopics
from chronik.proxy.faults.responses import ListOneBroker
from tests.audit.proxy.exchanges import exchange_of

SHARE_FETCH = 78


def place(node: int, host: str, port: int) -> tuple[str, int]:
    assert (host, port) == ("behind", 9092)
    return "127.0.0.1", 1000 + node


def test_every_answer_that_names_a_broker_is_rewritten() -> None:
    named: list[tuple[Message, object]] = []
    metadata = MetadataResponse(brokers=[MetadataResponseBroker(2, "behind", 9092)])
    named.append((metadata, metadata.brokers[0]))
    old = FindCoordinatorResponse(node_id=2, host="behind", port=9092)
    named.append((old, old))
    new = FindCoordinatorResponse(coordinators=[Coordinator("g", 2, "behind", 9092)])
    named.append((new, new.coordinators[0]))
    described = DescribeClusterResponse(brokers=[DescribeClusterBroker(2, "behind", 9092)])
    named.append((described, described.brokers[0]))
    produced = ProduceResponse(node_endpoints=[ProduceNode(2, "behind", 9092)])
    named.append((produced, produced.node_endpoints[0]))
    fetched = FetchResponse(node_endpoints=[FetchNode(2, "behind", 9092)])
    named.append((fetched, fetched.node_endpoints[0]))
    for answer, one in named:
        rewrite(answer, place)
        assert (getattr(one, "host"), getattr(one, "port")) == ("127.0.0.1", 1002), answer  # noqa: B009


def test_a_coordinator_that_is_not_known_gets_no_port() -> None:
    answer = FindCoordinatorResponse(error_code=15, node_id=-1, host="", port=-1)
    rewrite(answer, place)
    assert answer.node_id == -1
    assert answer.host == ""


def test_no_version_is_offered_beyond_what_is_understood() -> None:
    fetch_max = SERVED[ApiKey.FETCH].version_max
    offered = [
        ApiVersion(ApiKey.FETCH, 4, fetch_max + 3),
        ApiVersion(ApiKey.METADATA, 0, 5),
        ApiVersion(ApiKey.END_TXN, 0, 99),
        ApiVersion(SHARE_FETCH, 1, 1),
        ApiVersion(ApiKey.LIST_OFFSETS, 90, 91),
    ]
    answer = ApiVersionsResponse(api_keys=offered)
    rewrite(answer, place)
    left = {one.api_key: (one.min_version, one.max_version) for one in answer.api_keys}
    assert left == {ApiKey.FETCH: (4, fetch_max), ApiKey.METADATA: (0, 5), ApiKey.END_TXN: (0, 99)}


def test_fetch_sessions_are_off_on_both_sides() -> None:
    request = FetchRequest(session_id=0, session_epoch=0)
    without_session(request)
    assert (request.session_id, request.session_epoch) == (0, -1)
    answer = FetchResponse(session_id=77)
    rewrite(answer, place)
    assert answer.session_id == 0


def test_one_broker_is_listed_whoever_asks() -> None:
    metadata = MetadataResponse(brokers=[MetadataResponseBroker(node, "behind", 9092) for node in (1, 2, 3)])
    described = DescribeClusterResponse(brokers=[DescribeClusterBroker(node, "behind", 9092) for node in (1, 2, 3)])
    for answer in (metadata, described):
        ListOneBroker(2).on_answer(exchange_of(FetchRequest(), SeenTopics()), answer)
    assert [broker.node_id for broker in metadata.brokers] == [2]
    assert [broker.broker_id for broker in described.brokers] == [2]
