"""Marks of what goes wrong between the log and a consumer: watermarks, fetches, groups."""

from chronik.audit.tables.schemas import EventKind
from tests.audit.accident.edits import hidden_from, lost, read_committed, sequences, shift_fetches, tail, undelivered
from tests.audit.accident.faults_of_writing import order_changed
from tests.audit.accident.world import MS, NODES, SECOND, T0, World, again_polled, drop, event, leader_of, wire_row


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


def transaction_open(world: World) -> None:
    partition = world.struck()
    batches = tail(world, partition, 0.6)
    hidden_from(world, batches)
    for row in world.observed:
        if row["partition"] == partition:
            row["last_stable"] = min(row["last_stable"], batches[0].base)
    read_committed(world)


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
