"""Scenarios of rules 17 and 18: topics that are deleted and made again, and produces that are passed on."""

from chronik.coordinator.responses import OffsetsResponse, PartitionErrors
from chronik.model.errors import ErrorCode
from chronik.simulation.judge import records_in
from tests.simulation.scenarios import scenario
from tests.simulation.script import STORE, Script

# --- 17: another topic of the same name


@scenario
def rule_17_a_topic_made_again_starts_from_nothing() -> None:
    """One broker is away while the topic is deleted and made again: what it has on disk is of another topic."""
    it = Script()
    it.committed(it.leader)
    it.committed(it.leader)
    has_left = it.kill_unseen(it.third)
    it.recreate()
    has_left()
    it.until(lambda: len(it.state.isr) == 2 and it.leads(it.state.leader), "the new topic is led")
    sent = it.committed(it.state.leader)
    assert sent.offset == 0
    it.start(it.third)
    it.until(lambda: it.third in it.state.isr and it.end(it.third) == 1, "the third has the new topic")
    replica = it.replica(it.third)
    assert replica is not None
    assert records_in(replica.log, 0) == [sent.name]
    it.end_well()


@scenario
def rule_17_a_parked_produce_ends_with_its_topic() -> None:
    """A record waits for its followers when its topic is deleted; another of that name commits the same offset."""
    it = Script()
    it.silence_followers()
    parked = it.send(it.leader)
    it.until(lambda: it.end(it.leader) == 1, "it is written")
    it.recreate()
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.until(lambda: it.leads(it.state.leader), "the new topic is led")
    it.committed(it.state.leader)
    it.until(lambda: bool(parked.answers), "who waited is answered", seconds=1)
    assert parked.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    it.end_well()


@scenario
def rule_17_offsets_of_a_deleted_topic_are_not_believed_of_the_next() -> None:
    """The old topic was committed far; the new one has records that nobody but its first leader has."""
    it = Script()
    for _ in range(3):
        it.committed(it.leader)
    it.until(lambda: it.watermark(it.leader) == 3, "they are committed")
    it.checkpoint(it.leader)
    it.hold(it.second, it.leader)
    it.hold(it.third, it.leader)
    it.recreate()
    it.until(lambda: it.leads(it.leader), "it leads the new topic")
    it.run(0.01)
    it.send(it.leader, acks=1)
    it.until(lambda: it.end(it.leader) == 1, "it has written")
    it.kill(it.leader)
    it.start(it.leader)
    it.until(lambda: it.replica(it.leader) is not None, "it is back")
    assert it.watermark(it.leader) == 0
    it.let_go(it.second, it.leader)
    it.let_go(it.third, it.leader)
    it.end_well()


@scenario
def rule_17_committed_offsets_go_with_their_topic() -> None:
    """A group had a position in a topic that is deleted; it has none in the next of that name."""
    it = Script(groups=True)
    it.run(0.1)
    committed = it.commit(it.leader, 5)
    it.until(lambda: bool(committed.answers), "the position is committed")
    assert isinstance(committed.answers[0], PartitionErrors)
    it.recreate()
    it.run(0.2)
    asked = it.position(it.leader)
    it.until(lambda: bool(asked.answers), "the coordinator answers")
    assert isinstance(asked.answers[0], OffsetsResponse)
    assert [found.offset for found in asked.answers[0].offsets if found.offset >= 0] == []


@scenario
def rule_17_a_forward_is_for_the_topic_that_was_meant() -> None:
    """A broker that has not heard of the deletion passes a record of the old topic on."""
    it = Script()
    it.hold_both(it.second, STORE)
    old = it.recreate()
    it.until(lambda: it.leads(it.state.leader), "the new topic is led")
    sent = it.send(it.second, key=old)
    it.until(lambda: bool(sent.answers), "it is answered")
    assert sent.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert it.end(it.state.leader) == 0
    it.let_go_both(it.second, STORE)
    it.end_well()


# --- 18: forwarding


@scenario
def rule_18_an_unanswered_forward_may_have_been_written_and_is_not_tried_again() -> None:
    """A leader takes what was forwarded, and dies before its answer arrives."""
    it = Script()
    it.send(it.second)
    it.until(lambda: it.watermark(it.leader) == 1, "the way is open")
    it.hold(it.leader, it.second)
    sent = it.send(it.second)
    it.until(lambda: it.end(it.leader) == 2, "the leader has written it")
    it.let_go(it.leader, it.second)
    it.until(lambda: it.end(it.second) == 2 and it.end(it.third) == 2, "the others have it")
    it.hold(it.leader, it.second)
    assert not sent.answers
    it.kill(it.leader)
    it.until(lambda: bool(sent.answers), "it is answered")
    assert sent.error is ErrorCode.REQUEST_TIMED_OUT
    it.let_go(it.leader, it.second)
    it.run(1.0)
    it.end_well()


