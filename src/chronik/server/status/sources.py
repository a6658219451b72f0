"""The parts of a running broker that status, metrics and the HTTP server read from."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from chronik import __version__
from chronik.metadata.catalog import Catalog
from chronik.model.ids import BrokerId
from chronik.observability.metrics import BrokerMetrics
from chronik.observability.trace import Tracer
from chronik.server.cluster.controller import Controller
from chronik.server.cluster.membership import Membership
from chronik.server.groups.coordinator import GroupCoordinatorService
from chronik.server.loop.clock import now_ms
from chronik.server.network.listeners import Listeners
from chronik.server.produce.forwarding import Forwarder
from chronik.server.replicas.table import PartitionTable
from chronik.server.status.stalled import StalledWatermarks

_STATM: Final = Path("/proc/self/statm")
_PAGE_BYTES: Final = 4096


@dataclass(frozen=True, slots=True)
class Sources:
    """The broker, read-only."""

    node_id: BrokerId
    catalog: Catalog
    membership: Membership
    partitions: PartitionTable
    groups: GroupCoordinatorService
    listeners: Listeners
    stalled: StalledWatermarks
    metrics: BrokerMetrics
    tracer: Tracer
    forwarder: Forwarder
    controller: Controller
    kafka: str
    http: str | None
    rack: str | None
    started_ms: int = field(default_factory=now_ms)


def broker_head(sources: Sources) -> dict[str, Any]:
    """Return the status of this broker itself, without its partitions and groups."""
    image = sources.catalog.image
    return {
        "node_id": sources.node_id,
        "version": __version__,
        "cluster_id": image.cluster_id,
        "is_controller": image.controller is not None and image.controller.broker_id == sources.node_id,
        "state": "serving",
        "started_ms": sources.started_ms,
        "now_ms": now_ms(),
        "kafka": sources.kafka,
        "http": sources.http,
        "rack": sources.rack,
        "memory_bytes": memory_bytes(),
        "cpu_s": round(time.process_time(), 3),
        "connections": len(sources.listeners.connections),
        "loop_delay": {
            "last_ms": round(sources.metrics.loop.last_s * 1000, 1),
            "longest_minute_ms": round(sources.metrics.loop.longest_recent_s * 1000, 1),
        },
        "rates": sources.metrics.rates(),
    }


def memory_bytes() -> int | None:
    """Return the resident memory of this process; None on systems without /proc."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return None
