"""Sums over runs are the sums over their rows; what balances in a sub-bucket is left out, and nothing else."""

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronik.audit.judge.balance import splits as splits_module
from chronik.audit.judge.balance.entries import EntryKey, EntryKind, Summary, SummaryEntry, to_rows
from chronik.audit.judge.balance.reconcile import condense, find_unbalanced, known_beforehand, sub_buckets_in_question
from chronik.audit.judge.balance.selection import select
from chronik.audit.judge.balance.splits import file_splits
from chronik.audit.judge.balance.summaries import NARROW_SENDS, add_sends
from chronik.audit.judge.balance.zone_map import add_split, splits_to_reread
from chronik.audit.judge.classify.context import survey
from chronik.audit.tables import schemas
from chronik.audit.tables.bitmaps import BUCKET_BITS, LOW_MASK, SUB_BUCKET_BITS, SUB_BUCKETS, members_of
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import SendOutcome
from chronik.audit.tables.stream_files import batch_sizes, batches_at, stream_batches
from tests.audit.verdicts.mixed import mixed_run

Send = tuple[int, int, int, int]
"""Producer, sequence, partition, offset."""
EDGE = 1 << BUCKET_BITS
SOME = 4 << SUB_BUCKET_BITS
RUNS = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.one_of(st.integers(0, 3000), st.integers(EDGE - 1500, EDGE + 20), st.integers(3 * EDGE - 10, 3 * EDGE)),
        st.integers(0, 2),
        st.one_of(st.integers(0, 3000), st.integers(EDGE - 1500, EDGE + 20)),
        st.integers(1, 1200),
    ),
    min_size=1,
    max_size=6,
)


def sends_of(runs: Sequence[tuple[int, int, int, int, int]]) -> list[Send]:
    return [
        (producer, sequence + step, partition, offset + step)
        for producer, sequence, partition, offset, length in runs
        for step in range(length)
    ]


def table_of(sends: Sequence[Send], unplaced: frozenset[int] = frozenset()) -> pa.Table:
    columns = list(zip(*sends, strict=True))
    outcomes = [SendOutcome.UNKNOWN if at in unplaced else SendOutcome.ACKED for at in range(len(sends))]
    arrays = [columns[0], columns[1], columns[2], outcomes, columns[3]]
    return pa.Table.from_arrays(
        [pa.array(values, field.type) for values, field in zip(arrays, NARROW_SENDS, strict=True)], schema=NARROW_SENDS
    )


def summed_up(*tables: pa.Table) -> Summary:
    summary = Summary()
    for table in tables:
        add_sends(summary, table)
    return summary


@settings(max_examples=60, deadline=None)
@given(runs=RUNS, dice=st.randoms(use_true_random=False))
def test_sums_over_runs_are_the_sums_over_rows(runs: list[tuple[int, int, int, int, int]], dice: Random) -> None:
    sends = sends_of(runs)
    unplaced = frozenset(dice.sample(range(len(sends)), min(3, len(sends))))
    summary = summed_up(table_of(sends, unplaced))
    rows = Counter((producer, sequence >> BUCKET_BITS) for producer, sequence, _, _ in sends)
    sub_buckets = Counter(
        (sends[at][0], sends[at][1] >> BUCKET_BITS, (sends[at][1] & LOW_MASK) >> SUB_BUCKET_BITS) for at in unplaced
    )
    entries = summary.of_kind(EntryKind.SENT_IDS)
    assert {(at.key, at.bucket): entry.rows for at, entry in entries.items()} == rows
    for at, entry in entries.items():
        assert entry.bits is not None
        own = {
            sequence & LOW_MASK for producer, sequence, _, _ in sends if (producer, sequence >> BUCKET_BITS) == at[2:]
        }
        assert set(members_of(entry.bits).tolist()) == own
        marks = [sub_buckets[at.key, at.bucket, sub_bucket] for sub_bucket in range(SUB_BUCKETS)]
        assert ([0] * SUB_BUCKETS if entry.marks is None else entry.marks.tolist()) == marks
        assert entry.attention == sum(marks)


