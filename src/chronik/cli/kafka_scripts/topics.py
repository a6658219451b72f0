"""``kafka-topics.sh``: create, list, describe, alter and delete topics."""

import base64
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping
from typing import Final
from uuid import UUID

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, switch, unsupported, value
from chronik.cli.kafka_scripts.java_errors import java_message
from chronik.cli.kafka_scripts.session import FAILED, Tool, ask, key_values, say
from chronik.client.admin import Admin, NewTopic
from chronik.client.admin_configs import ConfigAdmin, ConfigView
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo, TopicView
from chronik.client.errors import ClientError, RefusedError
from chronik.model.errors import ErrorCode
from chronik.protocol.config_resources import ResourceType
from chronik.protocol.constants import BROKER_DEFAULT

_ACTIONS: Final = ("list", "describe", "create", "alter", "delete")
_COLLIDING: Final = (
    "WARNING: Due to limitations in metric names, topics with a period ('.') or underscore ('_') could collide. "
    "To avoid issues it is best to use either, but not both."
)
_DESCRIBE_FILTERS: Final = (
    "under-replicated-partitions",
    "unavailable-partitions",
    "under-min-isr-partitions",
    "at-min-isr-partitions",
    "topics-with-overrides",
)

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    switch("create", "Create a new topic."),
    switch("list", "List all available topics."),
    switch("describe", "List details for the given topics."),
    switch("alter", "Alter the number of partitions."),
    switch("delete", "Delete a topic."),
    value("topic", "The topic; for all but --create also a regular expression."),
    value("topic-id", "The topic to describe, by its id."),
    value("partitions", "The number of partitions."),
    value("replication-factor", "The number of replicas of each partition."),
    value("replica-assignment", "Brokers for each partition: 1:2,2:3 places two partitions on two brokers each."),
    value("config", "A topic config NAME=VALUE, with --create."),
    switch("if-not-exists", "With --create: a topic that exists is no error."),
    switch("if-exists", "With --alter, --delete, --describe: a topic that does not exist is no error."),
    switch("exclude-internal", "With --list, --describe, --delete: leave out internal topics."),
    switch("under-replicated-partitions", "With --describe: only partitions that lack replicas."),
    switch("unavailable-partitions", "With --describe: only partitions without a leader."),
    switch("under-min-isr-partitions", "With --describe: only partitions below min.insync.replicas."),
    switch("at-min-isr-partitions", "With --describe: only partitions at min.insync.replicas."),
    switch("topics-with-overrides", "With --describe: only topics whose configs are not all defaults."),
    unsupported("zookeeper", "use --bootstrap-server HOST:PORT"),
    unsupported("delete-config", "use kafka-configs.sh --alter --delete-config"),
    unsupported("partition-size-limit-per-response", "every topic is described whole"),
)


class TopicCommandError(ClientError):
    """An error that Kafka's tool raises itself."""


def work(given: Given) -> int:
    action = given.exactly_one(
        _ACTIONS, "Command must include exactly one action: --list, --describe, --create, --alter or --delete"
    )
    _check(given, action)
    actions: Mapping[str, Callable[[Cluster, Given], Awaitable[None]]] = {
        "list": _list,
        "describe": _describe,
        "create": _create,
        "alter": _alter,
        "delete": _delete,
    }

    async def act(cluster: Cluster) -> int:
        try:
            await actions[action](cluster, given)
        except (RefusedError, TopicCommandError) as error:
            say(f"Error while executing topic command : {java_message(error)}")
            return FAILED
        return 0

    return ask(given, act)


def _check(given: Given, action: str) -> None:
    if action in ("create", "alter", "delete"):
        given.require("topic")
    if action == "alter" and "config" in given:
        raise UsageError('Option "[config]" can\'t be used with option "[alter]": use kafka-configs.sh --alter')
    if action not in ("create", "alter"):
        given.forbid(action, ("partitions", "replica-assignment"))
    if action != "create":
        given.forbid(action, ("replication-factor", "config", "if-not-exists"))
    if action != "describe":
        given.forbid(action, (*_DESCRIBE_FILTERS, "topic-id"))
    if action == "alter":
        given.require("partitions")


async def _create(cluster: Cluster, given: Given) -> None:
    name = given.one("topic")
    if "." in name or "_" in name:
        say(_COLLIDING)
    topic = NewTopic(
        name,
        given.number("partitions") or BROKER_DEFAULT,
        given.number("replication-factor") or BROKER_DEFAULT,
        key_values(given.many("config"), "config"),
        dict(enumerate(_assignment(given))),
    )
    [outcome] = await Admin(cluster).create_topics([topic])
    if outcome.error is ErrorCode.TOPIC_ALREADY_EXISTS and "if-not-exists" in given:
        return
    if outcome.error is ErrorCode.TOPIC_ALREADY_EXISTS:
        raise TopicCommandError(f"Topic '{name}' already exists.")
    outcome.raise_if_refused()
    say(f"Created topic {name}.")


