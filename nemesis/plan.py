"""The faults of each round, with target and duration: decided by a seed and the round's number, and by nothing else."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from random import Random


class FaultKind(Enum):
    """What happens to a broker, or to all of them."""

    KILL = "kill"
    PAUSE = "pause"
    CUT = "cut"
    FULL = "full"
    STORE = "store"
    ALL = "all"

    @property
    def has_target(self) -> bool:
        """Whether it affects one broker."""
        return self not in (FaultKind.STORE, FaultKind.ALL)

    @property
    def owes_progress(self) -> bool:
        """Whether two of three brokers must make progress meanwhile."""
        return self in (FaultKind.KILL, FaultKind.PAUSE)


class Target(Enum):
    """The role of the affected broker; the broker is looked up when the fault begins."""

    LEADER = "leader"
    FOLLOWER = "follower"
    CONTROLLER = "controller"
    COORDINATOR = "coordinator"


WAYS = ("both", "in", "out")


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. ``partition`` decides which leader or follower is meant; ``way`` is the direction of a cut."""

    kind: FaultKind
    target: Target
    partition: int
    seconds: float
    way: str = "both"

    def __str__(self) -> str:
        whom = f" {self.target.value}" if self.kind.has_target else ""
        way = f" ({self.way})" if self.kind is FaultKind.CUT else ""
        return f"{self.kind.value}{whom}{way} for {self.seconds:.1f} s"


@dataclass(frozen=True, slots=True)
class Round:
    """Faults one after the other, on one topic with clients of its own."""

    number: int
    faults: tuple[Fault, ...]

    def __str__(self) -> str:
        return f"round {self.number}: {', then '.join(map(str, self.faults))}"


FAULTS_MAX = 3
SECONDS = (1.0, 12.0)
PARTITIONS = 3


def rounds(seed: int, kinds: Sequence[FaultKind], first: int = 1) -> Iterator[Round]:
    """Yield rounds without end, from ``first`` on; a round does not depend on the rounds before it."""
    number = first
    while True:
        yield round_of(seed, number, kinds)
        number += 1


def round_of(seed: int, number: int, kinds: Sequence[FaultKind]) -> Round:
    """Decide one round; the first rounds begin with each kind of fault in turn, so that a short run has them all."""
    rng = Random(f"{seed}/{number}")
    count = rng.randint(1, FAULTS_MAX)
    first = kinds[(number - 1) % len(kinds)]
    return Round(number, (_fault(rng, first), *(_fault(rng, rng.choice(list(kinds))) for _ in range(count - 1))))


def _fault(rng: Random, kind: FaultKind) -> Fault:
    return Fault(
        kind=kind,
        target=rng.choice(list(Target)),
        partition=rng.randrange(PARTITIONS),
        seconds=rng.uniform(*SECONDS),
        way=rng.choice(WAYS),
    )
