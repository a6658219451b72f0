"""Loading a shard: every record of its partition replayed, in parts, so that the loop goes on serving others."""

import asyncio
import logging
import time
from collections.abc import Iterator
from typing import Final

from chronik.coordinator.shard import GroupShard
from chronik.model.ids import Millis
from chronik.records.batch import Buffer, walk
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError, StoredRecord, records_of
from chronik.server.partition import Partition
from chronik.storage.errors import CorruptBatchError

log = logging.getLogger(__name__)

READ_BYTES: Final = 256 * 1024
WORK_S_MAX: Final = 0.004
"""How long loading keeps the loop before it lets others work."""
_RECORDS_PER_LOOK: Final = 32


async def load_shard(partition: Partition, shard: GroupShard) -> int:
    """Replay all that the partition holds, damaged batches left out and reported; gives the number of records.

    Nobody else writes to the partition, so that its end does not move meanwhile. Raises where the disk cannot be read.
    """
    offset, end_offset = partition.log_start_offset, partition.log_end_offset
    count = 0
    pause_at = time.perf_counter() + WORK_S_MAX
    while offset < end_offset and not partition.is_closed:
        data, offset = _read(partition, offset, end_offset)
        for record in _records_in(data, partition):
            if record.key is not None:
                shard.replay(record.key, record.value, Millis(record.timestamp))
            count += 1
            if not count % _RECORDS_PER_LOOK and time.perf_counter() > pause_at:
                await asyncio.sleep(0)
                pause_at = time.perf_counter() + WORK_S_MAX
    return count


def _read(partition: Partition, offset: int, end_offset: int) -> tuple[Buffer, int]:
    """Give the next batches and where to go on; over damage, nothing and the next readable offset."""
    try:
        found = partition.read_log(offset, READ_BYTES, end_offset, whole_first_batch=True)
    except CorruptBatchError as damage:
        log.error("%s: offsets or groups kept here may be lost: %s", partition.topic_partition, damage)
        return b"", damage.next_good_offset if damage.next_good_offset > offset else end_offset
    return found.data, found.next_offset if found.next_offset > offset else end_offset


def _records_in(data: Buffer, partition: Partition) -> Iterator[StoredRecord]:
    view = memoryview(data)
    for position, header in walk(view):
        if header.is_control:
            continue
        try:
            yield from records_of(view[position : position + header.size_bytes])
        except (CorruptRecordsError, CodecError) as damage:
            log.error(
                "%s: offsets or groups kept in the batch at offset %d may be lost: %s",
                partition.topic_partition,
                header.base_offset,
                damage,
            )
