"""The first clients of a fresh broker that look for their groups, each at its own time."""

import time
from concurrent.futures import ThreadPoolExecutor

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.find_coordinator import FindCoordinatorRequest
from chronik.protocol.generated.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from tests.brokers import BrokerProcess
from tests.regressions.wire import Wire

CLIENTS = 40
APART_S = 0.005
"""The requests fall before, into and after the making of the topic and the opening of its fifty partitions."""


def test_a_coordinator_that_is_named_can_be_asked_at_once(broker: BrokerProcess) -> None:
    """Also while ``__consumer_offsets`` is being opened: librdkafka waits for 3 s where it is sent away."""

    def join(index: int) -> ErrorCode:
        time.sleep(index * APART_S)
        return _find_and_join(broker, f"group-{index}")

    with ThreadPoolExecutor(CLIENTS) as threads:
        errors = list(threads.map(join, range(CLIENTS)))
    assert errors == [ErrorCode.MEMBER_ID_REQUIRED] * CLIENTS


def _find_and_join(broker: BrokerProcess, group_id: str) -> ErrorCode:
    with Wire(broker.bootstrap) as wire:
        find = FindCoordinatorRequest(key_type=0, coordinator_keys=[group_id])
        found = wire.call(ApiKey.FIND_COORDINATOR, 4, find)
        assert found.coordinators[0].error_code == ErrorCode.NONE
        protocols = [JoinGroupRequestProtocol("range", b"")]
        join = JoinGroupRequest(group_id, 10_000, 10_000, protocol_type="consumer", protocols=protocols)
        return ErrorCode(wire.call(ApiKey.JOIN_GROUP, 9, join).error_code)
