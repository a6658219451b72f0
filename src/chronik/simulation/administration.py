"""What administrators wish for in a simulated cluster, whatever fails meanwhile."""

from collections.abc import Callable

from chronik.metadata.decisions.leaders import ElectionType, plan_elect_leaders
from chronik.metadata.decisions.reassignments import ReassignmentRequest, plan_reassign
from chronik.model.ids import TopicPartition
from chronik.simulation.disk_faults import Hand
from chronik.simulation.world import TOPIC


class Administrator:
    """Moves leaders and replicas, and sets clocks, well or badly."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._dice = hand.dice
        self._world = hand.world

    def kinds(self) -> list[tuple[int, Callable[[], None]]]:
        return [(2, self.elect_preferred), (2, self.reassign), (1, self.jump_clock)]

    def elect_preferred(self) -> None:
        """Return leaderships back to who should have them."""
        self._world.decide(plan_elect_leaders(self._world.image(), None, ElectionType.PREFERRED))

    def reassign(self) -> None:
        """Let some of the brokers hold a partition, or take an earlier wish back."""
        image = self._world.image()
        where = TopicPartition(TOPIC, self._dice.randrange(len(self._world.data_keys)))
        state = image.partition(*where)
        if state is None or len(image.brokers) < len(state.replicas):
            return
        wished = None
        if not state.adding or self._dice.random() < 0.6:
            count = len(state.replicas) - len(state.adding)
            wished = self._dice.sample(sorted(image.brokers), min(count, len(image.brokers)))
        self._world.decide(plan_reassign(image, [ReassignmentRequest(where, wished)]))

    def jump_clock(self) -> None:
        """Set the wall clock of a machine to another time."""
        by_ms = self._dice.choice((1_000, 3_600_000, 864_000_000)) * self._dice.choice((-1, 1))
        broker = self._hand.any()
        self._world.note("nemesis", f"sets the clock of {broker.process.name} by {by_ms} ms")
        broker.machine.wall_skew_ms += by_ms
