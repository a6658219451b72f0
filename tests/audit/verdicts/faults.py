"""Faults that are put into a clean run: each says which verdict and flags its message gets, and whether allowed."""

from collections.abc import Callable
from dataclasses import dataclass, field

from chronik.audit.tables.schemas import SendOutcome
from tests.audit.verdicts.synthetic import BEGIN_US, Row, SyntheticRun


@dataclass(frozen=True)
class Expected:
    verdict: str
    flags: tuple[str, ...] = ()
    is_allowed: bool = False


@dataclass
class Fault:
    """What is wrong with a run, by message."""

    name: str
    inject: Callable[[SyntheticRun, int, int], Expected]
    settings: Row = field(default_factory=dict)
    configs: Row = field(default_factory=dict)
    keys: int = 0
    extra: Row = field(default_factory=dict)


def _lose(run: SyntheticRun, producer: int, sequence: int) -> None:
    run.drop("stored", producer, sequence)
    run.drop("delivered", producer, sequence)


def _lost(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _lose(run, producer, sequence)
    return Expected("ACKED_NOT_IN_LOG")


def _lost_by_new_leader(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _lose(run, producer, sequence)
    sent = run.row_of("sends", producer, sequence)
    for epoch, at_us in enumerate((BEGIN_US - 1, sent["sent_us"] + 1000, run.end_us)):
        for partition in range(run.partitions):
            watermark = run.ends[partition]
            run.observe(at_us, partition, watermark=watermark, log_end=watermark, leader_epoch=min(epoch, 1))
    run.epochs.append({"partition": sent["partition"], "leader_epoch": 1, "start_offset": 0, "end_offset": 9})
    return Expected("ACKED_NOT_IN_LOG", is_allowed=run.settings["acks"] == "1")


def _lost_before_new_leader(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """The leader changed, but its epoch begins behind what is lost: that does not explain it."""
    _lost_by_new_leader(run, producer, sequence)
    run.epochs[-1]["start_offset"] = run.row_of("sends", producer, sequence)["offset"] + 1
    return Expected("ACKED_NOT_IN_LOG")


def _delivered_then_lost(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("stored", producer, sequence)
    return Expected("DELIVERED_THEN_LOST")


def _skipped(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("delivered", producer, sequence)
    return Expected("SKIPPED")


def _stop_before(run: SyntheticRun, row: Row) -> None:
    for event in run.events:
        if event["kind"] == "position" and event["partition"] == row["partition"]:
            event["offset"] = row["offset"]


def _last_of_partition(run: SyntheticRun, row: Row) -> None:
    """Let a message be the last of its partition."""
    last = max((one for one in run.stored if one["partition"] == row["partition"]), key=lambda one: one["offset"])
    run.swap(row, last)


def _not_reached(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("delivered", producer, sequence)
    row = _as_last(run, producer, sequence)
    _stop_before(run, row)
    return Expected("NOT_REACHED")


def _as_last(run: SyntheticRun, producer: int, sequence: int) -> Row:
    """Move a message to the end of its partition, without a gap and without disorder: those behind it move up."""
    row = run.row_of("stored", producer, sequence)
    partition, place = row["partition"], row["offset"]
    for rows in (run.sends, run.stored, run.delivered):
        for one in rows:
            if one["partition"] != partition:
                continue
            if (one["producer"], one["sequence"]) == (producer, sequence):
                one["offset"] = run.ends[partition] - 1
            elif one["offset"] > place:
                one["offset"] -= 1
    for one in list(run.stored):
        is_later = one["partition"] == partition and one["producer"] == producer and one["sequence"] > sequence
        if is_later:
            _rename_away(run, one)
    return row


def _rename_away(run: SyntheticRun, row: Row) -> None:
    """Return a message to a producer of its own, so that order among the others is not touched."""
    other = 1000 + row["producer"]
    run.reserved = []
    for rows in (run.sends, run.stored, run.delivered):
        for one in rows:
            if (one["producer"], one["sequence"]) == (row["producer"], row["sequence"]) and one is not row:
                one["producer"] = other
    row["producer"] = other


def _above_watermark(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("delivered", producer, sequence)
    row = _as_last(run, producer, sequence)
    _stop_before(run, row)
    for at_us in (run.end_us - 300, run.end_us):
        run.observe(at_us, row["partition"], watermark=row["offset"], log_end=row["offset"] + 1)
    return Expected("IN_LOG_ABOVE_HW")


def _above_in_sync_end(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """The watermark is served as the log end, though a replica in sync does not hold the record."""
    run.drop("delivered", producer, sequence)
    row = _as_last(run, producer, sequence)
    _stop_before(run, row)
    end = row["offset"] + 1
    run.observe(run.end_us, row["partition"], watermark=end, log_end=end, isr=[1, 2])
    run.observe(run.end_us, row["partition"], watermark=-1, log_end=row["offset"], node=2, isr=[1, 2])
    return Expected("IN_LOG_ABOVE_HW")


def _above_stable(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("delivered", producer, sequence)
    row = _as_last(run, producer, sequence)
    _stop_before(run, row)
    for event in run.events:
        event["text"] = event["text"].replace("read_uncommitted", "read_committed")
    end = row["offset"] + 1
    run.observe(run.end_us, row["partition"], watermark=end, log_end=end, last_stable=row["offset"])
    return Expected("ABOVE_LSO")


def _out_of_sight(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """Acknowledged where nobody is served, though the log goes on there."""
    row = _as_last(run, producer, sequence)
    run.ends[row["partition"]] -= 1
    run.log_ends[row["partition"]] = row["offset"] + 1
    _stop_before(run, row)
    _lose(run, producer, sequence)
    return Expected("IN_LOG_ABOVE_HW")


def _out_of_scope(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    row = run.row_of("stored", producer, sequence)
    run.drop("delivered", producer, sequence)
    for one in list(run.stored):
        if one["partition"] == row["partition"] and one["offset"] < row["offset"]:
            run.drop("delivered", one["producer"], one["sequence"])
            for rows in (run.sends, run.stored):
                rows.remove(
                    next(r for r in rows if (r["producer"], r["sequence"]) == (one["producer"], one["sequence"]))
                )
    run.reserved = []
    run.log_starts[row["partition"]] = row["offset"]
    for event in run.events:
        if event["kind"] == "assigned" and event["partition"] == row["partition"]:
            event["offset"] = row["offset"] + 1
    return Expected("OUT_OF_SCOPE", is_allowed=True)


def _refused(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("sends", producer, sequence).update(
        outcome=int(SendOutcome.REFUSED), offset=-1, error="NOT_ENOUGH_REPLICAS"
    )
    _lose(run, producer, sequence)
    return Expected("NOT_ACKED")


def _stored_though_refused(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("sends", producer, sequence).update(outcome=int(SendOutcome.REFUSED), offset=-1, error="NOT_LEADER")
    return Expected("DELIVERED", ("STORED_THOUGH_REFUSED",))


def _timed_out(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("sends", producer, sequence).update(outcome=int(SendOutcome.UNKNOWN), offset=-1, error="timed out")
    _lose(run, producer, sequence)
    return Expected("UNKNOWN", is_allowed=run.settings["acks"] == "0")


def _given_up(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """The client dropped it from its queue; with a transaction, because that was aborted."""
    error = "_PURGE_QUEUE: Local: Purged in queue"
    run.row_of("sends", producer, sequence).update(outcome=int(SendOutcome.UNKNOWN), offset=-1, error=error)
    _lose(run, producer, sequence)
    is_aborted = bool(run.settings.get("transactional"))
    return Expected("ABORTED", is_allowed=True) if is_aborted else Expected("UNKNOWN")


def _without_row(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.drop("sends", producer, sequence)
    _lose(run, producer, sequence)
    return Expected("UNKNOWN")


def _not_sent(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("sends", producer, sequence).update(outcome=int(SendOutcome.NOT_SENT), offset=-1, error="queue full")
    _lose(run, producer, sequence)
    return Expected("NOT_SENT")


def _duplicated(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.append_again(producer, sequence)
    return Expected("DELIVERED", ("DUPLICATED",), is_allowed=not run.settings["idempotent"])


def _duplicated_unseen(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """The second copy was not delivered; the message was."""
    run.append_again(producer, sequence, deliver=False)
    return Expected("DELIVERED", ("DUPLICATED",), is_allowed=not run.settings["idempotent"])


def _redelivered(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    for group in run.groups:
        again = {**run.row_of("delivered", producer, sequence, group), "received_us": run.end_us - 1200}
        run.delivered.append(again)
    return Expected("DELIVERED", ("REDELIVERED",))


def _redelivered_after_rebalance(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _redelivered(run, producer, sequence)
    for group in run.groups:
        run.event(group, "revoked", run.end_us - 1400, run.row_of("sends", producer, sequence)["partition"])
    run.events.sort(key=lambda event: event["at_us"])
    return Expected("DELIVERED", ("REDELIVERED",), is_allowed=True)


def _reordered(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """A later message of the same producer stands before it, and nothing else changes."""
    row = run.row_of("stored", producer, sequence)
    behind = [
        one
        for one in run.stored
        if one["partition"] == row["partition"] and one["producer"] == producer and one["sequence"] > sequence
    ]
    run.swap(row, min(behind, key=lambda one: one["sequence"]))
    is_allowed = not run.settings["idempotent"] and run.settings["in_flight"] > 1
    return Expected("DELIVERED", ("REORDERED",), is_allowed)


def _corrupted(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    for row in (*run.rows_of("delivered", producer, sequence), *run.rows_of("stored", producer, sequence)):
        row["is_intact"] = False
    return Expected("DELIVERED", ("CORRUPTED",))


def _corrupted_on_the_way(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    for row in run.rows_of("delivered", producer, sequence):
        row["is_intact"] = False
    return Expected("DELIVERED", ("CORRUPTED",))


def _unreadable(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    rows = [*run.rows_of("delivered", producer, sequence), *run.rows_of("stored", producer, sequence)]
    for row in rows:
        row.update(is_ours=False, run=0, producer=0, sequence=0, is_intact=False)
    return Expected("DELIVERED", ("CORRUPTED",))


def _misplaced(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("sends", producer, sequence)["offset"] += 100_000
    return Expected("DELIVERED", ("ACK_MISPLACED",))


def _offset_twice(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """Acknowledged at the offset of another message, and dropped."""
    row = run.row_of("sends", producer, sequence)
    other = next(one for one in run.stored if one["partition"] == row["partition"] and one["offset"] != row["offset"])
    row["offset"] = other["offset"]
    _lose(run, producer, sequence)
    return Expected("ACKED_NOT_IN_LOG")


def _late(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    for row in run.rows_of("delivered", producer, sequence):
        row["received_us"] = row["sent_us"] + 61_000_000
    return Expected("DELIVERED", ("LATE",))


def _visible_above(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """Delivered, though the watermark passed it only later: two samples after the delivery show it below."""
    row = _as_last(run, producer, sequence)
    end = row["offset"] + 1
    received = run.row_of("delivered", producer, sequence)["received_us"]
    for step in (1, 2, 3):
        run.observe(received + step, row["partition"], watermark=row["offset"], log_end=end)
    run.observe(run.end_us, row["partition"], watermark=end, log_end=end)
    return Expected("DELIVERED", ("VISIBLE_ABOVE_HW",))


def _aborted(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("stored", producer, sequence)["is_aborted"] = True
    run.drop("delivered", producer, sequence)
    return Expected("ABORTED", is_allowed=True)


def _aborted_visible(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("stored", producer, sequence)["is_aborted"] = True
    return Expected("DELIVERED", ("ABORTED_VISIBLE",), is_allowed=True)


def _aborted_seen_by_committed(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    run.row_of("stored", producer, sequence)["is_aborted"] = True
    for event in run.events:
        event["text"] = event["text"].replace("read_uncommitted", "read_committed")
    return Expected("DELIVERED", ("ABORTED_VISIBLE",))


def _before_log_start(run: SyntheticRun, producer: int, sequence: int) -> Row:
    """Let a message be the first of its partition, and cut it off."""
    row = run.row_of("sends", producer, sequence)
    partition, place = row["partition"], row["offset"]
    for rows in (run.sends, run.stored, run.delivered):
        for one in rows:
            if one["partition"] != partition:
                continue
            if (one["producer"], one["sequence"]) == (producer, sequence):
                one["offset"] = 0
            elif one["offset"] < place:
                one["offset"] += 1
    for one in list(run.stored):
        if one["partition"] == partition and one["producer"] == producer and one["sequence"] < sequence:
            _rename_away(run, one)
    run.log_starts[partition] = 1
    _lose(run, producer, sequence)
    return row


def _expired(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _before_log_start(run, producer, sequence)
    return Expected("EXPIRED", is_allowed=True)


def _gone_without_reason(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _before_log_start(run, producer, sequence)
    return Expected("ACKED_NOT_IN_LOG")


def _deleted(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    row = _before_log_start(run, producer, sequence)
    run.extra["deleted_before"] = {str(row["partition"]): 1}
    return Expected("DELETED", is_allowed=True)


def _compacted(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    _lose(run, producer, sequence)
    lost = run.row_of("sends", producer, sequence)
    lost["key_hash"] = 77
    last = max((one for one in run.stored if one["partition"] == lost["partition"]), key=lambda one: one["offset"])
    last["key_hash"] = 77
    return Expected("COMPACTED", is_allowed=True)


def _lost_of_compacted(run: SyntheticRun, producer: int, sequence: int) -> Expected:
    """Nothing of its key is stored behind it: compaction does not explain it."""
    _lose(run, producer, sequence)
    run.row_of("sends", producer, sequence)["key_hash"] = 77
    return Expected("ACKED_NOT_IN_LOG")


FAULTS = (
    Fault("lost", _lost),
    Fault("lost by a new leader, acks=1", _lost_by_new_leader, {"acks": "1", "idempotent": False}),
    Fault("lost by a new leader, acks=all", _lost_by_new_leader),
    Fault("lost below a new leader's epoch", _lost_before_new_leader, {"acks": "1", "idempotent": False}),
    Fault("delivered, then lost", _delivered_then_lost),
    Fault("skipped", _skipped),
    Fault("not reached", _not_reached),
    Fault("above the watermark", _above_watermark),
    Fault("above an in-sync log end", _above_in_sync_end),
    Fault("above the last stable offset", _above_stable),
    Fault("out of sight", _out_of_sight),
    Fault("before the group's start", _out_of_scope),
    Fault("refused", _refused),
    Fault("stored though refused", _stored_though_refused),
    Fault("timed out", _timed_out),
    Fault("timed out, acks=0", _timed_out, {"acks": "0", "idempotent": False}),
    Fault("given up", _given_up),
    Fault("given up in a transaction", _given_up, {"transactional": True}),
    Fault("without a row", _without_row),
    Fault("not sent", _not_sent),
    Fault("duplicated", _duplicated),
    Fault("duplicated, not idempotent", _duplicated, {"idempotent": False}),
    Fault("duplicated, one copy unseen", _duplicated_unseen),
    Fault("redelivered", _redelivered),
    Fault("redelivered after a rebalance", _redelivered_after_rebalance),
    Fault("reordered", _reordered),
    Fault("reordered, not idempotent", _reordered, {"idempotent": False}),
    Fault("reordered, one in flight", _reordered, {"idempotent": False, "in_flight": 1}),
    Fault("corrupted", _corrupted),
    Fault("corrupted on the way", _corrupted_on_the_way),
    Fault("unreadable", _unreadable),
    Fault("acknowledged elsewhere", _misplaced),
    Fault("offset given twice", _offset_twice),
    Fault("late", _late),
    Fault("visible above the watermark", _visible_above),
    Fault("aborted", _aborted),
    Fault("aborted and visible", _aborted_visible),
    Fault("aborted and visible to read_committed", _aborted_seen_by_committed),
    Fault("expired", _expired, configs={"retention.ms": "1"}),
    Fault("gone without a reason", _gone_without_reason),
    Fault("deleted", _deleted),
    Fault("compacted", _compacted, configs={"cleanup.policy": "compact"}),
    Fault("lost of a compacted topic", _lost_of_compacted, configs={"cleanup.policy": "compact"}),
)
