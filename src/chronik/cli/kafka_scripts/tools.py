"""The table of Kafka's tools that are here: the name of each script, and where its tool is."""

import importlib
from collections.abc import Sequence
from typing import Final

from chronik.cli.kafka_scripts.session import Tool, run_tool

TOOLS: Final = {
    "kafka-topics.sh": "topics",
    "kafka-console-producer.sh": "console_producer",
    "kafka-console-consumer.sh": "console_consumer",
    "kafka-consumer-groups.sh": "consumer_groups",
    "kafka-configs.sh": "configs",
    "kafka-acls.sh": "acls",
    "kafka-get-offsets.sh": "get_offsets",
    "kafka-delete-records.sh": "delete_records",
    "kafka-broker-api-versions.sh": "api_versions",
    "kafka-log-dirs.sh": "log_dirs",
}


def tool_of(script: str) -> Tool:
    """Load a tool by the name of its script."""
    tool: Tool = importlib.import_module(f"chronik.cli.kafka_scripts.{TOOLS[script]}").TOOL
    return tool


def run_script(script: str, arguments: Sequence[str]) -> int:
    """Run the tool of a script, and return its exit code."""
    return run_tool(tool_of(script), arguments)
