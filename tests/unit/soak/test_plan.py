"""The cast has 64 clients of all kinds, and the timetable is the same for the same seed."""

import itertools
from collections import Counter

from soak.plan import Action, Deed, Library, the_cast, timetable
from soak.worker import from_argument, to_argument

CAST = the_cast()


def test_there_are_64_clients_of_three_libraries() -> None:
    assert len({client.name for client in CAST.all}) == len(CAST.all) == 64
    for is_producer in (True, False):
        assert {client.library for client in CAST.all if client.is_producer == is_producer} == set(Library)


def test_every_group_reads_a_topic_that_is_written_and_has_a_member_that_can_be_killed() -> None:
    assert len(CAST.topic_of_group) == 8
    assert set(CAST.topic_of_group.values()) == {client.topic for client in CAST.producers}
    assert {client.group for client in CAST.mortal} == set(CAST.topic_of_group)


def test_there_are_static_cooperative_and_mixed_groups() -> None:
    kinds = Counter((client.strategy, client.instance_id is not None) for client in CAST.all if client.group)
    assert set(kinds) == {("range", False), ("range", True), ("cooperative-sticky", False), ("roundrobin", False)}
    mixed = {client.library for client in CAST.all if client.group == "g0"}
    assert mixed == set(Library)


def test_the_members_of_a_group_agree_on_a_strategy() -> None:
    for group in CAST.topic_of_group:
        assert len({client.strategy for client in CAST.all if client.group == group}) == 1


def test_a_seed_gives_one_timetable() -> None:
    assert timetable(CAST, 600, 7) == timetable(CAST, 600, 7) != timetable(CAST, 600, 8)


def test_a_minute_has_departures_and_crashes_within_it() -> None:
    for seed in range(50):
        actions = timetable(CAST, 60, seed)
        assert {action.deed for action in actions} == set(Deed)
        assert all(action.at_seconds < 60 for action in actions)


def test_nobody_is_sent_away_while_away() -> None:
    for seed in range(50):
        for actions in _by_client(timetable(CAST, 1800, seed)).values():
            for earlier, later in itertools.pairwise(actions):
                assert later.at_seconds > earlier.at_seconds + earlier.away_seconds


def test_a_killed_static_member_is_back_before_its_session_ends() -> None:
    for action in timetable(CAST, 1800, 3):
        if action.client.instance_id is not None:
            assert action.away_seconds < 6


def test_a_client_is_understood_by_the_process_that_plays_it() -> None:
    for client in CAST.all:
        assert from_argument(to_argument(client)) == client


def _by_client(actions: tuple[Action, ...]) -> dict[str, list[Action]]:
    grouped: dict[str, list[Action]] = {}
    for action in actions:
        grouped.setdefault(action.client.name, []).append(action)
    return grouped
