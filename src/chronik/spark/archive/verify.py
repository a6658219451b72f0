"""Verify an archive: each offset below the high watermark is archived once, expired, or not a record.

Checkpoints and statistics are not trusted: the offsets are read from the files, and the others are read from the topic.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from chronik.spark.archive.coverage import OffsetRange, TopicState
from chronik.spark.archive.layout import parsed_path, topic_digits
from chronik.spark.archive.offset_runs import Runs, common, doubled, gaps, joined, runs_of, union, without
from chronik.spark.archive.parquet_files import Read
from chronik.spark.archive.places import open_place
from chronik.spark.archive.table import ArchiveError, ArchiveIdentity, ArchiveTable, Snapshot
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.reading import read_slice

BRIDGED_OFFSETS_MAX: Final = 10_000
"""Holes with fewer offsets between them are read from the topic together."""


class ArchiveFault(StrEnum):
    """The faults of an archive."""

    MISSING_FILE = "missing file"
    DAMAGED_FILE = "damaged file"
    FOREIGN_FILE = "foreign file"
    DOUBLED = "archived twice"
    MISSING = "not archived"
    OUTSIDE = "not covered by any commit"
    BEHIND = "not archived yet"


@dataclass(frozen=True, slots=True)
class ArchiveFinding:
    """A fault, with its file or offsets."""

    kind: ArchiveFault
    partition: int | None
    offsets: OffsetRange | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PartitionCounts:
    """The offsets of one partition of one topic id, each in one count; ``archived`` counts rows."""

    topic_id: str
    partition: int
    start_offset: int
    end_offset: int
    archived: int = 0
    expired: int = 0
    control: int = 0
    aborted: int = 0
    compacted: int = 0
    missing: int = 0
    behind: int = 0


@dataclass(frozen=True, slots=True)
class VerifyResult:
    """The counts and the faults of an archive."""

    accounts: list[PartitionCounts] = field(default_factory=list)
    findings: list[ArchiveFinding] = field(default_factory=list)
    files: int = 0

    @property
    def is_sound(self) -> bool:
        return not self.findings


Held = Mapping[tuple[str, int], Runs]
"""The offsets in the files, by topic id and partition."""


def verify(
    table: ArchiveTable,
    state: TopicState,
    rules: ReadRules,
    *,
    allows_lag: bool = False,
    read: Read = read_slice,
    on_file: Callable[[int], None] = lambda done: None,
) -> VerifyResult:
    """Compare a table with its topic."""
    snapshot = table.snapshot()
    if snapshot is None:
        raise ArchiveError(f"{table.url} holds no archive", "Make one: chronik archive --topic TOPIC --to DIRECTORY.")
    _check_topic(snapshot.identity, state, table.url)
    findings, held = _files(table, snapshot.identity, on_file)
    topic = _Topic(state, replace(rules, read_committed=snapshot.identity.is_read_committed), read)
    accounts = []
    for topic_id, partition in _partitions(snapshot, state, held):
        account, wrong = _judged(snapshot, topic, held, topic_id, partition, allows_lag=allows_lag)
        accounts.append(account)
        findings += wrong
    return VerifyResult(accounts, findings, len(table.found_files()))


def _check_topic(identity: ArchiveIdentity, state: TopicState, url: str) -> None:
    if identity.topic != state.topic:
        raise ArchiveError(f"{url} holds topic {identity.topic!r}, not {state.topic!r}", "Name its own topic.")
    if state.topic_id not in identity.topic_ids:
        raise ArchiveError(
            f"{url} holds the topic {state.topic!r} with the id {identity.topic_ids[-1]}, and the cluster has one with "
            f"the id {state.topic_id}",
            "There is nothing to compare the table with.",
        )


def _files(
    table: ArchiveTable, identity: ArchiveIdentity, on_file: Callable[[int], None]
) -> tuple[list[ArchiveFinding], Held]:
    """Read the offsets of every file, and find the files that are wrong."""
    place = open_place(table.url, table.storage_options)
    counted = {file.path for file in table.files()}
    found = set(table.found_files())
    findings: list[ArchiveFinding] = []
    held: dict[tuple[str, int], list[Runs]] = {}
    for done, path in enumerate(sorted(counted | found)):
        on_file(done)
        findings += _judged_name(path, identity, is_counted=path in counted)
        try:
            for key, runs in _offsets(place, path, identity):
                held.setdefault(key, []).append(runs)
        except FileNotFoundError:
            findings.append(ArchiveFinding(ArchiveFault.MISSING_FILE, None, None, path))
        except (OSError, pa.ArrowInvalid, KeyError) as error:
            findings.append(ArchiveFinding(ArchiveFault.DAMAGED_FILE, None, None, f"{path}: {error}"))
    return findings, {key: joined(parts) for key, parts in held.items()}


def _judged_name(path: str, identity: ArchiveIdentity, *, is_counted: bool) -> Iterator[ArchiveFinding]:
    name = parsed_path(path)
    digits = {topic_digits(topic_id) for topic_id in identity.topic_ids}
    if not is_counted:
        yield ArchiveFinding(ArchiveFault.FOREIGN_FILE, None, None, f"{path}: no commit has it")
    elif name is None or name.topic_digits not in digits:
        yield ArchiveFinding(ArchiveFault.FOREIGN_FILE, None, None, f"{path}: not a file of this archive")


def _offsets(place: Any, path: str, identity: ArchiveIdentity) -> Iterator[tuple[tuple[str, int], Runs]]:
    name = parsed_path(path)
    with place.open_input_file(path) as file:
        rows = pq.read_table(file, columns=["topic_id", "offset"])
    for topic_id in rows.column("topic_id").unique().to_pylist():
        if name is not None and topic_id in identity.topic_ids:
            mine = rows.filter(pc.equal(rows.column("topic_id"), topic_id))
            yield (topic_id, name.partition), runs_of(mine.column("offset").to_numpy())


def _partitions(snapshot: Snapshot, state: TopicState, held: Held) -> list[tuple[str, int]]:
    known = {(topic_id, partition) for topic_id, ranges in snapshot.covered.items() for partition in ranges}
    return sorted(known | set(held) | {(state.topic_id, partition) for partition in state.ends})


def _judged(
    snapshot: Snapshot, topic: "_Topic", held: Held, topic_id: str, partition: int, *, allows_lag: bool
) -> tuple[PartitionCounts, list[ArchiveFinding]]:
    covered = snapshot.covers(topic_id).get(partition)
    runs = held.get((topic_id, partition), joined([]))
    if covered is None:
        start = topic.state.starts.get(partition, 0) if topic_id == topic.state.topic_id else 0
        covered = OffsetRange(start, start)
    account = PartitionCounts(topic_id, partition, covered.start, covered.end, archived=runs.size)
    findings = [ArchiveFinding(ArchiveFault.DOUBLED, partition, part) for part in doubled(runs)]
    findings += [
        ArchiveFinding(ArchiveFault.OUTSIDE, partition, part) for part in without(union(runs.ranges()), [covered])
    ]
    if topic_id != topic.state.topic_id:
        return account, findings
    explained = topic.explain(partition, gaps(runs, covered))
    findings += [ArchiveFinding(ArchiveFault.MISSING, partition, part) for part in explained.missing]
    behind = max(0, topic.state.ends.get(partition, 0) - covered.end)
    if behind and not allows_lag:
        findings.append(ArchiveFinding(ArchiveFault.BEHIND, partition, OffsetRange(covered.end, covered.end + behind)))
    return replace(explained.counted(account), behind=behind), findings


@dataclass(frozen=True, slots=True)
class _Explained:
    """Offsets that are not archived, by their reason."""

    expired: list[OffsetRange]
    control: list[OffsetRange]
    aborted: list[OffsetRange]
    compacted: list[OffsetRange]
    missing: list[OffsetRange]

    def counted(self, account: PartitionCounts) -> PartitionCounts:
        lists = (self.expired, self.control, self.aborted, self.compacted, self.missing)
        expired, control, aborted, compacted, missing = (sum(part.size for part in parts) for parts in lists)
        return replace(account, expired=expired, control=control, aborted=aborted, compacted=compacted, missing=missing)


@dataclass(frozen=True, slots=True)
class _Topic:
    """Reads the offsets that no file holds from the topic."""

    state: TopicState
    rules: ReadRules
    read: Read

    def explain(self, partition: int, holes: list[OffsetRange]) -> _Explained:
        log_start = self.state.starts.get(partition, 0)
        expired = common(holes, [OffsetRange(0, log_start)])
        rest = without(holes, expired)
        missing = common(rest, self._records(partition, rest, self.rules))
        rest = without(rest, missing)
        control = common(rest, self._control(partition, rest))
        rest = without(rest, control)
        all_records = replace(self.rules, read_committed=False)
        aborted = common(rest, self._records(partition, rest, all_records)) if self.rules.read_committed else []
        return _Explained(expired, control, aborted, without(rest, aborted), missing)

    def _records(self, partition: int, holes: list[OffsetRange], rules: ReadRules) -> list[OffsetRange]:
        found = [
            runs_of(batch.column("offset").to_numpy()).ranges()
            for batch in self._batches(partition, holes, replace(rules, columns=("offset",)), View.RECORDS)
        ]
        return union([part for ranges in found for part in ranges])

    def _control(self, partition: int, holes: list[OffsetRange]) -> list[OffsetRange]:
        columns = ("baseOffset", "lastOffset", "isControl")
        found = []
        for batch in self._batches(partition, holes, replace(self.rules, columns=columns), View.BATCHES):
            is_control = np.asarray(batch.column("isControl"), dtype=bool)
            firsts = batch.column("baseOffset").to_numpy()[is_control]
            lasts = batch.column("lastOffset").to_numpy()[is_control]
            found += [OffsetRange(int(first), int(last) + 1) for first, last in zip(firsts, lasts, strict=True)]
        return union(found)

    def _batches(
        self, partition: int, holes: list[OffsetRange], rules: ReadRules, view: View
    ) -> Iterable[pa.RecordBatch]:
        for part in union(holes, BRIDGED_OFFSETS_MAX):
            piece = Slice(self.state.topic, self.state.topic_id, partition, part.start, part.end)
            yield from self.read(piece, replace(rules, include_headers=False), view)
