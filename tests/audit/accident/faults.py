"""The table of faults: what each leaves behind in the records of a run, what becomes of messages, and what is named.

Each fault edits a world in which nothing is wrong. The seed decides where it strikes.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass

from chronik.audit.schemas import EventKind, Outcome
from tests.audit.accident.world import (
    MS,
    NODES,
    SECOND,
    T0,
    Batch,
    World,
    again_polled,
    delivery,
    drop,
    event,
    fetch_rows,
    leader_of,
    produce_rows,
    record,
    wire_row,
)

Change = Callable[[World], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: its marks in a world, and what the audit must say."""

    name: str
    change: Change
    verdict: str
    """A verdict, or a flag with ``+``, or a kind of record with ``*``, that some messages must have."""
    root: str
    is_allowed: bool = False
    acks: int = 1
    idempotent: bool = False


def lost(world: World, batches: list[Batch]) -> None:
    """What these batches hold is neither stored nor delivered."""
    gone = {sequence for batch in batches for sequence in batch.sequences}
    drop(world.stored, lambda row: row["sequence"] in gone)
    undelivered(world, gone)


def undelivered(world: World, gone: set[int]) -> None:
    drop(world.delivered, lambda row: row["sequence"] in gone)
    numbers = {batch.number for batch in world.batches if set(batch.sequences) <= gone}
    drop(world.tap, lambda row: row["api"] == "Fetch" and row["correlation"] in numbers)
    again_polled(world)


def capped(world: World, partition: int, end: int) -> None:
    """Nobody saw more of a partition than up to an offset."""
    for row in world.observed:
        if row["partition"] == partition:
            for name in ("high_watermark", "last_stable", "log_end"):
                row[name] = min(row[name], end)
    for row in world.epochs:
        if row["partition"] == partition:
            row["end_offset"] = min(row["end_offset"], end)


def tail(world: World, partition: int, share: float = 0.6) -> list[Batch]:
    first = world.middle(partition, share).number
    return [batch for batch in world.of(partition) if batch.number >= first]


def sequences(batches: list[Batch]) -> set[int]:
    return {sequence for batch in batches for sequence in batch.sequences}


def acked_never_written(world: World) -> None:
    batches = tail(world, world.struck())
    capped(world, world.struck(), batches[0].base)
    lost(world, batches)


def shift_down(world: World, partition: int, from_offset: int, by: int) -> None:
    """What stood from an offset on stands lower, everywhere."""
    for row in (*world.stored, *world.delivered, *world.sends):
        if row["partition"] == partition and row["offset"] >= from_offset:
            row["offset"] -= by
    for row in world.tap:
        if row["partition"] == partition and row["offset"] >= from_offset:
            row["offset"] -= by
    for row in world.observed:
        for name in ("high_watermark", "last_stable", "log_end"):
            if row["partition"] == partition and row[name] >= from_offset:
                row[name] -= by
    for row in world.epochs:
        if row["partition"] == partition:
            row["end_offset"] -= by


def offset_twice(world: World) -> None:
    partition = world.struck()
    second = world.middle(partition)
    first = world.of(partition)[world.of(partition).index(second) - 1]
    lost(world, [second])
    shift_down(world, partition, second.end, len(second.sequences))
    for row in world.sends:
        if row["sequence"] in second.sequences:
            row["offset"] = first.base + second.sequences.index(row["sequence"])
    for row in world.tap:
        if row["api"] == "Produce" and row["correlation"] == second.number and row["direction"] == "answer":
            row["offset"] = first.base
    again_polled(world)


