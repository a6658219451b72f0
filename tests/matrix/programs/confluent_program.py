"""confluent-kafka (librdkafka) as a program of the matrix."""

import threading
import time
from typing import Any

import confluent_kafka
from confluent_kafka import Consumer, ConsumerGroupTopicPartitions, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    ResourceType,
)
from line_server import BOOTSTRAP, MemberLog, headers_from, record_of, serve, to_bytes

SERVER = {"bootstrap.servers": BOOTSTRAP}
SECONDS_MAX = 60


def version() -> str:
    return f"{confluent_kafka.__version__} (librdkafka {confluent_kafka.libversion()[0]})"


def produce(topic: str, records: list[dict[str, Any]], codec: str, idempotent: bool, bytes_max: int) -> list[int]:
    producer = Producer(
        SERVER
        | {
            "compression.type": codec,
            "enable.idempotence": idempotent,
            "message.max.bytes": bytes_max + 100_000,
            "linger.ms": 5,
        }
    )
    outcomes: list[Any] = []
    for record in records:
        producer.produce(
            topic,
            to_bytes(record["value"]),
            to_bytes(record["key"]),
            headers=headers_from(record),
            on_delivery=lambda error, message: outcomes.append(str(error) if error else message.offset()),
        )
    producer.flush(SECONDS_MAX)
    return outcomes


def consume(topic: str, count: int) -> list[dict[str, Any]]:
    consumer = Consumer(SERVER | {"group.id": "unused", "enable.auto.commit": False, "check.crcs": True})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[dict[str, Any]] = []
    deadline = time.monotonic() + SECONDS_MAX
    while len(found) < count and time.monotonic() < deadline:
        if (message := consumer.poll(0.2)) is not None:
            if message.error():
                raise KafkaException(message.error())
            found.append(record_of(message.key(), message.value(), message.headers()))
    consumer.close()
    return found


class Member:
    """A consumer of a group, polled by a thread of its own."""

    def __init__(self, group: str, topic: str, instance: str | None, cooperative: bool, session_ms: int) -> None:
        self.log = MemberLog()
        self._leaving = threading.Event()
        settings = {
            "group.id": group,
            "session.timeout.ms": session_ms,
            "heartbeat.interval.ms": 300,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": "cooperative-sticky" if cooperative else "range",
        }
        if instance is not None:
            settings["group.instance.id"] = instance
        self._consumer = Consumer(SERVER | settings)
        self._consumer.subscribe(
            [topic],
            on_assign=lambda _, given: self.log.on_assigned([one.partition for one in given]),
            on_revoke=lambda _, taken: self.log.on_revoked([one.partition for one in taken]),
        )
        self._thread = threading.Thread(target=self._poll, daemon=True)
        self._thread.start()

    def _poll(self) -> None:
        while not self._leaving.is_set():
            message = self._consumer.poll(0.05)
            if message is not None and not message.error():
                self.log.on_value(message.value())
        self._consumer.close()

    def leave(self) -> None:
        self._leaving.set()
        self._thread.join(SECONDS_MAX)


MEMBERS: dict[str, Member] = {}


def join(member: str, **options: Any) -> None:
    MEMBERS[member] = Member(**options)


# One for all: its requests end with it.
ADMIN = AdminClient(SERVER)


def create_topic(topic: str, partitions: int, configs: dict[str, str]) -> None:
    ADMIN.create_topics([NewTopic(topic, partitions, 1, config=configs)])[topic].result(SECONDS_MAX)


def topics() -> dict[str, int]:
    return {name: len(found.partitions) for name, found in ADMIN.list_topics(timeout=SECONDS_MAX).topics.items()}


def add_partitions(topic: str, partitions: int) -> None:
    ADMIN.create_partitions([NewPartitions(topic, partitions)])[topic].result(SECONDS_MAX)


def delete_topic(topic: str) -> None:
    ADMIN.delete_topics([topic])[topic].result(SECONDS_MAX)


def config(topic: str, name: str) -> str:
    resource = ConfigResource(ResourceType.TOPIC, topic)
    return str(ADMIN.describe_configs([resource])[resource].result(SECONDS_MAX)[name].value)


def set_config(topic: str, name: str, value: str) -> None:
    entry = ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ResourceType.TOPIC, topic, incremental_configs=[entry])
    ADMIN.incremental_alter_configs([resource])[resource].result(SECONDS_MAX)


def groups() -> list[str]:
    return [one.group_id for one in ADMIN.list_consumer_groups().result(SECONDS_MAX).valid]


def describe_group(group: str) -> dict[str, Any]:
    described = ADMIN.describe_consumer_groups([group])[group].result(SECONDS_MAX)
    return {"state": described.state.name, "members": len(described.members)}


def committed(group: str, topic: str) -> dict[int, int]:
    asked = ADMIN.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)])
    found = asked[group].result(SECONDS_MAX).topic_partitions
    return {one.partition: one.offset for one in found if one.topic == topic}


def delete_group(group: str) -> None:
    ADMIN.delete_consumer_groups([group])[group].result(SECONDS_MAX)


def transact(topic: str, transactional_id: str) -> None:
    producer = Producer(SERVER | {"transactional.id": transactional_id})
    producer.init_transactions(SECONDS_MAX)
    producer.begin_transaction()
    producer.produce(topic, b"in a transaction")
    producer.commit_transaction(SECONDS_MAX)


serve(
    {
        "version": version,
        "produce": produce,
        "consume": consume,
        "join": join,
        "member": lambda member: MEMBERS[member].log.shown(),
        "leave": lambda member: MEMBERS[member].leave(),
        "create_topic": create_topic,
        "topics": topics,
        "add_partitions": add_partitions,
        "delete_topic": delete_topic,
        "config": config,
        "set_config": set_config,
        "groups": groups,
        "describe_group": describe_group,
        "committed": committed,
        "delete_group": delete_group,
        "transact": transact,
    }
)
