"""What faults have in common: how they edit the records of a run that has none."""

from chronik.audit.tables.schemas import SendOutcome
from tests.audit.accident.world import NODES, SECOND, Batch, World, again_polled, drop, leader_of


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


def hidden_from(world: World, batches: list[Batch]) -> None:
    """These are stored, and nobody was handed them."""
    undelivered(world, sequences(batches))


def never_sent(world: World, batches: list[Batch], outcome: SendOutcome, error: str) -> None:
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


def read_committed(world: World) -> None:
    for row in world.events:
        if row["kind"] == "start":
            row["text"] = row["text"].replace("read_uncommitted", "read_committed")


def shift_fetches(world: World, moved: set[int], by_us: int) -> None:
    """What was fetched was asked for later, and polls are noted accordingly."""
    numbers = {batch.number for batch in world.batches if set(batch.sequences) <= moved}
    for row in world.tap:
        if row["api"] == "Fetch" and row["correlation"] in numbers:
            row["at_us"] += by_us
            row["mono_us"] += by_us
    again_polled(world)
