"""The samples of one scrape by metric family, written in Prometheus' text format."""

from collections.abc import Iterator, Sequence
from typing import Final

from prometheus_client.utils import floatToGoString

from chronik.observability.histograms import NS_PER_S, cumulative, quantiles_ns
from chronik.server.metrics.catalogue import ALL
from chronik.server.metrics.series_heads import SeriesHeads, family_head

SLICE_LINES: Final = 1000
"""Lines that are joined at once: this takes far less time than the event loop may be delayed."""
_BOUNDS: Final = range(17, 36)
"""The exponents of a histogram's bounds: from 131 µs to 34 s."""
_LE: Final = {exponent: repr((1 << exponent) / NS_PER_S) for exponent in _BOUNDS}
_QUANTILES: Final = {"0.50": 0.5, "0.75": 0.75, "0.95": 0.95, "0.98": 0.98, "0.99": 0.99, "0.999": 0.999}


class Families:
    """Collects samples under the names of the catalogue, for one scrape."""

    def __init__(self, heads: SeriesHeads) -> None:
        self._heads = heads
        self._lines: dict[str, list[str]] = {}

    def add(self, name: str, value: float, *labels: object) -> None:
        """Add a sample of a counter or gauge. With fewer labels than in the catalogue it is a sum over the others."""
        key = (name, *labels)
        head = self._heads.get(key)
        if head is None:
            head = self._heads.make(key, name, name, _named(name, labels))
        self._of(name).append(f"{head}{_number(value)}\n")

    def add_histogram(self, name: str, counts: Sequence[int], sum_ns: int, *labels: object) -> None:
        """Add the buckets, sum and count of durations, in seconds."""
        for exponent, below in cumulative(counts, _BOUNDS):
            self._add_part(name, "_bucket", below, labels, ("le", _LE[exponent]))
        total = sum(counts)
        self._add_part(name, "_bucket", total, labels, ("le", "+Inf"))
        self._add_part(name, "_sum", sum_ns / NS_PER_S, labels)
        self._add_part(name, "_count", total, labels)

    def add_summary_ms(self, name: str, recent: Sequence[int], count: int, sum_ns: int, *labels: object) -> None:
        """Add the quantiles of recent durations, and the sum and count of all, in milliseconds."""
        values = quantiles_ns(recent, _QUANTILES.values())
        for text, value_ns in zip(_QUANTILES, values, strict=True):
            self._add_part(name, "", value_ns / 1e6, labels, ("quantile", text))
        self._add_part(name, "_sum", sum_ns / 1e6, labels)
        self._add_part(name, "_count", count, labels)

    def slices(self) -> Iterator[str]:
        """Return everything as text, a slice at a time."""
        for name, lines in self._lines.items():
            yield family_head(name)
            for start in range(0, len(lines), SLICE_LINES):
                yield "".join(lines[start : start + SLICE_LINES])

    def _add_part(
        self, family: str, suffix: str, value: float, labels: Sequence[object], *more: tuple[str, str]
    ) -> None:
        key = (family, suffix, *labels, *more)
        head = self._heads.get(key)
        if head is None:
            head = self._heads.make(key, family, family + suffix, {**_named(family, labels), **dict(more)})
        self._of(family).append(f"{head}{_number(value)}\n")

    def _of(self, name: str) -> list[str]:
        lines = self._lines.get(name)
        if lines is None:
            lines = self._lines[name] = []
        return lines


def _named(name: str, labels: Sequence[object]) -> dict[str, str]:
    return dict(zip(ALL[name].labels, map(str, labels), strict=False))


def _number(value: float) -> str:
    text: str = str(value) if type(value) is int else floatToGoString(value)  # type: ignore[no-untyped-call]
    return text
