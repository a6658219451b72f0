"""Kafka's checkpoint files of version 0: pairs of numbers, and offsets by partition.

The first line is the version, the second the number of entries, then one entry per line.
"""

from collections.abc import Iterable, Mapping

from chronik.model.ids import TopicPartition
from chronik.storage.disk import Disk, write_atomically

RECOVERY_POINT = "recovery-point-offset-checkpoint"
HIGH_WATERMARK = "replication-offset-checkpoint"
LOG_START = "log-start-offset-checkpoint"
CLEANER = "cleaner-offset-checkpoint"


def spell_pairs(pairs: Iterable[tuple[int, int]]) -> bytes:
    """Encode number pairs."""
    return _spell([f"{first} {second}" for first, second in pairs])


def parse_pairs(data: bytes) -> list[tuple[int, int]]:
    """Decode number pairs; raise ``ValueError`` if the file is damaged."""
    entries = [line.split() for line in _parse(data)]
    if any(len(entry) != 2 for entry in entries):
        raise ValueError("an entry is not two numbers")
    return [(int(first), int(second)) for first, second in entries]


def spell_offsets(offsets: Mapping[TopicPartition, int]) -> bytes:
    return _spell([f"{tp.topic} {tp.partition} {offset}" for tp, offset in sorted(offsets.items())])


def parse_offsets(data: bytes) -> dict[TopicPartition, int]:
    """Decode offsets by partition; raise ``ValueError`` if the file is damaged."""
    entries = [line.split() for line in _parse(data)]
    if any(len(entry) != 3 for entry in entries):
        raise ValueError("an entry is not topic, partition and offset")
    return {TopicPartition(topic, int(partition)): int(offset) for topic, partition, offset in entries}


def read_offsets(disk: Disk, path: str) -> dict[TopicPartition, int]:
    """Read an offset checkpoint; a missing file is empty, a damaged one raises ``ValueError``."""
    try:
        data = disk.read_bytes(path)
    except FileNotFoundError:
        return {}
    return parse_offsets(data)


def write_offsets(disk: Disk, path: str, offsets: Mapping[TopicPartition, int]) -> None:
    """Replace an offset checkpoint, durably and atomically."""
    write_atomically(disk, path, spell_offsets(offsets))


def _spell(entries: list[str]) -> bytes:
    return "\n".join(["0", str(len(entries)), *entries, ""]).encode()


def _parse(data: bytes) -> list[str]:
    lines = data.decode("utf-8").split("\n")
    if len(lines) < 2 or lines[0] != "0":
        raise ValueError("the version is not 0")
    entries = [line for line in lines[2:] if line]
    if len(entries) != int(lines[1]):
        raise ValueError(f"{lines[1]} entries announced, {len(entries)} found")
    return entries
