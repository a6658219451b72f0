"""Whatever is asked of a group, Chronik answers as a live Apache Kafka does, but for exceptions that are stated.

`CHRONIK_GROUP_SEEDS=200` tries so many histories by chance instead of a few, `CHRONIK_GROUP_SEED=1000` others.
"""

import os
from collections.abc import Callable

import pytest

from tests.groups_beside_kafka import (
    scripts_of_administration,
    scripts_of_joining,
    scripts_of_members,
    scripts_of_offsets,
    scripts_of_returning,
)
from tests.groups_beside_kafka.both import Both
from tests.groups_beside_kafka.conftest import Pair
from tests.groups_beside_kafka.histories import History

SCRIPTS = [
    *scripts_of_joining.SCRIPTS,
    *scripts_of_members.SCRIPTS,
    *scripts_of_returning.SCRIPTS,
    *scripts_of_offsets.SCRIPTS,
    *scripts_of_administration.SCRIPTS,
]
FIRST_SEED = int(os.environ.get("CHRONIK_GROUP_SEED", "0"))
SEEDS = range(FIRST_SEED, FIRST_SEED + int(os.environ.get("CHRONIK_GROUP_SEEDS", "8")))

pytestmark = pytest.mark.xdist_group("groups beside Kafka")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_both_answer_alike_when(pair: Pair, script: Callable[[Both], None]) -> None:
    both = Both(pair.kafka, pair.chronik, f"{script.__name__}-")
    try:
        script(both)
    finally:
        both.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_both_answer_alike_in_a_history_by_chance(pair: Pair, seed: int) -> None:
    both = Both(pair.kafka, pair.chronik, f"seed-{seed}-")
    try:
        History(both, seed).run()
    finally:
        both.close()
