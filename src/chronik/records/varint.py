"""Zigzag varints, which records use for every length and difference."""

from typing import Final

VARINT_BYTES_MAX: Final = 10
"""The size of a 64-bit number; more bytes are malformed."""


def read_varint(buffer: bytes, position: int) -> tuple[int, int]:
    """Decode one number and return the position behind it; raise ``IndexError`` at the buffer's end."""
    byte = buffer[position]
    if byte < 0x80:
        return (byte >> 1) ^ -(byte & 1), position + 1
    # Most record lengths take two bytes, so they are decoded without the loop.
    second = buffer[position + 1]
    if second < 0x80:
        value = (byte & 0x7F) | (second << 7)
        return (value >> 1) ^ -(value & 1), position + 2
    return _read_long_varint(buffer, position)


def _read_long_varint(buffer: bytes, position: int) -> tuple[int, int]:
    value = 0
    for index in range(VARINT_BYTES_MAX):
        byte = buffer[position + index]
        value |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return (value >> 1) ^ -(value & 1), position + index + 1
    raise ValueError(f"a number longer than {VARINT_BYTES_MAX} bytes at position {position}")


def append_varint(output: bytearray, value: int) -> None:
    """Append one number to the output."""
    zigzag = value << 1 if value >= 0 else ((-value) << 1) - 1
    while zigzag >= 0x80:
        output.append((zigzag & 0x7F) | 0x80)
        zigzag >>= 7
    output.append(zigzag)


def varint_bytes(value: int) -> int:
    """Return the encoded size of a number."""
    zigzag = value << 1 if value >= 0 else ((-value) << 1) - 1
    return max(1, (zigzag.bit_length() + 6) // 7)
