"""What all client programs share: the task comes in, progress goes out, and the end of the run's process ends them.

The first line on standard input is the task; ``stop``, or the end of input, asks for the end. Lines of JSON on
standard output say how far it has come.
"""

import itertools
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from chronik.audit.capture.settings import ClientTask
from chronik.audit.ledger.consumer import ConsumerLedger
from chronik.audit.ledger.producer import ProducerLedger
from chronik.audit.tables.schemas import SendOutcome

REPORT_S: Final = 0.2
POLL_S: Final = 0.2
STOP_S_MAX: Final = 5.0
"""How long a stopped producer waits for the outcomes of its messages."""
_FILLER: Final = b"0123456789abcdefghijklmnopqrstuvwxyz"
_PACE_S_MAX: Final = 0.05

Work = Callable[["Program", ClientTask], None]


class Program:
    """One client process."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self._report: Callable[[], dict[str, Any]] | None = None
        self._writing = threading.Lock()
        self._stopped_at: float | None = None

    def run(self, produce: Work, consume: Work) -> None:
        """Run the task, and report how it ended."""
        line = sys.stdin.readline()
        if not line:
            # The run ended before it had anything to do.
            return
        task = ClientTask.from_json(json.loads(line))
        threading.Thread(target=self._await_stop, daemon=True).start()
        threading.Thread(target=self._report_often, daemon=True).start()
        try:
            (produce if task.role == "produce" else consume)(self, task)
        except Exception as error:
            self.write({"event": "failed", "error": repr(error)})
            raise
        self.write({"event": "done", **self._now()})

    def may_wait(self, until: float) -> bool:
        """Whether there is time left for outcomes to come in: not much, once the run has stopped."""
        if self._stopped_at is not None:
            until = min(until, self._stopped_at + STOP_S_MAX)
        return time.monotonic() < until

    def reporting(self, report: Callable[[], dict[str, Any]]) -> None:
        """Set the function that returns the progress."""
        self._report = report

    def write(self, document: dict[str, Any]) -> None:
        """Write one line; the reader may be gone."""
        with self._writing:
            try:
                print(json.dumps(document), flush=True)  # noqa: T201
            except BrokenPipeError:
                self.stop.set()

    def _now(self) -> dict[str, Any]:
        return {} if self._report is None else self._report()

    def _report_often(self) -> None:
        while not self.stop.wait(REPORT_S):
            if self._report is not None:
                self.write({"event": "progress", **self._report()})

    def _await_stop(self) -> None:
        for line in sys.stdin:
            if line.strip() == "stop":
                break
        self._stopped_at = time.monotonic()
        self.stop.set()


def producer_ledger(program: Program, task: ClientTask) -> ProducerLedger:
    """Open the ledger of a producer, and report from it."""
    ledger = ProducerLedger(task.directory, producer=task.number, run=task.run)
    first = ledger.next_sequence

    def report() -> dict[str, Any]:
        outcomes = ledger.outcomes
        return {
            "sent": ledger.next_sequence - first,
            "acked": outcomes[SendOutcome.ACKED],
            "failed": sum(outcomes.values()) - outcomes[SendOutcome.ACKED],
            "ends": dict(ledger.end_offsets),
        }

    program.reporting(report)
    return ledger


def consumer_ledger(program: Program, task: ClientTask) -> ConsumerLedger:
    """Open the ledger of a consumer, and report from it."""
    ledger = ConsumerLedger(task.directory, consumer=task.number, group=task.run_settings.group, run=task.run)
    program.reporting(lambda: {"delivered": ledger.delivered, "ends": dict(ledger.end_offsets)})
    return ledger


def payloads(program: Program, task: ClientTask) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield values and keys at the wanted rate, until there are enough, the time is over, or the run stops."""
    settings = task.run_settings
    began = time.monotonic()
    filler = _FILLER * (settings.size // len(_FILLER) + 1)
    share = None if settings.rate is None else settings.rate / settings.producers
    for number in itertools.count():
        if number == task.messages or program.stop.is_set():
            return
        if settings.duration_s is not None and time.monotonic() - began >= settings.duration_s:
            return
        if share is not None:
            _await_turn(program, began + number / share)
        key = f"key-{number % settings.keys}".encode() if settings.keys else None
        yield (f"{task.number}-{number} ".encode() + filler)[: settings.size], key


def _await_turn(program: Program, due: float) -> None:
    while (left := due - time.monotonic()) > 0 and not program.stop.is_set():
        time.sleep(min(left, _PACE_S_MAX))
