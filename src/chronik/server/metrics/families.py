"""Families of samples on their way to Prometheus' text format, which its own library writes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.samples import Sample

from chronik.observability.histograms import NS_PER_S, cumulative, quantile_ns
from chronik.server.metrics.catalogue import ALL, Kind

SLICE_SAMPLES: Final = 100
"""What is written in one go: well below the time that the loop may be held up."""
_BOUNDS: Final = range(17, 36)
"""The exponents of a histogram's bounds: from 131 µs to 34 s."""
_LE: Final = {exponent: repr((1 << exponent) / NS_PER_S) for exponent in _BOUNDS}
_QUANTILES: Final = (("0.50", 0.5), ("0.75", 0.75), ("0.95", 0.95), ("0.98", 0.98), ("0.99", 0.99), ("0.999", 0.999))


class Families:
    """Collects samples under the names of the catalogue."""

    def __init__(self) -> None:
        self._samples: dict[str, list[Sample]] = {}

    def add(self, name: str, value: float, *labels: object) -> None:
        """Add a sample of a counter or gauge; fewer labels than the catalogue has is the sum over the others."""
        names = ALL[name].labels
        self._of(name).append(Sample(name, dict(zip(names, map(str, labels), strict=False)), value))

    def add_histogram(self, name: str, counts: Sequence[int], sum_ns: int, *labels: object) -> None:
        """Add the buckets, sum and count of durations, in seconds."""
        samples, own = self._of(name), self._labels(name, labels)
        for exponent, below in cumulative(counts, _BOUNDS):
            samples.append(Sample(f"{name}_bucket", {**own, "le": _LE[exponent]}, below))
        total = sum(counts)
        samples.append(Sample(f"{name}_bucket", {**own, "le": "+Inf"}, total))
        samples.append(Sample(f"{name}_sum", own, sum_ns / NS_PER_S))
        samples.append(Sample(f"{name}_count", own, total))

    def add_summary_ms(self, name: str, recent: Sequence[int], count: int, sum_ns: int, *labels: object) -> None:
        """Add quantiles of what was measured lately, and the sum and count of all, in milliseconds."""
        samples, own = self._of(name), self._labels(name, labels)
        for text, share in _QUANTILES:
            samples.append(Sample(name, {**own, "quantile": text}, quantile_ns(recent, share) / 1e6))
        samples.append(Sample(f"{name}_sum", own, sum_ns / 1e6))
        samples.append(Sample(f"{name}_count", own, count))

    def slices(self) -> Iterator[bytes]:
        """Write everything, a few samples at a time."""
        for name, samples in self._samples.items():
            yield from _slices(name, samples)

    def _of(self, name: str) -> list[Sample]:
        return self._samples.setdefault(name, [])

    def _labels(self, name: str, labels: Sequence[object]) -> dict[str, str]:
        return dict(zip(ALL[name].labels, map(str, labels), strict=True))


class _OneFamily:
    """A registry of one family, because the library writes registries."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def _slices(name: str, samples: list[Sample]) -> Iterator[bytes]:
    for start in range(0, len(samples), SLICE_SAMPLES):
        text = written(_family(name, samples[start : start + SLICE_SAMPLES]))
        yield text if start == 0 else _without_head(text)


def written(family: Metric) -> bytes:
    """Have the library write one family."""
    return generate_latest(_OneFamily(family))


def _family(name: str, samples: list[Sample]) -> Metric:
    description = ALL[name]
    # The library adds the suffix of a counter by itself.
    family = Metric(
        name.removesuffix("_total") if description.kind is Kind.COUNTER else name,
        description.meaning,
        description.kind.value,
    )
    family.samples = samples
    return family


def _without_head(text: bytes) -> bytes:
    """Leave out the lines HELP and TYPE, which a family may have once only."""
    return text.split(b"\n", 2)[2]
