"""The image: the cluster metadata at one revision, built only by replaying the store's changes.

An image never changes. ``replay`` returns the next one, which shares all unchanged parts: the cost is that of the
changed topics and of copying maps of pointers. Replaying valid changes cannot fail. A broken invariant (an epoch that
falls, a leader outside the ISR) stops the broker by an assertion before it can do harm.
"""

from collections.abc import Callable, Iterator, Mapping, Set
from types import MappingProxyType
from typing import Final, NamedTuple

from chronik.metadata.image import keys
from chronik.metadata.image.entities import (
    BrokerImage,
    ConfigImage,
    ControllerImage,
    HostImage,
    PartitionImage,
    ProducerIds,
    TopicImage,
    check_state,
    check_succession,
)
from chronik.metadata.image.keys import TopicRecord
from chronik.metadata.stores.port import ABSENT, Change, ChangeBatch, RangeResult, StoreEntry
from chronik.model.ids import BrokerEpoch, BrokerId, Revision, TopicId

__all__ = [
    "BrokerImage",
    "ConfigImage",
    "ControllerImage",
    "HostImage",
    "Image",
    "PartitionId",
    "PartitionImage",
    "PartitionPlace",
    "ProducerIds",
    "TopicImage",
]

PartitionId = tuple[TopicId, int]
PartitionPlace = tuple[TopicImage, int, PartitionImage]
_Record = tuple[TopicRecord, Revision]


class Image(NamedTuple):
    """The cluster metadata at one revision of the store."""

    revision: Revision = ABSENT
    cluster_id: str | None = None
    brokers: Mapping[BrokerId, BrokerImage] = MappingProxyType({})
    topics: Mapping[str, TopicImage] = MappingProxyType({})
    names: Mapping[TopicId, str] = MappingProxyType({})
    names_by_key: Mapping[str, str] = MappingProxyType({})
    broker_configs: Mapping[BrokerId | None, ConfigImage] = MappingProxyType({})
    producer_ids: ProducerIds = ProducerIds()
    partition_count: int = 0
    unclaimed: Mapping[TopicId, Mapping[int, PartitionImage]] = MappingProxyType({})
    """Stored partitions without a topic: of one that is being created or deleted, or left by a crash."""
    controller: ControllerImage | None = None
    hosts: Mapping[BrokerId, HostImage] = MappingProxyType({})
    unsettled: frozenset[PartitionId] = frozenset()
    """Partitions that may need the controller, maintained incrementally so that it need not visit all partitions."""

    @classmethod
    def load(cls, snapshot: RangeResult) -> "Image":
        """Return the image of a whole store."""
        changes = tuple(Change(entry.key, entry) for entry in snapshot.entries)
        return cls().replay(ChangeBatch(snapshot.revision, changes))

    @property
    def next_revision(self) -> Revision:
        """The first revision that the watch must deliver."""
        return Revision(self.revision + 1)

    def topic_by_id(self, topic_id: TopicId) -> TopicImage | None:
        name = self.names.get(topic_id)
        return None if name is None else self.topics[name]

    def topic_at(self, key: str) -> TopicImage | None:
        """Return the topic with this store key."""
        name = self.names_by_key.get(key)
        return None if name is None else self.topics[name]

    def partition(self, topic: str, index: int) -> PartitionImage | None:
        found = self.topics.get(topic)
        return found.partitions[index] if found and 0 <= index < len(found.partitions) else None

    def configs_of_broker(self, broker_id: BrokerId | None) -> Mapping[str, str]:
        """Return the dynamic configs of one broker, or with None those of all brokers."""
        found = self.broker_configs.get(broker_id)
        return found.values if found else {}

    def may_lead(self, broker_id: BrokerId) -> bool:
        """Return whether a broker may become a leader: registered, not lossy, not stopping."""
        host = self.hosts.get(broker_id)
        return broker_id in self.brokers and not (host and (host.is_lossy or host.is_stopping))

    def all_partitions(self) -> Iterator[PartitionPlace]:
        for topic in self.topics.values():
            for index, partition in enumerate(topic.partitions):
                yield topic, index, partition

    def partitions_led_by(self, broker_id: BrokerId) -> Iterator[PartitionPlace]:
        return (place for place in self.all_partitions() if place[2].leader == broker_id)

    def unsettled_partitions(self) -> Iterator[PartitionPlace]:
        """Return the partitions that may need the controller, by name and index."""
        for name, index in sorted((self.names[topic_id], index) for topic_id, index in self.unsettled):
            topic = self.topics[name]
            yield topic, index, topic.partitions[index]

    def replay(self, batch: ChangeBatch) -> "Image":
        """Return the image after one more transaction."""
        assert batch.revision > self.revision or not batch.changes, (
            f"revision {batch.revision} was replayed on an image of revision {self.revision}"
        )
        draft = _Draft(self)
        for change in batch.changes:
            draft.apply(change)
        return draft.finish(batch.revision)


