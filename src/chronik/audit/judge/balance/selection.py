"""Pass 2, in the tasks: the rows that do not balance, taken out of everything that is read a second time."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import distinct_buckets
from chronik.audit.judge.balance.reconcile import Unbalanced
from chronik.audit.judge.balance.splits import Side
from chronik.audit.judge.balance.summaries import of_run, only_of_log
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.tables.bitmaps import SUB_BUCKET_BITS, SUB_BUCKETS
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.tables.schemas import STORED

REORDERED: Final = "is_reordered"
"""The column that stored rows have in pass 2 beside their own."""
STORED_IN_PASS_2: Final = STORED.append(pa.field(REORDERED, pa.bool_(), nullable=False))


def select_sends(rows: pa.Table, unbalanced: Unbalanced) -> pa.Table:
    """Keep the sends of buckets that do not balance."""
    return rows.filter(pa.array(in_buckets(integers(rows, "producer"), integers(rows, "sequence"), unbalanced)))


def select_delivered(rows: pa.Table, unbalanced: Unbalanced, context: AuditContext) -> pa.Table:
    """Keep the deliveries of buckets that do not balance, and unreadable records at acknowledged offsets."""
    return rows.filter(pa.array(_is_unbalanced(rows, unbalanced, context)))


def select_stored(rows: pa.Table, unbalanced: Unbalanced, context: AuditContext) -> pa.Table:
    """Keep the records of buckets that do not balance, unreadable ones at acknowledged offsets, and reordered ones."""
    rows = only_of_log(rows, context)
    rows = rows.filter(pa.array(~booleans(rows, "is_control")))
    is_reordered = reordered(rows, unbalanced, context)
    marked = rows.append_column(STORED_IN_PASS_2.field(REORDERED), pa.array(is_reordered))
    return marked.filter(pa.array(_is_unbalanced(rows, unbalanced, context) | is_reordered))


def select(side: Side, rows: pa.Table, chosen: Unbalanced, context: AuditContext) -> pa.Table:
    """Take what pass 2 asks for out of a chunk."""
    match side:
        case Side.SENT:
            return select_sends(rows, chosen)
        case Side.STORED:
            return select_stored(rows, chosen, context)
        case Side.DELIVERED:
            return select_delivered(rows, chosen, context)


def _is_unbalanced(rows: pa.Table, unbalanced: Unbalanced, context: AuditContext) -> Flags:
    is_ours = of_run(rows, context.facts.run)
    found = is_ours & in_buckets(integers(rows, "producer"), integers(rows, "sequence"), unbalanced)
    return found | (~booleans(rows, "is_ours") & _at(rows, unbalanced))


def in_buckets(producers: Ints, sequences: Ints, unbalanced: Unbalanced) -> Flags:
    """Return which ids are in buckets that do not balance."""
    if not len(producers):
        return np.zeros(0, np.bool_)
    names, which = distinct_buckets(producers, sequences >> SUB_BUCKET_BITS)
    found: Flags = np.array(
        [_is_sub_bucket_unbalanced(producer, sub_bucket, unbalanced) for producer, sub_bucket in names]
    )[which]
    return found


def _is_sub_bucket_unbalanced(producer: int, sub_bucket: int, unbalanced: Unbalanced) -> bool:
    bucket, number = divmod(sub_bucket, SUB_BUCKETS)
    chosen = unbalanced.sub_buckets.get((producer, bucket))
    return bucket in unbalanced.buckets.get(producer, ()) and (chosen is None or number in chosen)


def _at(rows: pa.Table, unbalanced: Unbalanced) -> Flags:
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    found = np.zeros(len(partitions), np.bool_)
    for partition, disputed in unbalanced.disputed.items():
        found |= (partitions == partition) & np.isin(offsets, disputed)
    return found


def reordered(rows: pa.Table, unbalanced: Unbalanced, context: AuditContext) -> Flags:
    """Return which records stand behind one that the same producer sent later to that partition."""
    found = np.zeros(rows.num_rows, np.bool_)
    if not unbalanced.unordered or not rows.num_rows:
        return found
    is_ours = of_run(rows, context.facts.run)
    offsets, sequences = integers(rows, "offset"), integers(rows, "sequence")
    for partition, producer, chosen in _lanes(rows, is_ours, unbalanced):
        own = sequences[chosen]
        before = highest_before(unbalanced, partition, producer, int(offsets[chosen][0]))
        highest = np.maximum.accumulate(np.append(before, own))[:-1]
        found[chosen] = own < highest
    return found


def _lanes(rows: pa.Table, is_ours: Flags, unbalanced: Unbalanced) -> Iterator[tuple[int, int, Flags]]:
    partitions, producers = integers(rows, "partition"), integers(rows, "producer")
    for partition, producer in sorted(unbalanced.unordered):
        chosen = is_ours & (partitions == partition) & (producers == producer)
        if chosen.any():
            yield partition, producer, chosen


def highest_before(unbalanced: Unbalanced, partition: int, producer: int, offset: int) -> int:
    """Return the highest sequence before an offset at which a segment begins; -1 if there is none."""
    segments = unbalanced.unordered[partition, producer]
    return max((segment.highest_sequence for segment in segments if segment.last_offset < offset), default=-1)


def split_reordered(stored: pa.Table, unbalanced: Unbalanced) -> tuple[pa.Table, pa.Table]:
    """Split records into those that are classified with the other sides, and those that are only reordered."""
    is_wanted = in_buckets(integers(stored, "producer"), integers(stored, "sequence"), unbalanced)
    is_alone = booleans(stored, "is_ours") & ~is_wanted
    return stored.filter(pa.array(~is_alone)), stored.filter(pa.array(is_alone))
