"""The evidence of a run for the diagnosis rules: its results, and its tables as arrays per partition.

Large tables (sends, stored, delivered) are never held in memory: they are read batch by batch for the few rows that a
rule needs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from chronik.audit.diagnose.trace import Trace
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.run_facts import RunFacts
from chronik.audit.tables.schemas import AS_CLIENTS_SEE_IT, SendOutcome
from chronik.audit.tables.stream_files import stream_batches

Numbers = NDArray[Any]

CONSUMED_LATE_OR_NOT: Final = ("NOT_REACHED", "IN_LOG_ABOVE_HW", "+LATE")
"""The verdicts and flags of stored messages that did not reach the consumer in time."""


class Results(Protocol):
    """The tables of verdicts."""

    @property
    def verdicts(self) -> pa.Table: ...
    @property
    def messages(self) -> pa.Table: ...
    @property
    def partitions(self) -> pa.Table: ...


@dataclass(frozen=True, slots=True)
class Selection:
    """Messages, each once for all groups."""

    producer: Numbers
    sequence: Numbers
    partition: Numbers
    offset: Numbers
    acked_offset: Numbers
    is_allowed: Numbers

    def __len__(self) -> int:
        return len(self.producer)

    def where(self, mask: Numbers) -> "Selection":
        return Selection(*(getattr(self, name)[mask] for name in self.__slots__))

    def of(self, partition: int) -> "Selection":
        return self.where(self.partition == partition)

    @property
    def partitions(self) -> list[int]:
        """The affected partitions; -1 where a partition is unknown."""
        return [int(number) for number in np.unique(self.partition)]

    @property
    def are_allowed(self) -> bool:
        return bool(self.is_allowed.all())


@dataclass(frozen=True, slots=True)
class Polls:
    """A consumer's polls with records: their numbers, record counts and times."""

    group: str
    number: Numbers
    count: Numbers
    at_us: Numbers


