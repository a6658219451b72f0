"""How much the answers that peers have not yet taken may hold, in all."""


class ResponseMemory:
    """Counts unsent bytes; fetches are given less when readers are slow, never nothing."""

    __slots__ = ("_bytes_max", "unsent_bytes")

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self.unsent_bytes = 0

    @property
    def is_short(self) -> bool:
        """Whether all that may be held is held."""
        return self.unsent_bytes >= self._bytes_max

    def allowance(self, wanted_bytes: int) -> int:
        """Say how much a fetch may hold now; the first batch comes whole in any case, so that it makes progress."""
        return max(0, min(wanted_bytes, self._bytes_max - self.unsent_bytes))
