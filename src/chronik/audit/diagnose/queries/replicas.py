"""A query about replicas: whether the replicas in the ISR hold the same records below the watermark.

Every replica's records are summed up in buckets of offsets, batch by batch; only buckets whose sums differ are looked
at row by row.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from chronik.audit.diagnose.run_evidence import Numbers, RunEvidence
from chronik.audit.diagnose.symptoms import Symptom
from chronik.audit.tables.bitmaps import BUCKET_BITS
from chronik.audit.tables.columns import as_table, booleans, integers
from chronik.audit.tables.spans import written_spans
from chronik.audit.tables.stream_files import stream_batches
from chronik.audit.tables.words import counted, number, ranges

BUCKETS_LOOKED_AT_MAX: Final = 8
_SAME: Final = ("is_ours", "run", "producer", "sequence", "is_intact", "key_hash", "leader_epoch")
"""The fields that two copies of a record must have in common."""
_ODD: Final = np.uint64(0xBF58476D1CE4E5B9)
Row = dict[str, Any]
Place = tuple[int, int]
"""A replica: its node and its partition."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """The replicas of a partition that must hold the same records in a range of offsets."""

    partition: int
    leader: int
    followers: tuple[int, ...]
    begin: int
    end: int

    @property
    def places(self) -> set[Place]:
        return {(node, self.partition) for node in (self.leader, *self.followers)}


def differ(facts: RunEvidence) -> Iterator[Symptom]:
    """A replica in the ISR holds other records below the watermark than the leader, or none."""
    partitions = {one.partition: one for one in _compared(facts)}
    sums = _sums(facts, partitions)
    for partition, one in sorted(partitions.items()):
        own = sums[one.leader, partition]
        for node in one.followers:
            other = sums[node, partition]
            blocks = sorted(at for at in own.keys() | other.keys() if own.get(at) != other.get(at))
            if blocks and (found := _differences(facts, one, node, blocks[:BUCKETS_LOOKED_AT_MAX])):
                yield _symptom(one, node, found)


def _compared(facts: RunEvidence) -> Iterator[_Compared]:
    """Return the ranges to compare; compacted topics have none, because each broker compacts by itself."""
    run = facts.run
    if any("compact" in configs.get("cleanup.policy", "") for configs in (run.configs_begin, run.configs_end)):
        return
    spans = written_spans(facts.evidence)
    for leader in (span for span in spans if span.is_leader):
        served = facts.served(leader.partition)
        in_sync = set(served["isr"][-1]) if len(served["isr"]) else set()
        own = [span for span in spans if span.partition == leader.partition and span.node in in_sync | {leader.node}]
        begin = max(span.first_offset for span in own)
        followers = tuple(sorted(span.node for span in own if span is not leader))
        if followers:
            end = min(int(served["high_watermark"][-1]), *(span.end_offset for span in own))
            yield _Compared(leader.partition, leader.node, followers, begin, end)


def _sums(facts: RunEvidence, partitions: Mapping[int, _Compared]) -> dict[Place, dict[int, int]]:
    """Return a checksum per replica and bucket of offsets."""
    sums: dict[Place, dict[int, int]] = {place: defaultdict(int) for one in partitions.values() for place in one.places}
    for place, rows in _rows(facts, partitions, sums.keys()):
        offsets = integers(rows, "offset")
        blocks, which = np.unique(offsets >> BUCKET_BITS, return_inverse=True)
        totals = np.zeros(len(blocks), np.uint64)
        np.add.at(totals, which, _identities(rows, offsets))
        for block, total in zip(blocks.tolist(), totals.tolist(), strict=True):
            sums[place][block] = (sums[place][block] + total) % 2**64
    return sums


def _identities(rows: pa.Table, offsets: Numbers) -> Any:
    """Return a 64-bit hash for each record of its offset and the common fields."""
    mixed = offsets.astype(np.uint64)
    with np.errstate(over="ignore"):
        for name in _SAME:
            column = booleans(rows, name) if pa.types.is_boolean(rows.schema.field(name).type) else integers(rows, name)
            mixed = (mixed ^ column.astype(np.uint64)) * _ODD
            mixed ^= mixed >> np.uint64(29)
    return mixed


def _rows(
    facts: RunEvidence, partitions: Mapping[int, _Compared], wanted: Collection[Place]
) -> Iterator[tuple[Place, pa.Table]]:
    """Walk the records of some replicas, as far as they are compared."""
    for path in facts.evidence.stored_files() if wanted else ():
        for batch in stream_batches(path):
            nodes, at, offsets = (np.asarray(batch[name]) for name in ("node", "partition", "offset"))
            for node, partition in np.unique(np.stack([nodes, at]), axis=1).T.tolist():
                if (node, partition) in wanted:
                    one = partitions[partition]
                    mask = (nodes == node) & (at == partition) & (offsets >= one.begin) & (offsets < one.end)
                    yield (node, partition), as_table(batch.filter(pa.array(mask)))


def _differences(
    facts: RunEvidence, one: _Compared, follower: int, blocks: list[int]
) -> list[tuple[int, Row | None, Row | None]]:
    """Return the offsets at which the two differ, with what each has there."""
    found: dict[int, dict[int, Row]] = {one.leader: {}, follower: {}}
    for (node, _), rows in _rows(facts, {one.partition: one}, {(node, one.partition) for node in found}):
        mask = np.isin(integers(rows, "offset") >> BUCKET_BITS, blocks)
        found[node].update((row["offset"], row) for row in rows.filter(pa.array(mask)).to_pylist())
    own, other = found[one.leader], found[follower]
    both = ((at, own.get(at), other.get(at)) for at in sorted(own.keys() | other.keys()))
    return [each for each in both if _is_other(*each[1:])]


def _is_other(own: Row | None, other: Row | None) -> bool:
    """Whether copies differ; what the leader itself holds damaged says nothing of the follower."""
    if own is None or other is None:
        return True
    return own["is_intact"] and any(own[name] != other[name] for name in _SAME)


def _symptom(one: _Compared, follower: int, found: list[tuple[int, Row | None, Row | None]]) -> Symptom:
    at, own, other = found[0]
    places = [offset for offset, *_ in found]
    line = (
        f"partition {one.partition}: broker {follower}, in sync, differs from the leader, broker {one.leader}, at "
        f"{counted(len(places), 'offset')} below the watermark: {ranges(places)}"
    )
    first = f"at {number(at)} the leader has {_named(own)}, broker {follower} {_named(other)}"
    seen = own or other or {}
    since_us = seen["sent_us"] if seen.get("sent_us", -1) >= 0 else seen.get("timestamp_ms", -1) * 1000
    return Symptom(one.partition, since_us, -1, (line, first), len(places))


def _named(row: Row | None) -> str:
    if row is None:
        return "nothing"
    if not row["is_intact"]:
        return "a damaged record"
    name = f"message p{row['producer']}-{row['sequence']}" if row["is_ours"] else "a record of another program"
    return f"{name} of leader epoch {row['leader_epoch']}"
