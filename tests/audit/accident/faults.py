"""The table of faults: what each leaves behind in the records of a run, what becomes of messages, and what is named.

Each fault edits a world in which nothing is wrong. The seed decides where it strikes.
"""

from collections.abc import Callable
from dataclasses import dataclass

from tests.audit.accident import faults_of_reading as reading
from tests.audit.accident import faults_of_writing as writing
from tests.audit.accident.world import World


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its marks in a world, and what the audit must say."""

    name: str
    change: Callable[[World], None]
    verdict: str
    """A verdict, or a flag with ``+``, or a kind of record with ``*``, that some messages must have."""
    root: str
    is_allowed: bool = False
    acks: int = 1
    idempotent: bool = False


LOST_IN_CHANGE = "acked-lost-in-change-of-leader"

FAULTS = (
    Fault("acked-never-written", writing.acked_never_written, "ACKED_NOT_IN_LOG", "acked-never-written"),
    Fault("offset-twice", writing.offset_twice, "ACKED_NOT_IN_LOG", "offset-given-twice"),
    Fault("lost-under-others", writing.lost_under_others, "ACKED_NOT_IN_LOG", LOST_IN_CHANGE, acks=-1),
    Fault(
        "lost-at-the-end",
        writing.lost_at_the_end,
        "ACKED_NOT_IN_LOG",
        "acked-lost-in-change-of-leader",
        is_allowed=True,
    ),
    Fault("lost-at-the-end-all", writing.lost_at_the_end, "ACKED_NOT_IN_LOG", LOST_IN_CHANGE, acks=-1),
    Fault("written-twice", writing.written_twice_by_broker, "+DUPLICATED", "written-twice", idempotent=True),
    Fault("cut-and-sent-again", writing.cut_and_sent_again, "+DUPLICATED", "connections-cut", is_allowed=True),
    Fault("acknowledged-elsewhere", writing.acknowledged_elsewhere, "+ACK_MISPLACED", "acknowledged-elsewhere"),
    Fault("stored-though-refused", writing.stored_though_refused, "+STORED_THOUGH_REFUSED", "stored-though-refused"),
    Fault("order-changed", writing.order_changed, "+REORDERED", "order-changed", acks=-1, idempotent=True),
    Fault("hw-falls", reading.hw_falls, "IN_LOG_ABOVE_HW", "watermark-moved-back"),
    Fault("hw-falls-on-a-retry", reading.hw_falls_on_a_retry, "IN_LOG_ABOVE_HW", "watermark-moved-back"),
    Fault("hw-is-log-end", reading.hw_is_log_end, "IN_LOG_ABOVE_HW", "watermark-above-in-sync-end"),
    Fault("hw-stands", reading.hw_stands, "IN_LOG_ABOVE_HW", "watermark-stands-still"),
    Fault("hw-slow", reading.hw_slow, "+LATE", "watermark-stands-still"),
    Fault("records-above-watermark", reading.records_above_watermark, "+VISIBLE_ABOVE_HW", "records-above-watermark"),
    Fault("fetch-hangs", reading.fetch_hangs, "NOT_REACHED", "fetch-not-answered"),
    Fault("fetches-empty", reading.fetches_empty, "NOT_REACHED", "answers-without-records"),
    Fault("damaged-in-log", reading.damaged_in_log, "+CORRUPTED", "damaged"),
    Fault("damaged-on-the-way", reading.damaged_on_the_way, "+CORRUPTED", "damaged"),
    Fault("skipped", reading.skipped, "SKIPPED", "records-skipped"),
    Fault("answers-late", reading.answers_late, "+LATE", "answers-late"),
    Fault("rebalance-storm", reading.rebalance_storm, "+LATE", "rebalance-storm"),
    Fault("handed-out-again", reading.handed_out_again, "+REDELIVERED", "handed-out-again"),
    Fault("consumer-gone", reading.consumer_gone, "NOT_REACHED", "consumer-gone"),
    Fault("too-few-brokers", writing.too_few_brokers, "UNKNOWN", "too-few-brokers"),
    Fault("no-leader", writing.no_leader, "UNKNOWN", "no-leader"),
    Fault("not-leader-loop", writing.not_leader_loop, "NOT_ACKED", "not-leader-loop"),
    Fault("nothing-appended", writing.nothing_appended, "NOT_ACKED", "nothing-appended"),
    Fault("no-answer-to-sends", writing.no_answer_to_sends, "UNKNOWN", "no-answer-to-sends"),
    Fault("not-accepted", writing.not_accepted, "NOT_SENT", "never-sent"),
    Fault("phantom", writing.phantom, "*PHANTOM", "phantoms"),
    Fault("log-lost-records", writing.log_lost_records, "DELIVERED_THEN_LOST", "log-lost-records"),
    Fault("transaction-open", reading.transaction_open, "ABOVE_LSO", "transaction-open"),
    Fault("aborted-seen", reading.aborted_seen, "+ABORTED_VISIBLE", "aborted-seen"),
    Fault("retention-overtook", reading.retention_overtook, "EXPIRED", "retention-overtook", is_allowed=True),
    Fault("one-partition-stalls", reading.one_partition_stalls, "NOT_REACHED", "one-partition-stalls"),
    Fault("all-stall", reading.all_stall, "NOT_REACHED", "all-partitions-stall"),
    Fault("slow-consumer", reading.slow_consumer, "NOT_REACHED", "slow-consumer"),
    Fault("poll-limit", reading.poll_limit, "NOT_REACHED", "poll-limit"),
    Fault("timeout-too-short", reading.timeout_too_short, "NOT_REACHED", "timeout-too-short"),
)

assert len({fault.name for fault in FAULTS}) == len(FAULTS)
