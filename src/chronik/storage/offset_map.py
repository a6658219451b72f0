"""The latest offset of each key, within a bound of memory."""

from hashlib import blake2b
from typing import Final

KEY_BYTES: Final = 16
"""Keys as long as this or longer are known by a digest of 128 bits, which no two keys share in practice."""
ENTRY_BYTES: Final = 200
"""What one key takes in a dictionary, with its offset and its share of empty slots (measured: 150 to 195)."""


class OffsetMap:
    """A dictionary from keys to their latest offsets that says when it is full."""

    def __init__(self, memory_bytes: int) -> None:
        self.keys_max = max(1, memory_bytes // ENTRY_BYTES)
        self._offsets: dict[bytes, int] = {}

    def __len__(self) -> int:
        return len(self._offsets)

    def put(self, key: bytes, offset: int) -> bool:
        """Note a key's occurrence, offsets rising from call to call; False if there is no room for a new key."""
        name = _name(key)
        if len(self._offsets) >= self.keys_max and name not in self._offsets:
            return False
        self._offsets[name] = offset
        return True

    def latest(self, key: bytes) -> int:
        """Give a key's latest offset, or -1."""
        return self._offsets.get(_name(key), -1)


def _name(key: bytes) -> bytes:
    # Shorter keys are their own names, and cannot be taken for a digest because of their length.
    return key if len(key) < KEY_BYTES else blake2b(key, digest_size=KEY_BYTES).digest()
