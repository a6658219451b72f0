"""Examining a topic whose producers know nothing of Chronik: every replica by itself, and one against another.

What can be known that way, and what cannot, is told with the result.
"""

import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, NamedTuple

from chronik.audit.capture.observer_wire import Served, ask_log_ends, ask_log_starts, ask_served, problem_text
from chronik.audit.capture.replica_reading import ReplicaPlace, read_replica
from chronik.audit.capture.stored_rows import marker_type
from chronik.audit.capture.topic import configs_of
from chronik.audit.topic.examination import (
    BUCKET_BITS,
    Examination,
    Noted,
    Oddity,
    differing_buckets,
    first_difference,
)
from chronik.client.admin import Admin
from chronik.client.cluster import Cluster
from chronik.client.cluster_view import PartitionInfo
from chronik.client.errors import ClientError, SettingsRefusedError
from chronik.protocol.constants import CONSUMER_REPLICA_ID, DEBUGGING_CONSUMER_ID
from chronik.records.batch import BatchHeader, crc_is_right, walk

_BUCKETS_NAMED_MAX: Final = 10


class ReadBatch(NamedTuple):
    """A batch: its header, whether its checksum is right, and which marker it is, if it is one."""

    header: BatchHeader
    is_whole: bool
    marker: int | None


class Weight(StrEnum):
    """How much a finding says."""

    WRONG = "wrong"
    """A broken promise, independent of the producer."""
    UNEXPLAINED = "unexplained"
    """Something is not there, and what is left does not say why."""
    SHOWN = "shown"
    """Not wrong by itself."""


WEIGHTS: Final = {
    Oddity.OVERLAP: Weight.WRONG,
    Oddity.DAMAGED: Weight.WRONG,
    Oddity.EPOCH_FELL: Weight.WRONG,
    Oddity.SEQUENCE_TWICE: Weight.WRONG,
    Oddity.OLD_PRODUCER_EPOCH: Weight.WRONG,
    Oddity.GAP: Weight.UNEXPLAINED,
    Oddity.SEQUENCE_GAP: Weight.UNEXPLAINED,
    Oddity.TIME_FELL: Weight.SHOWN,
    Oddity.FROM_THE_FUTURE: Weight.SHOWN,
    Oddity.OPEN_TRANSACTION: Weight.SHOWN,
}
_LEFT_BY_COMPACTION: Final = frozenset({Oddity.GAP, Oddity.SEQUENCE_GAP})
assert set(WEIGHTS) == set(Oddity), "every oddity has its weight"


@dataclass(frozen=True, slots=True)
class TopicFinding:
    """Something that was found in one replica, or between two."""

    kind: str
    weight: Weight
    partition: int
    node: int
    first_offset: int
    end_offset: int
    text: str


@dataclass(slots=True)
class ReplicaFacts:
    """One replica: its bounds, and what its batches say."""

    partition: int
    node: int
    is_leader: bool
    is_in_sync: bool
    log_start: int = -1
    high_watermark: int = -1
    last_stable: int = -1
    log_end: int = -1
    examination: Examination | None = None
    problem: str = ""

    @property
    def read_end(self) -> int:
        """Up to where it was read."""
        examined = self.examination
        return self.log_start if examined is None or examined.next_offset < 0 else examined.next_offset


@dataclass(slots=True)
class TopicAudit:
    """All that was found."""

    topic: str
    topic_id: str
    configs: dict[str, str]
    replicas: list[ReplicaFacts] = field(default_factory=list)
    findings: list[TopicFinding] = field(default_factory=list)

    @property
    def is_compacted(self) -> bool:
        return "compact" in self.configs.get("cleanup.policy", "")

    @property
    def exit_code(self) -> int:
        """0: no fault found; 1: a fault; 2: unknown."""
        weights = {finding.weight for finding in self.findings}
        if Weight.WRONG in weights:
            return 1
        has_unread = any(replica.problem for replica in self.replicas)
        return 2 if Weight.UNEXPLAINED in weights or has_unread else 0

    def leaders(self) -> list[ReplicaFacts]:
        return [replica for replica in self.replicas if replica.is_leader]

    def unknowable(self) -> list[str]:
        """Return what cannot be known of this topic without ledgers."""
        return [text for text, applies in _unknowable(self) if applies]


