"""The network between processes: slow, cut one way or both, in order within a connection and in no order between two.

A call that timed out may still reach its server later: its request was on the way. Its response is dropped.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import Final

from chronik.simulation.process import SimulatedProcess
from chronik.simulation.scheduler import Action, Scheduler

Reply = Callable[[object], None]
Done = Callable[[object], None]
LOST: Final = object()
"""In place of a response: refused, cut or timed out. The outcome at the server is unknown."""


class Network:
    """All links, each with two directions that fail apart."""

    def __init__(self, scheduler: Scheduler, rng: Random, *, delay_us: tuple[int, int] = (100, 1500)) -> None:
        self._scheduler = scheduler
        self._rng = rng
        self._delay_us = delay_us
        self._truncate: set[tuple[str, str]] = set()
        self._slow: dict[tuple[str, str], int] = {}
        self._held: dict[tuple[str, str], list[Action]] = {}
        self._arrivals: dict[object, int] = {}
        self.kept_share = 0.5
        """How much of what is sent over a cut link arrives when it is mended; the rest is lost."""

    # --- faults

    def cut(self, source: str, target: str) -> None:
        """Let nothing through in this direction."""
        self._truncate.add((source, target))

    def slow_down(self, source: str, target: str, factor: int) -> None:
        self._slow[source, target] = factor

    def mend(self, source: str, target: str) -> None:
        """Undo what was done to this direction; part of what was sent meanwhile arrives now."""
        self._truncate.discard((source, target))
        self._slow.pop((source, target), None)
        link = (source, target)
        for action in self._held.pop(link, []):
            self._scheduler.after(self._delay(link), partial(self._arrive, link, action))

    def set_aside(self, source: str, target: str) -> list[Action]:
        """Take what is held on a cut link off it, to be delivered on cue."""
        return self._held.pop((source, target), [])

    def mend_all(self) -> None:
        for link in sorted({*self._truncate, *self._slow, *self._held}):
            self.mend(*link)

    # --- messages

    def send(self, source: str, target: str, connection: object, arrive: Action) -> None:
        """Carry a message; it arrives after those sent before it on the same connection, or never."""
        link = (source, target)
        time_us = max(self._scheduler.now_us + self._delay(link), self._arrivals.get(connection, 0))
        self._arrivals[connection] = time_us
        self._scheduler.at(time_us, partial(self._arrive, link, arrive))

    def _arrive(self, link: tuple[str, str], arrive: Action) -> None:
        """Hand a message over, unless its link was cut before it got through."""
        if link not in self._truncate:
            arrive()
        elif self._rng.random() < self.kept_share:
            self._held.setdefault(link, []).append(arrive)

    def _delay(self, link: tuple[str, str]) -> int:
        return self._rng.randint(*self._delay_us) * self._slow.get(link, 1)

    def call(
        self,
        client: SimulatedProcess,
        server: SimulatedProcess,
        handle: Callable[[Reply], None],
        done: Done,
        *,
        timeout_us: int,
    ) -> None:
        """Ask a server; ``done`` is called once, in the client's life, with the answer or ``LOST``."""
        call = _Call(done)
        give_up = client.guarded(call.give_up)
        hear = client.guarded(call.hear)
        answer_link = (server.name, client.name)
        connection = (client.name, client.life, server.name, server.life)

        def reply(answer: object) -> None:
            call.answers.append(answer)
            self.send(*answer_link, (connection, "answers"), hear)

        if server.is_running:
            self.send(client.name, server.name, connection, server.guarded(lambda: handle(reply)))
            self._scheduler.after(timeout_us, give_up)
        else:
            self._scheduler.after(self._delay(answer_link), give_up)


class _Call:
    """One call that ends once."""

    __slots__ = ("_done", "answers")

    def __init__(self, done: Done) -> None:
        self._done: Done | None = done
        self.answers: list[object] = []

    def hear(self) -> None:
        self._end(self.answers[0])

    def give_up(self) -> None:
        self._end(LOST)

    def _end(self, outcome: object) -> None:
        done, self._done = self._done, None
        if done is not None:
            done(outcome)
