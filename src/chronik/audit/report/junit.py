"""The report as JUnit XML, which every CI shows: a test for each verdict and flag of a group, and for each finding."""

from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

from chronik.audit.report.document import Report
from chronik.audit.tables.words import number


def as_junit(report: Report) -> str:
    """Return the document; a verdict or finding that is not allowed is a failure with its evidence."""
    cases = [*_verdict_cases(report), *_finding_cases(report)]
    failures = sum(case.find("failure") is not None for case in cases)
    counts = {"tests": str(len(cases)), "failures": str(failures), "errors": "0", "skipped": "0"}
    whole = ElementTree.Element("testsuites", counts)
    suite = ElementTree.SubElement(whole, "testsuite", {"name": f"chronik audit {report.facts.topic}", **counts})
    properties = ElementTree.SubElement(suite, "properties")
    for name, value in _properties(report).items():
        ElementTree.SubElement(properties, "property", {"name": name, "value": value})
    suite.extend(cases)
    ElementTree.SubElement(suite, "system-out").text = _clean(report.headline)
    ElementTree.indent(whole)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(whole, encoding="unicode") + "\n"


def _properties(report: Report) -> dict[str, str]:
    facts = report.facts
    return {"topic": facts.topic, "label": facts.label, "run": f"{facts.run:016x}", "directory": str(report.directory)}


def _verdict_cases(report: Report) -> Iterator[ElementTree.Element]:
    for group, rows in report.groups.items():
        for name, (count, allowed) in rows.items():
            case = _case(f"verdicts.{group or 'none'}", f"no message is {name}" if name != "DELIVERED" else name)
            if count > allowed:
                _fail(case, name, f"{number(count - allowed)} of {number(report.sent)} messages are {name}", [])
            yield case


def _finding_cases(report: Report) -> Iterator[ElementTree.Element]:
    for row in report.finding_rows:
        case = _case("diagnosis", row["kind"])
        if not row["is_allowed"]:
            _fail(case, "cause" if row["is_root"] else "finding", row["sentence"], [*row["evidence"], row["remedy"]])
        yield case


def _case(suite: str, name: str) -> ElementTree.Element:
    return ElementTree.Element("testcase", {"classname": f"chronik.audit.{suite}", "name": _clean(name), "time": "0"})


def _fail(case: ElementTree.Element, kind: str, message: str, lines: list[Any]) -> None:
    failure = ElementTree.SubElement(case, "failure", {"type": kind, "message": _clean(message)})
    failure.text = _clean("\n".join(lines))


def _clean(text: str) -> str:
    """Leave out characters that XML cannot hold."""
    return "".join(letter for letter in text if letter in "\t\n" or ord(letter) >= 32)
