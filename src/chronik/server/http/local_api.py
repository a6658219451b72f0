"""The routes for data that only one broker has: its request times, its trace, the watermark history of a replica.

Every broker serves them: with ``node`` it forwards the request to that broker, and returns its response unchanged.
"""

from collections.abc import Mapping
from http import HTTPStatus
from time import time_ns
from typing import Any, Final
from urllib.parse import quote, urlencode

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.observability.trace import TraceEntry, as_json, matching
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse, json_response
from chronik.server.http.routes import Parameter, Route
from chronik.server.replicas.replica import Replica
from chronik.server.status.pacing import Pace
from chronik.server.status.peers import PeerError, ask
from chronik.server.status.sources import Sources

PathParts = Mapping[str, str]

EVENTS_LIMIT: Final = 1_000
EVENTS_LIMIT_MAX: Final = 5_000
_LOOKED_AT_ONCE: Final = 500
_LEADER: Final = "leader"
_NODE: Final = Parameter("node", "the id of the broker that responds; default: the broker that receives the request")
_NODE_OR_LEADER: Final = Parameter("node", "the id of the broker that responds, or 'leader' of topic and partition")
_LEADER_OR_NODE: Final = Parameter("node", "the id of the broker that responds; default: the leader of the partition")


class LocalApi:
    """Responds from this broker's own memory, or forwards the request."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def routes(self) -> tuple[Route, ...]:
        """Return the table of these routes."""
        return (
            Route(
                "/api/topics/{topic}/{partition}/watermarks",
                "The last advances of a partition's high watermark on one broker.",
                self.watermarks,
                "Watermarks",
                (_LEADER_OR_NODE,),
            ),
            Route(
                "/api/requests",
                "The requests of one broker by API: count, errors, and the time of each stage.",
                self.requests,
                "Requests",
                (_NODE,),
            ),
            Route(
                "/api/traces",
                "The trace events of one broker, oldest first.",
                self.traces,
                "Traces",
                (
                    Parameter("after", "only events with a larger sequence number", "integer"),
                    Parameter("limit", f"how many to return, at most {EVENTS_LIMIT_MAX}", "integer"),
                    Parameter("topic", "only events of this topic"),
                    Parameter("partition", "only events of this partition", "integer"),
                    Parameter("client", "only events of this client id; a * at its end matches any ending"),
                    Parameter("event", "only events with these names, separated by commas"),
                    _NODE_OR_LEADER,
                ),
            ),
        )

    # --- responding

    async def watermarks(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        """Return the watermark history of a replica, by default of the leader."""
        node = self._node(request) if "node" in request.query else self._leader(path["topic"], path["partition"])
        if node != self._sources.node_id:
            return await self._forward(request, node)
        index = int(path["partition"]) if path["partition"].isdecimal() else -1
        replica = self._sources.partitions.replica_by_name(path["topic"], index)
        if not isinstance(replica, Replica):
            raise HttpError(
                HTTPStatus.NOT_FOUND,
                f"broker {node} has no replica of {path['topic']}-{path['partition']}: {replica.name}",
                "See /api/topics for the partitions and their replicas.",
            )
        return json_response(
            {
                "topic": path["topic"],
                "partition": index,
                "node_id": node,
                "high_watermark": replica.high_watermark,
                "advances": (advance.as_json() for advance in replica.watermark_history()),
            }
        )

    async def requests(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        node = self._node(request)
        if node != self._sources.node_id:
            return await self._forward(request, node)
        return json_response({"node_id": node, **self._sources.metrics.requests_json()})

    async def traces(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        node = self._node(request)
        if node != self._sources.node_id:
            return await self._forward(request, node)
        return json_response(await self._trace(request.query))

    async def _trace(self, query: Mapping[str, str]) -> dict[str, Any]:
        tracer = self._sources.tracer
        after = int(query.get("after", -1))
        limit = min(max(int(query.get("limit", EVENTS_LIMIT)), 0), EVENTS_LIMIT_MAX)
        partition = int(query["partition"]) if "partition" in query else None
        wanted = matching(query.get("topic"), partition, query.get("client"), query.get("event"))
        pace = Pace()
        page = begun = tracer.events(after, _LOOKED_AT_ONCE)
        entries: list[TraceEntry] = []
        while page.entries and len(entries) < limit:
            entries += [entry for entry in page.entries if wanted is None or wanted(entry.event)]
            await pace.keep()
            page = tracer.events(page.next - 1, _LOOKED_AT_ONCE)
        following = entries[limit].seq if len(entries) > limit else page.next - len(page.entries)
        return {
            "node_id": begun.node,
            "started_ms": begun.started_ms,
            "first": begun.first,
            "switched_on": tracer.switched_on_seq,
            "next": following,
            "end": tracer.next_seq,
            "now_us": time_ns() // 1_000,
            "dropped": begun.dropped,
            "events": (as_json(begun.node, entry) for entry in entries[:limit]),
        }

    # --- which broker responds

    def _node(self, request: HttpRequest) -> BrokerId:
        asked = request.query.get("node")
        if asked is None:
            return self._sources.node_id
        if asked == _LEADER:
            return self._leader(request.query.get("topic", ""), request.query.get("partition", ""))
        node = BrokerId(int(asked)) if asked.isdecimal() else NO_BROKER
        if node not in self._image.brokers:
            known = ", ".join(map(str, sorted(self._image.brokers)))
            raise HttpError(HTTPStatus.NOT_FOUND, f"there is no broker {asked}", f"The brokers are: {known}.")
        return node

    def _leader(self, topic: str, partition: str) -> BrokerId:
        state = self._image.partition(topic, int(partition)) if partition.isdecimal() else None
        if state is None:
            raise HttpError(
                HTTPStatus.NOT_FOUND,
                f"there is no partition {topic}-{partition}",
                "See /api/topics for the topics.",
            )
        if state.leader == NO_BROKER:
            raise HttpError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"partition {topic}-{partition} has no leader now",
                f"Ask one of its replicas with node=ID: {', '.join(map(str, state.replicas))}.",
            )
        return state.leader

    @property
    def _image(self) -> Image:
        return self._sources.catalog.image

    async def _forward(self, request: HttpRequest, node: BrokerId) -> HttpResponse:
        broker = self._image.brokers.get(node)
        address = None if broker is None else broker.registration.http
        if address is None:
            raise HttpError(
                HTTPStatus.BAD_GATEWAY,
                f"broker {node} has no HTTP server",
                "Set chronik.http.listener in its settings to an address that this broker reaches.",
            )
        # The forwarded request names its receiver, which responds itself: so requests cannot go in a circle.
        target = f"{quote(request.path, safe='/%')}?{urlencode({**request.query, 'node': node})}"
        try:
            response = await ask(address, target)
        except PeerError as error:
            raise HttpError(
                HTTPStatus.BAD_GATEWAY, f"broker {node} does not response: {error}", "See /api/cluster for its state."
            ) from error
        return HttpResponse(response.status, response.body, response.content_type)