class RunEvidence:
    """The results and the evidence of a run, as the rules read them."""

    def __init__(self, results: Results, evidence: Evidence) -> None:
        self.results = results
        self.evidence = evidence
        self._changes: dict[int, tuple[Numbers, Numbers]] = {}
        self.kept: dict[str, Any] = {}
        """Values that several rules need, computed once."""

    @property
    def run(self) -> RunFacts:
        return self.evidence.facts

    @property
    def stall_us(self) -> int:
        return self.run.stall_us

    # --- results

    def chosen(self, *wanted: str) -> Selection:
        """Return the messages that have one of these verdicts, or of these flags, which are marked with ``+``."""
        table = self.results.messages
        mask = pc.is_in(table["verdict"], pa.array([name for name in wanted if name[0] != "+"], pa.string()))
        flags = [name[1:] for name in wanted if name[0] == "+"]
        if flags and table.num_rows:
            mask = pa.chunked_array([np.asarray(mask) | _has_flag(table["flags"], flags)])
        return _selection(table.filter(mask))

    def harmed(self, *wanted: str) -> dict[int, Selection]:
        """Return the messages with these verdicts or flags by partition."""
        found = self.chosen(*wanted)
        return {partition: found.of(partition) for partition in found.partitions}

    def counted(self, verdict: str) -> int:
        """Return the largest count of a verdict in any group."""
        table = self.results.verdicts
        return max(table.filter(pc.equal(table["verdict"], verdict))["count"].to_pylist(), default=0)

    def allows(self, name: str) -> bool:
        """Return whether the settings allow a verdict or flag (``+``) for all messages that have it."""
        table = self.results.verdicts
        own = table.filter(pc.equal(table["verdict"], name)).to_pylist()
        return all(row["count"] == row["allowed_count"] for row in own)

    @cached_property
    def partition_rows(self) -> list[dict[str, Any]]:
        return list(self.results.partitions.to_pylist())

    # --- what was observed

    @cached_property
    def observed_partitions(self) -> list[int]:
        return sorted(set(self.evidence.observed["partition"].to_pylist()))

    @cached_property
    def _observed(self) -> dict[int, dict[str, Any]]:
        table = self.evidence.observed
        order = np.argsort(table["mono_us"].to_numpy(), kind="stable")
        partition = table["partition"].to_numpy()[order]
        columns = {name: table[name].to_numpy()[order] for name in _OBSERVED}
        in_sync = table["isr"].to_pylist()
        columns["isr"] = np.empty(len(order), object)
        columns["isr"][:] = [in_sync[row] for row in order]
        return {
            int(number): {name: column[partition == number] for name, column in columns.items()}
            for number in np.unique(partition)
        }

    def observed(self, partition: int) -> dict[str, Numbers]:
        """Return all samples of a partition by the steady clock."""
        return self._observed.get(partition) or {name: np.empty(0, np.int64) for name in (*_OBSERVED, "isr")}

    def served(self, partition: int) -> dict[str, Numbers]:
        """Return the samples of the watermark that the leader of a partition served to clients."""
        rows = self.observed(partition)
        as_clients = (rows["node"] == AS_CLIENTS_SEE_IT) & (rows["high_watermark"] >= 0)
        if as_clients.any():
            return _rows(rows, as_clients)
        return _rows(rows, (rows["node"] == rows["leader"]) & (rows["high_watermark"] >= 0))

    def ends(self, partition: int) -> dict[str, Numbers]:
        """Return the samples of the log ends of replicas."""
        rows = self.observed(partition)
        return _rows(rows, (rows["log_end"] >= 0) & (rows["node"] >= 0))

    def epoch_at(self, partition: int, at_us: int) -> int:
        """Return the leader epoch at a time; -1 where it is unknown, or changed between two samples."""
        at, epochs = self._epoch_changes(partition)
        if not len(at):
            return self._only_epoch(partition)
        place = int(np.searchsorted(at, at_us, side="right"))
        before, after = epochs[max(place - 1, 0)], epochs[min(place, len(at) - 1)]
        return int(before) if before == after else -1

    def _epoch_changes(self, partition: int) -> tuple[Numbers, Numbers]:
        """Return the first and the last sample of each epoch."""
        if partition not in self._changes:
            rows = self.observed(partition)
            known = rows["leader_epoch"] >= 0
            at, epochs = rows["at_us"][known], rows["leader_epoch"][known]
            differs = np.ones(len(epochs) + 1, bool)
            differs[1:-1] = epochs[1:] != epochs[:-1]
            edge = differs[1:] | differs[:-1]
            self._changes[partition] = at[edge], epochs[edge]
        return self._changes[partition]

    def _only_epoch(self, partition: int) -> int:
        epochs = {row["leader_epoch"] for row in self.epochs(partition)}
        return epochs.pop() if len(epochs) == 1 else -1

    def epochs(self, partition: int) -> list[dict[str, Any]]:
        """Return the history of a partition's leaders, oldest first."""
        table = self.evidence.epochs
        rows = table.filter(pc.equal(table["partition"], partition)).to_pylist()
        return sorted(rows, key=lambda row: row["leader_epoch"])

    # --- what was traced

    @cached_property
    def trace(self) -> Trace:
        return Trace.read(self.evidence.trace_files(), self.run.topic)

    # --- rows of large tables

    def sends_at(self, partition: int, offsets: Numbers) -> list[dict[str, Any]]:
        """Return the sends that were acknowledged at these offsets."""
        return list(
            self._walked(self.evidence.send_files(), lambda batch: _acked(batch) & _at(batch, partition, offsets))
        )

    def sends_of(self, wanted: Selection) -> list[dict[str, Any]]:
        """Return the sends of these messages."""
        return list(self._walked(self.evidence.send_files(), lambda batch: _is_one_of(batch, wanted)))

    @cached_property
    def not_acked(self) -> list[dict[str, Any]]:
        """The sends that ended otherwise than acknowledged."""
        return list(self._walked(self.evidence.send_files(), lambda batch: ~_acked(batch)))

    def stored_at(self, partition: int, offsets: Numbers) -> list[dict[str, Any]]:
        """Return the stored records at these offsets."""
        return list(self._walked(self.evidence.stored_files(), lambda batch: _at(batch, partition, offsets)))

    def delivered_at(self, partition: int, offsets: Numbers) -> list[dict[str, Any]]:
        """Return the deliveries of the records at these offsets."""
        return list(self._walked(self.evidence.delivered_files(), lambda batch: _at(batch, partition, offsets)))

    @cached_property
    def polls(self) -> dict[int, "Polls"]:
        """The polls with records, by consumer."""
        parts: dict[int, list[Polls]] = {}
        for path in self.evidence.delivered_files():
            for batch in stream_batches(path):
                if batch.num_rows:
                    parts.setdefault(batch["consumer"][0].as_py(), []).append(_polls(batch))
        return {consumer: _joined(own) for consumer, own in parts.items()}

    def first_sent_us(self, wanted: Selection) -> int:
        """Return when the first of these messages was sent; -1 where no ledger has it."""
        times = [row["sent_us"] for row in self.sends_of(_first_of_each_producer(wanted)) if row["sent_us"] >= 0]
        return min(times, default=-1)

    @staticmethod
    def _walked(paths: Sequence[Path], wanted: Any) -> Iterator[dict[str, Any]]:
        for path in paths:
            for batch in stream_batches(path):
                mask = wanted(batch)
                if mask.any():
                    yield from batch.filter(pa.array(mask)).to_pylist()


