"""The directory of a run: the numbers of its clients, and ``run.json``, which is whole at every moment.

Several processes may record into one directory at once: a number is taken by creating a file that must not exist.
"""

import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from chronik.audit.tables.run_facts import RUN_FILE, read_run_facts

_NUMBERS_MAX: Final = 100_000


def now_us() -> int:
    """Return the time by the wall clock."""
    return time.time_ns() // 1000


def new_run_id() -> int:
    """Return a unique number for a run."""
    return secrets.randbits(64) or 1


def state_directory() -> Path:
    """The default directory of runs."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    return Path(base) / "chronik" / "audit"


def default_directory(topic: str, run: int) -> Path:
    """Name the directory of a run by its time, so that a topic's runs are in order."""
    at = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
    return state_directory() / topic / f"{at}-{run:016x}"


def write_run_file(directory: Path, content: Mapping[str, Any]) -> None:
    """Replace ``run.json`` in one step."""
    path = directory / RUN_FILE
    partial = path.with_name(f".{RUN_FILE}.{os.getpid()}")
    partial.write_text(json.dumps(content, indent=2, ensure_ascii=False, default=str) + "\n", encoding="utf-8")
    os.replace(partial, path)


def run_of(directory: Path, run: int | None) -> int:
    """Return the run of a directory, and begin one if there is none; the first process decides."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / RUN_FILE
    if not path.exists():
        _begin_run(path, run or new_run_id())
    known = read_run_facts(directory).run
    if run is not None and run != known:
        raise ValueError(f"{directory} belongs to run {known:016x}, not to {run:016x}")
    return known


def _begin_run(path: Path, run: int) -> None:
    content = {"run": f"{run:016x}", "begin_us": now_us(), "hosts": [socket.gethostname()], "settings": {}}
    partial = path.with_name(f".{RUN_FILE}.{os.getpid()}.{secrets.token_hex(4)}")
    partial.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    try:
        # Unlike a rename, a link does not replace a file that another process wrote first.
        os.link(partial, path)
    except FileExistsError:
        pass
    finally:
        partial.unlink()


def note_facts(directory: Path, **facts: Any) -> None:
    """Add keys that ``run.json`` does not have yet; tables (such as ``producers``) get more rows.

    Several processes may do so at once.
    """
    with _known_facts(directory) as known:
        more = {name: _added(known.get(name), value) for name, value in facts.items()}
        if any(known.get(name) != value for name, value in more.items()):
            write_run_file(directory, {**known, **more})


def settle_facts(directory: Path, facts: Mapping[str, Any]) -> None:
    """Set these keys in ``run.json``; keys that wrapped clients of the same run added stay."""
    with _known_facts(directory) as known:
        others = known if known.get("run") == facts["run"] else {}
        write_run_file(directory, {**others, **facts})


@contextmanager
def _known_facts(directory: Path) -> Iterator[dict[str, Any]]:
    """Yield the content of ``run.json``, locked against changes by other processes."""
    path = directory / RUN_FILE
    with (directory / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def _added(known: Any, value: Any) -> Any:
    return {**value, **(known or {})} if isinstance(value, Mapping) else known or value


def topic_of(directory: Path, topic: str) -> str:
    """Return the topic of a run; the first named topic decides."""
    note_facts(directory, topic=topic)
    return read_run_facts(directory).topic


def take_number(folder: Path, suffix: str) -> int:
    """Take the lowest free number of a folder by creating its file."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(_NUMBERS_MAX):
        try:
            (folder / f"{number}{suffix}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return number
    raise RuntimeError(f"{folder} holds {_NUMBERS_MAX:,} ledgers, and no more")


def new_file(folder: Path, stem: str, suffix: str) -> Path:
    """Name a file that does not exist: ``3.arrows``, then ``3.1.arrows`` and so on."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}{suffix}"
    again = 0
    while path.exists():
        again += 1
        path = folder / f"{stem}.{again}{suffix}"
    return path
