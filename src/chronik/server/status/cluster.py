"""The whole cluster as one broker sees it: the image, and what each broker tells of itself, joined.

The others are asked when somebody wants to know, all at once, and what they say is shared by all who ask within half
a second. One that does not answer is shown as silent; what the image knows of it stays.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.metadata.image.image import BrokerImage, Image
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.server.loop.clock import now_ms, steady_ms
from chronik.server.settings.listeners import is_loopback, parse_address
from chronik.server.status.lag import lag_of
from chronik.server.status.local import group_facts, partition_facts
from chronik.server.status.pacing import Pace
from chronik.server.status.peers import PeerError, ask_lines
from chronik.server.status.sources import Sources, broker_head
from chronik.server.status.totals import Tally, tallied

Json = dict[str, Any]
SHARED_MS: Final = 500
PEER_TARGET: Final = "/api/broker?form=lines"


@dataclass(slots=True)
class Told:
    """What one broker told of itself."""

    head: Json = field(default_factory=dict)
    topic_bytes_in: dict[str, float] = field(default_factory=dict)
    partitions: list[Json] = field(default_factory=list)
    groups: list[Json] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class BrokerView:
    """A broker as the one that is asked sees it."""

    node_id: int
    is_registered: bool
    head: Json | None = None
    """What it told, where it did."""
    silent_for_ms: int = 0
    """Since when it has not answered, or not been registered; 0 where it answers, or cannot be asked."""
    why_unseen: str | None = None
    """Why it cannot be asked."""
    kafka: str | None = None
    http: str | None = None
    rack: str | None = None


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """Everything that is known of the cluster at one moment."""

    asked: int
    now_ms: int
    image: Image
    brokers: tuple[BrokerView, ...]
    partitions: dict[tuple[str, int], Json]
    """Each as its leader sees it, or who knows most of it, with ``replica_ends``."""
    groups: tuple[Json, ...]
    topic_bytes_in: Mapping[str, float]
    tally: Tally
    taken_ms: int = field(default_factory=steady_ms)
    """When it was taken, by the steady clock."""

    @property
    def controller(self) -> int | None:
        return None if self.image.controller is None else self.image.controller.broker_id


def own_lines(sources: Sources) -> Iterator[Json]:
    """Give all that this broker knows by itself: first itself, then each replica, then each group."""
    yield {"broker": broker_head(sources)}
    yield {"topic_bytes_in": sources.metrics.topic_bytes_in()}
    for partition in partition_facts(sources.partitions, sources.catalog.image, sources.standing):
        yield {"partition": partition.as_json()}
    for group in group_facts(sources.groups, sources.partitions):
        yield {"group": group.as_json()}


class ClusterWatch:
    """Asks everybody at most twice a second, and knows who has not answered and since when."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._facts: ClusterFacts | None = None
        self._asking: asyncio.Task[ClusterFacts] | None = None
        self._silent_since: dict[int, int] = {}
        self._gone_since: dict[int, int] = {}
        self._started_ms = steady_ms()
        sources.catalog.subscribe(self._on_image)

    def _on_image(self, before: Image, after: Image) -> None:
        if after.brokers is not before.brokers:
            for node in before.brokers.keys() - after.brokers.keys():
                self._gone_since[node] = steady_ms()
            for node in after.brokers:
                self._gone_since.pop(node, None)

    async def facts(self) -> ClusterFacts:
        """Give what is known now; what is not older than half a second counts as now."""
        if self._facts is not None and steady_ms() - self._facts.taken_ms < SHARED_MS:
            return self._facts
        if self._asking is None:
            self._asking = asyncio.create_task(self._take(), name="cluster facts")
            self._asking.add_done_callback(self._on_taken)
        return await asyncio.shield(self._asking)

    def _on_taken(self, task: "asyncio.Task[ClusterFacts]") -> None:
        self._asking = None
        if not task.cancelled() and task.exception() is None:
            self._facts = task.result()

    async def _take(self) -> ClusterFacts:
        image = self._sources.catalog.image
        others = [node for node in image.brokers if node != self._sources.node_id]
        answers = await asyncio.gather(self._own(), *(self._ask(image, node) for node in others))
        told = {self._sources.node_id: answers[0]} | dict(zip(others, answers[1:], strict=True))
        heard = {node: each for node, each in told.items() if each is not None}
        partitions = await _joined_partitions(image, heard)
        tally = await tallied(partitions)
        # Everybody who is registered, and everybody who should hold something.
        nodes = sorted({*image.brokers, *map(BrokerId, tally.replicas)})
        groups = [group async for group in _joined_groups(heard, partitions)]
        bytes_in = Counter[str]()
        for each in heard.values():
            bytes_in.update(each.topic_bytes_in)
        return ClusterFacts(
            asked=self._sources.node_id,
            now_ms=now_ms(),
            image=image,
            brokers=tuple(self._view(image, node, told.get(node)) for node in nodes),
            partitions=partitions,
            groups=tuple(groups),
            topic_bytes_in=bytes_in,
            tally=tally,
        )

    async def _own(self) -> Told:
        return await _sorted_lines(own_lines(self._sources))

    async def _ask(self, image: Image, node: BrokerId) -> Told | None:
        address = image.brokers[node].registration.http
        if address is None or self._why_unseen(image.brokers[node]) is not None:
            return None
        began = steady_ms()
        try:
            lines = await ask_lines(address, PEER_TARGET)
            told = await _sorted_lines(iter(lines))
            check_identity(told, node, image.cluster_id)
        except PeerError:
            self._silent_since.setdefault(node, began)
            return None
        self._silent_since.pop(node, None)
        return told

    def _why_unseen(self, broker: BrokerImage) -> str | None:
        host = broker.registration.endpoints[0].host if broker.registration.endpoints else ""
        own = self._sources.kafka.rpartition(":")[0].strip("[]")
        return why_unreachable(broker.registration.http, host, own)

    def _view(self, image: Image, node: BrokerId, told: Told | None) -> BrokerView:
        broker = image.brokers.get(node)
        if broker is None:
            gone_ms = steady_ms() - self._gone_since.get(node, self._started_ms)
            return BrokerView(node, is_registered=False, silent_for_ms=gone_ms)
        since = self._silent_since.get(node) if told is None else None
        endpoint = broker.registration.endpoints[0] if broker.registration.endpoints else None
        return BrokerView(
            node,
            is_registered=True,
            head=None if told is None else told.head,
            silent_for_ms=0 if since is None else steady_ms() - since,
            why_unseen=None if node == self._sources.node_id else self._why_unseen(broker),
            kafka=None if endpoint is None else f"{endpoint.host}:{endpoint.port}",
            http=broker.registration.http,
            rack=broker.rack,
        )


