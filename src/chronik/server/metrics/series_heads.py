"""What stands before a sample's value, as Prometheus' own library writes it, kept from one scrape to the next.

Names and labels are the same at every scrape, and to write them takes ten times as long as to write a value: a scraper
that comes every second would be felt.
"""

from collections.abc import Iterable
from functools import cache

from prometheus_client.core import Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.samples import Sample

from chronik.server.metrics.catalogue import ALL, Kind

Labels = tuple[tuple[str, str], ...]


class SeriesHeads:
    """The heads of the series of the last two scrapes; those of partitions that are gone are forgotten."""

    def __init__(self) -> None:
        self._recent: dict[object, str] = {}
        self._before: dict[object, str] = {}

    def begin_scrape(self) -> None:
        """Forget what the last scrape did not need."""
        self._before, self._recent = self._recent, {}

    def get(self, key: object) -> str | None:
        """Give the head that was kept under a key."""
        head = self._recent.get(key)
        if head is None and (head := self._before.get(key)) is not None:
            self._recent[key] = head
        return head

    def make(self, key: object, family: str, name: str, labels: dict[str, str]) -> str:
        """Have the library write a series' name and labels, and keep them."""
        line = _written(family, [Sample(name, labels, 0.0)]).splitlines()[2]
        head = self._recent[key] = line.removesuffix("0.0")
        return head


@cache
def family_head(family: str) -> str:
    """The lines HELP and TYPE of a family."""
    return _written(family, [])


class _OneFamily:
    """A registry of one family, because the library writes registries."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterable[Metric]:
        return (self._family,)


def written(family: Metric) -> str:
    """Have the library write one family."""
    return generate_latest(_OneFamily(family)).decode()


def _written(name: str, samples: list[Sample]) -> str:
    description = ALL[name]
    # The library adds the suffix of a counter by itself.
    own = name.removesuffix("_total") if description.kind is Kind.COUNTER else name
    family = Metric(own, description.meaning, description.kind.value)
    family.samples = samples
    return written(family)
