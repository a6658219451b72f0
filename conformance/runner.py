"""Runs one job of librdkafka's test runner as a process, within a bound."""

import os
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path

from conformance.catalog import Job
from conformance.verdicts import FAILURES, Outcome, RunnerExit, judge

# The runner ends a test at its own time-out; this is for a runner that hangs itself.
JOB_SECONDS_MAX = 600.0
ATTEMPTS_MAX = 3
KAFKA_VERSION = "4.1.0"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the runner is, what it runs against, and where it may write."""

    runner: Path
    bootstrap: str
    directory: Path
    kafka_path: Path | None = None

    def environment(self, job: Job, report: Path) -> dict[str, str]:
        """All that the runner is told; nothing of ours leaks in (``CI`` would change what is tested)."""
        library = self.runner.parent.parent
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG", "TMPDIR") if name in os.environ}
        scripts = {} if self.kafka_path is None else {"KAFKA_PATH": str(self.kafka_path)}
        return kept | scripts | self._names(job, report, library)

    def _names(self, job: Job, report: Path, library: Path) -> dict[str, str]:
        return {
            "LD_LIBRARY_PATH": f"{library / 'src'}:{library / 'src-cpp'}",
            "RDKAFKA_TEST_CONF": str(self._configuration()),
            "TEST_KAFKA_VERSION": KAFKA_VERSION,
            "TEST_REPORT": str(report),
            "TESTS": job.number,
            "BROKERS": self.bootstrap,
        }

    def _configuration(self) -> Path:
        path = self.directory / "test.conf"
        path.write_text(f"metadata.broker.list={self.bootstrap}\ntest.topic.random=true\n", encoding="utf-8")
        return path


def run(job: Job, bench: Bench, attempts_max: int = ATTEMPTS_MAX) -> tuple[Outcome, ...]:
    """Run one job to its end, and judge it; if something failed, the whole of it is tried again.

    Some tests race against their own time-out (0059 needs 10 s of the 10 that it allows itself), on any broker.
    """
    failed_before = ""
    for attempt in range(1, attempts_max + 1):
        judged = _run_once(job, bench, attempt)
        outcomes = tuple(replace(outcome, attempts=attempt, failed_before=failed_before) for outcome in judged)
        failures = [outcome.reason for outcome in outcomes if outcome.verdict in FAILURES]
        if not failures:
            break
        failed_before = failed_before or "; ".join(failures)
    return outcomes


def _run_once(job: Job, bench: Bench, attempt: int) -> tuple[Outcome, ...]:
    """Run it; each attempt has its own log."""
    name = f"{job.number}-{job.scenario}{'-local' if job.is_local else ''}-{attempt}"
    # The runner keeps the path of its report in 128 bytes, so it is given a short one, from its own directory.
    report, log = bench.directory / f"{name}.json", bench.directory / f"{name}.log"
    short = Path(os.path.relpath(report, bench.runner.parent))
    environment = bench.environment(job, short)
    started = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(bench.runner), *job.arguments],
            cwd=bench.runner.parent,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        code = _wait(process)
    seconds = time.monotonic() - started
    text = report.read_text(errors="replace") if report.exists() else None
    return judge(job, RunnerExit(code, seconds, log.read_text(errors="replace"), text))


def _wait(process: subprocess.Popen[bytes]) -> int | None:
    """The exit code, or None if it had to be ended. Whatever happens, nothing of it runs on."""
    try:
        return process.wait(JOB_SECONDS_MAX)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
