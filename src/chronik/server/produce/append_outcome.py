"""What becomes of the batches of one produce request: each gets exactly one outcome, and the last gives the answer."""

from collections.abc import Callable, Sequence

from chronik.model.errors import ErrorCode


class AppendOutcome:
    """The outcome of one batch."""

    __slots__ = (
        "_on_settled",
        "append_time_ms",
        "base_offset",
        "error",
        "faulty_records",
        "is_settled",
        "log_start_offset",
        "message",
    )

    def __init__(self, on_settled: Callable[[], None]) -> None:
        self._on_settled = on_settled
        self.is_settled = False
        self.error = ErrorCode.NONE
        self.message: str | None = None
        # The records that a refusal is about, by their place in the batch; empty where it is about the whole batch.
        self.faulty_records: Sequence[int] = ()
        self.base_offset = -1
        self.append_time_ms = -1
        self.log_start_offset = -1

    def acknowledge(self, log_start_offset: int) -> None:
        """Say that the batch is kept, at the offset that was noted when it was staged."""
        if self.is_settled:
            return
        assert self.base_offset >= 0, "an acknowledged batch has an offset"
        self.log_start_offset = log_start_offset
        self._settle()

    def refuse(self, error: ErrorCode, message: str | None = None, faulty_records: Sequence[int] = ()) -> None:
        """Say why the batch is not acknowledged."""
        if self.is_settled:
            return
        assert error is not ErrorCode.NONE, "a refusal has an error"
        self.error = error
        self.message = message
        self.faulty_records = faulty_records
        self.base_offset = -1
        self.append_time_ms = -1
        self._settle()

    def _settle(self) -> None:
        self.is_settled = True
        # Let go of, so that no cycle is left for the garbage collector.
        on_settled, self._on_settled = self._on_settled, _nobody
        on_settled()


def _nobody() -> None:
    """Hear of a receipt that is settled already."""
