"""Marks of what goes wrong between a producer and the log."""

import json

from chronik.audit.tables.schemas import SendOutcome
from tests.audit.accident.edits import (
    capped,
    change_leader,
    delayed_looks,
    lost,
    never_sent,
    sequences,
    shift_down,
    tail,
)
from tests.audit.accident.world import (
    MS,
    NODES,
    SECOND,
    Batch,
    World,
    again_polled,
    delivery,
    drop,
    fetch_rows,
    leader_of,
    produce_rows,
    record,
    wire_row,
)


def acked_never_written(world: World) -> None:
    batches = tail(world, world.struck())
    capped(world, world.struck(), batches[0].base)
    lost(world, batches)


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
            row.update(outcome=int(SendOutcome.REFUSED), offset=-1, error="INVALID_RECORD")


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


def too_few_brokers(world: World) -> None:
    """Metadata lists one broker; whoever leads elsewhere cannot be reached."""
    known = NODES[0]
    out_of_reach = {at for at in range(world.partitions) if leader_of(at) != known}
    batches = [batch for batch in world.batches if batch.partition in out_of_reach]
    never_sent(world, batches, SendOutcome.UNKNOWN, "_MSG_TIMED_OUT")
    for row in world.tap:
        if row["api"] == "Metadata" and row["partition"] < 0:
            row["text"] = json.dumps({"brokers": [known]})


def no_leader(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    never_sent(world, batches, SendOutcome.UNKNOWN, "_MSG_TIMED_OUT")
    for row in world.observed:
        if row["partition"] == partition and row["at_us"] > batches[0].sent_us - 200 * MS:
            row.update(leader=-1, high_watermark=-1, last_stable=-1, error="LEADER_NOT_AVAILABLE")


def not_leader_loop(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.5)
    never_sent(world, batches, SendOutcome.REFUSED, "NOT_LEADER_OR_FOLLOWER")
    for turn in range(8):
        at_us = batches[0].sent_us + turn * 100 * MS
        own = {"connection": 10 + partition}
        told = {"acks": 1, "crc": 4242}
        world.tap.append(wire_row(at_us, "Produce", "request", 6000 + turn, partition, count=5, told=told, **own))
        refusal = {"error": "NOT_LEADER_OR_FOLLOWER", **own}
        world.tap.append(wire_row(at_us + MS, "Produce", "answer", 6000 + turn, partition, **refusal))


def nothing_appended(world: World) -> None:
    never_sent(world, tail(world, world.struck(), 0.7), SendOutcome.REFUSED, "MSG_SIZE_TOO_LARGE")


def no_answer_to_sends(world: World) -> None:
    never_sent(world, tail(world, world.struck(), 0.7), SendOutcome.UNKNOWN, "_MSG_TIMED_OUT")
    world.facts["seen"]["tap"] = False


def not_accepted(world: World) -> None:
    last = max(batch.number for batch in world.batches)
    batches = [batch for batch in world.batches if batch.number > last - 3]
    never_sent(world, batches, SendOutcome.NOT_SENT, "_QUEUE_FULL")


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
