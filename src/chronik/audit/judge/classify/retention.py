"""What the settings of a topic may have removed: by age, by size, or because a later record has the same key."""

from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.tables.schemas import SendOutcome

_POLICY: Final = "cleanup.policy"
_RETENTION_MS_USUAL: Final = 7 * 24 * 3600 * 1000
_MARK_RETENTION_MS_USUAL: Final = 24 * 3600 * 1000
_US_PER_MS: Final = 1000


def is_compacted_topic(context: AuditContext) -> bool:
    """Return whether the topic was compacted at the begin or at the end of the run."""
    return any("compact" in policy for policy in _values(context, _POLICY))


def are_expired(sent_us: Ints, context: AuditContext) -> Flags:
    """Return which messages retention may have removed by the end of the run."""
    policies = _values(context, _POLICY)
    if policies and not any("delete" in policy for policy in policies):
        return np.zeros(len(sent_us), np.bool_)
    if any(int(value) >= 0 for value in _values(context, "retention.bytes")):
        return np.ones(len(sent_us), np.bool_)
    periods = [int(value) for value in _values(context, "retention.ms")] or [_RETENTION_MS_USUAL]
    limited = [period for period in periods if period >= 0]
    if not limited:
        return np.zeros(len(sent_us), np.bool_)
    due: Flags = sent_us + min(limited) * _US_PER_MS <= _end_us(context)
    return due


def _values(context: AuditContext, name: str) -> list[str]:
    facts = context.facts
    found = (facts.configs_begin.get(name), facts.configs_end.get(name))
    return [str(value) for value in found if value not in (None, "")]


def _end_us(context: AuditContext) -> int:
    """Return the last time that anything is known of."""
    samples = [int(seen.leader.times[-1]) for seen in context.watched.values() if len(seen.leader)]
    return max([context.facts.end_us, *(group.end_us for group in context.groups), *samples])


def latest_keys(stored: pa.Table) -> dict[tuple[int, int], int]:
    """Return the last offset at which each key is stored, by (partition, key hash)."""
    keyed = stored.filter(pa.compute.not_equal(stored.column("key_hash"), pa.scalar(0, pa.uint64())))
    return _highest(integers(keyed, "partition"), integers(keyed, "key_hash"), integers(keyed, "offset"))


def are_marks_due(sent_us: Ints, context: AuditContext) -> Flags:
    """Return which deletion marks compaction may have removed by the end of the run."""
    periods = [int(value) for value in _values(context, "delete.retention.ms")] or [_MARK_RETENTION_MS_USUAL]
    due: Flags = sent_us + min(periods) * _US_PER_MS <= _end_us(context)
    return due


def latest_deletions(sends: pa.Table, context: AuditContext) -> dict[tuple[int, int], int]:
    """Return the last acknowledged deletion mark of each key that compaction may have removed too."""
    is_mark = booleans(sends, "is_null") & (integers(sends, "outcome") == SendOutcome.ACKED)
    marks = sends.filter(pa.array(is_mark & are_marks_due(integers(sends, "sent_us"), context)))
    return _highest(integers(marks, "partition"), integers(marks, "key_hash"), integers(marks, "offset"))


def merge_latest(one: dict[tuple[int, int], int], other: dict[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Put two parts together."""
    merged = dict(one)
    for key, offset in other.items():
        merged[key] = max(merged.get(key, -1), offset)
    return merged


def _highest(partitions: Ints, hashes: Ints, offsets: Ints) -> dict[tuple[int, int], int]:
    order = np.argsort(offsets, kind="stable")
    keys = zip(partitions[order].tolist(), hashes[order].tolist(), strict=True)
    return dict(zip(keys, offsets[order].tolist(), strict=True))