@scenario
def rule_18_a_forward_goes_no_further() -> None:
    """A broker knows an old leader and forwards to it; that one knows the next, and refuses."""
    it = Script()
    it.kill(it.leader)
    it.until(lambda: it.leads(it.second), "the second leads")
    it.until(lambda: it.image_of(it.third).revision == it.image.revision, "the third knows it")
    it.hold_both(it.third, STORE)
    it.start(it.leader)
    it.until(lambda: it.leader in it.state.isr, "the first is back in sync")
    it.end_lease(it.second)
    it.until(lambda: it.leads(it.leader), "the first leads again")
    it.until(lambda: it.second in it.image_of(it.leader).brokers, "the second is registered anew")
    it.run(0.1)
    sent = it.send(it.third)
    it.until(lambda: bool(sent.answers), "it is answered")
    assert sent.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert it.broker(it.third).forwarded == 1
    assert it.broker(it.second).forwarded == 0
    it.let_go_both(it.third, STORE)
    it.end_well()


@scenario
def rule_18_forwards_keep_their_order() -> None:
    """A producer has many batches under way through a broker that does not lead."""
    it = Script()
    sent = [it.send(it.second, producer_id=9, sequence=number) for number in range(30)]
    it.until(lambda: all(each.answers for each in sent), "all are answered")
    assert [each.error for each in sent] == [ErrorCode.NONE] * 30
    assert [each.offset for each in sent] == list(range(30))
    it.end_well()


@scenario
def rule_18_a_request_for_several_leaders_is_split() -> None:
    """One request has records for two partitions, each with a leader of its own."""
    it = Script(partitions=2)
    leaders = {state.leader for _, state in it.world.partition_states()}
    neither = next(each for each in it.world.brokers if each not in leaders)
    assert len(leaders) == 2
    sent = it.send_to_all(neither)
    it.until(lambda: bool(sent.answers), "it is answered")
    assert isinstance(sent.answers[0], dict)
    assert [outcome.error for outcome in sent.answers[0].values()] == [ErrorCode.NONE, ErrorCode.NONE]


@scenario
def rule_18_who_keeps_asking_the_wrong_broker_is_told() -> None:
    """A client never looks for the leader, as long as it is served without."""
    it = Script(lease_ms=120_000)
    errors = []
    for _ in range(9):
        sent = it.send(it.second)
        it.until(lambda: bool(sent.answers), "it is answered")  # noqa: B023 -- asked at once
        errors.append(sent.error)
        it.run(4.0)
    assert ErrorCode.NOT_LEADER_OR_FOLLOWER in errors
    assert set(errors) == {ErrorCode.NONE, ErrorCode.NOT_LEADER_OR_FOLLOWER}


# --- 16, 18: producers with several requests under way


@scenario
def rule_18_a_flight_that_is_passed_on_goes_to_one_leader() -> None:
    """The next leader has the beginning of a flight in its log, and would take the rest before it is answered."""
    it = Script()
    begun = it.send(it.third, producer_id=9, sequence=0)
    it.until(lambda: begun.is_acknowledged, "the way is open")
    it.hold(it.leader, it.third)
    first = it.send(it.third, producer_id=9, sequence=1, name="s1")
    it.until(lambda: it.end(it.second) == 2, "the second has it")
    it.hand_to(it.second)
    it.until(lambda: it.leads(it.second), "the second leads")
    it.until(lambda: it.image_of(it.third).revision == it.image.revision, "the third knows it")
    behind = it.send(it.third, producer_id=9, sequence=2, name="s2")
    it.until(lambda: bool(behind.answers), "what comes behind is answered")
    assert behind.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.let_go(it.leader, it.third)
    it.until(lambda: bool(first.answers), "so is the first")
    assert not first.is_acknowledged
    again = [it.send(it.third, producer_id=9, sequence=sequence, name=f"s{sequence}") for sequence in (1, 2)]
    it.until(lambda: all(each.answers for each in again), "all are answered")
    assert [each.offset for each in again] == [1, 2]
    it.end_well()


@scenario
def rule_16_a_producer_that_sends_again_is_known_by_what_it_has_sent_again() -> None:
    """A leader's term ends while a flight that stands in its log is sent again; the next leader has nothing of it."""
    it = Script()
    begun = it.send(it.leader, producer_id=9, sequence=0)
    it.until(lambda: begun.is_acknowledged, "the producer is known")
    it.silence_followers()
    for sequence in (1, 2, 3, 4, 1, 2):
        it.send(it.leader, producer_id=9, sequence=sequence, name=f"s{sequence}")
    it.until(lambda: it.end(it.leader) == 5, "the leader has it all")
    it.run(0.05)
    it.hand_to(it.second)
    it.until(lambda: it.leads(it.second), "the second leads")
    it.until(lambda: it.image_of(it.leader).revision == it.image.revision, "the first knows it")
    for follower in (it.second, it.third):
        it.let_go(follower, it.leader)
    behind = it.send(it.leader, producer_id=9, sequence=3, name="s3")
    it.until(lambda: bool(behind.answers), "it is answered")
    assert behind.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    it.end_well()
