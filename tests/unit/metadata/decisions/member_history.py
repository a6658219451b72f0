"""Histories of one partition by chance: brokers come, go and lose data, and decisions travel while others are made.

A ghost remembers what no broker knows: who truly holds every committed record, and whose machine truly lost some. The
decisions see only the store; after every transaction the two must agree on what matters.
"""

import random
from typing import NamedTuple

from chronik.metadata.configs.effective import BrokerLayers
from chronik.metadata.decisions.brokers import (
    plan_clear_lossy,
    plan_controlled_shutdown,
    plan_leave_sets,
    plan_register_broker,
)
from chronik.metadata.decisions.configs import ConfigChange, plan_change_topic_configs
from chronik.metadata.decisions.elections import (
    next_controller_work,
    plan_take_control,
)
from chronik.metadata.decisions.isr import (
    plan_change_isr,
)
from chronik.metadata.decisions.leaders import (
    ElectionType,
    LogEnd,
    plan_elect_leaders,
    plan_rebalance_preferred,
    plan_unclean_recovery,
)
from chronik.metadata.decisions.reassignments import (
    ReassignmentRequest,
    plan_reassign,
)
from chronik.metadata.image.image import Image, PartitionImage
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
    Transaction,
)
from chronik.metadata.stores.port import Committed
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, Offset, Revision, TopicPartition
from chronik.protocol.config_resources import AlterConfigOp
from tests.unit.metadata.decisions.member_cases import TOPIC_ID, Members, ids

T0 = TopicPartition("t", 0)
UNDER_WAY_MAX = 6


class UnderWay(NamedTuple):
    """Transactions that were decided on an image and have not reached the store yet."""

    transactions: tuple[Transaction, ...]
    may_lose: bool = False
    joiner: BrokerId | None = None
    base: Revision = Revision(0)


class Machine:
    """What a broker's host truly is."""

    def __init__(self, broker: int) -> None:
        self.directory, self.boot = f"d{broker}-0", "boot-0"
        self.is_up = False
        self.mark: BrokerEpoch | None = None


