"""What the generated codec shares: varints, tags, ids, and the base of every message.

Two rules hold for each decoder. A length is compared with the rest of the frame before it is used, and only
``ProtocolError`` leaves ``decode``.
"""

from collections.abc import Callable, Mapping, Sequence
from struct import Struct as Packing
from struct import error as PackingError  # noqa: N812 - the module's own name says nothing at the place of use
from struct import pack, unpack_from
from typing import Any, ClassVar, Final, Self, TypeAlias
from uuid import UUID, SafeUUID

from chronik.protocol.errors import ProtocolError, UnsupportedVersionError

__all__ = [
    "FRESH",
    "NO_UUID",
    "U8",
    "UUID",
    "UUIDS",
    "Chunk",
    "Message",
    "Packing",
    "Records",
    "Struct",
    "beyond",
    "new",
    "null",
    "pack",
    "size_of",
    "skip_tags",
    "tagged",
    "unpack_from",
    "unsupported",
    "unused",
    "uuid_of",
    "varint",
    "varint_rest",
]

Chunk: TypeAlias = bytes | memoryview
# Decoding returns a view of the received frame or None; encoding takes None, any buffer of bytes, or a list of buffers.
# No one static type covers both.
Records: TypeAlias = Any

# Means "a new list or struct" where a default may not be shared, and None has its own meaning.
FRESH: Final[Any] = object()
NO_UUID: Final = UUID(int=0)
U8: Final = tuple(bytes((value,)) for value in range(128))
new: Final = object.__new__

_TWO_BYTES: Final = Packing(">BB").pack
_THREE_BYTES: Final = Packing(">BBB").pack
_UUIDS_KEPT_MAX: Final = 10_000
_VARINT_MAX: Final = 0xFFFF_FFFF
# Ids repeat from request to request, and creating one costs more than the rest of a small struct.
UUIDS: Final[dict[bytes, UUID]] = {NO_UUID.bytes: NO_UUID}


def uuid_of(data: bytes) -> UUID:
    """Return the cached id with these sixteen bytes."""
    if len(UUIDS) >= _UUIDS_KEPT_MAX:
        UUIDS.clear()
        UUIDS[NO_UUID.bytes] = NO_UUID
    made = object.__new__(UUID)
    object.__setattr__(made, "int", int.from_bytes(data, "big"))
    object.__setattr__(made, "is_safe", SafeUUID.unknown)
    UUIDS[data] = made
    return made


def varint(value: int) -> bytes:
    """Encode an unsigned integer of at most 32 bits, seven bits per byte."""
    if value < 1 << 7:
        return U8[value]
    if value < 1 << 14:
        return _TWO_BYTES(value & 127 | 128, value >> 7)
    if value < 1 << 21:
        return _THREE_BYTES(value & 127 | 128, value >> 7 & 127 | 128, value >> 14)
    return bytes((value & 127 | 128,)) + varint(value >> 7)


def varint_rest(view: memoryview, position: int, first: int) -> tuple[int, int]:
    """Decode the rest of an unsigned integer with more than one byte: its value, and where it ends."""
    value = first & 127
    for shift in (7, 14, 21, 28):
        byte = view[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            if value > _VARINT_MAX:
                break
            return value, position
    raise ProtocolError("a variable-length integer is longer than 32 bits")


def read_varint(view: memoryview, position: int) -> tuple[int, int]:
    """Decode an unsigned integer, and return where it ends."""
    first = view[position]
    return (first, position + 1) if first < 128 else varint_rest(view, position + 1, first)


def skip_tags(view: memoryview, position: int, count: int, size: int) -> int:
    """Skip unknown tagged fields; ``count`` is the first byte of their number."""
    if count > 127:
        count, position = varint_rest(view, position, count)
    for _ in range(count):
        _, position = read_varint(view, position)
        length, position = read_varint(view, position)
        position += length
        if position > size:
            raise beyond("tagged fields")
    return position


def tagged(tag: int, parts: Sequence[Chunk]) -> bytes:
    """Encode one tagged field with its tag and size."""
    data = b"".join(parts)
    return varint(tag) + varint(len(data)) + data


def size_of(buffers: Sequence[Chunk]) -> int:
    return sum(map(len, buffers))


def beyond(place: str) -> ProtocolError:
    return ProtocolError(f"{place} is longer than what is left of the frame")


def null(place: str) -> ProtocolError:
    return ProtocolError(f"{place} may not be null")


def unused(place: str) -> ProtocolError:
    return ProtocolError(f"{place} does not fill the size of its tag")


class _NotCarriedError(Exception):
    """A field has a value, but the version has no such field."""


def unsupported(place: str) -> Exception:
    return _NotCarriedError(f"{place} is not part of that version")


class Struct:
    """A group of fields on the wire. Two are equal when all their fields are."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__name__}({fields})"


_Decoder: TypeAlias = Callable[[memoryview, int], tuple[Any, int]]
_Encoder: TypeAlias = Callable[[Any], list[Chunk]]
_MALFORMED: Final = (PackingError, IndexError, UnicodeDecodeError, OverflowError, ValueError, MemoryError)
_UNFIT: Final = (_NotCarriedError, PackingError, AttributeError, TypeError, UnicodeEncodeError, OverflowError)


class Message(Struct):
    """A struct that is sent on its own, in one of several versions."""

    __slots__ = ()
    api_key: ClassVar[int]
    versions: ClassVar[range]
    first_flexible: ClassVar[int | None]
    decoders: ClassVar[Mapping[int, _Decoder]]
    encoders: ClassVar[Mapping[int, _Encoder]]

    @classmethod
    def decode(cls, view: memoryview, version: int) -> Self:
        """Decode the message that fills ``view``; records are views of the same memory."""
        decoder = cls.decoders.get(version)
        if decoder is None:
            raise UnsupportedVersionError(f"{cls.__name__} has no version {version}")
        size = len(view)
        try:
            message, position = decoder(view, size)
        except _MALFORMED as error:
            raise ProtocolError(f"{cls.__name__} version {version} is malformed: {error}") from error
        if position != size:
            raise ProtocolError(f"{cls.__name__} version {version} ends at byte {position} of {size}")
        return message  # type: ignore[no-any-return]

    def encode(self, version: int) -> list[Chunk]:
        """Encode the message as chunks; buffers of records are separate chunks, not copied."""
        encoder = self.encoders.get(version)
        if encoder is None:
            raise UnsupportedVersionError(f"{type(self).__name__} has no version {version}")
        try:
            return encoder(self)
        except _UNFIT as error:
            raise ProtocolError(f"{type(self).__name__} cannot be sent in version {version}: {error}") from error
