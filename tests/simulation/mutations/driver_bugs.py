"""Bugs of the drivers: answers, terms, and the broker's start."""

from typing import Any

import pytest

from chronik.model.errors import ErrorCode
from chronik.server.groups.shard import ShardRuntime
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.replicas.table import PartitionTable
from chronik.simulation import coordination
from chronik.simulation.simulated_membership import SimulatedMembership
from chronik.storage.log import Log
from tests.simulation.mutations.registry import Patch, mutation


@mutation("ack before replication")
def ack_before_replication(patch: Patch) -> None:
    """A produce with acks=all is answered when the leader has it."""
    wait = LeaderReplica._await
    patch.setattr(LeaderReplica, "_await", lambda self, last_offset, acks, outcome: wait(self, last_offset, 1, outcome))


@mutation("7: acknowledges alone past its lease")
def acknowledges_past_the_lease(patch: Patch) -> None:
    """A leader gives its own word although another may have been elected."""
    patch.setattr(SimulatedMembership, "may_acknowledge_alone", lambda self: True)


@mutation("11: a parked produce outlives its term")
def parked_outlives_the_term(patch: Patch) -> None:
    """Whoever waits for a watermark goes on waiting in the broker's next term."""
    begin = LeaderReplica.__init__
    waiting: dict[Any, Any] = {}

    def end_term(self: LeaderReplica, error: ErrorCode, message: Any) -> None:
        if error is ErrorCode.NOT_LEADER_OR_FOLLOWER:
            waiting[id(self.log)] = (self.log, self._awaiting_commit)

    def begin_with(self: LeaderReplica, log: Log, *args: Any, **named: Any) -> None:
        begin(self, log, *args, **named)
        held = waiting.pop(id(log), None)
        if held is not None:
            self._awaiting_commit = held[1]

    patch.setattr(LeaderReplica, "reject_waiting", end_term)
    patch.setattr(LeaderReplica, "__init__", begin_with)


@mutation("12: a duplicate is answered at once")
def duplicates_at_once(patch: Patch) -> None:
    """A repeated batch is acknowledged although its first copy is not committed."""
    check = LeaderReplica._is_answered_by_producer_state

    def answer(self: LeaderReplica, header: Any, acks: int, outcome: Any) -> bool:
        return check(self, header, 1, outcome)

    patch.setattr(LeaderReplica, "_is_answered_by_producer_state", answer)


@mutation("14: a coordinator loads only what is committed")
def loads_only_the_committed(patch: Patch) -> None:
    """A coordinator leaves out what its log holds above a watermark that it does not know yet."""

    def load_committed(partition: Any, shard: Any) -> None:
        end = type(partition).log_end_offset
        with pytest.MonkeyPatch.context() as shorter:
            shorter.setattr(type(partition), "log_end_offset", property(lambda self: self.high_watermark))
            load(partition, shard)
        assert type(partition).log_end_offset is end

    load = coordination.load
    patch.setattr(coordination, "load", load_committed)


@mutation("14: a coordinator answers before the commit")
def answers_before_the_commit(patch: Patch) -> None:
    """A coordinator's answers do not wait for the records that they rest on."""
    carry_out = ShardRuntime.carry_out

    def answer_first(self: ShardRuntime, step: Any) -> None:
        carry_out(self, step)
        for _, answers in self._held:
            for ticket, answer in answers:
                ticket.complete(answer)
            answers.clear()

    patch.setattr(ShardRuntime, "carry_out", answer_first)


@mutation("two states for one partition")
def two_states(patch: Patch) -> None:
    """A broker that leads again keeps the old term's state beside the new one, on the same log."""

    def end_term(self: PartitionTable, key: Any, replica: Any) -> None:
        self._next_term(key, replica)

    patch.setattr(PartitionTable, "_end_term", end_term)


@mutation("records carry no epoch")
def records_carry_no_epoch(patch: Patch) -> None:
    """All records are written under one leader epoch, so that different logs look the same."""
    stage = Log.stage
    patch.setattr(Log, "stage", lambda self, batch, header, leader_epoch, now_ms: stage(self, batch, header, 0, now_ms))


@mutation("16: producers are forgotten by a restart")
def producers_forgotten(patch: Patch) -> None:
    """A log that is opened knows no producers."""
    opened = Log.open.__func__  # type: ignore[attr-defined]

    def open_without(cls: type[Log], *args: Any, **named: Any) -> Log:
        log: Log = opened(cls, *args, **named)
        log.producers.clear()
        return log

    patch.setattr(Log, "open", classmethod(open_without))
