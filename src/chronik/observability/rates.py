"""Rates of counters over the last few seconds, from samples that somebody takes every second."""

from collections import deque
from collections.abc import Mapping
from typing import Final

SAMPLES: Final = 6
"""Six samples a second apart span five seconds."""


class Rates:
    """Remembers the last samples of a set of counters."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, Mapping[str, int]]] = deque(maxlen=SAMPLES)

    def sample(self, now_s: float, counters: Mapping[str, int]) -> None:
        """Take note of what the counters say now."""
        self._samples.append((now_s, counters))

    def per_second(self) -> dict[str, float]:
        """By how much each counter rose per second; nothing is known before the second sample."""
        if len(self._samples) < 2:
            return {}
        (began_s, first), (ended_s, last) = self._samples[0], self._samples[-1]
        span_s = max(ended_s - began_s, 1e-9)
        # A counter that is dropped and begins anew, like that of a topic, has no negative rate.
        return {name: max(0, value - first.get(name, 0)) / span_s for name, value in last.items()}
