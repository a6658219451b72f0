"""A window of a continuous audit becomes final. It is judged like a recorded run; pass 2 reads the window again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
import pyarrow as pa

from chronik.audit.judge.assemble import WindowVerdicts, finalise, unreported_sends
from chronik.audit.judge.balance.entries import POSITION_KINDS, EntryKey, EntryKind, Summary, SummaryEntry
from chronik.audit.judge.balance.reconcile import Unbalanced, condense
from chronik.audit.judge.balance.selection import (
    REORDERED,
    STORED_IN_PASS_2,
    select_delivered,
    select_sends,
    select_stored,
)
from chronik.audit.judge.classify.classifier import Classified, classify
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.classify.retention import is_compacted_topic, latest_deletions
from chronik.audit.judge.classify.watermarks import NO_BOUND
from chronik.audit.tables import schemas
from chronik.audit.tables.bitmaps import BUCKET_BITS, LOW_MASK, buckets_between, unpack
from chronik.audit.tables.columns import Flags, booleans, integers
from chronik.audit.watch.incidents import WatchFinding, message_findings
from chronik.audit.watch.state import WatchState
from chronik.audit.watch.windows import STRAY_SEQUENCES, AuditWindow

BUCKETS_AT_ONCE: Final = 32
"""The buckets of one part of pass 2: a million messages."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Selects the rows of a window for pass 2. It is sent to tasks."""

    unbalanced: Unbalanced
    lows: Mapping[int, int]
    highs: Mapping[int, int]
    strays: Mapping[int, int]
    context: AuditContext

    def sends(self, rows: pa.Table) -> pa.Table:
        rows = select_sends(rows, self.unbalanced)
        return rows.filter(pa.array(self._is_own(rows)))

    def stored(self, rows: pa.Table) -> pa.Table:
        rows = select_stored(rows, self.unbalanced, self.context)
        return rows.filter(pa.array(self._is_own(rows) | ~booleans(rows, "is_ours")))

    def delivered(self, rows: pa.Table) -> pa.Table:
        rows = select_delivered(rows, self.unbalanced, self.context)
        return rows.filter(pa.array(self._is_own(rows) | ~booleans(rows, "is_ours")))

    def _is_own(self, rows: pa.Table) -> Flags:
        """Return which ids belong to the window: two windows may share a bucket."""
        producers, sequences = integers(rows, "producer"), integers(rows, "sequence")
        found = np.zeros(len(producers), np.bool_)
        for producer in np.unique(producers).tolist():
            low, high = self.lows.get(producer, 0), self.highs.get(producer, 0)
            stray = self.strays.get(producer, NO_BOUND)
            found |= (producers == producer) & (sequences >= low) & ((sequences < high) | (sequences >= stray))
        return found


class Reading(Protocol):
    """Reads the chosen rows of a window again."""

    def __call__(self, window: AuditWindow, chosen: Chosen) -> tuple[pa.Table, pa.Table, pa.Table]:
        """Return SENDS, STORED as in pass 2, and DELIVERED."""

    def latest_keys(self, window: AuditWindow) -> dict[tuple[int, int], int]:
        """Return the last offset of each key, from the first record of the window on."""


def finalise_window(
    state: WatchState, window: AuditWindow, context: AuditContext, read: Reading, now_us: int, *, strict: bool
) -> tuple[WindowVerdicts, list[WatchFinding]]:
    """Judge the messages of a window, all earlier windows being final, and return what is not allowed as findings."""
    condensed = condense(_all_entries(state, window), context)
    context = context.with_delivered(state.counts)
    since_us = window.since_us if window.since_us >= 0 else window.begin_us
    findings: list[WatchFinding] = []

    def classify_parts(unbalanced: Unbalanced) -> Iterator[Classified]:
        for part in _parts(unbalanced):
            classified = _classified(state, window, condensed, part, context, read, strict=strict)
            findings.extend(message_findings(classified.messages, since_us, now_us))
            # A window may hold any number of messages that are not delivered: no row outlives its part.
            yield replace(classified, messages=schemas.MESSAGES.empty_table())

    return finalise(condensed, context, classify_parts), findings


def _all_entries(state: WatchState, window: AuditWindow) -> Summary:
    """Merge the sums of a window with its reserved ids and with the sums over offsets."""
    summary = Summary().merge(window.entries)
    for block in state.reserved:
        producer = int(block["producer"])
        first = max(int(block["first_sequence"]), state.closed.get(producer, 0))
        end = min(int(block["end_sequence"]), window.bounds.get(producer, 0))
        for number, members in buckets_between(first, end):
            summary.add(EntryKey(EntryKind.RESERVED_IDS, "", producer, number), SummaryEntry(bits=unpack(members)))
    for at, entry in state.positions.entries.items():
        if at.kind in POSITION_KINDS:
            summary.add(at, entry)
    return summary


def _parts(chosen: Unbalanced) -> Iterator[Unbalanced]:
    """Take a bounded number of buckets at a time; what is disputed belongs to a message of one of them."""
    buckets = [(producer, block) for producer, blocks in sorted(chosen.buckets.items()) for block in sorted(blocks)]
    for first in range(0, len(buckets), BUCKETS_AT_ONCE):
        part: dict[int, set[int]] = {}
        for producer, block in buckets[first : first + BUCKETS_AT_ONCE]:
            part.setdefault(producer, set()).add(block)
        yield replace(chosen, buckets=part)


def _classified(
    state: WatchState,
    window: AuditWindow,
    condensed: Summary,
    part: Unbalanced,
    context: AuditContext,
    read: Reading,
    *,
    strict: bool,
) -> Classified:
    strays = {producer: end + STRAY_SEQUENCES for producer, end in state.reserved_ends().items()}
    chosen = Chosen(part, dict(state.closed), dict(window.bounds), strays, context)
    sends, stored, delivered = read(window, chosen)
    sends = pa.concat_tables([sends, unreported_sends(condensed, part)])
    keys: dict[tuple[int, int], int] = {}
    if is_compacted_topic(context):
        keys = read.latest_keys(window)
        for key, offset in latest_deletions(sends, context).items():
            keys[key] = max(keys.get(key, -1), offset)
    return classify(sends, _with_order(stored, state.positions), delivered, context, keys, strict=strict)


def _with_order(stored: pa.Table, positions: Summary) -> pa.Table:
    """Mark the records behind later ones of their producer, as seen when they were read in order."""
    partitions, offsets = integers(stored, "partition"), integers(stored, "offset")
    found = np.zeros(stored.num_rows, np.bool_)
    for at, entry in positions.of_kind(EntryKind.REORDERED_AT).items():
        if entry.bits is None:
            continue
        chosen = (partitions == at.key) & (offsets >> BUCKET_BITS == at.bucket)
        is_marked = np.unpackbits(entry.bits, bitorder="little").astype(np.bool_)
        found[chosen] = is_marked[offsets[chosen] & LOW_MASK]
    at_column = stored.schema.get_field_index(REORDERED)
    return stored.set_column(at_column, STORED_IN_PASS_2.field(REORDERED), pa.array(found))


def joined(tables: list[pa.Table], schema: pa.Schema) -> pa.Table:
    """Concatenate selected rows."""
    return pa.concat_tables([schema.empty_table(), *tables]).unify_dictionaries()
