"""Simulated time: what is due next happens next, and nothing else ever does.

Two events of the same moment happen in the order in which they were asked for, so that a run is the same every time.
"""

import heapq
from collections.abc import Callable

Action = Callable[[], None]


class Scheduler:
    """A clock in microseconds, and what will happen on it."""

    def __init__(self) -> None:
        self.now_us = 0
        self.events = 0
        self.actor: object = None
        """Who did something in the last event, if it was a process."""
        self._queue: list[tuple[int, int, Action]] = []
        self._number = 0

    @property
    def now_ms(self) -> int:
        return self.now_us // 1000

    def at(self, time_us: int, action: Action) -> None:
        """Let something happen at a time, or now if that has passed."""
        self._number += 1
        heapq.heappush(self._queue, (max(time_us, self.now_us), self._number, action))

    def after(self, delay_us: int, action: Action) -> None:
        self.at(self.now_us + delay_us, action)

    def step(self) -> bool:
        """Let the next thing happen; False where nothing is left to happen."""
        if not self._queue:
            return False
        self.now_us, _, action = heapq.heappop(self._queue)
        self.events += 1
        self.actor = None
        action()
        return True


class TimerHandle:
    """A call that may be taken back."""

    __slots__ = ("_action",)

    def __init__(self, action: Action | None) -> None:
        self._action = action

    def cancel(self) -> None:
        self._action = None

    def run(self) -> None:
        action, self._action = self._action, None
        if action is not None:
            action()
