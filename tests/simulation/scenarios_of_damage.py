"""Scenarios of rules 2 and 15: damage on a disk, who finds it, and how it is mended."""

from chronik.coordinator.responses import OffsetsResponse
from chronik.metadata.decisions.configs import plan_replace_topic_configs
from chronik.metadata.decisions.topics import ClusterRules
from chronik.model.errors import ErrorCode
from chronik.model.ids import NO_BROKER, BrokerId
from chronik.simulation.judge import UNREADABLE, records_in
from chronik.simulation.simulated_broker import DEBUGGING
from chronik.simulation.world import TOPIC
from tests.simulation.scenarios import scenario
from tests.simulation.script import STORE, Script

BASE_OFFSET = 7
"""The last byte of a batch's offset."""
LEADER_EPOCH = 12


def _with_records(count: int) -> Script:
    """Commit some records, each a batch, and let every replica have them."""
    it = Script()
    for _ in range(count):
        it.committed(it.leader)
    it.until(lambda: all(it.watermark(each) == count for each in it.state.replicas), "all know them as committed")
    return it


def _expect_mended(it: Script, broker: BrokerId) -> None:
    it.end_well()
    replica = it.replica(broker)
    assert replica is not None
    assert UNREADABLE not in records_in(replica.log, 0)


@scenario
def rule_15_a_leader_that_cannot_read_a_batch_lets_another_serve_it() -> None:
    """A batch of the leader's log is damaged; its followers have it, and the leader gets it back from them."""
    it = _with_records(3)
    it.damage(it.leader, 1)
    assert it.fetch(it.leader, 1).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.until(lambda: it.state.leader in (it.second, it.third) and it.leads(it.state.leader), "another leads", 3)
    assert it.fetch(it.state.leader, 1).records
    it.until(lambda: it.leader in it.state.isr, "the first is in sync anew")
    _expect_mended(it, it.leader)


@scenario
def rule_15_a_damaged_batch_is_sent_to_nobody() -> None:
    """A follower that lost its disk asks for what its leader cannot read."""
    it = _with_records(3)
    it.damage(it.leader, 1)
    it.wipe(it.third)
    it.start(it.third)
    it.until(lambda: it.state.leader == it.second, "the one that can read it leads", 3)
    _expect_mended(it, it.leader)


@scenario
def rule_15_the_last_copy_keeps_what_can_be_read() -> None:
    """Nobody else holds the records: the damaged one answers as damaged, and the others stay, over a restart too."""
    it = Script()
    it.kill(it.second, it.third)
    it.until(lambda: it.state.isr == (it.leader,), "the dead have left")
    rules = ClusterRules(min_insync_replicas=2)
    it.decide(lambda image: plan_replace_topic_configs(image, TOPIC, {"min.insync.replicas": "1"}, rules))
    it.until(lambda: it.image_of(it.leader).revision == it.image.revision, "the leader knows it")
    for _ in range(4):
        it.committed(it.leader)
    it.checkpoint(it.leader)
    it.damage(it.leader, 1)
    _expect_only_one_unreadable(it)
    it.kill(it.leader)
    it.start(it.leader)
    it.until(lambda: it.leads(it.leader), "it leads again")
    _expect_only_one_unreadable(it)


def _expect_only_one_unreadable(it: Script) -> None:
    assert it.fetch(it.leader, 1).error is ErrorCode.CORRUPT_MESSAGE
    assert it.fetch(it.leader, 2).records
    assert it.fetch(it.leader, 0).records
    assert it.end(it.leader) == 4


