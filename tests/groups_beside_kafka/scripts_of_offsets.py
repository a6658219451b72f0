"""What is committed, fetched and deleted, one behaviour to a script."""

from typing import Any, Final

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.delete_topics import DeleteTopicsRequest
from chronik.protocol.generated.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from tests.groups_beside_kafka.asking import APPLES, PEARS, Group, fetch, subscription, two_members, versions
from tests.groups_beside_kafka.both import Both

UNKNOWN: Final = "no-such-topic"
ALL: Final = ((APPLES, (0, 1, 2)), (PEARS, (0,)))


def commits_without_members_are_kept_in_every_version(both: Both) -> None:
    for version in versions(ApiKey.OFFSET_COMMIT):
        group = Group(both, f"v{version}")
        group.commits("x", [(APPLES, [(0, 10 + version), (2, 5, "note")]), (PEARS, [(0, 0)])], version=version, epoch=0)
        group.fetches("x", ALL)
        group.fetches("x", None)
        group.is_described()
        group.is_listed()


def positions_are_fetched_in_every_version(both: Both) -> None:
    group = Group(both)
    group.commits("x", [(APPLES, [(1, 7, "here"), (0, 3, None)])], epoch=0)
    for version in versions(ApiKey.OFFSET_FETCH):
        group.fetches("x", ALL, version=version)
        group.fetches("x", [(UNKNOWN, (0,)), (APPLES, (9, -1, 1, 1)), (PEARS, ())], version=version)
        group.fetches("x", (), version=version)
        group.fetches("x", [(APPLES, (0,)), (PEARS, (0,)), (APPLES, (1,))], version=version)
        if version >= 2:
            group.fetches("x", None, version=version)
        if version >= 7:
            group.fetches("x", ALL, version=version, stable=True)


def groups_that_were_never_seen_stand_nowhere(both: Both) -> None:
    for version in versions(ApiKey.OFFSET_FETCH):
        group = Group(both, f"never{version}")
        group.fetches("x", ALL, version=version)
        if version >= 2:
            group.fetches("x", None, version=version)
    empty = Group(both)
    empty.id = ""
    for version in versions(ApiKey.OFFSET_FETCH):
        empty.fetches("x", ALL, version=version)
        empty.fetches("x", None, version=max(version, 2))


def several_groups_are_fetched_at_once(both: Both) -> None:
    one, other = Group(both, "one"), Group(both, "other")
    one.commits("x", [(APPLES, [(0, 1)])])
    other.commits("x", [(APPLES, [(0, 2)]), (PEARS, [(0, 4, "four")])])
    asked = [(one.id, ALL), (other.id, None), (f"{both.prefix}never", ALL), (f"{both.prefix}nobody", None)]
    for version in (8, 9):
        fetch(both, "x", asked, version=version)
        fetch(both, "x", asked, version=version, stable=True)
        fetch(both, "x", [], version=version)
        fetch(both, "x", [(one.id, ()), (other.id, [(PEARS, (0,))])], version=version)