class MemberHistory:
    """One partition with three replicas, and everything that may happen to it."""

    def __init__(self, seed: int, *, brokers: int = 3, may_reconfigure: bool = False) -> None:
        self.dice = random.Random(seed)
        self.members = Members(0)
        self.members.cluster_rules = self.members.cluster_rules._replace(min_insync_replicas=2)
        self.machines = {BrokerId(broker): Machine(broker) for broker in range(1, brokers + 1)}
        self.under_way: list[UnderWay] = []
        self.story: list[str] = []
        self.holders: set[BrokerId] = set(self.machines)
        self.not_left: set[BrokerId] = set()
        self.is_excused = may_reconfigure
        self.is_calm = True
        self.may_reconfigure = may_reconfigure
        for broker in self.machines:
            self.start(broker)
        self.members.create()
        self.is_calm = False

    # --- views

    @property
    def image(self) -> Image:
        return self.members.image

    @property
    def partition(self) -> PartitionImage:
        return self.members.partition

    def serves(self, broker: BrokerId) -> bool:
        host = self.image.hosts[broker]
        return self.machines[broker].is_up and broker in self.image.brokers and not host.is_lossy

    # --- what brokers and machines do

    def start(self, broker: BrokerId) -> None:
        """Start a process: register, perhaps not to the end, and leave the sets if it must."""
        machine, members = self.machines[broker], self.members
        registration = members.registration(broker, machine.directory, machine.boot)
        registration = registration._replace(closed_broker_epoch=machine.mark)
        machine.mark, machine.is_up = None, False
        lease = members.leases[broker] = members.store.grant(1_000)
        plan = plan_register_broker(self.image, registration, "c" * 22, lease, flushes_every_append=False)
        assert plan.result.is_lossy or broker not in self.not_left, f"broker {broker} lost records and is not known to"
        if not all(self.commit(transaction) for transaction in self.some(plan)) or broker not in self.image.brokers:
            return
        machine.is_up = self.image.brokers[broker].registration == registration
        if plan.result.is_lossy:
            self.leave(broker)

    def come_back(self, broker: BrokerId) -> None:
        if not self.serves(broker):
            self.start(broker)

    def some(self, plan: Plan[object]) -> tuple[Transaction, ...]:
        """Take all transactions of a plan, or sometimes only the first."""
        count = len(plan.transactions)
        return plan.transactions[: self.dice.randint(0, count) if self.goes_wrong() else count]

    def goes_wrong(self) -> bool:
        return not self.is_calm and self.dice.random() < 0.2

    def leave(self, broker: BrokerId) -> None:
        leaving = plan_leave_sets(self.image, broker)
        if not isinstance(leaving, Plan) or self.goes_wrong() or not self.carried_out(leaving):
            return
        clearing = plan_clear_lossy(self.image, broker)
        if isinstance(clearing, Plan) and not self.goes_wrong() and self.carried_out(clearing):
            self.not_left.discard(broker)

    def carried_out(self, plan: Plan[object]) -> bool:
        return all(self.commit(transaction) for transaction in plan.transactions)

    def crash(self, broker: BrokerId) -> None:
        self.machines[broker].is_up = False

    def stop_in_order(self, broker: BrokerId) -> None:
        machine = self.machines[broker]
        if machine.is_up and broker in self.image.brokers:
            machine.mark, machine.is_up = self.members.broker_epoch(broker), False
            self.end_lease(broker)

    def end_lease(self, broker: BrokerId) -> None:
        lease = self.members.leases.pop(broker, None)
        if lease is not None:
            before = self.partition
            self.members.store.end(lease)
            self.members.follow()
            self.check(before, may_lose=False)

    def lose_data(self, broker: BrokerId) -> None:
        """The machine restarts, or gets another disk: what was not flushed is gone, unless it was stopped in order."""
        machine = self.machines[broker]
        is_new_disk = self.dice.random() < 0.3
        if is_new_disk or machine.mark is None:
            self.holders.discard(broker)
            self.not_left.add(broker)
        machine.is_up = False
        if is_new_disk:
            machine.directory, machine.mark = machine.directory + "x", None
        machine.boot += "x"

    # --- what a leader does

    def write_records(self, _: BrokerId) -> None:
        """Commit records, if all who count for the high watermark are there to take them."""
        partition = self.partition
        joiners = {way.joiner for way in self.under_way if way.joiner and way.base == partition.revision}
        maximal = {*partition.isr, *joiners}
        if partition.leader == NO_BROKER or len(partition.isr) < partition.required_in_sync:
            return
        if all(self.serves(member) for member in maximal):
            # A joiner that lost records since it was proposed has had to fetch them again.
            assert self.holders.issuperset(partition.isr)
            self.holders = maximal

    def change_isr(self, _: BrokerId) -> None:
        partition, leader = self.partition, self.partition.leader
        pending = any(way.base == partition.revision for way in self.under_way)
        if leader == NO_BROKER or not self.serves(leader) or pending:
            return
        member = self.dice.choice([replica for replica in partition.replicas if replica != leader] or [leader])
        if member == leader or (member not in partition.isr and not self.serves(member)):
            return
        self._propose(leader, member)

    def _propose(self, leader: BrokerId, member: BrokerId) -> None:
        partition = self.partition
        joins = member not in partition.isr
        isr = (*partition.isr, member) if joins else tuple(one for one in partition.isr if one != member)
        plan = plan_change_isr(
            self.image,
            TOPIC_ID,
            0,
            leader,
            self.members.broker_epoch(leader),
            isr=isr,
            added={member: self.members.broker_epoch(member)} if joins else {},
            partition_revision=partition.revision,
        )
        if isinstance(plan, Refusal):
            assert not self.image.may_lead(member), plan
            return
        if joins:
            # It has fetched all that the leader has.
            self.holders.add(member)
        joiner = member if joins else None
        self.under_way.append(UnderWay(plan.transactions, joiner=joiner, base=partition.revision))

    # --- decisions that travel

    def take_control(self, broker: BrokerId) -> None:
        if broker in self.members.leases:
            self.send(plan_take_control(self.image, broker, self.members.leases[broker]))

    def control(self, _: BrokerId) -> None:
        held = self.image.controller
        self.send(next_controller_work(self.image, held.broker_id, self.members.rules) if held else None)

    def hand_over(self, broker: BrokerId) -> None:
        self.send(plan_controlled_shutdown(self.image, broker))

    def prefer(self, broker: BrokerId) -> None:
        self.send(plan_elect_leaders(self.image, [T0], ElectionType.PREFERRED))
        self.send(plan_rebalance_preferred(self.image, broker))

    def elect_unclean(self, _: BrokerId) -> None:
        self.send(plan_elect_leaders(self.image, [T0], ElectionType.UNCLEAN), may_lose=True)

    def recover(self, _: BrokerId) -> None:
        """Ask the last known, if all of them answer."""
        asked = self.partition.last_known
        if asked and all(map(self.serves, asked)):
            ends = {
                broker: LogEnd(LeaderEpoch(0), Offset(self.dice.randrange(9)), self.members.broker_epoch(broker))
                for broker in asked
            }
            self.send(plan_unclean_recovery(self.image, TOPIC_ID, 0, ends), may_lose=True)

    def reassign(self, _: BrokerId) -> None:
        live = sorted(self.image.brokers)
        wished = self.dice.sample(live, min(len(live), self.dice.randint(1, 3))) if self.dice.random() < 0.7 else None
        self.send(plan_reassign(self.image, [ReassignmentRequest(T0, wished)]))

    def change_minimum(self, _: BrokerId) -> None:
        change = ConfigChange("min.insync.replicas", AlterConfigOp.SET, str(self.dice.randint(1, 3)))
        rules = self.members.cluster_rules
        self.send(plan_change_topic_configs(self.image, "t", [change], rules, BrokerLayers()))

    def send(self, plan: Plan[object] | Refusal | None, *, may_lose: bool = False) -> None:
        if isinstance(plan, Plan) and plan.transactions and len(self.under_way) < UNDER_WAY_MAX:
            self.under_way.append(UnderWay(plan.transactions, may_lose))

    def arrive(self, _: BrokerId) -> None:
        """Let a transaction reach the store, in whatever order they were sent."""
        if self.under_way:
            way = self.under_way.pop(self.dice.randrange(len(self.under_way)))
            if self.commit(way.transactions[0], may_lose=way.may_lose) and way.transactions[1:]:
                self.under_way.append(way._replace(transactions=way.transactions[1:]))

    def vanish(self, _: BrokerId) -> None:
        if self.under_way:
            self.under_way.pop(self.dice.randrange(len(self.under_way)))

    # --- the store, and what must hold

    def commit(self, transaction: Transaction, *, may_lose: bool = False) -> bool:
        before = self.partition if "t" in self.image.topics else None
        if any(getattr(write, "lease", None) not in (None, *self.members.store.leases) for write in transaction.writes):
            return False
        outcome = self.members.store.transact(transaction.compares, transaction.writes)
        self.members.follow()
        if before is not None:
            self.check(before, may_lose=may_lose)
        return isinstance(outcome, Committed)

    def check(self, before: PartitionImage, *, may_lose: bool) -> None:
        after = self.partition
        sets = {*after.isr, *after.elr}
        if after.leader != before.leader:
            assert after.leader_epoch > before.leader_epoch
            known = {*before.isr, *before.elr, NO_BROKER}
            if after.leader not in known:
                assert may_lose, f"{after.leader} leads out of nowhere: {before} -> {after}"
                self.holders, self.is_excused = {after.leader}, True
        assert after.leader == NO_BROKER or after.leader in after.isr
        assert not set(after.isr) & set(after.elr)
        assert sets or after.last_known, "who held the records is forgotten"
        assert sets <= self.holders | self.not_left, f"{sets} may lead, only {self.holders} hold everything"
        if after.leader != NO_BROKER and self.serves(after.leader):
            assert after.leader in self.holders
        if not self.is_excused:
            assert len(sets) + len(after.last_known) >= after.required_in_sync, f"too few are remembered: {after}"
        elif len(after.isr) >= after.required_in_sync:
            self.is_excused = self.may_reconfigure

    # --- running

    def run(self, steps: int) -> None:
        weights = {
            self.arrive: 60,
            self.change_isr: 40,
            self.control: 30,
            self.write_records: 30,
            self.come_back: 20,
            self.take_control: 10,
            self.end_lease: 6,
            self.recover: 5,
            self.crash: 5,
            self.start: 3,
            self.hand_over: 3,
            self.prefer: 3,
            self.vanish: 3,
            self.stop_in_order: 2,
            self.lose_data: 2,
        }
        if self.may_reconfigure:
            weights |= {self.reassign: 4, self.change_minimum: 3, self.elect_unclean: 1}
        events, odds = list(weights), list(weights.values())
        for _ in range(steps):
            (event,), broker = self.dice.choices(events, odds), self.dice.choice(list(self.machines))
            self.story.append(f"{event.__name__}({broker}): {self.partition}")
            event(broker)

    def calm_down(self) -> None:
        """Let faults end: everybody starts, what travels is lost, and the controller works until nothing is left."""
        self.under_way.clear()
        self.is_calm = True
        for broker in self.machines:
            self.start(broker)
        self.members.settle()
        self.recover(ids(1)[0])
        while self.under_way:
            self.arrive(ids(1)[0])
        self.members.settle()
