"""What a rule says that it needs is what it needs: without it, it never concludes; with it alone, it does."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from chronik.audit.diagnose.rules import RULES
from chronik.audit.diagnose.symptoms import Rule, Source
from chronik.audit.report.rule_tables import with_tables
from tests.audit.diagnosis import rule_cases
from tests.audit.diagnosis.cases import Case
from tests.audit.diagnosis.rule_cases import POSITIVE, Change

SETTLED = {
    "records-skipped": (rule_cases.skip_on_the_wire,),
    "slow-consumer": (rule_cases.small_polls_and_prompt_answers,),
    "all-partitions-stall": (rule_cases.all_stalled_and_asked,),
    "one-partition-stalls": (rule_cases.one_stalled_and_asked,),
}
"""Runs with the tap that their rules' first examples do without."""
PAGE = Path(__file__).parents[3] / "docs" / "audit.md"
READ_BY_RULES = (Source.OBSERVER, Source.TAP, Source.TRACE)
"""Of ledgers and stored records rules see what the verdicts say; these they read themselves."""

TABLES = {Source.OBSERVER: ("observed", "epochs"), Source.TAP: ("tap",)}
OWN_QUERY = [rule for rule in RULES if rule.query.__name__ not in ("query", "removed")]


def concluded(directory: Path, change: Change, without: Iterable[Source]) -> dict[str, bool]:
    """Give what is concluded, and whether causes are left open, when some things were not recorded."""
    case = Case(directory).flow()
    change(case)
    for source in without:
        for table in TABLES.get(source, ()):
            case.rows[table] = []
        if source is Source.TRACE:
            case.traced = []
    return {row["kind"]: bool(row["remaining"]) for row in case.findings()}


@pytest.mark.parametrize("rule", OWN_QUERY, ids=lambda rule: rule.name)
def test_a_rule_does_without_what_it_does_not_need(rule: Rule, tmp_path: Path) -> None:
    spare = set(READ_BY_RULES) - set(rule.needs) - set(rule.one_of) - {Source.OBSERVER if rule.one_of else None}
    found = [
        rule.name in concluded(tmp_path / str(place), change, spare) for place, change in enumerate(POSITIVE[rule.name])
    ]
    assert any(found)


@pytest.mark.parametrize(
    ("rule", "source"),
    [(rule, source) for rule in OWN_QUERY for source in rule.needs if source in READ_BY_RULES],
    ids=lambda given: getattr(given, "name", str(given)),
)
def test_a_rule_never_concludes_without_what_it_needs(rule: Rule, source: Source, tmp_path: Path) -> None:
    for place, change in enumerate(POSITIVE[rule.name]):
        assert rule.name not in concluded(tmp_path / str(place), change, {source})


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.one_of], ids=lambda rule: rule.name)
def test_a_rule_never_concludes_without_one_of_those_that_it_needs_one_of(rule: Rule, tmp_path: Path) -> None:
    for place, change in enumerate(POSITIVE[rule.name]):
        assert rule.name not in concluded(tmp_path / str(place), change, rule.one_of)


@pytest.mark.parametrize("rule", [rule for rule in OWN_QUERY if rule.settled_by], ids=lambda rule: rule.name)
def test_a_rule_leaves_causes_open_without_what_settles_it_and_none_with_it(rule: Rule, tmp_path: Path) -> None:
    (change, *_) = SETTLED.get(rule.name, POSITIVE[rule.name])
    assert concluded(tmp_path / "with", change, ())[rule.name] is False
    assert concluded(tmp_path / "without", change, rule.settled_by)[rule.name] is True


@pytest.mark.parametrize("rule", [rule for rule in RULES if not rule.settled_by], ids=lambda rule: rule.name)
def test_other_rules_leave_causes_open_always_or_never(rule: Rule, tmp_path: Path) -> None:
    for place, change in enumerate(POSITIVE[rule.name]):
        assert concluded(tmp_path / str(place), change, ())[rule.name] is rule.is_open


def test_the_page_has_the_tables_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text == with_tables(text), "python -m chronik.audit.report.rule_tables docs/audit.md makes them anew"
    assert all(f"`{rule.name}`" in text for rule in RULES)
