"""The figures, what each must reach, and the verdict on what was measured."""

from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """How a figure stands to what it must reach."""

    AIM = "met, aim too"
    MET = "met"
    MISSED = "NOT MET"
    INVALID = "INVALID"
    OPEN = "-"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table.

    ``must`` and ``aim`` bound the ratio to the peer, or the value itself when ``of_peer`` is false.
    """

    name: str
    title: str
    unit: str
    must: float
    aim: float | None = None
    higher_is_better: bool = False
    of_peer: bool = True

    def verdict(self, own: float | None, peer: float | None) -> Verdict:
        """Judge a pair of medians."""
        compared = self.ratio(own, peer) if self.of_peer else own
        if compared is None:
            return Verdict.OPEN
        if self.aim is not None and self._reaches(compared, self.aim):
            return Verdict.AIM
        return Verdict.MET if self._reaches(compared, self.must) else Verdict.MISSED

    def ratio(self, own: float | None, peer: float | None) -> float | None:
        """Own value by the peer's, when both are there."""
        return own / peer if own is not None and peer else None

    def bound(self, limit: float | None) -> str:
        """A limit as the table shows it."""
        if limit is None:
            return ""
        return f"{'≥' if self.higher_is_better else '≤'} {limit:g}{' ×' if self.of_peer else f' {self.unit}'}"

    def _reaches(self, value: float, limit: float) -> bool:
        return value >= limit if self.higher_is_better else value <= limit


FIGURES = (
    Figure("produce_1k", "produce 1 KB batched, acks=1", "MB/s", 1.2, 1.8, higher_is_better=True),
    Figure("produce_100b", "produce 100 B batched, acks=1", "msg/s", 1.1, 1.5, higher_is_better=True),
    Figure("pipelined", "one message per request, pipelined", "msg/s", 2.0, 3.5, higher_is_better=True),
    Figure("one_in_flight_p50", "one in flight, p50", "µs", 1.1, 0.85),
    Figure("one_in_flight_p99", "one in flight, p99", "µs", 0.9, 0.65),
    Figure("consume_1k", "consume 1 KB", "MB/s", 1.0, 1.3, higher_is_better=True),
    Figure("consume_100b", "consume 100 B", "msg/s", 1.1, 1.5, higher_is_better=True),
    Figure("flush_64", "64 connections, flush per request, plain sockets", "msg/s", 2.0, higher_is_better=True),
    Figure("flush_64_rdkafka", "64 connections, flush per request, librdkafka", "msg/s", 2.0, higher_is_better=True),
    Figure("longest_delay", "longest delay, bulk writes on a busy disk", "ms", 50, 15, of_peer=False),
    Figure("first_ack", "from start to first acknowledged message", "s", 0.25, 0.125),
    Figure("memory_idle", "memory without file pages, idle", "MB", 60, of_peer=False),
    Figure("memory_loaded", "memory without file pages, after 5 GB", "MB", 150, of_peer=False),
    Figure("fetch_cost", "fetch from 1 GB by fetch from 64 MB, p50", "×", 1.5, 1.1, of_peer=False),
)
