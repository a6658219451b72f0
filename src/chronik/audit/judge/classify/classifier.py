"""Pass 2: classifies the messages that do not balance. It finds the facts; the table of verdicts decides.

The facts are arrays over the messages in question; nothing here loops over messages but where something is wrong.
"""

from collections import Counter
from dataclasses import dataclass, field, fields
from typing import Final

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.summaries import after_timeout, are_above_watermark
from chronik.audit.judge.classify.context import AuditContext, GroupScope
from chronik.audit.judge.classify.explanations import GroupEvidence
from chronik.audit.judge.classify.identities import Copies, Messages, copies_of, messages_of
from chronik.audit.judge.classify.log_facts import PHANTOM_OWNER, LogFacts, find_log_facts, owners_of
from chronik.audit.judge.classify.verdicts import (
    FLAGS,
    PHANTOM,
    PRECEDENCE,
    Judged,
    MessageFacts,
    Verdict,
    explain_messages,
    judge,
)
from chronik.audit.judge.classify.watermarks import NO_BOUND
from chronik.audit.tables import schemas
from chronik.audit.tables.columns import Flags, Ints, integers
from chronik.audit.tables.schemas import SendOutcome

KeyOffsets = dict[tuple[int, int], int]
"""The last offset at which (partition, key hash) is stored."""
_FLAG_MARK: Final = "+"
_RECORD_MARK: Final = "*"


@dataclass(slots=True)
class Classified:
    """The messages that are more than plainly delivered, and counts: (group, verdict or flag) -> all, allowed."""

    messages: pa.Table
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)


def classify(
    sends: pa.Table,
    stored: pa.Table,
    delivered: pa.Table,
    context: AuditContext,
    latest_keys: KeyOffsets,
    *,
    strict: bool = False,
) -> Classified:
    """Judge the messages of ``sends``; the other sides hold all rows of these ids, and may hold more."""
    messages = messages_of(sends)
    log = find_log_facts(messages, stored, context, latest_keys)
    found = Classified(schemas.MESSAGES.empty_table())
    tables = []
    for group in context.groups:
        given = delivered.filter(pa.compute.equal(delivered.column("group"), group.name))
        owners = owners_of(messages, given, context)
        copies = copies_of(given, owners, "received_us")
        facts = _facts(messages, log, copies, group, context)
        judged = judge(facts, strict=strict)
        _count(found, group.name, judged)
        known = GroupEvidence(messages, log, copies, group, context)
        tables.append(_rows(messages, log, judged, known, context))
        phantoms = _phantoms(group.name, given, owners, log, context)
        found.counts[group.name, _RECORD_MARK + PHANTOM] += phantoms.num_rows
        tables.append(phantoms)
    found.messages = pa.concat_tables(tables)
    return found


def classify_reordered(rows: pa.Table, context: AuditContext, *, strict: bool = False) -> Classified:
    """Classify reordered records of buckets that balance: they are delivered, and nothing else is wrong."""
    count = rows.num_rows
    sends = pa.Table.from_arrays(
        [
            *(rows.column(one) for one in ("producer",)),
            pa.array(np.zeros(count, np.uint32)),
            *(rows.column(one) for one in ("sequence", "key_hash", "is_null", "sent_us", "sent_us", "partition")),
            pa.array(np.full(count, SendOutcome.ACKED, np.int8)),
            rows.column("offset"),
            pa.array([""] * count, pa.string()),
        ],
        schema=schemas.SENDS,
    )
    messages = messages_of(sends)
    log = find_log_facts(messages, rows, context, {})
    found = Classified(schemas.MESSAGES.empty_table())
    tables = []
    for group in context.groups:
        nothing = copies_of(schemas.DELIVERED.empty_table(), np.empty(0, np.int64), "received_us")
        facts = _facts(messages, log, nothing, group, context)
        facts.is_delivered = np.ones(count, np.bool_)
        judged = judge(facts, strict=strict)
        _count(found, group.name, judged)
        # Their buckets are counted as delivered and allowed as a whole.
        found.counts[group.name, Verdict.DELIVERED] = 0
        found.allowed[group.name, Verdict.DELIVERED] = -int((~judged.is_allowed).sum())
        tables.append(_rows(messages, log, judged, GroupEvidence(messages, log, nothing, group, context), context))
    found.messages = pa.concat_tables(tables)
    return found


def _facts(messages: Messages, log: LogFacts, copies: Copies, group: GroupScope, context: AuditContext) -> MessageFacts:
    total = len(messages)
    is_delivered = copies.counts(total) > 0
    is_again = copies.is_repeated()
    flags = {
        **log.shared,
        "is_delivered": is_delivered,
        "is_late": _are_late(messages, copies, context),
        "is_redelivered": copies.any_of(is_again, total),
        "has_cause_for_redelivery": ~copies.any_of(is_again & ~_have_cause(copies, is_again, group), total),
        "is_corrupted": log.shared["is_corrupted"] | copies.any_of(~copies.is_intact, total),
        "is_visible_above_watermark": copies.any_of(are_above_watermark(copies.rows, context), total),
        "is_aborted_visible": is_delivered & log.shared["is_aborted"],
        "reads_uncommitted": np.full(total, not group.reads_committed),
        **_reach(messages, log, group, context),
    }
    return MessageFacts(**{one.name: flags[one.name] for one in fields(MessageFacts)})


