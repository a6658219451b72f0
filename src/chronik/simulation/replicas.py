"""A simulated broker's replicas: the real partition table, with logs opened inline and time of the simulation."""

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Final
from uuid import UUID

from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Refusal
from chronik.model.ids import BrokerId, TopicId
from chronik.records.validation import ProduceRules
from chronik.replication.events import ProposalUnknown, ProposeIsr, RewriteUnchanged, Stalled
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.isr_updater import plan_proposal, refused
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.log_opening import LogOpener, close_log
from chronik.server.replicas.removal import PartitionRemoval
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.server.replicas.startup_checkpoints import StartupCheckpoints
from chronik.server.replicas.table import PartitionTable
from chronik.server.replicas.terms import ReplicaFactory
from chronik.server.replicas.truncation import DurableTruncation
from chronik.server.settings.topic_configs import LogSettings, TopicConfigs
from chronik.simulation.machine import SimulatedDiskThread
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_store import UNKNOWN, Hold
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory
from chronik.storage.log_config import LogConfig

LOG: Final = LogConfig(segment_bytes=2_000, index_interval_bytes=300)
PRODUCER_EXPIRATION_MS: Final = 86_400_000
Key = tuple[TopicId, int]


class OneConfig(TopicConfigs):
    """All topics have the same settings."""

    def settings_of(self, image: Image, configs: object) -> LogSettings:
        return LogSettings(LOG, ProduceRules())


class SimulatedReplicas:
    """Every replica of one life of a broker."""

    def __init__(
        self,
        broker: BrokerId,
        directory: DataDirectory,
        services: DiskServices,
        hold: Hold,
        process: SimulatedProcess,
        scheduler: Scheduler,
        rng: Random,
        *,
        lag_ms_max: int,
        slow_disk_share: float,
        was_clean: bool,
    ) -> None:
        self._slow_disk_share = slow_disk_share
        self._broker = broker
        self._directory = directory
        self._hold = hold
        self._process = process
        self._scheduler = scheduler
        self._rng = rng
        self._has_begun = False
        left = StartupCheckpoints(
            was_clean,
            dict(directory.read_checkpoint(LOG_START).offsets),
            dict(directory.read_checkpoint(RECOVERY_POINT).offsets),
            dict(directory.read_checkpoint(HIGH_WATERMARK).offsets),
        )
        files = SimulatedDiskThread(process, rng, (50, 3_000))
        configs = OneConfig(broker, {})
        truncation = DurableTruncation(directory, files, lambda: self.table.checkpoints()[RECOVERY_POINT])
        self.table = PartitionTable(
            broker,
            directory,
            left,
            ReplicaFactory(broker, services, configs, truncation, self._propose, lag_ms_max),
            PartitionRemoval(directory, files, left, process.call_soon, lambda: UUID(int=rng.getrandbits(128))),
            LogOpener(directory, left, (), configs),
            configs,
            producer_expiration_ms=PRODUCER_EXPIRATION_MS,
        )
        self.table.on_work = lambda: process.later(0, self.table.open_now)
        self.table.on_led = self._on_led
        self.table.on_followed = self._on_followed
        self.on_led: Callable[[LeaderReplica], None] = lambda led: None
        self.on_followed: Callable[[FollowerReplica], None] = lambda followed: None

    def find(self, key: Key) -> Replica | None:
        found = self.table.replica_by_id(*key)
        return found if isinstance(found, Replica) else None

    # --- following the image

    def begin(self) -> None:
        """Open what the image places here, once the broker is a member."""
        if not self._has_begun:
            self._has_begun = True
            self.table.on_image(Image(), self._hold.image)
            self.table.delete_strays()

    def on_image(self, before: Image, after: Image) -> None:
        if self._has_begun:
            self.table.on_image(before, after)

    def _on_led(self, role: LeaderReplica) -> None:
        self._slow_down(role.replica)
        role.handle(Stalled(self._scheduler.now_ms))
        self.on_led(role)

    def _on_followed(self, role: FollowerReplica) -> None:
        self._slow_down(role.replica)
        self.on_followed(role)

    def _slow_down(self, replica: Replica) -> None:
        if self._rng.random() < self._slow_disk_share:
            # A slow disk: every write goes through the thread.
            replica._slow_until = float("inf")

    # --- in-sync sets

    def _propose(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        self._process.later(0, lambda: self._carry_out(partition, effect))

    def _carry_out(self, partition: LeaderReplica, effect: ProposeIsr | RewriteUnchanged) -> None:
        if partition.is_closed:
            return

        def ended(outcome: object) -> None:
            if isinstance(effect, RewriteUnchanged) or partition.is_closed:
                return
            if outcome is UNKNOWN:
                partition.handle(ProposalUnknown(effect.base_revision, self._scheduler.now_ms))
            elif isinstance(outcome, Refusal):
                partition.handle(refused(self._hold.image, partition, effect))

        self._hold.carry_out(lambda image: plan_proposal(image, self._broker, partition, effect), ended)

    # --- checkpoints and the end

    def write_checkpoints(self) -> None:
        """Flush some logs by chance, and write the checkpoints; the next time will do where that fails."""
        for replica in self.table.all():
            if not replica.is_offline and not replica.is_closed and self._rng.random() < 0.5:
                replica.disk.flusher.request(replica)
        # Before every log is open, the checkpoints would lack what the last run left.
        if self._has_begun and not self.table.is_opening:
            with suppress(OSError):
                self._write_all()

    def _write_all(self) -> None:
        for name, offsets in self.table.checkpoints().items():
            self._directory.write_checkpoint(name, offsets)

    def close(self) -> bool:
        """Close every log in order; False where one of them cannot be, or its disk is still at work for it."""
        self.table.end_terms()
        replicas = list(self.table.all())
        if any(replica.is_offline or replica._writes or replica._flush is not None for replica in replicas):
            return False
        if self.table.failed() or self.table.is_opening or not self._has_begun:
            return False
        try:
            closed = [close_log(replica) for replica in replicas]
            self._write_all()
        except OSError:
            return False
        return all(closed)
