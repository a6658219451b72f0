"""Unclean recovery (KIP-966): the controller elects a leader when every member of the last ISR may have lost data.

After lossy restarts of all members of a partition's last ISR, ISR and ELR are empty, and ``last_known`` names the
members. The controller waits until all of them are registered, asks each for its log end, and elects the replica with
the highest one. Acknowledged records may be missing then, and the log says so.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from chronik.client.connection import BrokerConnection
from chronik.client.errors import ClientError
from chronik.client.settings import ClientSettings
from chronik.metadata.catalog import Catalog
from chronik.metadata.decisions.leaders import LogEnd, plan_unclean_recovery
from chronik.metadata.image.image import Image, PartitionImage
from chronik.metadata.stores.plan import Refusal
from chronik.metadata.stores.port import StoreError
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, Offset, TopicId, TopicPartition
from chronik.protocol.constants import DEBUGGING_CONSUMER_ID, LATEST_TIMESTAMP
from chronik.protocol.generated.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from chronik.server.cluster.controller import Controller

log = logging.getLogger(__name__)

RETRY_S: Final = 0.3
ANSWER_S_MAX: Final = 5.0
PARTITIONS_PER_REQUEST_MAX: Final = 1_000
AT_ONCE_MAX: Final = 32
RETRIED: Final = (ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, ErrorCode.NOT_CONTROLLER)


class LeaderlessPartition(NamedTuple):
    """A partition with empty ISR and ELR, and the live replicas to query for their log ends."""

    topic_id: TopicId
    place: TopicPartition
    replicas: tuple[BrokerId, ...]


Ends = dict[TopicPartition, dict[BrokerId, LogEnd]]


class UncleanRecovery:
    """Elects leaders of leaderless partitions while this broker is the controller."""

    def __init__(self, catalog: Catalog, duty: Controller, listener: str) -> None:
        self._catalog = catalog
        self._duty = duty
        self._listener = listener
        self._settings = ClientSettings(client_id="chronik-controller", connect_timeout_ms=int(ANSWER_S_MAX * 1000))
        self._wake = asyncio.Event()
        self._wake.set()
        catalog.subscribe(self._on_image)

    async def run(self) -> None:
        """Recover leaderless partitions on each new image; try again later where a replica did not answer."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._duty.is_controller and not await self._recover():
                await asyncio.sleep(RETRY_S)
                self._wake.set()

    async def _recover(self) -> bool:
        """Elect leaders where all replicas have answered; return False if it must be tried again."""
        waiting = list(leaderless_partitions(self._catalog.image))
        if not waiting:
            return True
        ends = await self._ask(waiting)
        recovered: list[bool] = []
        for start in range(0, len(waiting), AT_ONCE_MAX):
            some = waiting[start : start + AT_ONCE_MAX]
            recovered += await asyncio.gather(*(self._elect(one, ends.get(one.place, {})) for one in some))
        return all(recovered)

    async def _elect(self, one: LeaderlessPartition, ends: Mapping[BrokerId, LogEnd]) -> bool:
        try:
            elected = await self._catalog.carry_out(
                lambda image: plan_unclean_recovery(image, one.topic_id, one.place.partition, ends)
            )
        except StoreError as error:
            log.warning("%s: no leader could be elected: %s", one.place, error)
            return False
        if isinstance(elected, Refusal):
            return elected.error not in RETRIED
        log.error(
            "%s may have lost acknowledged records: every replica that held them was restarted in a way that may "
            "have lost the end of its log. The replica with the highest log end leads now. The log ends were: %s",
            one.place,
            ", ".join(f"broker {broker}: {end.offset} (epoch {end.epoch})" for broker, end in sorted(ends.items())),
        )
        return True

    # --- asking

    async def _ask(self, waiting: Iterable[LeaderlessPartition]) -> Ends:
        wanted: dict[BrokerId, list[TopicPartition]] = defaultdict(list)
        for one in waiting:
            for broker in one.replicas:
                wanted[broker].append(one.place)
        ends: Ends = defaultdict(dict)
        answers = await asyncio.gather(*(self._ask_broker(broker, places) for broker, places in wanted.items()))
        for broker, answer in zip(wanted, answers, strict=True):
            for place, end in answer.items():
                ends[place][broker] = end
        return ends

    async def _ask_broker(self, broker_id: BrokerId, places: list[TopicPartition]) -> dict[TopicPartition, LogEnd]:
        broker = self._catalog.image.brokers.get(broker_id)
        endpoint = None if broker is None else broker.endpoint(self._listener)
        if broker is None or endpoint is None:
            return {}
        found: dict[TopicPartition, LogEnd] = {}
        try:
            connection = await BrokerConnection.open(endpoint.host, endpoint.port, self._settings)
            try:
                for start in range(0, len(places), PARTITIONS_PER_REQUEST_MAX):
                    some = places[start : start + PARTITIONS_PER_REQUEST_MAX]
                    found |= await _list_ends(connection, some, broker.broker_epoch)
            finally:
                connection.close()
        except ClientError as error:
            log.warning("broker %d does not return its log ends, and the election waits for it: %s", broker_id, error)
        return found

    def _on_image(self, before: Image, after: Image) -> None:
        if after.unsettled:
            self._wake.set()


def leaderless_partitions(image: Image) -> Iterable[LeaderlessPartition]:
    """Yield the leaderless partitions whose last known members are all registered."""
    for topic, index, partition in image.unsettled_partitions():
        if _is_leaderless(partition) and all(broker in image.brokers for broker in partition.last_known):
            there = tuple(broker for broker in partition.replicas if broker in image.brokers)
            yield LeaderlessPartition(topic.id, TopicPartition(topic.name, index), there)


def _is_leaderless(partition: PartitionImage) -> bool:
    return partition.leader == NO_BROKER and not partition.isr and not partition.elr and bool(partition.last_known)


async def _list_ends(
    connection: BrokerConnection, places: Iterable[TopicPartition], broker_epoch: BrokerEpoch
) -> dict[TopicPartition, LogEnd]:
    answer = await connection.call(_question(places), ListOffsetsResponse, timeout_s=ANSWER_S_MAX)
    return {
        TopicPartition(topic.name, one.partition_index): LogEnd(
            LeaderEpoch(one.leader_epoch), Offset(one.offset), broker_epoch
        )
        for topic in answer.topics
        for one in topic.partitions
        if one.error_code == ErrorCode.NONE
    }


def _question(places: Iterable[TopicPartition]) -> ListOffsetsRequest:
    by_topic: dict[str, list[ListOffsetsPartition]] = defaultdict(list)
    for place in places:
        by_topic[place.topic].append(ListOffsetsPartition(place.partition, timestamp=LATEST_TIMESTAMP))
    topics = [ListOffsetsTopic(name, partitions) for name, partitions in by_topic.items()]
    return ListOffsetsRequest(replica_id=DEBUGGING_CONSUMER_ID, topics=topics)
