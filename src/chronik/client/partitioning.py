"""Which partition a record goes to: the same choice as Kafka's own producers make."""

import random
from collections.abc import Callable, Sequence
from typing import Final

_MASK: Final = 0xFFFFFFFF
_MULTIPLIER: Final = 0x5BD1E995
_SEED: Final = 0x9747B28C


def murmur2(data: bytes) -> int:
    """Hash bytes as Kafka's default partitioner does, as an unsigned 32-bit number."""
    length = len(data)
    whole = length & ~3
    state = (_SEED ^ length) & _MASK
    for position in range(0, whole, 4):
        word = (int.from_bytes(data[position : position + 4], "little") * _MULTIPLIER) & _MASK
        word = ((word ^ (word >> 24)) * _MULTIPLIER) & _MASK
        state = ((state * _MULTIPLIER) & _MASK) ^ word
    if whole != length:
        state ^= int.from_bytes(data[whole:], "little")
        state = (state * _MULTIPLIER) & _MASK
    state = ((state ^ (state >> 13)) * _MULTIPLIER) & _MASK
    return state ^ (state >> 15)


def partition_of_key(key: bytes, partition_count: int) -> int:
    """Give the partition that every Kafka client with the default partitioner chooses for this key."""
    return (murmur2(key) & 0x7FFFFFFF) % partition_count


class StickyPartitioner:
    """Records without a key stay on one partition until its batch is closed, so that batches are full."""

    def __init__(self, choose: Callable[[Sequence[int]], int] = random.choice) -> None:
        self._choose = choose
        self._current: dict[str, int] = {}

    def partition_for(self, topic: str, key: bytes | None, partition_count: int) -> int:
        """Choose the partition of one record."""
        if key is not None:
            return partition_of_key(key, partition_count)
        current = self._current.get(topic)
        if current is None or current >= partition_count:
            current = self._current[topic] = self._choose(range(partition_count))
        return current

    def batch_closed(self, topic: str, partition: int, partition_count: int) -> None:
        """Move on, because the batch that records without a key went into is full."""
        if self._current.get(topic) == partition and partition_count > 1:
            others = [other for other in range(partition_count) if other != partition]
            self._current[topic] = self._choose(others)
