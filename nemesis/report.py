"""What a run has shown: a table for people and JSON for machines."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nemesis.rounds import Outcome


def line(outcome: Outcome) -> str:
    """One round in one line, and its findings below."""
    account = outcome.account
    verdict = "good" if outcome.is_good else "BAD"
    gaps = ", ".join(f"{seconds:.1f} s" for _, seconds in outcome.gaps) or "-"
    head = (
        f"{verdict} {outcome.round} [{outcome.seconds:.0f} s: {account.sent:,} sent, "
        f"{account.acknowledged:,} acknowledged, {account.stored:,} stored; longest gaps {gaps}]"
    )
    return "\n".join([head, *(f"    {finding}" for finding in outcome.findings)])


def table(outcomes: Sequence[Outcome], seed: int) -> str:
    """The run as a whole."""
    data = figures(outcomes, seed)
    rows = [
        ("seed", seed),
        ("rounds", data["rounds"]),
        ("blows", ", ".join(f"{name} {count}" for name, count in data["blows"].items())),
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
        allowed += outcome.account.allowed
        for blow, (_, gap) in zip(outcome.round.blows, outcome.gaps, strict=False):
            gaps[blow.fault.value] = max(gap, gaps.get(blow.fault.value, 0.0))
    return {
        "seed": seed,
        "rounds": len(outcomes),
        "blows": dict(Counter(blow.fault.value for outcome in outcomes for blow in outcome.round.blows)),
        "sent": sum(outcome.account.sent for outcome in outcomes),
        "acknowledged": sum(outcome.account.acknowledged for outcome in outcomes),
        "stored": sum(outcome.account.stored for outcome in outcomes),
        "allowed": dict(allowed),
        "gaps": gaps,
        "findings": [f"{outcome.round}: {finding}" for outcome in outcomes for finding in outcome.findings],
    }
