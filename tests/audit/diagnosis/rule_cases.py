"""For each rule a run to which it applies, and one that looks alike and to which it must not."""

from collections.abc import Callable

from chronik.audit.tables.schemas import SendOutcome
from tests.audit.diagnosis.cases import NODES, Case, us

Change = Callable[[Case], None]


def lose(case: Case, *sequences: int, verdict: str = "ACKED_NOT_IN_LOG", **more: object) -> None:
    """Take messages out of log and deliveries, and give them a verdict."""
    for sequence in sequences:
        case.without("stored", sequence=sequence)
        case.without("delivered", sequence=sequence)
        case.judge(sequence, verdict, sequence % 3, sequence // 3, **more)


def withhold(case: Case, partition: int, since: int, verdict: str = "NOT_REACHED") -> None:
    """Let the deliveries of a partition end at an offset."""
    for row in [row for row in case.rows["delivered"] if row["partition"] == partition and row["offset"] >= since]:
        case.without("delivered", sequence=row["sequence"])
        case.judge(row["sequence"], verdict, partition, row["offset"])


def late(case: Case, partition: int, *offsets: int) -> None:
    for offset in offsets:
        case.judge(offset * 3 + partition, "DELIVERED", partition, offset, "LATE")


def refuse(
    case: Case, *sequences: int, error: str = "NotLeaderOrFollowerError", outcome: SendOutcome = SendOutcome.REFUSED
) -> None:
    for sequence in sequences:
        case.without("sends", sequence=sequence)
        case.send(sequence, sequence % 3, -1, sequence * 0.1, outcome=outcome, error=error)
        lose(case, sequence, verdict="NOT_ACKED" if outcome == SendOutcome.REFUSED else "UNKNOWN")


def list_brokers(case: Case, *nodes: int) -> None:
    for step in range(3):
        case.tap(step * 2.0, "Metadata", "answer", 100 + step, told={"brokers": list(nodes)})
        case.tap(step * 2.0, "Metadata", "answer", 100 + step, partition=1, leader=2)


# --- from the client to the leader


def one_broker_listed(case: Case) -> None:
    list_brokers(case, 1)
    refuse(case, 1, 4, 7)


def all_brokers_listed(case: Case) -> None:
    list_brokers(case, *NODES)
    refuse(case, 1, 4, 7, error="MESSAGE_TOO_LARGE")


def leaderless(case: Case, until_s: float = 9.0) -> None:
    for row in case.rows["observed"]:
        if row["partition"] == 1 and us(2.0) <= row["at_us"] <= us(until_s):
            row |= {"leader": -1, "high_watermark": -1}
    refuse(case, 31, error="_MSG_TIMED_OUT", outcome=SendOutcome.UNKNOWN)


def leaderless_for_a_moment(case: Case) -> None:
    leaderless(case, until_s=2.5)


def refused_in_a_loop(case: Case) -> None:
    list_brokers(case, *NODES)
    for step in range(4):
        case.tap(3.0 + step, "Produce", "request", step, partition=1)
        case.tap(3.1 + step, "Produce", "answer", step, partition=1, error="NOT_LEADER_OR_FOLLOWER")
    refuse(case, 31, 34, 37)


def refused_while_the_leader_changed(case: Case) -> None:
    refused_in_a_loop(case)
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["at_us"] > us(4.5):
            row |= {"leader": 2, "leader_epoch": 1}


def cut_before_the_answer(case: Case) -> None:
    case.tap(3.0, "Produce", "request", 1, partition=1, told={"acks": 1, "crc": 5})
    case.tap(3.1, "Disconnect", "request", -1)
    refuse(case, 31, error="_TRANSPORT", outcome=SendOutcome.UNKNOWN)


def cut_after_the_answer(case: Case) -> None:
    case.tap(3.0, "Produce", "request", 1, partition=1, told={"acks": 1, "crc": 5})
    case.tap(3.05, "Produce", "answer", 1, partition=1)
    case.tap(3.1, "Disconnect", "request", -1)
    refuse(case, 31, error="_TRANSPORT", outcome=SendOutcome.UNKNOWN)


def too_large(case: Case) -> None:
    refuse(case, 31, error="MESSAGE_TOO_LARGE")


def timed_out(case: Case) -> None:
    refuse(case, 31, error="_MSG_TIMED_OUT", outcome=SendOutcome.UNKNOWN)


# --- what the log has


def same_offset_acknowledged(case: Case) -> None:
    case.without("sends", sequence=34)
    case.send(34, 1, 10, 3.4)
    lose(case, 34)
    case.judged[-1]["acked_offset"] = 10


def acknowledged_into_nothing(case: Case) -> None:
    lose(case, 31)


def lost_with_the_leader(case: Case) -> None:
    lose(case, 31)
    case.epoch(1, 1, 9)
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["at_us"] > us(6.0):
            row |= {"leader": 2, "leader_epoch": 1}


def overwritten_by_a_later_leader(case: Case) -> None:
    lost_with_the_leader(case)
    case.store(88, 1, 10, leader_epoch=1)


def absent_without_epochs(case: Case) -> None:
    lose(case, 31)
    case.rows["epochs"] = []
    case.rows["observed"] = []


def gone_after_delivery(case: Case) -> None:
    case.without("stored", sequence=31)
    case.judge(31, "DELIVERED_THEN_LOST", 1, 10)


def repeated_by_the_broker(case: Case) -> None:
    case.store(31, 1, 40)
    case.judge(31, "DELIVERED", 1, 10, "DUPLICATED", is_allowed=True)
    for step in range(3):
        case.tap(3.0 + step, "Produce", "request", step, partition=1, told={"acks": 1, "crc": step})
        case.tap(3.1 + step, "Produce", "answer", step, partition=1)


def delivered_plainly(case: Case) -> None:
    """Nothing at all is wrong."""


def flag(name: str, verdict: str = "DELIVERED") -> Change:
    def change(case: Case) -> None:
        case.judge(31, verdict, 1, 10, *([name] if name else []))

    return change


# --- what is committed


def watermark(case: Case, partition: int, since_s: float, until_s: float, mark: int, **more: object) -> None:
    for row in case.rows["observed"]:
        if row["partition"] == partition and us(since_s) <= row["at_us"] <= us(until_s):
            row |= more
            if row["node"] == row["leader"]:
                row["high_watermark"] = mark


def fallen(case: Case) -> None:
    watermark(case, 1, 8.0, 30.0, 5)
    withhold(case, 1, 25, "IN_LOG_ABOVE_HW")


def lower_under_another_leader(case: Case) -> None:
    watermark(case, 1, 8.0, 30.0, 5, leader_epoch=1)


def above_a_paused_follower(case: Case) -> None:
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["node"] == 3:
            row["log_end"] = min(row["log_end"], 12)
    withhold(case, 1, 12, "IN_LOG_ABOVE_HW")


def above_a_follower_that_left(case: Case) -> None:
    above_a_paused_follower(case)
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["at_us"] > us(3.4):
            row["isr"] = [1, 2]


def held_by_a_follower(case: Case) -> None:
    for row in case.rows["observed"]:
        if row["partition"] == 1 and row["node"] == 3:
            row["log_end"] = min(row["log_end"], 12)
    watermark(case, 1, 3.6, 30.0, 12)
    withhold(case, 1, 12, "IN_LOG_ABOVE_HW")


def change_on(case: Case, node: int, offset: int, **changed: object) -> None:
    """Let one replica of partition 1 hold another record than the others."""
    case.copy_to(1, 1, 2, 3)
    for row in case.rows["stored"]:
        if (row["node"], row["partition"], row["offset"]) == (node, 1, offset):
            row.update(changed)


def another_record_on_a_follower(case: Case) -> None:
    change_on(case, 2, 11, sequence=70)


def damaged_on_a_follower(case: Case) -> None:
    change_on(case, 3, 4, is_intact=False)


def missing_on_a_follower(case: Case) -> None:
    case.copy_to(1, 1, 2, 3)
    case.without("stored", node=2, partition=1, offset=7)


def missing_on_a_follower_that_left(case: Case) -> None:
    missing_on_a_follower(case)
    for row in case.rows["observed"]:
        row["isr"] = [1, 3]


def other_above_the_watermark(case: Case) -> None:
    change_on(case, 2, 29, sequence=70)
    watermark(case, 1, 8.8, 30.0, 29)


def held_without_harm(case: Case) -> None:
    watermark(case, 1, 3.6, 30.0, 12)


# --- what is fetched


def fetch(case: Case, sent_s: float, answer_s: float | None, correlation: int = 1) -> None:
    told = {"max_wait_ms": 500, "replica": -1}
    case.tap(sent_s, "Fetch", "request", correlation, partition=1, offset=12, told=told)
    if answer_s is not None:
        case.tap(answer_s, "Fetch", "answer", correlation, partition=1, offset=12, count=3, high_watermark=30)


def hung_fetch(case: Case) -> None:
    fetch(case, 9.0, None)
    case.tap(29.0, "Heartbeat", "request", 2)
    withhold(case, 1, 12)


def hung_fetch_across_a_hole(case: Case) -> None:
    hung_fetch(case)
    case.tap(20.0, "", "dropped", -1)


def hung_fetch_in_a_broker(case: Case) -> None:
    told = {"client_id": "reader", "correlation_id": 4, "partition": 1}
    case.trace(9.0, "data_found", offset=12, size_bytes=300, **told)
    case.trace(29.0, "watermark_advanced")
    withhold(case, 1, 12)


def hung_in_a_broker_across_a_hole(case: Case) -> None:
    hung_fetch_in_a_broker(case)
    case.traced.insert(1, {"node": 1, "at_us": us(15.0), "event": "events_dropped", "dropped": 9})


def empty_answers(case: Case, mark: int = 30) -> None:
    told = {"max_wait_ms": 500, "replica": -1}
    for step in range(20):
        case.tap(9.0 + step, "Fetch", "request", step, partition=1, offset=12, told=told)
        case.tap(9.5 + step, "Fetch", "answer", step, partition=1, count=0, high_watermark=mark)
    withhold(case, 1, 12)


def empty_answers_to_one_client_only(case: Case) -> None:
    empty_answers(case)
    other = {"client_id": "another", "partition": 1, "connection": 2}
    case.tap(29.7, "Fetch", "request", 99, offset=0, told={"max_wait_ms": 500, "replica": -1}, **other)
    case.tap(29.8, "Fetch", "answer", 99, count=30, high_watermark=30, **other)


def empty_answers_at_the_watermark(case: Case) -> None:
    empty_answers(case, mark=12)


def damaged_on_the_way(case: Case) -> None:
    case.judge(31, "DELIVERED", 1, 10, "CORRUPTED")


def damage_refused_by_the_client(case: Case) -> None:
    case.event("error", 5.0, partition=1, text="CorruptRecordError: crc check failed")
    withhold(case, 1, 12)


def another_error(case: Case) -> None:
    case.event("error", 5.0, partition=1, text="coordinator not available")
    withhold(case, 1, 12)


def skip(case: Case) -> None:
    lose(case, 31, verdict="SKIPPED")
    case.store(31, 1, 10)


def skip_on_the_wire(case: Case) -> None:
    skip(case)
    fetch(case, 9.0, 9.1)


def slow_answers(case: Case, took_s: float = 0.4) -> None:
    for step in range(10):
        fetch(case, 9.0 + step, 9.0 + step + took_s, step)
    late(case, 1, 28, 29)


def prompt_answers(case: Case) -> None:
    slow_answers(case, took_s=0.01)


# --- what consumers do


def rebalance(case: Case, *times_s: float) -> None:
    for at_s in times_s:
        case.event("revoked", at_s, partition=1)
        case.event("assigned", at_s + 0.2, partition=1)
    late(case, 1, 28, 29)


def rebalanced_often(case: Case) -> None:
    rebalance(case, 2.0, 5.0, 8.0, 11.0)


def rebalanced_twice_and_closed(case: Case) -> None:
    rebalance(case, 2.0, 5.0, 29.5)


def killed(case: Case) -> None:
    case.without("events", kind="end")
    withhold(case, 1, 12)


def killed_and_replaced(case: Case) -> None:
    killed(case)
    case.event("start", 12.0, consumer=1)
    case.event("end", 30.0, consumer=1)


def polls(case: Case, size: int, limit: int = 0) -> None:
    """Give the deliveries in polls of one size, until the end, and call the last ones late."""
    case.settings["max_poll_records"] = limit
    for place, row in enumerate(case.rows["delivered"]):
        row["poll"] = place // size
        row["received_us"] = us(5.0 + place * 25.0 / len(case.rows["delivered"]))
    late(case, 1, 28, 29)


def full_polls(case: Case) -> None:
    polls(case, 5, limit=5)


def small_polls(case: Case) -> None:
    polls(case, 5, limit=500)


def small_polls_and_prompt_answers(case: Case) -> None:
    small_polls(case)
    for step in range(10):
        fetch(case, 9.0 + step, 9.01 + step, step)


def polls_with_empty_ones(case: Case) -> None:
    polls(case, 5, limit=500)
    case.event("empty", 10.0, count=40)


def stalled(case: Case, *partitions: int) -> None:
    for partition in partitions:
        case.stall(partition, 6.0, 25.0)
        withhold(case, partition, 20)


def one_stalled(case: Case) -> None:
    stalled(case, 1)


def all_stalled(case: Case) -> None:
    stalled(case, 0, 1, 2)


def one_stalled_and_asked(case: Case) -> None:
    one_stalled(case)
    fetch(case, 9.0, 9.1)


def all_stalled_and_asked(case: Case) -> None:
    all_stalled(case)
    fetch(case, 9.0, 9.1)


def silent_with_nothing_waiting(case: Case) -> None:
    case.stall(1, 12.0, 25.0)


def phantom(case: Case) -> None:
    case.judge(9_999, "*PHANTOM", 1, 40)


POSITIVE: dict[str, tuple[Change, ...]] = {
    "too-few-brokers": (one_broker_listed,),
    "no-leader": (leaderless,),
    "not-leader-loop": (refused_in_a_loop,),
    "connections-cut": (cut_before_the_answer,),
    "nothing-appended": (too_large,),
    "offset-given-twice": (same_offset_acknowledged,),
    "acked-lost-in-change-of-leader": (lost_with_the_leader, overwritten_by_a_later_leader),
    "acked-never-written": (acknowledged_into_nothing,),
    "acked-and-absent": (absent_without_epochs,),
    "log-lost-records": (gone_after_delivery,),
    "written-twice": (repeated_by_the_broker,),
    "acknowledged-elsewhere": (flag("ACK_MISPLACED"),),
    "stored-though-refused": (flag("STORED_THOUGH_REFUSED"),),
    "order-changed": (flag("REORDERED"),),
    "watermark-moved-back": (fallen,),
    "watermark-above-in-sync-end": (above_a_paused_follower,),
    "replicas-differ": (another_record_on_a_follower, damaged_on_a_follower, missing_on_a_follower),
    "records-above-watermark": (flag("VISIBLE_ABOVE_HW"),),
    "watermark-stands-still": (held_by_a_follower,),
    "transaction-open": (flag("", "ABOVE_LSO"),),
    "aborted-seen": (flag("ABORTED_VISIBLE"),),
    "fetch-not-answered": (hung_fetch, hung_fetch_in_a_broker),
    "answers-without-records": (empty_answers, empty_answers_to_one_client_only),
    "damaged": (damaged_on_the_way, damage_refused_by_the_client),
    "records-skipped": (skip,),
    "answers-late": (slow_answers,),
    "rebalance-storm": (rebalanced_often,),
    "handed-out-again": (flag("REDELIVERED"),),
    "consumer-gone": (killed,),
    "poll-limit": (full_polls,),
    "slow-consumer": (small_polls,),
    "timeout-too-short": (polls_with_empty_ones,),
    "all-partitions-stall": (all_stalled,),
    "one-partition-stalls": (one_stalled,),
    "no-answer-to-sends": (timed_out,),
    "never-sent": (flag("", "NOT_SENT"),),
    "retention-overtook": (flag("", "EXPIRED"),),
    "phantoms": (phantom,),
}
"""Runs of which the rule names the root."""

NEGATIVE: dict[str, tuple[Change, ...]] = {
    "too-few-brokers": (all_brokers_listed,),
    "no-leader": (leaderless_for_a_moment,),
    "not-leader-loop": (refused_while_the_leader_changed,),
    "connections-cut": (cut_after_the_answer,),
    "nothing-appended": (timed_out,),
    "offset-given-twice": (overwritten_by_a_later_leader, acknowledged_into_nothing),
    "acked-lost-in-change-of-leader": (same_offset_acknowledged, acknowledged_into_nothing),
    "acked-never-written": (lost_with_the_leader, absent_without_epochs),
    "acked-and-absent": (acknowledged_into_nothing, same_offset_acknowledged),
    "watermark-moved-back": (lower_under_another_leader, held_by_a_follower),
    "watermark-above-in-sync-end": (above_a_follower_that_left, held_by_a_follower),
    "replicas-differ": (missing_on_a_follower_that_left, other_above_the_watermark),
    "watermark-stands-still": (held_without_harm, hung_fetch),
    "fetch-not-answered": (hung_fetch_across_a_hole, hung_in_a_broker_across_a_hole, prompt_answers),
    "answers-without-records": (empty_answers_at_the_watermark, slow_answers),
    "damaged": (another_error,),
    "answers-late": (prompt_answers,),
    "rebalance-storm": (rebalanced_twice_and_closed,),
    "consumer-gone": (killed_and_replaced,),
    "poll-limit": (small_polls,),
    "slow-consumer": (full_polls, polls_with_empty_ones),
    "timeout-too-short": (one_stalled,),
    "all-partitions-stall": (one_stalled, silent_with_nothing_waiting),
    "one-partition-stalls": (all_stalled, silent_with_nothing_waiting),
    "no-answer-to-sends": (too_large,),
}
"""Runs that look alike, of which the rule must be silent; all rules must be of a clean one."""
