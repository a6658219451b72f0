"""A leader's change of the in-sync set that is under way: each kind says who counts for the watermark because of it.

One change at a time. While its outcome is unknown it counts like a proposed one, for as long as the old transaction may
still pass.
"""

from typing import Final, NamedTuple

from chronik.model.ids import BrokerId


class NoChange(NamedTuple):
    """The committed set is all there is."""

    additions: tuple[BrokerId, ...] = ()
    removals: tuple[BrokerId, ...] = ()


class AdditionProposed(NamedTuple):
    """These may be members already: the watermark waits for them as for the others."""

    additions: tuple[BrokerId, ...]
    removals: tuple[BrokerId, ...] = ()


class RemovalProposed(NamedTuple):
    """These may still be members: the watermark waits for them until their removal is committed."""

    removals: tuple[BrokerId, ...]
    additions: tuple[BrokerId, ...] = ()


class OutcomeUnknown(NamedTuple):
    """A proposal that passed, will pass, or never does; settled only by a newer revision of the partition."""

    additions: tuple[BrokerId, ...]
    removals: tuple[BrokerId, ...]
    rewrite_at_ms: int | None
    """When to rewrite the unchanged state so that the old transaction cannot pass; None where a newer revision is
    known to exist, and only has to be seen."""


PendingChange = NoChange | AdditionProposed | RemovalProposed | OutcomeUnknown
NO_CHANGE: Final = NoChange()
