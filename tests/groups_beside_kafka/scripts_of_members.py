"""What members do once they have joined: syncs, heartbeats and leaves, one behaviour to a script."""

from typing import Final

from chronik.model.errors import ErrorCode
from tests.groups_beside_kafka.asking import APPLES, Group, two_members
from tests.groups_beside_kafka.both import Both


def syncs_are_checked_before_they_wait(both: Both) -> None:
    group = Group(both)
    for version in range(6):
        group.syncs("a", 1, version=version)
        group.syncs("a", -1, version=version)
    both.until(group.enters("a"))
    for version in (0, 3, 5):
        group.syncs("b", 1, version=version)
        group.syncs("a", 0, version=version)
        group.syncs("a", 2, version=version)
        group.syncs("a", 1, instance="one", version=version) if version >= 3 else None
    group.syncs("a", 1, protocol="sticky")
    group.syncs("a", 1, protocol=None)
    group.syncs("a", 1, kind=None)
    group.syncs("a", 1, kind="connect")
    group.syncs("a", 1, kind=None, protocol=None)
    both.until(group.syncs("a", 1, gives=[("<a>", b"all")]))


def syncs_to_an_empty_group_id_are_refused(both: Both) -> None:
    group = Group(both)
    group.id = ""
    for version in range(6):
        group.syncs("a", 1, version=version)
    group.beats("a", 1)
    group.leaves("a", ("<a>", None))
    group.leaves("a", ("<a>", None), version=0)


def a_follower_waits_for_the_leaders_assignment(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    both.until(group.joins("a", member="<a>"), b)
    follower = group.syncs("b", 2)
    group.is_described()
    group.beats("b", 2)
    group.commits("b", [(APPLES, [(0, 1)])], generation=2, member="<b>")
    leader = group.syncs("a", 2, gives=[("<b>", b"second"), ("stranger", b"third")])
    both.until(leader, follower)
    group.is_described()
    both.until(group.syncs("b", 2))
    both.until(group.syncs("a", 2))
    both.until(group.syncs("a", 2, gives=[("<a>", b"too late")]))
    group.is_described()


def a_waiting_sync_is_sent_away_by_a_rebalance(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    both.until(group.joins("a", member="<a>"), b)
    follower = group.syncs("b", 2)
    c = group.enters("c")
    both.until(follower)
    group.syncs("a", 2, gives=[("<a>", b"late")])
    group.syncs("a", 1)
    group.is_described()
    both.until(group.joins("a", member="<a>"), group.joins("b", member="<b>"), c)


def a_waiting_sync_is_sent_away_when_its_member_leaves(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    both.until(group.joins("a", member="<a>"), b)
    follower = group.syncs("b", 2)
    follower.left_open = "Kafka forgets the request of a member that is removed, whose client waits in vain"
    group.leaves("x", ("<b>", None))
    both.until(follower)
    assert follower.answer["error_code"] == ErrorCode.UNKNOWN_MEMBER_ID
    group.is_described()
    both.until(group.joins("a", member="<a>"))


# Heartbeats


def heartbeats_are_checked(both: Both) -> None:
    group = Group(both)
    for version in range(5):
        group.beats("a", 1, version=version)
        group.beats("a", 1, member="", version=version)
    group.settles("a")
    for version in range(5):
        group.beats("a", 1, version=version)
        group.beats("a", 0, version=version)
        group.beats("a", 2, version=version)
        group.beats("a", -1, version=version)
        group.beats("a", 1, member="nobody", version=version)
        group.beats("a", 1, member="", version=version)
    group.beats("a", 1, instance="one")
    group.beats("a", 1, member="", instance="one")
    group.leaves("a", ("<a>", None))
    group.beats("a", 1)
    group.beats("a", 2)


# Leaving


def leaves_are_answered_one_by_one(both: Both) -> None:
    group = Group(both)
    group.leaves("a", ("nobody", None))
    group.leaves("a", ("nobody", None), version=0)
    group.leaves("a", ("", "one"))
    group.leaves("a", ("", None))
    group.leaves("a")
    two_members(group)
    group.leaves("a")
    group.leaves("a", ("nobody", None), ("<b>", None), ("<b>", None), ("", "one"), ("", None), ("<a>", "one"))
    group.is_described()
    group.leaves("a", ("<a>", None), version=2)
    group.leaves("a", ("<a>", None), version=2)
    group.is_described()


def static_members_are_removed_by_instance(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one"))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"all")]))
    group.leaves("x", ("", "two"), ("nobody", "one"), ("<a>", "two"))
    group.leaves("x", ("", "one"), ("", "one"))
    group.is_described()
    again = Group(both, "again")
    both.until(again.joins("b", instance="one"))
    again.leaves("x", ("<b>", None))
    again.is_described()


def the_last_wait_of_a_rebalance_ends_when_the_missing_member_leaves(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    group.leaves("a", ("<a>", None))
    both.until(b)
    assert b.answer["leader"] == b.answer["member_id"]
    group.is_described()


def whoever_leaves_while_it_waits_is_answered(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    group.leaves("x", ("<b>", None))
    both.until(b)
    group.is_described()
    both.until(group.joins("a", member="<a>"))


SCRIPTS: Final = [
    script
    for name, script in list(globals().items())
    if getattr(script, "__module__", "") == __name__ and callable(script) and not name.startswith("_")
]