@settings(max_examples=40, deadline=None)
@given(runs=RUNS, dice=st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order_of_rows_or_on_how_they_are_cut(
    runs: list[tuple[int, int, int, int, int]], dice: Random
) -> None:
    sends = sends_of(runs)
    whole = summed_up(table_of(sends))
    cut = dice.randrange(len(sends) + 1)
    shuffled = sends[:cut]
    dice.shuffle(shuffled)
    parts = [part for part in (shuffled, sends[cut:]) if part]
    assert to_rows(summed_up(*map(table_of, parts))).equals(to_rows(whole))


@settings(max_examples=60, deadline=None)
@given(first=st.integers(0, 2000), second=st.integers(0, 2000), ahead=st.integers(0, 5000))
def test_two_messages_that_changed_places_have_other_sums(first: int, second: int, ahead: int) -> None:
    sends = [(0, number, 0, number + ahead) for number in range(2001)]
    swapped = list(sends)
    swapped[first], swapped[second] = (0, first, 0, second + ahead), (0, second, 0, first + ahead)
    at = EntryKey(EntryKind.SENT_IDS, "", 0, 0)
    one, other = summed_up(table_of(sends)).entries[at], summed_up(table_of(swapped)).entries[at]
    assert one.hash_sums is not None
    assert other.hash_sums is not None
    differing = set(np.flatnonzero(one.hash_sums != other.hash_sums).tolist())
    assert differing == ({first >> SUB_BUCKET_BITS, second >> SUB_BUCKET_BITS} if first != second else set())


@settings(max_examples=60, deadline=None)
@given(
    lost=st.sets(st.integers(0, SOME - 1), max_size=3),
    moved=st.sets(st.integers(0, SOME - 1), max_size=3),
    marked=st.sets(st.integers(0, SOME - 1), max_size=3),
)
def test_the_sub_buckets_in_question_are_those_with_a_fault(lost: set[int], moved: set[int], marked: set[int]) -> None:
    sent = _entry([(0, number, 0, number) for number in range(SOME)])
    given_ = _entry([(0, number, 0, number + 1000 * (number in moved)) for number in range(SOME) if number not in lost])
    stored = _entry([(0, number, 0, number) for number in range(SOME)], marked)
    sides = {
        (int(EntryKind.SENT_IDS), ""): sent,
        (int(EntryKind.STORED_IDS), ""): stored,
        (int(EntryKind.DELIVERED_IDS), "g"): given_,
    }
    faults = {number >> SUB_BUCKET_BITS for number in lost | moved | marked}
    found = set(np.flatnonzero(sub_buckets_in_question(sides, ("g",))).tolist())
    assert found == (faults or set(range(SUB_BUCKETS)))


def _entry(sends: list[Send], marked: set[int] = frozenset()) -> SummaryEntry:  # type: ignore[assignment]
    unplaced = frozenset(at for at, send in enumerate(sends) if send[1] in marked)
    return summed_up(table_of(sends, unplaced)).entries[EntryKey(EntryKind.SENT_IDS, "", 0, 0)]


def test_attention_without_a_place_puts_the_whole_bucket_in_question() -> None:
    sent = _entry([(0, number, 0, number) for number in range(2000)])
    stored = SummaryEntry(sent.rows, sent.bits, sent.hash_sums, attention=1)
    sides = {(int(EntryKind.SENT_IDS), ""): sent, (int(EntryKind.STORED_IDS), ""): stored}
    assert sub_buckets_in_question(sides, ()).all()


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1000), size=st.sampled_from([20, 50, 200]))
def test_what_is_read_again_holds_all_rows_in_question(
    seed: int, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    run, _ = mixed_run(400, first=10 + seed % 50)
    directory = run.write(tmp_path_factory.mktemp("run"), files=1 + seed % 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits_module, "ROWS_AT_ONCE", size)
        _rewritten(directory, size // 3)
        evidence = Evidence(directory)
        context = survey(evidence)
        splits = file_splits(evidence)
        summary = Summary()
        for number, split in enumerate(splits):
            add_split(summary, number, split, context)
        summary = condense(summary.merge(known_beforehand(evidence, context)), context)
        chosen, context = find_unbalanced(summary), context.with_delivered(summary)
        found, everything = (
            [
                (reading.side, row)
                for reading in readings
                for rows in reading.tables()
                for row in select(reading.side, rows, chosen, context).to_pylist()
            ]
            for readings in (splits_to_reread(splits, summary, chosen), splits_to_reread(splits, summary))
        )
        assert found == everything
        assert len(found) > 0


def _rewritten(directory: Path, rows: int) -> None:
    """Cut the batches of a run's files smaller."""
    for path in [
        *directory.glob("sends/*.arrows"),
        *directory.glob("stored/*.arrows"),
        *directory.glob("polls/?.arrows"),
    ]:
        table = pa.Table.from_batches(stream_batches(path)).unify_dictionaries().combine_chunks()
        with pa.ipc.new_stream(f"{path}.new", table.schema) as stream:
            stream.write_table(table, max_chunksize=rows)
        path.with_name(f"{path.name}.new").rename(path)


def test_batches_that_are_passed_over_do_not_change_those_behind_them(tmp_path: Path) -> None:
    path = tmp_path / "some.arrows"
    schema = pa.schema([("group", schemas.GROUP), ("poll", pa.uint64())])
    with pa.ipc.new_stream(str(path), schema) as stream:
        for number in range(9):
            # The dictionary is replaced every third batch.
            names = pa.array([f"g{number // 3}"] * 5).dictionary_encode().cast(schemas.GROUP)
            stream.write_batch(pa.RecordBatch.from_arrays([names, pa.array([number] * 5, pa.uint64())], schema=schema))
    with pa.memory_map(str(path)) as source, pa.ipc.open_stream(source) as reader:
        everything = [batch.to_pylist() for batch in reader]
    assert [row for batch in stream_batches(path) for row in batch.to_pylist()] == list(itertools.chain(*everything))
    for chosen in ([(0, 9)], [(4, 5)], [(2, 3), (7, 9)], [(8, 9)], [(1, 2), (3, 4), (5, 30)]):
        numbers = [number for first, end in chosen for number in range(first, min(end, 9))]
        found = [(number, batch.to_pylist()) for number, batch in batches_at(path, schema, chosen)]
        assert found == [(number, everything[number]) for number in numbers]
    assert len(list(batch_sizes(path))) == 9
    path.write_bytes(path.read_bytes()[:-300])
    whole = sum(map(len, stream_batches(path))) // 5
    assert whole < 9
    assert len(list(batch_sizes(path))) == whole
    assert [number for number, _ in batches_at(path, schema, [(2, 9)])] == list(range(2, whole))
