"""A simulated cluster of three brokers with its store, network, clients and judge."""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Final
from uuid import UUID

from chronik.metadata.decisions.topics import ClusterRules, TopicRequest, plan_create_topics, plan_delete_topics
from chronik.metadata.image import keys
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import StoreEntry
from chronik.model.ids import BrokerId, Revision, TopicPartition
from chronik.server.loop import clock
from chronik.simulation.clients import (
    CarelessProducer,
    Client,
    Committer,
    LeaderOnlyProducer,
    SimulatedProducer,
    SimulatedReader,
)
from chronik.simulation.coordination import GROUPS, GROUPS_ID
from chronik.simulation.judge import Judge
from chronik.simulation.network import Network
from chronik.simulation.pipelining import PipeliningProducer
from chronik.simulation.replicas import Key
from chronik.simulation.scheduler import Scheduler
from chronik.simulation.simulated_broker import SharedWorld, SimulatedBroker, SimulationSettings
from chronik.simulation.simulated_store import SimulatedStore

TOPIC: Final = "orders"
TOPIC_ID: Final = UUID(int=7)
TRACE_LINES: Final = 400
BEGINNING_MS: Final = 1_900_000_000_000
REPLICATION: Final = 3
DEFAULT: Final = SimulationSettings()


class World:
    """Everything there is, driven event by event."""

    def __init__(
        self,
        seed: int,
        *,
        broker_count: int = 3,
        partition_count: int = 1,
        min_insync: int = 2,
        has_groups: bool = False,
        settings: SimulationSettings = DEFAULT,
    ) -> None:
        self.rng = Random(seed)
        self._settings = settings
        self.scheduler = Scheduler()
        self.trace: deque[str] = deque(maxlen=TRACE_LINES)
        self.network = Network(self.scheduler, self.rng)
        self.store = SimulatedStore(self.scheduler, self.network)
        around = SharedWorld(
            self.scheduler, self.network, self.store, self.rng, settings, self.note, self._on_report, self._broker
        )
        self.brokers = {
            BrokerId(number): SimulatedBroker(BrokerId(number), around) for number in range(1, broker_count + 1)
        }
        self._by_process: dict[object, SimulatedBroker] = {each.process: each for each in self.brokers.values()}
        self._judged_revision = Revision(0)
        self.judge = Judge(self.brokers.values())
        self.min_insync = min_insync
        self.data_keys: tuple[Key, ...] = tuple((TOPIC_ID, index) for index in range(partition_count))
        self.keys: tuple[Key, ...] = (*self.data_keys, (GROUPS_ID, 0)) if has_groups else self.data_keys
        self.clients: list[Client] = []
        self._states: dict[str, tuple[Revision, PartitionState]] = {}

    def _broker(self, broker: BrokerId) -> SimulatedBroker:
        return self.brokers[broker]

    def _on_report(self, partition: TopicPartition) -> None:
        topic = self.image().topics.get(partition.topic)
        if topic is not None:
            self.judge.on_reported((topic.id, partition.partition))

    def note(self, who: str, text: str) -> None:
        """Put a line into the trace."""
        self.trace.append(f"{self.scheduler.now_us / 1_000_000:9.4f} s  {who:10}  {text}")

    # --- time

    @contextmanager
    def clocks(self) -> Iterator[None]:
        """Let the product read this world's time: each machine has a wall clock of its own, which may be wrong."""

        def wall_ns() -> int:
            actor = self._by_process.get(self.scheduler.actor)
            skew_ms = 0 if actor is None else actor.machine.wall_skew_ms
            return (BEGINNING_MS + skew_ms) * 1_000_000 + self.scheduler.now_us * 1_000

        before = clock.read_wall_ns, clock.read_steady_ns
        clock.read_wall_ns, clock.read_steady_ns = wall_ns, lambda: self.scheduler.now_us * 1_000
        try:
            yield
        finally:
            clock.read_wall_ns, clock.read_steady_ns = before

    def step(self) -> bool:
        """Let the next event happen, then hold every promise against what there is."""
        if not self.scheduler.step():
            return False
        if self.store.state.revision != self._judged_revision:
            self._judged_revision = self.store.state.revision
            self.judge.look_at_store(self.partition_states(), self._lossy_hosts())
        actor = self._by_process.get(self.scheduler.actor)
        if actor is not None:
            self.judge.look_at_broker(actor)
        return True

    def run_for(self, seconds: float) -> None:
        end_us = self.scheduler.now_us + int(seconds * 1_000_000)
        while self.scheduler.now_us < end_us and self.step():
            pass

    def _lossy_hosts(self) -> set[BrokerId]:
        """The brokers that the store marks as lossy: none of them may be elected."""
        hosts = ((broker, self.store.state.get(keys.host_key(broker))) for broker in self.brokers)
        return {broker for broker, entry in hosts if entry is not None and keys.decode_host(entry.value).is_lossy}

    def partition_states(self) -> list[tuple[Key, PartitionState]]:
        """The store's states, decoded once each."""
        found = []
        for key in self.keys:
            name = keys.partition_key(*key)
            entry = self.store.state.get(name)
            if entry is not None:
                found.append((key, self._decoded(name, entry)))
        return found

    def _decoded(self, name: str, entry: StoreEntry) -> PartitionState:
        known = self._states.get(name)
        if known is None or known[0] != entry.mod_revision:
            state = keys.decode_partition(entry.value)
            if known is not None and known[1] != state:
                self.note("store", f"partition {_short(name)}: {_describe(state)}")
            known = self._states[name] = (entry.mod_revision, state)
        return known[1]

    def state_of(self, key: Key) -> PartitionState:
        return dict(self.partition_states())[key]

    # --- beginning

    def found(self) -> None:
        """Start the brokers and make the topic when all of them are registered."""
        for broker in self.brokers.values():
            broker.start()
        while len(self.image().brokers) < len(self.brokers):
            assert self.step(), "brokers did not register"
        wishes = [TopicRequest(TOPIC, TOPIC_ID, len(self.data_keys), REPLICATION)]
        if self.keys != self.data_keys:
            wishes.append(TopicRequest(GROUPS, GROUPS_ID, 1, REPLICATION))
        self.decide(plan_create_topics(self.image(), wishes, self._rules))

    def decide(self, plan: Plan[Any] | Refusal) -> None:
        """Carry an administrator's decision out, as far as it passes."""
        for transaction in plan.transactions if isinstance(plan, Plan) else ():
            self.store.state.transact(*transaction)

    def recreate(self, new_id: UUID) -> None:
        """Delete the topic and make another of the same name."""
        for key in self.data_keys:
            self.judge.on_deleted(key)
        self.decide(plan_delete_topics(self.image(), [self.data_keys[0][0]]))
        wish = TopicRequest(TOPIC, new_id, len(self.data_keys), REPLICATION)
        self.decide(plan_create_topics(self.image(), [wish], self._rules))
        kept = self.keys[len(self.data_keys) :]
        self.data_keys = tuple((new_id, index) for index in range(len(self.data_keys)))
        self.keys = (*self.data_keys, *kept)
        self.note("store", "the topic is deleted, and made again under its name")

    @property
    def _rules(self) -> ClusterRules:
        return ClusterRules(min_insync_replicas=self.min_insync)

    def image(self) -> Image:
        return Image.load(self.store.state.range(""))

    def add_clients(self) -> None:
        """One producer of each kind and one reader for each partition."""
        kinds: tuple[type[Client], ...] = (SimulatedProducer, SimulatedReader, LeaderOnlyProducer, PipeliningProducer)
        if self._settings.forwards:
            kinds = (*kinds, CarelessProducer)
        for key in self.data_keys:
            for number, kind in enumerate(kinds):
                self.add_client(kind, key, f"{kind.__name__[0].lower()}{key[1]}{number}")
        if self.keys != self.data_keys:
            self.add_client(Committer, self.keys[-1], "committer")

    def add_client(self, kind: type[Client], key: Key, name: str) -> Client:
        client = kind(name, key, self.brokers, self.network, self.scheduler, self.rng, self.judge)
        if isinstance(client, SimulatedProducer) and client.producer_id >= 0:
            client.producer_id = 100 + len(self.clients)
        self.clients.append(client)
        client.process.later(0, client.begin)  # type: ignore[attr-defined]
        return client


def _short(key: str) -> str:
    return "of groups" if str(GROUPS_ID) in key else key.rpartition("/")[2]


def _describe(state: PartitionState) -> str:
    leader = f"leader {state.leader}" if state.leader >= 0 else "no leader"
    elr = f", eligible {list(state.elr)}" if state.elr else ""
    moving = f", coming {list(state.adding)}, going {list(state.removing)}" if state.adding or state.removing else ""
    lost = f", last known {list(state.last_known)}" if state.last_known else ""
    return f"{leader} in epoch {state.leader_epoch}, in sync {list(state.isr)}{elr}{lost}{moving}"