def _assignment(given: Given) -> list[list[int]]:
    text = given.one("replica-assignment")
    try:
        return [[int(broker) for broker in part.split(":")] for part in text.split(",")] if text else []
    except ValueError:
        raise UsageError(f"--replica-assignment {text!r} is not like 1:2,2:3") from None


async def _list(cluster: Cluster, given: Given) -> None:
    for topic in _chosen(await Admin(cluster).list_topics(), given):
        say(topic.name)


async def _alter(cluster: Cluster, given: Given) -> None:
    count = given.number("partitions")
    assert count is not None
    placed = _assignment(given)
    for topic in await _existing(cluster, given):
        added = placed[len(topic.partitions) :] if placed else None
        (await Admin(cluster).create_partitions(topic.name, count, assignment=added)).raise_if_refused()


async def _delete(cluster: Cluster, given: Given) -> None:
    names = [topic.name for topic in await _existing(cluster, given)]
    for outcome in await Admin(cluster).delete_topics(names) if names else ():
        outcome.raise_if_refused()


async def _existing(cluster: Cluster, given: Given) -> list[TopicView]:
    """Return the topics that match; raise where a name or pattern matches none."""
    found = _chosen(await Admin(cluster).list_topics(), given)
    if not found and "topic" in given and "if-exists" not in given:
        raise TopicCommandError(f"Topic '{given.one('topic')}' does not exist as expected")
    if not found and "topic-id" in given and "if-exists" not in given:
        raise TopicCommandError(f"TopicId '{given.one('topic-id')}' does not exist as expected")
    return found


def _chosen(topics: Iterable[TopicView], given: Given) -> list[TopicView]:
    pattern = topic_pattern(given.one("topic", ".*"))
    topic_id = given.one("topic-id")
    return [
        topic
        for topic in topics
        if pattern.fullmatch(topic.name)
        and not (topic.is_internal and "exclude-internal" in given)
        and (not topic_id or short_id(topic.topic_id) == topic_id)
    ]


def topic_pattern(text: str) -> re.Pattern[str]:
    """Read a list of regular expressions as Kafka does: commas are alternatives, quotes around it are dropped."""
    joined = text.strip().replace(",", "|").replace(" ", "")
    joined = joined.strip("\"'")
    try:
        return re.compile(joined)
    except re.error as error:
        raise UsageError(f"{text} is an invalid regex: {error}") from None


def short_id(topic_id: UUID) -> str:
    """Spell a topic's id as Kafka does."""
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


async def _describe(cluster: Cluster, given: Given) -> None:
    alive = set((await cluster.refresh(())).brokers)
    wants_partitions = "topics-with-overrides" not in given
    is_filtered = any(name in given for name in _DESCRIBE_FILTERS[:4])
    for topic in await _existing(cluster, given):
        configs = await ConfigAdmin(cluster).describe(ResourceType.TOPIC, topic.name)
        own = [config for config in configs if not config.is_default]
        if not wants_partitions and not own:
            continue
        if not is_filtered:
            say(topic_line(topic, own))
        if wants_partitions:
            minimum = next((int(c.value or 1) for c in configs if c.name == "min.insync.replicas"), 1)
            for partition in topic.partitions.values():
                if not is_filtered or _is_wanted(partition, given, alive, minimum):
                    say(partition_line(topic.name, partition))


def _is_wanted(partition: PartitionInfo, given: Given, alive: Collection[int], minimum: int) -> bool:
    in_sync = len(partition.isr)
    tests = {
        "under-replicated-partitions": in_sync < len(partition.replicas),
        "unavailable-partitions": partition.leader not in alive,
        "under-min-isr-partitions": in_sync < minimum,
        "at-min-isr-partitions": in_sync == minimum,
    }
    return any(is_true for name, is_true in tests.items() if name in given)


def topic_line(topic: TopicView, configs: Iterable[ConfigView]) -> str:
    """Return the line of a topic."""
    pairs = ",".join(f"{config.name}={config.value}" for config in configs)
    return (
        f"Topic: {topic.name}\tTopicId: {short_id(topic.topic_id)}\tPartitionCount: {len(topic.partitions)}"
        f"\tReplicationFactor: {topic.replication_factor}\tConfigs: {pairs}"
    )


def partition_line(topic: str, partition: PartitionInfo) -> str:
    """Return the line of a partition."""
    leader = str(partition.leader) if partition.leader >= 0 else "none"
    replicas, isr = (",".join(map(str, brokers)) for brokers in (partition.replicas, partition.isr))
    return (
        f"\tTopic: {topic}\tPartition: {partition.index}\tLeader: {leader}\tReplicas: {replicas}\tIsr: {isr}"
        "\tElr: \tLastKnownElr: "
    )


TOOL: Final = Tool("kafka-topics.sh", "Create, delete, describe, or change a topic.", FLAGS, work)
