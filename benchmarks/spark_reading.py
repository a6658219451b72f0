"""How fast slices become Arrow batches, without Spark: `python -m benchmarks.spark_reading`.

Records per second of CPU time of the reading process, which other load disturbs less than wall-clock time; the best of
some rounds. The broker's own work is not in it.
"""

import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

import click

from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.reading import read_slice
from chronik.spark.source.schemas import column_names
from tests.brokers import BrokerProcess, running_broker
from tests.regressions.wire import Wire

TOPIC: Final = "records"
KEY_BYTES: Final = 8
VALUE_BYTES: Final = 92
NOW_MS: Final = 1_700_000_000_000


class Reading(NamedTuple):
    """What is read, and how much of it."""

    name: str
    view: View
    columns: tuple[str, ...]


READINGS: Final = (
    Reading("full rows with headers", View.RECORDS, column_names(View.RECORDS, include_headers=True)),
    Reading("offset and value", View.RECORDS, ("offset", "value")),
    Reading("offset and timestamp", View.RECORDS, ("offset", "timestamp")),
    Reading("offset", View.RECORDS, ("offset",)),
    Reading("batches", View.BATCHES, ()),
    Reading("ranges", View.RANGES, ()),
)


@click.command()
@click.option("--records", default=2_000_000, show_default=True)
@click.option("--per-batch", default=140, show_default=True, help="Records in a batch: 140 of 100 B are 16 KB.")
@click.option("--codec", default="none", type=click.Choice([codec.name.lower() for codec in Codec]))
@click.option("--rounds", default=5, show_default=True)
def main(records: int, per_batch: int, codec: str, rounds: int) -> None:
    """Fill a topic, and read it over the wire and from its files."""
    with tempfile.TemporaryDirectory() as directory, running_broker(Path(directory) / "broker") as broker:
        end_offset = _fill(broker, records, per_batch, Codec[codec.upper()])
        for source, path in (("wire", None), ("files", str(broker.data))):
            for reading in READINGS:
                piece = Slice(TOPIC, "", 0, 0, end_offset, path)
                seconds = min(_cpu_seconds(piece, broker.bootstrap, reading) for _ in range(rounds))
                print(f"{source:6} {reading.name:24} {end_offset / seconds / 1e6:8.2f} M records/s of CPU time")


def _fill(broker: BrokerProcess, records: int, per_batch: int, codec: Codec) -> int:
    """Append the same batch again and again; the broker gives it its offset."""
    batch = build_batch(
        [Record(b"%0*d" % (KEY_BYTES, n), b"v" * VALUE_BYTES, timestamp=NOW_MS + n) for n in range(per_batch)],
        codec=codec,
    )
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(TOPIC)
        for _ in range(records // per_batch):
            wire.produce(TOPIC, batch)
        return wire.end_offset(TOPIC)


def _cpu_seconds(piece: Slice, bootstrap: str, reading: Reading) -> float:
    began = time.process_time()
    rules = ReadRules(bootstrap, columns=reading.columns, include_headers=True)
    for _ in read_slice(piece, rules, reading.view):
        pass
    return time.process_time() - began


if __name__ == "__main__":
    main()
