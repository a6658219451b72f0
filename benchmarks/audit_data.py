"""Generated runs for the audit's benchmark: three sides (sent, stored, delivered) with faults at known places.

In each round every producer sends one batch, to the partition whose turn it is, as producers without keys do.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit.tables import schemas
from chronik.audit.tables.spans import ReadSpan, write_spans

RUN = 0xBE7C4
BEGIN_US = 1_700_000_000_000_000
PRODUCERS = 4
PARTITIONS = 6
BATCH = 256
CHUNK_ROUNDS = 250
FILE_ROUNDS = 4_000

Ints = npt.NDArray[np.int64]
Named = dict[tuple[int, int], tuple[str, tuple[str, ...]]]


@dataclass(frozen=True)
class Rounds:
    """In each round every producer sends one batch, to the partition whose turn it is."""

    count: int

    @property
    def messages(self) -> int:
        return self.count * PRODUCERS * BATCH

    def batch_numbers(self) -> Ints:
        """Give by (partition, round) how many batches stand before."""
        rounds = np.arange(self.count)
        is_written = (np.arange(PARTITIONS)[:, None] - rounds[None, :]) % PARTITIONS < PRODUCERS
        return np.cumsum(is_written, axis=1) - is_written


def rounds_of(messages: int) -> Rounds:
    """Give the rounds in which so many messages are sent, or a few less."""
    return Rounds(max(1, messages // (PRODUCERS * BATCH)))


def write_run(directory: Path, rounds: Rounds, plan: "Faults", *, is_stored: bool = True) -> None:
    """Write the three sides with faults; the log may be elsewhere."""
    for folder in ("sends", "polls", "stored"):
        (directory / folder).mkdir(parents=True)
    numbers = rounds.batch_numbers()
    for first in range(0, rounds.count, FILE_ROUNDS):
        for producer in range(PRODUCERS):
            _write(
                directory / "sends" / f"{producer}-{first}.arrows",
                schemas.SENDS,
                _sends(producer, first, rounds, numbers),
            )
        for partition in range(PARTITIONS):
            chunks = list(_records(partition, first, rounds, numbers))
            name = f"{partition}-{first:09}.arrows"
            if is_stored:
                _write(directory / "stored" / name, schemas.STORED, (_stored(chunk, plan) for chunk in chunks))
            _write(directory / "polls" / name, schemas.DELIVERED, (_delivered(chunk, plan) for chunk in chunks))
    ends = [
        int(numbers[partition, -1] + _is_written(partition, rounds.count - 1)) * BATCH
        for partition in range(PARTITIONS)
    ]
    if is_stored:
        write_spans(directory / "stored", [ReadSpan(-1, partition, 0, end, end) for partition, end in enumerate(ends)])
    _write(directory / "polls" / "0.events.arrows", schemas.EVENTS, [_events(ends)])
    (directory / "run.json").write_text(json.dumps(_run_json()), encoding="utf-8")


class Faults:
    """Which messages something is wrong with: each kind takes its turn, spread evenly over the run."""

    def __init__(self, rounds: Rounds, count: int, kinds: Sequence[str] = ("lost", "skipped", "damaged")) -> None:
        total = rounds.count * BATCH
        self.chosen: dict[str, list[tuple[int, int]]] = {kind: [] for kind in VERDICTS}
        self.expected: Named = {}
        for number in range(count):
            at = (number % PRODUCERS, (2 * number + 1) * total // (2 * count))
            kind = kinds[number % len(kinds)]
            self.chosen[kind].append(at)
            self.expected[at] = VERDICTS[kind]

    def are(self, kind: str, columns: dict[str, Ints]) -> npt.NDArray[np.bool_]:
        """Say which rows, by rising sequences, are of messages with such a fault."""
        found = np.zeros(len(columns["sequence"]), np.bool_)
        if not len(found):
            return found
        low, high = int(columns["sequence"][0]), int(columns["sequence"][-1])
        for producer, sequence in self.chosen[kind]:
            if low <= sequence <= high:
                found |= (columns["producer"] == producer) & (columns["sequence"] == sequence)
        return found


VERDICTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "lost": ("ACKED_NOT_IN_LOG", ()),
    "skipped": ("SKIPPED", ()),
    "damaged": ("DELIVERED", ("CORRUPTED",)),
}
"""What each kind of fault must be called."""


def _is_written(partition: int, of_round: int) -> bool:
    return (partition - of_round) % PARTITIONS < PRODUCERS


def _sends(producer: int, first: int, rounds: Rounds, numbers: Ints) -> Iterator[pa.RecordBatch]:
    for begin in range(first, min(first + FILE_ROUNDS, rounds.count), CHUNK_ROUNDS):
        of = np.arange(begin, min(begin + CHUNK_ROUNDS, first + FILE_ROUNDS, rounds.count))
        partitions = (of + producer) % PARTITIONS
        offsets = _spread(numbers[partitions, of] * BATCH)
        sequences = _spread(of * BATCH)
        count = len(sequences)
        sent = BEGIN_US + sequences * 10
        yield _batch(
            schemas.SENDS,
            producer=np.full(count, producer),
            incarnation=np.zeros(count),
            sequence=sequences,
            key_hash=np.zeros(count),
            is_null=np.zeros(count, np.bool_),
            sent_us=sent,
            done_us=sent + 5000,
            partition=np.repeat(partitions, BATCH),
            outcome=np.zeros(count),
            offset=offsets,
            error=pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), [""]).cast(pa.string()),
        )


def _records(partition: int, first: int, rounds: Rounds, numbers: Ints) -> Iterator[dict[str, Ints]]:
    for begin in range(first, min(first + FILE_ROUNDS, rounds.count), CHUNK_ROUNDS):
        of = np.arange(begin, min(begin + CHUNK_ROUNDS, first + FILE_ROUNDS, rounds.count))
        of = of[(partition - of) % PARTITIONS < PRODUCERS]
        sequences = _spread(of * BATCH)
        yield {
            "partition": np.full(len(sequences), partition),
            "offset": _spread(numbers[partition, of] * BATCH),
            "producer": np.repeat((partition - of) % PARTITIONS, BATCH),
            "sequence": sequences,
            "sent_us": BEGIN_US + sequences * 10,
            "timestamp_ms": (BEGIN_US + sequences * 10) // 1000,
        }


def _spread(firsts: Ints) -> Ints:
    return (firsts[:, None] + np.arange(BATCH)[None, :]).reshape(-1)


def _stored(columns: dict[str, Ints], plan: Faults) -> pa.RecordBatch:
    count = len(columns["sequence"])
    batch = _batch(
        schemas.STORED,
        **columns,
        node=np.full(count, -1),
        is_ours=np.ones(count, np.bool_),
        run=np.full(count, RUN),
        is_intact=~plan.are("damaged", columns),
        key_hash=np.zeros(count),
        is_null=np.zeros(count, np.bool_),
        leader_epoch=np.zeros(count),
        producer_id=columns["producer"],
        producer_epoch=np.zeros(count),
        base_sequence=columns["sequence"] & 0x7FFFFFFF,
        is_control=np.zeros(count, np.bool_),
        is_aborted=np.zeros(count, np.bool_),
    )
    return batch.filter(pa.array(~plan.are("lost", columns)))


def _delivered(columns: dict[str, Ints], plan: Faults) -> pa.RecordBatch:
    count = len(columns["sequence"])
    batch = _batch(
        schemas.DELIVERED,
        **columns,
        group=pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), ["readers"]),
        consumer=np.zeros(count),
        generation=np.ones(count),
        poll=columns["offset"] // 500,
        received_us=columns["sent_us"] + 20_000 + (columns["offset"] * 7919) % 50_000,
        is_ours=np.ones(count, np.bool_),
        run=np.full(count, RUN),
        is_intact=~plan.are("damaged", columns),
    )
    return batch.filter(pa.array(~(plan.are("lost", columns) | plan.are("skipped", columns))))


def _events(ends: list[int]) -> pa.RecordBatch:
    def event(kind: str, partition: int = -1, offset: int = -1, text: str = "") -> dict[str, Any]:
        names = {"consumer": 0, "group": "readers", "at_us": BEGIN_US, "generation": 1, "count": 0}
        return {**names, "kind": kind, "partition": partition, "offset": offset, "text": text}

    rows = [event("start", text='{"reset": "earliest", "mode": "subscribe"}')]
    rows += [event("assigned", partition, 0) for partition in range(PARTITIONS)]
    rows += [event("position", partition, end) for partition, end in enumerate(ends)]
    return pa.RecordBatch.from_pylist(rows, schemas.EVENTS)


def _run_json() -> dict[str, Any]:
    settings = {"acks": "all", "idempotent": True, "in_flight": 5}
    return {"run": f"{RUN:x}", "topic": "generated", "timeout_s": 60, "settings": settings}


def _batch(schema: pa.Schema, **columns: Any) -> pa.RecordBatch:
    arrays = [
        columns[field.name]
        if isinstance(columns[field.name], pa.Array)
        else pa.array(columns[field.name].astype(field.type.to_pandas_dtype()), field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _write(path: Path, schema: pa.Schema, batches: Any) -> None:
    with pa.ipc.new_stream(str(path), schema, options=pa.ipc.IpcWriteOptions(compression="lz4")) as stream:
        for batch in batches:
            stream.write_batch(batch)