def why_unreachable(http: str | None, kafka_host: str, own_kafka_host: str) -> str | None:
    """Say why a broker's HTTP side cannot be asked from here, or None where it can be tried."""
    if http is None:
        return "it serves no HTTP, so that what it alone knows is not shown: set chronik.http.listener there"
    if is_loopback(parse_address(http).host) and kafka_host != own_kafka_host:
        return (
            f"it serves HTTP at {http}, which only its own machine reaches, so that what it alone knows is not shown: "
            "set chronik.http.listener there to an address of that machine"
        )
    return None


def check_identity(told: Told, node: int, cluster_id: str | None) -> None:
    """Refuse the answer of somebody else: 127.0.0.1 of another machine is this one."""
    if told.head.get("node_id") != node or told.head.get("cluster_id") != cluster_id:
        raise PeerError(f"broker {told.head.get('node_id')} answered where broker {node} should be")


async def _sorted_lines(lines: Iterator[Json]) -> Told:
    told = Told()
    pace = Pace()
    for line in lines:
        if "partition" in line:
            told.partitions.append(line["partition"])
        elif "group" in line:
            told.groups.append(line["group"])
        elif "topic_bytes_in" in line:
            told.topic_bytes_in = line["topic_bytes_in"]
        elif "broker" in line:
            told.head = line["broker"]
        await pace.keep()
    return told


# --- partitions


async def _joined_partitions(image: Image, told: Mapping[BrokerId, Told]) -> dict[tuple[str, int], Json]:
    pace = Pace()
    of_replicas: dict[tuple[str, int], dict[int, Json]] = {}
    for node, each in told.items():
        for replica in each.partitions:
            of_replicas.setdefault((replica["topic"], replica["partition"]), {})[node] = replica
            await pace.keep()
    joined: dict[tuple[str, int], Json] = {}
    for topic, index, _ in image.all_partitions():
        key = (topic.name, index)
        joined[key] = _joined(image, key, of_replicas.get(key, {}))
        await pace.keep()
    return joined


def _joined(image: Image, key: tuple[str, int], replicas: Mapping[int, Json]) -> Json:
    """Take the leader's view, or that of whoever knows most, or the image alone."""
    topic = image.topics[key[0]]
    state = topic.partitions[key[1]]
    ends = {str(node): replicas[node]["log_end"] for node in sorted(replicas)}
    leading = replicas.get(state.leader)
    if leading is not None:
        return {**leading, "replica_ends": ends, "seen_by": state.leader}
    seen_by = max(replicas, key=lambda node: replicas[node]["high_watermark"] or 0, default=None)
    seen = {} if seen_by is None else replicas[seen_by]
    return {
        "topic": topic.name,
        "topic_id": str(topic.id),
        "partition": key[1],
        "role": "offline" if state.leader == NO_BROKER else "leader",
        "leader": state.leader,
        "leader_epoch": state.leader_epoch,
        "replicas": state.replicas,
        "isr": state.isr,
        "elr": state.elr,
        "required_in_sync": state.required_in_sync,
        "log_start": seen.get("log_start"),
        "high_watermark": seen.get("high_watermark"),
        "last_stable_offset": seen.get("last_stable_offset"),
        "log_end": seen.get("log_end"),
        "lag": None,
        "size_bytes": seen.get("size_bytes"),
        "stands_for_ms": 0,
        "followers": [],
        "why_offline": "it has no leader" if state.leader == NO_BROKER else None,
        "replica_ends": ends,
        "seen_by": seen_by,
    }


# --- groups


async def _joined_groups(
    told: Mapping[BrokerId, Told], partitions: Mapping[tuple[str, int], Json]
) -> AsyncIterator[Json]:
    pace = Pace()
    for node in sorted(told):
        for group in told[node].groups:
            offsets = []
            for position in group["offsets"]:
                offsets.append(_with_lag(position, partitions.get((position["topic"], position["partition"]))))
                await pace.keep()
            lag = sum(position["lag"] or 0 for position in offsets)
            yield {**group, "coordinator": node, "offsets": offsets, "lag": lag}


def _with_lag(position: Json, partition: Json | None) -> Json:
    """Count from the leader's watermark: a coordinator may hold no copy, or one that lags."""
    if partition is None or partition["high_watermark"] is None or partition["log_start"] is None:
        return position
    start, end = partition["log_start"], partition["high_watermark"]
    lag = lag_of(position["committed"], start, end)
    return {**position, "log_start": start, "end": end, "lag": lag.messages, "why": lag.why}
