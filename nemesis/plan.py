"""What is done to whom, for how long: decided by a seed and the number of the round, and by nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random


class Fault(Enum):
    """What befalls a broker, or all of them."""

    KILL = "kill"
    PAUSE = "pause"
    CUT = "cut"
    FULL = "full"
    STORE = "store"
    ALL = "all"

    @property
    def has_target(self) -> bool:
        """Whether it befalls one broker."""
        return self not in (Fault.STORE, Fault.ALL)

    @property
    def owes_progress(self) -> bool:
        """Whether two of three brokers can go on while it lasts."""
        return self in (Fault.KILL, Fault.PAUSE)


class Target(Enum):
    """Who is meant; looked up when the fault comes."""

    LEADER = "leader"
    FOLLOWER = "follower"
    CONTROLLER = "controller"
    COORDINATOR = "coordinator"


WAYS = ("both", "in", "out")


@dataclass(frozen=True, slots=True)
class Blow:
    """One fault. ``partition`` is the one whose leader or follower is meant, ``way`` is what of a cut broker is cut."""

    fault: Fault
    target: Target
    partition: int
    seconds: float
    way: str = "both"

    def __str__(self) -> str:
        whom = f" {self.target.value}" if self.fault.has_target else ""
        way = f" ({self.way})" if self.fault is Fault.CUT else ""
        return f"{self.fault.value}{whom}{way} for {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Round:
    """Blows one after the other, on one topic with clients of its own."""

    number: int
    blows: tuple[Blow, ...]

    def __str__(self) -> str:
        return f"round {self.number}: {', then '.join(map(str, self.blows))}"


BLOWS_MAX = 3
SECONDS = (1.0, 12.0)
PARTITIONS = 3


def rounds(seed: int, faults: Sequence[Fault], first: int = 1) -> Iterator[Round]:
    """Give rounds without end, from ``first`` on; a round is the same whichever came before."""
    number = first
    while True:
        yield round_of(seed, number, faults)
        number += 1


def round_of(seed: int, number: int, faults: Sequence[Fault]) -> Round:
    """Decide one round; the first ones take the faults in turn, so that a short run knows them all."""
    dice = Random(f"{seed}/{number}")
    count = dice.randint(1, BLOWS_MAX)
    turn = faults[(number - 1) % len(faults)]
    return Round(number, (_blow(dice, turn), *(_blow(dice, dice.choice(list(faults))) for _ in range(count - 1))))


def _blow(dice: Random, fault: Fault) -> Blow:
    return Blow(
        fault=fault,
        target=dice.choice(list(Target)),
        partition=dice.randrange(PARTITIONS),
        seconds=dice.uniform(*SECONDS),
        way=dice.choice(WAYS),
    )
