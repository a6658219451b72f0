"""Clients of a simulated cluster: producers that retry until they are acknowledged, and readers."""

from collections.abc import Callable
from random import Random
from typing import Final
from uuid import UUID

from chronik.coordinator.commands import CommitOffsets, FetchOffsets, OffsetToCommit
from chronik.coordinator.responses import OffsetsResponse, PartitionErrors
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId, TopicPartition
from chronik.records.batch import crc_is_right, walk
from chronik.records.build import Record, build_batch
from chronik.records.iterate import records_of
from chronik.server.fetch.reading import FetchSpec, PartitionRead
from chronik.simulation.judge import Broken, Judge
from chronik.simulation.network import Network, Reply
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.producing import Produced
from chronik.simulation.replicas import Key
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_broker import CONSUMING, KnownLeader, Listed, SimulatedBroker

REQUEST_US: Final = 700_000
RETRY_US: Final = 30_000
BYTES_MAX: Final = 4_000
POSITIONED: Final = TopicPartition("orders", 0)
POSITIONED_ID: Final = UUID(int=7)


class Client:
    """Knows all brokers, and the leader that one of them named."""

    def __init__(
        self,
        name: str,
        key: Key,
        brokers: dict[BrokerId, SimulatedBroker],
        network: Network,
        scheduler: Scheduler,
        rng: Random,
        judge: Judge,
    ) -> None:
        self.name = name
        self.key = key
        self.process = SimulatedProcess(name, scheduler)
        self.process.start()
        self._brokers = brokers
        self._network = network
        self._rng = rng
        self._judge = judge
        self._scheduler = scheduler
        self._leader: BrokerId | None = None
        self._leader_epoch = -1

    def _ask(self, handle: Callable[[SimulatedBroker], Callable[..., None]], done: Callable[[object], None]) -> None:
        """Ask the supposed leader; without one, ask any broker for the leader."""
        broker = self._brokers[self._leader if self._leader is not None else self._any()]
        serve = handle(broker)
        self._network.call(self.process, broker.process, serve, done, timeout_us=REQUEST_US)

    def _any(self) -> BrokerId:
        return self._rng.choice(sorted(self._brokers))

    def _look_for_leader(self, then: Callable[[], None]) -> None:
        """Ask any broker for the leader."""
        broker = self._brokers[self._any()]

        def on_leader(answer: object) -> None:
            # As clients do: a broker that knows less than one that was heard before is not believed.
            if isinstance(answer, KnownLeader) and answer.leader_epoch >= self._leader_epoch:
                self._leader_epoch = answer.leader_epoch
                self._leader = answer.leader if answer.leader != NO_BROKER else None
            self.process.later(self._rng.randint(1, RETRY_US), then)

        self._network.call(
            self.process,
            broker.process,
            lambda reply: reply(broker.leader_of(self.key)),
            on_leader,
            timeout_us=REQUEST_US,
        )


class SimulatedProducer(Client):
    """Sends one batch after the other with idempotence, and retries each until it is acknowledged."""

    producer_id = 0
    acks = -1
    pause_us = (1_000, 60_000)
    final_errors = frozenset(
        {ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.CORRUPT_MESSAGE}
    )

    def begin(self) -> None:
        self._sequence = 0
        self._number = 0
        self.acknowledged = 0
        self.is_stopped = False
        self._next()

    def _next(self) -> None:
        if self.is_stopped:
            return
        count = self._rng.randint(1, 3)
        self._names = [f"{self.name}:{self._number + each}" for each in range(count)]
        self._number += count
        self._batch = build_batch(
            [Record(None, name.encode(), (), 0) for name in self._names],
            producer_id=self.producer_id,
            producer_epoch=0 if self.producer_id >= 0 else -1,
            base_sequence=self._sequence if self.producer_id >= 0 else -1,
        )
        self._send()

    def _send(self) -> None:
        if self._leader is None:
            self._look_for_leader(self._send)
            return
        batch, acks = self._batch, self.acks
        self._ask(lambda broker: lambda reply: broker.produce(self.key, batch, acks, reply), self._on_answer)

    def _on_answer(self, answer: object) -> None:
        if isinstance(answer, Produced) and answer.error is ErrorCode.NONE:
            self._on_acknowledged(answer.base_offset)
            return
        if isinstance(answer, Produced) and answer.error in self.final_errors:
            if self._judge.shown[self.key].lost:
                self._begin_anew()
                return
            raise Broken(f"{self.name} received {answer.error.name} for {self._names}")
        self._leader = None
        self.process.later(self._rng.randint(1, RETRY_US), self._send)

    def _begin_anew(self) -> None:
        """Continue with a new producer id: with lost records their sequence numbers are lost too."""
        self.producer_id += 1_000
        self._sequence = 0
        self._next()

    def _on_acknowledged(self, base_offset: int) -> None:
        if self.acks == -1:
            for place, name in enumerate(self._names):
                self._judge.on_acknowledged(self.key, base_offset + place, name)
        self._sequence += len(self._names)
        self.acknowledged += 1
        self.process.later(self._rng.randint(*self.pause_us), self._next)


class CarelessProducer(SimulatedProducer):
    """Sends to any broker, which forwards the batch to the leader.

    That broker may know less than the client did, and a deposed leader misses what was committed since: a sequence that
    is out of order there is sent again.
    """

    final_errors = SimulatedProducer.final_errors - {ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER}

    def _send(self) -> None:
        self._leader = self._any()
        super()._send()


