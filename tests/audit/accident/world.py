"""A run's directory that is made up: everything as it would be recorded of a cluster without a fault, from a seed.

Faults edit the rows before they are written. Times are plausible to each other and to nothing else.
"""

import json
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from chronik.audit.tables import schemas
from chronik.audit.tables.schemas import EventKind, SendOutcome

T0 = 1_800_000_000_000_000
MS = 1000
SECOND = 1_000_000
RUN = 0xC0FFEE
TOPIC = "orders"
GROUP = "readers"
NODES = (1, 2, 3)
STEP_US = 2 * MS
LOOK_US = 100 * MS
ANSWER_US = 3 * MS
COMMIT_US = 2 * MS
FETCH_US = 4 * MS

Row = dict[str, Any]


@dataclass(slots=True)
class Batch:
    """What was sent together: ids in order, where they stand, when it was answered."""

    partition: int
    base: int
    sequences: list[int]
    sent_us: int
    number: int

    @property
    def end(self) -> int:
        return self.base + len(self.sequences)

    @property
    def acked_us(self) -> int:
        return self.sent_us + ANSWER_US

    @property
    def committed_us(self) -> int:
        return self.acked_us + COMMIT_US

    @property
    def received_us(self) -> int:
        return self.committed_us + FETCH_US


@dataclass(slots=True)
class World:
    """The tables of a run as rows, by the names of their columns."""

    seed: int
    partitions: int
    timeout_s: float
    end_us: int
    facts: Row
    batches: list[Batch]
    dice: random.Random
    sends: list[Row] = field(default_factory=list)
    delivered: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)
    stored: list[Row] = field(default_factory=list)
    observed: list[Row] = field(default_factory=list)
    epochs: list[Row] = field(default_factory=list)
    tap: list[Row] = field(default_factory=list)
    reserved: list[str] = field(default_factory=list)

    @property
    def messages(self) -> int:
        return sum(len(batch.sequences) for batch in self.batches)

    def of(self, partition: int) -> list[Batch]:
        return [batch for batch in self.batches if batch.partition == partition]

    def struck(self) -> int:
        """The partition that a fault of this seed strikes."""
        return self.seed % self.partitions

    def middle(self, partition: int, share: float = 0.5) -> Batch:
        """A batch about there in a partition."""
        own = self.of(partition)
        return own[max(1, min(int(len(own) * share), len(own) - 2))]

    def write(self, directory: Path) -> Path:
        """Write the directory as a run leaves it."""
        directory.mkdir(parents=True, exist_ok=True)
        # Logs are read in the order of offsets, and consumers write down what they get as it comes.
        self.stored.sort(key=lambda row: (row["partition"], row["offset"]))
        self.delivered.sort(key=lambda row: row["received_us"])
        (directory / "run.json").write_text(json.dumps(self.facts), encoding="utf-8")
        _write(directory / "sends" / "0.arrows", schemas.SENDS, self.sends)
        (directory / "sends" / "0.reserved").write_text("".join(f"{line}\n" for line in self.reserved), "ascii")
        _write(directory / "polls" / "0.arrows", schemas.DELIVERED, self.delivered)
        _write(directory / "polls" / "0.events.arrows", schemas.EVENTS, self.events)
        _write(directory / "stored" / "0.arrows", schemas.STORED, self.stored)
        _write(directory / "observer" / "samples.arrows", schemas.OBSERVED, self.observed)
        _write(directory / "observer" / "epochs.arrows", schemas.EPOCHS, self.epochs)
        if self.facts["seen"]["tap"]:
            _write(directory / "tap" / "tap.arrows", schemas.TAP, self.tap)
        return directory

    def note(self, kind: EventKind, at_us: int, **more: object) -> None:
        self.events.append(event(kind, at_us, **more))

    def end_of_log(self, partition: int) -> int:
        return max((row["offset"] + 1 for row in self.stored if row["partition"] == partition), default=0)


def _write(path: Path, schema: pa.Schema, rows: list[Row]) -> None:
    path.parent.mkdir(exist_ok=True)
    arrays = []
    for one in schema:
        values = [row[one.name] for row in rows]
        if pa.types.is_dictionary(one.type):
            arrays.append(pa.array(values, one.type.value_type).dictionary_encode().cast(one.type))
        else:
            arrays.append(pa.array(values, one.type))
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))


