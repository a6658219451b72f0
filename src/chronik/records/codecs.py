"""The compression codecs of record batches, with a limit on the decompressed size.

Compressed bytes of a client are not trusted: a few kilobytes can decompress to gigabytes. So the output buffer grows in
steps up to the caller's limit and no further.
"""

from enum import IntEnum
from struct import Struct
from typing import Final, Protocol, TypeAlias

import cramjam

Bytes: TypeAlias = bytes | bytearray | memoryview

_XERIAL_MAGIC: Final = b"\x82SNAPPY\x00"
_XERIAL_HEADER: Final = _XERIAL_MAGIC + b"\x00\x00\x00\x01" * 2
_XERIAL_BLOCK_BYTES: Final = 32 * 1024
_LENGTH: Final = Struct(">i")

_FIRST_GUESS_BYTES: Final = 64 * 1024
_FIRST_GUESS_RATIO: Final = 8
_GROWTH: Final = 4
_LZ4_LEVEL: Final = 1


class Codec(IntEnum):
    """The compression of a batch; the numbers are the wire's."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


class CodecError(ValueError):
    """Bytes that do not decompress."""


class DecompressedTooLargeError(CodecError):
    """Bytes that decompress to more than the limit."""

    def __init__(self, limit_bytes: int) -> None:
        super().__init__(f"the records unfold to more than {limit_bytes} bytes")


class _DecompressInto(Protocol):
    def __call__(self, input: Bytes, output: bytearray) -> int: ...  # noqa: A002


def compress(codec: Codec, data: Bytes) -> bytes:
    """Compress in the format of Kafka's own clients."""
    match codec:
        case Codec.NONE:
            return bytes(data)
        case Codec.GZIP:
            return bytes(cramjam.gzip.compress(data))
        case Codec.SNAPPY:
            return _compress_xerial(memoryview(data))
        case Codec.LZ4:
            return _compress_lz4(data)
        case Codec.ZSTD:
            return bytes(cramjam.zstd.compress(data))


def decompress(codec: Codec, data: Bytes, limit_bytes: int) -> Bytes:
    """Decompress; raise ``CodecError`` for malformed bytes and for more than ``limit_bytes``."""
    match codec:
        case Codec.NONE:
            return _within(data, limit_bytes)
        case Codec.GZIP:
            return _decompress_growing(cramjam.gzip.decompress_into, data, limit_bytes)
        case Codec.SNAPPY:
            return _decompress_snappy(memoryview(data), limit_bytes)
        case Codec.LZ4:
            return _decompress_growing(cramjam.lz4.decompress_into, data, limit_bytes)
        case Codec.ZSTD:
            return _decompress_growing(cramjam.zstd.decompress_into, data, limit_bytes)


def _within(data: Bytes, limit_bytes: int) -> Bytes:
    if len(data) > limit_bytes:
        raise DecompressedTooLargeError(limit_bytes)
    return data


def _compress_lz4(data: Bytes) -> bytes:
    # Kafka's Java clients reject frames whose blocks depend on each other, which is cramjam's default.
    compressor = cramjam.lz4.Compressor(level=_LZ4_LEVEL, content_checksum=False, block_linked=False)
    compressor.compress(bytes(data))
    return bytes(compressor.finish())


def _decompress_growing(decompress_into: _DecompressInto, data: Bytes, limit_bytes: int) -> memoryview:
    size = min(limit_bytes, max(_FIRST_GUESS_BYTES, _FIRST_GUESS_RATIO * len(data)))
    while True:
        output = bytearray(size)
        try:
            return memoryview(output)[: decompress_into(data, output)]
        except cramjam.DecompressionError as error:
            if not _says_output_is_full(error):
                raise CodecError(f"the records do not decompress: {error}") from error
        if size >= limit_bytes:
            raise DecompressedTooLargeError(limit_bytes)
        size = min(limit_bytes, size * _GROWTH)


def _says_output_is_full(error: Exception) -> bool:
    return "failed to write whole buffer" in str(error)


def _compress_xerial(data: memoryview) -> bytes:
    parts = [_XERIAL_HEADER]
    for start in range(0, len(data), _XERIAL_BLOCK_BYTES):
        block = bytes(cramjam.snappy.compress_raw(data[start : start + _XERIAL_BLOCK_BYTES]))
        parts += (_LENGTH.pack(len(block)), block)
    return b"".join(parts)


def _decompress_snappy(data: memoryview, limit_bytes: int) -> Bytes:
    """Decode both formats in use: the Java client's framed blocks, and librdkafka's single raw block."""
    if bytes(data[: len(_XERIAL_MAGIC)]) != _XERIAL_MAGIC:
        return _decompress_raw_snappy(data, limit_bytes)
    unfolded = bytearray()
    position = len(_XERIAL_HEADER)
    while position < len(data):
        block = _xerial_block(data, position)
        unfolded += _decompress_raw_snappy(block, limit_bytes - len(unfolded))
        position += _LENGTH.size + len(block)
    return unfolded


def _xerial_block(data: memoryview, position: int) -> memoryview:
    start = position + _LENGTH.size
    if start > len(data):
        raise CodecError("the snappy frame ends within a block's length")
    length = _LENGTH.unpack_from(data, position)[0]
    if not 0 < length <= len(data) - start:
        raise CodecError(f"a snappy block claims {length} bytes where {len(data) - start} are left")
    return data[start : start + length]


def _decompress_raw_snappy(data: memoryview, limit_bytes: int) -> bytearray:
    try:
        # Snappy has the decompressed size in its first bytes, so it is checked before anything is allocated.
        size = cramjam.snappy.decompress_raw_len(data)
        if size > limit_bytes:
            raise DecompressedTooLargeError(limit_bytes)
        output = bytearray(size)
        cramjam.snappy.decompress_raw_into(data, output)
    except cramjam.DecompressionError as error:
        raise CodecError(f"the records do not decompress: {error}") from error
    return output
