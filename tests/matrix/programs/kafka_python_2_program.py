"""kafka-python 2.0.2 as a program of the matrix: as version 3, but for its admin client."""

import sys
from typing import Any

if sys.version_info >= (3, 12):
    # Its own copy of six cannot be imported by newer versions of Python; the package can.
    import six

    sys.modules["kafka.vendor.six.moves"] = six.moves

import kafka_python_program
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient, NewPartitions, NewTopic
from line_server import BOOTSTRAP


class Admin:
    """The admin client of version 2."""

    def __init__(self) -> None:
        self.client = KafkaAdminClient(bootstrap_servers=BOOTSTRAP, **kafka_python_program.PATIENT)

    def create_topic(self, topic: str, partitions: int, configs: dict[str, str]) -> None:
        self.client.create_topics([NewTopic(topic, partitions, 1, topic_configs=configs)])

    def topics(self) -> dict[str, int]:
        return {one["topic"]: len(one["partitions"]) for one in self.client.describe_topics()}

    def add_partitions(self, topic: str, partitions: int) -> None:
        self.client.create_partitions({topic: NewPartitions(partitions)})

    def delete_topic(self, topic: str) -> None:
        self.client.delete_topics([topic])

    def config(self, topic: str, name: str) -> str:
        resource = ConfigResource(ConfigResourceType.TOPIC, topic, {name: None})
        responses = self.client.describe_configs([resource])
        return str(responses[0].resources[0][4][0][1])

    def set_config(self, topic: str, name: str, value: str) -> None:
        self.client.alter_configs([ConfigResource(ConfigResourceType.TOPIC, topic, {name: value})])

    def groups(self) -> list[str]:
        return [name for name, _ in self.client.list_consumer_groups()]

    def describe_group(self, group: str) -> dict[str, Any]:
        described = self.client.describe_consumer_groups([group])[0]
        return {"state": described.state, "members": len(described.members)}

    def committed(self, group: str, topic: str) -> dict[int, int]:
        found = self.client.list_consumer_group_offsets(group)
        return {one.partition: position.offset for one, position in found.items() if one.topic == topic}

    def delete_group(self, group: str) -> None:
        for name, error in self.client.delete_consumer_groups([group]):
            if error.errno != 0:
                raise RuntimeError(f"{name}: {error}")


if __name__ == "__main__":
    kafka_python_program.serve_all(Admin, produce=kafka_python_program.produce)
