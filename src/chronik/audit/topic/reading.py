"""The batches of one replica as they lie there: nothing here looks at a record."""

from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from chronik.audit.capture.replica_reading import ReplicaPlace, read_replica
from chronik.audit.capture.stored_rows import marker_type
from chronik.client.cluster import Cluster
from chronik.records.batch import BatchHeader, crc_is_right, walk


class ReadBatch(NamedTuple):
    """A batch: its header, whether its checksum is right, and which marker it is, if it is one."""

    header: BatchHeader
    is_whole: bool
    marker: int | None


async def read_batches(
    cluster: Cluster, place: ReplicaPlace, begin_offset: int, end_offset: int
) -> AsyncIterator[ReadBatch]:
    """Read the batches from an offset up to another, or as far as the broker shows them."""
    async for portion in read_replica(cluster, place, begin_offset, end_offset):
        for batch in _batches(portion.data, portion.from_offset):
            yield batch


def _batches(data: bytes, from_offset: int) -> Iterator[ReadBatch]:
    for position, header in walk(data):
        if header.next_offset > from_offset:
            is_whole = crc_is_right(data, position, header.size_bytes)
            batch = data[position : position + header.size_bytes] if header.is_control and is_whole else None
            yield ReadBatch(header, is_whole, None if batch is None else marker_type(batch))
