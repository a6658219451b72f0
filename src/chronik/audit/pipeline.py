"""The audit from end to end: record a run, judge it, diagnose it, report it.

Every command, the matrix, the phases and the accident go this way. Only the engine that judges differs: it is an
argument, and the local engine and the one on Spark return the same tables.
"""

from dataclasses import replace
from pathlib import Path
from typing import Protocol

from chronik.audit.capture.run import OnProgress, run_audit
from chronik.audit.capture.settings import RunSettings
from chronik.audit.capture.tap import FILE_NAME, TapWriter
from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.balance.splits import LogSplits
from chronik.audit.judge.engine import audit
from chronik.audit.judge.results import AuditResults
from chronik.audit.report.document import Report, read_report, save_findings
from chronik.audit.report.files import write_report
from chronik.audit.report.history import note_run
from chronik.audit.tables.evidence import Evidence
from chronik.proxy.server import Proxy


class Engine(Protocol):
    """Judges a recorded run; ``log`` is read instead of the log in the run's directory."""

    def __call__(self, run_dir: Path, *, strict: bool = False, log: LogSplits | None = None) -> AuditResults: ...


async def record(
    settings: RunSettings,
    directory: Path,
    *,
    run: int | None = None,
    on_progress: OnProgress = lambda progress: None,
) -> None:
    """Record a run into a directory; a tap lies between clients and cluster if the settings ask for one."""
    if not settings.has_tap:
        await run_audit(settings, directory, run=run, on_progress=on_progress)
        return
    with TapWriter(directory / "tap" / FILE_NAME, settings.topic) as tap:
        async with Proxy(settings.seen_by_clients, tap=tap) as proxy:
            tapped = replace(settings, client_bootstrap=proxy.bootstrap_servers)
            await run_audit(tapped, directory, run=run, on_progress=on_progress)


def judge_and_report(
    directory: Path,
    engine: Engine = audit,
    *,
    strict: bool = False,
    log: LogSplits | None = None,
    is_redacted: bool = False,
) -> Report:
    """Judge a recorded run, then diagnose and report it."""
    return report_results(directory, engine(directory, strict=strict, log=log), is_redacted=is_redacted)


def report_results(directory: Path, results: AuditResults, *, is_redacted: bool = False) -> Report:
    """Save the results of a run, diagnose it, write its report, and add it to the history of its topic."""
    results.save(directory)
    save_findings(directory, diagnose(results, Evidence(directory)))
    report = read_report(directory, is_redacted=is_redacted)
    write_report(report)
    note_run(report)
    return report
