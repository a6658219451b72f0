"""The ledgers of a soak, one run for each topic: where they are, and how far the clients have come."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.ledger.tails import LedgerPlace, Tail, new_splits
from chronik.audit.tables.schemas import EventKind, SendOutcome

_PARTITION_SHIFT = 48
Places = npt.NDArray[np.int64]
"""Partition and offset, in one number each."""


def run_directory(directory: Path, topic: str) -> Path:
    """Return the directory of a topic's run."""
    return directory / "audit" / topic


class Ledgers:
    """Follows all ledgers while clients write them."""

    def __init__(self, directory: Path, topic_of_group: Mapping[str, str]) -> None:
        self._topic_of_group = topic_of_group
        self.runs = [run_directory(directory, topic) for topic in sorted(set(topic_of_group.values()))]
        self._tails: dict[tuple[Path, str], Tail] = defaultdict(Tail)
        self._acked: dict[str, list[Places]] = defaultdict(list)
        self._delivered: dict[str, list[Places]] = defaultdict(list)
        self.counts: Counter[str] = Counter()
        """Sends by outcome, deliveries, and the consumers' events by kind."""
        self.complaints: Counter[str] = Counter()
        """The errors that client libraries reported."""

    def started(self) -> int:
        """Count the clients that have begun to send or to read."""
        self.read()
        return sum(len(list((run / "sends").glob("*.reserved"))) for run in self.runs) + self.counts[EventKind.START]

    def read(self) -> None:
        """Read the rows that are new since the last call."""
        for run in self.runs:
            place = LedgerPlace(str(run))
            for path in place.files("sends", ".arrows") + place.files("polls", ".arrows"):
                splits, self._tails[run, path] = new_splits(place, path, self._tails[run, path])
                for batch in (batch for split in splits for batch in split.batches(place)):
                    self._take(run.name, path, batch)

    def _take(self, topic: str, path: str, batch: pa.RecordBatch) -> None:
        if path.endswith(".events.arrows"):
            self.counts.update(batch["kind"].to_pylist())
            rows = batch.select(["kind", "text"]).to_pylist()
            self.complaints.update(row["text"] for row in rows if row["kind"] == EventKind.ERROR)
        elif path.startswith("sends/"):
            outcomes = np.asarray(batch["outcome"])
            self.counts.update(SendOutcome(one).name for one in outcomes.tolist())
            self._acked[topic].append(_places(batch)[outcomes == SendOutcome.ACKED])
        else:
            self.counts["delivered"] += batch.num_rows
            # A ledger is of one consumer, and a consumer of one group.
            self._delivered[batch["group"][0].as_py()].append(_places(batch))

    def missing(self) -> int:
        """Count the deliveries that are still to come, over all groups."""
        return sum(
            len(np.setdiff1d(_joined(self._acked[topic]), _joined(self._delivered[group])))
            for group, topic in self._topic_of_group.items()
        )

    def redelivered(self) -> int:
        """Count how often a record was delivered to its group again."""
        every = [_joined(self._delivered[group]) for group in self._topic_of_group]
        return sum(len(places) - len(np.unique(places)) for places in every)


def _places(batch: pa.RecordBatch) -> Places:
    partitions, offsets = (np.asarray(batch[name]).astype(np.int64) for name in ("partition", "offset"))
    return (partitions << _PARTITION_SHIFT) | offsets


def _joined(parts: list[Places]) -> Places:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)
