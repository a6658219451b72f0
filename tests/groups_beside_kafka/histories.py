"""Histories of a group by chance: whoever may do something does it, rightly or wrongly, and both brokers are asked.

What is left out is what the scripts state as exceptions, and what Kafka decides by the order of a hash table: which of
several members leads when the leader is gone.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from chronik.model.errors import ErrorCode
from tests.groups_beside_kafka.asking import APPLES, PEARS, Group, fetch, subscription
from tests.groups_beside_kafka.both import Asked, Both

DYNAMIC: Final = ("a", "b", "c")
STATIC: Final = ("s", "t")
STEPS: Final = 45
PROTOCOLS: Final = (
    (("range", subscription(APPLES)),),
    (("range", subscription(APPLES) + b"more"),),
    (("range", subscription(APPLES)), ("sticky", subscription(APPLES))),
)
_COMMON_NAME: Final = re.compile(r"<\w+\.\d+>")
_LEFT_OPEN: Final = "Kafka forgets the request of a member that is removed, whose client waits in vain"


@dataclass
class Person:
    """A client as it sees itself."""

    name: str
    instance: str | None = None
    generation: int = -1
    is_member: bool = False
    leads: tuple[str, ...] = ()
    """The members that it is to assign something to."""
    waits: Asked | None = None
    protocol: str = "range"
    has_only_an_id: bool = False
    """Whether it was given an id and has not come back with it."""
    next_step: str = "join"
    """What a client that means well would do next."""

    @property
    def id(self) -> str:
        return f"<{self.name}>"

    def hear(self) -> None:
        """Take note of an answer that has come meanwhile."""
        if self.waits is not None and self.waits.answers:
            answer, self.waits = self.waits.answer, None
            error = answer["error_code"]
            self.has_only_an_id = error == ErrorCode.MEMBER_ID_REQUIRED
            self.next_step = "join"
            if error == ErrorCode.NONE:
                self.next_step = "sync" if "generation_id" in answer else ""
            if "generation_id" in answer and error == ErrorCode.NONE:
                self.generation, self.is_member = answer["generation_id"], True
                self.protocol = answer["protocol_name"]
                self.leads = tuple(_common_name(member["member_id"]) for member in answer["members"])
            elif error in (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID):
                self.is_member = False


def _common_name(member_id: str) -> str:
    found = _COMMON_NAME.search(member_id)
    assert found is not None, member_id
    return found[0]


@dataclass
class History:
    """One group, its clients, and the dice."""

    both: Both
    seed: int
    group: Group = field(init=False)
    people: dict[str, Person] = field(init=False)
    is_known: bool = False
    """Whether Kafka's log holds something of the group: before, it is there or not by chance."""

    def __post_init__(self) -> None:
        self.dice = Random(self.seed)
        self.group = Group(self.both)
        everybody = [*(Person(name) for name in DYNAMIC), *(Person(name, name) for name in STATIC)]
        self.people = {one.name: one for one in self.dice.sample(everybody, self.dice.randint(2, len(everybody)))}

    def run(self) -> None:
        steps: tuple[tuple[Callable[[], None], int], ...] = (
            (self.mean_well, 20),
            (self.join, 3),
            (self.sync, 3),
            (self.beat, 4),
            (self.leave, 1),
            (self.commit, 5),
            (self.fetch, 2),
            (self.administer, 3),
        )
        for step in self.dice.choices([one for one, _ in steps], [weight for _, weight in steps], k=STEPS):
            step()
            for person in self.people.values():
                person.hear()
        self.wind_up()

    def wind_up(self) -> None:
        """Let everybody go who can be named, and look at what is left."""
        self._remove([person for person in self.people.values() if person.is_member])
        self.both.settle()
        self.group.fetches("x", None)
        if self.is_known:
            self.group.is_described()
            self.group.is_listed()

    # Members

    def mean_well(self) -> None:
        """Somebody does what it should: joins, takes its assignment, or joins again because others wait for it."""
        person = self._somebody(lambda one: one.waits is None and bool(one.next_step))
        if person is None and any(one.waits is not None for one in self.people.values()):
            person = self._somebody(lambda one: one.waits is None)
        if person is None:
            return
        if person.next_step == "sync":
            self._sync(person, 0, person.protocol)
        else:
            self._join(person, is_fresh=not (person.is_member or person.has_only_an_id))

    def join(self) -> None:
        person = self._somebody(lambda one: one.waits is None)
        if person is not None:
            is_new = not (person.is_member or person.has_only_an_id)
            self._join(person, is_fresh=is_new or (person.instance is not None and self.dice.random() < 0.4))

    def _join(self, person: Person, *, is_fresh: bool) -> None:
        # Until it hears of its new id, nobody can name it.
        person.is_member = not is_fresh and not person.has_only_an_id
        options: dict[str, Any] = {
            "instance": person.instance,
            "version": self.dice.randint(0 if person.instance is None else 5, 9),
            "protocols": self.dice.choice(PROTOCOLS),
        }
        person.has_only_an_id = False
        person.waits = self.group.joins(person.name, member="" if is_fresh else person.id, **options)
        person.hear()
        if person.has_only_an_id and self.dice.random() < 0.8:
            person.waits = self.group.joins(person.name, member=person.id, **options)
            self.is_known = True
        self.is_known = self.is_known or person.waits is not None or person.is_member

    def sync(self) -> None:
        person = self._somebody(lambda one: one.waits is None and one.is_member)
        if person is not None:
            self._sync(person, self._slip(), person.protocol if self.dice.random() < 0.9 else "another")

    def _sync(self, person: Person, slip: int, protocol: str) -> None:
        gives = [(name, f"part of {name}".encode()) for name in person.leads if self.dice.random() < 0.9]
        person.waits = self.group.syncs(
            person.name,
            person.generation + slip,
            instance=person.instance,
            version=self.dice.randint(0, 5),
            protocol=protocol,
            gives=gives,
        )

    def beat(self) -> None:
        person = self._anybody()
        self.group.beats(
            person.name,
            person.generation + self._slip(),
            member=person.id if person.is_member else "nobody",
            instance=self.dice.choice((person.instance, person.instance, None, "nobody's")),
            version=self.dice.randint(0, 4),
        )

    def leave(self) -> None:
        self._remove([one for one in self.people.values() if one.is_member and self.dice.random() < 0.4])

    def _remove(self, leaving: Sequence[Person]) -> None:
        if not leaving or self._leaves_several_to_choose_from(leaving):
            return
        for person in leaving:
            if person.waits is not None:
                person.waits.left_open = _LEFT_OPEN
        names = [
            ("", person.instance) if person.instance and self.dice.random() < 0.5 else (person.id, person.instance)
            for person in leaving
        ]
        if self.dice.random() < 0.2:
            names.append(("nobody", None))
        self.group.leaves("x", *names, version=self.dice.randint(3, 5))
        for person in leaving:
            person.is_member, person.leads, person.next_step = False, (), "join"

    def _leaves_several_to_choose_from(self, leaving: Sequence[Person]) -> bool:
        """Whether the leader may be among those who go, while more than one stays."""
        present = [person for person in self.people.values() if person.is_member or person.waits is not None]
        staying = [person for person in present if person not in leaving]
        return len(staying) > 1 and not any(person.leads and person.is_member for person in staying)

    # Committed offsets

    def commit(self) -> None:
        person = self._anybody()
        is_simple = self.dice.random() < 0.3
        # A commit of which nothing is kept would leave a group in Kafka's memory that is not in its log.
        sizes = (0, 3, 4_097) if self.is_known else (0, 3)
        places = [
            (topic, [(self.dice.randint(-1, 3), self.dice.randint(-1, 99), "m" * self.dice.choice(sizes))])
            for topic in self.dice.sample((APPLES, PEARS, "no-such-topic"), self.dice.randint(1, 3))
        ]
        answer = self.group.commits(
            person.name,
            places,
            generation=-1 if is_simple else person.generation + self._slip(),
            member="" if is_simple or not person.is_member else person.id,
            instance=None if is_simple else person.instance,
            version=self.dice.randint(2, 9),
        )
        errors = [one["error_code"] for topic in answer["topics"] for one in topic["partitions"]]
        self.is_known = self.is_known or ErrorCode.NONE in errors

    def fetch(self) -> None:
        version = self.dice.randint(2, 9)
        places = self.dice.choice((None, ((APPLES, (0, 1, 2, 3)), (PEARS, (0,)))))
        groups: list[tuple[str, Any]] = [(self.group.id, places)]
        if version >= 8:
            groups.append((f"{self.group.id}-never", places))
        fetch(self.both, "x", groups, version=version)

    # Administration

    def administer(self) -> None:
        if not self.is_known:
            return
        match self.dice.randrange(5):
            case 0 | 1:
                self.group.is_described(self.dice.randint(0, 6))
            case 2:
                self.group.is_listed(5, self.dice.choice(((), ("Stable",), ("Empty", "PreparingRebalance"))))
            case 3:
                self.group.deletes_offsets("x", [(APPLES, (0, 1)), (PEARS, (0,))] if self._has_members() else [])
            case _:
                if self._has_members():
                    self.group.is_deleted()

    # Chance

    def _has_members(self) -> bool:
        return any(person.is_member for person in self.people.values())

    def _somebody(self, may: Callable[[Person], bool]) -> Person | None:
        able = [person for person in self.people.values() if may(person)]
        return self.dice.choice(able) if able else None

    def _anybody(self) -> Person:
        return self.dice.choice(list(self.people.values()))

    def _slip(self) -> int:
        """Mostly nothing."""
        return self.dice.choice((0, 0, 0, 0, 0, 0, -1, 1))
