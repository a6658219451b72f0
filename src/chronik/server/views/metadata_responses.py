"""Encoded Metadata responses, cached until the image changes: with many topics they are expensive to build."""

from collections.abc import Hashable
from typing import Final

from chronik.metadata.image.image import Image
from chronik.protocol.generated.metadata import MetadataResponse, MetadataResponseTopic
from chronik.protocol.wire import Chunk

KEPT_BYTES_MAX: Final = 16 * 1024 * 1024


class EncodedMetadata(MetadataResponse):
    """A response that is encoded already."""

    __slots__ = ("body",)

    def __init__(self, body: bytes, response: MetadataResponse) -> None:
        self.body = body
        # Error codes are counted in every response, so only topics with an error are kept beside the bytes.
        self.error_code = response.error_code
        self.topics = [topic for topic in response.topics or () if _is_refused(topic)]

    def encode(self, version: int) -> list[Chunk]:
        """Return the bytes; the version is part of their cache key."""
        return [self.body]


def _is_refused(topic: MetadataResponseTopic) -> bool:
    return topic.error_code != 0 or any(partition.error_code for partition in topic.partitions)


class MetadataCache:
    """The cached responses of one image."""

    def __init__(self, bytes_max: int = KEPT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._image = Image()
        self._kept: dict[Hashable, EncodedMetadata] = {}
        self._bytes = 0

    def find(self, image: Image, key: Hashable) -> EncodedMetadata | None:
        """Return the cached response to an equal request on the same image, or None."""
        return self._kept.get(key) if image is self._image else None

    def keep(self, image: Image, key: Hashable, version: int, response: MetadataResponse) -> EncodedMetadata:
        """Encode a response, and cache it if there is room."""
        encoded = EncodedMetadata(b"".join(response.encode(version)), response)
        if image is not self._image:
            self._image, self._kept, self._bytes = image, {}, 0
        if self._bytes + len(encoded.body) <= self._bytes_max:
            self._kept[key] = encoded
            self._bytes += len(encoded.body)
        return encoded