def _are_late(messages: Messages, copies: Copies, context: AuditContext) -> Flags:
    """Return which messages came first after the time-out."""
    late = np.zeros(len(messages), np.bool_)
    if len(copies):
        received = np.full(len(messages), NO_BOUND)
        np.minimum.at(received, copies.owners, integers(copies.rows, "received_us"))
        sent = messages.sent_us.copy()
        sent[copies.owners] = np.where(sent[copies.owners] < 0, integers(copies.rows, "sent_us"), sent[copies.owners])
        late = (received != NO_BOUND) & after_timeout(received, sent, context)
    return late


def _have_cause(copies: Copies, is_again: Flags, group: GroupScope) -> Flags:
    """Return which repeated deliveries have a rebalance, a seek or a restart between them and the one before."""
    found = np.zeros(len(copies), np.bool_)
    received = integers(copies.rows, "received_us")
    for at in np.flatnonzero(is_again).tolist():
        found[at] = group.has_cause_between(int(copies.partitions[at]), int(received[at - 1]), int(received[at]))
    return found


def _reach(messages: Messages, log: LogFacts, group: GroupScope, context: AuditContext) -> dict[str, Flags]:
    """Return how each message lies to the watermark, the last stable offset, and the group's start and position."""
    total = len(messages)
    names = ("is_above_watermark", "is_above_stable", "is_out_of_scope", "is_passed")
    found = {one: np.zeros(total, np.bool_) for one in names}
    for partition in np.unique(log.partitions).tolist():
        chosen = log.partitions == partition
        offsets = log.offsets[chosen]
        watched = context.watched.get(partition)
        if watched is not None:
            found["is_above_watermark"][chosen] = offsets >= watched.bound_at(group.judged_at_us)
            found["is_above_stable"][chosen] = group.reads_committed & (
                offsets >= watched.stable_at(group.judged_at_us)
            )
        start = group.starts.get(partition, 0) if group.reads(partition) else NO_BOUND
        found["is_out_of_scope"][chosen] = offsets < start
        found["is_passed"][chosen] = offsets < group.positions.get(partition, 0)
    found["is_above_watermark"] |= log.is_beyond_sight
    return found


def _count(found: Classified, group: str, judged: Judged) -> None:
    for number, row in enumerate(PRECEDENCE):
        chosen = judged.verdicts == number
        found.counts[group, row.name] += int(chosen.sum())
        found.allowed[group, row.name] += int((chosen & judged.is_allowed).sum())
    for row in FLAGS:
        is_set = judged.flags[row.name]
        found.counts[group, _FLAG_MARK + row.name] += int(is_set.sum())
        found.allowed[group, _FLAG_MARK + row.name] += int((is_set & judged.allowed_flags[row.name]).sum())


def _rows(messages: Messages, log: LogFacts, judged: Judged, known: GroupEvidence, context: AuditContext) -> pa.Table:
    chosen = np.flatnonzero(~judged.is_plain)
    verdicts = [PRECEDENCE[number].name for number in judged.verdicts[chosen].tolist()]
    flags = [[row.name for row in FLAGS if judged.flags[row.name][at]] for at in chosen.tolist()]
    is_acked = messages.outcomes == SendOutcome.ACKED
    columns = {
        "group": pa.array([known.group.name] * len(chosen), pa.string()),
        "run": pa.array(np.full(len(chosen), context.facts.run, np.uint64)),
        "producer": pa.array(messages.producers[chosen].astype(np.uint32)),
        "sequence": pa.array(messages.sequences[chosen].astype(np.uint64)),
        "verdict": pa.array(verdicts, pa.string()),
        "flags": pa.array(flags, pa.list_(pa.string())),
        "is_allowed": pa.array(judged.is_allowed[chosen]),
        "partition": pa.array(log.partitions[chosen].astype(np.int32)),
        "offset": pa.array(log.offsets[chosen]),
        "acked_partition": pa.array(np.where(is_acked, messages.partitions, -1)[chosen].astype(np.int32)),
        "acked_offset": pa.array(np.where(is_acked, messages.offsets, -1)[chosen]),
        "why": pa.array(explain_messages(known, chosen.tolist(), verdicts, flags), pa.string()),
    }
    return pa.Table.from_arrays([columns[one] for one in schemas.MESSAGES.names], schema=schemas.MESSAGES)


def _phantoms(group: str, given: pa.Table, owners: Ints, log: LogFacts, context: AuditContext) -> pa.Table:
    """Return a row for each id of this run that no producer reserved."""
    unreserved = given.filter(pa.array(owners == PHANTOM_OWNER))
    rows = {**_places(unreserved, "delivered"), **_places(log.phantoms, "stored")}
    found = [
        {
            "group": group,
            "run": context.facts.run,
            "producer": producer,
            "sequence": sequence,
            "verdict": PHANTOM,
            "flags": [],
            "is_allowed": False,
            "partition": partition,
            "offset": offset,
            "acked_partition": -1,
            "acked_offset": -1,
            "why": f"no ledger reserved this id; it was {how} at offset {offset} of partition {partition}",
        }
        for (producer, sequence), (partition, offset, how) in sorted(rows.items())
    ]
    return pa.Table.from_pylist(found, schemas.MESSAGES)


def _places(rows: pa.Table, how: str) -> dict[tuple[int, int], tuple[int, int, str]]:
    names = ("producer", "sequence", "partition", "offset")
    places = zip(*(rows.column(one).to_pylist() for one in names), strict=True)
    found: dict[tuple[int, int], tuple[int, int, str]] = {}
    for producer, sequence, partition, offset in places:
        found.setdefault((producer, sequence), (partition, offset, how))
    return found
