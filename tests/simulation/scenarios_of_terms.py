"""Scenarios of rules 7 and 11 to 16: terms, what outlives them, and what a new leader may say."""

import errno

from chronik.coordinator.responses import OffsetsResponse, PartitionErrors
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER
from tests.simulation.scenarios import scenario
from tests.simulation.script import POSITIONED, STORE, Script

# --- 7: leases are for liveness


@scenario
def rule_7_a_leader_past_its_lease_acknowledges_nothing_alone() -> None:
    """A leader is stopped, another is elected, and the first goes on with what it believed."""
    it = Script(lease_ms=900)
    it.committed(it.leader)
    it.hold_both(it.leader, STORE)
    it.run(1.5)
    assert it.state.leader != it.leader
    by_all = it.send(it.leader)
    alone = it.send(it.leader, acks=1)
    it.until(lambda: alone.error is not None, "acks=1 is answered")
    assert alone.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert it.fetch(it.leader, 0).error is ErrorCode.NONE
    it.run(0.5)
    assert not by_all.is_acknowledged
    it.let_go_both(it.leader, STORE)
    it.until(lambda: by_all.error is not None, "the term has ended")
    assert by_all.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.end_well()


# --- 11: terms


@scenario
def rule_11_a_parked_produce_ends_with_its_term() -> None:
    """A leader loses its term and wins it back: whoever waited before is not answered by what came since."""
    it = Script()
    it.silence_followers()
    parked = it.send(it.leader, name="parked")
    it.until(lambda: it.end(it.leader) == 1, "it is written")
    it.end_lease(it.leader)
    it.until(lambda: bool(parked.answers), "the term has ended")
    assert parked.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_11_a_parked_produce_is_not_answered_by_other_data_at_its_offset() -> None:
    """The record is cut, another takes its offset, and its leader leads again."""
    it = Script()
    it.silence_followers()
    it.send(it.leader, name="parked")
    it.until(lambda: it.end(it.leader) == 1, "it is written")
    it.end_lease(it.leader)
    it.until(lambda: it.state.leader not in (it.leader, NO_BROKER) and it.leads(it.state.leader), "another leads")
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.committed(it.state.leader)
    it.until(lambda: it.leader in it.state.isr, "the first is back in sync")
    it.end_lease(it.state.leader)
    it.until(lambda: it.leads(it.state.leader), "somebody leads")
    it.run(0.5)
    it.end_well()


@scenario
def rule_11_a_restarted_leader_resigns_before_it_serves() -> None:
    """A leader is killed and back before anybody noticed: its epoch is over all the same."""
    it = Script()
    it.committed(it.leader)
    before = it.state.leader_epoch
    it.broker(it.leader).kill()
    it.start(it.leader)
    it.until(lambda: it.broker(it.leader).membership is not None and it.leads(it.state.leader), "somebody leads", 5)
    it.until(lambda: it.replica(it.leader) is not None, "the first serves")
    assert it.state.leader_epoch > before
    it.end_well()


def _one_has_what_the_next_leader_lacks() -> Script:
    """The leader is alone in sync and wrote a record; the second copied it, the third is eligible and lacks it."""
    it = Script()
    it.kill(it.second)
    it.until(lambda: len(it.state.isr) == 2, "the second has left")
    it.kill(it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the third has left")
    assert it.state.elr == (it.third,)
    it.hold(it.third, it.leader)
    # The leader would take the second in: it may not reach the store.
    it.hold(it.leader, STORE)
    it.start(it.third, it.second)
    it.until(lambda: it.third in it.image.brokers and it.waits(it.leader, 1), "both are back")
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.second) == 1, "the second has the record")
    return it


def _the_first_leads_once_more(it: Script) -> None:
    """The third led meanwhile, the second cut its record, and now the first is back with its own log."""
    it.hold_both(it.leader, it.third)
    it.end_lease(it.leader)
    it.let_go(it.leader, STORE)
    it.until(lambda: it.leads(it.third), "the third leads")
    it.until(lambda: it.end(it.second) == 0, "the second has cut the record")
    # It may not come into sync with the third, or the first would be eligible no more.
    it.hold(it.second, it.third)
    it.until(lambda: it.leader in it.image.brokers, "the first is registered again")
    it.kill(it.third)
    it.until(lambda: it.leads(it.leader), "the first leads once more")
    assert it.end(it.leader) == 1