_OBSERVED: Final = (
    "at_us",
    "mono_us",
    "node",
    "log_start",
    "high_watermark",
    "last_stable",
    "log_end",
    "leader",
    "leader_epoch",
)


def _polls(batch: pa.RecordBatch) -> Polls:
    """Count the polls of one batch: a consumer writes delivered records in order."""
    numbers, first, counts = np.unique(np.asarray(batch["poll"]), return_index=True, return_counts=True)
    return Polls(batch["group"][0].as_py(), numbers, counts, np.asarray(batch["received_us"])[first])


def _joined(parts: Sequence[Polls]) -> Polls:
    """Join the batches of a consumer; a poll may be in two of them."""
    number = np.concatenate([part.number for part in parts])
    count = np.concatenate([part.count for part in parts])
    at_us = np.concatenate([part.at_us for part in parts])
    numbers, first, inverse = np.unique(number, return_index=True, return_inverse=True)
    return Polls(parts[0].group, numbers, np.bincount(inverse, count).astype(np.int64), at_us[first])


def _rows(columns: Mapping[str, Numbers], mask: Numbers) -> dict[str, Numbers]:
    return {name: column[mask] for name, column in columns.items()}


def _has_flag(column: pa.ChunkedArray, flags: Sequence[str]) -> Numbers:
    combined = column.combine_chunks()
    mask = np.zeros(len(combined), bool)
    hits = np.asarray(pc.is_in(combined.flatten(), pa.array(flags)))
    parents = np.asarray(pc.list_parent_indices(combined))
    mask[parents[hits]] = True
    return mask


def _selection(table: pa.Table) -> Selection:
    producer, sequence = table["producer"].to_numpy(), table["sequence"].to_numpy()
    pairs = np.rec.fromarrays([producer, sequence])
    _, first = np.unique(pairs, return_index=True)
    partition, acked = table["partition"].to_numpy(), table["acked_partition"].to_numpy()
    return Selection(
        producer[first],
        sequence[first],
        np.where(partition >= 0, partition, acked)[first],
        table["offset"].to_numpy()[first],
        table["acked_offset"].to_numpy()[first],
        np.asarray(table["is_allowed"]).astype(bool)[first],
    )


def _first_of_each_producer(wanted: Selection) -> Selection:
    """Messages are numbered in the order in which they are sent."""
    _, first = np.unique(wanted.producer, return_index=True)
    mask = np.zeros(len(wanted), bool)
    mask[first] = True
    return wanted.where(mask)


def _acked(batch: pa.RecordBatch) -> Numbers:
    mask: Numbers = np.asarray(batch["outcome"]) == SendOutcome.ACKED
    return mask


def _at(batch: pa.RecordBatch, partition: int, offsets: Numbers) -> Numbers:
    mask: Numbers = np.asarray(batch["partition"]) == partition
    if mask.any():
        mask &= np.isin(np.asarray(batch["offset"]), offsets)
    return mask


def _is_one_of(batch: pa.RecordBatch, wanted: Selection) -> Numbers:
    producer, sequence = np.asarray(batch["producer"]), np.asarray(batch["sequence"])
    mask = np.zeros(len(producer), bool)
    for number in np.unique(wanted.producer):
        mask |= (producer == number) & np.isin(sequence, wanted.sequence[wanted.producer == number])
    return mask
