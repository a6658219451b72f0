"""Static members that come again, and members that do not: one behaviour to a script."""

from typing import Any, Final

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.describe_groups import DescribeGroupsRequest
from tests.groups_beside_kafka.asking import APPLES, OTHER, RANGE, SHORT_MS, STICKY, Group
from tests.groups_beside_kafka.both import Both


def a_static_member_that_comes_again_keeps_its_assignment(both: Both) -> None:
    for version in (5, 8, 9):
        group = Group(both, f"v{version}")
        both.until(group.joins("a", instance="one", version=version))
        b = group.joins("b", instance="two", version=version)
        both.until(group.joins("a", member="<a>", instance="one", version=version), b)
        follower = group.syncs("b", 2, instance="two")
        both.until(group.syncs("a", 2, instance="one", gives=[("<a>", b"1"), ("<b>", b"2")]), follower)
        both.until(group.joins("b", instance="two", version=version))
        group.is_described()
        both.until(group.syncs("b", 2, instance="two"))
        group.syncs("b", 2, member="<b.1>", instance="two")
        group.commits("b", [(APPLES, [(0, 5)])], generation=2, member="<b.1>", instance="two")
        group.commits("b", [(APPLES, [(0, 5)])], generation=2, member="<b>", instance="two")
        both.until(group.joins("a", instance="one", version=version))
        both.until(group.syncs("a", 2, instance="one"))
        group.joins("a", member="<a.1>", instance="one", version=version)
        group.leaves("x", ("<a.1>", "one"))
        group.is_described()


def a_static_member_that_changes_its_metadata_under_the_same_protocol_stays(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one"))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"1")]))
    both.until(group.joins("a", instance="one", protocols=(OTHER,)))
    group.is_described()
    group.beats("a", 1, instance="one")


def a_static_member_that_changes_the_protocol_begins_a_rebalance(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one", protocols=(RANGE, STICKY)))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"1")]))
    both.until(group.joins("a", instance="one", protocols=(STICKY,)))
    group.is_described()


def a_static_member_replaced_while_it_waits_is_fenced(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    waiting = group.joins("b", instance="one")
    second = group.joins("b", instance="one")
    both.until(waiting)
    group.is_described()
    both.until(group.joins("a", member="<a>"), second)
    follower = group.syncs("b", 2, instance="one")
    third = group.joins("b", instance="one")
    both.until(follower)
    both.until(group.joins("a", member="<a>"), third)


def a_static_member_replaced_before_the_sync_begins_a_rebalance(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one"))
    both.until(group.joins("a", instance="one"))
    group.is_described()
    both.until(group.syncs("a", 2, instance="one", gives=[("<a>", b"1")]))


# Time


def a_silent_member_is_out_after_its_session(both: Both) -> None:
    group = Group(both)
    group.settles("a", session_ms=SHORT_MS)
    b = group.enters("b")
    both.until(b)
    assert b.answer["generation_id"] == 2
    group.is_described()
    group.beats("a", 1)


def a_member_that_does_not_join_again_is_out_after_the_rebalance_timeout(both: Both) -> None:
    group = Group(both)
    group.settles("a", rebalance_ms=SHORT_MS)
    b = group.enters("b", rebalance_ms=SHORT_MS)
    group.beats("a", 1)
    both.until(b)
    group.beats("a", 1)
    group.is_described()


def a_leader_that_never_syncs_is_out_with_those_who_did_not_either(both: Both) -> None:
    group = Group(both)
    group.settles("a", rebalance_ms=SHORT_MS)
    b = group.enters("b", rebalance_ms=SHORT_MS)
    both.until(group.joins("a", member="<a>", rebalance_ms=SHORT_MS), b)
    follower = group.syncs("b", 2)
    both.until(follower)
    group.is_described()
    group.beats("a", 2)
    group.beats("b", 2)
    both.until(group.joins("b", member="<b>", rebalance_ms=SHORT_MS))


def a_leader_that_falls_silent_before_its_sync_sends_the_others_away(both: Both) -> None:
    group = Group(both)
    group.settles("a", session_ms=SHORT_MS)
    b = group.enters("b")
    both.until(group.joins("a", member="<a>", session_ms=SHORT_MS), b)
    follower = group.syncs("b", 2)
    both.until(follower)
    group.is_described()
    alone = group.joins("b", member="<b>")
    both.until(alone)
    both.until(group.syncs("b", 3, gives=[("<b>", b"all")]))


def _is_empty(said: Any) -> bool:
    return bool(said["groups"][0]["group_state"] == "Empty")


def a_silent_static_member_is_out_after_its_session_too(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one", session_ms=SHORT_MS))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"1")]))
    request = DescribeGroupsRequest([group.id])
    for side in both.sides:
        both.await_on(
            side, lambda said: said["groups"][0]["group_state"] == "Empty", ApiKey.DESCRIBE_GROUPS, 6, request
        )
    group.is_described()
    group.beats("a", 1, instance="one")
    group.joins("a", member="<a>", instance="one")
    both.until(group.joins("a", instance="one"))


def an_id_that_is_not_used_lapses_and_lets_the_rebalance_go_on(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    group.joins("b", session_ms=SHORT_MS)
    a = group.joins("a", member="<a>")
    both.until(a)
    group.joins("b", member="<b>", session_ms=SHORT_MS)


def a_static_member_that_does_not_join_again_keeps_its_place(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one", rebalance_ms=SHORT_MS))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"1")]))
    b = group.enters("b", rebalance_ms=SHORT_MS)
    both.until(b)
    group.is_described()
    both.until(group.syncs("b", 2, gives=[("<a>", b"1"), ("<b>", b"2")]))
    group.is_described()
    group.beats("a", 1, instance="one")
    group.beats("a", 2, instance="one")


SCRIPTS: Final = [
    script
    for name, script in list(globals().items())
    if getattr(script, "__module__", "") == __name__ and callable(script) and not name.startswith("_")
]
