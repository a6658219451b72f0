"""Summaries merge in any order; containers are sets; quantiles are near."""

from functools import reduce
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronik.audit.judge.balance.entries import Summary, from_rows, to_rows
from chronik.audit.judge.balance.latencies import count_latencies, merge_counts, quantile
from chronik.audit.judge.balance.reconcile import inversions, weigh_order
from chronik.audit.judge.balance.summaries import OrderSegment, add_delivered, add_sends, add_stored
from chronik.audit.judge.classify.context import AuditContext, survey
from chronik.audit.tables import bitmaps as containers
from chronik.audit.tables import schemas
from chronik.audit.tables.evidence import Evidence
from tests.audit.verdicts.mixed import mixed_run
from tests.audit.verdicts.synthetic import SyntheticRun

MEMBERS = st.sets(st.integers(0, containers.BUCKET_SIZE - 1), max_size=50)
WIDE = st.builds(
    lambda first, count: set(range(first, first + count)), st.integers(0, 20_000), st.integers(2_000, 6_000)
)
SETS = st.one_of(MEMBERS, WIDE)


def packed(members: set[int]) -> bytes:
    return containers.pack(containers.bits_of(np.array(sorted(members), np.int64)))


def listed(container: bytes) -> set[int]:
    return set(containers.numbers(container, 0).tolist())


@settings(max_examples=60, deadline=None)
@given(one=SETS, other=SETS)
def test_containers_are_sets(one: set[int], other: set[int]) -> None:
    a, b = packed(one), packed(other)
    assert containers.union(a, b) == packed(one | other)
    assert containers.intersection(a, b) == packed(one & other)
    assert containers.difference(a, b) == packed(one - other)
    assert containers.size(a) == len(one)
    assert listed(a) == one
    assert len(a) <= containers.BITMAP_BYTES


@settings(max_examples=40, deadline=None)
@given(first=st.integers(0, 200_000), count=st.integers(0, 100_000))
def test_buckets_between_two_numbers_hold_all_of_them(first: int, count: int) -> None:
    found = [
        number
        for bucket, part in containers.buckets_between(first, first + count)
        for number in containers.numbers(part, bucket)
    ]
    assert found == list(range(first, first + count))


@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.lists(st.integers(0, 10**12), max_size=60), min_size=1, max_size=4),
    share=st.sampled_from([0.5, 0.95, 0.99]),
)
def test_a_quantile_is_right_to_within_a_hundredth(parts: list[list[int]], share: float) -> None:
    merged = reduce(merge_counts, (count_latencies(np.array(part, np.int64)) for part in parts))
    everything = sorted(number for part in parts for number in part)
    if not everything:
        assert quantile(merged, share) == -1
        return
    exact = everything[max(1, -(-len(everything) * round(share * 1000) // 1000)) - 1]
    assert abs(quantile(merged, share) - exact) <= exact * 0.01 + 1


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Summary], AuditContext]:
    """The summaries of many small parts of a run with faults."""
    directory = mixed_run(300)[0].write(tmp_path_factory.mktemp("run"))
    evidence = Evidence(directory)
    context = survey(evidence)
    return [
        *_parts(evidence.sends, context),
        *_parts(evidence.stored, context),
        *_parts(evidence.delivered, context),
    ], context


def _parts(table: pa.Table, context: AuditContext) -> list[Summary]:
    return [_summed_up(table.slice(begin, 37), context) for begin in range(0, table.num_rows, 37)]


def _summed_up(rows: pa.Table, context: AuditContext) -> Summary:
    summary = Summary()
    if rows.schema.equals(schemas.SENDS):
        add_sends(summary, rows)
    elif rows.schema.equals(schemas.STORED):
        add_stored(summary, rows, context)
    else:
        add_delivered(summary, rows, context)
    return summary


def merged(summaries: list[Summary]) -> pa.RecordBatch:
    return to_rows(reduce(Summary.merge, summaries, Summary()))


@settings(max_examples=25, deadline=None)
@given(random=st.randoms(use_true_random=False), cut=st.integers(1, 20))
def test_merging_is_associative_and_commutative(
    parts: tuple[list[Summary], AuditContext], random: Random, cut: int
) -> None:
    summaries, _ = parts
    expected = merged(summaries)
    shuffled = list(summaries)
    random.shuffle(shuffled)
    nested = [reduce(Summary.merge, shuffled[begin : begin + cut], Summary()) for begin in range(0, len(shuffled), cut)]
    assert merged(nested).equals(expected)
    assert to_rows(from_rows([to_rows(part) for part in nested])).equals(expected)


@settings(max_examples=60, deadline=None)
@given(sequences=st.lists(st.integers(0, 30), min_size=1, max_size=40), cut=st.integers(1, 10))
def test_inversions_at_seams_are_counted_too(sequences: list[int], cut: int) -> None:
    segments = []
    for begin in range(0, len(sequences), cut):
        own = sequences[begin : begin + cut]
        falls = sum(b < a for a, b in pairwise(own))
        segments.append(OrderSegment(begin, begin + len(own) - 1, len(own), own[0], own[-1], max(own), falls))
    assert inversions(tuple(segments)) == sum(b < a for a, b in pairwise(sequences))


def test_a_producer_in_order_is_not_looked_at_again(tmp_path: Path) -> None:
    run = SyntheticRun()
    evidence = Evidence(run.write(tmp_path))
    summary = _summed_up(evidence.stored, survey(evidence))
    assert weigh_order(summary) == {}