def clean(seed: int, *, messages: int = 480, acks: int = 1, idempotent: bool = False, seconds: float = 6.0) -> World:
    """A run in which everything is delivered, once, in order and in time."""
    dice = random.Random(seed)
    partitions = dice.choice((2, 3, 4))
    settings = {"acks": acks, "idempotent": idempotent, "in_flight": 5, "partitions": partitions}
    end_us = T0 + int(seconds * SECOND)
    facts = {
        "run": f"{RUN:016x}",
        "topic": TOPIC,
        "topic_id": "00000000-0000-0000-0000-000000000001",
        "label": "",
        "begin_us": T0 - 300 * MS,
        "end_us": end_us,
        "timeout_s": 3.0,
        "stall_s": 1.0,
        "partitions": partitions,
        "settings": settings,
        "producers": {"0": settings},
        "configs_begin": {"cleanup.policy": "delete"},
        "configs_end": {"cleanup.policy": "delete"},
        "seen": {"replica_ends": True, "tap": True, "trace": False},
    }
    world = World(seed, partitions, 3.0, end_us, facts, _batches(dice, messages, partitions), dice)
    world.reserved = [f"reserve 0 0 0 {messages}", f"close 0 0 {messages}"]
    for batch in world.batches:
        _add_batch(world, batch)
    _add_consumer(world)
    _add_looks(world)
    world.epochs = [
        {"partition": at, "leader_epoch": 0, "start_offset": 0, "end_offset": world.end_of_log(at)}
        for at in range(partitions)
    ]
    _add_metadata(world)
    return world


def _batches(dice: random.Random, messages: int, partitions: int) -> list[Batch]:
    ends = dict.fromkeys(range(partitions), 0)
    found: list[Batch] = []
    sequence, turn = 0, 0
    while sequence < messages:
        count = min(dice.randint(5, 12), messages - sequence)
        partition = turn % partitions
        sent_us = T0 + (sequence + count) * STEP_US
        found.append(Batch(partition, ends[partition], list(range(sequence, sequence + count)), sent_us, turn))
        ends[partition] += count
        sequence += count
        turn += 1
    return found


def leader_of(partition: int) -> int:
    return NODES[partition % len(NODES)]


def sent_at(sequence: int) -> int:
    return T0 + sequence * STEP_US


def _add_batch(world: World, batch: Batch) -> None:
    for index, sequence in enumerate(batch.sequences):
        world.sends.append(send(sequence, batch.partition, batch.base + index, batch.acked_us))
        world.stored.append(record(sequence, batch.partition, batch.base + index))
        world.delivered.append(
            delivery(sequence, batch.partition, batch.base + index, batch.received_us, batch.number + 1)
        )
    world.tap += produce_rows(batch)
    world.tap += fetch_rows(batch)


def send(sequence: int, partition: int, offset: int, done_us: int, **more: object) -> Row:
    return {
        "producer": 0,
        "incarnation": 0,
        "sequence": sequence,
        "key_hash": 0,
        "is_null": False,
        "sent_us": sent_at(sequence),
        "done_us": done_us,
        "partition": partition,
        "outcome": int(SendOutcome.ACKED),
        "offset": offset,
        "error": "",
        **more,
    }


def record(sequence: int, partition: int, offset: int, **more: object) -> Row:
    return {
        "node": leader_of(partition),
        "partition": partition,
        "offset": offset,
        "timestamp_ms": sent_at(sequence) // 1000,
        "is_ours": True,
        "run": RUN,
        "producer": 0,
        "sequence": sequence,
        "sent_us": sent_at(sequence),
        "is_intact": True,
        "key_hash": 0,
        "is_null": False,
        "leader_epoch": 0,
        "producer_id": -1,
        "producer_epoch": -1,
        "base_sequence": -1,
        "is_control": False,
        "is_aborted": False,
        **more,
    }


def delivery(sequence: int, partition: int, offset: int, received_us: int, poll: int, **more: object) -> Row:
    return {
        "group": GROUP,
        "consumer": 0,
        "generation": 1,
        "poll": poll,
        "received_us": received_us,
        "partition": partition,
        "offset": offset,
        "timestamp_ms": sent_at(sequence) // 1000,
        "is_ours": True,
        "run": RUN,
        "producer": 0,
        "sequence": sequence,
        "sent_us": sent_at(sequence),
        "is_intact": True,
        **more,
    }


def event(kind: EventKind, at_us: int, **more: object) -> Row:
    return {
        "consumer": 0,
        "group": GROUP,
        "at_us": at_us,
        "kind": str(kind),
        "partition": -1,
        "offset": -1,
        "generation": 1,
        "count": 0,
        "text": "",
        **more,
    }


def look(at_us: int, node: int, partition: int, watermark: int, log_end: int, **more: object) -> Row:
    return {
        "at_us": at_us,
        "mono_us": at_us - T0 + SECOND,
        "node": node,
        "partition": partition,
        "log_start": 0,
        "high_watermark": watermark,
        "last_stable": watermark,
        "log_end": log_end,
        "leader": leader_of(partition),
        "leader_epoch": 0,
        "isr": list(NODES),
        "error": "",
        **more,
    }


