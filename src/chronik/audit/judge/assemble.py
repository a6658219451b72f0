"""From the summary of pass 1 to verdicts and tables: the same for every engine, and for a run as for a window."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.entries import EntryKey, EntryKind, Summary, SummaryEntry
from chronik.audit.judge.balance.reconcile import Unbalanced, find_unbalanced, messages_sent
from chronik.audit.judge.classify.classifier import Classified
from chronik.audit.judge.classify.context import NO_GROUP, AuditContext
from chronik.audit.judge.classify.partition_findings import partition_rows
from chronik.audit.judge.classify.verdicts import FOREIGN, Verdict
from chronik.audit.judge.results import AuditResults, sorted_messages, verdict_table
from chronik.audit.tables import schemas
from chronik.audit.tables.bitmaps import difference, numbers
from chronik.audit.tables.schemas import SendOutcome

NO_ROW = "its sequence was reserved, and the ledger has no row of it"


def unreported_sends(summary: Summary, unbalanced: Unbalanced) -> pa.Table:
    """Return rows for the reserved ids that have no row in a ledger: their outcome is UNKNOWN."""
    tables = [schemas.SENDS.empty_table()]
    for producer, buckets in sorted(unbalanced.buckets.items()):
        for bucket in sorted(buckets):
            sent, reserved = (
                summary.entries.get(EntryKey(kind, "", producer, bucket), SummaryEntry()).members
                for kind in (EntryKind.SENT_IDS, EntryKind.RESERVED_IDS)
            )
            missing = numbers(difference(reserved, sent), bucket)
            if len(missing):
                tables.append(unknown_sends(producer, missing))
    return pa.concat_tables(tables)


def unknown_sends(producer: int, sequences: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Table:
    """Return rows for sends of which nothing is known."""
    count = len(sequences)
    nothing = np.full(count, -1)
    columns = {
        "producer": np.full(count, producer, np.uint32),
        "incarnation": np.zeros(count, np.uint32),
        "sequence": sequences.astype(np.uint64),
        "key_hash": np.zeros(count, np.uint64),
        "is_null": np.zeros(count, np.bool_),
        "sent_us": nothing,
        "done_us": nothing,
        "partition": nothing.astype(np.int32),
        "outcome": np.full(count, SendOutcome.UNKNOWN, np.int8),
        "offset": nothing,
        "error": [NO_ROW] * count,
    }
    arrays = [pa.array(columns[field.name], field.type) for field in schemas.SENDS]
    return pa.Table.from_arrays(arrays, schema=schemas.SENDS)


@dataclass(slots=True)
class WindowVerdicts:
    """The verdicts of the messages of a window: (group, verdict or flag) -> all, allowed."""

    sent: int
    balanced: int
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    messages: list[pa.Table] = field(default_factory=list)
    """MESSAGES: those that are more than plainly delivered."""

    def add(self, part: Classified) -> None:
        self.counts.update(part.counts)
        self.allowed.update(part.allowed)
        self.messages.append(part.messages)

    def add_delivered(self, group: str, count: int) -> None:
        self.counts[group, Verdict.DELIVERED] += count
        self.allowed[group, Verdict.DELIVERED] += count

    def check(self, groups: Iterable[str]) -> None:
        """Verdicts add up to the messages sent, for every group."""
        for group in groups:
            total = sum(count for (own, what), count in self.counts.items() if own == group and what[0] not in "+*")
            assert total == self.sent, f"{total} verdicts for {self.sent} messages of group {group!r}"


def finalise(
    condensed: Summary, context: AuditContext, classify: Callable[[Unbalanced], Iterable[Classified]]
) -> WindowVerdicts:
    """Judge the messages of a window that has closed. A recorded run is one window, which closes at its end.

    Messages of buckets that balance are delivered. ``classify`` is pass 2 over the other buckets.
    """
    found = WindowVerdicts(*messages_sent(condensed))
    for group in context.group_names():
        found.add_delivered(group, found.balanced)
    unbalanced = find_unbalanced(condensed)
    if not unbalanced.is_empty:
        for part in classify(unbalanced):
            found.add(part)
    found.check(context.group_names())
    return found


def assemble(condensed: Summary, verdicts: WindowVerdicts, context: AuditContext) -> AuditResults:
    """Make the tables of a run of its verdicts and of its summary."""
    for group in context.group_names():
        foreign = foreign_records(condensed, group, context)
        verdicts.counts[group, f"*{FOREIGN}"] = verdicts.allowed[group, f"*{FOREIGN}"] = foreign
    messages = sorted_messages(pa.concat_tables([schemas.MESSAGES.empty_table(), *verdicts.messages]))
    return AuditResults(
        verdict_table(context.group_names(), verdicts.counts, verdicts.allowed),
        messages,
        partition_rows(condensed, messages, context),
        verdicts.sent,
        tuple(_notes(context)),
        verdicts.sent - verdicts.balanced,
    )


def foreign_records(summary: Summary, group: str, context: AuditContext) -> int:
    """Count the records that are not of this run, in the log if it was read, otherwise among those delivered."""
    kind, name = (EntryKind.STORED_COUNT, "") if context.has_stored else (EntryKind.DELIVERED_COUNT, group)
    return sum(entry.attention for at, entry in summary.of_kind(kind).items() if at.group == name)


def _notes(context: AuditContext) -> Iterable[str]:
    if not context.has_stored:
        yield "the log was not read: what is not delivered is taken to be where it was acknowledged"
    if context.group_names() == (NO_GROUP,):
        yield "no consumer was recorded: nothing is said about delivery"
