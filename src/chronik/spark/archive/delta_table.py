"""An archive as a Delta table, through `deltalake`: no jar, and any object store that it supports.

The table's application transactions hold the coverage of each partition and topic id. They survive the cleaning of the
Delta log, and Delta refuses the second of two writers that change the same one. The table's history has the ranges of
every commit, and its description the identity of the topic.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from chronik.spark.archive.coverage import BatchPlan, OffsetRange, Ranges, extended
from chronik.spark.archive.layout import PARTITION_COLUMNS, TIME_MAX_MS, TIME_MIN_MS
from chronik.spark.archive.places import absolute, local_path, open_place
from chronik.spark.archive.table import (
    ArchiveError,
    ArchiveIdentity,
    Commit,
    CommitConflictError,
    Destination,
    Snapshot,
    StoredFile,
    WrittenFile,
)

_APP: Final = "chronik-archive"
_INFO: Final = "chronik"


class DeltaArchive:
    """One Delta table; the port's texts hold for its methods."""

    def __init__(self, url: str, storage_options: Mapping[str, str] | None = None) -> None:
        self._url = absolute(url)
        self._options = dict(storage_options or {})
        self._table: DeltaTable | None = None

    @property
    def url(self) -> str:
        return self._url

    @property
    def storage_options(self) -> Mapping[str, str]:
        return self._options

    @property
    def table(self) -> DeltaTable:
        """The table of the last snapshot."""
        assert self._table is not None, "no snapshot was taken"
        return self._table

    def snapshot(self) -> Snapshot | None:
        try:
            self._table = DeltaTable(self._url, storage_options=self._options)
        except TableNotFoundError:
            return None
        identity = self._identity()
        covered = {topic_id: dict(self._covered(topic_id)) for topic_id in identity.topic_ids}
        return Snapshot(identity, covered, self._table.version())

    def create(self, identity: ArchiveIdentity, schema: pa.Schema) -> None:
        _make_directory(self._url)
        DeltaTable.create(
            self._url,
            Schema.from_arrow(schema),
            mode="ignore",
            partition_by=list(PARTITION_COLUMNS),
            name=identity.topic,
            description=json.dumps(identity.as_json()),
            storage_options=self._options,
        )

    def evolve(self, schema: pa.Schema) -> None:
        held = {column.name: column for column in self.table.schema().fields}
        wanted = Schema.from_arrow(schema).fields
        for column in wanted:
            known = held.get(column.name)
            if known is not None and known.type != column.type:
                raise ArchiveError(
                    f"column {column.name!r} is {known.type} in {self._url}, and is to be {column.type}",
                    "Decode into a column of another name (OTHER=FIELD:TYPE).",
                )
        if added := [column for column in wanted if column.name not in held]:
            self.table.alter.add_columns(added)
            self.snapshot()

    def accept_topic(self, topic_id: str) -> None:
        known = self._identity()
        grown = ArchiveIdentity(known.topic, (*known.topic_ids, topic_id), known.is_read_committed)
        with _conflicts(self._url):
            self.table.alter.set_table_description(json.dumps(grown.as_json()))

    def destination(self) -> Destination:
        """Return where the tasks of the next commit write; readers see no file before its commit."""
        return Destination(self._url, self._options)

    def commit(self, commit: Commit) -> None:
        """Commit atomically; `CommitConflictError` where another writer has changed the coverage."""
        covered = extended(dict(self._covered(commit.topic_id)), BatchPlan(commit.ranges, commit.expired))
        self._transact(
            [_add_action(file) for file in commit.files],
            CommitProperties(
                custom_metadata={_INFO: commit.as_json()},
                app_transactions=list(_transactions(commit.topic_id, covered)),
            ),
        )

    def discard(self, files: Sequence[WrittenFile]) -> None:
        place = open_place(self._url, self._options)
        for file in files:
            place.delete_file(file.path)

    def replace(self, removed: Sequence[str], added: WrittenFile) -> None:
        """Replace several files by one with the same rows.

        Of two compactions at once Delta refuses the second, because both change the same transaction identifier.
        """
        values: dict[str, str | None] = {"partition": str(added.partition), "date": added.date}
        removals = [
            RemoveAction(path, data_change=False, deletion_timestamp=_now_ms(), partition_values=values)
            for path in removed
        ]
        mark = Transaction(_app_id("compaction"), self.table.version())
        actions: list[AddAction | RemoveAction] = [*removals, _add_action(added, is_new_data=False)]
        self._transact(actions, CommitProperties(app_transactions=[mark]))

    def _transact(self, actions: list[AddAction | RemoveAction], properties: CommitProperties) -> None:
        with _conflicts(self._url):
            self.table.create_write_transaction(
                actions,
                mode="append",
                schema=self.table.schema(),
                partition_by=list(PARTITION_COLUMNS),
                commit_properties=properties,
            )

    def schema(self) -> pa.Schema:
        return pa.schema(self.table.schema().to_arrow())

    def add_actions(self) -> list[dict[str, Any]]:
        """Return the files with their statistics, such as ``min.offset``."""
        actions: list[dict[str, Any]] = pa.table(self.table.get_add_actions(flatten=True)).to_pylist()
        return actions

    def files(self) -> list[StoredFile]:
        return [StoredFile(row["path"], row["size_bytes"], row["num_records"]) for row in self.add_actions()]

    def found_files(self) -> list[str]:
        """Return the files that readers see: those of the Delta log."""
        return sorted(file.path for file in self.files())

    def orphans(self, older_than_hours: float, *, remove: bool) -> list[str]:
        """Return, and remove if asked, files that no recent version of the table uses."""
        return sorted(
            self.table.vacuum(
                retention_hours=math.ceil(older_than_hours),
                dry_run=not remove,
                enforce_retention_duration=False,
                full=True,
            )
        )

    def _identity(self) -> ArchiveIdentity:
        try:
            return ArchiveIdentity.from_json(json.loads(self.table.metadata().description or ""))
        except (ValueError, KeyError, TypeError):
            raise ArchiveError(
                f"{self._url} is a Delta table, but no archive of a topic", "Name another directory or URL."
            ) from None

    def _covered(self, topic_id: str) -> Iterator[tuple[int, OffsetRange]]:
        count = self.table.transaction_version(_app_id(topic_id, "partitions")) or 0
        for partition in range(count):
            start = self.table.transaction_version(_app_id(topic_id, partition, "from"))
            end = self.table.transaction_version(_app_id(topic_id, partition, "to"))
            if start is not None and end is not None:
                yield partition, OffsetRange(start, end)


