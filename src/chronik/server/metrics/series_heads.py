"""The name and labels of each series, written by Prometheus' own library and cached from one scrape to the next.

Names and labels are the same at every scrape, and writing them takes ten times as long as writing a value: without the
cache, a scrape every second would slow the broker down.
"""

from collections.abc import Iterable
from functools import cache

from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.samples import Sample

from chronik.server.metrics.catalogue import ALL, MetricType

Labels = tuple[tuple[str, str], ...]


class SeriesHeads:
    """The heads of the series of the last two scrapes; heads of removed partitions are dropped."""

    def __init__(self) -> None:
        self._recent: dict[object, str] = {}
        self._before: dict[object, str] = {}

    def begin_scrape(self) -> None:
        """Drop the heads that the last scrape did not use."""
        self._before, self._recent = self._recent, {}

    def get(self, key: object) -> str | None:
        """Return the cached head of a key, or None."""
        head = self._recent.get(key)
        if head is None and (head := self._before.get(key)) is not None:
            self._recent[key] = head
        return head

    def make(self, key: object, family: str, name: str, labels: dict[str, str]) -> str:
        """Let the library write the name and labels of a series, and cache them."""
        line = _written(family, [Sample(name, labels, 0.0)]).splitlines()[2]
        head = self._recent[key] = line.removesuffix("0.0")
        return head


@cache
def family_head(family: str) -> str:
    """Return the lines HELP and TYPE of a family."""
    return _written(family, [])


class _OneFamily:
    """A registry of one family, because the library writes registries."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def written(family: Metric) -> str:
    """Let the library write one family."""
    return generate_latest(_OneFamily(family)).decode()


def _written(name: str, samples: list[Sample]) -> str:
    description = ALL[name]
    # The library adds the suffix of a counter by itself.
    own = name.removesuffix("_total") if description.kind is MetricType.COUNTER else name
    family = Metric(own, description.meaning, description.kind.value)
    family.samples = samples
    return written(family)
