"""Clusters with faults from a seed: whatever happens, no promise is broken."""

import pytest

from chronik.simulation.run import run_seed

SEEDS = 240
IN_ONE_TEST = 8


@pytest.mark.parametrize("first", range(0, SEEDS, IN_ONE_TEST))
def test_no_promise_is_broken_whatever_fails(first: int) -> None:
    for seed in range(first, first + IN_ONE_TEST):
        result = run_seed(seed)
        story = "\n".join(result.trace[-40:])
        assert result.violation is None, f"chronik simulate --seed {seed}: {result.violation}\n{story}"


def test_a_run_can_be_repeated_to_the_event() -> None:
    first, again = run_seed(5), run_seed(5)
    assert first.trace == again.trace
    assert (first.events, first.committed, first.read) == (again.events, again.committed, again.read)
    assert run_seed(7).trace != first.trace


def test_some_seeds_go_beyond_the_budget_and_what_they_lose_is_told() -> None:
    results = [run_seed(seed) for seed in (7, 15)]
    assert sum(result.lost for result in results) > 0
    assert [result.violation for result in results] == [None, None]


def test_the_seeds_see_every_kind_of_fault_and_clients_get_on() -> None:
    faults: set[str] = set()
    for seed in range(16):
        result = run_seed(seed, faults_s=1.5)
        faults.update(result.faults)
        assert result.acknowledged > 0
        assert result.read > 0
    assert len(faults) >= 10, f"only {sorted(faults)} happened"
