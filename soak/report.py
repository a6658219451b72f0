"""How the outcome of a soak is shown: a table, and JSON for machines."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from chronik.audit.tables.schemas import EventKind, SendOutcome
from soak.conductor import Outcome
from soak.vital_signs import DELAY_SECONDS_MAX, DISK_BYTES_MAX, GROWTH_BYTES_MAX

FINDINGS_SHOWN_MAX = 30


def figures(outcome: Outcome) -> dict[str, Any]:
    """The outcome as data."""
    counts = outcome.counts
    return {
        "seconds": round(outcome.seconds, 1),
        "seed": outcome.seed,
        "departures_and_crashes": outcome.actions,
        "acknowledged": counts[SendOutcome.ACKED.name],
        "refused": sum(counts[one.name] for one in SendOutcome) - counts[SendOutcome.ACKED.name],
        "delivered": counts["delivered"],
        "redelivered_after_a_rebalance": outcome.redelivered,
        "assignments": counts[EventKind.ASSIGNED],
        "commits": counts[EventKind.COMMITTED],
        "complaints_of_clients": dict(outcome.complaints.most_common(20)),
        **asdict(outcome.signs),
        "good": not outcome.findings,
        "findings": list(outcome.findings[:1000]),
    }


def table(outcome: Outcome) -> str:
    """The outcome in words."""
    return "\n".join(_lines(outcome))


def _lines(outcome: Outcome) -> Iterator[str]:
    data, signs = figures(outcome), outcome.signs
    rows = {
        "length": f"{data['seconds']:.0f} s, seed {data['seed']}",
        "departures and crashes": data["departures_and_crashes"],
        "messages acknowledged": f"{data['acknowledged']:,}, refused {data['refused']:,}",
        "deliveries": f"{data['delivered']:,}; after a rebalance again: {data['redelivered_after_a_rebalance']:,}",
        "partitions assigned": f"{data['assignments']:,}; offsets committed {data['commits']:,}",
        "longest answer": f"{signs.delay_seconds_max * 1000:.0f} ms (below {DELAY_SECONDS_MAX * 1000:.0f}), "
        f"{signs.answer_seconds_max * 1000:.0f} ms with waiting for a CPU",
        "median answer": f"{signs.answer_seconds_median * 1000:.1f} ms",
        "memory": _memory(outcome),
        "disk": "not seen"
        if signs.disk_bytes_max is None
        else f"{signs.disk_bytes_max / 1e6:.0f} MB at most (below {DISK_BYTES_MAX / 1e9:.0f} GB)",
        "complaints of clients": sum(outcome.complaints.values()),
    }
    for name, value in rows.items():
        yield f"{name:<24}{value}"
    for message, count in outcome.complaints.most_common(5):
        yield f"  {count:>6} x {message}"
    yield "nothing lost, nothing read twice without a cause" if not outcome.findings else "NOT GOOD:"
    for finding in outcome.findings[:FINDINGS_SHOWN_MAX]:
        yield f"  {finding}"
    if len(outcome.findings) > FINDINGS_SHOWN_MAX:
        yield f"  and {len(outcome.findings) - FINDINGS_SHOWN_MAX} more"


def _memory(outcome: Outcome) -> str:
    signs = outcome.signs
    if signs.memory_bytes_max is None or signs.growth_bytes is None or signs.growth_bytes_per_hour is None:
        return "not seen"
    return (
        f"{signs.memory_bytes_max / 1e6:.0f} MB at most; after warm-up {signs.growth_bytes / 1e6:+.1f} MB "
        f"(below {GROWTH_BYTES_MAX / 1e6:.0f}), {signs.growth_bytes_per_hour / 1e6:+.1f} MB per hour"
    )
