"""Partitions that nobody may lead, in a simulated cluster: the controller asks every replica how far its log goes.

The real code finds leaderless partitions and elects; only the queries are simulated.
"""

from collections.abc import Callable
from typing import Final, Protocol

from chronik.metadata.decisions.leaders import LogEnd, plan_unclean_recovery
from chronik.metadata.image.image import Image
from chronik.model.ids import BrokerId, LeaderEpoch, Offset, TopicPartition
from chronik.server.cluster.unclean_recovery import LeaderlessPartition, leaderless_partitions
from chronik.simulation.network import Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.replicas import Key
from chronik.simulation.simulated_store import Hold

TIMEOUT_US: Final = 500_000
RETRY_US: Final = 150_000


class Asked(Protocol):
    """A broker that is asked how far a log goes."""

    process: SimulatedProcess

    def answer_log_end(self, key: Key, reply: Reply) -> None:
        """Answer with the last epoch and the log end, or with nothing."""


class SimulatedUncleanRecovery:
    """One life of a controller's care for partitions whose members may all have lost data."""

    def __init__(
        self,
        hold: Hold,
        process: SimulatedProcess,
        network: Network,
        find: Callable[[BrokerId], Asked],
        report: Callable[[TopicPartition], None],
    ) -> None:
        self._hold = hold
        self._process = process
        self._network = network
        self._find = find
        self._report = report
        self._is_asking = False

    def look(self, image: Image) -> None:
        """Query the replicas of the first leaderless partition, unless a query is under way."""
        one = next(iter(leaderless_partitions(image)), None)
        if one is not None and not self._is_asking:
            self._is_asking = True
            _Inquiry(one, image, self._elect).ask(self._process, self._network, self._find)

    def _elect(self, one: LeaderlessPartition, ends: dict[BrokerId, LogEnd]) -> None:
        def decided(result: object) -> None:
            if hasattr(result, "leader_epoch"):
                self._report(one.place)
            self._process.later(RETRY_US, self._look_again)

        self._hold.carry_out(
            lambda image: plan_unclean_recovery(image, one.topic_id, one.place.partition, ends), decided
        )

    def _look_again(self) -> None:
        self._is_asking = False
        self.look(self._hold.image)


class _Inquiry:
    """Everybody's answer about one partition."""

    def __init__(
        self,
        one: LeaderlessPartition,
        image: Image,
        done: Callable[[LeaderlessPartition, dict[BrokerId, LogEnd]], None],
    ) -> None:
        self._one = one
        self._image = image
        self._done = done
        self._ends: dict[BrokerId, LogEnd] = {}
        self._left = len(one.replicas)

    def ask(self, process: SimulatedProcess, network: Network, find: Callable[[BrokerId], Asked]) -> None:
        for replica in self._one.replicas:
            self._ask_one(replica, find(replica), process, network)

    def _ask_one(self, replica: BrokerId, asked: Asked, process: SimulatedProcess, network: Network) -> None:
        key = (self._one.topic_id, self._one.place.partition)
        network.call(
            process,
            asked.process,
            lambda reply: asked.answer_log_end(key, reply),
            lambda answer: self._hear(replica, answer),
            timeout_us=TIMEOUT_US,
        )

    def _hear(self, replica: BrokerId, answer: object) -> None:
        if isinstance(answer, tuple):
            broker_epoch = self._image.brokers[replica].broker_epoch
            self._ends[replica] = LogEnd(LeaderEpoch(answer[0]), Offset(answer[1]), broker_epoch)
        self._left -= 1
        if not self._left:
            self._done(self._one, self._ends)
