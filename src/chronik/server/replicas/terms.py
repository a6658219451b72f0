"""Builds the role of this broker in a partition's term: it leads, it follows a leader, or it waits for one."""

from collections.abc import Callable
from dataclasses import dataclass

from chronik.metadata.image.image import Image, PartitionImage, TopicImage
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, Offset
from chronik.replication.events import IsrCommitted, ProposeIsr, RewriteUnchanged
from chronik.replication.follower import FollowedTerm, PartitionFollower
from chronik.replication.leader import PartitionLeader, Term
from chronik.server.loop.clock import now_ms, steady_ms
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import DiskServices, ReplicaRole
from chronik.server.replicas.truncation import DurableTruncation
from chronik.server.settings.topic_configs import TopicConfigs
from chronik.storage.log import Log


@dataclass(slots=True)
class ReplicaFactory:
    """Builds the leader or follower of each term around a log."""

    broker_id: BrokerId
    disk: DiskServices
    configs: TopicConfigs
    truncation: DurableTruncation
    propose: Callable[[LeaderReplica, ProposeIsr | RewriteUnchanged], None]
    lag_ms_max: int

    def begin_term(
        self, partition_log: Log, image: Image, topic: TopicImage, state: PartitionImage, high_watermark: int
    ) -> LeaderReplica | FollowerReplica:
        """Begin the term that the image describes."""
        known = Offset(min(max(high_watermark, partition_log.log_start_offset), partition_log.log_end_offset))
        settings = self.configs.settings_of(image, topic.configs)
        if partition_log.config != settings.log:
            # The settings were changed while the log was being opened, or between two terms.
            partition_log.reconfigure(settings.log)
        own = image.brokers.get(self.broker_id)
        if state.leader == self.broker_id and own is not None:
            leader = self._leader(partition_log, state, own.broker_epoch, known)
            return LeaderReplica(partition_log, leader, settings.rules, self.disk, self.propose)
        follower = self._follower(partition_log, state, known)
        return FollowerReplica(partition_log, follower, settings.rules, self.disk, self.truncation)

    def truncate_damage(self, partition_log: Log, offset: int) -> None:
        """Truncate the log at an offset that cannot be read; the leader has the records from there on."""
        for segment in partition_log.truncate_to(offset, now_ms()):
            segment.unlink()

    def is_same_term(self, role: ReplicaRole, image: Image, state: PartitionImage) -> bool:
        """Whether the image still describes the term of this leader or follower."""
        own = image.brokers.get(self.broker_id)
        if isinstance(role, LeaderReplica):
            return role.leader_epoch == state.leader_epoch and (
                own is None or own.broker_epoch == role.leader.term.broker_epoch
            )
        assert isinstance(role, FollowerReplica)
        leads = state.leader == self.broker_id and own is not None
        is_followed = role.leader_id == self._followed_leader(state)
        return role.leader_epoch == state.leader_epoch and is_followed and not leads

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
        """Return no leader where this broker is named as leader but is not registered: the next epoch will decide."""
        return NO_BROKER if state.leader == self.broker_id else state.leader


def committed_state(state: PartitionImage) -> IsrCommitted:
    """Return the core's event for the state that the store holds now."""
    return IsrCommitted(state.isr, state.required_in_sync, state.partition_epoch, state.revision, state.replicas)
