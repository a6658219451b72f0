"""What is answered at each route: the broker's health, its own facts, and those of the whole cluster."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from chronik.metadata.image.image import TopicImage
from chronik.server.http import cluster_responses as cluster_answers
from chronik.server.http.responses import Answer, RefusedError, Request, json_answer, lines_answer
from chronik.server.http.routes import Parameter, Route
from chronik.server.http.server import live
from chronik.server.status.cluster import ClusterFacts, ClusterWatch, own_lines
from chronik.server.status.local import group_facts, partition_facts
from chronik.server.status.sources import Sources, broker_head

Places = Mapping[str, str]

PAGE_LIMIT: Final = 100
PAGE_LIMIT_MAX: Final = 1_000


class Api:
    """Answers from what the broker knows and what the others tell."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.cluster_watch = ClusterWatch(sources)
        # Its library takes a while to load, which a broker that serves no HTTP need not wait for.
        from chronik.server.metrics.exposition import CONTENT_TYPE, Exposition

        self._exposition, self._metrics_type = Exposition(sources, self.cluster_watch), CONTENT_TYPE

    def routes(self) -> tuple[Route, ...]:
        """Give the table of all routes that are answered from facts."""
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
                "Everything that is counted and measured, in the words of Prometheus.",
                self.metrics,
                content_type="text/plain",
            ),
            Route(
                "/api/broker",
                "What the broker that is asked knows by itself: its replicas, and the groups that it coordinates.",
                self.broker,
                "Broker",
                (Parameter("form", "lines: one JSON object in each line", choices=("document", "lines")),),
            ),
            Route("/api/cluster", "The whole cluster at a glance, and what is wrong with it.", self.cluster, "Cluster"),
            Route("/api/topics", "Every topic in one line each.", self.topics, "Topics"),
            Route("/api/topics/{topic}", "One topic with its configs and partitions.", self.topic, "Topic"),
            Route("/api/topics/{topic}/{partition}", "One partition.", self.partition, "Partition"),
            Route(
                "/api/partitions",
                "Partitions of the whole cluster, sorted, a page at a time.",
                self.partitions,
                "Partitions",
                (
                    Parameter("topic", "only those of this topic"),
                    Parameter("contains", "only those of topics whose name contains this"),
                    Parameter("sort", "by name, or the furthest behind first", choices=("name", "lag")),
                    Parameter("fault", "1: only those that something is wrong with", choices=("0", "1")),
                    Parameter("offset", "how many to leave out", "integer"),
                    Parameter("limit", f"how many to give, at most {PAGE_LIMIT_MAX}", "integer"),
                ),
            ),
            Route("/api/groups", "Every group in one line each.", self.groups, "Groups"),
            Route("/api/groups/{group}", "One group with its members, positions and lag.", self.group, "Group"),
        )

    # --- health

    async def live(self, request: Request, places: Places) -> Answer:
        return live()

    async def ready(self, request: Request, places: Places) -> Answer:
        """Say whether clients can be sent here, and why not."""
        why_not = list(self._why_not_ready())
        status = HTTPStatus.SERVICE_UNAVAILABLE if why_not else HTTPStatus.OK
        return json_answer({"ready": not why_not, "why_not": why_not}, status)

    def _why_not_ready(self) -> list[str]:
        sources = self._sources
        if sources.membership.lease is None:
            return ["the broker is not registered in the cluster; it tries again by itself"]
        offline = [
            f"partition {topic.name}-{index} is led here and offline"
            for topic, index, _ in sources.catalog.image.partitions_led_by(sources.node_id)
            if sources.partitions.is_offline(topic.name, index)
        ]
        more = len(offline) - PAGE_LIMIT
        return [*offline[:PAGE_LIMIT], f"and {more} more"] if more > 0 else offline

    async def metrics(self, request: Request, places: Places) -> Answer:
        """Tell Prometheus what this broker tells it."""
        return Answer(HTTPStatus.OK, self._exposition.render(), self._metrics_type)

    # --- facts

    async def broker(self, request: Request, places: Places) -> Answer:
        """Give this broker's own facts."""
        sources = self._sources
        if request.query.get("form") == "lines":
            return lines_answer(own_lines(sources))
        held = partition_facts(sources.partitions, sources.catalog.image, sources.standing)
        groups = group_facts(sources.groups, sources.partitions)
        return json_answer(
            {
                **broker_head(sources),
                "topic_bytes_in": sources.metrics.topic_bytes_in(),
                "partitions": (each.as_json() for each in held),
                "groups": (each.as_json() for each in groups),
            }
        )

    async def cluster(self, request: Request, places: Places) -> Answer:
        return json_answer(cluster_answers.overview(await self._facts()))

    async def topics(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        return json_answer({"total": len(facts.image.topics), "topics": cluster_answers.topics(facts)})

    async def topic(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        topic = _topic_of(facts, places["topic"])
        return json_answer(cluster_answers.topic_in_full(facts, topic.name))

    async def partition(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        return json_answer(_partition_of(facts, places))

    async def partitions(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        query = request.query
        topic = query.get("topic")
        page = cluster_answers.partitions(
            facts,
            _topic_of(facts, topic).name if topic else None,
            query.get("sort", "name"),
            max(int(query.get("offset", 0)), 0),
            min(max(int(query.get("limit", PAGE_LIMIT)), 0), PAGE_LIMIT_MAX),
            contains=query.get("contains", ""),
            only_faults=query.get("fault") == "1",
        )
        return json_answer(page)

    async def groups(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        return json_answer({"total": len(facts.groups), "groups": cluster_answers.groups(facts)})

    async def group(self, request: Request, places: Places) -> Answer:
        facts = await self._facts()
        for group in facts.groups:
            if group["group"] == places["group"]:
                return json_answer(group)
        raise RefusedError(
            HTTPStatus.NOT_FOUND,
            f"there is no group {places['group']!r}, or its coordinator does not answer",
            "See /api/groups for those that there are.",
        )

    async def _facts(self) -> ClusterFacts:
        return await self.cluster_watch.facts()


def _topic_of(facts: ClusterFacts, name: str) -> TopicImage:
    topic = facts.image.topics.get(name)
    if topic is None:
        raise RefusedError(
            HTTPStatus.NOT_FOUND, f"there is no topic {name!r}", "See /api/topics for those that there are."
        )
    return topic


def _partition_of(facts: ClusterFacts, places: Places) -> dict[str, Any]:
    topic = _topic_of(facts, places["topic"])
    index = int(places["partition"]) if places["partition"].isdecimal() else -1
    found = facts.partitions.get((topic.name, index))
    if found is None:
        raise RefusedError(
            HTTPStatus.NOT_FOUND,
            f"topic {topic.name} has no partition {places['partition']}",
            f"Its partitions are 0 to {len(topic.partitions) - 1}.",
        )
    return found