@scenario
def rule_7_a_leader_serves_fetches_of_its_own_epoch_only() -> None:
    """A fetch from two epochs ago arrives; its sender has cut since what it speaks of."""
    it = _one_has_what_the_next_leader_lacks()
    it.hold(it.second, it.leader)
    it.run(0.1)
    late = it.set_aside(it.second, it.leader)
    _the_first_leads_once_more(it)
    it.deliver(late)
    it.run(0.3)
    assert it.second not in it.state.isr
    it.let_go(it.second, it.leader)
    it.end_well()


@scenario
def rule_11_positions_are_forgotten_with_the_term() -> None:
    """A leader knew in an earlier term where its follower was, and that follower has cut its log since."""
    it = _one_has_what_the_next_leader_lacks()
    it.until(lambda: it.known_position(it.leader, it.second) == 1, "the leader knows that the second has it")
    it.hold(it.second, it.leader)
    _the_first_leads_once_more(it)
    it.start(it.third)
    it.let_go_both(it.leader, it.third)
    it.run(0.3)
    assert it.second not in it.state.isr
    it.let_go(it.second, it.leader)
    it.end_well()


@scenario
def rule_11_an_answer_to_an_older_term_is_dropped() -> None:
    """A leader of the last term said where to cut; what it spoke of is committed in the present one."""
    it = _one_has_what_the_next_leader_lacks()
    it.hold_both(it.third, it.second)
    it.hold_both(it.leader, it.third)
    it.end_lease(it.leader)
    it.let_go(it.leader, STORE)
    it.until(lambda: it.leads(it.third), "the third leads")
    it.let_go(it.second, it.third)
    it.until(lambda: it.leader in it.image.brokers, "the first is registered again")
    it.run(0.1)
    late = it.set_aside(it.third, it.second)
    assert late
    it.kill(it.third)
    it.until(lambda: it.second in it.state.isr and it.watermark(it.leader) == 1, "the record is committed after all")
    it.until(lambda: it.waits(it.leader, 1), "the second asks for what comes next")
    it.deliver(late)
    it.run(0.2)
    assert it.end(it.second) >= 1
    it.end_well()


# --- 12 to 14, 16


@scenario
def rule_12_a_duplicate_waits_for_the_original() -> None:
    """A client repeats what its leader has and nobody else."""
    it = Script()
    it.silence_followers()
    first = it.send(it.leader, producer_id=9, sequence=0, name="once")
    it.until(lambda: it.end(it.leader) == 1, "it is written")
    again = it.send(it.leader, producer_id=9, sequence=0, name="once")
    it.run(0.3)
    assert not again.answers
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.until(lambda: first.is_acknowledged and again.is_acknowledged, "both are answered")
    assert first.offset == again.offset
    it.end_well()