def a_fetch_in_the_name_of_a_member_is_not_checked_in_a_classic_group(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    group.commits("a", [(APPLES, [(0, 1)])], generation=1, member="<a>")
    group.fetches("a", ALL, member="<a>", member_epoch=1)
    group.fetches("a", ALL, member="<a>", member_epoch=7)
    group.fetches("a", ALL, member="nobody", member_epoch=1)
    group.fetches("a", ALL, member="nobody", member_epoch=-1)
    group.fetches("a", ALL, member="", member_epoch=0)


def members_commit_with_their_generation(both: Both) -> None:
    group = Group(both)
    place = [(APPLES, [(0, 1)])]
    for version in versions(ApiKey.OFFSET_COMMIT):
        group.commits("x", place, generation=1, version=version)
        group.commits("x", place, generation=0, member="nobody", version=version)
    group.settles("a")
    for version in versions(ApiKey.OFFSET_COMMIT):
        group.commits("a", place, generation=1, member="<a>", version=version)
        group.commits("a", place, generation=0, member="<a>", version=version)
        group.commits("a", place, generation=2, member="<a>", version=version)
        group.commits("a", place, generation=-1, member="<a>", version=version)
        group.commits("a", place, generation=-2, member="<a>", version=version)
        group.commits("a", place, generation=1, member="nobody", version=version)
        group.commits("a", place, generation=1, member="", version=version)
        group.commits("a", place, generation=-1, member="", version=version)
        group.commits("a", place, generation=1, member="<a>", instance="one", version=version)
        group.commits("a", place, generation=-1, member="", instance="one", version=version)
    group.leaves("a", ("<a>", None))
    for generation in (-2, -1, 0, 1, 2):
        group.commits("a", place, generation=generation, member="<a>")
        group.commits("a", place, generation=generation)
        group.commits("a", place, generation=generation, instance="one")


def static_members_commit_with_their_instance(both: Both) -> None:
    group = Group(both)
    both.until(group.joins("a", instance="one"))
    both.until(group.syncs("a", 1, instance="one", gives=[("<a>", b"1")]))
    place = [(APPLES, [(0, 1)])]
    group.commits("a", place, generation=1, member="<a>", instance="one")
    group.commits("a", place, generation=1, member="<a>")
    group.commits("a", place, generation=1, member="<a>", instance="two")
    group.commits("a", place, generation=1, member="nobody", instance="one")
    group.commits("a", place, generation=1, member="", instance="one")
    group.commits("a", place, generation=0, member="<a>", instance="one")


def commits_in_a_rebalance_depend_on_its_stage(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    place = [(APPLES, [(0, 1)])]
    b = group.enters("b")
    group.commits("a", place, generation=1, member="<a>")
    group.commits("b", place, generation=1, member="<b>")
    group.commits("b", place, generation=-1, member="<b>")
    both.until(group.joins("a", member="<a>"), b)
    group.commits("a", place, generation=1, member="<a>")
    group.commits("a", place, generation=2, member="<a>")
    group.commits("b", place, generation=2, member="<b>")
    group.commits("x", place)
    both.until(group.syncs("a", 2, gives=[("<a>", b"1")]))
    group.commits("b", place, generation=2, member="<b>")
    group.fetches("x", ALL)


def odd_commits_are_judged_one_by_one(both: Both) -> None:
    group = Group(both)
    for version in (2, 5, 7, 9):
        group.commits("x", [(UNKNOWN, [(0, 1)]), (APPLES, [(0, 1), (3, 1), (-1, 1)])], version=version)
        group.commits("x", [(APPLES, [(0, -1), (1, -2), (2, -(2**63))])], version=version)
        group.fetches("x", None)
        group.commits("x", [(APPLES, [(0, 2**63 - 1)])], version=version)
        group.commits("x", [(APPLES, [(0, 1), (0, 2), (0, 3)])], version=version)
        group.fetches("x", None)
        group.commits("x", [(APPLES, [(1, 4)]), (PEARS, [(0, 5)]), (APPLES, [(1, 6)])], version=version)
        group.fetches("x", None)
        group.commits("x", [(APPLES, [])], version=version)
        group.commits("x", [], version=version)
        group.commits("x", [("", [(0, 1)])], version=version)
        group.commits("x", [("bad name?", [(0, 1)])], version=version)


def metadata_is_bounded_by_its_length(both: Both) -> None:
    group = Group(both)
    for size in (0, 4_095, 4_096, 4_097, 30_000):
        group.commits("x", [(APPLES, [(0, size, "m" * size), (1, size)])])
        group.fetches("x", ALL)
    for size in (1_365, 1_366, 2_048, 4_096, 4_097):
        group.commits("x", [(APPLES, [(0, size, "é" * size)])])
        group.commits("x", [(APPLES, [(1, size, "語" * size)])])
        group.commits("x", [(APPLES, [(2, size, "🍎" * size)])])
    group.fetches("x", ALL)


def a_commit_refused_for_everything_makes_no_group(both: Both) -> None:
    group = Group(both)
    group.commits("x", [(UNKNOWN, [(0, 1)])])
    group.is_described()
    group.is_listed()
    group.commits("x", [(APPLES, [(0, 1, "m" * 5_000)])])
    group.is_described()
    group.is_deleted(unlike="Kafka holds in memory, but neither shows nor keeps, a group of which nothing was stored")


def old_commits_carry_a_retention_time(both: Both) -> None:
    group = Group(both)
    for version in (2, 3, 4):
        for retention_ms in (-1, 60_000, 2**40):
            group.commits("x", [(APPLES, [(0, version)])], version=version, retention_ms=retention_ms)
            group.fetches("x", ALL)


def commits_to_odd_group_ids(both: Both) -> None:
    for odd in ("", " ", "ünïcödé", "x" * 300):
        group = Group(both, odd)
        if not odd:
            group.id = ""
        group.commits("x", [(APPLES, [(0, 1)])])
        group.commits("x", [(APPLES, [(0, 2)])], generation=0)
        group.fetches("x", ALL)
        group.is_described()


# OffsetDelete


def positions_of_a_group_without_members_are_deleted(both: Both) -> None:
    group = Group(both)
    group.deletes_offsets("x", ALL)
    group.commits("x", [(APPLES, [(0, 1), (1, 2)]), (PEARS, [(0, 3)])])
    group.deletes_offsets("x", [(UNKNOWN, (0,)), (APPLES, (0, 0, 7, -1, 2))])
    group.fetches("x", None)
    group.deletes_offsets("x", ())
    group.deletes_offsets("x", [(APPLES, ())])
    group.deletes_offsets("x", ALL)
    group.fetches("x", None)
    reason = "a group that had but positions is gone with the last of them; Kafka waits for its next clearing up"
    group.is_described(unlike=reason)
    group.deletes_offsets("x", ALL, unlike=reason)
    group.id = ""
    group.deletes_offsets("x", ALL)


def positions_of_subscribed_topics_are_not_deleted(both: Both) -> None:
    group = Group(both)
    two_members(group)
    group.commits("a", [(APPLES, [(0, 1)]), (PEARS, [(0, 3)])], generation=2, member="<a>")
    group.deletes_offsets("x", [*ALL, (UNKNOWN, (0,))])
    group.fetches("x", None)
    b = group.joins("b", member="<b>", protocols=(("range", subscription(PEARS)),))
    group.deletes_offsets("x", ALL, unlike="Chronik also spares what a waiting member is about to read")
    both.until(group.joins("a", member="<a>"), b)
    group.deletes_offsets("x", ALL)
    group.leaves("x", ("<a>", None), ("<b>", None))
    group.deletes_offsets("x", ALL)
    group.fetches("x", None)


def positions_of_a_group_of_another_kind_are_kept_while_it_has_members(both: Both) -> None:
    group = Group(both)
    group.both.until(group.enters("a", kind="connect", protocols=(("default", b"\1"),)))
    group.both.until(group.syncs("a", 1, kind="connect", protocol="default", gives=[("<a>", b"1")]))
    group.commits("a", [(APPLES, [(0, 1)])], generation=1, member="<a>")
    group.deletes_offsets("x", ALL)
    group.is_described()
    group.is_listed()
    group.leaves("a", ("<a>", None))
    group.deletes_offsets("x", ALL)
    group.fetches("x", None)
    group.is_described()


def positions_beside_undecodable_subscriptions(both: Both) -> None:
    group = Group(both)
    odd = (("range", b"\xff"),)
    both.until(group.enters("a", protocols=odd))
    both.until(group.syncs("a", 1, gives=[("<a>", b"1")]))
    group.commits("a", [(APPLES, [(0, 1)])], generation=1, member="<a>")
    group.deletes_offsets("x", ALL)
    group.fetches("x", None)


# Topics that go


def positions_go_with_their_topic(both: Both) -> None:
    name = f"{both.prefix}topic"
    both.on_each(lambda wire: wire.create_topic(name, 2))
    group = Group(both)
    group.commits("x", [(name, [(0, 1), (1, 2)]), (APPLES, [(0, 3)])])
    group.fetches("x", None)
    gone = DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000)
    both.on_each(lambda wire: wire.call(ApiKey.DELETE_TOPICS, 5, gone))
    _await_no_position(both, group, name)
    group.fetches("x", [(name, (0, 1)), (APPLES, (0,))])
    group.fetches("x", None)
    group.commits("x", [(name, [(0, 1)])])
    group.deletes_offsets("x", [(name, (0,))])
    both.on_each(lambda wire: wire.create_topic(name, 2))
    group.fetches("x", [(name, (0, 1)), (APPLES, (0,))])
    group.commits("x", [(name, [(1, 4)])])
    group.fetches("x", None)


def _await_no_position(both: Both, group: Group, topic: str) -> None:
    """Both forget in their own time."""
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group.id, topics=None)])

    def is_gone(answer: Any) -> bool:
        return all(one["name"] != topic for one in answer["groups"][0]["topics"])

    for side in both.sides:
        both.await_on(side, is_gone, ApiKey.OFFSET_FETCH, 9, request)


SCRIPTS: Final = [
    script
    for name, script in list(globals().items())
    if getattr(script, "__module__", "") == __name__ and callable(script) and not name.startswith("_")
]
