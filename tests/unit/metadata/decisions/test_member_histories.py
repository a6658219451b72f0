"""Histories by chance: whatever brokers suffer and in whatever order decisions arrive, no record is silently lost."""

import pytest

from chronik.metadata.image.image import Image
from chronik.model.ids import NO_BROKER
from tests.unit.metadata.decisions.member_history import MemberHistory

STEPS = 250


@pytest.mark.parametrize("seed", range(30))
def test_the_leader_holds_every_committed_record_and_the_cluster_settles(seed: int) -> None:
    history = MemberHistory(seed)
    try:
        history.run(STEPS)
        assert history.image == Image.load(history.members.store.range(""))
        history.calm_down()
    except AssertionError as error:
        raise AssertionError("\n".join([*history.story[-25:], str(error)])) from error
    assert history.partition.leader != NO_BROKER
    assert not history.image.unsettled


@pytest.mark.parametrize("seed", range(30))
def test_reassignments_minima_and_unclean_elections_lose_nothing_but_what_they_say(seed: int) -> None:
    history = MemberHistory(seed, brokers=5, may_reconfigure=True)
    try:
        history.run(STEPS)
        assert history.image == Image.load(history.members.store.range(""))
        history.calm_down()
    except AssertionError as error:
        raise AssertionError("\n".join([*history.story[-25:], str(error)])) from error
    assert history.partition.leader != NO_BROKER