def change_leader(world: World, at_us: int, partition: int, start_offset: int) -> None:
    """From then on another broker leads, in the next epoch."""
    successor = NODES[(NODES.index(leader_of(partition)) + 1) % len(NODES)]
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] >= at_us:
            row.update(leader=successor, leader_epoch=1)
    for row in world.stored:
        if row["partition"] == partition:
            row["node"] = successor
            row["leader_epoch"] = int(row["offset"] >= start_offset)
    end = world.end_of_log(partition)
    drop(world.epochs, lambda row: row["partition"] == partition)
    world.epochs += [
        {"partition": partition, "leader_epoch": 0, "start_offset": 0, "end_offset": start_offset},
        {"partition": partition, "leader_epoch": 1, "start_offset": start_offset, "end_offset": end},
    ]


def lost_under_others(world: World) -> None:
    """A batch is cut off by the next leader, and others stand where it was acknowledged."""
    partition = world.struck()
    gone = world.middle(partition)
    own = world.of(partition)
    following = own[own.index(gone) + 1]
    lost(world, [gone])
    # The next batch was sent to the new leader, half a second later.
    shift_down(world, partition, gone.end, len(gone.sequences))
    later = sequences([batch for batch in own if batch.number >= following.number])
    for row in world.sends:
        if row["sequence"] in later:
            row["done_us"] += SECOND // 2
    for row in world.delivered:
        if row["sequence"] in later:
            row["received_us"] += SECOND // 2
    for row in world.tap:
        if row["partition"] == partition and row["at_us"] > gone.acked_us and row["correlation"] >= following.number:
            row["at_us"] += SECOND // 2
            row["mono_us"] += SECOND // 2
    delayed_looks(world, partition, gone.acked_us + 1, gone.base)
    change_leader(world, gone.acked_us + 250 * MS, partition, gone.base)
    again_polled(world)


def delayed_looks(world: World, partition: int, from_us: int, end: int) -> None:
    """After a time the log stood where it was for half a second and a bit, then was as it is at the end."""
    final = world.end_of_log(partition)
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] > from_us:
            value = end if row["at_us"] < from_us + SECOND * 2 else final
            row.update(high_watermark=value, last_stable=value, log_end=value)
    # What is received meanwhile has a watermark that was looked at only later.
    drop(
        world.observed,
        lambda row: row["partition"] == partition and from_us + SECOND // 4 < row["at_us"] < from_us + 2 * SECOND,
    )


def lost_at_the_end(world: World) -> None:
    """The last batches are cut off by the next leader, and nothing comes after them."""
    partition = world.struck()
    batches = tail(world, partition, 0.8)
    lost(world, batches)
    cut = batches[0].base
    at_us = batches[-1].acked_us + 300 * MS
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] >= at_us:
            row.update(high_watermark=cut, last_stable=cut, log_end=cut)
        elif row["partition"] == partition:
            row["high_watermark"] = row["last_stable"] = min(row["high_watermark"], cut)
            if row["node"] != leader_of(partition):
                row["log_end"] = min(row["log_end"], cut)
    change_leader(world, at_us, partition, cut)


def written_again(world: World, batch: Batch) -> None:
    """A batch stands a second time at the end of its partition, and is delivered from there too."""
    partition = batch.partition
    end = world.end_of_log(partition)
    at_us = world.batches[-1].committed_us + 20 * MS
    for index, sequence in enumerate(batch.sequences):
        world.stored.append(record(sequence, partition, end + index))
        world.delivered.append(delivery(sequence, partition, end + index, at_us + 5 * MS, 9000))
    count = len(batch.sequences)
    copy = Batch(partition, end, batch.sequences, at_us, 9000 + partition)
    world.tap += fetch_rows(copy)
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] >= at_us:
            for name in ("high_watermark", "last_stable", "log_end"):
                row[name] = end + count
    again_polled(world)


def written_twice_by_broker(world: World) -> None:
    written_again(world, world.middle(world.struck()))