class _Draft:
    """The next image under construction: a map is copied at its first change."""

    def __init__(self, base: Image) -> None:
        self._base = base
        self._cluster_id = base.cluster_id
        self._producer_ids = base.producer_ids
        self._controller = base.controller
        self._hosts: dict[BrokerId, HostImage] | None = None
        self._brokers: dict[BrokerId, BrokerImage] | None = None
        self._broker_configs: dict[BrokerId | None, ConfigImage] | None = None
        self._records: dict[str, _Record | None] = {}
        self._partitions: dict[TopicId, dict[int, PartitionImage | None]] = {}

    def apply(self, change: Change) -> None:
        for prefix, handler in _HANDLERS:
            if change.key.startswith(prefix):
                handler(self, change.key, change.entry)
                return

    def finish(self, revision: Revision) -> Image:
        image = self._base._replace(
            revision=revision,
            cluster_id=self._cluster_id,
            producer_ids=self._producer_ids,
            controller=self._controller,
            hosts=self._base.hosts if self._hosts is None else self._hosts,
            brokers=self._base.brokers if self._brokers is None else self._brokers,
            broker_configs=self._base.broker_configs if self._broker_configs is None else self._broker_configs,
        )
        if self._records or self._partitions:
            image = self._with_topics(image)
        return image._replace(unsettled=self._unsettled(image))

    def on_cluster(self, key: str, entry: StoreEntry | None) -> None:
        assert entry is not None, "the cluster's id was deleted"
        cluster_id = keys.decode_cluster(entry.value)
        assert self._cluster_id in (None, cluster_id), (
            f"the cluster's id changed from {self._cluster_id} to {cluster_id}"
        )
        self._cluster_id = cluster_id

    def on_producer_ids(self, key: str, entry: StoreEntry | None) -> None:
        assert entry is not None, "the producer ids were deleted"
        after = ProducerIds(keys.decode_producer_ids(entry.value), entry.mod_revision)
        assert after.next_producer_id >= self._producer_ids.next_producer_id, "producer ids would be handed out twice"
        self._producer_ids = after

    def on_controller(self, key: str, entry: StoreEntry | None) -> None:
        held = entry and ControllerImage(keys.decode_controller(entry.value), entry.create_revision)
        self._controller = held

    def on_host(self, key: str, entry: StoreEntry | None) -> None:
        if self._hosts is None:
            self._hosts = dict(self._base.hosts)
        broker_id = BrokerId(int(key.removeprefix(keys.HOSTS)))
        if entry is None:
            self._hosts.pop(broker_id, None)
            return
        self._hosts[broker_id] = HostImage.of(keys.decode_host(entry.value), entry.mod_revision)

    def on_broker(self, key: str, entry: StoreEntry | None) -> None:
        if self._brokers is None:
            self._brokers = dict(self._base.brokers)
        if entry is None:
            self._brokers.pop(BrokerId(int(key.removeprefix(keys.BROKERS))), None)
            return
        registration = keys.decode_registration(entry.value)
        broker = BrokerImage(registration, BrokerEpoch(entry.create_revision), entry.mod_revision)
        self._brokers[registration.broker_id] = broker

    def on_broker_config(self, key: str, entry: StoreEntry | None) -> None:
        if self._broker_configs is None:
            self._broker_configs = dict(self._base.broker_configs)
        broker_id = keys.parse_broker_config_key(key)
        if entry is None:
            self._broker_configs.pop(broker_id, None)
        else:
            self._broker_configs[broker_id] = ConfigImage(keys.decode_configs(entry.value), entry.mod_revision)

    def on_topic(self, key: str, entry: StoreEntry | None) -> None:
        self._records[key] = (keys.decode_topic(entry.value), entry.mod_revision) if entry else None

    def on_partition(self, key: str, entry: StoreEntry | None) -> None:
        topic_id, index = keys.parse_partition_key(key)
        changed = self._partitions.setdefault(topic_id, {})
        changed[index] = after = _partition_image(entry) if entry else None
        topic = self._base.topic_by_id(topic_id)
        if after and topic and index < len(topic.partitions):
            # A partition without a topic never had a leader; one that a crash left behind may be overwritten.
            check_succession(key, topic.partitions[index], after)

    def _known_partitions(self, topic_id: TopicId) -> dict[int, PartitionImage]:
        topic = self._base.topic_by_id(topic_id)
        claimed = dict(enumerate(topic.partitions)) if topic else {}
        known = claimed | dict(self._base.unclaimed.get(topic_id, {})) | self._partitions.get(topic_id, {})
        return {index: partition for index, partition in known.items() if partition}

    def _with_topics(self, image: Image) -> Image:
        touched = self._touched_topics()
        changed = {topic_id: self._with_changed_partitions(topic_id) for topic_id in touched}
        if not self._records and all(changed.values()):
            topics = dict(image.topics)
            topics.update((topic.name, topic) for topic in changed.values() if topic)
            return image._replace(topics=topics)
        maps = _TopicMaps(image)
        for topic_id in touched:
            maps.remove(topic_id)
        for topic_id, record in touched.items():
            maps.add(topic_id, record, self._known_partitions(topic_id))
        return maps.finish(image)

    def _with_changed_partitions(self, topic_id: TopicId) -> TopicImage | None:
        """Return a topic of which only partitions changed, by far the most frequent case; None otherwise."""
        topic = self._base.topic_by_id(topic_id)
        if topic is None:
            return None
        partitions = list(topic.partitions)
        for index, after in self._partitions.get(topic_id, {}).items():
            if after is None or index >= len(partitions):
                return None
            partitions[index] = after
        return topic._replace(partitions=tuple(partitions))

    def _unsettled(self, image: Image) -> frozenset[PartitionId]:
        """Check changed partitions again, and all unsettled ones when a broker has registered."""
        before, after = self._base.brokers.keys(), image.brokers.keys()
        if before == after and not self._records and not self._partitions:
            return image.unsettled
        touched = self._touched_topics()
        somebody_came = bool(after - before)
        doubtful = {place for place in image.unsettled if somebody_came or place[0] in touched}
        unsettled = set(image.unsettled - doubtful)
        for topic_id in touched:
            doubtful.update(self._changed_partitions(image.topic_by_id(topic_id)))
        unsettled.update(place for place in doubtful if not _is_settled(image, place))
        return frozenset(unsettled.union(_with_members(image, before - after)))

    def _changed_partitions(self, topic: TopicImage | None) -> Iterator[PartitionId]:
        if topic is None:
            return
        before = self._base.topic_by_id(topic.id)
        known = len(before.partitions) if before else 0
        yield from ((topic.id, index) for index in range(known, len(topic.partitions)))
        yield from ((topic.id, index) for index in self._partitions.get(topic.id, ()) if index < known)

    def _touched_topics(self) -> dict[TopicId, _Record | None]:
        """Return every changed topic with its new record, or None where it was deleted."""
        touched = {topic_id: _record_of(self._base.topic_by_id(topic_id)) for topic_id in self._partitions}
        for key in self._records:
            before = self._base.topic_at(key)
            if before:
                touched[before.id] = None
        touched.update({record[0].id: record for record in self._records.values() if record})
        return touched


