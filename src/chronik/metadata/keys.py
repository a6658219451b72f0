"""Where each fact stands in the store, and the JSON that its value is written in.

===========================  ====================================================================================
``cluster``                  the cluster's id, written once
``brokers/<id>``             a registration; its create revision is the broker's incarnation
``topics/<collision key>``   name, id, partition count and configs of a topic
``partitions/<id>/<index>``  the state of one partition, under its topic's id
``configs/broker/<id>``      dynamic configs of one broker; ``configs/broker/default`` those of all
``producer-ids``             the first producer id that was never handed out in a block
===========================  ====================================================================================

A topic's key is made of the form of its name in which names collide, so that comparing the key with "absent" guards
against both the same name and one that differs only in ``.`` and ``_``. A topic exists when its topic key does:
partitions are written before it and deleted after it, and those of no topic mean nothing.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple
from uuid import UUID

from chronik.model.ids import BrokerId, LeaderEpoch, PartitionEpoch, ProducerId, TopicId
from chronik.model.topics import collision_key

CLUSTER: Final = "cluster"
PRODUCER_IDS: Final = "producer-ids"
BROKERS: Final = "brokers/"
TOPICS: Final = "topics/"
PARTITIONS: Final = "partitions/"
BROKER_CONFIGS: Final = "configs/broker/"
_DEFAULT: Final = "default"
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Endpoint(NamedTuple):
    """Where clients reach a broker by one of its listeners."""

    listener: str
    host: str
    port: int
    security_protocol: str = "PLAINTEXT"


class Registration(NamedTuple):
    """What a broker says about itself when it starts."""

    broker_id: BrokerId
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None
    directory_id: str = ""
    boot_id: str = ""
    closed_incarnation: int | None = None
    """The incarnation that the clean-shutdown mark names, where there was a mark."""


class TopicRecord(NamedTuple):
    """A topic without its partitions' states."""

    name: str
    id: TopicId
    partition_count: int
    configs: Mapping[str, str] = NOTHING


class PartitionState(NamedTuple):
    """Who holds a partition and who leads it; changed only by guarded transactions."""

    replicas: tuple[BrokerId, ...]
    isr: tuple[BrokerId, ...]
    leader: BrokerId
    leader_epoch: LeaderEpoch
    partition_epoch: PartitionEpoch
    min_insync: int
    elr: tuple[BrokerId, ...] = ()
    last_known: tuple[BrokerId, ...] = ()


def broker_key(broker_id: BrokerId) -> str:
    return f"{BROKERS}{broker_id}"


def topic_key(name: str) -> str:
    return f"{TOPICS}{collision_key(name)}"


def partition_key(topic_id: TopicId, index: int) -> str:
    return f"{PARTITIONS}{topic_id}/{index}"


def parse_partition_key(key: str) -> tuple[TopicId, int]:
    topic_id, _, index = key.removeprefix(PARTITIONS).partition("/")
    return UUID(topic_id), int(index)


def broker_config_key(broker_id: BrokerId | None) -> str:
    """Name the key of one broker's dynamic configs, or with None of those that all brokers share."""
    return f"{BROKER_CONFIGS}{_DEFAULT if broker_id is None else broker_id}"


def parse_broker_config_key(key: str) -> BrokerId | None:
    name = key.removeprefix(BROKER_CONFIGS)
    return None if name == _DEFAULT else BrokerId(int(name))


def encode_cluster(cluster_id: str) -> bytes:
    return _dump({"cluster_id": cluster_id})


def decode_cluster(value: bytes) -> str:
    return str(json.loads(value)["cluster_id"])


def encode_registration(registration: Registration) -> bytes:
    return _dump(registration._asdict())


def decode_registration(value: bytes) -> Registration:
    members = json.loads(value)
    members["endpoints"] = tuple(Endpoint(*endpoint) for endpoint in members["endpoints"])
    return Registration(**members)


def encode_topic(topic: TopicRecord) -> bytes:
    return _dump(topic._asdict() | {"id": str(topic.id), "configs": dict(topic.configs)})


def decode_topic(value: bytes) -> TopicRecord:
    members = json.loads(value)
    return TopicRecord(**(members | {"id": UUID(members["id"])}))


_PARTITION_LISTS: Final = ("replicas", "isr", "elr", "last_known")


def encode_partition(state: PartitionState) -> bytes:
    return _dump(state._asdict())


def decode_partition(value: bytes) -> PartitionState:
    members = json.loads(value)
    return PartitionState(**(members | {name: tuple(members[name]) for name in _PARTITION_LISTS}))


def encode_configs(configs: Mapping[str, str]) -> bytes:
    return _dump(dict(configs))


def decode_configs(value: bytes) -> dict[str, str]:
    configs: dict[str, str] = json.loads(value)
    return configs


def encode_producer_ids(next_producer_id: ProducerId) -> bytes:
    return _dump({"next_producer_id": next_producer_id})


def decode_producer_ids(value: bytes) -> ProducerId:
    return ProducerId(json.loads(value)["next_producer_id"])


def _dump(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
