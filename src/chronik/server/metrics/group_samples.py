"""The samples of consumer groups, by their coordinator: positions, lag and members, as kafka_exporter spells them."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import NamedTuple

from chronik.server.metrics.families import Families
from chronik.server.status.lag import lag_of
from chronik.server.status.local import GroupFacts, PositionFacts


class Bounds(NamedTuple):
    """Where a partition that is led elsewhere begins, and where what is committed of it ends."""

    log_start: int
    high_watermark: int


Elsewhere = Callable[[str, int], Bounds | None]


def add_group(families: Families, facts: GroupFacts, elsewhere: Elsewhere) -> None:
    """Add a group that is coordinated here; ``elsewhere`` knows of partitions that have no copy here."""
    families.add("kafka_consumergroup_members", len(facts.members), facts.group)
    families.add("chronik_group_state", 1, facts.group, facts.state)
    positions: Counter[str] = Counter()
    lags: Counter[str] = Counter()
    for position in facts.offsets:
        where = (facts.group, position.topic, position.partition)
        families.add("kafka_consumergroup_current_offset", position.committed, *where)
        positions[position.topic] += position.committed
        lag = _lag(position, elsewhere)
        if lag is not None:
            families.add("kafka_consumergroup_lag", lag, *where)
            lags[position.topic] += lag
    _add_sums(families, "kafka_consumergroup_current_offset_sum", facts.group, positions)
    _add_sums(families, "kafka_consumergroup_lag_sum", facts.group, lags)


def _lag(position: PositionFacts, elsewhere: Elsewhere) -> int | None:
    # The leader's bounds, where it was asked.
    bounds = elsewhere(position.topic, position.partition)
    if bounds is not None:
        return lag_of(position.committed, *bounds).messages
    return position.lag


def _add_sums(families: Families, name: str, group: str, sums: Mapping[str, int]) -> None:
    for topic, value in sorted(sums.items()):
        families.add(name, value, group, topic)
