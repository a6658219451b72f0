"""Pass 2, in the tasks: the rows that do not balance, taken out of everything that is read a second time."""

from collections.abc import Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.bucketing import named
from chronik.audit.judge.balance.reconcile import Wanted
from chronik.audit.judge.balance.splits import Side
from chronik.audit.judge.balance.summaries import of_run, only_of_log
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.tables.bitmaps import LEAF_BITS, LEAVES
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.tables.schemas import STORED

REORDERED: Final = "is_reordered"
"""The column that stored rows have in pass 2 beside their own."""
STORED_IN_PASS_2: Final = STORED.append(pa.field(REORDERED, pa.bool_(), nullable=False))


def select_sends(rows: pa.Table, wanted: Wanted) -> pa.Table:
    """Keep the sends of buckets that do not balance."""
    return rows.filter(pa.array(in_buckets(integers(rows, "producer"), integers(rows, "sequence"), wanted)))


def select_delivered(rows: pa.Table, wanted: Wanted, around: Surroundings) -> pa.Table:
    """Keep the deliveries of buckets that do not balance, and unreadable records at acknowledged offsets."""
    return rows.filter(pa.array(_is_wanted(rows, wanted, around)))


def select_stored(rows: pa.Table, wanted: Wanted, around: Surroundings) -> pa.Table:
    """Keep the records of buckets that do not balance, unreadable ones at acknowledged offsets, and reordered ones."""
    rows = only_of_log(rows, around)
    rows = rows.filter(pa.array(~booleans(rows, "is_control")))
    is_reordered = reordered(rows, wanted, around)
    marked = rows.append_column(STORED_IN_PASS_2.field(REORDERED), pa.array(is_reordered))
    return marked.filter(pa.array(_is_wanted(rows, wanted, around) | is_reordered))


def select(side: Side, rows: pa.Table, chosen: Wanted, around: Surroundings) -> pa.Table:
    """Take what pass 2 asks for out of a portion."""
    match side:
        case Side.SENT:
            return select_sends(rows, chosen)
        case Side.STORED:
            return select_stored(rows, chosen, around)
        case Side.DELIVERED:
            return select_delivered(rows, chosen, around)


def _is_wanted(rows: pa.Table, wanted: Wanted, around: Surroundings) -> Flags:
    is_ours = of_run(rows, around.facts.run)
    found = is_ours & in_buckets(integers(rows, "producer"), integers(rows, "sequence"), wanted)
    return found | (~booleans(rows, "is_ours") & _at(rows, wanted))


def in_buckets(producers: Ints, sequences: Ints, wanted: Wanted) -> Flags:
    """Say which ids are in buckets that do not balance."""
    if not len(producers):
        return np.zeros(0, np.bool_)
    names, which = named(producers, sequences >> LEAF_BITS)
    found: Flags = np.array([_is_leaf_wanted(producer, leaf, wanted) for producer, leaf in names])[which]
    return found


def _is_leaf_wanted(producer: int, leaf: int, wanted: Wanted) -> bool:
    block, number = divmod(leaf, LEAVES)
    chosen = wanted.leaves.get((producer, block))
    return block in wanted.buckets.get(producer, ()) and (chosen is None or number in chosen)


def _at(rows: pa.Table, wanted: Wanted) -> Flags:
    partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
    found = np.zeros(len(partitions), np.bool_)
    for partition, disputed in wanted.disputed.items():
        found |= (partitions == partition) & np.isin(offsets, disputed)
    return found


def reordered(rows: pa.Table, wanted: Wanted, around: Surroundings) -> Flags:
    """Say which records stand behind one that the same producer sent later to that partition."""
    found = np.zeros(rows.num_rows, np.bool_)
    if not wanted.unordered or not rows.num_rows:
        return found
    is_ours = of_run(rows, around.facts.run)
    offsets, sequences = integers(rows, "offset"), integers(rows, "sequence")
    for partition, producer, chosen in _lanes(rows, is_ours, wanted):
        own = sequences[chosen]
        before = highest_before(wanted, partition, producer, int(offsets[chosen][0]))
        highest = np.maximum.accumulate(np.append(before, own))[:-1]
        found[chosen] = own < highest
    return found


def _lanes(rows: pa.Table, is_ours: Flags, wanted: Wanted) -> Iterator[tuple[int, int, Flags]]:
    partitions, producers = integers(rows, "partition"), integers(rows, "producer")
    for partition, producer in sorted(wanted.unordered):
        chosen = is_ours & (partitions == partition) & (producers == producer)
        if chosen.any():
            yield partition, producer, chosen


def highest_before(wanted: Wanted, partition: int, producer: int, offset: int) -> int:
    """Give the highest sequence that stands before an offset at which a segment begins; -1 where there is none."""
    segments = wanted.unordered[partition, producer]
    return max((segment.highest_sequence for segment in segments if segment.last_offset < offset), default=-1)


def split_reordered(stored: pa.Table, wanted: Wanted) -> tuple[pa.Table, pa.Table]:
    """Tell the records that are looked at with the other sides from those that are only in the wrong order."""
    is_wanted = in_buckets(integers(stored, "producer"), integers(stored, "sequence"), wanted)
    is_alone = booleans(stored, "is_ours") & ~is_wanted
    return stored.filter(pa.array(~is_alone)), stored.filter(pa.array(is_alone))
