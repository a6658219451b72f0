"""What pass 1 found, kept until the audit is done: one that is started again over the same data goes on from there."""

from hashlib import sha256
from pathlib import Path
from typing import Final

import pyarrow as pa

from chronik.audit.judge.balance.entries import SUMMARY_ROWS, Summary, from_rows, to_rows
from chronik.audit.judge.classify.context import AuditContext
from chronik.audit.judge.results import FOLDER
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.run_facts import RUN_FILE

_FILE: Final = "pass-1.arrow"
_MARK: Final = b"chronik-audit-data"


class KeptSummary:
    """The file of one run; what was kept of other data, or of the same data before it grew, is not given."""

    def __init__(self, evidence: Evidence, context: AuditContext) -> None:
        self._path = evidence.directory / FOLDER / _FILE
        self._mark = _fingerprint(evidence, context)

    def load(self) -> Summary | None:
        """Return what was kept, if it is of this data."""
        if not self._path.exists():
            return None
        try:
            with pa.ipc.open_file(str(self._path)) as reader:
                is_same = (reader.schema.metadata or {}).get(_MARK) == self._mark
                return from_rows(reader.read_all().to_batches()) if is_same else None
        except pa.ArrowInvalid:
            return None

    def save(self, summary: Summary) -> None:
        """Keep a summary; the file is whole or not there."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        rows = pa.Table.from_batches([to_rows(summary)]).replace_schema_metadata({_MARK: self._mark})
        unfinished = self._path.with_suffix(".part")
        with pa.ipc.new_file(str(unfinished), SUMMARY_ROWS.with_metadata({_MARK: self._mark})) as file:
            file.write_table(rows)
        unfinished.rename(self._path)

    def forget(self) -> None:
        """Remove the file: the audit is done."""
        self._path.unlink(missing_ok=True)


def _fingerprint(evidence: Evidence, context: AuditContext) -> bytes:
    """Return a mark of the data: by names, sizes and times of the files, and by what is read of the log."""
    folders = ("sends", "polls", "stored", "observer", "tap")
    files = [evidence.directory / RUN_FILE, *(path for one in folders for path in _files(evidence.directory / one))]
    facts = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in files]
    return sha256(repr((facts, sorted(context.spans.items()))).encode()).hexdigest().encode()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []
