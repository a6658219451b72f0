"""A cluster of facts only: a store in memory, an image that follows it, brokers that are nothing but registrations."""

from collections.abc import Iterable
from uuid import UUID

from chronik.metadata.decisions.brokers import (
    Registered,
    plan_clear_lossy,
    plan_leave_sets,
    plan_register_broker,
)
from chronik.metadata.decisions.elections import (
    ControllerReport,
    ElectionRules,
    next_controller_work,
    plan_take_control,
)
from chronik.metadata.decisions.topics import (
    ClusterRules,
    TopicRequest,
    plan_create_topics,
)
from chronik.metadata.image.image import Image, PartitionImage
from chronik.metadata.image.keys import Endpoint, PartitionState, Registration, encode_partition, partition_key
from chronik.metadata.stores.memory.state import MemoryState
from chronik.metadata.stores.plan import (
    Plan,
    Refusal,
    Transaction,
)
from chronik.metadata.stores.port import Committed, LeaseId, Put, check_transaction
from chronik.model.ids import NO_BROKER, BrokerEpoch, BrokerId, LeaderEpoch, PartitionEpoch

TOPIC_ID = UUID(int=1)
TURNS_MAX = 20


def ids(*brokers: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, brokers))


class Members:
    """Brokers that register, die and come back; every plan goes through the store with all its guards."""

    def __init__(self, brokers: int = 3, *, min_insync: int = 2, racks: Iterable[str | None] = ()) -> None:
        self.store = MemoryState()
        self.image = Image()
        self.leases: dict[int, LeaseId] = {}
        self.rules = ElectionRules()
        self.cluster_rules = ClusterRules(min_insync_replicas=min_insync)
        self.racks = list(racks) or [None] * brokers
        for broker in range(1, brokers + 1):
            self.start(broker)

    # --- the store

    def do(self, plan: "Plan[object] | Refusal | None", transactions: int | None = None) -> bool:
        """Carry a plan out, or its first transactions; False where a guard did not hold."""
        assert isinstance(plan, Plan), plan
        return all(self.transact(transaction) for transaction in plan.transactions[:transactions])

    def transact(self, transaction: Transaction) -> bool:
        check_transaction(transaction.compares, transaction.writes)
        outcome = self.store.transact(transaction.compares, transaction.writes)
        self.follow()
        return isinstance(outcome, Committed)

    def follow(self) -> None:
        while (batch := self.store.batch_at(self.image.next_revision)) is not None:
            self.image = self.image.replay(batch)

    # --- brokers

    def registration(self, broker: int, directory: str = "", boot: str = "boot") -> Registration:
        rack = self.racks[broker - 1] if broker <= len(self.racks) else None
        return Registration(BrokerId(broker), (Endpoint("A", "h", 1),), rack, directory or f"d{broker}", boot)

    def register(self, broker: int, registration: Registration | None = None) -> Plan[Registered]:
        self.leases[broker] = self.store.grant(1_000)
        wish = registration or self.registration(broker)
        return plan_register_broker(self.image, wish, "c" * 22, self.leases[broker], flushes_every_append=False)

    def start(self, broker: int, registration: Registration | None = None) -> bool:
        """Register a broker; a lossy one leaves all sets. True where it was lossy."""
        plan = self.register(broker, registration)
        assert self.do(plan)
        if plan.result.is_lossy:
            self.leave(broker)
        return plan.result.is_lossy

    def leave(self, broker: int) -> None:
        assert self.do(plan_leave_sets(self.image, BrokerId(broker)))
        assert self.do(plan_clear_lossy(self.image, BrokerId(broker)))

    def kill(self, *brokers: int) -> None:
        """Let leases end."""
        for broker in brokers:
            self.store.end(self.leases.pop(broker))
        self.follow()

    def broker_epoch(self, broker: int) -> BrokerEpoch:
        return self.image.brokers[BrokerId(broker)].broker_epoch

    # --- the controller

    def take_control(self, broker: int) -> None:
        assert self.do(plan_take_control(self.image, BrokerId(broker), self.leases[broker]))

    def settle(self) -> list[ControllerReport]:
        """Let the controller work, whoever it is, until there is nothing left to do."""
        if self.image.controller is None and self.leases:
            self.take_control(min(self.leases))
        reports = []
        while plan := self.work():
            reports.append(plan.result)
            assert self.do(plan)
            assert len(reports) < TURNS_MAX, "the controller's work does not end"
        return reports

    def work(self) -> Plan[ControllerReport] | None:
        held = self.image.controller
        return next_controller_work(self.image, held.broker_id, self.rules) if held else None

    # --- partitions

    def create(self, partitions: int = 1, factor: int = 3, **configs: str) -> None:
        named = {name.replace("_", "."): value for name, value in configs.items()}
        topic = TopicRequest("t", TOPIC_ID, partitions, factor, configs=named)
        assert self.do(plan_create_topics(self.image, [topic], self.cluster_rules))

    @property
    def partition(self) -> PartitionImage:
        return self.image.topics["t"].partitions[0]

    def put(self, state: PartitionState) -> None:
        """Write a partition's state as it is, whatever it was."""
        before = self.partition
        numbered = state._replace(
            leader_epoch=LeaderEpoch(before.leader_epoch + 1),
            partition_epoch=PartitionEpoch(before.partition_epoch + 1),
        )
        write = Put(partition_key(TOPIC_ID, 0), encode_partition(numbered))
        assert self.transact(Transaction((), (write,)))


def state(
    isr: Iterable[int],
    elr: Iterable[int] = (),
    leader: int = NO_BROKER,
    *,
    replicas: Iterable[int] = (1, 2, 3),
    min_insync: int = 2,
    last_known: Iterable[int] = (),
    adding: Iterable[int] = (),
    removing: Iterable[int] = (),
) -> PartitionState:
    return PartitionState(
        replicas=ids(*replicas),
        isr=ids(*isr),
        leader=BrokerId(leader),
        leader_epoch=LeaderEpoch(5),
        partition_epoch=PartitionEpoch(7),
        min_insync=min_insync,
        elr=ids(*elr),
        last_known=ids(*last_known),
        adding=ids(*adding),
        removing=ids(*removing),
    )


def sets(partition: PartitionState | PartitionImage) -> tuple[int, set[int], set[int]]:
    """Who leads, who is in sync, who is eligible."""
    return partition.leader, set(partition.isr), set(partition.elr)
