"""The progress of a query's topics: offsets, lag, rates and losses."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chronik.spark.options.bounds import Offsets, from_json

LOST_KEY: Final = "#lost"
"""The key of the losses in the latest offsets that the source reports; no topic can have this name."""


@dataclass(frozen=True, slots=True)
class TopicProgress:
    """The topics in one micro-batch of a query. A position is the offset after the last one read."""

    query_id: str
    query_name: str | None
    batch_id: int
    records: int
    records_in_per_second: float
    records_done_per_second: float
    positions: Offsets = field(default_factory=dict)
    lag: Offsets = field(default_factory=dict)
    lost: Offsets = field(default_factory=dict)

    @property
    def lag_total(self) -> int:
        return sum(self.lag.values())

    @property
    def lost_total(self) -> int:
        return sum(self.lost.values())


def topic_progress(progress: Any) -> TopicProgress | None:
    """Read Spark's progress of a query; None where no source of it reads topics."""
    ends: Offsets = {}
    latest: Offsets = {}
    lost: Offsets = {}
    for source in progress.sources:
        ends |= offsets_in(source.endOffset) or {}
        latest |= offsets_in(source.latestOffset) or {}
        lost |= _lost_in(source.latestOffset)
    if not ends:
        return None
    lag = {at: max(0, latest[at] - end) for at, end in ends.items() if at in latest}
    return TopicProgress(
        query_id=str(progress.id),
        query_name=progress.name,
        batch_id=progress.batchId,
        records=progress.numInputRows,
        records_in_per_second=progress.inputRowsPerSecond,
        records_done_per_second=progress.processedRowsPerSecond,
        positions=ends,
        lag=lag,
        lost=lost,
    )


def offsets_in(text: str | None) -> Offsets | None:
    """Read the offsets of topics; None where another kind of source has written them."""
    written = _object_in(text)
    topics = {name: value for name, value in written.items() if name != LOST_KEY}
    if not topics or not all(_is_partitions(value) for value in topics.values()):
        return None
    return from_json(topics)


def _lost_in(text: str | None) -> Offsets:
    lost = _object_in(text).get(LOST_KEY, {})
    return from_json(lost) if isinstance(lost, Mapping) else {}


def _object_in(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text) if text else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _is_partitions(value: object) -> bool:
    return isinstance(value, dict) and all(name.isdigit() and isinstance(offset, int) for name, offset in value.items())
