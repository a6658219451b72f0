"""What Chronik keeps of groups is read by Kafka's own formatters, and is what Kafka keeps after the same history."""

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from tests.groups_beside_kafka.asking import APPLES, PEARS, Group, two_members
from tests.groups_beside_kafka.both import Both
from tests.groups_beside_kafka.conftest import Pair
from tests.kafka_tools import CONSOLE_CONSUMER, run_tool

pytestmark = pytest.mark.xdist_group("groups beside Kafka")

OFFSETS_FORMATTER = "org.apache.kafka.tools.consumer.OffsetsMessageFormatter"
GROUPS_FORMATTER = "org.apache.kafka.tools.consumer.GroupMetadataMessageFormatter"
PREFIX = "kept-"
SILENCE_MS = 40_000
"""How long the console consumer waits for more."""
_OWN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_MORE = {"topicId"}
"""Kafka notes a topic's id only where the client has named it; Chronik always, so as to know a namesake from it."""


def live(both: Both) -> None:
    """A history that leaves every kind of record."""
    simple = Group(both, "simple")
    simple.commits("x", [(APPLES, [(0, 7, "a note"), (1, 8)]), (PEARS, [(0, 9)])], epoch=0)
    simple.deletes_offsets("x", [(PEARS, (0,))])
    simple.commits("x", [(APPLES, [(2, 5)])], version=4, retention_ms=10**12)
    dynamic = Group(both, "dynamic")
    two_members(dynamic)
    dynamic.commits("a", [(APPLES, [(0, 3)])], generation=2, member="<a>")
    static = Group(both, "static")
    both.until(static.joins("s", instance="one"))
    both.until(static.syncs("s", 1, instance="one", gives=[("<s>", b"1")]))
    both.until(static.joins("s", instance="one"))
    emptied = Group(both, "emptied")
    emptied.settles("e")
    emptied.leaves("e", ("<e>", None))
    deleted = Group(both, "deleted")
    deleted.commits("x", [(APPLES, [(0, 1)])])
    deleted.is_deleted()


# Four JVMs at once, each of which ends with a long silence.
@pytest.mark.timeout(300)
def test_kafkas_formatters_read_the_same_from_both(pair: Pair) -> None:
    both = Both(pair.kafka, pair.chronik, PREFIX)
    try:
        live(both)
    finally:
        both.close()
    wanted = list(product((OFFSETS_FORMATTER, GROUPS_FORMATTER), (pair.kafka, pair.chronik)))
    with ThreadPoolExecutor(len(wanted)) as readers:
        offsets_of_kafka, offsets, groups_of_kafka, groups = readers.map(read, *zip(*wanted, strict=True))
    assert {group_of(key) for key in offsets} == {"kept-simple", "kept-dynamic", "kept-deleted"}
    assert offsets == offsets_of_kafka
    # Kafka also removes the generation of a group that never had one.
    del groups_of_kafka[next(key for key in groups_of_kafka if group_of(key) == "kept-deleted")]
    assert {group_of(key) for key in groups} == {"kept-dynamic", "kept-static", "kept-emptied"}
    assert groups == groups_of_kafka


def group_of(key: str) -> str:
    name: str = json.loads(key)["data"]["group"]
    return name


def read(formatter: str, bootstrap: str) -> dict[str, Any]:
    """The last record of each key, as the console consumer prints it, without what a broker makes up for itself."""
    arguments = ("--bootstrap-server", bootstrap, "--topic", "__consumer_offsets", "--from-beginning")
    done = run_tool(
        CONSOLE_CONSUMER, *arguments, "--formatter", formatter, "--timeout-ms", str(SILENCE_MS), seconds_max=150
    )
    found: dict[str, Any] = {}
    for record in documents(done.stdout):
        key = json.dumps(record["key"], sort_keys=True)
        if group_of(key).startswith(PREFIX):
            found[key] = _plain(record["value"])
    return found


def documents(text: str) -> Iterator[Any]:
    """JSON documents that follow one another without anything between them."""
    position, decoder = 0, json.JSONDecoder()
    while position < len(text):
        document, position = decoder.raw_decode(text, position)
        yield document


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: _stamp(one) if name.lower().endswith("timestamp") else _plain(one)
            for name, one in value.items()
            if name not in _MORE
        }
    if isinstance(value, list):
        return sorted((_plain(one) for one in value), key=repr)
    return _OWN.sub("<id>", value) if isinstance(value, str) else value


def _stamp(time_ms: int) -> str:
    return "none" if time_ms < 0 else "a time"
