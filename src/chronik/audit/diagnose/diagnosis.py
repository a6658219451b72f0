"""From verdicts and evidence to findings: one root cause, its consequences, and other findings.

Every rule of the table is asked. The root is the first that applies and is not allowed, or else the first that applies.
What lies further down a message's way, on the same partitions, follows from it; the rest are findings of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from chronik.audit.diagnose.rules import RULES, UNEXPLAINED
from chronik.audit.diagnose.run_evidence import Results, RunEvidence
from chronik.audit.diagnose.symptoms import NOWHERE, Rule, Symptom
from chronik.audit.tables.evidence import Evidence
from chronik.audit.tables.schemas import FINDINGS
from chronik.audit.tables.words import clock, counted, listed, ranges


@dataclass(frozen=True, slots=True)
class Found:
    """A rule that applies, and its symptoms."""

    rule: Rule
    symptoms: tuple[Symptom, ...]

    @property
    def is_allowed(self) -> bool:
        return all(symptom.is_allowed for symptom in self.symptoms)

    @property
    def partitions(self) -> frozenset[int]:
        return frozenset(symptom.partition for symptom in self.symptoms)

    @property
    def since_us(self) -> int:
        return min((one.since_us for one in self.symptoms if one.since_us >= 0), default=-1)

    @property
    def until_us(self) -> int:
        return max(symptom.until_us for symptom in self.symptoms)


def diagnose(results: Results, evidence: Evidence) -> pa.Table:
    """Return FINDINGS: the root first, then the others by precedence."""
    facts = RunEvidence(results, evidence)
    found = apply_rules(facts)
    root = choose_root(found)
    rows = [_row(one, root) for one in sorted(found, key=lambda one: one is not root)]
    rows += _unexplained(facts, found)
    return pa.Table.from_pylist(rows, FINDINGS)


def apply_rules(facts: RunEvidence, rules: Iterable[Rule] = RULES) -> list[Found]:
    """Run every rule, in the order of precedence."""
    answers = ((rule, tuple(rule.query(facts))) for rule in rules)
    return [Found(rule, symptoms) for rule, symptoms in answers if symptoms]


def choose_root(found: Sequence[Found]) -> Found | None:
    """Return the first finding that is not allowed, or the first if all are allowed."""
    return next((one for one in found if not one.is_allowed), found[0] if found else None)


def follows_from(one: Found, root: Found) -> bool:
    """Return whether a finding can follow from the root: a later stage or the same messages, on shared partitions."""
    is_further = one.rule.stage > root.rule.stage or bool(set(one.rule.explains) & set(root.rule.explains))
    shares = NOWHERE in one.partitions | root.partitions or bool(one.partitions & root.partitions)
    return is_further and shares


def _row(one: Found, root: Found | None) -> dict[str, Any]:
    firsts = sorted(one.symptoms, key=lambda symptom: symptom.since_us)
    is_explained = root is not None and one is not root and follows_from(one, root)
    remaining = [] if is_explained else list(dict.fromkeys(cause for own in one.symptoms for cause in own.remaining))
    needs = [] if is_explained else list(dict.fromkeys(need for own in one.symptoms for need in own.record))
    return {
        "kind": one.rule.name,
        "is_root": one is root,
        "partition": next(iter(one.partitions)) if len(one.partitions) == 1 else NOWHERE,
        "since_us": one.since_us,
        "until_us": one.until_us,
        "is_allowed": one.is_allowed,
        "sentence": _sentence(one, root, remaining),
        "evidence": list(dict.fromkeys(line for symptom in firsts for line in symptom.evidence)),
        "remedy": next((symptom.remedy for symptom in firsts if symptom.remedy), one.rule.remedy),
        "remaining": remaining,
        "needs": "; ".join(needs),
        "onsets": _onsets(one),
    }


def _onsets(one: Found) -> list[dict[str, int]]:
    return [
        {"partition": partition, "since_us": min(since), "until_us": max(until)}
        for partition in sorted(one.partitions)
        for since, until in [_times(one, partition)]
    ]


def _times(one: Found, partition: int) -> tuple[list[int], list[int]]:
    own = [symptom for symptom in one.symptoms if symptom.partition == partition]
    known = [symptom.since_us for symptom in own if symptom.since_us >= 0]
    return known or [-1], [symptom.until_us for symptom in own]


def _sentence(one: Found, root: Found | None, remaining: list[str]) -> str:
    parts = []
    named = sorted(one.partitions - {NOWHERE})
    if named:
        parts.append(f"partition{'s' * (len(named) > 1)} {ranges(named)}")
    if one.since_us >= 0:
        parts.append(f"from {clock(one.since_us)} on")
    parts += _concerned(one)
    text = f"{one.rule.title}: {', '.join(parts)}" if parts else one.rule.title
    if remaining:
        text += f"; not distinguished: {listed(remaining, 'or')}"
    if root is not None and one is not root:
        text += f"; follows from {root.rule.name}" if follows_from(one, root) else "; a finding of its own"
    return text + ("; allowed by the settings" if one.is_allowed else "")


def _concerned(one: Found) -> Iterable[str]:
    messages = max((symptom.count for symptom in one.symptoms), default=0)
    total = messages if NOWHERE in one.partitions else sum(_count_by_partition(one).values())
    if total:
        yield counted(total, "message")
    unplaced = max((symptom.unplaced for symptom in one.symptoms), default=0)
    if unplaced:
        yield f"{counted(unplaced, 'message')} of unknown partition"


def _count_by_partition(one: Found) -> dict[int, int]:
    counts: dict[int, int] = {}
    for symptom in one.symptoms:
        counts[symptom.partition] = max(counts.get(symptom.partition, 0), symptom.count)
    return counts


def _unexplained(facts: RunEvidence, found: Sequence[Found]) -> list[dict[str, Any]]:
    """Return a finding for the verdicts that are not allowed and that no rule that applies explains."""
    covered = {name for one in found for name in one.rule.explains}
    table = facts.results.verdicts
    left = table.filter(pc.greater(table["count"], table["allowed_count"])).to_pylist()
    names = sorted({row["verdict"] for row in left} - covered - {"DELIVERED", "*FOREIGN"})
    if not names:
        return []
    lines = [f"{counted(row['count'], 'message')} {row['verdict']} in group {row['group'] or '-'}" for row in left]
    selection = facts.chosen(*names)
    causes = [rule.name for rule in RULES if set(rule.explains) & set(names)]
    return [
        {
            "kind": UNEXPLAINED,
            "is_root": not any(not one.is_allowed for one in found),
            "partition": selection.partitions[0] if len(selection.partitions) == 1 else NOWHERE,
            "since_us": facts.first_sent_us(selection) if len(selection) else -1,
            "until_us": -1,
            "is_allowed": False,
            "sentence": f"the recorded evidence does not show why messages are {listed(names)}",
            "evidence": lines,
            "remedy": "Repeat the run and record more.",
            "remaining": causes,
            "needs": "; ".join(_not_recorded(facts)),
            "onsets": [],
        }
    ]


def _not_recorded(facts: RunEvidence) -> list[str]:
    seen = facts.run.seen
    missing = {
        "a tap (--tap)": not seen.has_tap,
        "the brokers' trace (--trace)": not seen.has_trace,
        "the observer": not facts.observed_partitions,
        "the replicas' log ends": not seen.has_replica_ends,
    }
    return [name for name, is_missing in missing.items() if is_missing]
