"""Bugs of followers: what they cut, believe and accept."""

from typing import Any

from chronik.replication import divergence
from chronik.replication.events import AdvanceHighWatermark
from chronik.replication.follower import PartitionFollower
from chronik.server.fetch import reading as fetching
from chronik.server.replicas.follower import FollowerReplica
from chronik.server.replicas.replica import Replica
from chronik.simulation import simulated_broker
from chronik.simulation.simulated_broker import SimulatedBroker
from chronik.storage.leader_epochs import LeaderEpochs
from chronik.storage.log import Log
from tests.simulation.mutations.registry import Patch, mutation


@mutation("11: answers of an older term are taken")
def older_answers_are_taken(patch: Patch) -> None:
    """A follower takes the answer to a question of its last term as the answer to the present one."""
    take = SimulatedBroker._on_fetched

    def take_any(self: SimulatedBroker, followed: FollowerReplica, ask: Any, answer: Any) -> None:
        assert self.replicas is not None
        found = self.replicas.find((followed.topic_id, followed.topic_partition.partition))
        now = None if found is None else found.role
        if followed.is_closed and isinstance(now, FollowerReplica) and not now.is_closed:
            asked = now.follower.under_way
            if asked is not None and getattr(asked, "fetch_offset", None) == ask.fetch_offset:
                followed, ask = now, asked
        take(self, followed, ask, answer)

    patch.setattr(SimulatedBroker, "_on_fetched", take_any)


@mutation("13: watermark raised before the cut")
def raised_before_the_cut(patch: Patch) -> None:
    """A follower that must cut first raises its watermark over records that are not the leader's."""
    answered = PartitionFollower._on_fetch_answered

    def raise_first(self: PartitionFollower, event: Any) -> Any:
        raised: Any = ()
        if event.ask is self.under_way and event.divergence is not None:
            raised = self._raise_watermark(event.high_watermark)
        return (*raised, *answered(self, event))

    patch.setattr(PartitionFollower, "_on_fetch_answered", raise_first)
    patch.setattr(PartitionFollower, "_report_loss", lambda self, offset: ())


@mutation("truncation skipped")
def truncation_skipped(patch: Patch) -> None:
    """A leader never says that a follower's log is another one."""
    patch.setattr(fetching, "find_divergence", lambda *args: None)
    patch.setattr(fetching, "divergence_of", lambda *args: None)
    patch.setattr(simulated_broker, "divergence_of", lambda *args: None)


@mutation("divergence by epoch only")
def divergence_by_epoch_only(patch: Patch) -> None:
    """A log that is longer than the leader's in the same epoch is not taken for another one."""
    find = divergence.find_divergence

    def same_epoch_is_enough(epochs: Any, start: int, end: int, ask: Any) -> Any:
        found = find(epochs, start, end, ask)
        return None if found is not None and found.epoch == ask.last_fetched_epoch else found

    patch.setattr(fetching, "find_divergence", same_epoch_is_enough)


@mutation("a position counts although the logs differ")
def differing_positions_count(patch: Patch) -> None:
    """A follower's offset is believed before its log is known to be the same."""
    patch.setattr(simulated_broker, "divergence_of", lambda *args: None)


@mutation("follower believes a watermark beyond its log")
def believes_beyond_its_log(patch: Patch) -> None:
    """A follower takes the leader's watermark whole."""

    def raise_whole(self: PartitionFollower, leader_high_watermark: Any) -> Any:
        if leader_high_watermark <= self.high_watermark:
            return ()
        self.high_watermark = leader_high_watermark
        return (AdvanceHighWatermark(leader_high_watermark),)

    patch.setattr(PartitionFollower, "_raise_watermark", raise_whole)


@mutation("13: staged bytes count as written")
def staged_bytes_count(patch: Patch) -> None:
    """Log end and next fetch offset count what is staged, before the disk has it."""
    write = Replica._write_in_thread

    def write_and_count(self: Replica) -> None:
        write(self)
        self.role.on_local_end(self.log.next_offset)

    patch.setattr(Replica, "_write_in_thread", write_and_count)


@mutation("16: followers do not learn of producers")
def followers_forget_producers(patch: Patch) -> None:
    """What a follower copies does not enter its memory of producers, so a retry is written again after a failover."""
    stage = Log.stage_replicated

    def stage_without(self: Log, batch: Any, header: Any, now_ms: int) -> None:
        stage(self, batch, header._replace(producer_id=-1), now_ms)

    patch.setattr(Log, "stage_replicated", stage_without)


@mutation("13: a term without records stays")
def empty_terms_stay(patch: Patch) -> None:
    """A term that left no record is taken for the one that wrote what was copied there later."""
    take_over = Log.stage_replicated

    def keep_terms(self: Log, *args: Any) -> None:
        with patch.context() as blind:
            blind.setattr(LeaderEpochs, "truncate_from_end", lambda self, end_offset: None)
            take_over(self, *args)

    patch.setattr(Log, "stage_replicated", keep_terms)
