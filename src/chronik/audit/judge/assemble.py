"""From summaries and names to results: what both engines do when the data has been read."""

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from chronik.audit.judge.balance.cells import Cell, CellKey, Kind, Summary
from chronik.audit.judge.balance.reconcile import Wanted, messages_sent
from chronik.audit.judge.classify.classifier import Named
from chronik.audit.judge.classify.context import NO_GROUP, Surroundings
from chronik.audit.judge.classify.partition_findings import partition_rows
from chronik.audit.judge.classify.verdicts import FOREIGN, Verdict
from chronik.audit.judge.results import Results, sorted_messages, verdict_table
from chronik.audit.tables import schemas
from chronik.audit.tables.bitmaps import difference, numbers
from chronik.audit.tables.schemas import Outcome

NO_ROW = "its sequence was reserved, and the ledger has no row of it"


def unreported_sends(summary: Summary, wanted: Wanted) -> pa.Table:
    """Give rows for the ids that were reserved and of which no ledger says what became: UNKNOWN."""
    tables = [schemas.SENDS.empty_table()]
    for producer, blocks in sorted(wanted.buckets.items()):
        for block in sorted(blocks):
            sent, reserved = (
                summary.cells.get(CellKey(kind, "", producer, block), Cell()).members
                for kind in (Kind.SENT_IDS, Kind.RESERVED_IDS)
            )
            missing = numbers(difference(reserved, sent), block)
            if len(missing):
                tables.append(unknown_sends(producer, missing))
    return pa.concat_tables(tables)


def unknown_sends(producer: int, sequences: "np.ndarray[tuple[int], np.dtype[np.int64]]") -> pa.Table:
    """Make rows for sends of which nothing is known."""
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
        "outcome": np.full(count, Outcome.UNKNOWN, np.int8),
        "offset": nothing,
        "error": [NO_ROW] * count,
    }
    arrays = [pa.array(columns[field.name], field.type) for field in schemas.SENDS]
    return pa.Table.from_arrays(arrays, schema=schemas.SENDS)


def conclude(
    condensed: Summary,
    named: Iterable[Named],
    around: Surroundings,
) -> Results:
    """Put the balanced buckets and the named messages together."""
    counts: Counter[tuple[str, str]] = Counter()
    allowed: Counter[tuple[str, str]] = Counter()
    tables = [schemas.MESSAGES.empty_table()]
    for part in named:
        counts.update(part.counts)
        allowed.update(part.allowed)
        tables.append(part.messages)
    sent, balanced = messages_sent(condensed)
    for group in around.group_names():
        counts[group, Verdict.DELIVERED] += balanced
        allowed[group, Verdict.DELIVERED] += balanced
        foreign = foreign_records(condensed, group, around)
        counts[group, f"*{FOREIGN}"] = allowed[group, f"*{FOREIGN}"] = foreign
    messages = sorted_messages(pa.concat_tables(tables))
    results = Results(
        verdict_table(around.group_names(), counts, allowed),
        messages,
        partition_rows(condensed, messages, around),
        sent,
        tuple(_notes(around)),
        sent - balanced,
    )
    _check(results, sent)
    return results


def foreign_records(summary: Summary, group: str, around: Surroundings) -> int:
    """Count the records that are not of this run: in the log where it was read, else among what the group was given."""
    kind, name = (Kind.STORED_COUNT, "") if around.has_stored else (Kind.DELIVERED_COUNT, group)
    return sum(cell.attention for at, cell in summary.of_kind(kind).items() if at.group == name)


def _notes(around: Surroundings) -> Iterable[str]:
    if not around.has_stored:
        yield "the log was not read: what is not delivered is taken to be where it was acknowledged"
    if around.group_names() == (NO_GROUP,):
        yield "no consumer was recorded: nothing is said about delivery"


def _check(results: Results, sent: int) -> None:
    """Verdicts add up to the messages sent, for every group."""
    marks = ("+", "*")
    for group in results.groups():
        of_group = results.verdicts.filter(pa.compute.equal(results.verdicts.column("group"), group)).to_pylist()
        total = sum(row["count"] for row in of_group if not row["verdict"].startswith(marks))
        assert total == sent, f"{total} verdicts for {sent} messages of group {group!r}"
