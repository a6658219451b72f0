"""The plan of a stream: its first offsets, the end of each micro-batch, and the slices of the tasks."""

import time
from collections.abc import Mapping

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import Offsets
from chronik.spark.options.options import SourceOptions
from chronik.spark.options.parsers import View
from chronik.spark.planning import tasks
from chronik.spark.planning.resolution import TopicLookup, chosen_partitions, starting_offsets
from chronik.spark.planning.slices import Slice
from chronik.spark.planning.tasks import Loss, Span, refuse_losses


class StreamPlan:
    """Plans with the present answers of a lookup."""

    def __init__(self, options: SourceOptions, lookup: TopicLookup) -> None:
        self._options = options
        self._lookup = lookup

    def first_offsets(self) -> Offsets:
        """Return where a new query begins.

        The latest offset stays a mark: the first micro-batch is empty and ends at the latest offset of that time. So
        the checkpoint holds it before anything is read, and a restart does not skip records.
        """
        partitions = chosen_partitions(self._options.choice, self._lookup)
        return starting_offsets(
            self._options.starting,
            partitions,
            self._lookup,
            unmatched_is_latest=self._options.unmatched_time_is_latest,
        )

    def latest_offsets(self, known: Mapping[TopicPartition, int] | None = None) -> Offsets:
        """Return the end of every partition; retry while an end lies before a known offset."""
        for _ in range(self._options.retries):
            latest = self._lookup.latest(chosen_partitions(self._options.choice, self._lookup))
            if not tasks.truncations(known or {}, latest):
                return latest
            time.sleep(self._options.retry_interval_ms / 1000)
        return self._lookup.latest(chosen_partitions(self._options.choice, self._lookup))

    def batch_ends(self, starts: Offsets, latest: Offsets, waited_ms: int | None) -> Offsets:
        """Return the ends of a micro-batch within the options' limits; no ``waited_ms`` means no minimum."""
        begun = self._begun(starts, latest)
        if self._is_too_early(begun, latest, waited_ms):
            return starts
        if self._options.trigger_offsets_max is None:
            return latest
        return tasks.batch_ends(begun, latest, self._options.trigger_offsets_max)

    def slices(self, starts: Offsets, ends: Offsets) -> list[Slice]:
        """Split a micro-batch into slices; lost offsets fail the query, or are skipped and logged."""
        spans = tasks.spans(self._begun(starts, ends), ends)
        there, losses = self._there(starts, ends)
        if self._options.view is not View.PROBLEMS:
            refuse_losses(losses, fail=self._options.fail_on_data_loss)
        pieces = tasks.cut(
            spans if self._options.view is View.PROBLEMS else there,
            tasks_aimed_at=self._options.tasks_aimed_at,
            tasks_min=self._options.tasks_min,
            records_max=self._options.task_records_max,
        )
        ids = self._lookup.partitions(sorted({span.at.topic for span in spans}))
        return tasks.slices(pieces, {at.topic: topic_id for at, topic_id in ids.items()})

    def losses(self, starts: Offsets, ends: Offsets) -> list[Loss]:
        """Return the offsets of a micro-batch that are lost."""
        return self._there(starts, ends)[1]

    def _there(self, starts: Offsets, ends: Offsets) -> tuple[list[Span], list[Loss]]:
        begun = self._begun(starts, ends)
        spans = tasks.spans(begun, ends)
        there, losses = tasks.clip(spans, self._lookup.earliest([span.at for span in spans]))
        losses += tasks.truncations(tasks.started(starts, ends), ends)
        losses += self._late_beginnings(starts, begun)
        return there, losses

    def _begun(self, starts: Offsets, ends: Offsets) -> Offsets:
        """Add the partitions that are new since the last micro-batch, from their log start."""
        new = sorted(ends.keys() - starts.keys())
        return {**tasks.started(starts, ends), **(self._lookup.earliest(new) if new else {})}

    def _late_beginnings(self, starts: Offsets, begun: Offsets) -> list[Loss]:
        return [
            Loss(at, 0, first, "the partition is new to the query and does not begin at 0")
            for at, first in sorted(begun.items())
            if at not in starts and first > 0
        ]

    def _is_too_early(self, begun: Offsets, latest: Offsets, waited_ms: int | None) -> bool:
        least = self._options.trigger_offsets_min
        if least is None or waited_ms is None or waited_ms >= self._options.trigger_delay_ms_max:
            return False
        return tasks.offered(begun, latest) < least
