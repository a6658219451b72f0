"""The last advances of a partition's high watermark, kept whether tracing is on or not.

Twenty bytes each, in arrays that grow on demand: a thousand busy partitions cost 20 MB.
"""

from array import array
from typing import Any, Final, NamedTuple

ADVANCES_MAX: Final = 1_000
IN_SYNC_SET: Final = -1
"""Instead of a broker whose log end moved it: the ISR has changed, or a term begins lower than the last one ended."""


class Advance(NamedTuple):
    """One change of a high watermark, as this broker saw it; it falls only when a new term knows less."""

    at_ms: int
    from_offset: int
    to_offset: int
    by: int

    def as_json(self) -> dict[str, Any]:
        by = None if self.by == IN_SYNC_SET else self.by
        return {"at_ms": self.at_ms, "from": self.from_offset, "to": self.to_offset, "by": by}


class WatermarkHistory:
    """A ring of advances; each begins where the one before it ended."""

    __slots__ = ("_at_ms", "_by", "_oldest", "_start", "_to")

    def __init__(self) -> None:
        self._at_ms = array("q")
        self._to = array("q")
        self._by = array("i")
        self._oldest = 0
        """The slot of the oldest one, once the ring is full."""
        self._start = 0
        """The high watermark before the oldest one."""

    def __len__(self) -> int:
        return len(self._to)

    def begin(self, high_watermark: int, at_ms: int) -> None:
        """Start a term at this high watermark."""
        if not self._to:
            self._start = high_watermark
        elif self.last != high_watermark:
            self.note(high_watermark, at_ms, IN_SYNC_SET)

    @property
    def last(self) -> int:
        """The current high watermark."""
        return self._to[self._oldest - 1] if self._to else self._start

    def note(self, high_watermark: int, at_ms: int, by: int) -> None:
        """Note a new high watermark, and the broker that caused it."""
        if len(self._to) < ADVANCES_MAX:
            self._at_ms.append(at_ms)
            self._to.append(high_watermark)
            self._by.append(by)
            return
        oldest = self._oldest
        self._start = self._to[oldest]
        self._at_ms[oldest] = at_ms
        self._to[oldest] = high_watermark
        self._by[oldest] = by
        self._oldest = (oldest + 1) % ADVANCES_MAX

    def advances(self) -> list[Advance]:
        """Return all advances, oldest first."""
        found, before = [], self._start
        for step in range(len(self._to)):
            place = (self._oldest + step) % len(self._to)
            found.append(Advance(self._at_ms[place], before, self._to[place], self._by[place]))
            before = self._to[place]
        return found
