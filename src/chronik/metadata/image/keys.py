"""The keys of the metadata store, and the JSON of their values.

===========================  ====================================================================================
``cluster``                  the cluster's id, written once
``controller``               the controller, as long as that broker's lease lasts
``brokers/<id>``             a registration, on the broker's lease; its create revision is the broker epoch
``hosts/<id>``               where the broker last ran, and whether it may have lost data there; outlives every lease
``topics/<collision key>``   name, id, partition count and configs of a topic
``partitions/<id>/<index>``  the state of one partition, under its topic's id
``configs/broker/<id>``      dynamic configs of one broker; ``configs/broker/default`` those of all
``producer-ids``             the first producer id that was never handed out in a block
===========================  ====================================================================================

A topic's key is made of its collision key, so that comparing the key with "absent" guards against both the same name
and one that differs only in ``.`` and ``_``. A topic exists when its topic key does: partitions are written before it
and deleted after it, and partitions without a topic are ignored.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple
from uuid import UUID

from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch, ProducerId, TopicId
from chronik.model.topics import collision_key

CLUSTER: Final = "cluster"
CONTROLLER: Final = "controller"
PRODUCER_IDS: Final = "producer-ids"
HOSTS: Final = "hosts/"
BROKERS: Final = "brokers/"
TOPICS: Final = "topics/"
PARTITIONS: Final = "partitions/"
BROKER_CONFIGS: Final = "configs/broker/"
_DEFAULT: Final = "default"
_STORED_NAMES: Final = {"broker_epoch": "incarnation", "closed_broker_epoch": "closed_incarnation"}
"""Members whose name in the stored JSON differs: stores and brokers of earlier versions use that name."""
_ENCODER: Final = json.JSONEncoder(separators=(",", ":"))
NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


class Endpoint(NamedTuple):
    """The address of a broker's listener."""

    listener: str
    host: str
    port: int
    security_protocol: str = "PLAINTEXT"


class Registration(NamedTuple):
    """A broker's registration."""

    broker_id: BrokerId
    endpoints: tuple[Endpoint, ...]
    rack: str | None = None
    directory_id: str = ""
    boot_id: str = ""
    closed_broker_epoch: int | None = None
    """The broker epoch in the clean-shutdown mark, if there was one."""
    http: str | None = None
    """The address of its HTTP server, as host:port; None without one."""


class Host(NamedTuple):
    """The record of a broker that outlives its registration, so that a lossy start is recognised."""

    directory_id: str
    boot_id: str
    broker_epoch: BrokerEpoch | None
    """The last registered epoch.

    None where the registration is part of the same transaction: its revision is the epoch.
    """
    is_lossy: bool = False
    """It may have lost records that it had reported, and has not left every ISR and ELR yet."""
    is_stopping: bool = False
    """It is in a controlled shutdown; the next registration clears this."""


class TopicRecord(NamedTuple):
    """A topic without its partitions' states."""

    name: str
    id: TopicId
    partition_count: int
    configs: Mapping[str, str] = NOTHING


class PartitionState(NamedTuple):
    """Replicas, ISR and leader of a partition; changed only by guarded transactions."""

    replicas: tuple[BrokerId, ...]
    isr: tuple[BrokerId, ...]
    leader: BrokerId
    leader_epoch: LeaderEpoch
    partition_epoch: PartitionEpoch
    min_insync: int
    elr: tuple[BrokerId, ...] = ()
    last_known: tuple[BrokerId, ...] = ()
    adding: tuple[BrokerId, ...] = ()
    """Replicas that a reassignment adds."""
    removing: tuple[BrokerId, ...] = ()
    """Replicas that are removed when all added ones are in sync."""

    @property
    def required_in_sync(self) -> int:
        """The number of in-sync replicas that the high watermark needs to move.

        Added replicas do not count yet, or a partition with a growing replication factor would block.
        """
        return min(self.min_insync, len(self.replicas) - len(self.adding))


def broker_key(broker_id: BrokerId) -> str:
    return f"{BROKERS}{broker_id}"


def host_key(broker_id: BrokerId) -> str:
    return f"{HOSTS}{broker_id}"


def topic_key(name: str) -> str:
    return f"{TOPICS}{collision_key(name)}"


def partition_key(topic_id: TopicId, index: int) -> str:
    return f"{PARTITIONS}{topic_id}/{index}"


def parse_partition_key(key: str) -> tuple[TopicId, int]:
    topic_id, _, index = key.removeprefix(PARTITIONS).partition("/")
    return UUID(topic_id), int(index)


def broker_config_key(broker_id: BrokerId | None) -> str:
    """Return the key of one broker's dynamic configs, or with None the key of all brokers' configs."""
    return f"{BROKER_CONFIGS}{_DEFAULT if broker_id is None else broker_id}"


def parse_broker_config_key(key: str) -> BrokerId | None:
    name = key.removeprefix(BROKER_CONFIGS)
    return None if name == _DEFAULT else BrokerId(int(name))


def encode_cluster(cluster_id: str) -> bytes:
    return _dump({"cluster_id": cluster_id})


def decode_cluster(value: bytes) -> str:
    return str(json.loads(value)["cluster_id"])


def encode_controller(broker_id: BrokerId) -> bytes:
    return _dump({"broker_id": broker_id})


def decode_controller(value: bytes) -> BrokerId:
    return BrokerId(json.loads(value)["broker_id"])


def encode_host(host: Host) -> bytes:
    return _dump(_stored(host._asdict()))


def decode_host(value: bytes) -> Host:
    return Host(**_named(json.loads(value)))


def encode_registration(registration: Registration) -> bytes:
    return _dump(_stored(registration._asdict()))


def decode_registration(value: bytes) -> Registration:
    members = _named(json.loads(value))
    members["endpoints"] = tuple(Endpoint(*endpoint) for endpoint in members["endpoints"])
    # A newer broker may store more fields.
    return Registration(**{name: value for name, value in members.items() if name in Registration._fields})


def encode_topic(topic: TopicRecord) -> bytes:
    return _dump(topic._asdict() | {"id": str(topic.id), "configs": dict(topic.configs)})


def decode_topic(value: bytes) -> TopicRecord:
    members = json.loads(value)
    return TopicRecord(**(members | {"id": UUID(members["id"])}))


def encode_partition(state: PartitionState) -> bytes:
    return _dump(state._asdict())


def decode_partition(value: bytes) -> PartitionState:
    members: dict[str, Any] = json.loads(value)
    for name, item in members.items():
        if type(item) is list:
            members[name] = tuple(item)
    return PartitionState(**members)


def encode_configs(configs: Mapping[str, str]) -> bytes:
    return _dump(dict(configs))


def decode_configs(value: bytes) -> dict[str, str]:
    configs: dict[str, str] = json.loads(value)
    return configs


def encode_producer_ids(next_producer_id: ProducerId) -> bytes:
    return _dump({"next_producer_id": next_producer_id})


def decode_producer_ids(value: bytes) -> ProducerId:
    return ProducerId(json.loads(value)["next_producer_id"])


def _stored(members: dict[str, Any]) -> dict[str, Any]:
    return {_STORED_NAMES.get(name, name): item for name, item in members.items()}


def _named(stored: dict[str, Any]) -> dict[str, Any]:
    for name, stored_name in _STORED_NAMES.items():
        if stored_name in stored:
            stored[name] = stored.pop(stored_name)
    return stored


def _dump(value: object) -> bytes:
    return _ENCODER.encode(value).encode()
