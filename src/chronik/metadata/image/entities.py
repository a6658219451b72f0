"""The entities of an image: brokers, hosts, topics, partitions, each with the revision that a change must compare."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from chronik.metadata.image.keys import Endpoint, Host, PartitionState, Registration, TopicRecord
from chronik.metadata.stores.port import ABSENT
from chronik.model.ids import (
    NO_BROKER,
    BrokerEpoch,
    BrokerId,
    LeaderEpoch,
    PartitionEpoch,
    ProducerId,
    Revision,
    TopicId,
)

FIRST_PRODUCER_ID: Final = ProducerId(0)


class PartitionImage(NamedTuple):
    """A partition's state, and the revision that a change must compare."""

    replicas: tuple[BrokerId, ...]
    isr: tuple[BrokerId, ...]
    leader: BrokerId
    leader_epoch: LeaderEpoch
    partition_epoch: PartitionEpoch
    min_insync: int
    elr: tuple[BrokerId, ...]
    last_known: tuple[BrokerId, ...]
    adding: tuple[BrokerId, ...]
    removing: tuple[BrokerId, ...]
    revision: Revision

    @property
    def state(self) -> PartitionState:
        """The state as stored under the partition's key."""
        return PartitionState(*self[:-1])

    @property
    def required_in_sync(self) -> int:
        """The number of in-sync replicas that the high watermark needs to move."""
        return self.state.required_in_sync

    def is_settled(self, live: Collection[BrokerId]) -> bool:
        """Return whether the controller has nothing to do: a leader, no dead ISR member, no reassignment."""
        if self.leader == NO_BROKER or self.adding or self.removing:
            return False
        return all(member in live for member in self.isr)


class TopicImage(NamedTuple):
    """An existing topic with all its partitions."""

    name: str
    id: TopicId
    partitions: tuple[PartitionImage, ...]
    configs: Mapping[str, str]
    revision: Revision

    @property
    def record(self) -> TopicRecord:
        """The topic as stored under its key."""
        return TopicRecord(self.name, self.id, len(self.partitions), self.configs)


class BrokerImage(NamedTuple):
    """A registered broker."""

    registration: Registration
    broker_epoch: BrokerEpoch
    revision: Revision

    @property
    def id(self) -> BrokerId:
        return self.registration.broker_id

    @property
    def rack(self) -> str | None:
        return self.registration.rack

    def endpoint(self, listener: str) -> Endpoint | None:
        """Return the broker's endpoint of a listener."""
        return next((endpoint for endpoint in self.registration.endpoints if endpoint.listener == listener), None)


class HostImage(NamedTuple):
    """The host record of a broker, registered or not."""

    directory_id: str
    boot_id: str
    broker_epoch: BrokerEpoch
    is_lossy: bool
    is_stopping: bool
    revision: Revision

    @classmethod
    def of(cls, host: Host, revision: Revision) -> "HostImage":
        broker_epoch = BrokerEpoch(revision) if host.broker_epoch is None else host.broker_epoch
        return cls(host.directory_id, host.boot_id, broker_epoch, host.is_lossy, host.is_stopping, revision)

    @property
    def host(self) -> Host:
        """The host as stored under its key, with its broker epoch."""
        return Host(*self[:-1])


class ControllerImage(NamedTuple):
    """The controller; ``created`` differs for each time the key was taken."""

    broker_id: BrokerId
    created: Revision


class ConfigImage(NamedTuple):
    """Dynamic configs of one broker, or of all."""

    values: Mapping[str, str]
    revision: Revision


class ProducerIds(NamedTuple):
    """The first producer id that is in no block yet."""

    next_producer_id: ProducerId = FIRST_PRODUCER_ID
    revision: Revision = ABSENT


def check_state(key: str, state: PartitionState) -> None:
    """Assert what must always hold for a partition."""
    isr, replicas = set(state.isr), set(state.replicas)
    assert state.leader == NO_BROKER or state.leader in isr, f"{key}: leader {state.leader} is not in sync"
    assert isr <= replicas, f"{key}: {state.isr} in sync, but the replicas are {state.replicas}"
    assert replicas.issuperset(state.elr), f"{key}: {state.elr} eligible, but the replicas are {state.replicas}"
    assert replicas.issuperset(state.last_known), f"{key}: {state.last_known} remembered, who hold no replica"
    assert isr.isdisjoint(state.elr), f"{key}: {state.elr} are eligible and in sync at once"
    assert state.min_insync >= 1, f"{key}: a minimum of {state.min_insync} in sync"
    moving = {*state.adding, *state.removing}
    assert len(moving) == len(state.adding) + len(state.removing), f"{key}: a replica is added and removed at once"
    assert moving <= replicas, f"{key}: {moving} are to be moved, but the replicas are {state.replicas}"


def check_succession(key: str, before: PartitionImage, after: PartitionImage) -> None:
    """Assert what must hold between two successive states of a partition."""
    assert after.leader_epoch >= before.leader_epoch, f"{key}: the leader epoch fell to {after.leader_epoch}"
    assert after.partition_epoch >= before.partition_epoch, (
        f"{key}: the partition epoch fell to {after.partition_epoch}"
    )
    assert after.leader == before.leader or after.leader_epoch > before.leader_epoch, (
        f"{key}: leader epoch {after.leader_epoch} belongs to {before.leader} and to {after.leader}"
    )