def _unknowable(audit: TopicAudit) -> Sequence[tuple[str, bool]]:
    examined = [replica.examination for replica in audit.leaders() if replica.examination is not None]
    batches = sum(one.batches - one.control_batches for one in examined)
    idempotent = sum(one.idempotent_batches for one in examined)
    unread = [r for r in audit.replicas if r.examination is not None and r.read_end < r.log_end]
    starts = any(replica.log_start > 0 for replica in audit.leaders())
    return (
        ("what was acknowledged and is not there: what was sent was not recorded", True),
        ("deliveries and their latency: deliveries were not recorded", True),
        ("whether an idempotent producer's last messages are missing: its numbers just end", idempotent > 0),
        (
            f"losses, doubles and order of {batches - idempotent:,} of {batches:,} batches, which have no sequence "
            "numbers: their producers are not idempotent",
            batches > idempotent,
        ),
        ("what lay below the log start: it is deleted", starts),
        (
            "whether gaps hide losses, and whether replicas agree: compaction leaves gaps, on each broker by itself",
            audit.is_compacted,
        ),
        (
            f"what {len(unread)} of {len(audit.replicas)} replicas hold above where this cluster shows them",
            bool(unread),
        ),
        ("whether values are what was sent: checksums prove the batches only as the brokers keep them", True),
    )


async def audit_topic(
    cluster: Cluster,
    topic: str,
    chosen: Sequence[int] = (),
    on_progress: Callable[[int], None] = lambda records: None,
) -> TopicAudit:
    """Examine a topic, or some partitions of it."""
    view = await Admin(cluster).describe_topic(topic)
    if missing := sorted(set(chosen) - set(view.partitions)):
        raise SettingsRefusedError(f"topic {topic} has no partition {missing[0]}, only 0 to {max(view.partitions)}")
    audit = TopicAudit(topic, str(view.topic_id), await configs_of(cluster, topic))
    for index in sorted(chosen) or sorted(view.partitions):
        one = _PartitionAudit(cluster, audit, view.partitions[index], on_progress)
        await one.run()
    return audit


class _PartitionAudit:
    """All replicas of one partition."""

    def __init__(
        self, cluster: Cluster, audit: TopicAudit, partition: PartitionInfo, on_progress: Callable[[int], None]
    ) -> None:
        self._cluster = cluster
        self._audit = audit
        self._partition = partition
        self._on_progress = on_progress
        self._replicas = [
            ReplicaFacts(partition.index, node, node == partition.leader, node in partition.isr)
            for node in sorted(partition.replicas, key=lambda node: (node != partition.leader, node))
        ]

    async def run(self) -> None:
        await self._find_bounds()
        reachable = [replica for replica in self._replicas if replica.log_end >= 0]
        start = max((replica.log_start for replica in reachable), default=0)
        end = min((replica.log_end for replica in reachable), default=0)
        for replica in reachable:
            await self._examine(replica, range(max(start, 0), max(start, end, 0)))
        self._audit.replicas += self._replicas
        self._judge_bounds()
        for replica in self._replicas:
            self._audit.findings += self._found_in(replica)
        await self._compare()

    async def _find_bounds(self) -> None:
        """Ask for watermarks first and for log ends then, as the observer does."""
        for replica in self._replicas:
            try:
                served = await self._served(replica)
                starts = await ask_log_starts(self._cluster, replica.node, self._audit.topic, [replica.partition])
            except ClientError as error:
                replica.problem = problem_text(error)
                continue
            replica.log_start = max(served.log_start, starts.get(replica.partition, -1))
            replica.high_watermark, replica.last_stable = served.high_watermark, served.last_stable
        for replica in self._replicas:
            if replica.problem:
                continue
            try:
                ends = await ask_log_ends(self._cluster, replica.node, self._audit.topic, [replica.partition])
            except ClientError as error:
                replica.problem = problem_text(error)
                continue
            replica.log_end = ends[replica.partition].log_end
            replica.problem = ends[replica.partition].error

    async def _served(self, replica: ReplicaFacts) -> Served:
        replica_id = CONSUMER_REPLICA_ID if replica.is_leader else DEBUGGING_CONSUMER_ID
        ends = await ask_log_ends(self._cluster, replica.node, self._audit.topic, [replica.partition])
        offsets = {replica.partition: max(ends[replica.partition].log_end, 0)}
        served = await ask_served(self._cluster, replica.node, self._audit.topic, offsets, replica_id)
        return served.get(replica.partition, Served())

    async def _examine(self, replica: ReplicaFacts, compared: range) -> None:
        examination = Examination(int(time.time() * 1000), compared)
        try:
            async for batch in self._batches(replica, replica.log_start, replica.log_end):
                examination.take(batch.header, is_whole=batch.is_whole, marker=batch.marker)
                self._on_progress(batch.header.record_count)
        except (ClientError, ValueError) as error:
            replica.problem = problem_text(error)
        examination.end()
        replica.examination = examination

    def _batches(self, replica: ReplicaFacts, begin: int, end: int) -> AsyncIterator[ReadBatch]:
        place = ReplicaPlace(self._audit.topic, replica.partition, replica.node, DEBUGGING_CONSUMER_ID)
        return _read_batches(self._cluster, place, max(begin, 0), end)

    def _judge_bounds(self) -> None:
        for replica in self._replicas:
            if replica.log_end >= 0 and replica.high_watermark > replica.log_end:
                text = f"the watermark {replica.high_watermark:,} is above the log end {replica.log_end:,}"
                self._add("watermark-above-end", replica, text)
            if replica.log_start > replica.high_watermark >= 0:
                text = f"the log start {replica.log_start:,} is above the watermark {replica.high_watermark:,}"
                self._add("start-above-watermark", replica, text)
        leader = next((replica for replica in self._replicas if replica.is_leader), None)
        for replica in self._replicas:
            if leader is not None and replica.is_in_sync and 0 <= replica.log_end < leader.high_watermark:
                text = (
                    f"in sync, and its log ends at {replica.log_end:,}, below the watermark {leader.high_watermark:,}"
                )
                self._add("in-sync-below-watermark", replica, text)

    def _add(self, kind: str, replica: ReplicaFacts, text: str, first: int = -1, end: int = -1) -> None:
        finding = TopicFinding(kind, Weight.WRONG, replica.partition, replica.node, first, end, text)
        self._audit.findings.append(finding)

    def _found_in(self, replica: ReplicaFacts) -> list[TopicFinding]:
        noted = [] if replica.examination is None else replica.examination.noted
        return [self._finding(replica, one) for one in noted]

    def _finding(self, replica: ReplicaFacts, noted: Noted) -> TopicFinding:
        weight = WEIGHTS[noted.oddity]
        if self._audit.is_compacted and noted.oddity in _LEFT_BY_COMPACTION:
            weight = Weight.SHOWN
        place = (replica.partition, replica.node, noted.first_offset, noted.end_offset)
        return TopicFinding(str(noted.oddity), weight, *place, noted.text)

    async def _compare(self) -> None:
        """Compare what all replicas should hold alike, bucket by bucket, and name where two of them part."""
        examined = [(r, r.examination) for r in self._replicas if r.examination is not None and not r.problem]
        if self._audit.is_compacted or len(examined) < 2:
            return
        first, own = examined[0]
        for other, examination in examined[1:]:
            for bucket in differing_buckets(own, examination)[:_BUCKETS_NAMED_MAX]:
                text = await self._difference(first, other, bucket, own.compared)
                begin, end = bucket << BUCKET_BITS, (bucket + 1) << BUCKET_BITS
                self._add("replicas-differ", other, f"differs from broker {first.node} {text}", begin, end)

    async def _difference(self, one: ReplicaFacts, other: ReplicaFacts, bucket: int, compared: range) -> str:
        begin = max(bucket << BUCKET_BITS, compared.start)
        end = min((bucket + 1) << BUCKET_BITS, compared.stop)
        headers = [[b.header async for b in self._batches(r, begin, end)] for r in (one, other)]
        kept = [[h for h in own if h.base_offset >= begin and h.next_offset <= compared.stop] for own in headers]
        return first_difference(*kept)


