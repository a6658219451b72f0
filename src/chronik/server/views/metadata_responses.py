"""Answers to Metadata as bytes, kept until the image changes: those for many topics cost much to make."""

from collections.abc import Hashable
from typing import Final

from chronik.metadata.image.image import Image
from chronik.protocol.generated.metadata import MetadataResponse, MetadataResponseTopic
from chronik.protocol.wire import Chunk

KEPT_BYTES_MAX: Final = 16 * 1024 * 1024


class EncodedMetadata(MetadataResponse):
    """An answer that has been encoded before."""

    __slots__ = ("body",)

    def __init__(self, body: bytes, answer: MetadataResponse) -> None:
        self.body = body
        # Whoever counts refusals looks for them in every answer: what has none is in the bytes alone.
        self.error_code = answer.error_code
        self.topics = [topic for topic in answer.topics or () if _is_refused(topic)]

    def encode(self, version: int) -> list[Chunk]:
        """Give the bytes; they were made for the version that is asked for, which is part of their key."""
        return [self.body]


def _is_refused(topic: MetadataResponseTopic) -> bool:
    return topic.error_code != 0 or any(partition.error_code for partition in topic.partitions)


class MetadataAnswers:
    """The answers that have been given of one image."""

    def __init__(self, bytes_max: int = KEPT_BYTES_MAX) -> None:
        self._bytes_max = bytes_max
        self._image = Image()
        self._kept: dict[Hashable, EncodedMetadata] = {}
        self._bytes = 0

    def find(self, image: Image, key: Hashable) -> EncodedMetadata | None:
        """Give the answer to the same question on the same image."""
        return self._kept.get(key) if image is self._image else None

    def keep(self, image: Image, key: Hashable, version: int, answer: MetadataResponse) -> EncodedMetadata:
        """Encode an answer, and keep it while there is room."""
        encoded = EncodedMetadata(b"".join(answer.encode(version)), answer)
        if image is not self._image:
            self._image, self._kept, self._bytes = image, {}, 0
        if self._bytes + len(encoded.body) <= self._bytes_max:
            self._kept[key] = encoded
            self._bytes += len(encoded.body)
        return encoded