class _TopicMaps:
    """The topic maps of an image under construction."""

    def __init__(self, image: Image) -> None:
        self._topics = dict(image.topics)
        self._names = dict(image.names)
        self._names_by_key = dict(image.names_by_key)
        self._unclaimed = dict(image.unclaimed)
        self._partition_count = image.partition_count

    def remove(self, topic_id: TopicId) -> None:
        self._unclaimed.pop(topic_id, None)
        name = self._names.pop(topic_id, None)
        if name is not None:
            del self._names_by_key[keys.topic_key(name)]
            self._partition_count -= len(self._topics.pop(name).partitions)

    def add(self, topic_id: TopicId, record: _Record | None, partitions: Mapping[int, PartitionImage]) -> None:
        count = record[0].partition_count if record else 0
        unclaimed = {index: partition for index, partition in partitions.items() if index >= count}
        if unclaimed:
            self._unclaimed[topic_id] = unclaimed
        if record:
            topic = _topic_image(*record, partitions)
            self._topics[topic.name] = topic
            self._names[topic_id] = topic.name
            self._names_by_key[keys.topic_key(topic.name)] = topic.name
            self._partition_count += count

    def finish(self, image: Image) -> Image:
        return image._replace(
            topics=self._topics,
            names=self._names,
            names_by_key=self._names_by_key,
            unclaimed=self._unclaimed,
            partition_count=self._partition_count,
        )


