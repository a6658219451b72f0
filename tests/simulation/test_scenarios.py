"""The rules of replication, each as the story of the loss that it prevents."""

import pytest

from tests.simulation import scenarios_of_damage, scenarios_of_requests, scenarios_of_sets, scenarios_of_terms
from tests.simulation.scenarios import SCENARIOS

FAMILIES = (scenarios_of_damage, scenarios_of_requests, scenarios_of_sets, scenarios_of_terms)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_cluster_keeps_its_promises_in_the_story_of(name: str) -> None:
    SCENARIOS[name]()
