"""From offsets to tasks: nothing is left out, nothing is read twice, and pieces are of a sensible size."""

from itertools import pairwise
from random import Random

import pytest

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK, from_json, to_json
from chronik.spark.planning.slices import Slice
from chronik.spark.planning.tasks import (
    SLICE_RECORDS_MIN,
    Loss,
    Span,
    batch_ends,
    bundles,
    clip,
    cut,
    offered,
    slices,
    spans,
    started,
    truncations,
)

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)


def covered(pieces: list[Span]) -> dict[TopicPartition, list[tuple[int, int]]]:
    found: dict[TopicPartition, list[tuple[int, int]]] = {}
    for piece in pieces:
        found.setdefault(piece.at, []).append((piece.start, piece.end))
    return found


def test_small_partitions_are_one_task_each() -> None:
    whole = [Span(A0, 5, 50), Span(A1, 0, 3)]
    assert cut(whole, tasks_aimed_at=6) == whole


def test_a_large_partition_is_cut_into_as_many_tasks_as_are_aimed_at() -> None:
    assert len(cut([Span(A0, 0, 10_000_000)], tasks_aimed_at=6)) == 6


def test_no_task_is_smaller_than_it_is_worth_unless_asked_for() -> None:
    pieces = cut([Span(A0, 0, 2 * SLICE_RECORDS_MIN)], tasks_aimed_at=64)
    assert [piece.size for piece in pieces] == [SLICE_RECORDS_MIN] * 2
    assert len(cut([Span(A0, 0, 100)], tasks_aimed_at=1, tasks_min=4)) == 4
    assert [piece.size for piece in cut([Span(A0, 0, 10)], tasks_aimed_at=1, records_max=4)] == [3, 3, 4]


def sized(*sizes: int) -> list[Slice]:
    return [Slice("a", "", number, 5, 5 + size) for number, size in enumerate(sizes)]


def test_small_slices_are_put_together_for_the_cores_that_there_are() -> None:
    a, b, c, d = sized(25_000, 25_000, 25_000, 25_000)
    assert bundles([a, b, c, d], tasks_aimed_at=6) == [(a, b), (c, d)]
    assert bundles([a, b, c, d], tasks_aimed_at=1) == [(a, b, c, d)]
    assert bundles([], tasks_aimed_at=6) == []


def test_slices_that_are_worth_a_task_have_their_own() -> None:
    large = sized(*[SLICE_RECORDS_MIN] * 4)
    assert bundles(large, tasks_aimed_at=6) == [(one,) for one in large]


@pytest.mark.parametrize("seed", range(20))
def test_bundles_hold_every_slice_once_and_none_is_larger_than_it_must_be(seed: int) -> None:
    dice = Random(seed)
    pieces = sized(*[dice.choice([1, 900, 40_000, 10**6]) for _ in range(dice.randrange(1, 60))])
    found = bundles(pieces, tasks_aimed_at=dice.randrange(1, 12))
    assert [piece for bundle in found for piece in bundle] == pieces
    totals = [sum(one.end_offset - one.start_offset for one in bundle) for bundle in found]
    assert all(len(bundle) == 1 or total <= SLICE_RECORDS_MIN for bundle, total in zip(found, totals, strict=True))


def test_more_tasks_than_records_cannot_be() -> None:
    assert len(cut([Span(A0, 7, 10)], tasks_aimed_at=1, tasks_min=50)) == 3


@pytest.mark.parametrize("seed", range(20))
def test_pieces_cover_the_whole_once_and_in_order(seed: int) -> None:
    dice = Random(seed)
    starts = [dice.randrange(99) for _ in range(5)]
    whole = [
        Span(TopicPartition("t", number), start, start + dice.randrange(900)) for number, start in enumerate(starts)
    ]
    pieces = cut(
        whole,
        tasks_aimed_at=dice.randint(1, 9),
        tasks_min=dice.choice([None, 1, 7, 40]),
        records_max=dice.choice([None, 1, 13, 400]),
    )
    parts = covered(pieces)
    for span in whole:
        mine = parts.get(span.at, [])
        assert sum(end - start for start, end in mine) == span.size, f"seed {seed}"
        assert all(left[1] == right[0] for left, right in pairwise(mine)), f"seed {seed}"
        assert not mine or (mine[0][0], mine[-1][1]) == (span.start, span.end), f"seed {seed}"


def test_a_slice_knows_its_topics_id_and_where_its_files_are() -> None:
    assert slices([Span(A1, 3, 9)], {"a": "id"}, "/data") == [Slice("a", "id", 1, 3, 9, "/data")]


def test_only_what_has_both_ends_and_something_between_is_read() -> None:
    assert spans({A0: 5, A1: 9, B0: 4}, {A0: 8, A1: 9, TopicPartition("c", 0): 3}) == [Span(A0, 5, 8)]


def test_what_has_expired_is_cut_off_and_told() -> None:
    kept, losses = clip([Span(A0, 5, 20), Span(A1, 5, 8), Span(B0, 1, 2)], {A0: 10, A1: 30, B0: 0})
    assert kept == [Span(A0, 10, 20), Span(B0, 1, 2)]
    assert [(loss.at, loss.start, loss.end) for loss in losses] == [(A0, 5, 10), (A1, 5, 8)]
    assert str(losses[0]) == "a-0 offsets 5 to 9: the partition now begins at 10"


def test_a_micro_batch_takes_of_each_partition_by_its_share() -> None:
    assert batch_ends({A0: 0, A1: 100}, {A0: 300, A1: 200}, 100) == {A0: 75, A1: 125}


def test_a_small_partition_does_not_starve() -> None:
    assert batch_ends({A0: 0, A1: 0}, {A0: 1_000_000, A1: 1}, 10) == {A0: 9, A1: 1}


def test_a_micro_batch_takes_all_if_that_is_little_enough() -> None:
    assert batch_ends({A0: 0, A1: 0}, {A0: 4, A1: 6}, 10) == {A0: 4, A1: 6}


def test_micro_batches_come_to_the_end_without_passing_it() -> None:
    position, latest, rounds = {A0: 0, A1: 7, B0: 5}, {A0: 1_000, A1: 8, B0: 5}, 0
    while position != latest:
        after = batch_ends(position, latest, 90)
        assert position != after
        assert all(position[at] <= after[at] <= latest[at] for at in latest)
        assert offered(position, after) <= 90 + len(latest)
        position, rounds = after, rounds + 1
    assert rounds < 20


def test_a_partition_that_begins_at_its_latest_offset_begins_with_nothing() -> None:
    assert started({A0: LATEST_MARK, A1: 3}, {A0: 50, A1: 9}) == {A0: 50, A1: 3}


def test_partitions_that_went_back_or_away_are_told() -> None:
    told = truncations({A0: 10, A1: 5, B0: 7}, {A0: 4, A1: 5})
    assert [(loss.at, loss.start, loss.end) for loss in told] == [(B0, 7, 7), (A0, 4, 10)]
    assert str(told[0]) == "b-0 from offset 7: the partition no longer exists"
    assert isinstance(told[1], Loss)


def test_offsets_are_written_in_one_order() -> None:
    offsets = {B0: 1, A1: 2, A0: 3, TopicPartition("a", 10): 4}
    assert list(to_json(offsets)["a"]) == ["0", "1", "10"]
    assert str(to_json(offsets)) == str(to_json(dict(reversed(offsets.items()))))
    assert from_json(to_json(offsets)) == offsets
