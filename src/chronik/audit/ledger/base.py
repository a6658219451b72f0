"""What ledgers of producers and of consumers have in common: run, topic, number, progress, opening and closing."""

from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from chronik.audit.ledger.directory import run_of, take_number, topic_of
from chronik.audit.ledger.writing import LedgerThread, RowStream
from chronik.audit.tables.run_facts import read_run_facts

Ints = npt.NDArray[np.int64]


class ClientLedger:
    """The ledger of one client in a run's directory; it records one topic."""

    folder_name: ClassVar[str]
    number_suffix: ClassVar[str]
    """The suffix of the file that reserves a client's number."""
    _thread: LedgerThread
    _streams: tuple[RowStream, ...]

    def __init__(self, directory: str | Path, topic: str, number: int | None, run: int | None) -> None:
        self.directory = Path(directory)
        self.run = run_of(self.directory, run)
        self.topic = topic_of(self.directory, topic) if topic else read_run_facts(self.directory).topic
        self.folder = self.directory / self.folder_name
        self.number = take_number(self.folder, self.number_suffix) if number is None else number
        self.folder.mkdir(parents=True, exist_ok=True)
        self.end_offsets: dict[int, int] = {}
        """One above the highest offset in the written rows, by partition; slightly behind the client."""
        self._is_closed = False

    def takes(self, topic: str) -> bool:
        """Return whether records of a topic are recorded: a run is about one topic."""
        if not self.topic:
            self.topic = topic_of(self.directory, topic)
        return topic == self.topic

    @property
    def failure(self) -> Exception | None:
        """The error after which nothing is recorded any more, if there was one."""
        return self._thread.failure

    def flush(self) -> bool:
        """Wait until the rows recorded so far are in the files; return False if the ledger has failed.

        A consumer that may be killed calls it before it commits: a committed offset then never covers a delivery
        that is not recorded.
        """
        return self._thread.wait_until(lambda: not any(map(len, self._streams)))

    def close(self) -> None:
        """Write the rows that wait in memory; a send without an outcome by then is unknown."""
        if self._is_closed:
            return
        self._is_closed = True
        self._before_close()
        self._thread.close()
        if self.failure is not None:
            raise self.failure
        for stream in self._streams:
            stream.close()
        self._after_close()

    def _before_close(self) -> None:
        """Record the last events, while the thread still writes."""

    def _after_close(self) -> None:
        """Release what the ledger holds beside its streams."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _advance_ends(self, partitions: Any, offsets: Any) -> None:
        partitions, offsets = np.asarray(partitions, np.int64), np.asarray(offsets, np.int64)
        for partition in np.unique(partitions).tolist():
            end = int(offsets[partitions == partition].max()) + 1
            self.end_offsets[partition] = max(end, self.end_offsets.get(partition, 0))
