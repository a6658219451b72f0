"""How fast the audit judges: generated ledgers and logs with faults in them, to verdicts. `make bench-audit`.

Three sides of a run (sent, stored, delivered) are written as the files that a run leaves, faults are put in at known
places, and each engine must name exactly these. The data is deleted afterwards. 10 million messages take 1 GB.
"""

import argparse
import json
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from chronik.audit import schemas
from chronik.audit.engine_local import audit as audit_locally
from chronik.audit.results import Results
from chronik.audit.spans import ReadSpan, write_spans

RUN = 0xBE7C4
BEGIN_US = 1_700_000_000_000_000
PRODUCERS = 4
PARTITIONS = 6
BATCH = 256
CHUNK_ROUNDS = 250
FILE_ROUNDS = 4_000
FREE_BYTES_LEFT = 2_000_000_000
BYTES_PER_MESSAGE = 250

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


def main() -> int:
    options = _options()
    # The data is deleted even if somebody ends the run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    rounds = Rounds(max(1, options.messages // (PRODUCERS * BATCH)))
    directory = Path(tempfile.mkdtemp(prefix="chronik-bench-audit-", dir=options.directory))
    try:
        needed = rounds.messages * BYTES_PER_MESSAGE
        if shutil.disk_usage(directory).free < needed + FREE_BYTES_LEFT:
            print(f"{needed / 1e9:.1f} GB and some room beside are needed in {directory.parent}", file=sys.stderr)
            return 2
        began = time.perf_counter()
        expected = write_run(directory, rounds, options.faults)
        size = sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
        print(f"{rounds.messages:,} messages, {size / 1e9:.2f} GB, made in {time.perf_counter() - began:.1f} s")
        for name, judge in _engines(options.engine):
            _measure(name, judge, directory, rounds, expected)
    finally:
        shutil.rmtree(directory)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=10_000_000)
    parser.add_argument("--faults", type=int, default=20, help="how many messages something is wrong with")
    parser.add_argument("--engine", choices=["local", "spark", "both"], default="both")
    parser.add_argument("--directory", help="where the data is written; by default where temporary files are")
    return parser.parse_args()


def _engines(chosen: str) -> Iterator[tuple[str, Callable[[Path], Results]]]:
    if chosen in ("local", "both"):
        yield "local, one core", audit_locally
    if chosen in ("spark", "both"):
        from chronik.spark import session
        from chronik.spark.audit.engine import audit

        began = time.perf_counter()
        spark = session()
        spark.range(1).count()
        print(f"Spark started in {time.perf_counter() - began:.1f} s")
        yield "Spark, local[*]", lambda directory: audit(directory, spark=spark)
        spark.stop()


def _measure(name: str, judge: Callable[[Path], Results], directory: Path, rounds: Rounds, expected: Named) -> None:
    began, used = time.perf_counter(), _cpu_s()
    results = judge(directory)
    took, cpu = time.perf_counter() - began, _cpu_s() - used
    found = {
        (row["producer"], row["sequence"]): (row["verdict"], tuple(row["flags"]))
        for row in results.messages.to_pylist()
    }
    assert results.sent == rounds.messages, f"{results.sent} of {rounds.messages}"
    assert found == expected, f"named: {sorted(found.items())[:5]}, put in: {sorted(expected.items())[:5]}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(
        f"{name}: {took:.1f} s, {rounds.messages / took / 1e6:.2f} M messages/s, {len(found)} faults named, "
        f"{results.named_by_rows / rounds.messages:.1%} looked at row by row, {cpu:.1f} s of this process's CPU, "
        f"at most {peak:.2f} GB in it"
    )


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


# -- the run ---------------------------------------------------------------------------------------------------------


def write_run(directory: Path, rounds: Rounds, faults: int) -> Named:
    """Write the three sides with faults, and say what must be named."""
    for folder in ("sends", "polls", "stored"):
        (directory / folder).mkdir()
    numbers = rounds.batch_numbers()
    plan = _Faults(rounds, faults)
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
            _write(directory / "stored" / name, schemas.STORED, (_stored(chunk, plan) for chunk in chunks))
            _write(directory / "polls" / name, schemas.DELIVERED, (_delivered(chunk, plan) for chunk in chunks))
    ends = [
        int(numbers[partition, -1] + _is_written(partition, rounds.count - 1)) * BATCH
        for partition in range(PARTITIONS)
    ]
    write_spans(directory / "stored", [ReadSpan(-1, partition, 0, end, end) for partition, end in enumerate(ends)])
    _write(directory / "polls" / "0.events.arrows", schemas.EVENTS, [_events(ends)])
    (directory / "run.json").write_text(json.dumps(_run_json()), encoding="utf-8")
    return plan.expected


class _Faults:
    """Which messages something is wrong with: each kind takes its turn, spread evenly over the run."""

    def __init__(self, rounds: Rounds, count: int) -> None:
        total = rounds.count * BATCH
        self.lost: list[tuple[int, int]] = []
        self.skipped: list[tuple[int, int]] = []
        self.damaged: list[tuple[int, int]] = []
        self.expected: Named = {}
        for number in range(count):
            at = (number % PRODUCERS, (2 * number + 1) * total // (2 * count))
            kind = ("lost", "skipped", "damaged")[number % 3]
            getattr(self, kind).append(at)
            verdict = {"lost": "ACKED_NOT_IN_LOG", "skipped": "SKIPPED", "damaged": "DELIVERED"}[kind]
            self.expected[at] = (verdict, ("CORRUPTED",) if kind == "damaged" else ())


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


def _are(columns: dict[str, Ints], chosen: list[tuple[int, int]]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(columns["sequence"]), np.bool_)
    for producer, sequence in chosen:
        found |= (columns["producer"] == producer) & (columns["sequence"] == sequence)
    return found


def _stored(columns: dict[str, Ints], plan: _Faults) -> pa.RecordBatch:
    count = len(columns["sequence"])
    batch = _batch(
        schemas.STORED,
        **columns,
        node=np.full(count, -1),
        is_ours=np.ones(count, np.bool_),
        run=np.full(count, RUN),
        is_intact=~_are(columns, plan.damaged),
        key_hash=np.zeros(count),
        is_null=np.zeros(count, np.bool_),
        leader_epoch=np.zeros(count),
        producer_id=columns["producer"],
        producer_epoch=np.zeros(count),
        base_sequence=columns["sequence"] & 0x7FFFFFFF,
        is_control=np.zeros(count, np.bool_),
        is_aborted=np.zeros(count, np.bool_),
    )
    return batch.filter(pa.array(~_are(columns, plan.lost)))


def _delivered(columns: dict[str, Ints], plan: _Faults) -> pa.RecordBatch:
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
        is_intact=~_are(columns, plan.damaged),
    )
    return batch.filter(pa.array(~(_are(columns, plan.lost) | _are(columns, plan.skipped))))


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


if __name__ == "__main__":
    sys.exit(main())
