"""Which part this broker plays in a partition's term: it leads, it follows somebody, or it waits for a leader."""

from collections.abc import Callable
from dataclasses import dataclass

from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, Offset
from chronik.replication.events import IsrCommitted, ProposeIsr, RewriteUnchanged
from chronik.replication.follower import FollowedTerm, PartitionFollower
from chronik.replication.leader import PartitionLeader, Term
from chronik.server.loop.clock import now_ms, steady_ms
from chronik.server.replicas.follower import FollowerReplica, Truncation
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import DiskServices, Replica
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.storage.log import Log


@dataclass(slots=True)
class ReplicaFactory:
    """Builds the driver of each term around a log."""

    broker_id: BrokerId
    disk: DiskServices
    configs: TopicConfigs
    truncation: Truncation
    propose: Callable[[LeaderReplica, ProposeIsr | RewriteUnchanged], None]
    lag_ms_max: int

    def take_up(
        self, partition_log: Log, image: Image, topic: TopicImage, state: PartitionImage, high_watermark: int
    ) -> Replica:
        """Begin the term that the image speaks of."""
        known = Offset(min(max(high_watermark, partition_log.log_start_offset), partition_log.log_end_offset))
        settings = self.configs.settings_of(image, topic.configs)
        replica: Replica
        own = image.brokers.get(self.broker_id)
        if state.leader == self.broker_id and own is not None:
            leader = self._leader(partition_log, state, BrokerEpoch(own.broker_epoch), known)
            replica = LeaderReplica(partition_log, leader, settings.rules, self.disk, self.propose)
        else:
            follower = self._follower(partition_log, state, known)
            replica = FollowerReplica(partition_log, follower, settings.rules, self.disk, self.truncation)
        if partition_log.config != settings.log:
            # They were changed while the log was being opened, or between two terms.
            replica.reconfigure(settings.log, settings.rules)
        return replica

    def truncate_damage(self, partition_log: Log, offset: int) -> None:
        """Throw away what cannot be read, and all behind it: the leader has it."""
        for segment in partition_log.truncate_to(offset, now_ms()):
            segment.unlink()

    def is_same_term(self, replica: Replica, image: Image, state: PartitionImage) -> bool:
        """Whether the image still speaks of the term that this driver serves."""
        if replica.leader_epoch != state.leader_epoch:
            return False
        if isinstance(replica, LeaderReplica):
            own = image.brokers.get(self.broker_id)
            return own is None or own.broker_epoch == replica.leader.term.broker_epoch
        assert isinstance(replica, FollowerReplica)
        leads = state.leader == self.broker_id and self.broker_id in image.brokers
        return replica.leader_id == self._followed_leader(state) and not leads

    def _leader(
        self, partition_log: Log, state: PartitionImage, broker_epoch: BrokerEpoch, high_watermark: Offset
    ) -> PartitionLeader:
        return PartitionLeader(
            self.broker_id,
            Term(state.leader_epoch, broker_epoch),
            isr=state.isr,
            replicas=state.replicas,
            in_sync_min=state.required_in_sync,
            partition_epoch=state.partition_epoch,
            revision=state.revision,
            log_end_offset=Offset(partition_log.log_end_offset),
            high_watermark=high_watermark,
            lag_ms_max=self.lag_ms_max,
            now_ms=steady_ms(),
        )

    def _follower(self, partition_log: Log, state: PartitionImage, high_watermark: Offset) -> PartitionFollower:
        return PartitionFollower(
            self.broker_id,
            FollowedTerm(self._followed_leader(state), state.leader_epoch),
            log_start_offset=Offset(partition_log.log_start_offset),
            log_end_offset=Offset(partition_log.log_end_offset),
            last_epoch=LeaderEpoch(partition_log.last_epoch),
            high_watermark=high_watermark,
        )

    def _followed_leader(self, state: PartitionImage) -> BrokerId:
        """Nobody, where this broker is named as leader but is not registered now: the next epoch will tell."""
        return NO_BROKER if state.leader == self.broker_id else state.leader


def committed_state(state: PartitionImage) -> IsrCommitted:
    """Make the core's event of what the store holds now."""
    return IsrCommitted(state.isr, state.required_in_sync, state.partition_epoch, state.revision, state.replicas)
