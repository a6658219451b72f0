"""Segment files as a broker leaves them, made of batches, and damaged on purpose."""

from pathlib import Path
from struct import pack

from chronik.records.batch import read_header
from chronik.records.build import Record, build_batch
from tests.unit.spark.decode.decoding import NOW_MS, PARTITION, TOPIC

INDEX_EVERY_BYTES = 500


def batch(base_offset: int, count: int = 10, *, value: bytes = b"value", time_ms: int = NOW_MS) -> bytes:
    """Records with a key each, a millisecond apart."""
    records = [Record(b"k%d" % (base_offset + n), value, timestamp=time_ms + base_offset + n) for n in range(count)]
    return build_batch(records, base_offset=base_offset)


class SegmentDirectory:
    """One partition; segments are added in the order of offsets."""

    def __init__(self, root: Path, topic: str = TOPIC, partition: int = PARTITION) -> None:
        self.path = root / f"{topic}-{partition}"
        self.path.mkdir(parents=True)

    def add(self, batches: list[bytes], *, base_offset: int | None = None, index: bool = True) -> Path:
        base = read_header(batches[0]).base_offset if base_offset is None else base_offset
        stem = self.path / f"{base:020d}"
        stem.with_suffix(".log").write_bytes(b"".join(batches))
        if index:
            self._write_indexes(stem, base, batches)
        return stem.with_suffix(".log")

    def _write_indexes(self, stem: Path, base: int, batches: list[bytes]) -> None:
        """Write entries as a broker does, and behind them the room that Kafka lays out for later ones."""
        position, since, latest = 0, 0, -1
        offsets, times = b"", b""
        for one in batches:
            header = read_header(one)
            if since > INDEX_EVERY_BYTES:
                offsets += pack(">II", header.last_offset - base, position)
                since = 0
            latest = max(latest, header.max_timestamp)
            times = pack(">qI", latest, header.last_offset - base)
            position, since = position + len(one), since + len(one)
        stem.with_suffix(".index").write_bytes(offsets + bytes(80))
        stem.with_suffix(".timeindex").write_bytes(times + bytes(120))


def overwrite(path: Path, position: int, data: bytes) -> None:
    """Damage a file."""
    with path.open("r+b") as file:
        file.seek(position)
        file.write(data)
