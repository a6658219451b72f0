"""``python -m tests.matrix.results REPORT``: keep the results of a run of the matrix, for the table in the documents.

The report is the one that pytest writes with ``--junitxml``. A run in which a client did not take part, or which was
pointed at another broker, is refused: the table shows one whole run.
"""

import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.matrix.capabilities import LACKS, TRIED, Capability, Client

KEPT: Final = Path(__file__).resolve().parent.parent.parent / "docs" / "clients.json"

TOOLS: Final = {
    "TopicCommand": "test_topic_command_creates_lists_describes_alters_and_deletes",
    "ConfigCommand": "test_config_command_alters_and_describes",
    "ConsoleProducer": "test_console_producer_and_consumer_exchange_lines",
    "ConsoleConsumer": "test_the_group_command_shows_moves_and_deletes_what_the_console_consumer_left",
    "ConsumerGroupCommand": "test_the_group_command_shows_moves_and_deletes_what_the_console_consumer_left",
    "GetOffsetShell": "test_offsets_directories_and_throughput_are_told",
    "LogDirsCommand": "test_offsets_directories_and_throughput_are_told",
    "ProducerPerformance": "test_offsets_directories_and_throughput_are_told",
    "ConsumerPerformance": "test_consumer_performance_reads_all_that_it_was_told_to",
    "DumpLogSegments": "test_dump_log_segments_reads_every_kind_of_file",
}
"""Kafka's own tools, each with the test in tests/clients/java that runs it."""


def outcome(case: ElementTree.Element) -> str:
    if case.find("skipped") is not None:
        return "skipped"
    return "passed" if case.find("failure") is None and case.find("error") is None else "failed"


def properties(case: ElementTree.Element) -> dict[str, str]:
    return {one.get("name", ""): one.get("value", "") for one in case.iter("property")}


def matrix_cases(report: ElementTree.Element) -> Iterator[tuple[Client, Capability, str, str]]:
    """Client, capability, version and outcome of each cell that was tried."""
    for case in report.iter("testcase"):
        told = properties(case)
        if "capability" in told:
            yield Client(told["client"]), Capability(told["capability"]), told["version"], outcome(case)


def tool_outcomes(report: ElementTree.Element) -> dict[str, str]:
    """Each tool with the worst outcome of the cases of its test."""
    found: dict[str, set[str]] = {}
    for case in report.iter("testcase"):
        found.setdefault(case.get("name", "").partition("[")[0].partition("@")[0], set()).add(outcome(case))
    tried = {tool: found.get(test, {"skipped"}) for tool, test in TOOLS.items()}
    return {tool: next(iter(seen)) if len(seen) == 1 else "failed" for tool, seen in tried.items()}


def results(report: ElementTree.Element) -> dict[str, Any]:
    """What the documents show, from one whole run."""
    cases = list(matrix_cases(report))
    outcomes = {(client, capability): found for client, capability, _, found in cases}
    versions = {client: version for client, _, version, _ in cases}
    absent = [f"{client}: {capability}" for client, capability in TRIED if (client, capability) not in outcomes]
    tools = tool_outcomes(report)
    absent += [tool for tool, found in tools.items() if found == "skipped"]
    if absent:
        raise SystemExit("not tried in this run:\n" + "\n".join(absent))
    return {
        "capabilities": [str(capability) for capability in Capability],
        "clients": [_client(client, versions[client], outcomes) for client in Client],
        "tools": tools,
    }


def _client(client: Client, version: str, outcomes: dict[tuple[Client, Capability], str]) -> dict[str, Any]:
    tried = {str(one): outcomes[client, one] for one in Capability if (client, one) in outcomes}
    lacks = {str(one): LACKS[client, one] for one in Capability if (client, one) in LACKS}
    return {"name": str(client), "version": version, "tried": tried, "lacks": lacks}


def main(arguments: list[str]) -> None:
    if len(arguments) != 1:
        raise SystemExit(__doc__)
    kept = results(ElementTree.parse(arguments[0]).getroot())
    KEPT.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