def cut_and_sent_again(world: World) -> None:
    """A connection is cut after the write; the client sends the batch again on another, and it is written again."""
    batch = world.middle(world.struck())
    drop(
        world.tap,
        lambda row: row["api"] == "Produce" and row["correlation"] == batch.number and row["direction"] == "answer",
    )
    lonely = [row for row in world.tap if row["api"] == "Produce" and row["correlation"] == batch.number]
    for row in lonely:
        row["connection"] = 77
    ended = wire_row(batch.acked_us, "Disconnect", "request", -1, -1, connection=77, text="")
    world.tap.append(ended)
    end = world.end_of_log(batch.partition)
    again = Batch(batch.partition, end, batch.sequences, world.batches[-1].committed_us + 10 * MS, batch.number)
    rows = produce_rows(again, correlation=5000)
    world.tap += rows
    written_again(world, batch)
    for row in world.sends:
        if row["sequence"] in batch.sequences:
            row["offset"] = end + batch.sequences.index(row["sequence"])
            row["done_us"] = again.acked_us


def acknowledged_elsewhere(world: World) -> None:
    batch = world.middle(world.struck())
    for row in world.sends:
        if row["sequence"] in batch.sequences:
            row["offset"] += 100_000


def stored_though_refused(world: World) -> None:
    batch = world.middle(world.struck())
    for row in world.sends:
        if row["sequence"] in batch.sequences:
            row.update(outcome=int(Outcome.REFUSED), offset=-1, error="INVALID_RECORD")


def order_changed(world: World) -> None:
    """Two neighbouring batches of one partition stand in each other's place."""
    partition = world.struck()
    own = world.of(partition)
    first = world.middle(partition)
    second = own[own.index(first) + 1]
    places = dict(zip(second.sequences + first.sequences, range(first.base, second.end), strict=True))
    for row in (*world.stored, *world.sends, *world.delivered):
        if row["sequence"] in places:
            row["offset"] = places[row["sequence"]]
    for row in world.delivered:
        if row["sequence"] in places:
            row["received_us"] = second.received_us
    again_polled(world)


def hidden_from(world: World, batches: list[Batch]) -> None:
    """These are stored, and nobody was handed them."""
    undelivered(world, sequences(batches))


def hw_falls(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.6)
    low = world.middle(partition, 0.3).base
    hidden_from(world, batches)
    for row in world.observed:
        if row["partition"] == partition and row["high_watermark"] >= batches[0].base:
            row["high_watermark"] = row["last_stable"] = low
    # Somebody saw it higher before, whenever the looks were.
    at_us = batches[0].acked_us
    before = [row for row in world.observed if row["partition"] == partition and row["at_us"] < at_us][-len(NODES) :]
    for row in before:
        row["high_watermark"] = row["last_stable"] = batches[0].base
        row["log_end"] = max(row["log_end"], batches[0].base)


def hw_falls_on_a_retry(world: World) -> None:
    """As it was: a batch is sent again and stands behind the next, which is allowed, and the watermark falls."""
    order_changed(world)
    hw_falls(world)


def hw_is_log_end(world: World) -> None:
    """A follower in sync stands still, and the log end is served as watermark."""
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    hidden_from(world, batches)
    follower = next(node for node in NODES if node != leader_of(partition))
    for row in world.observed:
        if row["partition"] == partition:
            if row["node"] == follower:
                row["log_end"] = min(row["log_end"], batches[0].base)
            row["high_watermark"] = row["last_stable"] = max(row["log_end"], row["high_watermark"])


def hw_stands(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    hidden_from(world, batches)
    for row in world.observed:
        if row["partition"] == partition:
            row["high_watermark"] = row["last_stable"] = min(row["high_watermark"], batches[0].base)


def hw_slow(world: World) -> None:
    """Held back beyond the time-out, then released: everything is delivered, late."""
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    late = sequences(batches)
    released = T0 + 4 * SECOND
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] < released:
            row["high_watermark"] = row["last_stable"] = min(row["high_watermark"], batches[0].base)
    for row in world.delivered:
        if row["sequence"] in late:
            row["received_us"] = released + 20 * MS
    numbers = {batch.number for batch in batches}
    for row in world.tap:
        if row["api"] == "Fetch" and row["correlation"] in numbers:
            late_us = 15 * MS if row["direction"] == "answer" else 10 * MS
            row.update(at_us=released + late_us, mono_us=released + late_us - T0 + SECOND)
    again_polled(world)


