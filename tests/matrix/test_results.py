"""The table of clients in the documents is made from a whole run of the tests that exist."""

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from generator.clients import render
from tests.matrix.capabilities import LACKS, TRIED, Capability, Client
from tests.matrix.results import KEPT, TOOLS, results

JAVA_TESTS = Path(__file__).resolve().parent.parent / "clients" / "java"


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(KEPT.read_text(encoding="utf-8"))
    return found


def test_the_kept_results_are_of_the_tests_that_exist(kept: dict[str, Any]) -> None:
    """A client, a capability or a reason that was added or taken away since shows here: run `make matrix`."""
    assert kept["capabilities"] == [str(capability) for capability in Capability]
    assert [client["name"] for client in kept["clients"]] == [str(client) for client in Client]
    for client in kept["clients"]:
        name = Client(client["name"])
        assert client["tried"].keys() == {str(one) for who, one in TRIED if who is name}
        assert client["lacks"] == {str(one): reason for (who, one), reason in LACKS.items() if who is name}
    assert kept["tools"].keys() == TOOLS.keys()


def test_everything_in_the_kept_results_passed(kept: dict[str, Any]) -> None:
    outcomes = {(client["name"], one): found for client in kept["clients"] for one, found in client["tried"].items()}
    assert {cell: found for cell, found in outcomes.items() if found != "passed"} == {}
    assert {tool: found for tool, found in kept["tools"].items() if found != "passed"} == {}


def test_each_tool_names_a_test_that_exists() -> None:
    defined = "".join(path.read_text(encoding="utf-8") for path in JAVA_TESTS.glob("test_*.py"))
    assert [test for test in TOOLS.values() if f"def {test}(" not in defined] == []


def report(*, without: tuple[Client, Capability] | None = None, failed: tuple[Client, Capability] | None = None) -> Any:
    """A report of a whole run, but for one cell."""
    root = ElementTree.Element("testsuites")
    for client, capability in TRIED:
        if (client, capability) == without:
            continue
        case = ElementTree.SubElement(root, "testcase", name=f"test_the_client_can[{client}-{capability}]")
        told = ElementTree.SubElement(case, "properties")
        for name, value in (("client", client), ("capability", capability), ("version", "1.2")):
            ElementTree.SubElement(told, "property", name=name, value=str(value))
        if (client, capability) == failed:
            ElementTree.SubElement(case, "failure", message="no")
    for test in set(TOOLS.values()):
        ElementTree.SubElement(root, "testcase", name=test)
    return root


CELL = (Client.KAFKAJS, Capability.GROUP_LEAVE)


def test_a_run_that_is_not_whole_is_refused() -> None:
    with pytest.raises(SystemExit, match=f"{CELL[0]}: {CELL[1]}"):
        results(report(without=CELL))


def test_a_failure_is_shown_in_the_table() -> None:
    whole, broken = render(results(report())), render(results(report(failed=CELL)))
    assert "✗" not in whole.partition("| produce")[2]
    row = next(line for line in broken.splitlines() if line.startswith(f"| {CELL[1]} |"))
    assert row.split("|")[2 + list(Client).index(CELL[0])].strip() == "✗"
