"""What a continuous audit knows after a step: sums, positions and totals; never a row of a message."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from chronik.audit.judge.balance.cells import ID_KINDS, POSITION_KINDS, Kind, Summary
from chronik.audit.ledger.tails import Tail
from chronik.audit.tables.bitmaps import BUCKET_BITS, count_of
from chronik.audit.topic.examination import Examination
from chronik.audit.watch.events import EventRow
from chronik.audit.watch.incidents import Incidents
from chronik.audit.watch.sums import PieceSum
from chronik.audit.watch.windows import CLOSED, Allotment, Period, allot, raise_all

_PLACED: Final = POSITION_KINDS | {Kind.REORDERED_AT}
_NOT_KEPT: Final = frozenset({Kind.ORDER, Kind.FLOW})
"""They grow with every part of the data; what is asked of them is found in the order of reading."""


@dataclass(slots=True)
class WatchState:
    """Everything that is kept between two steps."""

    topic: str = ""
    topic_id: str = ""
    run: int = 0
    steps: int = 0
    begin_us: int = -1
    periods: list[Period] = field(default_factory=list)
    """The open ones; the last has not ended."""
    closed: dict[int, int] = field(default_factory=dict)
    """By producer: the first sequence whose verdict is not final."""
    highest: dict[int, int] = field(default_factory=dict)
    begins: dict[int, int] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)
    """By partition: what is read next."""
    log_starts: dict[int, int] = field(default_factory=dict)
    log_ends: dict[int, int] = field(default_factory=dict)
    """Where logs end beyond what is served; only of partitions of which somebody told."""
    asked_us: int = -1
    """When the topic was asked last."""
    caught_up_us: int = -1
    """Everything that the log held at this time has been read."""
    lanes: dict[int, dict[int, int]] = field(default_factory=dict)
    positions: Summary = field(default_factory=Summary)
    counts: Summary = field(default_factory=Summary)
    tails: dict[str, Tail] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    reserved: list[dict[str, int | bool]] = field(default_factory=list)
    events: list[EventRow] = field(default_factory=list)
    groups: set[str] = field(default_factory=set)
    totals: Counter[tuple[str, str]] = field(default_factory=Counter)
    allowed: Counter[tuple[str, str]] = field(default_factory=Counter)
    final: int = 0
    """How many messages have a verdict that does not change any more."""
    rows: Counter[str] = field(default_factory=Counter)
    after_closing: Counter[str] = field(default_factory=Counter)
    examinations: dict[int, Examination] = field(default_factory=dict)
    oddities: Counter[str] = field(default_factory=Counter)
    incidents: Incidents = field(default_factory=Incidents)
    observed_before: dict[str, Tail] = field(default_factory=dict)
    """Where the observer's files ended when the current period began."""

    def allotment(self) -> Allotment:
        return allot(self.periods, self.closed, self.reserved_ends())

    def reserved_ends(self) -> dict[int, int]:
        ends: dict[int, int] = {}
        for block in self.reserved:
            raise_all(ends, {int(block["producer"]): int(block["end_sequence"])})
        return ends

    def period(self, number: int) -> Period | None:
        return next((period for period in self.periods if period.number == number), None)

    def _known(self, number: int) -> Period:
        period = self.period(number)
        assert period is not None, "sums are made for open periods"
        return period

    def absorb(self, found: PieceSum) -> None:
        """Take in what a piece says."""
        for number, summary in found.cells.items():
            self._absorb_cells(None if number == CLOSED else self._known(number), summary)
        for number, places in found.places.items():
            if number != CLOSED:
                self._known(number).add_places(places)
        for number, since_us in found.since_us.items():
            if number != CLOSED:
                self._known(number).begin_not_after(since_us)
        raise_all(self.highest, found.highest)
        self.rows.update(found.rows)
        self.after_closing.update(found.after_closing)
        if found.partition >= 0:
            self.offsets[found.partition] = found.end_offset
            self.lanes[found.partition] = found.lanes
            if found.examination is not None:
                self.examinations[found.partition] = found.examination

    def _absorb_cells(self, period: Period | None, summary: Summary) -> None:
        for at, cell in summary.cells.items():
            if at.group:
                self.groups.add(at.group)
            if at.kind in ID_KINDS:
                if period is not None:
                    period.cells.add(at, cell)
            elif at.kind in _PLACED:
                self.positions.add(at, cell)
            elif at.kind not in _NOT_KEPT:
                self.counts.add(at, cell)

    def end_period(self, now_us: int, *, is_last: bool = False) -> None:
        """End the current period behind everything that was seen, and begin the next.

        When nothing more will come, what was reserved and not used belongs to it, too.
        """
        current = self.periods[-1]
        bounds = {producer: sequence + 1 for producer, sequence in self.highest.items()}
        raise_all(bounds, self.closed)
        for period in self.periods[:-1]:
            raise_all(bounds, period.bounds)
        if is_last:
            raise_all(bounds, self.reserved_ends())
        current.end_us, current.bounds = now_us, bounds
        observed = {path: tail for path, tail in self.tails.items() if path.startswith("observer/")}
        self.begin_period(now_us, self.observed_before)
        self.observed_before = observed

    def begin_period(self, now_us: int, observed: Mapping[str, Tail]) -> None:
        number = self.periods[-1].number + 1 if self.periods else 0
        self.periods.append(Period(number, now_us, observed=dict(observed)))

    def since_us(self) -> int:
        """Say since when events matter: the first message of the open periods."""
        times = [period.since_us for period in self.periods if period.since_us >= 0]
        return min(times, default=min((period.begin_us for period in self.periods), default=0))

    def forget_closed(self, ended: Period) -> None:
        """Let go of what only a period needed whose verdicts are final."""
        raise_all(self.closed, ended.bounds)
        self.periods.remove(ended)
        self.reserved = [
            block
            for block in self.reserved
            if int(block["end_sequence"]) > self.closed.get(int(block["producer"]), 0) or not block["is_closed"]
        ]
        for partition, end in self.offsets.items():
            firsts = [period.places[partition][0] for period in self.periods if partition in period.places]
            self._forget_positions(partition, min([end, *firsts]) >> BUCKET_BITS)

    def _forget_positions(self, partition: int, first_block: int) -> None:
        old = [at for at in self.positions.cells if at.key == partition and at.block < first_block]
        for at in old:
            del self.positions.cells[at]

    def cells(self) -> int:
        """Count the sums that are held."""
        own = len(self.positions.cells) + len(self.counts.cells)
        return own + sum(len(period.cells.cells) for period in self.periods)


def open_messages(state: WatchState, groups: Iterable[str]) -> dict[str, dict[str, int]]:
    """Count what is not final yet, for each group: sent, stored, delivered so far."""
    sides = {kind: _ids(state, kind, "") for kind in (Kind.SENT_IDS, Kind.STORED_IDS)}
    return {
        group: {
            "sent": sides[Kind.SENT_IDS],
            "stored": sides[Kind.STORED_IDS],
            "delivered": _ids(state, Kind.DELIVERED_IDS, group),
        }
        for group in groups
    }


def _ids(state: WatchState, kind: Kind, group: str) -> int:
    found = 0
    for period in state.periods:
        for at, cell in period.cells.cells.items():
            if at.kind == kind and at.group == group and cell.bits is not None:
                found += count_of(cell.bits)
    return found
