"""The outcomes of the batches of a produce request: each batch gets exactly one."""

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
        # The records that caused a rejection, by their place in the batch; empty where the whole batch did.
        self.faulty_records: Sequence[int] = ()
        self.base_offset = -1
        self.append_time_ms = -1
        self.log_start_offset = -1

    def acknowledge(self, log_start_offset: int) -> None:
        """Acknowledge the batch, at the offset that was set when it was staged."""
        if self.is_settled:
            return
        assert self.base_offset >= 0, "an acknowledged batch has an offset"
        self.log_start_offset = log_start_offset
        self._settle()

    def reject(self, error: ErrorCode, message: str | None = None, faulty_records: Sequence[int] = ()) -> None:
        """Reject the batch."""
        if self.is_settled:
            return
        assert error is not ErrorCode.NONE, "a rejection has an error"
        self.error = error
        self.message = message
        self.faulty_records = faulty_records
        self.base_offset = -1
        self.append_time_ms = -1
        self._settle()

    def overrule(self, error: ErrorCode, message: str) -> None:
        """Reject the batch although it is settled: the response has not been sent yet."""
        self.error, self.message, self.base_offset = error, message, -1

    def _settle(self) -> None:
        self.is_settled = True
        # The reference is dropped, so that no cycle is left for the garbage collector.
        on_settled, self._on_settled = self._on_settled, _already_settled
        on_settled()


def _already_settled() -> None:
    """Take the place of the callback after its only call."""
