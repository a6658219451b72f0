"""Who may join a group, and when a join is answered: one behaviour to a script."""

from typing import Final

from chronik.model.errors import ErrorCode
from tests.groups_beside_kafka.asking import APPLES, OTHER, RANGE, STICKY, Group, two_members
from tests.groups_beside_kafka.both import Both


def a_member_joins_in_every_version_and_syncs_and_leaves(both: Both) -> None:
    for version in range(10):
        group = Group(both, f"v{version}")
        if version >= 4:
            joined = group.enters("a", version=version)
        else:
            joined = group.joins("a", version=version)
        both.until(joined)
        sync_version = min(version, 5)
        both.until(group.syncs("a", 1, version=sync_version, gives=[("<a>", b"all")]))
        group.beats("a", 1, version=min(version, 4))
        group.is_described(min(version, 6))
        group.leaves("a", ("<a>", None), version=sync_version)
        group.is_described(min(version, 6))


def a_static_member_joins_in_every_version_that_has_instances(both: Both) -> None:
    for version in range(5, 10):
        group = Group(both, f"v{version}")
        both.until(group.joins("a", instance="one", version=version))
        both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"all")]))
        group.beats("a", 1, instance="one")
        both.until(group.joins("a", instance="one", version=version))
        group.beats("a", 1, member="<a.1>", instance="one")
        group.beats("a", 1, instance="one")
        group.is_described()


def sessions_outside_the_bounds_are_refused(both: Both) -> None:
    group = Group(both)
    for session_ms in (-1, 0, 99, 1_800_001, 2**31 - 1, -(2**31)):
        for version in (0, 3, 5, 9):
            group.joins("a", session_ms=session_ms, version=version)
    group.is_described()


def odd_rebalance_timeouts_are_taken(both: Both) -> None:
    for number, rebalance_ms in enumerate((0, 1, 2**31 - 1)):
        group = Group(both, f"g{number}")
        both.until(group.enters("a", rebalance_ms=rebalance_ms))


def odd_group_ids_join_or_are_refused(both: Both) -> None:
    for odd in ("", " ", "ünïcödé-グループ", "/", "x" * 300, "a\nb", "\0", "x" * 32_000):
        group = Group(both, odd)
        if not odd:
            group.id = ""
        for version in (0, 5, 9):
            group.joins("a", version=version)
        group.is_described()


def protocols_that_are_missing_or_do_not_fit_are_refused(both: Both) -> None:
    group = Group(both)
    for version in (0, 5, 9):
        group.joins("a", protocols=(), version=version)
        group.joins("a", kind="", version=version)
        group.joins("a", kind="", protocols=(), version=version)
    group.settles("b")
    group.joins("a", protocols=(STICKY,))
    group.joins("a", kind="connect")
    group.joins("a", protocols=())
    group.joins("b", member="<b>", kind="connect")
    group.joins("b", member="<b>", protocols=(STICKY,))
    group.joins("a", instance="one", protocols=(STICKY,))
    group.is_described()


def an_empty_protocol_name_and_the_same_one_twice_are_taken(both: Both) -> None:
    group = Group(both, "empty")
    both.until(group.enters("a", protocols=(("", b""),)))
    both.until(group.syncs("a", 1, protocol="", gives=[("<a>", b"")]))
    group.is_described()
    twice = Group(both, "twice")
    both.until(twice.joins("b", protocols=(RANGE, OTHER)))
    reason = "Kafka fails over a protocol that is named twice, and leaves the member without an answer"
    taken = twice.joins("b", member="<b>", protocols=(RANGE, OTHER), left_open=reason)
    both.until(taken)
    assert taken.answer["error_code"] == ErrorCode.NONE


def the_protocol_that_most_members_prefer_is_chosen(both: Both) -> None:
    group = Group(both)
    group.settles("a", protocols=(RANGE, STICKY))
    b = group.enters("b", protocols=(STICKY, RANGE))
    c = group.enters("c", protocols=(STICKY, RANGE, ("other", b"")))
    a = group.joins("a", member="<a>", protocols=(RANGE, STICKY))
    both.until(a, b, c)
    group.joins("d", protocols=(("other", b""),))


def an_unknown_member_id_is_refused(both: Both) -> None:
    group = Group(both)
    for version in (0, 3, 4, 9):
        group.joins("a", member="nobody", version=version)
        group.joins("a", member="nobody", instance="one", version=version)
    group.settles("a")
    for version in (0, 3, 4, 9):
        group.joins("b", member="nobody", version=version)
        group.joins("b", member="nobody", instance="one", version=version)
        group.joins("a", member="<a>", instance="one", version=version)


def an_id_that_was_given_is_used_or_given_up(both: Both) -> None:
    group = Group(both)
    group.joins("a")
    group.beats("a", -1)
    group.beats("a", 0)
    group.commits("a", [(APPLES, [(0, 1)])], member="<a>")
    group.syncs("a", 0)
    group.joins("b")
    group.leaves("b", ("<b>", None))
    group.leaves("b", ("<b>", None))
    group.joins("b", member="<b>")
    both.until(group.joins("a", member="<a>"))
    group.is_described()


