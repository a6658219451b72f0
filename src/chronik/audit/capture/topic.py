"""The run's requests to the cluster before and after: the topic, the start of its group, and its settings."""

from dataclasses import dataclass
from typing import Any

from chronik.audit.capture.settings import RunSettings
from chronik.client.admin import Admin, NewTopic
from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import TopicView
from chronik.client.errors import ClientError, RefusedError, SettingsRefusedError
from chronik.client.groups.admin_offsets import GroupOffsetAdmin
from chronik.client.offsets import list_offsets
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.protocol.config_resources import ResourceType
from chronik.protocol.constants import LATEST_TIMESTAMP


@dataclass(frozen=True, slots=True)
class RunTopic:
    """The topic of a run."""

    view: TopicView
    is_new: bool
    starts: dict[int, int]
    """Where the run begins in each partition: what lies before was not sent by it."""


async def prepare_topic(cluster: Cluster, settings: RunSettings) -> RunTopic:
    """Find or create the topic, as the run's settings say."""
    known = await _known(cluster, settings.topic)
    if known is not None and settings.existence == "fresh":
        raise SettingsRefusedError(
            f"topic {settings.topic} exists, and --fresh asks for a new one",
            advice="Give another --topic, delete this one, or leave out --fresh.",
        )
    if known is None and settings.existence == "existing":
        raise SettingsRefusedError(
            f"topic {settings.topic} does not exist, and --existing asks for one that does",
            advice="Give another --topic, or leave out --existing.",
        )
    if known is None:
        await _create(cluster, settings)
    view = await _led(cluster, settings.topic)
    partitions = [TopicPartition(settings.topic, index) for index in view.partitions]
    ends = await list_offsets(cluster, dict.fromkeys(partitions, LATEST_TIMESTAMP))
    return RunTopic(view, known is None, {at.partition: found.offset for at, found in ends.items()})


async def _known(cluster: Cluster, topic: str) -> TopicView | None:
    try:
        return await Admin(cluster).describe_topic(topic)
    except RefusedError as error:
        if error.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            return None
        raise


async def _create(cluster: Cluster, settings: RunSettings) -> None:
    copies = min(settings.replication, len((await cluster.refresh(())).brokers))
    wanted = NewTopic(settings.topic, settings.partitions, copies, settings.topic_configs)
    for outcome in await Admin(cluster).create_topics([wanted]):
        outcome.raise_if_refused()


async def _led(cluster: Cluster, topic: str) -> TopicView:
    """Wait until every partition has a leader that is known."""
    cluster.forget(topic)
    view = await cluster.topic(topic)
    for index in view.partitions:
        await cluster.leader_of(TopicPartition(topic, index))
    return cluster.view.topics[topic]


async def begin_group(cluster: Cluster, group: str, topic: str, starts: dict[int, int]) -> str:
    """Let the group begin where the run begins; return the reset policy for all other partitions.

    On a topic that was empty, the earliest offset is the start of the run.
    """
    if not any(starts.values()):
        return "earliest"
    offsets = {TopicPartition(topic, index): offset for index, offset in starts.items()}
    for refused in (await GroupOffsetAdmin(cluster).commit(group, offsets)).values():
        if refused is not None:
            raise refused
    return "earliest"


async def configs_of(cluster: Cluster, topic: str) -> dict[str, str]:
    """Return the topic's settings; {} where the cluster does not return them."""
    try:
        views = await ConfigAdmin(cluster).describe(ResourceType.TOPIC, topic)
    except ClientError:
        return {}
    return {view.name: view.value or "" for view in views}


def brokers_of(cluster: Cluster) -> list[dict[str, Any]]:
    """List the brokers, for the record."""
    return [{"node": b.node_id, "host": b.host, "port": b.port, "rack": b.rack} for b in cluster.view.brokers.values()]
