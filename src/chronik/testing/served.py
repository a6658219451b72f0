"""The broker process of a test: ``python -m chronik.testing.served JOB``, which ends when the test's process does.

It serves what the job's settings say and nothing from the environment, so that tests mean the same on every machine.
"""

import ctypes
import json
import os
import shutil
import signal
import sys
import threading
import time
from dataclasses import asdict
from typing import Any, Final, NoReturn

from chronik.observability.logs import log_to_stderr
from chronik.server.run import BrokerFailedError, Ready, run_broker
from chronik.server.settings.server import SettingsError, load_settings
from chronik.testing.process import Job

_PR_SET_PDEATHSIG: Final = 1
_PARENT_DIED: Final = signal.SIGRTMIN
_ORPHAN_STOP_S_MAX: Final = 10.0
_FAILED: Final = 1


def main(arguments: list[str]) -> int:
    """Serve until the order to stop, or until the parent is gone."""
    job = Job.from_json(arguments[0])
    log_to_stderr()
    # Until the broker takes the signal as its own: what is not begun yet has its directory to remove all the same.
    signal.signal(signal.SIGTERM, _leave)
    orphaned = threading.Event()
    try:
        _end_with_parent(job, orphaned)
        run_broker(load_settings(overrides=job.settings), _announce)
    except (SettingsError, BrokerFailedError) as error:
        sys.stderr.write(f"{error}\n")
        return _FAILED
    finally:
        if orphaned.is_set():
            _tidy_up(job)
    return 0


def _leave(number: int, frame: object) -> NoReturn:
    sys.exit(_FAILED)


def _announce(ready: Ready) -> None:
    sys.stdout.write(json.dumps({"event": "ready", **asdict(ready)}) + "\n")
    sys.stdout.flush()


def _end_with_parent(job: Job, orphaned: threading.Event) -> None:
    """Stop when the parent has ended, however it did; the event says that it has."""
    # Blocked before any other thread starts, so that only the one that waits for it gets the signal.
    signal.pthread_sigmask(signal.SIG_BLOCK, {_PARENT_DIED})
    threading.Thread(target=_await_parents_end, args=(job, orphaned), name="parent-watch", daemon=True).start()
    _libc().prctl(_PR_SET_PDEATHSIG, _PARENT_DIED, 0, 0, 0)
    if os.getppid() != job.parent:
        # It ended before the signal was asked for.
        os.kill(os.getpid(), _PARENT_DIED)


def _libc() -> Any:
    return ctypes.CDLL(None)


def _await_parents_end(job: Job, orphaned: threading.Event) -> None:
    # Linux sends the signal when the thread that started us ends, which need not be the end of its process.
    while os.getppid() == job.parent:
        signal.sigwait({_PARENT_DIED})
    orphaned.set()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_ORPHAN_STOP_S_MAX)
    _tidy_up(job)
    os._exit(_FAILED)


def _tidy_up(job: Job) -> None:
    if job.temporary is not None:
        shutil.rmtree(job.temporary, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
