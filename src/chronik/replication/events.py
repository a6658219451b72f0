"""What happens to a partition's leader (events), and what must happen because of it (effects)."""

from dataclasses import dataclass

from chronik.model.ids import BrokerId, Offset, PartitionEpoch


@dataclass(frozen=True, slots=True)
class LocalAppended:
    """The leader's own log ends at ``log_end_offset``, in written bytes (flushed ones, where that is asked for)."""

    log_end_offset: Offset


@dataclass(frozen=True, slots=True)
class IsrCommitted:
    """The store holds this in-sync set and this minimum now."""

    isr: tuple[BrokerId, ...]
    in_sync_min: int
    partition_epoch: PartitionEpoch


@dataclass(frozen=True, slots=True)
class AdvanceHighWatermark:
    """Everything below ``high_watermark`` is committed: serve it, and answer who waited for it."""

    high_watermark: Offset


Event = LocalAppended | IsrCommitted
Effect = AdvanceHighWatermark
