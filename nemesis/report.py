"""The results of a run: a table for people and JSON for machines."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nemesis.rounds import Outcome


def line(outcome: Outcome) -> str:
    """One round in one line, and its findings below."""
    verdict = "good" if outcome.is_good else "BAD"
    gaps = ", ".join(f"{seconds:.1f} s" for _, seconds in outcome.gaps) or "-"
    head = (
        f"{verdict} {outcome.round} [{outcome.seconds:.0f} s: {_sent(outcome):,} sent, "
        f"{outcome.total('acked'):,} acknowledged, {outcome.total('stored'):,} stored; longest gaps {gaps}]"
    )
    return "\n".join([head, *(f"    {finding}" for finding in outcome.findings)])


def _sent(outcome: Outcome) -> int:
    return 0 if outcome.report is None else outcome.report.sent


def table(outcomes: Sequence[Outcome], seed: int) -> str:
    """The run as a whole."""
    data = figures(outcomes, seed)
    rows = [
        ("seed", seed),
        ("rounds", data["rounds"]),
        ("faults", ", ".join(f"{name} {count}" for name, count in data["faults"].items())),
        ("sent", f"{data['sent']:,}"),
        ("acknowledged", f"{data['acknowledged']:,}"),
        ("stored", f"{data['stored']:,}"),
        ("allowed", ", ".join(f"{count:,} {what}" for what, count in data["allowed"].items()) or "-"),
        ("longest gap", ", ".join(f"{name} {gap:.1f} s" for name, gap in data["gaps"].items())),
        ("findings", len(data["findings"])),
    ]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:{width}}  {value}" for name, value in rows)


def figures(outcomes: Sequence[Outcome], seed: int) -> dict[str, Any]:
    """The same for machines."""
    allowed: Counter[str] = Counter()
    gaps: dict[str, float] = {}
    for outcome in outcomes:
        allowed.update(dict(outcome.allowed()))
        for fault, (_, gap) in zip(outcome.round.faults, outcome.gaps, strict=False):
            gaps[fault.kind.value] = max(gap, gaps.get(fault.kind.value, 0.0))
    return {
        "seed": seed,
        "rounds": len(outcomes),
        "faults": dict(Counter(fault.kind.value for outcome in outcomes for fault in outcome.round.faults)),
        "sent": sum(map(_sent, outcomes)),
        "acknowledged": sum(outcome.total("acked") for outcome in outcomes),
        "stored": sum(outcome.total("stored") for outcome in outcomes),
        "allowed": dict(allowed),
        "gaps": gaps,
        "findings": [f"{outcome.round}: {finding}" for outcome in outcomes for finding in outcome.findings],
    }
