"""The arguments of a handler beside the request: its context, and the broker's services."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple

from chronik.metadata.catalog import Catalog
from chronik.model.ids import BrokerId
from chronik.observability.metrics import BrokerMetrics
from chronik.observability.trace import Tracer
from chronik.protocol.wire import Message
from chronik.server.cluster.membership import Membership
from chronik.server.cluster.producer_ids import ProducerIdSource
from chronik.server.fetch.sessions import FetchSessions
from chronik.server.groups.coordinator import GroupCoordinatorService
from chronik.server.network.pending_responses import Pending
from chronik.server.network.response_memory import ResponseMemory
from chronik.server.produce.router import ProduceRouter
from chronik.server.replicas.housekeeping import Housekeeping
from chronik.server.replicas.table import PartitionTable
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.warn_once import Notices
from chronik.server.settings.server import Settings
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.server.views.metadata_responses import MetadataCache


class RequestContext(NamedTuple):
    """The version, client and listener of a request."""

    version: int
    client_id: str | None
    listener: str
    peer: str
    correlation_id: int = -1

    @property
    def client_host(self) -> str:
        """The peer's address, as Kafka shows it for members of a group."""
        return f"/{self.peer.rpartition(':')[0]}"


@dataclass(frozen=True, slots=True)
class Services:
    """The parts of the broker that handlers use."""

    loop: asyncio.AbstractEventLoop
    settings: Settings
    node_id: BrokerId
    catalog: Catalog
    configs: TopicConfigs
    partitions: PartitionTable
    housekeeping: Housekeeping
    writes: StagedWrites
    sessions: FetchSessions
    producer_ids: ProducerIdSource
    response_memory: ResponseMemory
    notices: Notices
    groups: GroupCoordinatorService
    produce_router: ProduceRouter
    metadata_cache: MetadataCache
    membership: Membership
    tracer: Tracer
    metrics: BrokerMetrics


Reply = Message | Pending | Coroutine[Any, Any, Message]
