"""Offsets that were to be read and are not there: an error, or a line in the log that says what was lost."""

import logging
from collections.abc import Sequence

from chronik.spark.planning.tasks import Loss
from chronik.spark.source.problems import DataLostError

_log = logging.getLogger(__name__)

SHOWN_MAX = 5


def refuse_losses(losses: Sequence[Loss], *, fail: bool) -> None:
    """Fail where there is a loss and it matters; otherwise write it down."""
    if not losses:
        return
    if fail:
        raise DataLostError(
            f"{describe(losses)}. Records were deleted before they were read, or the offsets are of another topic. "
            "To go on without them: option failOnDataLoss=false"
        )
    _log.warning("Records are left out, as failOnDataLoss=false asks for: %s", describe(losses))


def describe(losses: Sequence[Loss]) -> str:
    """Name the losses, the first of them where there are many."""
    shown = "; ".join(str(loss) for loss in losses[:SHOWN_MAX])
    return shown if len(losses) <= SHOWN_MAX else f"{shown}; and {len(losses) - SHOWN_MAX} more"
