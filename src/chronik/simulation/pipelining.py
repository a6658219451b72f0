"""A producer of a simulated cluster with several requests under way, as librdkafka has them.

It sends on before it is answered. Where one is refused or lost it waits for the fates of the others and begins again
with the first that has no answer. A success behind one without an answer it takes for a word on both, and one told of a
gap begins a new epoch, in which nothing of before is known again: neither may happen.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Final

from chronik.model.errors import ErrorCode
from chronik.records.build import Record, build_batch
from chronik.simulation.clients import REQUEST_US, RETRY_US, SimulatedProducer
from chronik.simulation.judge import Broken
from chronik.simulation.network import LOST, Done, Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.producing import Produced
from chronik.simulation.scheduler import Action, Scheduler

IN_FLIGHT_MAX: Final = 5
BURST_US: Final = (1, 400)


class Stream:
    """One connection, as TCP makes it: what arrives does so in order, and behind what is lost nothing arrives."""

    def __init__(
        self, network: Network, scheduler: Scheduler, client: SimulatedProcess, server: SimulatedProcess
    ) -> None:
        self._network = network
        self._scheduler = scheduler
        self._client = client
        self._server = server
        self._server_life = server.life
        self._requests = _InOrder()
        self._answers = _InOrder()
        self._unsent: dict[int, object] = {}
        """Answers that wait for those to earlier requests."""
        self._answers_sent = 0
        self._waiting: dict[int, Done] = {}
        self._asked = 0
        self.is_closed = False

    def ask(self, handle: Callable[[Reply], None], done: Done, *, timeout_us: int) -> None:
        """Send a request; ``done`` is given its answer, or ``LOST`` when the connection ends before."""
        number = self._asked
        self._asked += 1
        self._waiting[number] = done
        is_refused = self._server.life != self._server_life or not self._server.is_running
        self._scheduler.after(1 if is_refused else timeout_us, self._client.guarded(partial(self._expire, number)))
        if not is_refused:
            arrive = partial(self._requests.take, number, lambda: handle(partial(self._answer, number)))
            self._network.send(self._client.name, self._server.name, self, self._server.guarded(arrive))

    def _answer(self, number: int, answer: object) -> None:
        self._unsent[number] = answer
        while self._answers_sent in self._unsent:
            sent = self._answers_sent
            self._answers_sent += 1
            hear = partial(self._answers.take, sent, partial(self._hear, sent, self._unsent.pop(sent)))
            self._network.send(self._server.name, self._client.name, (self, "answers"), self._client.guarded(hear))

    def _hear(self, number: int, answer: object) -> None:
        if not self.is_closed:
            self._waiting.pop(number)(answer)

    def _expire(self, number: int) -> None:
        if number in self._waiting:
            self.close()

    def close(self) -> None:
        """End it; what was sent may still arrive."""
        self.is_closed = True
        waiting, self._waiting = self._waiting, {}
        for done in waiting.values():
            done(LOST)


class _InOrder:
    """Keeps what comes too early until what was sent before it is there."""

    def __init__(self) -> None:
        self._next = 0
        self._early: dict[int, Action] = {}

    def take(self, number: int, action: Action) -> None:
        self._early[number] = action
        while self._next in self._early:
            self._next += 1
            self._early.pop(self._next - 1)()


class _Batch:
    """One batch and the records in it."""

    __slots__ = ("names", "records", "sequence")

    def __init__(self, names: list[str], producer_id: int, sequence: int) -> None:
        self.names = names
        self.sequence = sequence
        records = [Record(None, name.encode(), (), 0) for name in names]
        self.records = build_batch(records, producer_id=producer_id, producer_epoch=0, base_sequence=sequence)


class PipeliningProducer(SimulatedProducer):
    """Keeps up to five batches under way on one connection to the supposed leader."""

    def begin(self) -> None:
        self._unacknowledged: deque[_Batch] = deque()
        self._under_way = 0
        self._is_draining = False
        self._stream: Stream | None = None
        self._generation = 0
        super().begin()

    def _next(self) -> None:
        """Begin: first with what was sent before, then with what is new."""
        self._generation += 1
        self._send_on(self._generation)

    def _send_on(self, generation: int) -> None:
        if generation != self._generation or self._is_draining or self.is_stopped:
            return
        go_on = partial(self._send_on, generation)
        if self._leader is None:
            self._look_for_leader(go_on)
            return
        if self._under_way < IN_FLIGHT_MAX:
            if self._under_way == len(self._unacknowledged):
                self._unacknowledged.append(self._made())
            self._send_batch(self._unacknowledged[self._under_way])
        is_burst = self._under_way < IN_FLIGHT_MAX and self._rng.random() < 0.7
        self.process.later(self._rng.randint(*(BURST_US if is_burst else self.pause_us)), go_on)

    def _made(self) -> _Batch:
        count = self._rng.randint(1, 3)
        names = [f"{self.name}:{self._number + each}" for each in range(count)]
        self._number += count
        batch = _Batch(names, self.producer_id, self._sequence)
        self._sequence += count
        return batch

    def _send_batch(self, batch: _Batch) -> None:
        assert self._leader is not None, "a batch is sent to a known leader"
        broker, acks = self._brokers[self._leader], self.acks
        if self._stream is None:
            self._stream = Stream(self._network, self._scheduler, self.process, broker.process)
        self._under_way += 1
        self._stream.ask(
            lambda reply: broker.produce(self.key, batch.records, acks, reply),
            partial(self._on_batch_answer, batch, self._generation),
            timeout_us=REQUEST_US,
        )

    def _on_batch_answer(self, batch: _Batch, generation: int, answer: object) -> None:
        if generation != self._generation:
            return
        self._under_way -= 1
        error = answer.error if isinstance(answer, Produced) else None
        if error is ErrorCode.NONE and isinstance(answer, Produced):
            self._take_success(batch, answer.base_offset)
        elif error in self.final_errors:
            self._take_blame(batch, error)
            return
        else:
            self._is_draining = True
        if self._is_draining and not self._under_way:
            self._begin_again()

    def _take_success(self, batch: _Batch, base_offset: int) -> None:
        first = self._unacknowledged[0]
        if first is not batch:
            if self._judge.shown[self.key].lost:
                return
            raise Broken(f"{self.name} received the offset of {batch.names}, and never that of {first.names} before it")
        self._unacknowledged.popleft()
        self.acknowledged += 1
        for place, name in enumerate(batch.names):
            self._judge.on_acknowledged(self.key, base_offset + place, name)

    def _take_blame(self, batch: _Batch, error: ErrorCode | None) -> None:
        if not self._judge.shown[self.key].lost:
            raise Broken(f"{self.name} received {error.name if error else ''} for {batch.names}")
        self.producer_id += 1_000
        self._sequence = 0
        self._unacknowledged.clear()
        self._under_way = 0
        self._begin_again()

    def _begin_again(self) -> None:
        self._is_draining = False
        self._generation += 1
        self._leader = None
        if self._stream is not None:
            self._stream.is_closed = True
        self._stream = None
        self.process.later(self._rng.randint(1, RETRY_US), self._next)
