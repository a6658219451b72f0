"""Timers in a lazy heap, in which delaying a timer costs one assignment.

A heartbeat changes a deadline and leaves the heap alone. When a heap entry is due and its timer has a later deadline,
the entry is pushed again. So a timer costs the heap once per time-out, however often it is delayed.
"""

from enum import Enum, auto
from heapq import heappop, heappush

from chronik.model.ids import Millis


class TimerKind(Enum):
    """What a timer is for."""

    SESSION = auto()
    """A member sends no heartbeats."""
    PENDING = auto()
    """A client does not join with the member id that it got."""
    JOIN = auto()
    """The time for members to join is over."""
    SYNC = auto()
    """The time for members to send SyncGroup is over."""


class Timer:
    """One timer; ``deadline`` is None while it is stopped."""

    __slots__ = ("armed", "deadline", "group_id", "kind", "member_id")

    def __init__(self, kind: TimerKind, group_id: str, member_id: str = "") -> None:
        self.kind = kind
        self.group_id = group_id
        self.member_id = member_id
        self.deadline: int | None = None
        self.armed: int | None = None
        """The time of its heap entry."""


class Timers:
    """All timers of one shard."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Timer]] = []
        self._pushed = 0

    def set(self, timer: Timer, deadline: int) -> None:
        """Set or change the deadline of a timer."""
        timer.deadline = deadline
        armed = timer.armed
        if armed is None or deadline < armed:
            self._push(timer, deadline)

    @staticmethod
    def cancel(timer: Timer) -> None:
        timer.deadline = None

    def next_deadline(self) -> Millis | None:
        """Return when to call ``pop_due`` next. No timer is due before; at that time perhaps none is due yet."""
        heap = self._heap
        while heap:
            at, _, timer = heap[0]
            if timer.armed == at and timer.deadline is not None:
                return Millis(at)
            self._pop()
        return None

    def pop_due(self, now: int) -> Timer | None:
        """Remove and return a timer that is due, the earliest first."""
        heap = self._heap
        while heap and heap[0][0] <= now:
            is_current, timer = self._pop()
            if not is_current or timer.deadline is None:
                continue
            if timer.deadline > now:
                self._push(timer, timer.deadline)
                continue
            timer.deadline = None
            return timer
        return None

    def _push(self, timer: Timer, at: int) -> None:
        timer.armed = at
        self._pushed += 1
        heappush(self._heap, (at, self._pushed, timer))

    def _pop(self) -> tuple[bool, Timer]:
        """Remove the first entry, and return whether it is its timer's current one."""
        at, _, timer = heappop(self._heap)
        if timer.armed != at:
            return False, timer
        timer.armed = None
        return True, timer
