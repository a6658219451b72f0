"""The 64 clients of a soak, and a timetable of departures and crashes, from one seed."""

from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

PRODUCERS = 16
GROUPS = 8
MEMBERS_PER_GROUP = 6
TOPICS = 4
PARTITIONS = 8
MESSAGES_PER_SECOND_EACH = 20
STEADY_WORKERS = 3
SESSION_TIMEOUT_MS = 6_000

ACTION_EVERY_SECONDS = 4.0
FIRST_ACTION_SECONDS = 8.0


class Library(StrEnum):
    """The client libraries that take part."""

    CONFLUENT = "confluent"
    KAFKA_PYTHON = "kafka-python"
    AIOKAFKA = "aiokafka"


@dataclass(frozen=True, slots=True)
class Client:
    """One client. A producer has no group; a static member has an instance id."""

    name: str
    library: Library
    topic: str
    group: str | None = None
    strategy: str = "range"
    auto_commit: bool = False
    instance_id: str | None = None

    @property
    def is_producer(self) -> bool:
        return self.group is None


@dataclass(frozen=True, slots=True)
class Cast:
    """The clients by their process. A mortal one has a process of its own, which can be killed."""

    producers: tuple[Client, ...]
    steady: tuple[tuple[Client, ...], ...]
    mortal: tuple[Client, ...]

    @property
    def all(self) -> tuple[Client, ...]:
        return (*self.producers, *(client for worker in self.steady for client in worker), *self.mortal)

    @property
    def topic_of_group(self) -> dict[str, str]:
        return {client.group: client.topic for client in self.all if client.group is not None}


class Deed(StrEnum):
    """What can happen to a client."""

    LEAVE = "leave"
    KILL = "kill"


@dataclass(frozen=True, slots=True)
class Action:
    """Something that happens to a client, and how long it is away."""

    at_seconds: float
    deed: Deed
    client: Client
    away_seconds: float


def the_cast() -> Cast:
    """Sixteen producers, and eight groups of six."""
    members = [member for number in range(GROUPS) for member in _group(number)]
    mortal = tuple(member for member in members if member.name.endswith("m5"))
    steady = [member for member in members if member not in mortal]
    return Cast(
        producers=tuple(_producer(number) for number in range(PRODUCERS)),
        steady=tuple(tuple(steady[number::STEADY_WORKERS]) for number in range(STEADY_WORKERS)),
        mortal=mortal,
    )


def _producer(number: int) -> Client:
    library = {0: Library.KAFKA_PYTHON, 1: Library.AIOKAFKA}.get(number % 6, Library.CONFLUENT)
    return Client(f"p{number}", library, f"topic{number % TOPICS}")


def _group(number: int) -> tuple[Client, ...]:
    """Two groups of each kind: of all libraries, cooperative, of static members, and with automatic commits."""
    group, topic = f"g{number}", f"topic{number % TOPICS}"
    plain = [
        Client(f"{group}/m{each}", Library.CONFLUENT, topic, group, auto_commit=each % 2 == 0)
        for each in range(MEMBERS_PER_GROUP)
    ]
    match number // 2:
        case 0:
            libraries = {3: Library.KAFKA_PYTHON, 4: Library.AIOKAFKA}
            changed = [
                replace(member, library=libraries.get(each, member.library), auto_commit=False)
                for each, member in enumerate(plain)
            ]
        case 1:
            changed = [replace(member, strategy="cooperative-sticky") for member in plain]
        case 2:
            changed = [replace(member, instance_id=member.name.replace("/", "-")) for member in plain]
        case _:
            changed = [replace(member, strategy="roundrobin", auto_commit=True) for member in plain]
    return tuple(changed)


def timetable(cast: Cast, seconds: float, seed: int) -> tuple[Action, ...]:
    """Decide which client leaves or is killed at what time; no client does so while it is away."""
    rng = Random(seed)
    actions: list[Action] = []
    back_at: dict[str, float] = {}
    moment = FIRST_ACTION_SECONDS
    while moment < seconds:
        # In turn, so that the shortest run has every deed.
        deed = Deed.KILL if len(actions) % 2 else Deed.LEAVE
        pool = cast.mortal if deed is Deed.KILL else tuple(client for worker in cast.steady for client in worker)
        client = rng.choice([each for each in pool if back_at.get(each.name, 0.0) <= moment])
        action = Action(moment, deed, client, _away_seconds(client, deed, rng))
        actions.append(action)
        # It needs time to come back before it is worth sending away again.
        back_at[client.name] = moment + action.away_seconds + 3
        moment += ACTION_EVERY_SECONDS * rng.uniform(0.5, 1.5)
    return tuple(actions)


def _away_seconds(client: Client, deed: Deed, rng: Random) -> float:
    """A killed static member is back before its session ends; another member may be back before or after."""
    if client.instance_id is not None:
        return rng.uniform(0.5, 2.0)
    if deed is Deed.KILL:
        return rng.uniform(0.5, 2 * SESSION_TIMEOUT_MS / 1000)
    return rng.uniform(0.5, 5.0)
