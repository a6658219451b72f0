"""What only the broker knows that did it: its requests' times, its trace, a partition's watermark history.

Any broker can be asked: with ``node`` it asks the one that is meant, and gives its answer as it is.
"""

from collections.abc import Mapping
from http import HTTPStatus
from time import time_ns
from typing import Any, Final
from urllib.parse import quote, urlencode

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.observability.trace import Entry, as_json, matching
from chronik.server.http.responses import Answer, RefusedError, Request, json_answer
from chronik.server.http.routes import Parameter, Route
from chronik.server.replicas.replica import Replica
from chronik.server.status.pacing import Pace
from chronik.server.status.peers import PeerError, ask
from chronik.server.status.sources import Sources

Places = Mapping[str, str]

EVENTS_LIMIT: Final = 1_000
EVENTS_LIMIT_MAX: Final = 5_000
_LOOKED_AT_ONCE: Final = 500
_LEADER: Final = "leader"
_NODE: Final = Parameter("node", "ask this broker, by its number; without it, the one that is asked answers")
_NODE_OR_LEADER: Final = Parameter("node", "ask this broker, by its number, or 'leader': who leads topic and partition")
_LEADER_OR_NODE: Final = Parameter("node", "ask this broker, by its number; without it, whoever leads the partition")


class LocalApi:
    """Answers from this broker's own memory, or passes the question on."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def routes(self) -> tuple[Route, ...]:
        """Give the routes whose answers are one broker's."""
        return (
            Route(
                "/api/topics/{topic}/{partition}/watermarks",
                "The last advances of a partition's high watermark, as one broker saw them.",
                self.watermarks,
                "Watermarks",
                (_LEADER_OR_NODE,),
            ),
            Route(
                "/api/requests",
                "Requests of one broker by API: how many, with which errors, and how long each stage took.",
                self.requests,
                "Requests",
                (_NODE,),
            ),
            Route(
                "/api/traces",
                "Events of one broker's trace, oldest first.",
                self.traces,
                "Traces",
                (
                    Parameter("after", "only those with a larger number than this", "integer"),
                    Parameter("limit", f"how many to give, at most {EVENTS_LIMIT_MAX}", "integer"),
                    Parameter("topic", "only those of this topic"),
                    Parameter("partition", "only those of this partition", "integer"),
                    Parameter("client", "only those of this client id; a * at its end stands for any ending"),
                    Parameter("event", "only these events, by name, with commas between them"),
                    _NODE_OR_LEADER,
                ),
            ),
        )

    # --- answering

    async def watermarks(self, request: Request, places: Places) -> Answer:
        """Give the history of a partition's watermark; that of its leader is the one that counts."""
        node = self._node(request) if "node" in request.query else self._leader(places["topic"], places["partition"])
        if node != self._sources.node_id:
            return await self._passed_on(request, node)
        index = int(places["partition"]) if places["partition"].isdecimal() else -1
        replica = self._sources.partitions.replica_by_name(places["topic"], index)
        if not isinstance(replica, Replica):
            raise RefusedError(
                HTTPStatus.NOT_FOUND,
                f"broker {node} holds no replica of {places['topic']}-{places['partition']}: {replica.name}",
                "See /api/topics for what there is, and who holds it.",
            )
        return json_answer(
            {
                "topic": places["topic"],
                "partition": index,
                "node_id": node,
                "high_watermark": replica.high_watermark,
                "advances": (advance.as_json() for advance in replica.watermark_history()),
            }
        )

    async def requests(self, request: Request, places: Places) -> Answer:
        node = self._node(request)
        if node != self._sources.node_id:
            return await self._passed_on(request, node)
        return json_answer({"node_id": node, **self._sources.metrics.requests_json()})

    async def traces(self, request: Request, places: Places) -> Answer:
        node = self._node(request)
        if node != self._sources.node_id:
            return await self._passed_on(request, node)
        return json_answer(await self._trace(request.query))

    async def _trace(self, query: Mapping[str, str]) -> dict[str, Any]:
        tracer = self._sources.tracer
        after = int(query.get("after", -1))
        limit = min(max(int(query.get("limit", EVENTS_LIMIT)), 0), EVENTS_LIMIT_MAX)
        partition = int(query["partition"]) if "partition" in query else None
        wanted = matching(query.get("topic"), partition, query.get("client"), query.get("event"))
        pace = Pace()
        page = begun = tracer.events(after, _LOOKED_AT_ONCE)
        entries: list[Entry] = []
        while page.entries and len(entries) < limit:
            entries += [entry for entry in page.entries if wanted is None or wanted(entry.event)]
            await pace.keep()
            page = tracer.events(page.next - 1, _LOOKED_AT_ONCE)
        following = entries[limit].seq if len(entries) > limit else page.next - len(page.entries)
        return {
            "node_id": begun.node,
            "started_ms": begun.started_ms,
            "first": begun.first,
            "next": following,
            "end": tracer.next_seq,
            "now_us": time_ns() // 1_000,
            "dropped": begun.dropped,
            "events": (as_json(begun.node, entry) for entry in entries[:limit]),
        }

    # --- whose answer it is

    def _node(self, request: Request) -> BrokerId:
        asked = request.query.get("node")
        if asked is None:
            return self._sources.node_id
        if asked == _LEADER:
            return self._leader(request.query.get("topic", ""), request.query.get("partition", ""))
        node = BrokerId(int(asked)) if asked.isdecimal() else NO_BROKER
        if node not in self._image.brokers:
            known = ", ".join(map(str, sorted(self._image.brokers)))
            raise RefusedError(HTTPStatus.NOT_FOUND, f"there is no broker {asked}", f"The brokers are: {known}.")
        return node

    def _leader(self, topic: str, partition: str) -> BrokerId:
        state = self._image.partition(topic, int(partition)) if partition.isdecimal() else None
        if state is None:
            raise RefusedError(
                HTTPStatus.NOT_FOUND,
                f"there is no partition {topic}-{partition}",
                "See /api/topics for those that there are.",
            )
        if state.leader == NO_BROKER:
            raise RefusedError(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"partition {topic}-{partition} has no leader now",
                f"Ask one of its replicas with node=: {', '.join(map(str, state.replicas))}.",
            )
        return state.leader

    @property
    def _image(self) -> Image:
        return self._sources.catalog.image

    async def _passed_on(self, request: Request, node: BrokerId) -> Answer:
        broker = self._image.brokers.get(node)
        address = None if broker is None else broker.registration.http
        if address is None:
            raise RefusedError(
                HTTPStatus.BAD_GATEWAY,
                f"broker {node} has no HTTP side",
                "Set chronik.http.listener in its settings, to an address that this broker reaches.",
            )
        # It answers itself what is meant for it, whoever else might be meant by then: so nothing goes in a circle.
        target = f"{quote(request.path, safe='/%')}?{urlencode({**request.query, 'node': node})}"
        try:
            answer = await ask(address, target)
        except PeerError as error:
            raise RefusedError(
                HTTPStatus.BAD_GATEWAY, f"broker {node} does not answer: {error}", "See /api/cluster for its state."
            ) from error
        return Answer(answer.status, answer.body, answer.content_type)
