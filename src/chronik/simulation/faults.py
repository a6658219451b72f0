"""What goes wrong in a simulated cluster, and when: drawn from the seed, within the budget of what is promised.

SimulatedProcess crashes, pauses, cuts and disks that refuse are without limit. Lossy restarts and damage stay below
``min.insync.replicas``: a second broker loses data only when the first is in sync again everywhere. Runs that do not
keep to that may lose what was acknowledged, but not silently; in these nothing is damaged, since what nobody can read
holds everything up until somebody decides what to do about it.
"""

from collections.abc import Callable
from typing import Final

from chronik.metadata.decisions.leaders import ElectionType, plan_elect_leaders
from chronik.metadata.decisions.reassignments import ReassignmentRequest, plan_reassign
from chronik.model.ids import BrokerId, TopicPartition
from chronik.simulation.disk_faults import DiskFaults, Hand
from chronik.simulation.scheduler import Action
from chronik.simulation.simulated_broker import SimulatedBroker
from chronik.simulation.simulated_store import STORE
from chronik.simulation.world import TOPIC, World

KEEPER_US: Final = 300_000
LOCK_SEEN_US: Final = 20_000
"""How soon the death of a process is seen where a lock is released by it; elsewhere the lease's time must pass."""


class Nemesis:
    """Injects faults from time to time, and repairs them."""

    def __init__(self, world: World, *, keeps_budget: bool = True) -> None:
        self.world = world
        self._keeps_budget = keeps_budget
        self.rng = world.rng
        self._is_over = False
        self._locks_tell = self.rng.random() < 0.6
        self.done: dict[str, int] = {}
        kinds: list[tuple[int, Callable[[], None]]] = [
            (5, self.kill_one),
            (1, self.kill_all),
            (4, self.pause_one),
            (3, self.cut_two),
            (3, self.cut_from_store),
            (2, self.isolate_one),
            (2, self.slow_link),
            (1, self.stop_store),
            (2, self.restart_in_order),
            (3, self.lose_power),
            (1, self.wipe),
            (1, self.expire_lease),
            *DiskFaults(self, may_damage=keeps_budget).kinds(),
            *Administrator(self).kinds(),
        ]
        self._kinds = [kind for weight, kind in kinds for _ in range(weight)]
        # Some runs see few kinds of faults, and so more of each.
        if self.rng.random() < 0.5:
            self._kinds = self.rng.sample(self._kinds, 6)
        if not keeps_budget:
            self._kinds += [self.lose_all_power] * 3
        self._pause_us = (50_000, self.rng.choice((300_000, 900_000, 2_000_000)))

    def begin(self) -> None:
        self.later(self.rng.randint(*self._pause_us), self._strike)

    def _strike(self) -> None:
        if self._is_over:
            return
        kind = self.rng.choice(self._kinds)
        self.done[kind.__name__] = self.done.get(kind.__name__, 0) + 1
        kind()
        self.begin()

    def end(self, spared: BrokerId | None = None) -> None:
        """Undo everything: all run, nothing is cut. ``spared`` stays as it is if it is down."""
        self._is_over = True
        world = self.world
        world.note("nemesis", "ends")
        world.network.mend_all()
        if not world.store.process.is_running:
            world.store.restart()
        for broker in world.brokers.values():
            broker.machine.disk.space_bytes = None
            broker.machine.disk.forgive()
            if broker.process.is_paused:
                broker.process.resume()
        self._keep_alive(spared)

    def _keep_alive(self, spared: BrokerId | None) -> None:
        """Start every broker that is down, and restart brokers with offline replicas."""
        for broker in self.world.brokers.values():
            if broker.table is not None and broker.table.has_offline():
                broker.kill()
            if not broker.process.is_running and broker.id != spared:
                broker.start()
        self.world.scheduler.after(KEEPER_US, lambda: self._keep_alive(spared))

    # --- processes

    def kill_one(self) -> None:
        self.kill(self.any(), self.rng.randint(10_000, 2_000_000))

    def kill_all(self) -> None:
        for broker in self.world.brokers.values():
            self.kill(broker, self.rng.randint(10_000, 1_000_000))

    def kill(self, broker: SimulatedBroker, restart_us: int) -> None:
        """Kill a process and start it again later."""
        if broker.process.is_running:
            self._end_lease_soon(broker)
            broker.kill()
        self._start_later(broker, restart_us)

    def pause_one(self) -> None:
        broker = self.any()
        if broker.process.is_running and not broker.process.is_paused:
            self.world.note("nemesis", f"stops {broker.process.name} (SIGSTOP)")
            broker.process.pause()
            self.later(self.rng.randint(20_000, 2_500_000), lambda: self._resume(broker, broker.process.life))

    def _resume(self, broker: SimulatedBroker, life: int) -> None:
        if broker.process.life == life and broker.process.is_paused:
            self.world.note("nemesis", f"lets {broker.process.name} go on")
            broker.process.resume()

    def restart_in_order(self) -> None:
        broker = self.any()
        if broker.process.is_running and not broker.process.is_paused:
            broker.stop()
            broker.process.later(1_500_000, lambda: self.kill(broker, 10_000))
            self._start_later(broker, self.rng.randint(200_000, 1_500_000))

    def lose_power(self) -> None:
        self._lose(self.any(), SimulatedBroker.lose_power)

    def lose_all_power(self) -> None:
        """Restart all machines at once: records that no broker has flushed are lost."""
        for broker in self.world.brokers.values():
            self._lose(broker, SimulatedBroker.lose_power)

    def wipe(self) -> None:
        self._lose(self.any(), SimulatedBroker.wipe)

    def _lose(self, broker: SimulatedBroker, how: Callable[[SimulatedBroker], None]) -> None:
        if self.may_lose(broker.id):
            self._end_lease_soon(broker)
            how(broker)
            self.world.judge.on_loss(broker.id)
            self._start_later(broker, self.rng.randint(10_000, 2_000_000))

    def may_lose(self, broker: BrokerId) -> bool:
        """Return whether a lossy restart is within the budget."""
        if not self._keeps_budget:
            return True
        lossy = self.world.judge.lossy_brokers() | {broker}
        return len(lossy) < self.world.min_insync

    def _end_lease_soon(self, broker: SimulatedBroker) -> None:
        lease = broker.membership.lease if broker.membership else None
        if lease is not None and self._locks_tell:
            self.later(self.rng.randint(1, LOCK_SEEN_US), lambda: self.world.store.state.end(lease))

    def expire_lease(self) -> None:
        broker = self.any()
        lease = broker.membership.lease if broker.membership else None
        if lease is not None:
            self.world.note("nemesis", f"ends the lease of {broker.process.name}")
            self.world.store.state.end(lease)

    def _start_later(self, broker: SimulatedBroker, delay_us: int) -> None:
        def start() -> None:
            if not broker.process.is_running:
                broker.start()

        self.later(delay_us, start)

    # --- the network and the store

    def cut_two(self) -> None:
        one, other = self.rng.sample(sorted(self.world.brokers), 2)
        self._truncate(self._name(one), self._name(other))

    def cut_from_store(self) -> None:
        self._truncate(self.any().process.name, STORE)

    def isolate_one(self) -> None:
        name = self.any().process.name
        duration_us = self.rng.randint(100_000, 2_500_000)
        others = [each.process.name for each in self.world.brokers.values() if each.process.name != name]
        clients = [client.process.name for client in self.world.clients]
        for other in (*others, STORE, *self.rng.sample(clients, len(clients) // 2)):
            self._cut_for(name, other, duration_us)
            self._cut_for(other, name, duration_us)

    def _truncate(self, one: str, other: str) -> None:
        duration_us = self.rng.randint(50_000, 2_500_000)
        directions = self.rng.choice([(1, 0), (0, 1), (1, 1)])
        if directions[0]:
            self._cut_for(one, other, duration_us)
        if directions[1]:
            self._cut_for(other, one, duration_us)

    def _cut_for(self, source: str, target: str, duration_us: int) -> None:
        self.world.note("nemesis", f"cuts {source} → {target} for {duration_us / 1000:.0f} ms")
        self.world.network.cut(source, target)
        self.later(duration_us, lambda: self.world.network.mend(source, target))

    def slow_link(self) -> None:
        names = [*(broker.process.name for broker in self.world.brokers.values()), STORE]
        source, target = self.rng.sample(names, 2)
        self.world.network.slow_down(source, target, self.rng.choice((20, 100, 400)))
        self.later(self.rng.randint(100_000, 2_000_000), lambda: self.world.network.mend(source, target))

    def stop_store(self) -> None:
        store = self.world.store
        if store.process.is_running:
            self.world.note("nemesis", "stops the store")
            store.stop()
            self.later(self.rng.randint(50_000, 1_500_000), self._restart_store)

    def _restart_store(self) -> None:
        if not self.world.store.process.is_running:
            self.world.note("nemesis", "starts the store")
            self.world.store.restart()

    def any(self) -> SimulatedBroker:
        return self.world.brokers[self.rng.choice(sorted(self.world.brokers))]

    def _name(self, broker: BrokerId) -> str:
        return self.world.brokers[broker].process.name

    def later(self, delay_us: int, action: Action) -> None:
        def act() -> None:
            if not self._is_over:
                action()

        self.world.scheduler.after(delay_us, act)


class Administrator:
    """Moves leaderships and replicas, and changes clocks."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._rng = hand.rng
        self._world = hand.world

    def kinds(self) -> list[tuple[int, Callable[[], None]]]:
        return [(2, self.elect_preferred), (2, self.reassign), (1, self.jump_clock)]

    def elect_preferred(self) -> None:
        """Elect the preferred leaders."""
        self._world.decide(plan_elect_leaders(self._world.image(), None, ElectionType.PREFERRED))

    def reassign(self) -> None:
        """Reassign a partition, or cancel an earlier reassignment."""
        image = self._world.image()
        where = TopicPartition(TOPIC, self._rng.randrange(len(self._world.data_keys)))
        state = image.partition(*where)
        if state is None or len(image.brokers) < len(state.replicas):
            return
        wished = None
        if not state.adding or self._rng.random() < 0.6:
            count = len(state.replicas) - len(state.adding)
            wished = self._rng.sample(sorted(image.brokers), min(count, len(image.brokers)))
        self._world.decide(plan_reassign(image, [ReassignmentRequest(where, wished)]))

    def jump_clock(self) -> None:
        """Set the wall clock of a machine to another time."""
        by_ms = self._rng.choice((1_000, 3_600_000, 864_000_000)) * self._rng.choice((-1, 1))
        broker = self._hand.any()
        self._world.note("nemesis", f"sets the clock of {broker.process.name} by {by_ms} ms")
        broker.machine.wall_skew_ms += by_ms
