"""A simulated cluster in which only happens what a scenario says: links held and let go, processes killed on cue."""

from collections.abc import Callable
from typing import NamedTuple
from uuid import UUID

from chronik.coordinator.commands import Command, CommitOffsets, FetchOffsets, OffsetToCommit
from chronik.metadata.decisions.leaders import ElectionType, plan_elect_leaders
from chronik.metadata.decisions.reassignments import ReassignmentRequest, plan_reassign
from chronik.metadata.image.image import Image
from chronik.metadata.image.keys import PartitionState
from chronik.metadata.stores.plan import Plan, Refusal
from chronik.metadata.stores.port import Committed
from chronik.model.errors import ErrorCode
from chronik.model.ids import BrokerId, TopicPartition
from chronik.records.build import Record, build_batch
from chronik.server.fetch.reading import FetchReader, FetchSpec, PartitionRead
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.replica import Replica
from chronik.simulation.disk_faults import IN_THE_RECORDS, damage_batch
from chronik.simulation.faults import Nemesis
from chronik.simulation.process import SimulatedProcess
from chronik.simulation.producing import Produced
from chronik.simulation.replicas import Key
from chronik.simulation.simulated_broker import CONSUMING, Listed, SimulatedBroker, SimulationSettings
from chronik.simulation.world import TOPIC, World

STORE = "store"
POSITIONED = TopicPartition("orders", 0)
SEED_BY_CONTROLLER = {1: 2, 2: 4, 3: 1}
"""Which of leader, second and third becomes the controller is chance; scenarios choose."""


class Sent(NamedTuple):
    """A request of a client, and what became of it; nothing while it is under way."""

    name: str
    answers: list[object]

    @property
    def error(self) -> ErrorCode | None:
        return self.answers[0].error if self.answers and isinstance(self.answers[0], Produced) else None

    @property
    def is_acknowledged(self) -> bool:
        return self.error is ErrorCode.NONE

    @property
    def offset(self) -> int:
        assert isinstance(self.answers[0], Produced)
        return self.answers[0].base_offset


