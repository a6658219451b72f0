"""The exit code of an audit, from its verdicts and findings: the only place that decides it."""

from enum import IntEnum
from typing import Final

import pyarrow as pa

from chronik.audit.diagnose.rules import RULES
from chronik.audit.diagnose.symptoms import Stage
from chronik.audit.judge.classify.verdicts import FOREIGN, Verdict
from chronik.audit.judge.results import AuditResults


class ExitCode(IntEnum):
    """The exit codes of the audit commands."""

    NOTHING_DISALLOWED = 0
    DISALLOWED = 1
    COULD_NOT_TELL = 2
    WRONG_USE = 3


def exit_code(results: AuditResults, findings: pa.Table) -> ExitCode:
    """Sum up. A promise can be broken without a message being harmed, so findings count beside verdicts.

    Sends whose outcome nobody knows, and that are not in the log, break no promise by themselves: a client may have
    ended before it sent them. They count as broken where a finding says that the cluster kept them from the log.
    """
    if not results.sent:
        return ExitCode.COULD_NOT_TELL
    names = _disallowed(results)
    if names - {Verdict.UNKNOWN} or _has_broken_promise(findings):
        return ExitCode.DISALLOWED
    return ExitCode.COULD_NOT_TELL if names or results.notes else ExitCode.NOTHING_DISALLOWED


def _disallowed(results: AuditResults) -> set[str]:
    """Return the verdicts, flags and kinds of records of which some are not allowed, in any group."""
    rows = results.verdicts.to_pylist()
    return {row["verdict"] for row in rows if row["count"] > row["allowed_count"]} - {f"*{FOREIGN}"}


def _has_broken_promise(findings: pa.Table) -> bool:
    return any(not row["is_allowed"] and row["kind"] in _OF_THE_CLUSTER for row in findings.to_pylist())


_NOBODYS: Final = ("connections-cut", "no-answer-to-sends", "never-sent")
"""Findings that the client or the network may have caused."""
_OF_THE_CLUSTER: Final = {rule.name for rule in RULES if rule.stage is not Stage.CONSUME} - {*_NOBODYS}
"""Findings that count against the cluster independently of the verdicts."""