def _record_of(topic: TopicImage | None) -> _Record | None:
    return (topic.record, topic.revision) if topic else None


def _topic_image(record: TopicRecord, revision: Revision, partitions: Mapping[int, PartitionImage]) -> TopicImage:
    missing = [index for index in range(record.partition_count) if index not in partitions]
    assert not missing, f"topic {record.name} was written before its partitions {missing[:10]}"
    ordered = tuple(partitions[index] for index in range(record.partition_count))
    return TopicImage(record.name, record.id, ordered, record.configs, revision)


def _with_members(image: Image, brokers: Set[BrokerId]) -> Iterator[PartitionId]:
    """Return the partitions with one of the brokers in their ISR."""
    if brokers:
        for topic, index, partition in image.all_partitions():
            if not brokers.isdisjoint(partition.isr):
                yield topic.id, index


def _is_settled(image: Image, place: PartitionId) -> bool:
    topic = image.topic_by_id(place[0])
    return topic is None or topic.partitions[place[1]].is_settled(image.brokers)


def _partition_image(entry: StoreEntry) -> PartitionImage:
    state = keys.decode_partition(entry.value)
    check_state(entry.key, state)
    return PartitionImage(*state, revision=entry.mod_revision)


_Handler = Callable[[_Draft, str, StoreEntry | None], None]
_HANDLERS: Final[tuple[tuple[str, _Handler], ...]] = (
    (keys.PARTITIONS, _Draft.on_partition),
    (keys.TOPICS, _Draft.on_topic),
    (keys.BROKERS, _Draft.on_broker),
    (keys.HOSTS, _Draft.on_host),
    (keys.CONTROLLER, _Draft.on_controller),
    (keys.BROKER_CONFIGS, _Draft.on_broker_config),
    (keys.PRODUCER_IDS, _Draft.on_producer_ids),
    (keys.CLUSTER, _Draft.on_cluster),
)
