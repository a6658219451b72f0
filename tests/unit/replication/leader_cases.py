"""A leader core of three replicas for tests, with short words for what happens to it."""

from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, Revision
from chronik.replication.events import FollowerFetched, IsrCommitted, LeaderEffect, LocalAppended
from chronik.replication.leader import PartitionLeader, Term

ME, TWO, THREE = BrokerId(1), BrokerId(2), BrokerId(3)
ALL = (ME, TWO, THREE)
EPOCH = LeaderEpoch(3)
LAG_MS = 1_000


class LeaderCase:
    """One leader in one term, and the revision that its store is at."""

    def __init__(
        self,
        isr: tuple[BrokerId, ...] = ALL,
        *,
        replicas: tuple[BrokerId, ...] = ALL,
        minimum: int = 2,
        end: int = 0,
        watermark: int = 0,
    ) -> None:
        self.revision = 10
        self.core = PartitionLeader(
            ME,
            Term(EPOCH, BrokerEpoch(7)),
            isr=isr,
            replicas=replicas,
            in_sync_min=minimum,
            partition_epoch=PartitionEpoch(5),
            revision=Revision(self.revision),
            log_end_offset=Offset(end),
            high_watermark=Offset(watermark),
            lag_ms_max=LAG_MS,
            now_ms=0,
        )

    @property
    def watermark(self) -> int:
        return self.core.high_watermark

    def appended(self, end: int) -> tuple[LeaderEffect, ...]:
        return self.core.handle(LocalAppended(Offset(end)))

    def fetched(self, who: BrokerId, offset: int, *, broker_epoch: int = 1, now: int = 0) -> tuple[LeaderEffect, ...]:
        return self.core.handle(FollowerFetched(who, BrokerEpoch(broker_epoch), Offset(offset), now))

    def committed(self, isr: tuple[BrokerId, ...], *, minimum: int | None = None) -> tuple[LeaderEffect, ...]:
        """The store takes up a change, and the leader sees it."""
        self.revision += 1
        core = self.core
        return core.handle(
            IsrCommitted(
                isr,
                core.in_sync_min if minimum is None else minimum,
                PartitionEpoch(core.partition_epoch + 1),
                Revision(self.revision),
            )
        )
