"""The records of one fetch of one partition: whole batches as the broker stores them, decoded only on request."""

import heapq
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from chronik.model.ids import TopicPartition
from chronik.records.batch import BatchHeader, walk
from chronik.records.iterate import StoredRecord, records_of

_ABORT: Final = 0


class FetchedRecords(NamedTuple):
    """Batches of one partition; the first may begin before ``start_offset``, the last may end behind ``end_offset``."""

    topic_partition: TopicPartition
    data: memoryview
    start_offset: int
    end_offset: int | None
    high_watermark: int
    aborted: Sequence[tuple[int, int]] = ()
    """Aborted transactions as (first offset, producer id); only for ``read_committed``."""

    def batches(self) -> Iterator[tuple[memoryview, BatchHeader]]:
        for position, header in walk(self.data):
            yield self.data[position : position + header.size_bytes], header

    def records(self) -> Iterator[StoredRecord]:
        """Decode the records; control records and aborted records are left out."""
        for batch in self._visible_batches():
            for record in records_of(batch):
                if record.offset < self.start_offset:
                    continue
                if self.end_offset is not None and record.offset >= self.end_offset:
                    return
                yield record

    def _visible_batches(self) -> Iterator[memoryview]:
        upcoming = list(self.aborted)
        heapq.heapify(upcoming)
        aborting: set[int] = set()
        for batch, header in self.batches():
            while upcoming and upcoming[0][0] <= header.last_offset:
                aborting.add(heapq.heappop(upcoming)[1])
            if header.is_control:
                if _marker_of(batch) == _ABORT:
                    aborting.discard(header.producer_id)
            elif not (header.is_transactional and header.producer_id in aborting):
                yield batch


def _marker_of(batch: memoryview) -> int:
    """Return the type in a control record's key: version, then type, two bytes each."""
    for record in records_of(batch):
        return int.from_bytes((record.key or b"")[2:4], "big", signed=True)
    return -1


def next_offset_of(data: memoryview) -> int | None:
    """Return the offset behind the last whole batch, or None without one."""
    end = None
    for _, header in walk(data):
        end = header.next_offset
    return end