def wire_row(at_us: int, api: str, direction: str, correlation: int, partition: int, **more: object) -> Row:
    told = more.pop("told", {})
    return {
        "at_us": at_us,
        "mono_us": at_us - T0 + SECOND,
        "connection": 1,
        "node": leader_of(max(partition, 0)),
        "client_id": "somebody",
        "api": api,
        "version": 9,
        "correlation": correlation,
        "direction": direction,
        "partition": partition,
        "offset": -1,
        "count": -1,
        "bytes": 100,
        "error": "",
        "high_watermark": -1,
        "log_start": -1,
        "leader": -1,
        "leader_epoch": -1,
        "text": json.dumps({"topic": TOPIC, **told}) if isinstance(told, dict) else "",
        **more,
    }


def produce_rows(batch: Batch, *, answered: bool = True, correlation: int | None = None, late_us: int = 0) -> list[Row]:
    """The produce of a batch on connection 10 + partition."""
    number = batch.number if correlation is None else correlation
    own = {"connection": 10 + batch.partition}
    told = {"acks": 1, "crc": 1000 + batch.number}
    rows = [
        wire_row(
            batch.sent_us, "Produce", "request", number, batch.partition, count=len(batch.sequences), told=told, **own
        )
    ]
    if answered:
        at_us = batch.acked_us + late_us
        rows.append(wire_row(at_us, "Produce", "answer", number, batch.partition, offset=batch.base, **own))
    return rows


def fetch_rows(batch: Batch, *, late_us: int = 0) -> list[Row]:
    """The fetch that brought a batch, on connection 20 + partition: asked for when it was there."""
    own = {"connection": 20 + batch.partition}
    told = {"replica": -1, "max_wait_ms": 500, "isolation": 0}
    asked = wire_row(
        batch.committed_us, "Fetch", "request", batch.number, batch.partition, offset=batch.base, told=told, **own
    )
    came = wire_row(
        batch.received_us - MS + late_us,
        "Fetch",
        "answer",
        batch.number,
        batch.partition,
        offset=batch.base,
        count=len(batch.sequences),
        high_watermark=batch.end,
        log_start=0,
        told={"replica": -1, "next": batch.end},
        **own,
    )
    return [asked, came]


def _add_consumer(world: World) -> None:
    begun = T0 - 200 * MS
    text = json.dumps({"reset": "earliest", "isolation": "read_uncommitted", "mode": "subscribe", "partitions": []})
    world.note(EventKind.START, begun, text=text, generation=-1)
    for partition in range(world.partitions):
        world.note(EventKind.ASSIGNED, begun + 50 * MS, partition=partition, offset=0)
    add_polls(world)
    world.note(EventKind.END, world.end_us - 100 * MS)


def add_polls(world: World, until_us: int | None = None) -> None:
    """Note polls and positions ten times a second, from what was delivered."""
    before = T0 - LOOK_US
    while before < (world.end_us - 300 * MS if until_us is None else until_us):
        now = before + LOOK_US
        own = [row for row in world.delivered if before < row["received_us"] <= now]
        if own:
            world.note(EventKind.POLL, now, count=len(own))
            for partition in sorted({row["partition"] for row in own}):
                highest = max(row["offset"] for row in own if row["partition"] == partition)
                world.note(EventKind.POSITION, now, partition=partition, offset=highest + 1)
        else:
            world.note(EventKind.EMPTY, now, count=1)
        before = now


def _add_looks(world: World) -> None:
    for partition in range(world.partitions):
        own = world.of(partition)
        for at_us in looks(world):
            end = max((batch.end for batch in own if batch.acked_us <= at_us), default=0)
            watermark = max((batch.end for batch in own if batch.committed_us <= at_us), default=0)
            world.observed += [look(at_us, node, partition, watermark, end) for node in NODES]


def looks(world: World) -> Iterable[int]:
    return range(T0 - 400 * MS, world.end_us, LOOK_US)


def _add_metadata(world: World) -> None:
    at_us = T0 - 250 * MS
    world.tap.append(
        wire_row(at_us, "Metadata", "answer", -7, -1, connection=5, text=json.dumps({"brokers": list(NODES)}))
    )
    world.tap += [
        wire_row(at_us, "Metadata", "answer", -7, at, connection=5, leader=leader_of(at), leader_epoch=0)
        for at in range(world.partitions)
    ]


def drop(rows: list[Row], is_dropped: Callable[[Row], bool]) -> list[Row]:
    """Take rows out, and give them."""
    taken = [row for row in rows if is_dropped(row)]
    rows[:] = [row for row in rows if not is_dropped(row)]
    return taken


def again_polled(world: World, until_us: int | None = None) -> None:
    """Note polls anew, after what was delivered has changed."""
    drop(world.events, lambda row: row["kind"] in ("poll", "position", "empty"))
    add_polls(world, until_us)
