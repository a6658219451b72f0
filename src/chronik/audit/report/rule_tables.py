"""The tables of ``docs/audit.md`` that are made from the code: verdicts, flags, and the rules of diagnosis.

usage: python -m chronik.audit.report.rule_tables docs/audit.md
"""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from chronik.audit.diagnose.rules import RULES
from chronik.audit.diagnose.symptoms import Rule, Source
from chronik.audit.judge.classify.verdicts import FLAGS, PRECEDENCE, VerdictRow

_SETS: Final = (
    ("ledgers", {Source.LEDGERS, Source.STORED}),
    ("+ observer", {Source.LEDGERS, Source.STORED, Source.OBSERVER}),
    ("+ tap", {Source.LEDGERS, Source.STORED, Source.OBSERVER, Source.TAP}),
    ("+ trace", {Source.LEDGERS, Source.STORED, Source.OBSERVER, Source.TRACE}),
)
"""What may be recorded; what the log holds can always be read."""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def verdict_table() -> str:
    """The verdicts, in their order."""
    return _judgement_table("verdict", PRECEDENCE)


def flag_table() -> str:
    return _judgement_table("flag", FLAGS)


def _judgement_table(name: str, rows: Sequence[VerdictRow]) -> str:
    return _table((name, "when", "allowed"), [(f"`{row.name}`", row.meaning, row.allowed_when) for row in rows])


def rule_table() -> str:
    """The rules, in the order of precedence."""
    rows = [
        (str(place), f"`{rule.name}`", rule.title, rule.shown_by, ", ".join(map(_code, rule.explains)), rule.remedy)
        for place, rule in enumerate(RULES, 1)
    ]
    return _table(("", "rule", "what happened", "evidence", "explains", "what to do"), rows)


def _code(name: str) -> str:
    return f"`{name}`"


def needs_table() -> str:
    """What each rule can conclude from what was recorded."""
    rows = [(f"`{rule.name}`", *(_concludes(rule, given) for _, given in _SETS)) for rule in RULES]
    return _table(("rule", *(name for name, _ in _SETS)), rows)


def _concludes(rule: Rule, given: set[Source]) -> str:
    if not set(rule.needs) <= given or (rule.one_of and not set(rule.one_of) & given):
        return "-"
    return "may leave open" if rule.is_open or not set(rule.settled_by) <= given else "yes"


TABLES: Final = {"verdicts": verdict_table, "flags": flag_table, "rules": rule_table, "needs": needs_table}


def _escaped(table: str) -> str:
    return table.replace("\\", "\\\\")


def with_tables(text: str) -> str:
    """Put the tables between their marks."""
    for name, table in TABLES.items():
        marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        text = marks.sub(f"\\g<1>{_escaped(table())}\n\\g<2>", text)
    return text


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