def as_json(audit: TopicAudit) -> dict[str, Any]:
    """Spell everything for machines."""
    return {
        "topic": audit.topic,
        "topic_id": audit.topic_id,
        "exit_code": audit.exit_code,
        "replicas": [_replica_json(replica) for replica in audit.replicas],
        "findings": [{name: getattr(finding, name) for name in TopicFinding.__slots__} for finding in audit.findings],
        "cannot_be_known": audit.unknowable(),
        "configs": audit.configs,
    }


_EXAMINED: Final = (
    "batches", "records", "size_bytes", "control_batches", "transactional_batches", "idempotent_batches", "producers",
    "first_time_ms", "last_time_ms",
)  # fmt: skip


def _replica_json(replica: ReplicaFacts) -> dict[str, Any]:
    own = ("partition", "node", "is_leader", "is_in_sync", "log_start", "high_watermark", "last_stable", "log_end")
    examined = replica.examination
    return {
        **{name: getattr(replica, name) for name in (*own, "read_end", "problem")},
        **({} if examined is None else {name: getattr(examined, name) for name in _EXAMINED}),
        "counts": {} if examined is None else {str(oddity): count for oddity, count in examined.counts.items()},
    }


async def _read_batches(
    cluster: Cluster, place: ReplicaPlace, begin_offset: int, end_offset: int
) -> AsyncIterator[ReadBatch]:
    """Read the batches from an offset up to another, or as far as the broker returns them; records are not decoded."""
    async for portion in read_replica(cluster, place, begin_offset, end_offset):
        for batch in _batches(portion.data, portion.from_offset):
            yield batch


def _batches(data: bytes, from_offset: int) -> Iterator[ReadBatch]:
    for position, header in walk(data):
        if header.next_offset > from_offset:
            is_whole = crc_is_right(data, position, header.size_bytes)
            batch = data[position : position + header.size_bytes] if header.is_control and is_whole else None
            yield ReadBatch(header, is_whole, None if batch is None else marker_type(batch))
