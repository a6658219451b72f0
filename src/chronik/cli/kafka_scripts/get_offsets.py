"""``kafka-get-offsets.sh``: offsets of partitions, latest, earliest or by time, a line TOPIC:PARTITION:OFFSET each."""

import re
from collections.abc import Callable
from typing import Final

from chronik.cli.kafka_scripts.flags import BOOTSTRAP, COMMAND_CONFIG, Given, UsageError, switch, value
from chronik.cli.kafka_scripts.session import FAILED, Tool, ask, complain, say
from chronik.cli.kafka_scripts.topics import topic_pattern
from chronik.client.admin import Admin
from chronik.client.cluster import Cluster
from chronik.client.offsets import list_offsets
from chronik.model.ids import TopicPartition
from chronik.protocol.constants import EARLIEST_TIMESTAMP, LATEST_TIMESTAMP, MAX_TIMESTAMP

Wanted = Callable[[TopicPartition], bool]

_WORDS: Final = {"latest": LATEST_TIMESTAMP, "earliest": EARLIEST_TIMESTAMP, "max-timestamp": MAX_TIMESTAMP}
_PLACE: Final = re.compile(r"([^:,]*)(?::(?:(\d*)-(\d*)|(\d+)))?")

FLAGS: Final = (
    BOOTSTRAP,
    COMMAND_CONFIG,
    value("broker-list", "The same as --bootstrap-server."),
    value("topic", "Topics, as a regular expression."),
    value("partitions", "With --topic: partitions 0,1."),
    value("topic-partitions", "TOPIC:PARTITION,TOPIC:FROM-TO (TO is not included); topics as regular expressions."),
    value("time", "-1 or latest (the default), -2 or earliest, -3 or max-timestamp, or milliseconds since 1970."),
    switch("exclude-internal-topics", "Leave out internal topics."),
)


def work(given: Given) -> int:
    if "broker-list" in given and "bootstrap-server" not in given:
        given.add("bootstrap-server", given.one("broker-list"))
    if "topic-partitions" in given and ("topic" in given or "partitions" in given):
        raise UsageError("--topic-partitions cannot be used with --topic or --partitions")
    wanted, timestamp = _wanted(given), _timestamp(given.one("time", "latest"))

    async def act(cluster: Cluster) -> int:
        partitions = [
            at
            for topic in await Admin(cluster).list_topics()
            if not (topic.is_internal and "exclude-internal-topics" in given)
            for at in (TopicPartition(topic.name, index) for index in topic.partitions)
            if wanted(at)
        ]
        if not partitions:
            complain("Error occurred: Could not match any topic-partitions with the specified filters")
            return FAILED
        found = await list_offsets(cluster, dict.fromkeys(partitions, timestamp))
        for at in sorted(partitions):
            offset = found[at].offset
            say(f"{at.topic}:{at.partition}:{offset if offset >= 0 else ''}")
        return 0

    return ask(given, act)


def _timestamp(text: str) -> int:
    try:
        return _WORDS[text] if text in _WORDS else int(text)
    except ValueError:
        raise UsageError(
            f"Malformed time argument {text}. Please use -1 or latest / -2 or earliest / "
            "-3 or max-timestamp, or a specified long format timestamp"
        ) from None


def _wanted(given: Given) -> Wanted:
    if "topic-partitions" in given:
        places = [_place(text) for text in given.one("topic-partitions").split(",")]
        return lambda at: any(place(at) for place in places)
    pattern = topic_pattern(given.one("topic", ".*"))
    try:
        indexes = {int(text) for text in given.one("partitions").split(",")} if "partitions" in given else None
    except ValueError:
        raise UsageError(f"--partitions expects a comma separated list: {given.one('partitions')}") from None
    return lambda at: bool(pattern.fullmatch(at.topic)) and (indexes is None or at.partition in indexes)


def _place(text: str) -> Wanted:
    found = _PLACE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"Invalid rule specification: {text}")
    pattern = topic_pattern(found[1] or ".*")
    lowest = int(found[4] or found[2] or 0)
    end = lowest + 1 if found[4] else int(found[3]) if found[3] else None
    return lambda at: (
        bool(pattern.fullmatch(at.topic)) and lowest <= at.partition and (end is None or at.partition < end)
    )


TOOL: Final = Tool("kafka-get-offsets.sh", "Print offsets of partitions.", FLAGS, work)
