"""What the log says of messages, the same for every group: where they are stored, and why they are not."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from chronik.audit.judge.balance.selection import REORDERED
from chronik.audit.judge.balance.summaries import of_run
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.classify.identities import NOBODY, Copies, Messages, copies_of
from chronik.audit.judge.classify.retention import are_expired, are_marks_due, is_compacted_topic
from chronik.audit.ledger.outcomes import DROPPED_BY_ABORT
from chronik.audit.tables.columns import Flags, Ints, booleans, integers
from chronik.audit.tables.schemas import SendOutcome

PHANTOM_OWNER: Final = -2
"""Stands for the owner of a record with an id of this run that is no message's."""


@dataclass(frozen=True, slots=True)
class LogFacts:
    """Where each message is (its acknowledged place before any other; -1: nowhere), and facts for the table."""

    partitions: Ints
    offsets: Ints
    copies: Copies
    is_beyond_sight: Flags
    """Acknowledged at an offset that could not be read, though the log goes on there."""
    shared: dict[str, Flags]
    phantoms: pa.Table


def owners_of(messages: Messages, rows: pa.Table, context: AuditContext) -> Ints:
    """Return the message that each record belongs to; an unreadable one is what was acknowledged at its offset."""
    is_ours = of_run(rows, context.facts.run)
    owners = messages.find(integers(rows, "producer"), integers(rows, "sequence"))
    owners = np.where(is_ours, np.where(owners == NOBODY, PHANTOM_OWNER, owners), NOBODY)
    unreadable = np.flatnonzero(~booleans(rows, "is_ours")).tolist()
    if unreadable:
        acked = messages.by_position()
        partitions, offsets = integers(rows, "partition"), integers(rows, "offset")
        found = set(owners.tolist())
        for at in unreadable:
            candidates = acked.get((int(partitions[at]), int(offsets[at])), [])
            owners[at] = next((one for one in candidates if one not in found), NOBODY)
    return owners


def find_log_facts(
    messages: Messages, stored: pa.Table, context: AuditContext, latest_keys: dict[tuple[int, int], int]
) -> LogFacts:
    """Find out where messages are stored, and what explains those that are not."""
    owners = owners_of(messages, stored, context)
    copies = copies_of(stored, owners)
    total = len(messages)
    is_aborted_copy = booleans(copies.rows, "is_aborted")
    has_valid = copies.any_of(~is_aborted_copy, total)
    is_stored = copies.counts(total) > 0
    is_placed = (messages.outcomes == SendOutcome.ACKED) & (messages.offsets >= 0)
    is_at_ack = copies.any_of(
        (copies.partitions == messages.partitions[copies.owners]) & (copies.offsets == messages.offsets[copies.owners]),
        total,
    )
    is_beyond, is_unread = _out_of_sight(messages, is_placed & ~is_stored, context)
    partitions, offsets = _places(messages, copies, is_at_ack, is_beyond | is_unread)
    is_refused = messages.outcomes == SendOutcome.REFUSED
    is_not_sent = messages.outcomes == SendOutcome.NOT_SENT
    is_absent = is_placed & ~is_stored & ~is_beyond & ~is_unread
    shared = {
        "is_acked": messages.outcomes == SendOutcome.ACKED,
        "is_refused": is_refused,
        "is_not_sent": is_not_sent,
        "is_in_log": has_valid | is_beyond | is_unread,
        "is_aborted": np.where(is_stored, ~has_valid, _are_dropped(messages, context)),
        **_explanations(messages, is_absent, context, latest_keys),
        "is_duplicated": _are_duplicated(copies, total),
        "is_reordered": _are_reordered(copies, total),
        "is_corrupted": copies.any_of(~copies.is_intact, total),
        "is_ack_misplaced": is_placed & is_stored & ~is_at_ack,
        "is_stored_though_refused": is_stored & (is_refused | is_not_sent),
        **_promises(messages, context),
    }
    phantoms = stored.filter(pa.array(owners == PHANTOM_OWNER))
    return LogFacts(partitions, offsets, copies, is_beyond, shared, phantoms)


def _out_of_sight(messages: Messages, is_missing: Flags, context: AuditContext) -> tuple[Flags, Flags]:
    """Return which messages may be stored out of sight: beyond what was served, or in a partition that was not read."""
    beyond, unread = np.zeros(len(messages), np.bool_), np.zeros(len(messages), np.bool_)
    for partition in np.unique(messages.partitions[is_missing]).tolist():
        chosen = is_missing & (messages.partitions == partition)
        span = context.spans.get(partition)
        if span is None:
            unread |= chosen
            continue
        watched = context.watched.get(partition)
        log_end = span.log_end if span.log_end >= 0 or watched is None else watched.log_end()
        beyond |= chosen & (messages.offsets >= span.end_offset) & ((log_end < 0) | (messages.offsets < log_end))
    return beyond, unread


