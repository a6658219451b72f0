"""The part of the compatibility page that shows the clients, from the kept results of a run of the matrix."""

import json
from itertools import count
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "docs" / "clients.json"

HEAD = """
## Clients

From the last kept run of the client matrix (`tests/matrix/`), by `make matrix`: every client is the real one, in a
process of its own, against a real broker process. ✓ passed, ✗ failed; a number stands for the reason why the client
itself cannot do it.

"""

TOOLS_HEAD = """
Kafka's own command-line tools, run from Apache Kafka's jars by the tests in `tests/clients/java/`:

"""

MARKS = {"passed": "✓", "failed": "✗"}


def section() -> str:
    """The whole section."""
    return render(json.loads(RESULTS.read_text(encoding="utf-8")))


def render(results: dict[str, Any]) -> str:
    """Tables from results: capabilities down, clients across, reasons below."""
    clients = results["clients"]
    reasons = _numbered(clients)
    head = [["", *(f"{client['name']} {_version(client)}" for client in clients)], ["---", *(":-:" for _ in clients)]]
    rows = [[one, *(_cell(client, one, reasons) for client in clients)] for one in results["capabilities"]]
    notes = [f"{number}. {reason}\n" for reason, number in reasons.items()]
    tools = [["tool", *results["tools"]], ["---", *(":-:" for _ in results["tools"])]]
    tools.append(["", *(MARKS[outcome] for outcome in results["tools"].values())])
    return HEAD + _lines([*head, *rows]) + "\n" + "".join(notes) + TOOLS_HEAD + _lines(tools)


def _version(client: dict[str, Any]) -> str:
    # One client has its version in its name.
    version = str(client["version"])
    return "" if client["name"].endswith(version) else version


def _numbered(clients: list[dict[str, Any]]) -> dict[str, int]:
    """Each reason once, numbered as it first appears."""
    numbers = count(1)
    reasons: dict[str, int] = {}
    for client in clients:
        for reason in client["lacks"].values():
            if reason not in reasons:
                reasons[reason] = next(numbers)
    return reasons


def _cell(client: dict[str, Any], capability: str, reasons: dict[str, int]) -> str:
    if capability in client["lacks"]:
        return f"({reasons[client['lacks'][capability]]})"
    return MARKS[client["tried"][capability]]


def _lines(rows: list[list[str]]) -> str:
    return "".join("| " + " | ".join(cell.strip() for cell in row) + " |\n" for row in rows)