@scenario
def rule_15_a_coordinator_that_cannot_read_its_records_lets_another_coordinate() -> None:
    """A group's position lies in a batch that the next coordinator cannot read, and the third replica can."""
    it = Script(groups=True)
    it.run(0.1)
    committed = it.commit(it.leader, 5)
    it.until(lambda: bool(committed.answers), "the position is committed")
    it.until(lambda: it.end(it.second) == it.end(it.third) == it.end(it.leader), "all have it")
    it.damage(it.second, 0)
    it.kill(it.leader)
    it.until(lambda: it.state.leader == it.second, "the second leads")
    it.until(lambda: it.leads(it.third), "the third leads instead", seconds=3)
    it.start(it.leader)
    it.run(0.3)
    asked = it.position(it.third)
    it.until(lambda: bool(asked.answers), "the coordinator answers")
    assert isinstance(asked.answers[0], OffsetsResponse)
    assert [found.offset for found in asked.answers[0].offsets] == [5]


@scenario
def rule_15_a_follower_that_restarts_with_damage_fetches_it_anew() -> None:
    """A follower finds damage below its recovery point when it starts, and does not lead with it."""
    it = _with_records(3)
    it.checkpoint(it.second)
    it.damage(it.second, 1)
    it.kill(it.second)
    it.start(it.second)
    it.until(lambda: it.second in it.state.isr, "it is in sync anew")
    it.until(lambda: it.second in it.state.isr and it.end(it.second) == 3, "it has copied everything")
    _expect_mended(it, it.second)


@scenario
def rule_15_a_leader_epoch_that_has_changed_on_the_disk_is_damage() -> None:
    """No checksum covers a batch's leader epoch; what wrote the batch is known from elsewhere while a broker runs."""
    it = _with_records(3)
    it.damage(it.leader, 1, LEADER_EPOCH)
    assert it.fetch(it.leader, 1).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.until(lambda: it.state.leader in (it.second, it.third) and it.leads(it.state.leader), "another leads", 3)
    assert it.fetch(it.state.leader, 1).records
    _expect_mended(it, it.leader)


# --- 2: a loss is told before it is acted on


@scenario
def rule_2_a_replica_that_must_be_cut_where_it_is_damaged_leaves_the_sets_first() -> None:
    """A new leader lacks a follower's last record, and the committed one before it cannot be found there any more."""
    it = _with_records(2)
    it.hold(it.second, it.leader)
    it.run(0.01)
    it.send(it.leader)
    it.until(lambda: it.end(it.third) == 3, "the third has what is not committed")
    it.damage(it.third, 2, BASE_OFFSET)
    it.damage(it.third, 1, BASE_OFFSET)
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "who lacks it leads")
    it.until(lambda: it.end(it.third) < 2, "the third is cut")
    assert it.third not in it.state.isr
    _expect_mended(it, it.third)


@scenario
def rule_2_a_replica_leaves_the_sets_before_it_is_cut_for_damage() -> None:
    """A follower is killed, damaged above its recovery point, and back before its lease ends: it must cut."""
    it = _with_records(3)
    replica = it.replica(it.second)
    assert replica is not None
    assert replica.log.flushed_end_offset < 3
    it.damage(it.second, 2)
    it.broker(it.second).kill()
    # Nobody else looks at the store, who would take it out for having been away.
    it.hold_both(it.leader, STORE)
    it.hold_both(it.third, STORE)
    it.start(it.second)
    it.until(lambda: it.replica(it.second) is not None and it.broker(it.second).is_serving, "it serves again")
    assert it.second not in it.state.isr
    it.end_well()


@scenario
def rule_2_a_cut_for_damage_is_told_after_one_more_crash() -> None:
    """A follower that cut for damage at its start is killed before it has left the sets: its log looks whole then."""
    it = _with_records(3)
    it.damage(it.second, 2)
    it.broker(it.second).kill()
    it.hold_both(it.leader, STORE)
    it.hold_both(it.third, STORE)
    it.start(it.second)
    it.until(lambda: bool((table := it.broker(it.second).table) and table._damage.held), "it has found the damage")
    it.broker(it.second).kill()
    assert it.second in it.state.isr, "it has not told anybody"
    it.start(it.second)
    it.until(lambda: it.replica(it.second) is not None and it.broker(it.second).is_serving, "it serves again")
    assert it.second not in it.state.isr
    it.let_go_both(it.leader, STORE)
    it.let_go_both(it.third, STORE)
    _expect_mended(it, it.second)


