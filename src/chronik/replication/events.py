"""Events that happen to a partition's leader and followers, and effects that their drivers must carry out.

Named tuples, since every request makes two of them: one costs a third of a frozen data class. All ``now_ms`` are
milliseconds of a monotonic clock.
"""

from typing import NamedTuple

from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, Revision

# --- the leader's events


class LocalAppended(NamedTuple):
    """The leader's own log ends at ``log_end_offset``, in written bytes (flushed bytes with ``flush.messages=1``)."""

    log_end_offset: Offset


class FollowerFetched(NamedTuple):
    """A follower asked for ``fetch_offset``, so it holds everything below it.

    Only for a fetch without ``rejection_of_fetch`` and without ``find_divergence``: the offset of a log that differs
    says nothing.
    """

    follower: BrokerId
    broker_epoch: BrokerEpoch
    fetch_offset: Offset
    now_ms: int


class IsrCommitted(NamedTuple):
    """The store holds this state of the partition, with the same leader and leader epoch.

    The driver passes every such state of the image, also one that differs from the last only by its revision.
    """

    isr: tuple[BrokerId, ...]
    in_sync_min: int
    partition_epoch: PartitionEpoch
    revision: Revision = Revision(0)
    replicas: tuple[BrokerId, ...] | None = None
    """None where the replicas have not changed."""


class ProposalRefused(NamedTuple):
    """The store has refused the change that was proposed at ``base_revision``.

    ``revision`` is the partition's revision, where the refusal showed it. If it is above the base, the change stays
    pending until that state is seen: the refusal may answer a repetition of a transaction that had succeeded.
    """

    base_revision: Revision
    revision: Revision | None = None


class ProposalUnknown(NamedTuple):
    """The outcome of the change that was proposed at ``base_revision`` is unknown: it may still succeed."""

    base_revision: Revision
    now_ms: int


class TimePassed(NamedTuple):
    """Time to look for lagging followers; comes several times within ``lag_ms_max``."""

    now_ms: int


class Stalled(NamedTuple):
    """The leader's event loop stalled: fetches may have been waiting, so every lag counts from now on."""

    now_ms: int


LeaderEvent = LocalAppended | FollowerFetched | IsrCommitted | ProposalRefused | ProposalUnknown | TimePassed | Stalled

# --- the leader's effects


class AdvanceHighWatermark(NamedTuple):
    """Everything below ``high_watermark`` is committed: serve it, and acknowledge it. Also an effect of followers."""

    high_watermark: Offset


class ProposeIsr(NamedTuple):
    """Write this in-sync set if the partition still has ``base_revision``.

    The transaction also compares the leader's own registration and the broker epoch of each member that it adds. The
    driver answers with ``IsrCommitted`` (from the store's image), ``ProposalRefused`` or ``ProposalUnknown``.
    """

    isr: tuple[BrokerId, ...]
    added: tuple[tuple[BrokerId, BrokerEpoch], ...]
    removed: tuple[BrokerId, ...]
    base_revision: Revision


class RewriteUnchanged(NamedTuple):
    """Write the partition's state unchanged, if it still has ``base_revision``.

    After that, an older transaction with an unknown outcome can no longer succeed. The result needs no event: the image
    shows the new revision, or this effect comes again.
    """

    base_revision: Revision


LeaderEffect = AdvanceHighWatermark | ProposeIsr | RewriteUnchanged

# --- a fetch between the two


class FetchAsk(NamedTuple):
    """A follower's fetch of one partition. Its identity marks the response: each ask gets one response at most."""

    fetch_offset: Offset
    last_fetched_epoch: LeaderEpoch
    leader_epoch: LeaderEpoch


class Divergence(NamedTuple):
    """The leader has records of epochs up to ``epoch`` below ``end_offset``; from there on the follower's differ."""

    epoch: LeaderEpoch
    end_offset: Offset


# --- the follower's events


class FetchSucceeded(NamedTuple):
    """The leader has answered ``ask`` without an error, or with the error that the offset is below its log start."""

    ask: FetchAsk
    high_watermark: Offset
    log_start_offset: Offset
    data_end_offset: Offset | None = None
    """Where the records of the response end; None without records."""
    divergence: Divergence | None = None
    own_epoch_end_offset: Offset | None = None
    """With a divergence: where this follower's own log ends for epochs up to ``divergence.epoch``."""


class Appended(NamedTuple):
    """The records of the last response are written (flushed with ``flush.messages=1``)."""

    log_end_offset: Offset
    last_epoch: LeaderEpoch


class LogTruncated(NamedTuple):
    """The log is truncated, or starts again, as an effect asked for."""

    log_end_offset: Offset
    last_epoch: LeaderEpoch


class FetchFailed(NamedTuple):
    """The fetch brought no response, or an error; the driver calls ``next_fetch`` again after a pause."""

    ask: FetchAsk


FollowerEvent = FetchSucceeded | Appended | LogTruncated | FetchFailed

# --- the follower's effects (and AdvanceHighWatermark)


class Append(NamedTuple):
    """Append the records of this response, then report ``Appended``."""


class TruncateTo(NamedTuple):
    """Drain the writer, truncate the log to ``offset``, then report ``LogTruncated``."""

    offset: Offset


class StartAt(NamedTuple):
    """Delete the log and start again at ``offset``, the leader's log start, then report ``LogTruncated``."""

    offset: Offset


class AdvanceLogStart(NamedTuple):
    """Advance the log start to ``offset``, where the leader's log starts now."""

    offset: Offset


class ReportLoss(NamedTuple):
    """Log that committed records are about to be truncated, because the leader has other records there."""

    first_offset: Offset
    end_offset: Offset


class FetchAgain(NamedTuple):
    """Call ``next_fetch``: nothing is under way any more."""


FollowerEffect = Append | TruncateTo | StartAt | AdvanceHighWatermark | AdvanceLogStart | ReportLoss | FetchAgain
