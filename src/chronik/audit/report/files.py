"""The files of a report in a run's directory: for people, for machines, and for a CI."""

import json
from pathlib import Path
from typing import Final

from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.results import Results
from chronik.audit.report.document import Report, read_report, save_findings
from chronik.audit.report.history import note_run
from chronik.audit.report.html import as_html
from chronik.audit.report.junit import as_junit
from chronik.audit.tables.evidence import Evidence

HTML: Final = "report.html"
JSON: Final = "report.json"
JUNIT: Final = "junit.xml"


def conclude(directory: Path, results: Results, *, is_redacted: bool = False) -> Report:
    """Save the results of a run, diagnose it, write its report, and note it in the history of its topic."""
    results.save(directory)
    save_findings(directory, diagnose(results, Evidence(directory)))
    report = read_report(directory, is_redacted=is_redacted)
    write_report(report)
    note_run(report)
    return report


def write_report(report: Report) -> Path:
    """Write all of them, and give the page's path."""
    (report.directory / JSON).write_text(json_text(report) + "\n", encoding="utf-8")
    (report.directory / JUNIT).write_text(as_junit(report), encoding="utf-8")
    page = report.directory / HTML
    page.write_text(as_html(report), encoding="utf-8")
    return page


def json_text(report: Report) -> str:
    return json.dumps(report.as_json(), indent=2, ensure_ascii=False, default=str)
