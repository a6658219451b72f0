"""``chronik topic describe``: leaders, replicas, offsets, and configs that are not defaults."""

from typing import Any

import click

from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json, print_table
from chronik.client.admin import Admin
from chronik.client.admin_configs import ConfigAdmin, ConfigView
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo, TopicView
from chronik.client.errors import ClientError
from chronik.client.offsets import offset_bounds
from chronik.model.ids import TopicPartition
from chronik.protocol.config_resources import ConfigSource, ResourceType

Bounds = dict[TopicPartition, tuple[int, int]]

_COLUMNS = ("partition", "leader", "epoch", "replicas", "isr", "log start", "high watermark", "records", "problem")
_SET_SOMEWHERE = frozenset(ConfigSource) - {ConfigSource.DEFAULT, ConfigSource.UNKNOWN}


@click.command(epilog=examples("chronik topic describe orders", "chronik topic describe orders --json"))
@click.argument("names", nargs=-1, required=True)
@client_options
def describe(options: ClientOptions, names: tuple[str, ...]) -> int:
    """Show partitions, leaders, replicas, offsets, and configs that are not defaults."""

    async def work(cluster: Cluster) -> None:
        documents = [await _described(cluster, name) for name in names]
        if options.as_json:
            print_json(documents)
        else:
            for document in documents:
                _print(document)

    return with_cluster(options, work)


async def _described(cluster: Cluster, name: str) -> dict[str, Any]:
    topic = await Admin(cluster).describe_topic(name)
    bounds, problem = await _bounds(cluster, topic)
    configs = await ConfigAdmin(cluster).describe(ResourceType.TOPIC, name)
    return {
        "topic": name,
        "topic_id": str(topic.topic_id),
        "is_internal": topic.is_internal,
        "partitions": [_partition(name, view, bounds, problem) for view in topic.partitions.values()],
        "configs": {view.name: _shown(view) for view in configs if view.source in _SET_SOMEWHERE},
    }


async def _bounds(cluster: Cluster, topic: TopicView) -> tuple[Bounds, str | None]:
    """Ask for offsets; where that fails the rest is still worth showing, with the reason."""
    led = [TopicPartition(topic.name, view.index) for view in topic.partitions.values() if view.leader >= 0]
    try:
        return await offset_bounds(cluster, led), None
    except ClientError as error:
        return {}, error.what


def _partition(topic: str, view: PartitionInfo, bounds: Bounds, problem: str | None) -> dict[str, Any]:
    at = TopicPartition(topic, view.index)
    start, end = bounds.get(at, (None, None))
    known = start is not None and end is not None
    return {
        "partition": view.index,
        "leader": view.leader if view.leader >= 0 else None,
        "leader_epoch": view.leader_epoch if view.leader_epoch >= 0 else None,
        "replicas": list(view.replicas),
        "isr": list(view.isr),
        "log_start": start,
        "high_watermark": end,
        "records": end - start if known and start is not None and end is not None else None,
        "problem": _problem(view) or (None if known else problem),
    }


def _problem(view: PartitionInfo) -> str | None:
    if view.error:
        return view.error.name
    if view.offline:
        return f"offline replicas {','.join(map(str, view.offline))}"
    if set(view.isr) != set(view.replicas):
        return "under-replicated"
    return None


def _shown(view: ConfigView) -> dict[str, Any]:
    return {"value": "(hidden)" if view.is_sensitive else view.value, "source": view.source.name}


def _print(document: dict[str, Any]) -> None:
    rows = [list(partition.values()) for partition in document["partitions"]]
    title = f"topic {document['topic']}, id {document['topic_id']}, {len(rows)} partition(s)"
    print_table(_COLUMNS, rows, title=title)
    configs = [(name, shown["value"], shown["source"]) for name, shown in document["configs"].items()]
    if configs:
        print_table(("config", "value", "set by"), configs)
