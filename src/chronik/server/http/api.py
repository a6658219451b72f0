"""The routes for the broker's health, its metrics, its own status, and the status of the whole cluster."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from chronik.metadata.image.image import TopicImage
from chronik.server.http import cluster_responses as cluster_responses
from chronik.server.http.responses import HttpError, HttpRequest, HttpResponse, json_response, lines_response
from chronik.server.http.routes import Parameter, Route
from chronik.server.http.server import live
from chronik.server.status.cluster import ClusterPoller, ClusterStatus, own_lines
from chronik.server.status.local import group_statuses, replica_statuses
from chronik.server.status.sources import Sources, broker_head

PathParts = Mapping[str, str]

PAGE_LIMIT: Final = 100
PAGE_LIMIT_MAX: Final = 1_000


class ClusterApi:
    """Responds from the status of this broker and of the brokers that it polls."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.poller = ClusterPoller(sources)
        # Imported here: its library loads slowly, and a broker without HTTP server does not need it.
        from chronik.server.metrics.exposition import CONTENT_TYPE, Exposition

        self._exposition, self._metrics_type = Exposition(sources, self.poller), CONTENT_TYPE

    def routes(self) -> tuple[Route, ...]:
        """Return the table of these routes."""
        return (
            Route("/live", "Whether the process runs and its event loop turns.", self.live, "Live"),
            Route(
                "/ready",
                "Whether the broker has joined the cluster and can serve every partition that it leads.",
                self.ready,
                "Ready",
                may_be_unready=True,
            ),
            Route(
                "/metrics",
                "All metrics, in Prometheus' text format.",
                self.metrics,
                content_type="text/plain",
            ),
            Route(
                "/api/broker",
                "The status of this broker: its replicas, and the groups that it coordinates.",
                self.broker,
                "Broker",
                (Parameter("form", "lines: one JSON object in each line", choices=("document", "lines")),),
            ),
            Route("/api/cluster", "An overview of the whole cluster, and its faults.", self.cluster, "Cluster"),
            Route("/api/topics", "A summary of every topic.", self.topics, "Topics"),
            Route("/api/topics/{topic}", "One topic with its configs and partitions.", self.topic, "Topic"),
            Route("/api/topics/{topic}/{partition}", "One partition.", self.partition, "Partition"),
            Route(
                "/api/partitions",
                "Partitions of the whole cluster, sorted, a page at a time.",
                self.partitions,
                "Partitions",
                (
                    Parameter("topic", "only partitions of this topic"),
                    Parameter("contains", "only partitions of topics whose name contains this"),
                    Parameter("sort", "by name, or the largest lag first", choices=("name", "lag")),
                    Parameter("fault", "1: only partitions with a fault", choices=("0", "1")),
                    Parameter("offset", "how many to skip", "integer"),
                    Parameter("limit", f"how many to return, at most {PAGE_LIMIT_MAX}", "integer"),
                ),
            ),
            Route("/api/groups", "A summary of every group.", self.groups, "Groups"),
            Route("/api/groups/{group}", "One group with its members, committed offsets and lag.", self.group, "Group"),
        )

    # --- health

    async def live(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        return live()

    async def ready(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        """Return whether clients can be sent to this broker, and why not."""
        why_not = self._not_ready_reasons()
        status = HTTPStatus.SERVICE_UNAVAILABLE if why_not else HTTPStatus.OK
        return json_response({"ready": not why_not, "why_not": why_not}, status)

    def _not_ready_reasons(self) -> list[str]:
        sources = self._sources
        if sources.membership.lease is None:
            return ["the broker is not registered in the cluster; it keeps trying"]
        offline = [
            f"partition {topic.name}-{index} is led by this broker and offline"
            for topic, index, _ in sources.catalog.image.partitions_led_by(sources.node_id)
            if sources.partitions.is_offline(topic.name, index)
        ]
        more = len(offline) - PAGE_LIMIT
        return [*offline[:PAGE_LIMIT], f"and {more} more"] if more > 0 else offline

    async def metrics(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        """Serve a scrape."""
        return HttpResponse(HTTPStatus.OK, self._exposition.render(), self._metrics_type)

    # --- status of this broker and of the cluster

    async def broker(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        """Return the status of this broker."""
        sources = self._sources
        if request.query.get("form") == "lines":
            return lines_response(own_lines(sources))
        held = replica_statuses(sources.partitions, sources.catalog.image, sources.stalled)
        groups = group_statuses(sources.groups, sources.partitions)
        return json_response(
            {
                **broker_head(sources),
                "topic_bytes_in": sources.metrics.topic_bytes_in(),
                "partitions": (each.as_json() for each in held),
                "groups": (each.as_json() for each in groups),
            }
        )

    async def cluster(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        return json_response(cluster_responses.overview(await self._status()))

    async def topics(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        return json_response({"total": len(status.image.topics), "topics": cluster_responses.topics(status)})

    async def topic(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        topic = _topic_of(status, path["topic"])
        return json_response(cluster_responses.topic_in_full(status, topic.name))

    async def partition(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        return json_response(_partition_of(status, path))

    async def partitions(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        query = request.query
        topic = query.get("topic")
        page = cluster_responses.partitions(
            status,
            _topic_of(status, topic).name if topic else None,
            query.get("sort", "name"),
            max(int(query.get("offset", 0)), 0),
            min(max(int(query.get("limit", PAGE_LIMIT)), 0), PAGE_LIMIT_MAX),
            contains=query.get("contains", ""),
            only_faults=query.get("fault") == "1",
        )
        return json_response(page)

    async def groups(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        return json_response({"total": len(status.groups), "groups": cluster_responses.groups(status)})

    async def group(self, request: HttpRequest, path: PathParts) -> HttpResponse:
        status = await self._status()
        for group in status.groups:
            if group["group"] == path["group"]:
                return json_response(group)
        raise HttpError(
            HTTPStatus.NOT_FOUND,
            f"there is no group {path['group']!r}, or its coordinator does not answer",
            "See /api/groups for the groups.",
        )

    async def _status(self) -> ClusterStatus:
        return await self.poller.status()


def _topic_of(status: ClusterStatus, name: str) -> TopicImage:
    topic = status.image.topics.get(name)
    if topic is None:
        raise HttpError(HTTPStatus.NOT_FOUND, f"there is no topic {name!r}", "See /api/topics for the topics.")
    return topic


def _partition_of(status: ClusterStatus, path: PathParts) -> dict[str, Any]:
    topic = _topic_of(status, path["topic"])
    index = int(path["partition"]) if path["partition"].isdecimal() else -1
    found = status.partitions.get((topic.name, index))
    if found is None:
        raise HttpError(
            HTTPStatus.NOT_FOUND,
            f"topic {topic.name} has no partition {path['partition']}",
            f"Its partitions are 0 to {len(topic.partitions) - 1}.",
        )
    return found