def _app_id(*parts: object) -> str:
    return ":".join([_APP, *map(str, parts)])


def _transactions(topic_id: str, covered: Ranges) -> Iterator[Transaction]:
    """Return the whole coverage; Delta refuses the second of two writers that change a part of it."""
    yield Transaction(_app_id(topic_id, "partitions"), max(covered, default=-1) + 1)
    for partition, part in sorted(covered.items()):
        yield Transaction(_app_id(topic_id, partition, "from"), part.start)
        yield Transaction(_app_id(topic_id, partition, "to"), part.end)


def _add_action(file: WrittenFile, *, is_new_data: bool = True) -> AddAction:
    values = {"partition": str(file.partition), "date": file.date}
    statistics = json.dumps(_statistics(file))
    return AddAction(file.path, file.size_bytes, values, _now_ms(), data_change=is_new_data, stats=statistics)


def _now_ms() -> int:
    return int(time.time() * 1000)


def _statistics(file: WrittenFile) -> dict[str, Any]:
    """Return the statistics for skipping files. Delta has no bounds of binary columns such as keys; the file has."""
    low: dict[str, Any] = {"offset": file.start_offset}
    high: dict[str, Any] = {"offset": file.end_offset - 1}
    if file.timestamp_min_ms >= TIME_MIN_MS and file.timestamp_max_ms <= TIME_MAX_MS:
        low["timestamp"], high["timestamp"] = _iso(file.timestamp_min_ms), _iso(file.timestamp_max_ms)
    return {"numRecords": file.records, "minValues": low, "maxValues": high, "nullCount": dict.fromkeys(low, 0)}


def _iso(time_ms: int) -> str:
    return f"{np.datetime64(time_ms, 'ms')}Z"


def _make_directory(url: str) -> None:
    if (path := local_path(url)) is not None:
        path.mkdir(parents=True, exist_ok=True)


@contextmanager
def _conflicts(url: str) -> Iterator[None]:
    try:
        yield
    except CommitFailedError as error:
        raise CommitConflictError(f"{url}: another writer committed first ({error})") from error
    except DeltaError as error:
        raise ArchiveError(f"{url}: {error}") from error