class Script:
    """One partition on three brokers, with leases so long that only the scenario ends them."""

    def __init__(
        self,
        *,
        lease_ms: int = 20_000,
        lag_ms_max: int = 10_000,
        controller: int = 1,
        slow_disk: bool = False,
        groups: bool = False,
        partitions: int = 1,
    ) -> None:
        settings = SimulationSettings(lease_ms, lag_ms_max, slow_disk_share=1.0 if slow_disk else 0.0)
        seed = SEED_BY_CONTROLLER[controller]
        self.world = World(seed, settings=settings, has_groups=groups, partition_count=partitions)
        self.world.network.kept_share = 1.0
        self.key = self.world.keys[-1]
        self._client = SimulatedProcess("client", self.world.scheduler)
        self._client.start()
        self._count = 0
        self.world.found()
        first, *others = self.state.replicas
        self.leader, self.second, self.third = first, *others
        self.until(lambda: all(self.replica(each) is not None for each in self.state.replicas), "replicas are open")
        self.run(0.1)
        self._nemesis = Nemesis(self.world)
        held = self.image.controller
        assert held is not None
        meant = (self.leader, self.second, self.third)[controller - 1]
        assert groups or partitions > 1 or held.broker_id == meant, "SEED_BY_CONTROLLER is old"

    # --- looking

    @property
    def state(self) -> PartitionState:
        return self.world.state_of(self.key)

    @property
    def image(self) -> Image:
        return Image.load(self.world.store.state.range(""))

    def image_of(self, broker: BrokerId) -> Image:
        """What a broker knows of the store."""
        membership = self.broker(broker).membership
        return Image() if membership is None else membership.image

    def broker(self, broker: BrokerId) -> SimulatedBroker:
        return self.world.brokers[broker]

    def replica(self, broker: BrokerId) -> Replica | None:
        replicas = self.broker(broker).replicas
        return None if replicas is None else replicas.find(self.key)

    def leads(self, broker: BrokerId) -> bool:
        """Whether a broker has taken up the term that the store gives to it."""
        replica = self.replica(broker)
        is_led = replica is not None and isinstance(replica.role, LeaderReplica) and not replica.is_closed
        return is_led and replica is not None and replica.leader_epoch == self.state.leader_epoch

    def end(self, broker: BrokerId) -> int:
        replica = self.replica(broker)
        return -1 if replica is None else replica.log.log_end_offset

    def is_offline(self, broker: BrokerId) -> bool:
        replica = self.replica(broker)
        return replica is not None and replica.is_offline

    def watermark(self, broker: BrokerId) -> int:
        replica = self.replica(broker)
        return -1 if replica is None else replica.high_watermark

    # --- time

    def run(self, seconds: float) -> None:
        self.world.run_for(seconds)

    def until(self, condition: Callable[[], bool], what: str, seconds: float = 10.0) -> None:
        """Let time pass until something is so; a scenario that waits in vain fails."""
        end_us = self.world.scheduler.now_us + int(seconds * 1_000_000)
        while not condition():
            story = "\n".join(list(self.world.trace)[-30:])
            assert self.world.scheduler.now_us < end_us, f"waited in vain until {what}\n{story}"
            self.world.step()

    # --- doing

    def kill(self, *brokers: BrokerId) -> None:
        """Kill processes; the store sees it at once."""
        for each in brokers:
            self.kill_unseen(each)()

    def kill_unseen(self, broker: BrokerId) -> Callable[[], None]:
        """Kill a process; the store sees it when the scenario says so."""
        membership = self.broker(broker).membership
        assert membership is not None
        lease = membership.lease
        assert lease is not None
        self.broker(broker).kill()
        return lambda: self.world.store.state.end(lease)

    def start(self, *brokers: BrokerId) -> None:
        for each in brokers:
            self.broker(each).start()

    def wipe(self, broker: BrokerId) -> None:
        """Let a broker lose its disk and be down."""
        self._lose(broker, SimulatedBroker.wipe)

    def lose_power(self, broker: BrokerId) -> None:
        """Let a broker lose what it has not flushed, and be down."""
        self._lose(broker, SimulatedBroker.lose_power)

    def _lose(self, broker: BrokerId, how: Callable[[SimulatedBroker], None]) -> None:
        membership = self.broker(broker).membership
        lease = membership.lease if membership is not None else None
        how(self.broker(broker))
        self.world.judge.on_loss(broker)
        if lease is not None:
            self.world.store.state.end(lease)

    def damage(self, broker: BrokerId, offset: int, place: int = IN_THE_RECORDS) -> None:
        """Flip bits of a batch on a broker's disk, at a place that counts from its beginning."""
        replica = self.replica(broker)
        assert replica is not None
        assert damage_batch(replica.log, offset, place)
        self.world.judge.on_damage(broker)

    def checkpoint(self, broker: BrokerId) -> None:
        """Let a broker flush its log and write down that it has."""
        replica, replicas = self.replica(broker), self.broker(broker).replicas
        assert replica is not None
        assert replicas is not None
        replica.log.flush()
        replicas.write_checkpoints()

    def waits(self, leader: BrokerId, count: int) -> bool:
        """Whether so many followers' fetches wait at a leader."""
        replica = self.replica(leader)
        return replica is not None and len(replica.followers) >= count

    def known_position(self, leader: BrokerId, follower: BrokerId) -> int | None:
        """Where a leader knows a follower to be in its term."""
        replica = self.replica(leader)
        led = None if replica is None else replica.role
        return led.leader.log_end_of(follower) if isinstance(led, LeaderReplica) else None

    def known_isr(self, leader: BrokerId) -> tuple[BrokerId, ...]:
        """Who is in sync, as a leader knows it."""
        replica = self.replica(leader)
        assert replica is not None
        assert isinstance(replica.role, LeaderReplica)
        return replica.role.leader.isr

    def end_lease(self, broker: BrokerId) -> None:
        """Fence a broker that lives on without knowing it."""
        membership = self.broker(broker).membership
        assert membership is not None
        assert membership.lease is not None
        self.world.store.state.end(membership.lease)

    def hand_to(self, broker: BrokerId) -> None:
        """Let another lead, who is in sync; the one before lives on."""
        where = TopicPartition(TOPIC, self.key[1])
        others = [each for each in self.state.replicas if each != broker]
        self.world.decide(plan_reassign(self.image, [ReassignmentRequest(where, [broker, *others])]))
        self.world.decide(plan_elect_leaders(self.image, None, ElectionType.PREFERRED))
        assert self.state.leader == broker

    def decide(self, plan: Callable[[Image], Plan[None] | Refusal]) -> None:
        """Let an administrator's decision be carried out at once."""
        decided = plan(self.image)
        assert isinstance(decided, Plan), decided
        for transaction in decided.transactions:
            assert isinstance(self.world.store.state.transact(*transaction), Committed)

    def recreate(self) -> Key:
        """Delete the topic and make another of its name; gives the old one's key."""
        old = self.world.data_keys[0]
        self.world.recreate(UUID(int=old[0].int + 100))
        if self.key == old:
            self.key = self.world.data_keys[0]
        return old

    def hold(self, source: BrokerId | str, target: BrokerId | str) -> None:
        """Keep everything that is sent this way until it is let go."""
        self.world.network.cut(_name(source), _name(target))

    def let_go(self, source: BrokerId | str, target: BrokerId | str) -> None:
        self.world.network.mend(_name(source), _name(target))

    def silence_followers(self) -> None:
        """Hold what the followers of the first leader send, and wait until none of their fetches is left with it."""
        self.silence(self.second, self.third)

    def silence(self, *followers: BrokerId) -> None:
        """Hold what the only live followers send to the first leader, until none of their fetches is left with it."""
        for follower in followers:
            self.hold(follower, self.leader)
        self.until(lambda: not self.waits(self.leader, 1), "no fetch waits any more")
        self.run(0.01)

    def set_aside(self, source: BrokerId | str, target: BrokerId | str) -> list[Callable[[], None]]:
        """Take what is held this way out of the way, to be delivered on cue."""
        return self.world.network.set_aside(_name(source), _name(target))

    def deliver(self, messages: list[Callable[[], None]]) -> None:
        for message in messages:
            self.world.scheduler.after(0, message)

    def hold_both(self, one: BrokerId | str, other: BrokerId | str) -> None:
        self.hold(one, other)
        self.hold(other, one)

    def let_go_both(self, one: BrokerId | str, other: BrokerId | str) -> None:
        self.let_go(one, other)
        self.let_go(other, one)

    # --- asking, as clients do

    def send(
        self,
        to: BrokerId,
        *,
        acks: int = -1,
        producer_id: int = -1,
        sequence: int = -1,
        name: str | None = None,
        key: Key | None = None,
    ) -> Sent:
        """Send one record to a broker; acks=all is held against the judge's knowledge when it is acknowledged."""
        self._count += 1
        sent = Sent(name or f"r{self._count}", [])
        where = key or self.key
        batch = build_batch(
            [Record(None, sent.name.encode(), (), 0)],
            producer_id=producer_id,
            producer_epoch=0 if producer_id >= 0 else -1,
            base_sequence=sequence,
        )

        def answered(answer: object) -> None:
            sent.answers.append(answer)
            if acks == -1 and sent.is_acknowledged:
                self.world.judge.on_acknowledged(where, sent.offset, sent.name)

        self._call(to, lambda broker: lambda reply: broker.produce(where, batch, acks, reply), answered)
        return sent

    def send_to_all(self, to: BrokerId) -> Sent:
        """Send one record for each partition, as one request."""
        sent = Sent("all", [])
        batches = {key: build_batch([Record(None, f"r{key[1]}".encode(), (), 0)]) for key in self.world.data_keys}
        self._call(to, lambda broker: lambda reply: broker.produce_all(batches, -1, reply), sent.answers.append)
        return sent

    def committed(self, to: BrokerId) -> Sent:
        """Send one record with acks=all, when the leader may take it, and wait for its acknowledgement."""
        self.until(lambda: self._may_take_all(to), "enough are in sync, as the leader knows")
        sent = self.send(to)
        self.until(lambda: bool(sent.answers), "a record is answered")
        assert sent.is_acknowledged, sent
        return sent

    def commit(self, to: BrokerId, position: int) -> Sent:
        """Commit a group's position."""
        wish = OffsetToCommit(self.world.keys[0][0], POSITIONED, position, -1, "")
        return self._coordinate(to, CommitOffsets("group", -1, "", None, (wish,)))

    def position(self, of: BrokerId) -> Sent:
        """Ask for a group's position."""
        return self._coordinate(of, FetchOffsets("group", (POSITIONED,)))

    def _coordinate(self, to: BrokerId, command: Command) -> Sent:
        sent = Sent("command", [])
        self._call(to, lambda broker: lambda reply: broker.coordinate(command, reply), sent.answers.append)
        return sent

    def _may_take_all(self, broker: BrokerId) -> bool:
        replica = self.replica(broker)
        led = None if replica is None else replica.role
        return isinstance(led, LeaderReplica) and led.leader.has_enough_in_sync

    def latest(self, of: BrokerId) -> Listed:
        answers: list[object] = []
        self._call(of, lambda broker: lambda reply: broker.latest(self.key, reply), answers.append)
        self.until(lambda: bool(answers), "latest is answered")
        assert isinstance(answers[0], Listed)
        return answers[0]

    def fetch(self, of: BrokerId, offset: int, reader: FetchReader = CONSUMING) -> PartitionRead:
        """Fetch as a consumer, or as Kafka's debugging consumer, which any replica answers."""
        answers: list[object] = []
        spec = FetchSpec(self.key[0], self.key[1], offset, 1_000, -1)
        self._call(of, lambda broker: lambda reply: broker.fetch(spec, reader, reply), answers.append)
        self.until(lambda: bool(answers), "a fetch is answered")
        assert isinstance(answers[0], PartitionRead)
        return answers[0]

    def _call(
        self,
        to: BrokerId,
        handle: Callable[[SimulatedBroker], Callable[..., None]],
        done: Callable[[object], None],
    ) -> None:
        broker = self.broker(to)
        self.world.network.call(self._client, broker.process, handle(broker), done, timeout_us=60_000_000)

    # --- the end

    def end_well(self) -> None:
        """All comes back: every replica is in sync again and holds what was shown."""
        self._nemesis.end()
        self.until(lambda: len(self.state.isr) == len(self.world.brokers), "all are in sync again", 20.0)
        self.until(lambda: self.state.leader >= 0 and self.leads(self.state.leader), "the leader has taken up its term")
        self.committed(self.state.leader)
        self.world.judge.check_end()


def _name(who: BrokerId | str) -> str:
    return who if isinstance(who, str) else f"broker-{who}"