def records_above_watermark(world: World) -> None:
    """The watermark lags behind by seconds, and records above it are handed out all the same."""
    partition = world.struck()
    first = world.middle(partition, 0.4)
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] < T0 + 3 * SECOND:
            row["high_watermark"] = row["last_stable"] = min(row["high_watermark"], first.base)


def fetch_hangs(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    hidden_from(world, batches)
    hung = wire_row(
        batches[0].committed_us,
        "Fetch",
        "request",
        7000,
        partition,
        connection=20 + partition,
        offset=batches[0].base,
        told={"replica": -1, "max_wait_ms": 500},
    )
    world.tap.append(hung)
    world.tap.append(wire_row(world.end_us, "Disconnect", "request", -1, -1, connection=20 + partition, text=""))


def fetches_empty(world: World) -> None:
    """Fetches below the watermark are answered at once, with nothing."""
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    hidden_from(world, batches)
    end = world.end_of_log(partition)
    own = {"connection": 20 + partition}
    told = {"replica": -1, "max_wait_ms": 500}
    for turn in range(40):
        at_us = batches[-1].received_us + turn * 100 * MS
        asked = {"offset": batches[0].base, "told": told, **own}
        world.tap.append(wire_row(at_us, "Fetch", "request", 7000 + turn, partition, **asked))
        empty = {"count": 0, "high_watermark": end, "log_start": 0, "told": {"replica": -1}, **own}
        world.tap.append(wire_row(at_us + MS, "Fetch", "answer", 7000 + turn, partition, **empty))


def damaged_in_log(world: World) -> None:
    batch = world.middle(world.struck())
    for row in (*world.stored, *world.delivered):
        if row["sequence"] in batch.sequences:
            row["is_intact"] = False


def damaged_on_the_way(world: World) -> None:
    batch = world.middle(world.struck())
    for row in world.delivered:
        if row["sequence"] in batch.sequences:
            row["is_intact"] = False


def skipped(world: World) -> None:
    """A batch was in no answer, and the position passed it."""
    batch = world.middle(world.struck())
    undelivered(world, set(batch.sequences))


def answers_late(world: World) -> None:
    """Every fetch takes most of a second, so that much is handed out after the time-out."""
    delay = {batch.number: 900 * MS + index * 60 * MS for index, batch in enumerate(world.batches)}
    by_sequence = {sequence: delay[batch.number] for batch in world.batches for sequence in batch.sequences}
    for row in world.delivered:
        row["received_us"] += by_sequence[row["sequence"]]
    for row in world.tap:
        if row["api"] == "Fetch":
            late_us = delay[row["correlation"]]
            if row["direction"] == "request":
                late_us -= 800 * MS
            row["at_us"] += late_us
            row["mono_us"] += late_us
    again_polled(world)


def rebalance_storm(world: World) -> None:
    """Taken away and given back five times; the last messages come after the time-out."""
    for turn in range(5):
        at_us = T0 + SECOND // 2 + turn * 1200 * MS
        for partition in range(world.partitions):
            world.events.append(event(EventKind.REVOKED, at_us, partition=partition, generation=turn + 1))
            world.events.append(event(EventKind.ASSIGNED, at_us + 900 * MS, partition=partition, generation=turn + 2))
    delayed = sequences([batch for batch in world.batches if batch.number >= len(world.batches) // 2])
    for row in world.delivered:
        if row["sequence"] in delayed:
            row["received_us"] += 4 * SECOND
    shift_fetches(world, delayed, 4 * SECOND)


def shift_fetches(world: World, moved: set[int], by_us: int) -> None:
    """What was fetched was asked for later, and polls are noted accordingly."""
    numbers = {batch.number for batch in world.batches if set(batch.sequences) <= moved}
    for row in world.tap:
        if row["api"] == "Fetch" and row["correlation"] in numbers:
            row["at_us"] += by_us
            row["mono_us"] += by_us
    again_polled(world)


def handed_out_again(world: World) -> None:
    batch = world.middle(world.struck())
    again = [dict(row) for row in world.delivered if row["sequence"] in batch.sequences]
    for row in again:
        row["received_us"] += 30 * MS
        row["poll"] = 9000
    world.delivered += again


def consumer_gone(world: World) -> None:
    """The consumer ends in the middle without a word."""
    at_us = world.batches[len(world.batches) // 2].received_us
    gone = {row["sequence"] for row in world.delivered if row["received_us"] > at_us}
    drop(world.delivered, lambda row: row["sequence"] in gone)
    drop(world.tap, lambda row: row["api"] == "Fetch" and row["at_us"] > at_us)
    drop(world.events, lambda row: row["kind"] == "end")
    again_polled(world, at_us)
    world.tap += [
        wire_row(at_us, "Disconnect", "request", -1, -1, connection=20 + partition, text="")
        for partition in range(world.partitions)
    ]


def too_few_brokers(world: World) -> None:
    """Metadata lists one broker; whoever leads elsewhere cannot be reached."""
    known = NODES[0]
    out_of_reach = {at for at in range(world.partitions) if leader_of(at) != known}
    batches = [batch for batch in world.batches if batch.partition in out_of_reach]
    never_sent(world, batches, Outcome.UNKNOWN, "_MSG_TIMED_OUT")
    for row in world.tap:
        if row["api"] == "Metadata" and row["partition"] < 0:
            row["text"] = json.dumps({"brokers": [known]})


def never_sent(world: World, batches: list[Batch], outcome: Outcome, error: str) -> None:
    """These never came to a log, and the client says why; other partitions keep what they have."""
    gone = sequences(batches)
    numbers = {batch.number for batch in batches}
    drop(world.tap, lambda row: row["api"] in ("Produce", "Fetch") and row["correlation"] in numbers)
    drop(world.stored, lambda row: row["sequence"] in gone)
    drop(world.delivered, lambda row: row["sequence"] in gone)
    for row in world.sends:
        if row["sequence"] in gone:
            row.update(outcome=int(outcome), error=error, offset=-1, done_us=row["sent_us"] + 2 * SECOND)
    for partition in {batch.partition for batch in batches}:
        capped(world, partition, min(batch.base for batch in batches if batch.partition == partition))
    again_polled(world)


def no_leader(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    never_sent(world, batches, Outcome.UNKNOWN, "_MSG_TIMED_OUT")
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] > batches[0].sent_us - 200 * MS:
            row.update(leader=-1, high_watermark=-1, last_stable=-1, error="LEADER_NOT_AVAILABLE")


def not_leader_loop(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    never_sent(world, batches, Outcome.REFUSED, "NOT_LEADER_OR_FOLLOWER")
    for turn in range(8):
        at_us = batches[0].sent_us + turn * 100 * MS
        own = {"connection": 10 + partition}
        told = {"acks": 1, "crc": 4242}
        world.tap.append(wire_row(at_us, "Produce", "request", 6000 + turn, partition, count=5, told=told, **own))
        refusal = {"error": "NOT_LEADER_OR_FOLLOWER", **own}
        world.tap.append(wire_row(at_us + MS, "Produce", "answer", 6000 + turn, partition, **refusal))


def nothing_appended(world: World) -> None:
    never_sent(world, tail(world, world.struck(), 0.7), Outcome.REFUSED, "MSG_SIZE_TOO_LARGE")


def no_answer_to_sends(world: World) -> None:
    never_sent(world, tail(world, world.struck(), 0.7), Outcome.UNKNOWN, "_MSG_TIMED_OUT")
    world.facts["seen"]["tap"] = False


def not_accepted(world: World) -> None:
    last = max(batch.number for batch in world.batches)
    batches = [batch for batch in world.batches if batch.number > last - 3]
    never_sent(world, batches, Outcome.NOT_SENT, "_QUEUE_FULL")


def phantom(world: World) -> None:
    partition = world.struck()
    end = world.end_of_log(partition)
    at_us = world.batches[-1].committed_us + 20 * MS
    for index in range(5):
        sequence = 1_000_000 + index
        stamped = {"sent_us": at_us, "timestamp_ms": at_us // 1000}
        world.stored.append(record(sequence, partition, end + index, **stamped))
        world.delivered.append(delivery(sequence, partition, end + index, at_us + 5 * MS, 9000, **stamped))
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] >= at_us:
            for name in ("high_watermark", "last_stable", "log_end"):
                row[name] = end + 5
    again_polled(world)


def log_lost_records(world: World) -> None:
    batch = world.middle(world.struck())
    drop(world.stored, lambda row: row["sequence"] in batch.sequences)


def transaction_open(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.6)
    hidden_from(world, batches)
    for row in world.observed:
        if row["partition"] == partition:
            row["last_stable"] = min(row["last_stable"], batches[0].base)
    read_committed(world)


def read_committed(world: World) -> None:
    for row in world.events:
        if row["kind"] == "start":
            row["text"] = row["text"].replace("read_uncommitted", "read_committed")


def aborted_seen(world: World) -> None:
    read_committed(world)
    batch = world.middle(world.struck())
    for row in world.stored:
        if row["sequence"] in batch.sequences:
            row["is_aborted"] = True


def retention_overtook(world: World) -> None:
    """Old records are gone before they were read, as the topic's settings ask for."""
    partition = world.struck()
    start = world.middle(partition, 0.4)
    batches = [batch for batch in world.of(partition) if batch.number < start.number]
    lost(world, batches)
    for name in ("configs_begin", "configs_end"):
        world.facts[name]["retention.ms"] = "100"
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] > batches[-1].committed_us:
            row["log_start"] = start.base
    for row in world.events:
        if row["kind"] == "assigned" and row["partition"] == partition:
            row["offset"] = 0


def one_partition_stalls(world: World) -> None:
    """One partition is silent to the end; neither a tap nor looks tell why."""
    hidden_from(world, tail(world, world.struck(), 0.5))
    world.facts["seen"]["tap"] = False
    world.facts["seen"]["replica_ends"] = False
    world.observed.clear()


def all_stall(world: World) -> None:
    """All partitions are silent from the middle on."""
    half = [batch for batch in world.batches if batch.number >= len(world.batches) // 2]
    hidden_from(world, half)
    world.facts["seen"]["tap"] = False


def slowly_to(world: World, per_second: int) -> None:
    """Hand records out at a rate, one poll a time, until the time-out; the rest never."""
    rows = sorted(world.delivered, key=lambda row: row["received_us"])
    gap_us = SECOND // per_second
    for index, row in enumerate(rows):
        row["received_us"] = max(row["received_us"], T0 + index * gap_us)
        row["poll"] = 1 + index
    gone = {row["sequence"] for row in rows if row["received_us"] > T0 + 2700 * MS}
    drop(world.tap, lambda row: row["api"] == "Fetch")
    drop(world.delivered, lambda row: row["sequence"] in gone)
    at_us = T0 + 2700 * MS
    drop(world.events, lambda row: row["kind"] == "end")
    world.end_us = world.facts["end_us"] = T0 + 2900 * MS
    drop(world.observed, lambda row: row["at_us"] > world.end_us)
    again_polled(world, at_us)
    world.note(EventKind.END, at_us + 150 * MS)


def slow_consumer(world: World) -> None:
    """Every poll finds records, and there are too few polls."""
    slowly_to(world, 100)


def timeout_too_short(world: World) -> None:
    """Polls wait for records that come one by one, to the last moment."""
    slowly_to(world, 100)
    for at_us in range(T0, T0 + 2600 * MS, 50 * MS):
        world.note(EventKind.EMPTY, at_us, count=5)


def poll_limit(world: World) -> None:
    """Every poll gives as many records as it may: one."""
    world.facts["settings"]["max_poll_records"] = 1
    slowly_to(world, 100)


FAULTS = (
    Fault("acked-never-written", acked_never_written, "ACKED_NOT_IN_LOG", "acked-never-written"),
    Fault("offset-twice", offset_twice, "ACKED_NOT_IN_LOG", "offset-given-twice"),
    Fault("lost-under-others", lost_under_others, "ACKED_NOT_IN_LOG", "acked-lost-in-change-of-leader", acks=-1),
    Fault("lost-at-the-end", lost_at_the_end, "ACKED_NOT_IN_LOG", "acked-lost-in-change-of-leader", is_allowed=True),
    Fault("lost-at-the-end-all", lost_at_the_end, "ACKED_NOT_IN_LOG", "acked-lost-in-change-of-leader", acks=-1),
    Fault("written-twice", written_twice_by_broker, "+DUPLICATED", "written-twice", idempotent=True),
    Fault("cut-and-sent-again", cut_and_sent_again, "+DUPLICATED", "connections-cut", is_allowed=True),
    Fault("acknowledged-elsewhere", acknowledged_elsewhere, "+ACK_MISPLACED", "acknowledged-elsewhere"),
    Fault("stored-though-refused", stored_though_refused, "+STORED_THOUGH_REFUSED", "stored-though-refused"),
    Fault("order-changed", order_changed, "+REORDERED", "order-changed", acks=-1, idempotent=True),
    Fault("hw-falls", hw_falls, "IN_LOG_ABOVE_HW", "watermark-moved-back"),
    Fault("hw-falls-on-a-retry", hw_falls_on_a_retry, "IN_LOG_ABOVE_HW", "watermark-moved-back"),
    Fault("hw-is-log-end", hw_is_log_end, "IN_LOG_ABOVE_HW", "watermark-above-in-sync-end"),
    Fault("hw-stands", hw_stands, "IN_LOG_ABOVE_HW", "watermark-stands-still"),
    Fault("hw-slow", hw_slow, "+LATE", "watermark-stands-still"),
    Fault("records-above-watermark", records_above_watermark, "+VISIBLE_ABOVE_HW", "records-above-watermark"),
    Fault("fetch-hangs", fetch_hangs, "NOT_REACHED", "fetch-not-answered"),
    Fault("fetches-empty", fetches_empty, "NOT_REACHED", "answers-without-records"),
    Fault("damaged-in-log", damaged_in_log, "+CORRUPTED", "damaged"),
    Fault("damaged-on-the-way", damaged_on_the_way, "+CORRUPTED", "damaged"),
    Fault("skipped", skipped, "SKIPPED", "records-skipped"),
    Fault("answers-late", answers_late, "+LATE", "answers-late"),
    Fault("rebalance-storm", rebalance_storm, "+LATE", "rebalance-storm"),
    Fault("handed-out-again", handed_out_again, "+REDELIVERED", "handed-out-again"),
    Fault("consumer-gone", consumer_gone, "NOT_REACHED", "consumer-gone"),
    Fault("too-few-brokers", too_few_brokers, "UNKNOWN", "too-few-brokers"),
    Fault("no-leader", no_leader, "UNKNOWN", "no-leader"),
    Fault("not-leader-loop", not_leader_loop, "NOT_ACKED", "not-leader-loop"),
    Fault("nothing-appended", nothing_appended, "NOT_ACKED", "nothing-appended"),
    Fault("no-answer-to-sends", no_answer_to_sends, "UNKNOWN", "no-answer-to-sends"),
    Fault("not-accepted", not_accepted, "NOT_SENT", "never-sent"),
    Fault("phantom", phantom, "*PHANTOM", "phantoms"),
    Fault("log-lost-records", log_lost_records, "DELIVERED_THEN_LOST", "log-lost-records"),
    Fault("transaction-open", transaction_open, "ABOVE_LSO", "transaction-open"),
    Fault("aborted-seen", aborted_seen, "+ABORTED_VISIBLE", "aborted-seen"),
    Fault("retention-overtook", retention_overtook, "EXPIRED", "retention-overtook", is_allowed=True),
    Fault("one-partition-stalls", one_partition_stalls, "NOT_REACHED", "one-partition-stalls"),
    Fault("all-stall", all_stall, "NOT_REACHED", "all-partitions-stall"),
    Fault("slow-consumer", slow_consumer, "NOT_REACHED", "slow-consumer"),
    Fault("poll-limit", poll_limit, "NOT_REACHED", "poll-limit"),
    Fault("timeout-too-short", timeout_too_short, "NOT_REACHED", "timeout-too-short"),
)
assert len({fault.name for fault in FAULTS}) == len(FAULTS)

# --- runs without a fault that look like one


def compacted(world: World) -> None:
    """Older records of a key are gone; consumers were behind and never saw them."""
    partition = world.struck()
    for rows in (world.sends, world.stored):
        for row in rows:
            if row["partition"] == partition:
                row["key_hash"] = 1 + row["sequence"] % 2
    batches = world.of(partition)[:3]
    lost(world, batches)
    for name in ("configs_begin", "configs_end"):
        world.facts[name]["cleanup.policy"] = "compact"


def expiring(world: World) -> None:
    """Read in time, and gone by the end."""
    partition = world.struck()
    start = world.middle(partition, 0.4)
    drop(world.stored, lambda row: row["partition"] == partition and row["offset"] < start.base)
    for name in ("configs_begin", "configs_end"):
        world.facts[name]["retention.ms"] = "100"
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] > world.batches[-1].received_us + SECOND:
            row["log_start"] = start.base


def transactional(world: World) -> None:
    """Every partition has markers between batches, and one aborted transaction that nobody was handed."""
    read_committed(world)
    partition = world.struck()
    batch = world.middle(partition)
    undelivered(world, set(batch.sequences))
    for row in world.stored:
        if row["sequence"] in batch.sequences and row["partition"] == partition:
            row["is_aborted"] = True
    for at in range(world.partitions):
        end = world.end_of_log(at)
        world.stored.append(record(0, at, end, is_ours=False, run=0, is_control=True))
        for row in world.observed:
            if row["partition"] == at and row["log_end"] >= end:
                for name in ("high_watermark", "last_stable", "log_end"):
                    row[name] = end + 1
        for row in world.epochs:
            if row["partition"] == at:
                row["end_offset"] = end + 1


def rebalancing(world: World) -> None:
    """A second member comes and goes; what was not committed is handed out again."""
    for at_us in (T0 + 300 * MS, T0 + 600 * MS):
        for partition in range(world.partitions):
            world.events.append(event(EventKind.REVOKED, at_us, partition=partition))
            world.events.append(event(EventKind.ASSIGNED, at_us + 10 * MS, partition=partition, generation=2))
    again = [dict(row) for row in world.delivered if T0 + 500 * MS < row["received_us"] < T0 + 600 * MS]
    for row in again:
        row["received_us"] = T0 + 640 * MS
        row["poll"] = 9000
    world.delivered += again


def changing_leaders(world: World) -> None:
    """Every partition gets a new leader in the middle, who has everything."""
    for partition in range(world.partitions):
        batch = world.middle(partition)
        change_leader(world, batch.acked_us, partition, batch.end)


CLEAN: dict[str, Change] = {
    "clean": lambda world: None,
    "compacted": compacted,
    "expiring": expiring,
    "transactional": transactional,
    "rebalancing": rebalancing,
    "changing-leaders": changing_leaders,
}
