"""The child process that compacts: a JSON job on standard input, JSON lines on standard output.

``python -m chronik.storage.compaction_process`` reads one job, writes ``{"progress": …}`` lines and one ``{"result":
…}`` at the end. It is a process because a thread would block the broker's interpreter. It runs with low priority and
dies with its parent, so that no orphan writes while a restarted broker compacts again. The parent must start it from a
thread that lives as long as the broker: Linux ties the death signal to that thread.
"""

import ctypes
import json
import os
import signal
import sys
from typing import Any, Final

from chronik.storage.compaction import CompactionJob, CompactionResult
from chronik.storage.disk import OsDisk
from chronik.storage.segment_cleaner import run_job

COMMAND: Final = (sys.executable, "-m", "chronik.storage.compaction_process")
_NICENESS: Final = 10
_PR_SET_PDEATHSIG: Final = 1
_FAILED: Final = 1


def main() -> int:
    """Run the job from standard input."""
    _die_with_parent()
    os.nice(_NICENESS)
    job = CompactionJob.from_json(sys.stdin.read())
    try:
        result = run_job(OsDisk(), job, _tell_progress)
    except OSError as error:
        result = CompactionResult(job.directory, (), job.first_dirty_offset, error=f"the disk failed: {error}")
    _tell({"result": json.loads(result.to_json())})
    return _FAILED if result.error else 0


def parse_line(line: str) -> CompactionResult | None:
    """Parse a line of the child's output: a result, or None for progress."""
    fields = json.loads(line)
    return CompactionResult.from_json(json.dumps(fields["result"])) if "result" in fields else None


def _tell_progress(step: str, offset: int) -> None:
    _tell({"progress": {"step": step, "offset": offset}})


def _tell(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def _die_with_parent() -> None:
    parent = os.getppid()
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        # The parent ended before the signal was set.
        sys.exit(_FAILED)


if __name__ == "__main__":
    sys.exit(main())
