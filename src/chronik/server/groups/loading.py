"""Loading a shard: every record of its partition is replayed, in slices, so that the event loop keeps serving."""

import asyncio
import gc
import logging
import time
from collections.abc import Iterator
from typing import Final

from chronik.coordinator.shard import GroupShard
from chronik.records.batch import Buffer, walk
from chronik.records.codecs import CodecError
from chronik.records.iterate import CorruptRecordsError, body_of, spans_of
from chronik.server.replicas.replica import Replica
from chronik.storage.errors import CorruptBatchError

log = logging.getLogger(__name__)

READ_BYTES: Final = 256 * 1024
WORK_S_MAX: Final = 0.004
"""How long loading holds the event loop before other work may run."""
RECORDS_PER_LOOK: Final = 32
HELD_KEYS_MAX: Final = 20_000


async def load_shard(partition: Replica, shard: GroupShard) -> int:
    """Replay all records of the partition, and return their number.

    Only the shard writes to the partition, so its log end does not move meanwhile. Raise if the disk cannot be read, or
    if a batch is damaged that another replica holds. A damaged batch without another copy is skipped and logged.
    """
    replay = _Replay(shard)
    offset, end_offset = partition.log_start_offset, partition.log_end_offset
    while offset < end_offset and not partition.is_closed:
        data, offset = read_batches(partition, offset, end_offset)
        for key, value, timestamp_ms in records_in(data, partition):
            replay.add(key, value, timestamp_ms)
            if replay.is_time_to_pause:
                await replay.pause()
    await replay.finish()
    return replay.count


class _Replay:
    """Holds records back for a while, because most are replaced by a later record of the same key.

    The remaining records are replayed in the order of the log, as compaction would leave them.
    """

    def __init__(self, shard: GroupShard) -> None:
        self._shard = shard
        self._latest: dict[bytes, tuple[bytes | None, int]] = {}
        self._pause_at = time.perf_counter() + WORK_S_MAX
        self.count = 0

    def add(self, key: bytes, value: bytes | None, timestamp_ms: int) -> None:
        self.count += 1
        self._latest.pop(key, None)
        self._latest[key] = (value, timestamp_ms)

    @property
    def is_time_to_pause(self) -> bool:
        if self.count % RECORDS_PER_LOOK:
            return False
        return len(self._latest) >= HELD_KEYS_MAX or time.perf_counter() > self._pause_at

    async def pause(self) -> None:
        """Let other work run; if too many records are held, replay them first."""
        if len(self._latest) >= HELD_KEYS_MAX:
            await self.finish()
        await asyncio.sleep(0)
        self._pause_at = time.perf_counter() + WORK_S_MAX

    async def finish(self) -> None:
        """Replay the held records."""
        held, self._latest = self._latest, {}
        for number, (key, (value, timestamp_ms)) in enumerate(held.items()):
            self._shard.replay(key, value, timestamp_ms)
            if not number % RECORDS_PER_LOOK and time.perf_counter() > self._pause_at:
                await self.pause()
        # Loading creates many long-lived objects and no cycles: a collection over them would only delay the loop.
        gc.freeze()


def read_batches(partition: Replica, offset: int, end_offset: int) -> tuple[Buffer, int]:
    """Return the next batches and the next offset. Over damage without another copy: no data, the next good offset."""
    try:
        found = partition.read_log(offset, READ_BYTES, end_offset, whole_first_batch=True)
    except CorruptBatchError as damage:
        if partition.on_damage(partition, damage.first_offset):
            # Other replicas hold these records, and one of them will become leader.
            raise
        log.error("%s: committed offsets or groups may be lost: %s", partition.topic_partition, damage)
        return b"", damage.next_good_offset if damage.next_good_offset > offset else end_offset
    return found.data, found.next_offset if found.next_offset > offset else end_offset


def records_in(data: Buffer, partition: Replica) -> Iterator[tuple[bytes, bytes | None, int]]:
    """Return key, value and timestamp of the records in some batches."""
    view = memoryview(data)
    for position, header in walk(view):
        if header.is_control:
            continue
        try:
            body = body_of(view[position : position + header.size_bytes], header)
            for span in spans_of(body, header.record_count):
                key = span.key_in(body)
                if key is not None:
                    yield key, span.value_in(body), header.base_timestamp + span.timestamp_delta
        except (CorruptRecordsError, CodecError) as damage:
            log.error(
                "%s: committed offsets or groups in the batch at offset %d may be lost: %s",
                partition.topic_partition,
                header.base_offset,
                damage,
            )
