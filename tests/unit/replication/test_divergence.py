"""Where two logs part: cases of fast leader changes, and any two logs against a comparison record by record."""

import random

import pytest

from chronik.model.ids import LeaderEpoch, Offset
from chronik.replication.divergence import epoch_end, find_divergence
from chronik.replication.events import Divergence, FetchAsk
from chronik.storage.leader_epochs import LeaderEpochs

LATER = LeaderEpoch(99)


def epochs_of(log: list[int]) -> LeaderEpochs:
    """A log is given by the epoch of each record."""
    epochs = LeaderEpochs()
    for offset, epoch in enumerate(log):
        epochs.assign(epoch, offset)
    return epochs


def divergence(leader: list[int], follower: list[int]) -> Divergence | None:
    last = LeaderEpoch(follower[-1] if follower else -1)
    return find_divergence(epochs_of(leader), 0, len(leader), FetchAsk(Offset(len(follower)), last, LATER))


def cut(leader: list[int], follower: list[int]) -> list[int]:
    """What a follower keeps when it cuts until the leader has nothing against its log."""
    for _ in range(50):
        found = divergence(leader, follower)
        if found is None:
            return follower
        own_end = epoch_end(epochs_of(follower), len(follower), found.epoch).end_offset
        keep = min(found.end_offset, own_end)
        assert keep < len(follower), "a cut must cut something"
        follower = follower[:keep]
    raise AssertionError("the logs never agreed")


@pytest.mark.parametrize(
    ("leader", "follower", "expected"),
    [
        ([1, 1], [1, 1], None),
        ([1, 1, 1], [1, 1], None),
        ([1, 1], [], None),
        ([], [], None),
        ([1, 1, 2], [1, 1], None),
        # The follower holds more of the epoch than its leader kept.
        ([1, 1, 2], [1, 1, 1], Divergence(LeaderEpoch(1), Offset(2))),
        ([1, 1], [1, 1, 1], Divergence(LeaderEpoch(1), Offset(2))),
        # The follower was a leader whose epoch nobody else has seen.
        ([1, 1, 3], [1, 2, 2], Divergence(LeaderEpoch(1), Offset(2))),
        # Its epoch is above all that the leader's log holds; the leader has written nothing in its own yet.
        ([1, 1], [1, 1, 2], Divergence(LeaderEpoch(1), Offset(2))),
        ([], [1], Divergence(LeaderEpoch(-1), Offset(0))),
    ],
)
def test_the_leader_says_where_its_log_goes_on_differently(
    leader: list[int], follower: list[int], expected: Divergence | None
) -> None:
    assert divergence(leader, follower) == expected


def test_a_follower_with_an_unknown_tail_is_cut_in_several_steps_after_fast_leader_changes() -> None:
    assert cut([1, 1, 2, 2, 5, 5], [1, 1, 2, 3, 3, 4]) == [1, 1, 2]


def test_below_the_leaders_log_start_nothing_is_compared() -> None:
    epochs = LeaderEpochs([(5, 100)])
    assert find_divergence(epochs, 100, 120, FetchAsk(Offset(80), LeaderEpoch(3), LATER)) is None
    assert find_divergence(epochs, 100, 120, FetchAsk(Offset(100), LeaderEpoch(3), LATER)) is None
    found = find_divergence(epochs, 100, 120, FetchAsk(Offset(110), LeaderEpoch(3), LATER))
    assert found == Divergence(LeaderEpoch(3), Offset(100))


def test_an_empty_log_that_begins_beyond_the_leaders_end_is_told_the_end() -> None:
    found = find_divergence(LeaderEpochs([(1, 0)]), 0, 50, FetchAsk(Offset(100), LeaderEpoch(-1), LATER))
    assert found == Divergence(LeaderEpoch(-1), Offset(50))


def random_history(dice: random.Random) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Two replicas' logs of (epoch, writer's n-th record): each epoch has one leader, who extends its own log.

    Before a replica leads, it may have fetched a prefix of the other's log, as a follower does.
    """
    logs: list[list[tuple[int, int]]] = [[], []]
    for epoch in range(1, dice.randint(2, 8)):
        leader = dice.randint(0, 1)
        if dice.random() < 0.5:
            theirs = logs[1 - leader]
            same = next((i for i, (a, b) in enumerate(zip(*logs, strict=False)) if a != b), min(map(len, logs)))
            if same == len(logs[leader]):
                logs[leader] = theirs[: dice.randint(same, len(theirs))]
        logs[leader] = logs[leader] + [(epoch, n) for n in range(dice.randint(0, 3))]
    return logs[0], logs[1]


@pytest.mark.parametrize("seed", range(300))
def test_what_a_follower_keeps_is_what_both_logs_share(seed: int) -> None:
    leader, follower = random_history(random.Random(seed))
    kept = cut([epoch for epoch, _ in leader], [epoch for epoch, _ in follower])
    assert leader[: len(kept)] == follower[: len(kept)]
