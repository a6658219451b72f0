"""``kafka-log-dirs.sh``: what lies in the log directories of brokers, as one line of JSON."""

import json
from typing import Any, Final

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, switch, value
from chronik.cli.kafka_scripts.java_errors import java_name
from chronik.cli.kafka_scripts.session import Tool, ask, say
from chronik.client.admin_configs import ConfigAdmin, LogDirView
from chronik.client.cluster import Cluster

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    switch("describe", "REQUIRED: describe the log directories."),
    value("topic-list", "Only these topics: a,b."),
    value("broker-list", "Only these brokers: 1,2."),
)


def work(given: Given) -> int:
    given.require("describe")
    topics = set(filter(None, given.one("topic-list").split(",")))
    try:
        brokers = {int(text) for text in given.one("broker-list").split(",") if text}
    except ValueError:
        raise UsageError(f"--broker-list {given.one('broker-list')}: ids of brokers are expected") from None

    async def act(cluster: Cluster) -> int:
        say("Querying brokers for log directories information")
        found = [view for view in await ConfigAdmin(cluster).log_dirs() if not brokers or view.node_id in brokers]
        ids = sorted({view.node_id for view in found})
        say(f"Received log directory information from brokers {','.join(map(str, ids))}")
        documents = [_broker(node_id, [view for view in found if view.node_id == node_id], topics) for node_id in ids]
        say(json.dumps({"brokers": documents, "version": 1}, separators=(",", ":")))
        return 0

    return ask(given, act)


def _broker(node_id: int, views: list[LogDirView], topics: set[str]) -> dict[str, Any]:
    return {"broker": node_id, "logDirs": [_log_dir(view, topics) for view in views]}


def _log_dir(view: LogDirView, topics: set[str]) -> dict[str, Any]:
    partitions = [
        {"partition": str(at), "size": size, "offsetLag": 0, "isFuture": False}
        for at, size in sorted(view.partition_bytes.items())
        if not topics or at.topic in topics
    ]
    return {"partitions": partitions, "error": java_name(view.error) if view.error else None, "logDir": view.path}


TOOL: Final = Tool("kafka-log-dirs.sh", "Describe the log directories of brokers.", FLAGS, work)
