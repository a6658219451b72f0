"""What a continuous audit knows after a step: sums, positions and totals; never a row of a message."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from chronik.audit.judge.balance.entries import ID_KINDS, POSITION_KINDS, EntryKind, Summary
from chronik.audit.ledger.tails import Tail
from chronik.audit.tables.bitmaps import BUCKET_BITS, count_of
from chronik.audit.topic.examination import Examination
from chronik.audit.watch.events import EventRow
from chronik.audit.watch.incidents import Incidents
from chronik.audit.watch.sums import SplitSum
from chronik.audit.watch.windows import CLOSED, Allotment, AuditWindow, allot, raise_all

_PLACED: Final = POSITION_KINDS | {EntryKind.REORDERED_AT}
_NOT_KEPT: Final = frozenset({EntryKind.ORDER, EntryKind.FLOW})
"""They grow with every part of the data; what is asked of them is found in the order of reading."""


@dataclass(slots=True)
class WatchState:
    """Everything that is kept between two steps."""

    topic: str = ""
    topic_id: str = ""
    run: int = 0
    steps: int = 0
    begin_us: int = -1
    windows: list[AuditWindow] = field(default_factory=list)
    """The open ones; the last has not ended."""
    closed: dict[int, int] = field(default_factory=dict)
    """By producer: the first sequence whose verdict is not final."""
    highest: dict[int, int] = field(default_factory=dict)
    begins: dict[int, int] = field(default_factory=dict)
    offsets: dict[int, int] = field(default_factory=dict)
    """By partition: what is read next."""
    log_starts: dict[int, int] = field(default_factory=dict)
    log_ends: dict[int, int] = field(default_factory=dict)
    """Where logs end beyond what is served, of partitions where that is known."""
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
    """Where the observer's files ended when the current window began."""

    def allotment(self) -> Allotment:
        return allot(self.windows, self.closed, self.reserved_ends())

    def reserved_ends(self) -> dict[int, int]:
        ends: dict[int, int] = {}
        for block in self.reserved:
            raise_all(ends, {int(block["producer"]): int(block["end_sequence"])})
        return ends

    def window(self, number: int) -> AuditWindow | None:
        return next((window for window in self.windows if window.number == number), None)

    def _known(self, number: int) -> AuditWindow:
        window = self.window(number)
        assert window is not None, "sums are made for open windows"
        return window

    def absorb(self, found: SplitSum) -> None:
        """Take in what a split says."""
        for number, summary in found.entries.items():
            self._absorb_entries(None if number == CLOSED else self._known(number), summary)
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

    def _absorb_entries(self, window: AuditWindow | None, summary: Summary) -> None:
        for at, entry in summary.entries.items():
            if at.group:
                self.groups.add(at.group)
            if at.kind in ID_KINDS:
                if window is not None:
                    window.entries.add(at, entry)
            elif at.kind in _PLACED:
                self.positions.add(at, entry)
            elif at.kind not in _NOT_KEPT:
                self.counts.add(at, entry)

    def end_window(self, now_us: int, *, is_last: bool = False) -> None:
        """End the current window behind everything that was seen, and begin the next.

        When nothing more will come, what was reserved and not used belongs to it, too.
        """
        current = self.windows[-1]
        bounds = {producer: sequence + 1 for producer, sequence in self.highest.items()}
        raise_all(bounds, self.closed)
        for window in self.windows[:-1]:
            raise_all(bounds, window.bounds)
        if is_last:
            raise_all(bounds, self.reserved_ends())
        current.end_us, current.bounds = now_us, bounds
        observed = {path: tail for path, tail in self.tails.items() if path.startswith("observer/")}
        self.begin_window(now_us, self.observed_before)
        self.observed_before = observed

    def begin_window(self, now_us: int, observed: Mapping[str, Tail]) -> None:
        number = self.windows[-1].number + 1 if self.windows else 0
        self.windows.append(AuditWindow(number, now_us, observed=dict(observed)))

    def since_us(self) -> int:
        """Return since when events matter: the first message of the open windows."""
        times = [window.since_us for window in self.windows if window.since_us >= 0]
        return min(times, default=min((window.begin_us for window in self.windows), default=0))

    def forget_closed(self, ended: AuditWindow) -> None:
        """Let go of what only a window needed whose verdicts are final."""
        raise_all(self.closed, ended.bounds)
        self.windows.remove(ended)
        self.reserved = [
            block
            for block in self.reserved
            if int(block["end_sequence"]) > self.closed.get(int(block["producer"]), 0) or not block["is_closed"]
        ]
        for partition, end in self.offsets.items():
            firsts = [window.places[partition][0] for window in self.windows if partition in window.places]
            self._forget_positions(partition, min([end, *firsts]) >> BUCKET_BITS)

    def _forget_positions(self, partition: int, first_block: int) -> None:
        old = [at for at in self.positions.entries if at.key == partition and at.bucket < first_block]
        for at in old:
            del self.positions.entries[at]

    def entries(self) -> int:
        """Count the sums that are held."""
        own = len(self.positions.entries) + len(self.counts.entries)
        return own + sum(len(window.entries.entries) for window in self.windows)


def open_messages(state: WatchState, groups: Iterable[str]) -> dict[str, dict[str, int]]:
    """Count what is not final yet, for each group: sent, stored, delivered so far."""
    sides = {kind: _ids(state, kind, "") for kind in (EntryKind.SENT_IDS, EntryKind.STORED_IDS)}
    return {
        group: {
            "sent": sides[EntryKind.SENT_IDS],
            "stored": sides[EntryKind.STORED_IDS],
            "delivered": _ids(state, EntryKind.DELIVERED_IDS, group),
        }
        for group in groups
    }


def _ids(state: WatchState, kind: EntryKind, group: str) -> int:
    found = 0
    for window in state.windows:
        for at, entry in window.entries.entries.items():
            if at.kind == kind and at.group == group and entry.bits is not None:
                found += count_of(entry.bits)
    return found
