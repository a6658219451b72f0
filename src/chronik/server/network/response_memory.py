"""The limit on the memory of all responses that peers have not received yet."""


class ResponseMemory:
    """Counts unsent bytes. When clients read slowly, fetches return less, but never nothing."""

    __slots__ = ("_bytes_max", "unsent_bytes")

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.unsent_bytes = 0

    @property
    def is_short(self) -> bool:
        """Whether the limit is reached."""
        return self.unsent_bytes >= self._bytes_max

    def allowance(self, wanted_bytes: int) -> int:
        """Return how many bytes a fetch may return now. It returns its first batch in any case, to make progress."""
        return max(0, min(wanted_bytes, self._bytes_max - self.unsent_bytes))
