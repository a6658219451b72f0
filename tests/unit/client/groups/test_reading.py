"""Where a member begins to read: at the committed offset while the log has it, else as the reset says."""

import asyncio

import pytest

from chronik.client.cluster import Cluster
from chronik.client.errors import RefusedError
from chronik.client.groups.reading import GroupReading, plan_positions
from chronik.model.ids import TopicPartition
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.find_coordinator import Coordinator, FindCoordinatorResponse
from chronik.protocol.generated.offset_fetch import OffsetFetchResponse, OffsetFetchResponseGroup
from tests.unit.client.fake_broker import TOPIC, FakeBroker
from tests.unit.client.test_consumer import SETTINGS, fill

AT = TopicPartition("t", 0)
BOUNDS = {AT: (10, 20)}


@pytest.mark.parametrize("offset", [10, 15, 20])
@pytest.mark.parametrize("reset", ["earliest", "latest", "none"])
def test_a_committed_offset_within_the_log_is_taken_whatever_the_reset(offset: int, reset: str) -> None:
    assert plan_positions({AT: offset}, BOUNDS, reset) == {AT: offset}


@pytest.mark.parametrize("known", [{}, {AT: 9}, {AT: 21}], ids=["nothing committed", "expired", "beyond the end"])
def test_the_reset_decides_where_no_offset_serves(known: dict[TopicPartition, int]) -> None:
    assert plan_positions(known, BOUNDS, "earliest") == {AT: 10}
    assert plan_positions(known, BOUNDS, "latest") == {AT: 20}
    with pytest.raises(RefusedError, match="OFFSET_OUT_OF_RANGE"):
        plan_positions(known, BOUNDS, "none")


def test_records_that_expire_before_they_are_read_are_passed_over_as_the_reset_says() -> None:
    at = TopicPartition(TOPIC, 0)

    async def scenario() -> None:
        async with asyncio.timeout(60), FakeBroker() as broker, Cluster(broker.bootstrap, SETTINGS) as cluster:
            found = FindCoordinatorResponse(coordinators=[Coordinator(key="g", node_id=1)])
            nothing = OffsetFetchResponse(groups=[OffsetFetchResponseGroup(group_id="g")])
            broker.overrides[ApiKey.FIND_COORDINATOR] = lambda request, version: found
            broker.overrides[ApiKey.OFFSET_FETCH] = lambda request, version: nothing
            fill(broker, 0, 3)
            reading = GroupReading(cluster, "g", [at], "earliest")
            reading.deliver(await reading.next())
            assert reading.positions == {at: 3}
            fill(broker, 0, 6)
            broker.log_starts[0] = 6
            fetched = await reading.next()
            assert [record.offset for record in fetched.records()] == [6, 7, 8]
            await reading.close()

    asyncio.run(scenario())
