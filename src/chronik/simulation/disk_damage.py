"""Bytes of a log that change behind everyone's back, on the device too."""

from typing import Final

from chronik.records.batch import HEADER_BYTES
from chronik.storage.errors import CorruptBatchError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.reading import FoundBatch, locate

IN_THE_RECORDS: Final = HEADER_BYTES + 4
"""A place in a batch that only its CRC speaks for."""


def damage_batch(log: Log, offset: int, place: int = IN_THE_RECORDS) -> bool:
    """Flip bits of the batch that holds an offset; False where it was damaged before."""
    disk, segment = log.disk, log._segments[log._segments.slot_of(offset)]
    assert isinstance(disk, FaultyDisk)
    try:
        found = locate(segment, offset, is_dense=True)
    except CorruptBatchError:
        return False
    if not isinstance(found, FoundBatch):
        return False
    position = found.position + place
    before = disk.read_bytes(segment.path)[position]
    disk.damage(segment.path, position, bytes([before ^ 0x55]))
    return True
