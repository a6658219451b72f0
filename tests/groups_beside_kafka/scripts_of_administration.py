"""What administrators ask: where a group's coordinator is, which groups there are, how they stand, that they go."""

from typing import Final

from chronik.protocol.apis import ApiKey
from tests.groups_beside_kafka.asking import APPLES, Group, delete, describe, find, two_members, versions
from tests.groups_beside_kafka.both import Both


def the_coordinator_is_found_in_every_form(both: Both) -> None:
    for version in versions(ApiKey.FIND_COORDINATOR):
        find(both, [f"{both.prefix}g"], version=version)
        find(both, [""], version=version)
        find(both, ["ünïcödé" * 20], version=version)
        if version >= 4:
            find(both, [], version=version)
            find(both, ["one", "two", "one"], version=version)


def coordinators_of_no_known_kind_are_refused(both: Both) -> None:
    for version in versions(ApiKey.FIND_COORDINATOR)[1:]:
        for kind in (3, -1, 127):
            find(both, ["g"], version=version, kind=kind)


def transactions_have_no_coordinator_yet(both: Both) -> None:
    reason = "a producer with a transactional id must hear at once that it cannot work here"
    for version in versions(ApiKey.FIND_COORDINATOR)[1:]:
        find(both, ["t"], version=version, kind=1, unlike=reason)


def a_group_is_described_in_every_state_and_version(both: Both) -> None:
    group = Group(both)

    def is_described() -> None:
        for version in versions(ApiKey.DESCRIBE_GROUPS):
            group.is_described(version)
            group.is_described(version, operations=True)
        group.is_listed()

    is_described()
    group.commits("x", [(APPLES, [(0, 1)])])
    is_described()
    both.until(group.enters("a"))
    is_described()
    both.until(group.syncs("a", 1, gives=[("<a>", b"all")]))
    is_described()
    b = group.enters("b")
    is_described()
    group.leaves("x", ("<a>", None), ("<b>", None))
    both.until(b)
    is_described()
    group.is_deleted()
    is_described()


def odd_and_repeated_groups_are_described(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    for version in versions(ApiKey.DESCRIBE_GROUPS):
        describe(both, [], version=version)
        describe(both, ["", group.id, group.id, "never", "ü" * 100], version=version)
        describe(both, ["", "never"], version=version, operations=True)


def groups_are_listed_by_state_and_kind(both: Both) -> None:
    simple = Group(both, "simple")
    simple.commits("x", [(APPLES, [(0, 1)])])
    stable = Group(both, "stable")
    stable.settles("a")
    waiting = Group(both, "waiting")
    waiting.settles("a")
    waiting.enters("b")
    completing = Group(both, "completing")
    both.until(completing.enters("c"))
    for version in versions(ApiKey.LIST_GROUPS):
        stable.is_listed(version)
    for states in (["Stable"], ["stable", "EMPTY"], ["PreparingRebalance"], ["CompletingRebalance"], ["Dead"]):
        stable.is_listed(4, states)
        stable.is_listed(5, states)
    stable.is_listed(5, ["nonsense"])
    stable.is_listed(5, ["Stable", "nonsense", ""])
    for types in (["classic"], ["Classic"], ["consumer"], ["share"], ["classic", "consumer"]):
        stable.is_listed(5, types=types)
        stable.is_listed(5, ["Stable"], types)
    stable.is_listed(5, types=["nonsense"])
    stable.is_listed(5, types=["nonsense", "classic"])


def only_empty_groups_are_deleted(both: Both) -> None:
    for version in versions(ApiKey.DELETE_GROUPS):
        simple, full, waiting = (Group(both, f"{name}{version}") for name in ("simple", "full", "waiting"))
        simple.commits("x", [(APPLES, [(0, 1)])])
        two_members(full)
        waiting.joins("w")
        groups = [simple.id, full.id, "never", "", simple.id]
        delete(both, groups, version=version)
        delete(both, [], version=version)
        simple.is_described()
        simple.fetches("x", None)
        full.leaves("x", ("<a>", None), ("<b>", None))
        full.is_deleted(version)
        full.is_deleted(version)
        full.beats("a", 2)
        full.joins("a", member="<a>")
        both.until(full.enters("c"))


def a_group_deleted_begins_anew(both: Both) -> None:
    group = Group(both)
    two_members(group)
    group.commits("a", [(APPLES, [(0, 9)])], generation=2, member="<a>")
    group.leaves("x", ("<a>", None), ("<b>", None))
    group.is_described()
    group.fetches("x", None)
    group.is_deleted()
    group.fetches("x", None)
    group.settles("c")
    group.fetches("x", None)
    group.is_described()


def a_group_that_emptied_goes_on_counting(both: Both) -> None:
    group = Group(both)
    two_members(group)
    group.leaves("x", ("<a>", None), ("<b>", None))
    group.is_described()
    c = group.enters("c")
    both.until(c)
    both.until(group.syncs("c", c.answer["generation_id"], gives=[("<c>", b"1")]))
    group.is_described()


def an_emptied_group_takes_another_kind(both: Both) -> None:
    group = Group(both)
    group.settles("a")
    group.leaves("a", ("<a>", None))
    other = group.enters("b", kind="connect", protocols=(("default", b""),))
    both.until(other)
    group.is_described()


SCRIPTS: Final = [
    script
    for name, script in list(globals().items())
    if getattr(script, "__module__", "") == __name__ and callable(script) and not name.startswith("_")
]
