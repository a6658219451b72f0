"""Scenarios of rules 1 to 6: who is in sync, who may lead, and what is committed."""

from chronik.metadata.decisions.configs import plan_replace_topic_configs
from chronik.metadata.decisions.topics import ClusterRules
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER
from chronik.simulation.world import TOPIC
from tests.simulation.scenarios import scenario
from tests.simulation.script import STORE, Script

# --- 1: the last replica standing


@scenario
def rule_1_the_watermark_stands_still_below_the_minimum() -> None:
    """Two of three die; what the last one takes is shown to nobody, and dies with its disk."""
    it = Script()
    it.kill(it.second, it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the dead have left")
    assert it.state.elr != ()
    it.run(0.1)
    alone = it.send(it.leader, acks=1)
    it.until(lambda: alone.is_acknowledged, "the leader's word is given")
    refused = it.send(it.leader)
    it.until(lambda: refused.error is not None, "acks=all is refused")
    assert refused.error is ErrorCode.NOT_ENOUGH_REPLICAS
    it.run(0.5)
    assert it.watermark(it.leader) == 0
    it.wipe(it.leader)
    it.start(it.second, it.third)
    it.until(lambda: it.state.leader in (it.second, it.third), "an eligible one leads")
    it.end_well()


@scenario
def rule_1_who_leaves_a_small_set_stays_eligible() -> None:
    """The last one standing falls too, and comes back last: the others go on without it."""
    it = Script()
    it.committed(it.leader)
    it.kill(it.second)
    it.until(lambda: len(it.state.isr) == 2, "the first has left")
    it.kill(it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the second has left")
    it.kill(it.leader)
    it.start(it.third)
    it.until(lambda: it.state.leader == it.third, "the eligible one leads")
    it.start(it.leader)
    it.until(lambda: len(it.state.isr) == 2, "two are in sync")
    it.committed(it.third)
    it.end_well()


@scenario
def rule_1_a_set_that_suffices_empties_the_eligible() -> None:
    """What is committed while a replica is away may not be lost by electing it."""
    it = Script()
    it.kill(it.second, it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the dead have left")
    it.start(it.second)
    it.until(lambda: it.second in it.state.isr, "one is back")
    assert not it.state.elr
    it.until(lambda: it.broker(it.leader).table is not None and it.leads(it.leader), "the leader leads")
    it.run(0.1)
    it.committed(it.leader)
    it.kill(it.leader, it.second)
    it.start(it.third)
    it.run(1.0)
    assert it.state.leader == NO_BROKER
    it.start(it.second)
    it.until(lambda: it.state.leader == it.second, "one that has all of it leads")
    it.end_well()


@scenario
def rule_1_lowering_the_minimum_empties_the_eligible() -> None:
    """One of three is left and may go on alone; those who left before lack what it commits then."""
    it = Script()
    it.kill(it.second)
    it.until(lambda: len(it.state.isr) == 2, "the first has left")
    it.kill(it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the second has left")
    assert it.state.elr == (it.third,)
    rules = ClusterRules(min_insync_replicas=2)
    it.decide(lambda image: plan_replace_topic_configs(image, TOPIC, {"min.insync.replicas": "1"}, rules))
    assert not it.state.elr
    it.until(lambda: it.image_of(it.leader).revision == it.image.revision, "the leader knows it")
    it.committed(it.leader)
    it.kill(it.leader)
    it.start(it.third)
    it.run(1.0)
    assert it.state.leader == NO_BROKER
    it.end_well()


# --- 2: lossy restarts


@scenario
def rule_2_a_broker_that_lost_its_disk_leaves_the_sets_before_it_serves() -> None:
    """A wiped replica comes back and may not be elected, although the store still had it in sync."""
    it = Script()
    it.committed(it.leader)
    # Its lease has not ended when it is back: nobody has taken it out of the set.
    it.broker(it.second).wipe()
    it.world.judge.on_loss(it.second)
    it.hold_both(it.second, it.leader)
    it.hold_both(it.second, it.third)
    it.start(it.second)
    it.until(lambda: it.second not in (*it.state.isr, *it.state.elr), "the lossy one has left")
    it.kill(it.leader)
    it.until(lambda: it.state.leader != it.leader, "another leads")
    assert it.state.leader == it.third
    it.let_go_both(it.second, it.leader)
    it.let_go_both(it.second, it.third)
    it.end_well()


@scenario
def rule_2_one_more_crash_does_not_make_a_lossy_broker_look_clean() -> None:
    """It registers, crashes before it has left the sets, and starts once more: it still has to leave."""
    it = Script()
    it.committed(it.leader)
    it.broker(it.second).wipe()
    it.world.judge.on_loss(it.second)
    # Nobody else looks at the store, who would take it out for having been away.
    it.hold_both(it.leader, STORE)
    it.hold_both(it.third, STORE)
    it.start(it.second)
    it.until(lambda: it.image.hosts[it.second].is_lossy, "it is registered as lossy")
    assert it.second in it.state.isr
    it.broker(it.second).kill()
    it.hold_both(it.second, it.leader)
    it.hold_both(it.second, it.third)
    it.start(it.second)
    it.run(1.0)
    assert it.second not in (*it.state.isr, *it.state.elr)
    it.kill(it.leader, it.third)
    it.run(0.5)
    assert it.state.leader != it.second
    it.end_well()


# --- 3: guards


@scenario
def rule_3_an_unknown_outcome_counts_until_the_old_transaction_cannot_pass() -> None:
    """The leader's addition is lost on its way, and passes long after the leader gave up waiting for it."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "the dead one has left")
    it.start(it.third)
    it.until(lambda: it.replica(it.third) is not None, "it is back")
    it.hold(it.leader, STORE)
    it.run(0.05)
    # It has caught up and its addition is on the way; now it hears of nothing more.
    it.hold_both(it.third, it.leader)
    it.run(1.0)
    sent = it.send(it.leader)
    it.run(0.5)
    it.let_go(it.leader, STORE)
    it.run(0.3)
    it.let_go_both(it.third, it.leader)
    it.until(lambda: sent.is_acknowledged, "the record is committed in the end")
    it.end_well()


@scenario
def rule_3_a_wiped_follower_is_not_added_on_its_old_offset() -> None:
    """A leader's addition is on its way while the member that it adds loses its disk and registers anew."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "the dead one has left")
    it.run(0.1)
    it.committed(it.leader)
    it.start(it.third)
    it.until(lambda: it.replica(it.third) is not None, "it is back")
    it.hold(it.leader, STORE)
    it.until(lambda: it.end(it.third) == 1, "it has caught up")
    it.run(0.05)
    it.hold_both(it.third, it.leader)
    it.wipe(it.third)
    it.start(it.third)
    it.until(lambda: it.third in it.image.brokers, "it is registered anew")
    it.run(0.1)
    it.let_go(it.leader, STORE)
    it.run(0.5)
    it.let_go_both(it.third, it.leader)
    it.end_well()


@scenario
def rule_3_a_fetch_of_an_older_broker_epoch_moves_nothing() -> None:
    """A fetch that a follower sent before it lost its disk arrives after one that it sent since."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "one is out of sync")
    it.run(0.1)
    it.committed(it.leader)
    it.run(0.1)
    it.until(lambda: it.waits(it.leader, 1), "the second's fetch waits")
    it.hold(it.second, it.leader)
    sent = it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.second) == 2, "the second has the record")
    it.run(0.05)
    late = it.set_aside(it.second, it.leader)
    it.wipe(it.second)
    it.hold(it.leader, it.second)
    it.let_go(it.second, it.leader)
    it.start(it.second)
    it.until(lambda: it.known_position(it.leader, it.second) == 0, "the leader knows that it begins anew")
    it.deliver(late)
    it.run(0.3)
    assert it.second not in it.state.isr
    assert sent.is_acknowledged
    it.end_well()


@scenario
def rule_3_a_deposed_leader_changes_nothing() -> None:
    """A leader's removal of a follower is on its way while that follower is elected in its place."""
    it = Script(lag_ms_max=300)
    it.hold(it.leader, STORE)
    it.hold_both(it.leader, it.second)
    it.send(it.leader, acks=1)
    it.run(0.8)
    it.end_lease(it.leader)
    it.until(lambda: it.state.leader not in (it.leader, NO_BROKER), "another leads")
    elected = it.state.leader
    it.until(lambda: it.leads(elected), "it has taken up its term")
    it.let_go(it.leader, STORE)
    it.run(0.2)
    assert elected in it.state.isr
    it.let_go_both(it.leader, it.second)
    it.end_well()


@scenario
def rule_3_a_controllers_overtaken_change_does_not_pass() -> None:
    """The controller takes a dead broker out; before that passes, the leader has taken out the controller too."""
    it = Script(lag_ms_max=300, controller=3)
    it.kill(it.second)
    it.until(lambda: it.second not in it.image_of(it.third).brokers, "the controller has seen it and decided")
    it.hold(it.third, STORE)
    it.hold_both(it.third, it.leader)
    it.send(it.leader, acks=1)
    it.until(lambda: it.state.isr == (it.leader,), "the leader has taken both out")
    late = it.set_aside(it.third, STORE)
    it.start(it.second)
    it.until(lambda: it.second in it.state.isr, "the second is back")
    it.committed(it.leader)
    it.deliver(late)
    it.run(0.2)
    assert it.third not in it.state.isr
    it.let_go_both(it.third, it.leader)
    it.let_go(it.third, STORE)
    it.end_well()


@scenario
def rule_3_an_overtaken_change_does_not_pass() -> None:
    """A removal is on its way while the controller changes the set, and a record is committed by the new one."""
    it = Script(lag_ms_max=300, controller=2)
    it.hold_both(it.second, it.leader)
    it.hold(it.leader, STORE)
    sent = it.send(it.leader)
    it.run(0.9)
    removal = it.set_aside(it.leader, STORE)
    it.let_go_both(it.second, it.leader)
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "the controller takes the dead one out")
    assert it.second in it.state.isr
    it.let_go(it.leader, STORE)
    it.until(lambda: sent.is_acknowledged, "the record is committed by the others")
    it.committed(it.leader)
    it.deliver(removal)
    it.run(0.2)
    assert it.third not in it.state.isr
    it.end_well()


# --- 4: the maximal set


@scenario
def rule_4_a_member_counts_from_its_proposal_on() -> None:
    """The store has added a follower, and the leader has not heard of it: what it commits must be there."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "the dead one has left")
    it.start(it.third)
    it.until(lambda: it.third in it.image_of(it.leader).brokers, "the leader knows that it is back")
    it.hold(STORE, it.leader)
    it.until(lambda: it.third in it.state.isr, "the store has added it")
    it.hold_both(it.third, it.leader)
    sent = it.send(it.leader)
    it.run(0.3)
    assert not sent.answers
    it.let_go_both(it.third, it.leader)
    it.until(lambda: sent.is_acknowledged, "it is committed when all have it")
    it.let_go(STORE, it.leader)
    it.end_well()


@scenario
def rule_4_a_member_counts_until_its_removal_is_committed() -> None:
    """A removal is on its way, and the member that it concerns can still be elected."""
    it = Script(lag_ms_max=300)
    it.hold_both(it.second, it.leader)
    it.hold(it.leader, STORE)
    sent = it.send(it.leader)
    it.run(1.0)
    assert not sent.answers
    it.let_go_both(it.second, it.leader)
    it.let_go(it.leader, STORE)
    it.end_well()


# --- 5: growing


@scenario
def rule_5_who_lacks_committed_records_may_not_join() -> None:
    """A follower that is far behind asks for its first records."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "the dead one has left")
    it.run(0.1)
    for _ in range(20):
        it.committed(it.leader)
    it.start(it.third)
    it.until(lambda: it.third in it.state.isr, "it is back in sync")
    assert it.end(it.third) == 20
    it.end_well()


@scenario
def rule_5_a_new_leader_lets_nobody_join_below_the_start_of_its_epoch() -> None:
    """A new leader knows an old watermark only; a follower that has reached that may lack what is committed."""
    it = Script()
    it.kill(it.third)
    it.until(lambda: it.third not in it.state.isr, "one is away")
    it.run(0.1)
    # The second copies the record and reports it, but the watermark that this raises does not reach it.
    sent = it.send(it.leader)
    it.until(lambda: it.end(it.second) == 1, "the second has the record")
    it.until(lambda: it.watermark(it.leader) == 1, "it is committed")
    it.hold(it.leader, it.second)
    it.until(lambda: sent.is_acknowledged, "the client knows")
    assert it.watermark(it.second) == 0
    it.kill(it.leader)
    it.until(lambda: it.state.leader == it.second, "the second leads")
    it.start(it.third)
    it.hold(it.second, it.third)
    it.run(1.0)
    assert it.third not in it.state.isr
    it.let_go(it.second, it.third)
    it.let_go(it.leader, it.second)
    it.end_well()


# --- 6: the dead leave at once


@scenario
def rule_6_the_dead_leave_with_the_next_look_at_the_store() -> None:
    """A follower dies; acks=all does not wait until it would have lagged for too long."""
    it = Script(lag_ms_max=60_000)
    sent = it.send(it.leader)
    it.kill(it.third)
    it.until(lambda: sent.is_acknowledged, "the dead one is not waited for", seconds=1.0)
    it.end_well()


@scenario
def rule_6_a_leader_that_slept_blames_nobody() -> None:
    """A leader is stopped for longer than a follower may lag, and goes on."""
    it = Script(lag_ms_max=500)
    it.silence_followers()
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.leader) == 1, "it is written")
    it.broker(it.leader).process.pause()
    before = it.state.partition_epoch
    it.run(3.0)
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.broker(it.leader).process.resume()
    it.run(0.4)
    assert it.state.partition_epoch == before
    it.end_well()
