"""A process that can be killed, stopped and continued at any moment.

An action of one life never happens in another. Actions that are due while the process is paused happen when it resumes.
"""

from collections import deque
from collections.abc import Callable

from chronik.simulation.scheduler import Action, Scheduler, TimerHandle


class SimulatedProcess:
    """One process after another under one name."""

    def __init__(self, name: str, scheduler: Scheduler) -> None:
        self.name = name
        self.life = 0
        self.is_running = False
        self.is_paused = False
        self.after_each: Action = lambda: None
        """Runs at the end of everything that this process does, as a loop writes what was staged."""
        self._scheduler = scheduler
        self._waiting: deque[Action] = deque()

    def start(self) -> None:
        assert not self.is_running, f"{self.name} runs already"
        self.life += 1
        self.is_running = True

    def end(self) -> None:
        """End at once, as by SIGKILL."""
        self.is_running = self.is_paused = False
        self.life += 1
        self._waiting.clear()

    def pause(self) -> None:
        self.is_paused = self.is_running

    def resume(self) -> None:
        """Go on: what has waited happens now, one thing after the other."""
        self.is_paused = False
        waiting, self._waiting = self._waiting, deque()
        for action in waiting:
            self._scheduler.after(0, action)

    def guarded(self, action: Action) -> Action:
        """Make an action happen in this life only, and not while the process is stopped."""
        life = self.life

        def run() -> None:
            if life != self.life or not self.is_running:
                return
            if self.is_paused:
                self._waiting.append(run)
                return
            self._scheduler.actor = self
            action()
            self.after_each()

        return run

    def later(self, delay_us: int, action: Action) -> None:
        self._scheduler.after(delay_us, self.guarded(action))

    # --- what drivers ask of an event loop

    def call_later(self, delay_s: float, callback: Callable[..., None], *args: object) -> TimerHandle:
        handle = TimerHandle(lambda: callback(*args))
        self.later(int(delay_s * 1_000_000), handle.run)
        return handle

    def call_soon(self, callback: Callable[..., None], *args: object) -> TimerHandle:
        return self.call_later(0, callback, *args)
