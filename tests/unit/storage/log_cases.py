"""Logs and batches for the storage tests."""

from dataclasses import replace
from uuid import UUID

from chronik.model.ids import TopicPartition
from chronik.records.batch import read_header, walk
from chronik.records.build import Record, build_batch
from chronik.storage.disk import Disk
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig

DIRECTORY = "/data/orders-0"
PARTITION = TopicPartition("orders", 0)
TOPIC_ID = UUID("5f3c1f2e-9a43-4a7e-8ac2-7f6b9d5d1c11")
SMALL = LogConfig(segment_bytes=4_000, index_interval_bytes=300)
NOW = 1_700_000_000_000


def small(**changes: object) -> LogConfig:
    """Small segments with many index entries."""
    return replace(SMALL, **changes)  # type: ignore[arg-type]


def open_log(
    disk: Disk,
    config: LogConfig = SMALL,
    *,
    directory: str = DIRECTORY,
    log_start_offset: int = 0,
    recovery_point: int = 0,
    clean: bool = False,
    now_ms: int = NOW,
) -> Log:
    disk.make_directory(directory)
    return Log.open(
        disk,
        directory,
        PARTITION,
        TOPIC_ID,
        config,
        log_start_offset=log_start_offset,
        recovery_point=recovery_point,
        clean_shutdown=clean,
        now_ms=now_ms,
    )


def batch(
    count: int = 1, *, size: int = 40, timestamp: int = NOW, producer_id: int = -1, epoch: int = -1, sequence: int = -1
) -> bytearray:
    """A batch of ``count`` records whose values are ``size`` bytes long, a millisecond apart."""
    records = [Record(None, bytes([index % 251]) * size, (), timestamp + index) for index in range(count)]
    return bytearray(build_batch(records, producer_id=producer_id, producer_epoch=epoch, base_sequence=sequence))


def stage(log: Log, data: bytearray, *, leader_epoch: int = 0, now_ms: int = NOW) -> int:
    view = memoryview(data)
    return log.stage(view, read_header(view), leader_epoch, now_ms)


def append(log: Log, data: bytearray | None = None, *, leader_epoch: int = 0, now_ms: int = NOW) -> int:
    """Stage and write one batch; gives its base offset."""
    offset = stage(log, batch() if data is None else data, leader_epoch=leader_epoch, now_ms=now_ms)
    log.write_staged()
    return offset


def fill(log: Log, batches: int, **kind: int) -> list[bytes]:
    """Append batches one by one; gives their bytes as stored."""
    stored, pattern = [], batch(**kind)
    for _ in range(batches):
        data = bytearray(pattern)
        append(log, data)
        stored.append(bytes(data))
    return stored


def read_all(log: Log, *, bytes_max: int = 2_000) -> list[bytes]:
    """Read the log from start to end, batch by batch."""
    found, offset = [], log.log_start_offset
    while offset < log.log_end_offset:
        read = log.read(offset, bytes_max, log.log_end_offset)
        found += split(bytes(read.data))
        assert read.next_offset > offset, f"no progress at {offset}"
        offset = read.next_offset
    return found


def split(data: bytes) -> list[bytes]:
    """Take a buffer of whole batches apart."""
    parts = [data[position : position + header.size_bytes] for position, header in walk(data)]
    assert sum(map(len, parts)) == len(data)
    return parts


def base_offsets(batches: list[bytes]) -> list[int]:
    return [read_header(each).base_offset for each in batches]


def segment_names(disk: FaultyDisk, suffix: str = ".log") -> list[str]:
    return [name for name in disk.list_directory(DIRECTORY) if name.endswith(suffix)]
