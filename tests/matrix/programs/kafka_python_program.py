"""kafka-python as a program of the matrix: version 3, and what version 2.0.2 has in common with it."""

import threading
from typing import Any

import kafka
from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.coordinator.assignors.range import RangePartitionAssignor
from line_server import BOOTSTRAP, MemberLog, headers_from, record_of, serve, to_bytes

SECONDS_MAX = 60
# Version 2 gives up after two seconds without an answer to its first question.
PATIENT: dict[str, Any] = {"api_version_auto_timeout_ms": 30_000} if kafka.__version__.startswith("2.") else {}


def produce(
    topic: str, records: list[dict[str, Any]], codec: str, idempotent: bool, bytes_max: int, **settings: Any
) -> list[int]:
    producer = KafkaProducer(
        bootstrap_servers=BOOTSTRAP,
        compression_type=None if codec == "none" else codec,
        max_request_size=bytes_max + 100_000,
        acks="all",
        linger_ms=5,
        **PATIENT,
        **settings,
    )
    futures = [
        producer.send(topic, to_bytes(one["value"]), to_bytes(one["key"]), headers=headers_from(one)) for one in records
    ]
    offsets = [future.get(SECONDS_MAX).offset for future in futures]
    producer.close()
    return offsets


def consume(topic: str, count: int) -> list[dict[str, Any]]:
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP, consumer_timeout_ms=SECONDS_MAX * 1000, **PATIENT)
    consumer.assign([TopicPartition(topic, 0)])
    consumer.seek(TopicPartition(topic, 0), 0)
    found = [next(consumer) for _ in range(count)]
    consumer.close()
    return [record_of(one.key, one.value, one.headers) for one in found]


class Watcher(ConsumerRebalanceListener):
    """Writes down what is given and taken."""

    def __init__(self, log: MemberLog) -> None:
        self._log = log

    def on_partitions_assigned(self, assigned: Any) -> None:
        self._log.on_assigned([one.partition for one in assigned])

    def on_partitions_revoked(self, revoked: Any) -> None:
        self._log.on_revoked([one.partition for one in revoked])


class Member:
    """A consumer of a group, polled by a thread of its own."""

    def __init__(self, group: str, topic: str, session_ms: int, **settings: Any) -> None:
        self.log = MemberLog()
        self._topic = topic
        self._leaving = threading.Event()
        self._settings = {
            "group_id": group,
            "session_timeout_ms": session_ms,
            "heartbeat_interval_ms": 300,
            "auto_offset_reset": "earliest",
            "auto_commit_interval_ms": 500,
            **settings,
        }
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._poll(KafkaConsumer(bootstrap_servers=BOOTSTRAP, **PATIENT, **self._settings))
        except Exception as error:  # noqa: BLE001 -- told to whoever asks for the member
            self.log.on_error(error)

    def _poll(self, consumer: Any) -> None:
        consumer.subscribe([self._topic], listener=Watcher(self.log))
        # Version 3.0 joins again when it first learns of the topic's partitions, and forgets that join where a poll
        # ends meanwhile (with Apache Kafka too): here it learns of them first.
        consumer.topics()
        while not self._leaving.is_set():
            for records in consumer.poll(100).values():
                for record in records:
                    self.log.on_value(record.value)
        consumer.close()

    def leave(self) -> None:
        self._leaving.set()
        self._thread.join(SECONDS_MAX)


MEMBERS: dict[str, Any] = {}


def join(member: str, instance: str | None, cooperative: bool, **options: Any) -> None:
    assignor: Any = RangePartitionAssignor
    if cooperative:
        from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor

        assignor = CooperativeStickyAssignor
    static = {} if instance is None else {"group_instance_id": instance}
    MEMBERS[member] = Member(partition_assignment_strategy=[assignor], **static, **options)


class Admin:
    """The admin client of version 3."""

    def __init__(self) -> None:
        self.client = KafkaAdminClient(bootstrap_servers=BOOTSTRAP)

    def create_topic(self, topic: str, partitions: int, configs: dict[str, str]) -> None:
        options = {"num_partitions": partitions, "replication_factor": 1, "configs": configs}
        self.client.create_topics({topic: options})

    def topics(self) -> dict[str, int]:
        return {one["name"]: len(one["partitions"]) for one in self.client.describe_topics()}

    def add_partitions(self, topic: str, partitions: int) -> None:
        self.client.create_partitions({topic: partitions})

    def delete_topic(self, topic: str) -> None:
        self.client.delete_topics([topic])

    def config(self, topic: str, name: str) -> str:
        resource = kafka.admin.ConfigResource("TOPIC", topic)
        return str(self.client.describe_configs([resource])["topic"][topic][name]["value"])

    def set_config(self, topic: str, name: str, value: str) -> None:
        self.client.alter_configs([kafka.admin.ConfigResource("TOPIC", topic, {name: value})])

    def groups(self) -> list[str]:
        return [one["group_id"] for one in self.client.list_groups()]

    def describe_group(self, group: str) -> dict[str, Any]:
        described = self.client.describe_groups([group])[group]
        return {"state": described["group_state"], "members": len(described["members"])}

    def committed(self, group: str, topic: str) -> dict[int, int]:
        found = self.client.list_group_offsets(group)[group]
        return {one.partition: position.offset for one, position in found.items() if one.topic == topic}

    def delete_group(self, group: str) -> None:
        outcome = self.client.delete_groups([group])[group]
        if outcome != "OK":
            raise RuntimeError(outcome)


def transact(topic: str, transactional_id: str) -> None:
    producer = KafkaProducer(bootstrap_servers=BOOTSTRAP, transactional_id=transactional_id)
    try:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(topic, b"in a transaction").get(SECONDS_MAX)
        producer.commit_transaction()
    finally:
        producer.close(0)


def produce_as_asked(idempotent: bool, **options: Any) -> list[int]:
    return produce(idempotent=idempotent, enable_idempotence=idempotent, **options)


def serve_all(admin_class: type, **replaced: Any) -> None:
    """Serve with an admin client that is made when it is first needed."""
    admins: list[Any] = []

    def administer(name: str) -> Any:
        def call(**arguments: Any) -> Any:
            if not admins:
                admins.append(admin_class())
            return getattr(admins[0], name)(**arguments)

        return call

    serve(
        {
            "version": lambda: kafka.__version__,
            "produce": produce_as_asked,
            "consume": consume,
            "join": join,
            "member": lambda member: MEMBERS[member].log.shown(),
            "leave": lambda member: MEMBERS[member].leave(),
            "transact": transact,
            **{name: administer(name) for name in vars(Admin) if not name.startswith("_")},
            **replaced,
        }
    )


if __name__ == "__main__":
    serve_all(Admin)
