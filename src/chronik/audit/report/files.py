"""The files of a report in the directory of a run: HTML, JSON and JUnit."""

import json
from pathlib import Path
from typing import Final

from chronik.audit.report.document import Report
from chronik.audit.report.html import as_html
from chronik.audit.report.junit import as_junit

HTML: Final = "report.html"
JSON: Final = "report.json"
JUNIT: Final = "junit.xml"


def write_report(report: Report) -> Path:
    """Write the files, and return the path of the page."""
    (report.directory / JSON).write_text(json_text(report) + "\n", encoding="utf-8")
    (report.directory / JUNIT).write_text(as_junit(report), encoding="utf-8")
    page = report.directory / HTML
    page.write_text(as_html(report), encoding="utf-8")
    return page


def json_text(report: Report) -> str:
    return json.dumps(report.as_json(), indent=2, ensure_ascii=False, default=str)
