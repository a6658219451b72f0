"""Runs without a fault that look like one."""

from collections.abc import Callable

from chronik.audit.tables.schemas import EventKind
from tests.audit.accident.edits import change_leader, lost, read_committed, undelivered
from tests.audit.accident.world import MS, SECOND, T0, World, drop, event, record


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


CLEAN: dict[str, Callable[[World], None]] = {
    "clean": lambda world: None,
    "compacted": compacted,
    "expiring": expiring,
    "transactional": transactional,
    "rebalancing": rebalancing,
    "changing-leaders": changing_leaders,
}
