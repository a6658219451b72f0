"""Judge a finished test run from its report: every test file took part, every skip has a reason.

usage: python tools/run_report.py .cache/junit.xml

A green run proves nothing about a file that was never collected, nor about a test that was
skipped without saying why.
"""

import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NO_REASON = {"", "unconditional skip"}


def files_on_disk() -> set[str]:
    return {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}


def problems(report: ElementTree.Element, expected_files: set[str]) -> Iterator[str]:
    """Say what is wrong with this run, one line each."""
    cases = list(report.iter("testcase"))
    collected = {case.get("file", "") for case in cases}
    for missing in sorted(expected_files - collected):
        yield f"{missing}: not collected"
    for case in cases:
        skipped = case.find("skipped")
        if skipped is not None and (skipped.get("message") or "").strip() in NO_REASON:
            yield f"{case.get('file')}::{case.get('name')}: skipped without a reason"


def main() -> int:
    report = Path(sys.argv[1])
    if not report.exists():
        print(f"{report}: no test report was written", file=sys.stderr)
        return 1
    found = list(problems(ElementTree.parse(report).getroot(), files_on_disk()))
    for line in found:
        print(line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
