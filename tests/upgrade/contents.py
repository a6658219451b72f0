"""Everything that clients can see of a broker or cluster, as JSON: what was written, and what is read back.

The program that writes the fixture and the test that reads it share these functions, so both see the same things.
"""

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import (
    OFFSET_BEGINNING,
    Consumer,
    ConsumerGroupTopicPartitions,
    Message,
    TopicCollection,
    TopicPartition,
)
from confluent_kafka.admin import (
    AdminClient,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    ResourceType,
    TopicDescription,
)

CHRONIK = Path(sys.executable).with_name("chronik")
WAIT_S = 60.0
COMMAND_SECONDS_MAX = 180.0
DYNAMIC = {
    ConfigSource.DYNAMIC_TOPIC_CONFIG,
    ConfigSource.DYNAMIC_BROKER_CONFIG,
    ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
}

Contents = dict[str, Any]
Row = list[Any]


def contents_of(bootstrap: str) -> Contents:
    """Return topics, records, configs and groups, in a form that equals itself after a trip through JSON."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    cluster = admin.describe_cluster().result(WAIT_S)
    topics = _topics(admin)
    return {
        "cluster": cluster.cluster_id,
        "topics": topics,
        "records": records(bootstrap, *(name for name in topics if not topics[name]["internal"])),
        "configs": configs_of(bootstrap),
        "groups": _groups(admin),
    }


def records(bootstrap: str, *topics: str) -> list[Row]:
    """Read topics from their starts. A row is topic, partition, offset, time, leader epoch, key, value, headers."""
    consumer = Consumer(
        {"bootstrap.servers": bootstrap, "group.id": "reads-everything", "enable.auto.commit": False}
        | {"enable.partition.eof": True, "auto.offset.reset": "error", "check.crcs": True}
    )
    try:
        view = consumer.list_topics(timeout=WAIT_S).topics
        places = [
            TopicPartition(topic, index, OFFSET_BEGINNING) for topic in topics for index in view[topic].partitions
        ]
        consumer.assign(places)
        return sorted(_until_all_ends(consumer, len(places)), key=lambda row: row[:3])
    finally:
        consumer.close()


def _until_all_ends(consumer: Consumer, partitions: int) -> Iterable[Row]:
    ends: set[tuple[str, int]] = set()
    deadline = time.monotonic() + WAIT_S
    while len(ends) < partitions:
        assert time.monotonic() < deadline, f"the ends of {partitions - len(ends)} partitions were not reached"
        for message in consumer.consume(500, timeout=0.1):
            if message.error() is None:
                yield _row(message)
                continue
            assert message.error().name() == "_PARTITION_EOF", message.error()
            ends.add((message.topic(), message.partition()))


def _row(message: Message) -> Row:
    headers = [[name, text_of(value)] for name, value in message.headers() or []]
    place = [message.topic(), message.partition(), message.offset()]
    return [
        *place,
        list(message.timestamp()),
        message.leader_epoch(),
        text_of(message.key()),
        text_of(message.value()),
        headers,
    ]


def text_of(value: bytes | None) -> str | None:
    """Spell bytes for JSON."""
    return None if value is None else base64.b85encode(value).decode()


def bytes_of(text: str) -> bytes:
    """Return the bytes that ``text_of`` spelled."""
    return base64.b85decode(text)


def _topics(admin: AdminClient) -> dict[str, Any]:
    names = list(admin.list_topics(timeout=WAIT_S).topics)
    described = {name: _described(admin, name) for name in names}
    places = [
        TopicPartition(name, each.id)
        for name, topic in described.items()
        for each in topic.partitions
        if not topic.is_internal
    ]
    starts, ends = (_offsets(admin, places, spec) for spec in (OffsetSpec.earliest(), OffsetSpec.latest()))
    return {
        name: {
            "id": str(topic.topic_id),
            "internal": topic.is_internal,
            "partitions": {
                str(each.id): {
                    "replicas": [node.id for node in each.replicas],
                    "start": starts.get((name, each.id)),
                    "end": ends.get((name, each.id)),
                }
                for each in topic.partitions
            },
        }
        for name, topic in described.items()
    }


def _described(admin: AdminClient, name: str) -> TopicDescription:
    return admin.describe_topics(TopicCollection([name]))[name].result(WAIT_S)


def _offsets(admin: AdminClient, places: list[TopicPartition], spec: OffsetSpec) -> dict[tuple[str, int], int]:
    found = admin.list_offsets(dict.fromkeys(places, spec))
    return {(place.topic, place.partition): answer.result(WAIT_S).offset for place, answer in found.items()}


def configs_of(bootstrap: str) -> dict[str, dict[str, str | None]]:
    """Return the configs of topics and of running brokers that were set dynamically, by kind and name."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    view = admin.list_topics(timeout=WAIT_S)
    asked = [ConfigResource(ResourceType.TOPIC, name) for name in view.topics]
    asked += [ConfigResource(ResourceType.BROKER, str(node)) for node in view.brokers]
    # One call each: the client takes only one broker in a call.
    answers = [(each, admin.describe_configs([each])[each]) for each in asked]
    found = {f"{each.restype.name} {each.name}": answer.result(WAIT_S) for each, answer in answers}
    return {
        name: {key: entry.value for key, entry in sorted(entries.items()) if ConfigSource(entry.source) in DYNAMIC}
        for name, entries in sorted(found.items())
    }


def _groups(admin: AdminClient) -> dict[str, Any]:
    listed = admin.list_consumer_groups().result(WAIT_S)
    assert listed.errors == [], listed.errors
    names = sorted(each.group_id for each in listed.valid)
    return {name: {"members": _members(admin, name), "offsets": _committed(admin, name)} for name in names}


def _members(admin: AdminClient, group: str) -> list[Row]:
    described = admin.describe_consumer_groups([group])[group].result(WAIT_S)
    return sorted(
        [
            member.member_id,
            member.group_instance_id,
            member.client_id,
            sorted([place.topic, place.partition] for place in member.assignment.topic_partitions),
        ]
        for member in described.members
    )


def _committed(admin: AdminClient, group: str) -> list[Row]:
    found = admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])[group].result(WAIT_S)
    return sorted(
        [place.topic, place.partition, place.offset, place.leader_epoch, place.metadata or ""]
        for place in found.topic_partitions
    )


def wait_until(is_so: Callable[[], bool], what: str, seconds_max: float = WAIT_S) -> None:
    """Wait for a condition, within a bound."""
    deadline = time.monotonic() + seconds_max
    while not is_so():
        assert time.monotonic() < deadline, f"not within {seconds_max} s: {what}"
        time.sleep(0.1)


def chronik(*arguments: object, codes: Iterable[int] = (0,)) -> str:
    """Run a command as users do, and return what it prints."""
    command = [str(CHRONIK), *map(str, arguments)]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=COMMAND_SECONDS_MAX, env=_environment(), check=False
    )
    assert ended.returncode in codes, f"{command}: {ended.returncode}\n{ended.stdout}\n{ended.stderr}"
    return ended.stdout


def chronik_json(*arguments: object, codes: Iterable[int] = (0,)) -> Any:
    """Run a command with ``--json``."""
    return json.loads(chronik(*arguments, "--json", codes=codes))


def _environment() -> Mapping[str, str]:
    return {**os.environ, "NO_COLOR": "1"}