@scenario
def rule_2_a_replica_is_mended_as_another_broker_epoch() -> None:
    """A fetch that a follower sent before it found damage arrives when it has left the sets and cut its log."""
    it = _with_records(1)
    it.hold(it.second, it.leader)
    it.run(0.3)
    late = it.set_aside(it.second, it.leader)
    assert late
    it.damage(it.second, 0)
    assert it.fetch(it.second, 0, DEBUGGING).error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.until(lambda: it.second not in it.state.isr and it.end(it.second) == 0, "it has left and cut")
    it.until(lambda: it.second not in it.known_isr(it.leader), "the leader knows that it has left")
    it.deliver(late)
    it.run(0.3)
    assert it.second not in it.state.isr
    it.let_go(it.second, it.leader)
    _expect_mended(it, it.second)


@scenario
def rule_15_damage_elsewhere_on_a_disk_costs_no_place_in_a_set() -> None:
    """An eligible broker is elected while it is down, and serves on: of this partition it has lost nothing."""
    it = _with_records(3)
    # What is damaged is another log.
    it.world.judge.on_damage(it.second)
    it.kill(it.third, it.second)
    it.until(lambda: it.second in it.state.elr, "it is eligible")
    it.hold(it.second, it.leader)
    it.start(it.second)
    it.until(lambda: it.replica(it.second) is not None, "it serves")
    it.kill_unseen(it.second)
    it.kill(it.leader)
    it.start(it.third)
    it.until(lambda: it.state.leader == it.second, "it is elected")
    it.start(it.second)
    it.until(lambda: it.broker(it.second).is_serving, "it serves again")
    assert it.second in (*it.state.isr, *it.state.elr)
    it.let_go(it.second, it.leader)
    it.start(it.leader)
    it.end_well()


@scenario
def rule_2_a_lossy_broker_registers_before_it_leaves() -> None:
    """A fetch of a broker's last life arrives when it has left the sets, and nothing else of its start has happened."""
    it = _with_records(1)
    it.hold(it.third, it.leader)
    it.run(0.3)
    late = it.set_aside(it.third, it.leader)
    assert late
    it.broker(it.third).wipe()
    it.world.judge.on_loss(it.third)
    it.start(it.third)
    it.until(lambda: it.third not in it.state.isr, "it has left")
    it.hold_both(it.third, STORE)
    it.until(lambda: it.third not in it.known_isr(it.leader), "the leader knows that it has left")
    it.deliver(late)
    it.run(0.3)
    it.let_go_both(it.third, STORE)
    it.until(lambda: it.replica(it.third) is not None, "it serves")
    assert it.third not in it.state.isr
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_2_when_all_may_have_lost_data_the_one_that_has_most_leads_and_the_loss_is_told() -> None:
    """Two lose their disks and one its power, which had flushed everything; one of them is waited for."""
    it = _with_records(3)
    it.checkpoint(it.second)
    it.wipe(it.leader)
    it.wipe(it.third)
    it.lose_power(it.second)
    it.start(it.leader, it.third)
    it.until(lambda: it.state.elr == (it.second,), "the two have left the sets")
    (away,) = it.state.last_known
    it.until(lambda: it.replica(away) is not None, "who is remembered serves")
    it.kill(away)
    it.start(it.second)
    it.until(lambda: not it.state.isr and not it.state.elr, "nobody is left in either set")
    it.run(1.0)
    assert it.state.leader == NO_BROKER
    it.start(away)
    it.until(lambda: it.state.leader >= 0 and it.leads(it.state.leader), "somebody leads")
    assert it.state.leader == it.second
    assert it.world.judge.shown[it.key].is_reported
    assert it.fetch(it.second, 2).error is ErrorCode.NONE
    it.end_well()
