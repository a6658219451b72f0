"""What a nemesis does follows from the seed and the number of the round, and from nothing else."""

from itertools import islice

from nemesis.plan import FaultKind, round_of, rounds

FAULTS = list(FaultKind)


def test_a_round_is_the_same_whichever_came_before() -> None:
    together = list(islice(rounds(7, FAULTS), 20))
    assert next(rounds(7, FAULTS, first=13)) == together[12] == round_of(7, 13, FAULTS)


def test_seeds_differ() -> None:
    assert list(islice(rounds(1, FAULTS), 10)) != list(islice(rounds(2, FAULTS), 10))


def test_the_first_rounds_know_every_fault() -> None:
    first = list(islice(rounds(3, FAULTS), len(FAULTS)))
    assert [each.faults[0].kind for each in first] == FAULTS
