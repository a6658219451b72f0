"""How a partition's state follows from another: the rules for in-sync sets, the eligible, and who may lead."""

from collections.abc import Iterable

import pytest

from chronik.metadata.decisions.partition_changes import (
    ElectionKind,
    MayLead,
    elect,
    finish_reassignment,
    with_in_sync,
    without_members,
    without_trace,
)
from chronik.metadata.image.keys import PartitionState
from tests.unit.metadata.decisions.member_cases import ids, sets, state

Sets = tuple[int, set[int], set[int]]


def only(*brokers: int) -> MayLead:
    return lambda broker: broker in brokers


def everybody(broker: int) -> bool:
    return True


@pytest.mark.parametrize(
    ("before", "isr", "elr"),
    [
        (state([1, 2, 3], leader=1), [1, 2], set()),
        (state([1, 2], leader=1), [1], {2}),
        (state([1], [2], leader=1), [1], {2}),
        (state([1], [2, 3], leader=1), [1, 2], set()),
        (state([1, 2]), [], {1, 2}),
        (state([1], [2]), [], {1, 2}),
        (state([1], min_insync=1), [], {1}),
        (state([1, 2], leader=1, replicas=(1, 2), min_insync=3), [1], {2}),
        (state([1, 2], leader=1, min_insync=3), [1, 2, 3], set()),
    ],
    ids=[
        "enough stay: nobody is eligible besides",
        "below the minimum the leaver stays eligible",
        "the eligible stay while the set is too small",
        "back at the minimum: the eligible are forgotten",
        "nobody left in sync: all who left are eligible",
        "the last joins the eligible",
        "a minimum of one",
        "the minimum is at most the number of replicas",
        "all replicas are enough for any minimum",
    ],
)
def test_who_leaves_a_set_below_its_minimum_stays_eligible(
    before: PartitionState, isr: Iterable[int], elr: set[int]
) -> None:
    after = with_in_sync(before, ids(*isr))
    assert (set(after.isr), set(after.elr)) == (set(isr), elr)


def test_the_dead_leave_in_one_move_and_nothing_changes_where_none_are_in_sync() -> None:
    before = state([1, 2, 3], leader=1)
    assert sets(without_members(before, ids(2, 3))) == (1, {1}, {2, 3})
    assert without_members(before, ids(7)) is before


@pytest.mark.parametrize(
    ("before", "broker", "expected", "last_known"),
    [
        (state([1, 2, 3], leader=1), 2, (1, {1, 3}, set()), set()),
        (state([1, 2], leader=1), 2, (1, {1}, set()), {2}),
        (state([1], [2]), 2, (-1, {1}, set()), {2}),
        (state([1], [2]), 1, (-1, set(), {2}), {1}),
        (state([1], last_known=[2]), 1, (-1, set(), set()), {1, 2}),
        (state([], [3], last_known=[2]), 3, (-1, set(), set()), {2, 3}),
        (state([1], [2]), 3, (-1, {1}, {2}), set()),
        (state([1], replicas=[1], min_insync=1), 1, (-1, set(), set()), {1}),
    ],
    ids=[
        "enough are left",
        "too few are left: not even eligible, but remembered",
        "out of the eligible",
        "the last in sync, others are eligible",
        "the last of all: everybody who left since is remembered",
        "the last eligible",
        "of neither set",
        "the only replica",
    ],
)
def test_who_may_have_lost_records_leaves_both_sets_even_as_the_last_and_is_remembered(
    before: PartitionState, broker: int, expected: Sets, last_known: set[int]
) -> None:
    after = without_trace(before, ids(broker)[0])
    assert (sets(after), set(after.last_known)) == (expected, last_known)


def test_the_remembered_are_forgotten_when_the_set_suffices_again() -> None:
    before = state([1], last_known=[2], leader=1)
    assert with_in_sync(before, ids(1, 2)).last_known == ()
    below = state([1], last_known=[2, 3], leader=1, min_insync=3)
    assert with_in_sync(below, ids(1, 2)).last_known == (3,)


