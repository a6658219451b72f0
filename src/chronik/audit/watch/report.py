"""The status of a continuous audit, from which terminal, JSON and metrics are made."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from chronik.audit.judge.balance.entries import EntryKind, Summary, SummaryEntry, pairs
from chronik.audit.judge.balance.latencies import Counts, merge_counts, quantile
from chronik.audit.judge.classify.verdicts import FOREIGN, Verdict
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.watch.audit import totals_of
from chronik.audit.watch.incidents import WatchFinding
from chronik.audit.watch.state import WatchState, open_messages

QUANTILES: Final = (0.5, 0.95, 0.99)
WITHOUT_LEDGERS: Final = (
    "what was acknowledged and is not there: what was sent was not recorded",
    "what consumers got, and whether it was late: it was not recorded",
    "whether an idempotent producer's last messages are missing: its numbers just end",
    "losses, doubles and order of producers that are not idempotent: their batches have no numbers",
)
"""What cannot be known of a topic whose clients keep no ledgers."""


@dataclass(frozen=True, slots=True)
class Total:
    """How many messages of a group have a verdict or a flag that does not change any more."""

    group: str
    verdict: str
    count: int
    allowed: int


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """A continuous audit at a moment."""

    at_us: int
    topic: str
    has_ledgers: bool
    steps: int
    caught_up_us: int
    final: int
    """Messages whose verdicts do not change any more."""
    totals: tuple[Total, ...]
    open: Mapping[str, Mapping[str, int]]
    """By group: messages whose verdicts are not final, as far as each side has them."""
    rows: Mapping[str, int]
    after_closing: Mapping[str, int]
    latencies_us: Mapping[str, Mapping[float, int]]
    oddities: Mapping[str, int]
    findings_ever: int
    findings: tuple[WatchFinding, ...]
    cells: int
    exit_code: ExitCode
    unknowable: tuple[str, ...] = ()
    waits_for: str = ""

    def as_json(self) -> dict[str, Any]:
        """Spell it for machines."""
        plain = asdict(self)
        return {
            **plain,
            "totals": [asdict(total) for total in self.totals],
            "findings": [finding.as_json() for finding in self.findings],
            "latencies_us": {
                group: {f"p{share * 100:g}": value for share, value in own.items()}
                for group, own in self.latencies_us.items()
            },
            "exit_code": int(self.exit_code),
        }


def status_of(state: WatchState, at_us: int, *, has_ledgers: bool, waits_for: str = "") -> AuditStatus:
    """Draw the picture of a state."""
    totals = totals_of(state)
    groups = sorted({group for group, _ in totals} | state.groups) or [""]
    return AuditStatus(
        at_us=at_us,
        topic=state.topic,
        has_ledgers=has_ledgers,
        steps=state.steps,
        caught_up_us=state.caught_up_us,
        final=state.final,
        totals=tuple(Total(*key, *totals[key]) for key in sorted(totals) if totals[key][0]),
        open=open_messages(state, groups) if has_ledgers else {},
        rows=dict(state.rows),
        after_closing=dict(state.after_closing),
        latencies_us=_latencies(state.counts),
        oddities={str(oddity): count for oddity, count in sorted(state.oddities.items())},
        findings_ever=state.incidents.ever,
        findings=tuple(sorted(state.incidents.open.values(), key=lambda one: one.number)),
        cells=state.entries(),
        exit_code=exit_code_of(state, has_ledgers=has_ledgers),
        unknowable=() if has_ledgers else WITHOUT_LEDGERS,
        waits_for=waits_for,
    )


def exit_code_of(state: WatchState, *, has_ledgers: bool) -> ExitCode:
    """Sum up what is final, by the same measure as for a run that is over."""
    disallowed = {what for (_, what), (count, allowed) in totals_of(state).items() if count > allowed}
    if disallowed - {Verdict.UNKNOWN, f"*{FOREIGN}"} or state.incidents.has_wrong:
        return ExitCode.DISALLOWED
    is_judged = state.final > 0 if has_ledgers else state.caught_up_us >= 0
    is_told = is_judged and not disallowed and not state.incidents.has_untold
    # A copy that was stored when its message had its verdict may be a double, or the first that is there.
    return ExitCode.NOTHING_DISALLOWED if is_told and not state.after_closing["stored"] else ExitCode.COULD_NOT_TELL


def _latencies(counts: Summary) -> dict[str, dict[float, int]]:
    by_group: dict[str, Counts] = {}
    for at, entry in counts.of_kind(EntryKind.LATENCY).items():
        by_group[at.group] = merge_counts(by_group.get(at.group, {}), _pairs(entry))
    return {group: {share: quantile(own, share) for share in QUANTILES} for group, own in sorted(by_group.items())}


def _pairs(entry: SummaryEntry) -> Counts:
    return pairs(entry.numbers)