def a_given_id_keeps_a_rebalance_waiting(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    group.joins("b")
    group.joins("a", member="<a>")
    group.is_described()
    group.joins("b", member="<b>")
    group.is_described()


def a_given_id_with_an_instance_is_not_the_same(both: Both) -> None:
    group = Group(both)
    group.joins("a")
    reason = "Kafka fails with UNKNOWN_SERVER_ERROR, of which a client can make nothing"
    refused = group.joins("a", member="<a>", instance="one", unlike=reason)
    both.until(refused)
    assert refused.answers["Chronik"]["error_code"] == ErrorCode.UNKNOWN_MEMBER_ID
    group.leaves("a", ("<a>", "one"))
    group.leaves("a", ("<a>", None))


def joins_wait_for_the_other_members(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    group.is_described()
    group.is_listed(states=["PreparingRebalance"])
    group.beats("a", 1)
    group.beats("b", 1)
    a = group.joins("a", member="<a>")
    both.until(a, b)
    group.beats("a", 1)
    group.beats("a", 2)
    group.beats("b", 2)
    group.is_described()


def old_versions_wait_too_without_knowing_their_id(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", version=0))
    both.until(group.syncs("a", 1, version=0, gives=[("<a>", b"all")]))
    b = group.joins("b", version=0)
    c = group.joins("c", version=3)
    group.is_described()
    a = group.joins("a", member="<a>", version=1)
    both.until(a, b, c)


def a_follower_that_comes_again_unchanged_hears_of_its_generation(both: Both) -> None:
    group = Group(both)
    two_members(group)
    again = group.joins("b", member="<b>")
    both.until(again)
    group.is_described()
    both.until(group.syncs("b", 2))


def a_follower_that_comes_again_changed_begins_a_rebalance(both: Both) -> None:
    group = Group(both)
    two_members(group)
    b = group.joins("b", member="<b>", protocols=(OTHER,))
    group.is_described()
    group.beats("a", 2)
    a = group.joins("a", member="<a>")
    both.until(a, b)


def a_leader_that_comes_again_begins_a_rebalance(both: Both) -> None:
    group = Group(both)
    two_members(group)
    a = group.joins("a", member="<a>")
    group.is_described()
    b = group.joins("b", member="<b>")
    both.until(a, b)


def whoever_comes_again_before_the_sync_hears_of_the_same_generation(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    both.until(group.joins("a", member="<a>"), b)
    both.until(group.joins("b", member="<b>"))
    both.until(group.joins("a", member="<a>"))
    group.is_described()
    changed = group.joins("b", member="<b>", protocols=(OTHER,))
    group.is_described()
    both.until(group.joins("a", member="<a>"), changed)


def a_group_that_is_full_takes_nobody(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    joins = [group.enters(name) for name in "bcdef"]
    both.until(group.joins("a", member="<a>"), *joins)
    group.joins("z")
    group.joins("z", instance="one")
    group.joins("z", version=0)
    group.joins("z", member="nobody")
    group.is_described()
    waiting = group.joins("b", member="<b>", protocols=(OTHER,))
    group.joins("z")
    group.leaves("z", ("<z>", None))
    newcomer = group.joins("z", version=3)
    others = [group.joins(name, member=f"<{name}>") for name in "acde"]
    for asked in (waiting, newcomer, *others):
        asked.left_open = "whom Kafka turned away keeps the others waiting until the rebalance times out"
    both.until(group.joins("f", member="<f>"), waiting)
    assert waiting.answer["error_code"] == ErrorCode.NONE


def a_static_member_comes_back_to_a_group_that_is_full(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one"))
    joins = [group.enters(name) for name in "bcdef"]
    both.until(group.joins("a", member="<a>", instance="one"), *joins)
    both.until(group.syncs("a", 2, instance="one", gives=[("<a>", b"1")]))
    reason = "Kafka counts a static member that comes back as one more; its place is its own"
    back = group.joins("a", instance="one", unlike=reason)
    both.until(back)
    assert back.answers["Kafka"]["error_code"] == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert back.answers["Chronik"]["error_code"] == ErrorCode.NONE


def a_second_join_of_a_member_ends_the_first(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    first = group.enters("b")
    first.left_open = "Kafka leaves the first request without an answer; here whoever listens is told to come again"
    second = group.joins("b", member="<b>")
    both.until(first)
    assert first.answer["error_code"] == ErrorCode.REBALANCE_IN_PROGRESS
    both.until(group.joins("a", member="<a>"), second)


def a_second_sync_of_a_member_ends_the_first(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    b = group.enters("b")
    both.until(group.joins("a", member="<a>"), b)
    first = group.syncs("b", 2)
    first.left_open = "Kafka leaves the first request without an answer; here whoever listens is told to come again"
    second = group.syncs("b", 2)
    both.until(first)
    assert first.answer["error_code"] == ErrorCode.REBALANCE_IN_PROGRESS
    both.until(group.syncs("a", 2, gives=[("<b>", b"2")]), second)
    assert second.answer["assignment"] == b"2"


def whoever_hangs_up_while_it_waits_has_not_joined(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    # Kafka must hear of the next join before this session is over, and Chronik answers it when it is.
    b = group.enters("b", session_ms=10_000)
    both.hang_up(b)
    reason = "Kafka makes a member of somebody who is not there to hear of it"
    joined = group.joins("a", member="<a>", unlike=reason)
    both.until(joined)
    assert len(joined.answers["Kafka"]["members"]) == 2
    assert len(joined.answers["Chronik"]["members"]) == 1


SCRIPTS: Final = [
    script
    for name, script in list(globals().items())
    if getattr(script, "__module__", "") == __name__ and callable(script) and not name.startswith("_")
]
