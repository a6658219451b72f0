"""What happens to a partition's leader and followers (events), and what must happen because of it (effects).

Named tuples, since two of them are made for every request: one costs a third of a frozen data class. All ``now_ms`` are
milliseconds of a clock that never goes back and may start anywhere.
"""

from typing import NamedTuple

from chronik.model.ids import BrokerEpoch, BrokerId, LeaderEpoch, Offset, PartitionEpoch, Revision

# --- the leader's events


class LocalAppended(NamedTuple):
    """The leader's own log ends at ``log_end_offset``, in written bytes (flushed ones, where that is asked for)."""

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
    """The store holds this state of the partition now, with the same leader and leader epoch.

    The driver passes on every such state that the image shows, also one that only its revision tells from the last.
    """

    isr: tuple[BrokerId, ...]
    in_sync_min: int
    partition_epoch: PartitionEpoch
    revision: Revision = Revision(0)
    replicas: tuple[BrokerId, ...] | None = None
    """None where they are the same as before."""


class ProposalRefused(NamedTuple):
    """The store has refused the change that was proposed at ``base_revision``.

    ``revision`` is the partition's revision where the refusal showed it. Where it is above the base, the change stays
    pending until that state is seen: the refusal may be the answer to a repetition of a transaction that had passed.
    """

    base_revision: Revision
    revision: Revision | None = None


class ProposalUnknown(NamedTuple):
    """Nobody knows whether the change that was proposed at ``base_revision`` has passed or will pass."""

    base_revision: Revision
    now_ms: int


class TimePassed(NamedTuple):
    """Time to look for followers that lag; several times within ``lag_ms_max``."""

    now_ms: int


class Stalled(NamedTuple):
    """The leader's own loop stood still: fetches may have been waiting, so nobody's lag counts from before now."""

    now_ms: int


LeaderEvent = LocalAppended | FollowerFetched | IsrCommitted | ProposalRefused | ProposalUnknown | TimePassed | Stalled

# --- the leader's effects


class AdvanceHighWatermark(NamedTuple):
    """Everything below ``high_watermark`` is committed: serve it, and answer who waited for it. A follower's too."""

    high_watermark: Offset


class ProposeIsr(NamedTuple):
    """Write this in-sync set if the partition is still at ``base_revision``.

    The transaction also compares the leader's own registration and the broker epoch of each member that it adds. The
    driver answers with ``IsrCommitted`` (from the store's image), ``ProposalRefused`` or ``ProposalUnknown``.
    """

    isr: tuple[BrokerId, ...]
    added: tuple[tuple[BrokerId, BrokerEpoch], ...]
    removed: tuple[BrokerId, ...]
    base_revision: Revision


class RewriteUnchanged(NamedTuple):
    """Write the partition's state as it is, if it is still at ``base_revision``.

    After that, an older transaction with an unknown outcome cannot pass any more. Its answer needs no event: the
    image brings the new revision, or this effect comes again.
    """

    base_revision: Revision


LeaderEffect = AdvanceHighWatermark | ProposeIsr | RewriteUnchanged
Event = LeaderEvent
Effect = LeaderEffect

# --- a fetch between the two


class FetchAsk(NamedTuple):
    """What a follower asks of its leader. Its identity marks the answer: each ask is answered at most once."""

    fetch_offset: Offset
    last_fetched_epoch: LeaderEpoch
    leader_epoch: LeaderEpoch


class Divergence(NamedTuple):
    """The leader's word: of epochs up to ``epoch`` I have records up to ``end_offset``, and yours go on differently."""

    epoch: LeaderEpoch
    end_offset: Offset


# --- the follower's events


class FetchSucceeded(NamedTuple):
    """The leader has answered ``ask`` without an error, or said that the offset is below its log start."""

    ask: FetchAsk
    high_watermark: Offset
    log_start_offset: Offset
    data_end_offset: Offset | None = None
    """Where the records in the answer end; None without records."""
    divergence: Divergence | None = None
    own_epoch_end_offset: Offset | None = None
    """With a divergence: where this follower's own log ends for epochs up to ``divergence.epoch``."""


class Appended(NamedTuple):
    """The records of the last answer are written (flushed, where that is asked for)."""

    log_end_offset: Offset
    last_epoch: LeaderEpoch


class LogTruncated(NamedTuple):
    """The log has been cut, or begun anew, as an effect asked for."""

    log_end_offset: Offset
    last_epoch: LeaderEpoch


class FetchFailed(NamedTuple):
    """The fetch brought no answer, or an error; the driver asks ``next_fetch`` again when it has waited."""

    ask: FetchAsk


FollowerEvent = FetchSucceeded | Appended | LogTruncated | FetchFailed

# --- the follower's effects (and AdvanceHighWatermark)


class Append(NamedTuple):
    """Append the records of this answer, then say ``Appended``."""


class TruncateTo(NamedTuple):
    """Drain the writer, cut so that nothing at or above ``offset`` is left, then say ``LogTruncated``."""

    offset: Offset


class StartAt(NamedTuple):
    """Throw the log away and begin at ``offset``, where the leader's log starts, then say ``LogTruncated``."""

    offset: Offset


class AdvanceLogStart(NamedTuple):
    """The leader's log starts at ``offset`` now; hide what is below it."""

    offset: Offset


class ReportLoss(NamedTuple):
    """What was known as committed is about to be cut, since the leader has other records there: say it loudly."""

    first_offset: Offset
    end_offset: Offset


class FetchAgain(NamedTuple):
    """Nothing is under way any more: ``next_fetch`` has the next ask."""


FollowerEffect = Append | TruncateTo | StartAt | AdvanceHighWatermark | AdvanceLogStart | ReportLoss | FetchAgain
