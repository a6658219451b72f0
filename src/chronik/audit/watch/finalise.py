"""Making a period's verdicts final: what balances is counted, and the rest is named by reading that period again."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import numpy as np
import pyarrow as pa

from chronik.audit.judge.assemble import unreported_sends
from chronik.audit.judge.balance.cells import POSITION_KINDS, Cell, CellKey, Kind, Summary
from chronik.audit.judge.balance.reconcile import Wanted, condense, messages_sent, wanted
from chronik.audit.judge.balance.selection import (
    REORDERED,
    STORED_IN_PASS_2,
    select_delivered,
    select_sends,
    select_stored,
)
from chronik.audit.judge.classify.classifier import Named, name
from chronik.audit.judge.classify.context import Surroundings
from chronik.audit.judge.classify.retention import is_compacted_topic, latest_deletions
from chronik.audit.judge.classify.verdicts import Verdict
from chronik.audit.judge.classify.watermarks import NO_BOUND
from chronik.audit.tables.bitmaps import BUCKET_BITS, LOW_MASK, span, unpack
from chronik.audit.tables.columns import Flags, booleans, integers
from chronik.audit.watch.incidents import Finding, message_findings
from chronik.audit.watch.state import WatchState
from chronik.audit.watch.windows import STRAY_SEQUENCES, Period

BUCKETS_AT_ONCE: Final = 32
"""So many buckets are named at the same time: a million messages."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which rows of a period are wanted. It travels to tasks."""

    wanted: Wanted
    lows: Mapping[int, int]
    highs: Mapping[int, int]
    strays: Mapping[int, int]
    around: Surroundings

    def sends(self, rows: pa.Table) -> pa.Table:
        rows = select_sends(rows, self.wanted)
        return rows.filter(pa.array(self._is_own(rows)))

    def stored(self, rows: pa.Table) -> pa.Table:
        rows = select_stored(rows, self.wanted, self.around)
        return rows.filter(pa.array(self._is_own(rows) | ~booleans(rows, "is_ours")))

    def delivered(self, rows: pa.Table) -> pa.Table:
        rows = select_delivered(rows, self.wanted, self.around)
        return rows.filter(pa.array(self._is_own(rows) | ~booleans(rows, "is_ours")))

    def _is_own(self, rows: pa.Table) -> Flags:
        """Say which ids belong to the period: two periods may share a bucket."""
        producers, sequences = integers(rows, "producer"), integers(rows, "sequence")
        found = np.zeros(len(producers), np.bool_)
        for producer in np.unique(producers).tolist():
            low, high = self.lows.get(producer, 0), self.highs.get(producer, 0)
            stray = self.strays.get(producer, NO_BOUND)
            found |= (producers == producer) & (sequences >= low) & ((sequences < high) | (sequences >= stray))
        return found


class Reading(Protocol):
    """Reads a period's rows a second time, as far as they are chosen."""

    def __call__(self, period: Period, chosen: Chosen) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Give SENDS, STORED as in pass 2, and DELIVERED."""

    def latest_keys(self, period: Period) -> dict[tuple[int, int], int]:
        """Give the last offset of each key that is stored where the period's records are, or behind."""


@dataclass(slots=True)
class Verdicts:
    """What became of the messages of a period."""

    sent: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def close_period(
    state: WatchState, period: Period, around: Surroundings, read: Reading, now_us: int, *, strict: bool
) -> Verdicts:
    """Judge the messages of a period; all earlier ones are closed."""
    condensed = condense(_all_cells(state, period), around)
    sent, balanced = messages_sent(condensed)
    found = Verdicts(sent)
    for group in around.group_names():
        found.counts[group, Verdict.DELIVERED] += balanced
        found.allowed[group, Verdict.DELIVERED] += balanced
    around = around.with_delivered(state.counts)
    for part in _parts(wanted(condensed)):
        named = _name(state, period, condensed, part, around, read, strict=strict)
        found.counts.update(named.counts)
        found.allowed.update(named.allowed)
        since_us = period.since_us if period.since_us >= 0 else period.begin_us
        found.findings += message_findings(named.messages, since_us, now_us)
    _check(found, around)
    return found


def _all_cells(state: WatchState, period: Period) -> Summary:
    """Put the period's sums together with what was reserved of it, and with what is known of offsets."""
    summary = Summary().merge(period.cells)
    for block in state.reserved:
        producer = int(block["producer"])
        first = max(int(block["first_sequence"]), state.closed.get(producer, 0))
        end = min(int(block["end_sequence"]), period.bounds.get(producer, 0))
        for number, members in span(first, end):
            summary.add(CellKey(Kind.RESERVED_IDS, "", producer, number), Cell(bits=unpack(members)))
    for at, cell in state.positions.cells.items():
        if at.kind in POSITION_KINDS:
            summary.add(at, cell)
    return summary


def _parts(chosen: Wanted) -> Iterator[Wanted]:
    """Take a bounded number of buckets at a time; what is disputed belongs to a message of one of them."""
    buckets = [(producer, block) for producer, blocks in sorted(chosen.buckets.items()) for block in sorted(blocks)]
    for first in range(0, len(buckets), BUCKETS_AT_ONCE):
        part: dict[int, set[int]] = {}
        for producer, block in buckets[first : first + BUCKETS_AT_ONCE]:
            part.setdefault(producer, set()).add(block)
        yield replace(chosen, buckets=part)


def _name(
    state: WatchState,
    period: Period,
    condensed: Summary,
    part: Wanted,
    around: Surroundings,
    read: Reading,
    *,
    strict: bool,
) -> Named:
    strays = {producer: end + STRAY_SEQUENCES for producer, end in state.reserved_ends().items()}
    chosen = Chosen(part, dict(state.closed), dict(period.bounds), strays, around)
    sends, stored, delivered = read(period, chosen)
    sends = pa.concat_tables([sends, unreported_sends(condensed, part)])
    keys: dict[tuple[int, int], int] = {}
    if is_compacted_topic(around):
        keys = read.latest_keys(period)
        for key, offset in latest_deletions(sends, around).items():
            keys[key] = max(keys.get(key, -1), offset)
    return name(sends, _with_order(stored, state.positions), delivered, around, keys, strict=strict)


def _with_order(stored: pa.Table, positions: Summary) -> pa.Table:
    """Say which records stand behind later ones, as it was seen when they were read in their order."""
    partitions, offsets = integers(stored, "partition"), integers(stored, "offset")
    found = np.zeros(stored.num_rows, np.bool_)
    for at, cell in positions.of_kind(Kind.REORDERED_AT).items():
        if cell.bits is None:
            continue
        chosen = (partitions == at.key) & (offsets >> BUCKET_BITS == at.block)
        is_marked = np.unpackbits(cell.bits, bitorder="little").astype(np.bool_)
        found[chosen] = is_marked[offsets[chosen] & LOW_MASK]
    at_column = stored.schema.get_field_index(REORDERED)
    return stored.set_column(at_column, STORED_IN_PASS_2.field(REORDERED), pa.array(found))


def _check(found: Verdicts, around: Surroundings) -> None:
    """Verdicts add up to the messages, for every group."""
    for group in around.group_names():
        total = sum(count for (own, what), count in found.counts.items() if own == group and what[0] not in "+*")
        assert total == found.sent, f"{total} verdicts for {found.sent} messages of group {group!r}"


def joined(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    """Put selected rows together."""
    return pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries()