class LeaderOnlyProducer(SimulatedProducer):
    """Sends with acks=1 and without idempotence: its records may be lost, or stored twice."""

    producer_id = -1
    acks = 1

    def begin(self) -> None:
        self.name = f"~{self.name}"
        super().begin()


class SimulatedReader(Client):
    """Fetches from its position on, and sometimes asks for the latest offset."""

    def begin(self) -> None:
        self.seen: list[str] = []
        self.latest = -1
        self._losses_known = 0
        self._next()

    def _next(self) -> None:
        if self._leader is None:
            self._look_for_leader(self._next)
        elif self._rng.random() < 0.15:
            self._ask(lambda broker: lambda reply: broker.latest(self.key, self._judged(reply)), self._on_latest)
        else:
            self._heed_losses()
            spec = FetchSpec(self.key[0], self.key[1], len(self.seen), BYTES_MAX, -1)
            self._ask(lambda broker: lambda reply: broker.fetch(spec, CONSUMING, reply), self._on_fetched)

    def _heed_losses(self) -> bool:
        """Go back to the records that outlived the last loss; return whether the position changed."""
        shown = self._judge.shown[self.key]
        is_news = shown.losses != self._losses_known
        if is_news:
            self._losses_known = shown.losses
            del self.seen[shown.kept_end :]
        return is_news

    def _on_fetched(self, answer: object) -> None:
        if self._heed_losses():
            # It was asked for, and perhaps answered, before.
            self.process.later(self._rng.randint(1, RETRY_US), self._next)
            return
        if isinstance(answer, PartitionRead) and answer.error is ErrorCode.OFFSET_OUT_OF_RANGE:
            raise Broken(f"{self.name} read up to offset {len(self.seen)}, which a leader now says does not exist")
        if isinstance(answer, PartitionRead) and answer.error is ErrorCode.NONE:
            self._take(memoryview(answer.records))
        else:
            self._leader = None
        self.process.later(self._rng.randint(1, RETRY_US), self._next)

    def _take(self, data: memoryview) -> None:
        shown = self._judge.shown[self.key].records
        for position, header in walk(data):
            if not crc_is_right(data, position, header.size_bytes):
                raise Broken(f"{self.name} was sent a damaged batch at offset {header.base_offset}")
            for record in records_of(data[position : position + header.size_bytes]):
                if record.offset < len(self.seen):
                    continue
                name = (record.value or b"").decode()
                if name in self._judge.shown[self.key].lost:
                    # A leader that does not know yet that it leads no more.
                    self._leader = None
                    return
                if record.offset >= len(shown) or shown[record.offset] != name:
                    raise Broken(f"{self.name} read {name} at offset {record.offset}, which was never committed there")
                self.seen.append(name)

    def _judged(self, reply: Reply) -> Reply:
        """Check a response at the moment when the broker sends it: on its way it may become outdated."""

        def judge_and_reply(answer: object) -> None:
            if isinstance(answer, Listed) and answer.error is ErrorCode.NONE:
                self._judge.on_listed(self.key, answer)
            reply(answer)

        return judge_and_reply

    def _on_latest(self, answer: object) -> None:
        if isinstance(answer, Listed) and answer.error is ErrorCode.NONE:
            self.latest = answer.offset
        else:
            self._leader = None
        self.process.later(self._rng.randint(1, RETRY_US), self._next)


class Committer(Client):
    """Commits one offset after the other to its group's coordinator, and sometimes fetches the committed offset.

    After a request of unknown fate it goes on with another group: that request may still arrive, after a later one.
    """

    def begin(self) -> None:
        self._group = 0
        self._position = 0
        self.committed = -1
        self._next()

    def _next(self) -> None:
        if self._leader is None:
            self._look_for_leader(self._next)
        elif self.committed >= 0 and self._rng.random() < 0.3:
            fetch = FetchOffsets(self._group_id, (POSITIONED,))
            self._ask(lambda broker: lambda reply: broker.coordinate(fetch, reply), self._on_position)
        else:
            self._position += 1
            wish = OffsetToCommit(POSITIONED_ID, POSITIONED, self._position, -1, "")
            commit = CommitOffsets(self._group_id, -1, "", None, (wish,))
            self._ask(lambda broker: lambda reply: broker.coordinate(commit, reply), self._on_committed)

    @property
    def _group_id(self) -> str:
        return f"{self.name}-{self._group}"

    def _on_committed(self, answer: object) -> None:
        if isinstance(answer, PartitionErrors) and answer.error is ErrorCode.NONE:
            self.committed = self._position
        else:
            self._leader = None
            self._group += 1
            self.committed = -1
        self.process.later(self._rng.randint(1, RETRY_US), self._next)

    def _on_position(self, answer: object) -> None:
        if isinstance(answer, OffsetsResponse) and answer.error is ErrorCode.NONE:
            held = [found.offset for found in answer.offsets]
            if self._judge.shown[self.key].lost:
                self._group += 1
                self.committed = -1
            elif not held or held[0] < self.committed:
                raise Broken(f"{self._group_id} committed offset {self.committed}, and its coordinator holds {held}")
        else:
            self._leader = None
        self.process.later(self._rng.randint(1, RETRY_US), self._next)