@scenario
def rule_13_a_follower_cuts_before_it_raises_its_watermark() -> None:
    """A deposed leader has a record that nobody else has; the new one commits another at its offset."""
    it = Script()
    it.silence_followers()
    it.send(it.leader, acks=1)
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.leader) == 2, "they are written")
    it.hold_both(it.leader, STORE)
    it.end_lease(it.leader)
    it.until(lambda: it.state.leader != it.leader and it.leads(it.state.leader), "another leads")
    it.committed(it.state.leader)
    it.let_go_both(it.leader, STORE)
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_13_a_term_without_records_says_nothing_of_those_that_come_to_stand_there() -> None:
    """A broker whose records of a term were cut dies before it has noted it; those that it copies then are older."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "one is away")
    it.committed(it.leader)
    it.until(lambda: it.end(it.second) == it.watermark(it.second) == 1, "the other has it")
    it.silence(it.second)
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.leader) == 2, "it is written")
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "the other leads, without it")
    it.send(it.second, acks=1)
    it.until(lambda: it.end(it.second) == 2, "it has a record of its own there")
    it.checkpoint(it.second)
    it.kill(it.second)
    it.start(it.leader)
    it.until(lambda: it.leads(it.leader), "the first leads again, from among the eligible")
    it.start(it.third)
    it.until(lambda: it.watermark(it.leader) == 2, "it is committed after all")
    disk = it.broker(it.second).machine.disk
    disk.fail_next("sync", errno.EIO, "*.log", count=1)
    it.start(it.second)
    it.let_go(it.second, it.leader)
    it.until(lambda: it.is_offline(it.second), "the disk has failed when it was cut")
    it.kill(it.second)
    it.start(it.second)
    it.end_well()


@scenario
def rule_13_only_written_bytes_count() -> None:
    """A follower dies while what it fetched is on its way to the disk."""
    it = Script(slow_disk=True)
    for _ in range(10):
        it.send(it.leader)
    for _ in range(300):
        it.world.step()
    it.broker(it.second).kill()
    it.start(it.second)
    it.run(0.3)
    it.end_well()


@scenario
def rule_14_a_new_leader_does_not_say_what_is_latest_before_it_knows() -> None:
    """A reader asks a new leader for the end, after it was told a later one by the last."""
    it = Script()
    it.hold(it.third, it.leader)
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "one is away")
    it.run(0.1)
    sent = it.send(it.leader)
    it.until(lambda: it.watermark(it.leader) == 1, "it is committed")
    it.hold(it.leader, it.second)
    it.until(lambda: sent.is_acknowledged, "the client knows")
    assert it.latest(it.leader).offset == 1
    assert it.watermark(it.second) == 0
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "the second leads")
    listed = it.latest(it.second)
    assert listed.error is ErrorCode.OFFSET_NOT_AVAILABLE or listed.offset >= 1
    it.let_go(it.leader, it.second)
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_14_a_new_leader_shows_nothing_that_it_does_not_know_to_be_committed() -> None:
    """A new leader has a record of the last one that another in-sync member lacks."""
    it = Script()
    it.hold(it.third, it.leader)
    it.until(lambda: it.waits(it.leader, 1) and not it.waits(it.leader, 2), "only the second's fetch waits")
    it.run(0.3)
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.second) == 1, "the second has the record")
    assert it.end(it.third) == 0
    it.hold(it.third, it.second)
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "the second leads")
    it.run(0.2)
    assert it.watermark(it.second) == 0
    assert it.fetch(it.second, 0).records == b""
    it.let_go(it.third, it.second)
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_14_a_coordinator_loads_to_the_log_end() -> None:
    """A position was committed; the next coordinator has it in its log, and does not know that it is committed."""
    it = Script(groups=True)
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "one is away")
    it.run(0.1)
    committed = it.commit(it.leader, 5)
    it.until(lambda: it.watermark(it.leader) >= 1, "it is committed")
    it.hold(it.leader, it.second)
    it.until(lambda: bool(committed.answers), "the client knows")
    assert committed.answers[0] == PartitionErrors(ErrorCode.NONE, ((POSITIONED, ErrorCode.NONE),))
    assert it.watermark(it.second) == 0
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "the second leads")
    it.run(0.1)
    asked = it.position(it.second)
    it.run(0.3)
    assert not asked.answers
    it.start(it.third)
    it.until(lambda: bool(asked.answers), "the answer leaves when it is known to be committed")
    assert isinstance(asked.answers[0], OffsetsResponse)
    assert asked.answers[0].offsets[0].offset == 5


@scenario
def rule_14_a_coordinators_answer_waits_for_the_watermark() -> None:
    """A coordinator whose followers are silent commits nothing, and says nothing."""
    it = Script(groups=True)
    it.silence_followers()
    committed = it.commit(it.leader, 5)
    it.until(lambda: it.end(it.leader) == 1, "the leader has written it")
    it.run(0.3)
    assert not committed.answers
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.until(lambda: bool(committed.answers), "it is committed by all")


@scenario
def rule_16_a_retry_over_a_restart_of_all_gets_its_first_offset() -> None:
    """All brokers are killed at once: the logs still tell which batches their producers wrote."""
    it = Script()
    first = it.send(it.leader, producer_id=9, sequence=0, name="once")
    it.until(lambda: first.is_acknowledged, "it is committed")
    it.kill(it.leader, it.second, it.third)
    it.start(it.leader, it.second, it.third)
    it.until(lambda: it.state.leader >= 0 and it.leads(it.state.leader), "somebody leads")
    it.until(lambda: len(it.state.isr) == 3, "all are in sync")
    again = it.send(it.state.leader, producer_id=9, sequence=0, name="once")
    it.until(lambda: bool(again.answers), "the retry is answered")
    assert again.offset == first.offset
    it.end_well()


@scenario
def rule_16_a_retry_over_a_change_of_leader_gets_its_first_offset() -> None:
    """A batch is committed, its answer is lost with the leader, and the next leader gets it once more."""
    it = Script()
    first = it.send(it.leader, producer_id=9, sequence=0, name="once")
    it.until(lambda: first.is_acknowledged, "it is committed")
    it.run(0.1)
    it.kill(it.leader)
    it.until(lambda: it.state.leader != it.leader and it.leads(it.state.leader), "another leads")
    it.run(0.2)
    again = it.send(it.state.leader, producer_id=9, sequence=0, name="once")
    it.until(lambda: bool(again.answers), "the retry is answered")
    assert again.is_acknowledged
    assert again.offset == first.offset
    it.end_well()