def _places(messages: Messages, copies: Copies, is_at_ack: Flags, is_assumed: Flags) -> tuple[Ints, Ints]:
    partitions, offsets = np.full(len(messages), -1), np.full(len(messages), -1)
    owners, firsts = copies.firsts()
    partitions[owners], offsets[owners] = copies.partitions[firsts], copies.offsets[firsts]
    is_acked_place = is_at_ack | is_assumed
    return (
        np.where(is_acked_place, messages.partitions, partitions),
        np.where(is_acked_place, messages.offsets, offsets),
    )


def _are_duplicated(copies: Copies, total: int) -> Flags:
    return (copies.counts(total) - np.bincount(copies.owners[copies.is_repeated()], minlength=total)) > 1


def _are_reordered(copies: Copies, total: int) -> Flags:
    """Return which messages have their first copy in a partition behind one that was sent later."""
    is_first = np.ones(len(copies), np.bool_)
    if len(copies):
        is_first[1:] = (copies.owners[1:] != copies.owners[:-1]) | (copies.partitions[1:] != copies.partitions[:-1])
    return copies.any_of(is_first & booleans(copies.rows, REORDERED), total)


def _explanations(
    messages: Messages, is_absent: Flags, context: AuditContext, latest_keys: dict[tuple[int, int], int]
) -> dict[str, Flags]:
    expired, deleted = np.zeros(len(messages), np.bool_), np.zeros(len(messages), np.bool_)
    new_leader = np.zeros(len(messages), np.bool_)
    for partition in np.unique(messages.partitions[is_absent]).tolist():
        chosen = is_absent & (messages.partitions == partition)
        is_below = chosen & (messages.offsets < context.log_start(partition))
        expired |= is_below & are_expired(messages.sent_us, context)
        deleted |= is_below & (messages.offsets < context.deleted_before.get(partition, -1))
        new_leader[chosen] = context.are_lost_by_new_leader(
            partition, messages.sent_us[chosen], messages.offsets[chosen]
        )
    compacted = _are_compacted(messages, is_absent, context, latest_keys)
    return {
        "is_expired": expired,
        "is_deleted": deleted,
        "is_compacted": compacted,
        "has_new_epoch": new_leader,
    }


def _are_compacted(
    messages: Messages, is_absent: Flags, context: AuditContext, latest_keys: dict[tuple[int, int], int]
) -> Flags:
    """Return which gave way to a later record of their key, or were a deletion mark themselves."""
    found = np.zeros(len(messages), np.bool_)
    if not is_compacted_topic(context):
        return found
    is_old_mark = messages.is_null & are_marks_due(messages.sent_us, context)
    for at in np.flatnonzero(is_absent & (messages.key_hashes != 0)).tolist():
        key = (int(messages.partitions[at]), int(messages.key_hashes[at]))
        found[at] = bool(is_old_mark[at]) or latest_keys.get(key, -1) > messages.offsets[at]
    return found


def _are_dropped(messages: Messages, context: AuditContext) -> Flags:
    """Return which a producer gave up when it aborted their transaction; what it had sent of them is aborted, too."""
    is_given_up = pc.match_substring_regex(messages.errors, DROPPED_BY_ABORT).fill_null(fill_value=False)
    found: Flags = np.asarray(is_given_up, np.bool_) & (messages.outcomes != SendOutcome.ACKED)
    for producer in np.unique(messages.producers[found]).tolist():
        if not context.facts.producer(producer).is_transactional:
            found &= messages.producers != producer
    return found


def _promises(messages: Messages, context: AuditContext) -> dict[str, Flags]:
    total = len(messages)
    names = ("has_acks_0", "has_acks_1", "is_idempotent", "has_one_in_flight")
    found = {name: np.zeros(total, np.bool_) for name in names}
    for producer in messages.names.tolist():
        chosen = messages.producers == producer
        facts = context.facts.producer(producer)
        found["has_acks_0"][chosen] = facts.acks == 0
        found["has_acks_1"][chosen] = facts.acks == 1
        found["is_idempotent"][chosen] = facts.is_idempotent or facts.is_transactional
        found["has_one_in_flight"][chosen] = facts.in_flight == 1
    is_unclean = context.facts.config_was("unclean.leader.election.enable", "true")
    return {**found, "has_unclean_elections": np.full(total, is_unclean)}
