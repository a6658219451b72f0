"""An archive as a directory of Parquet files for any tool, with a journal.

Tasks write below ``_chronik/staged``, where readers do not look. A commit links one file into the journal, which fails
for the second of two writers. Then the files are renamed to their final paths; after a crash the next one to open the
table finishes this. So no crash duplicates a record, and none is missing once the table has been opened again.
"""

import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from chronik.spark.archive.coverage import BatchPlan, extended
from chronik.spark.archive.layout import file_path, file_schema, table_schema
from chronik.spark.archive.places import local_path
from chronik.spark.archive.table import (
    ArchiveError,
    ArchiveIdentity,
    Commit,
    CommitConflictError,
    Destination,
    Snapshot,
    StoredFile,
    WrittenFile,
    ranges_json,
    ranges_of,
)

_OWN: Final = "_chronik"


class ParquetArchive:
    """One directory of plain Parquet files; the port's texts hold for its methods."""

    def __init__(self, url: str) -> None:
        path = local_path(url)
        if path is None:
            raise ArchiveError(
                f"{url} is no directory: plain Parquet files are renamed, which object stores cannot do",
                "Use --format delta there.",
            )
        self._root = path.absolute()
        self._journal = self._root / _OWN / "journal"
        self._staged = self._root / _OWN / "staged"
        self._last: Mapping[str, Any] = {}
        self._staging = ""

    @property
    def url(self) -> str:
        return str(self._root)

    @property
    def storage_options(self) -> Mapping[str, str]:
        return {}

    def snapshot(self) -> Snapshot | None:
        """Read the table's present state, and finish the last commit; ``None`` where there is no table."""
        entries = self._entries()
        if not entries:
            return None
        self._last = _read(entries[-1])
        self._publish(self._last)
        covered = {topic_id: ranges_of(ranges) for topic_id, ranges in self._last["covered"].items()}
        return Snapshot(ArchiveIdentity.from_json(self._last["identity"]), covered, self._last["version"])

    def schema(self) -> pa.Schema:
        """Return the columns of all files; where a file lacks a column, it is null."""
        paths = [self._root / file.path for file in self.files()]
        inside = pa.unify_schemas([file_schema(table_schema()), *map(pq.read_schema, filter(Path.exists, paths))])
        known = set(file_schema(table_schema()).names)
        return table_schema(column for column in inside if column.name not in known)

    def create(self, identity: ArchiveIdentity, schema: pa.Schema) -> None:
        self._journal.mkdir(parents=True, exist_ok=True)
        try:
            self._append({"version": 0, "identity": identity.as_json(), "covered": {}, "files": []})
        except CommitConflictError:
            return

    def evolve(self, schema: pa.Schema) -> None:
        """Do nothing: each file has its columns, and readers merge them by name."""

    def accept_topic(self, topic_id: str) -> None:
        known = ArchiveIdentity.from_json(self._last["identity"])
        grown = ArchiveIdentity(known.topic, (*known.topic_ids, topic_id), known.is_read_committed)
        self._append({**self._next(), "identity": grown.as_json(), "files": []})

    def destination(self) -> Destination:
        self._staging = uuid4().hex
        return Destination(str(self._staged / self._staging))

    def commit(self, commit: Commit) -> None:
        covered = ranges_of(self._last["covered"].get(commit.topic_id, {}))
        after = extended(covered, BatchPlan(commit.ranges, commit.expired))
        entry = {
            **self._next(),
            "covered": {**self._last["covered"], commit.topic_id: ranges_json(after)},
            "commit": commit.as_json(),
            "files": [self._named(file, commit.topic_id) for file in commit.files],
        }
        self._append(entry)
        self._publish(entry)

    def discard(self, files: Sequence[WrittenFile]) -> None:
        shutil.rmtree(self._staged / self._staging, ignore_errors=True)

    def files(self) -> list[StoredFile]:
        """Return the files of the journal."""
        return [
            StoredFile(file["path"], file["sizeBytes"], file["records"])
            for entry in map(_read, self._entries())
            for file in entry["files"]
        ]

    def found_files(self) -> list[str]:
        """Return the files that readers of the directory see."""
        return sorted(str(path.relative_to(self._root)) for path in self._visible())

    def orphans(self, older_than_hours: float, *, remove: bool) -> list[str]:
        """Return, and remove if asked, staged files that are too old to be still written."""
        oldest = time.time() - older_than_hours * 3600
        found = [path for path in self._staged.glob("*/**/*.parquet") if path.stat().st_mtime <= oldest]
        waiting = {self._staged / file["staged"] for file in self._last.get("files", ())}
        lost = [path for path in found if path not in waiting]
        for path in lost if remove else ():
            path.unlink(missing_ok=True)
        return sorted(str(path.relative_to(self._root)) for path in lost)

    def _visible(self) -> Iterator[Path]:
        return (path for path in self._root.glob("**/*.parquet") if path.relative_to(self._root).parts[0] != _OWN)

    def _entries(self) -> list[Path]:
        return sorted(self._journal.glob("*.json"))

    def _next(self) -> dict[str, Any]:
        kept = {name: self._last[name] for name in ("identity", "covered")}
        return {"version": self._last["version"] + 1, **kept}

    def _named(self, file: WrittenFile, topic_id: str) -> dict[str, Any]:
        return {
            "staged": f"{self._staging}/{file.path}",
            "path": file_path(file.partition, file.date, file.start_offset, file.end_offset, topic_id),
            "sizeBytes": file.size_bytes,
            "records": file.records,
        }

    def _append(self, entry: Mapping[str, Any]) -> None:
        """Write an entry of the journal durably, unless its version exists."""
        aside = self._journal / f"{uuid4().hex}.new"
        with aside.open("x", encoding="utf-8") as file:
            json.dump(entry, file)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, self._journal / f"{entry['version']:020d}.json")
        except FileExistsError:
            raise CommitConflictError(f"{self._root}: another writer committed first") from None
        finally:
            aside.unlink()
        _sync(self._journal)
        self._last = entry

    def _publish(self, entry: Mapping[str, Any]) -> None:
        """Rename the files of an entry to their final paths, if they are not renamed yet."""
        for file in entry["files"]:
            target = self._root / file["path"]
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                (self._staged / file["staged"]).rename(target)
            except FileNotFoundError:
                continue  # renamed before, or lost, which verify finds
            _sync(target.parent)
        for staging in {file["staged"].partition("/")[0] for file in entry["files"]}:
            shutil.rmtree(self._staged / staging, ignore_errors=True)


def _read(path: Path) -> dict[str, Any]:
    try:
        document: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ArchiveError(f"{path} cannot be read: {error}", "Restore it from a copy.") from None
    return document


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
