"""Timers as data: a lazy heap, in which putting a timer off costs an assignment and nothing else.

A heartbeat moves one deadline and leaves the heap alone. When an entry comes up and its timer is wanted later by now,
it is entered anew; so a timer costs the heap once in the length of its time-out, however often it is put off.
"""

from enum import Enum, auto
from heapq import heappop, heappush

from chronik.model.ids import Millis


class TimerKind(Enum):
    """What is due."""

    SESSION = auto()
    """A member has not been heard of."""
    PENDING = auto()
    """A member was given its id and has not come back with it."""
    JOIN = auto()
    """A rebalance has waited long enough for the members to join."""
    SYNC = auto()
    """A generation has waited long enough for its members to ask for their assignment."""


class Timer:
    """One thing that may become due; ``deadline`` is None while it is not wanted."""

    __slots__ = ("armed", "deadline", "group_id", "kind", "member_id")

    def __init__(self, kind: TimerKind, group_id: str, member_id: str = "") -> None:
        self.kind = kind
        self.group_id = group_id
        self.member_id = member_id
        self.deadline: int | None = None
        self.armed: int | None = None
        """When the heap will look at it."""


class Timers:
    """All timers of one shard."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Timer]] = []
        self._entered = 0

    def set(self, timer: Timer, deadline: int) -> None:
        """Want the timer at ``deadline`` instead of whenever it was wanted before."""
        timer.deadline = deadline
        armed = timer.armed
        if armed is None or deadline < armed:
            self._enter(timer, deadline)

    @staticmethod
    def cancel(timer: Timer) -> None:
        timer.deadline = None

    def next_deadline(self) -> Millis | None:
        """When to look next. Nothing is due before; at that time it may turn out that nothing is due yet."""
        heap = self._heap
        while heap:
            at, _, timer = heap[0]
            if timer.armed == at and timer.deadline is not None:
                return Millis(at)
            self._leave()
        return None

    def pop_due(self, now: int) -> Timer | None:
        """Take out a timer that is due, the earliest first."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            is_current, timer = self._leave()
            if not is_current or timer.deadline is None:
                continue
            if timer.deadline > now:
                self._enter(timer, timer.deadline)
                continue
            timer.deadline = None
            return timer
        return None

    def _enter(self, timer: Timer, at: int) -> None:
        timer.armed = at
        self._entered += 1
        heappush(self._heap, (at, self._entered, timer))

    def _leave(self) -> tuple[bool, Timer]:
        """Take out the first entry, and say whether it is the one by which its timer is found."""
        at, _, timer = heappop(self._heap)
        if timer.armed != at:
            return False, timer
        timer.armed = None
        return True, timer
