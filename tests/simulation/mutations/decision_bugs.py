"""Bugs of the decisions: guards left out, sets kept or forgotten, lossy brokers trusted."""

from collections.abc import Iterator
from typing import Any

from chronik.metadata.decisions import brokers as broker_decisions
from chronik.metadata.decisions import configs as config_decisions
from chronik.metadata.decisions import elections as election_decisions
from chronik.metadata.decisions import isr as isr_decisions
from chronik.metadata.decisions import membership, partition_changes
from chronik.metadata.decisions.membership import MembershipCore
from chronik.metadata.decisions.partition_changes import change_step, with_in_sync
from chronik.metadata.stores.plan import Plan, PlanStep
from chronik.metadata.stores.port import CompareTarget
from chronik.simulation.simulated_membership import SimulatedMembership
from tests.simulation.mutations.registry import Patch, mutation

MODULES = (broker_decisions, election_decisions, isr_decisions, partition_changes)


def _without(step: PlanStep, unwanted: Any) -> PlanStep:
    return PlanStep(tuple(compare for compare in step.compares if not unwanted(compare)), step.writes)


def _is_partition(compare: Any) -> bool:
    return bool(compare.key.startswith("partitions/"))


def _is_registration(compare: Any) -> bool:
    return bool(compare.key.startswith("brokers/")) and compare.target is CompareTarget.CREATE


@mutation("1: who leaves a small set is forgotten")
def no_eligible(patch: Patch) -> None:
    """There are no eligible leader replicas."""
    for module in MODULES:
        if hasattr(module, "with_in_sync"):
            patch.setattr(module, "with_in_sync", lambda state, isr: with_in_sync(state, isr)._replace(elr=()))


@mutation("1: eligible for ever")
def eligible_for_ever(patch: Patch) -> None:
    """Who was eligible stays so when the set suffices again."""

    def keep(state: Any, isr: Any) -> Any:
        after = with_in_sync(state, isr)
        kept = tuple(each for each in (*state.elr, *after.elr) if each not in after.isr)
        return after._replace(elr=tuple(dict.fromkeys(kept)))

    for module in MODULES:
        if hasattr(module, "with_in_sync"):
            patch.setattr(module, "with_in_sync", keep)


@mutation("1: a lower minimum leaves the eligible")
def lower_minimum_leaves_the_eligible(patch: Patch) -> None:
    """Lowering min.insync.replicas does not touch who is eligible."""
    patch.setattr(config_decisions, "with_in_sync", lambda state, isr: state)


@mutation("2: a lossy broker stays in its sets")
def lossy_stays(patch: Patch) -> None:
    """Nobody is ever taken for lossy."""
    patch.setattr(broker_decisions, "may_have_lost", lambda *args, **named: False)


@mutation("2: lossy is forgotten by one more restart")
def lossy_is_forgotten(patch: Patch) -> None:
    """A broker that crashes between its lossy registration and its leaving looks clean."""
    judge = broker_decisions.may_have_lost

    def forget(image: Any, registration: Any, **named: Any) -> bool:
        host = image.hosts.get(registration.broker_id)
        hosts = dict(image.hosts)
        if host is not None:
            hosts[registration.broker_id] = host._replace(is_lossy=False)
        return judge(image._replace(hosts=hosts), registration, **named)

    patch.setattr(broker_decisions, "may_have_lost", forget)


@mutation("2: serves before it has left")
def serves_before_leaving(patch: Patch) -> None:
    """A lossy broker serves first and leaves the sets afterwards."""

    serve = SimulatedMembership._serve
    lossy: set[MembershipCore] = set()

    def leave_later(self: MembershipCore) -> Iterator[Any]:
        lossy.add(self)
        yield from ()

    def serve_then_leave(self: SimulatedMembership) -> None:
        serve(self)
        if self._core in lossy:
            lossy.discard(self._core)
            self._hold.carry_out(
                lambda image: broker_decisions.plan_leave_sets(image, self.broker), lambda result: None
            )

    patch.setattr(MembershipCore, "_leave_sets", leave_later)
    patch.setattr(SimulatedMembership, "_serve", serve_then_leave)


@mutation("3: a leader's change does not compare the revision")
def no_revision(patch: Patch) -> None:
    """A leader's change passes whatever happened to the partition meanwhile."""
    patch.setattr(
        isr_decisions, "change_step", lambda *args, **named: _without(change_step(*args, **named), _is_partition)
    )


@mutation("3: a leader's change does not compare registrations")
def no_registrations(patch: Patch) -> None:
    """A leader's change names broker epochs that may be over: its own, and that of the member it adds."""
    patch.setattr(
        isr_decisions, "change_step", lambda *args, **named: _without(change_step(*args, **named), _is_registration)
    )
    patch.setattr(isr_decisions, "_rejection_of_added", lambda *args: None)


@mutation("3: a controller's change does not compare the revision")
def controller_no_revision(patch: Patch) -> None:
    """An election passes whatever happened to the partition meanwhile."""
    patch.setattr(
        election_decisions, "change_step", lambda *args, **named: _without(change_step(*args, **named), _is_partition)
    )


@mutation("6: the dead stay in sync")
def the_dead_stay(patch: Patch) -> None:
    """The controller leaves fenced brokers in the in-sync sets."""
    patch.setattr(election_decisions, "without_members", lambda state, gone: state)


@mutation("11: a restarted leader resumes its term")
def resumes_its_term(patch: Patch) -> None:
    """A new broker epoch does not resign what the earlier one led."""
    plan = broker_decisions.plan_register_broker

    def without_resigning(image: Any, *args: Any, **named: Any) -> Plan[Any]:
        return plan(image._replace(topics={}), *args, **named)

    patch.setattr(membership, "plan_register_broker", without_resigning)


@mutation("unclean election")
def unclean(patch: Patch) -> None:
    """Where nobody in sync is alive, any replica leads."""
    patch.setattr(election_decisions, "is_unclean_allowed", lambda *args: True)