@pytest.mark.parametrize(
    ("before", "alive", "unclean", "expected", "kind"),
    [
        (state([1, 2, 3]), [1, 2, 3], False, (1, {1, 2, 3}, set()), ElectionKind.IN_SYNC),
        (state([1, 2, 3], replicas=[3, 1, 2]), [1, 2], False, (1, {1, 2, 3}, set()), ElectionKind.IN_SYNC),
        (state([2], [1]), [1, 2], False, (2, {2}, {1}), ElectionKind.IN_SYNC),
        (state([], [2, 3]), [3], False, (3, {3}, {2}), ElectionKind.ELIGIBLE),
        (state([1], [2]), [2], False, (2, {2}, {1}), ElectionKind.ELIGIBLE),
        (state([], [1, 2, 3], min_insync=1), [2], False, (2, {2}, set()), ElectionKind.ELIGIBLE),
        (state([], [2]), [1, 3], False, (-1, set(), {2}), ElectionKind.NOBODY),
        (state([], [2]), [1, 3], True, (1, {1}, set()), ElectionKind.UNCLEAN),
        (state([], last_known=[3]), [1, 2, 3], True, (3, {3}, set()), ElectionKind.UNCLEAN),
        (state([], [2]), [2, 3], True, (2, {2}, set()), ElectionKind.ELIGIBLE),
        (state([], [1], adding=[3], replicas=[3, 1, 2]), [2, 3], True, (2, {2}, set()), ElectionKind.UNCLEAN),
        (state([], [2]), [], True, (-1, set(), {2}), ElectionKind.NOBODY),
    ],
    ids=[
        "the first replica in sync",
        "in the order of the replicas",
        "in sync before eligible",
        "eligible, alone in sync, the others stay eligible",
        "eligible where nobody in sync may lead",
        "eligible, and enough alone: nobody else is eligible any more",
        "nobody who surely holds everything",
        "anybody if that is allowed",
        "anybody: those who were remembered first",
        "not unclean where it is not needed",
        "anybody: newcomers last",
        "nobody at all",
    ],
)
def test_leaders_come_from_the_in_sync_then_from_the_eligible(
    before: PartitionState, alive: list[int], unclean: bool, expected: Sets, kind: ElectionKind
) -> None:
    election = elect(before, only(*alive), unclean=unclean)
    assert (sets(election.state), election.kind) == (expected, kind)


def moving(*isr: int) -> PartitionState:
    return state(isr, leader=1, replicas=(4, 5, 1, 2), adding=(4, 5), removing=(1, 2))


@pytest.mark.parametrize(
    "unfinished",
    [
        moving(1, 2, 4),
        moving(1, 2),
        state([1, 2, 4], leader=1, replicas=(4, 3, 1, 2), adding=(4,), removing=(1, 2)),
        state([1, 2, 3], leader=1, removing=(2, 3), replicas=(1, 4, 2, 3)),
    ],
    ids=["one is missing", "both are missing", "too few would be left", "too few would be left, nobody comes"],
)
def test_a_reassignment_waits_for_all_who_come_and_for_the_minimum_without_who_goes(unfinished: PartitionState) -> None:
    assert finish_reassignment(unfinished, everybody) is unfinished


def test_a_finished_reassignment_leaves_the_target_and_moves_the_lead_there() -> None:
    done = finish_reassignment(moving(1, 2, 4, 5), everybody)
    assert (done.replicas, done.adding, done.removing) == (ids(4, 5), (), ())
    assert sets(done) == (4, {4, 5}, set())


def test_a_reassignment_is_not_finished_without_a_possible_leader() -> None:
    before = moving(1, 2, 4, 5)
    assert finish_reassignment(before, only(1, 2)) is before
    assert finish_reassignment(before, only(5)).leader == 5


def test_replicas_on_their_way_do_not_raise_the_minimum() -> None:
    before = state([1], leader=1, replicas=(1, 2, 3), adding=(2, 3))
    assert before.required_in_sync == 1
    assert state([1], replicas=(1, 2, 3)).required_in_sync == 2
    assert with_in_sync(before, ids(1)).elr == ()
