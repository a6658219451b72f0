"""The plan of a batch query: the slices of its tasks, or an error before any task starts."""

from collections.abc import Mapping

from chronik.model.ids import TopicPartition
from chronik.spark.options.bounds import LATEST_MARK, AtOffsets, Offsets
from chronik.spark.options.options import OptionsRefusedError, SourceOptions
from chronik.spark.options.parsers import View
from chronik.spark.planning import tasks
from chronik.spark.planning.lookup import open_lookup
from chronik.spark.planning.resolution import (
    Partitions,
    TopicLookup,
    chosen_partitions,
    ending_offsets,
    starting_offsets,
)
from chronik.spark.planning.slices import Slice
from chronik.spark.planning.tasks import Loss, Span, refuse_losses
from chronik.spark.source.pushed_filters import Narrowing


def plan_batch(options: SourceOptions, narrowing: Narrowing) -> list[Slice]:
    """Look the offsets up, and split the wanted ones into slices."""
    with open_lookup(options) as lookup:
        return plan_with(lookup, options, narrowing)


def plan_with(lookup: TopicLookup, options: SourceOptions, narrowing: Narrowing) -> list[Slice]:
    partitions = chosen_partitions(options.choice, lookup)
    wanted = [narrowing.narrow(span) for span in _spans(lookup, options, partitions) if narrowing.keeps(span.at)]
    there = _still_there(wanted, lookup, options)
    pieces = tasks.cut(
        _since(narrowing.time_from_ms, there, lookup),
        tasks_aimed_at=options.tasks_aimed_at,
        tasks_min=options.tasks_min,
        records_max=options.task_records_max,
    )
    return tasks.slices(pieces, {at.topic: topic_id for at, topic_id in partitions.items()}, options.path)


def _spans(lookup: TopicLookup, options: SourceOptions, partitions: Partitions) -> list[Span]:
    starts = starting_offsets(
        options.starting, partitions, lookup, unmatched_is_latest=options.unmatched_time_is_latest
    )
    ends = ending_offsets(options.ending, partitions, lookup)
    begun = tasks.started(starts, ends)
    if isinstance(options.ending, AtOffsets):
        _refuse_backwards(begun, options.ending.offsets)
    return tasks.spans(begun, ends)


def _refuse_backwards(starts: Offsets, explicit: Mapping[TopicPartition, int]) -> None:
    wrong = [at for at, end in sorted(explicit.items()) if LATEST_MARK < end < starts[at]]
    if wrong:
        at = wrong[0]
        raise OptionsRefusedError(f"endingOffsets: {at} begins at {starts[at]} and cannot end at {explicit[at]}")


def _still_there(wanted: list[Span], lookup: TopicLookup, options: SourceOptions) -> list[Span]:
    """Remove offsets that do not exist; only explicit offsets can be wrong. The view of problems shows all of them."""
    explicit = isinstance(options.starting, AtOffsets) or isinstance(options.ending, AtOffsets)
    if not explicit or options.view is View.PROBLEMS:
        return wanted
    there, losses = tasks.clip(wanted, lookup.earliest([span.at for span in wanted]))
    there, beyond = _until(there, lookup)
    refuse_losses([*losses, *beyond], fail=options.fail_on_data_loss)
    return there


def _until(wanted: list[Span], lookup: TopicLookup) -> tuple[list[Span], list[Loss]]:
    latest = lookup.latest([span.at for span in wanted])
    beyond = [
        Loss(span.at, max(span.start, latest[span.at]), span.end, f"the partition ends at {latest[span.at]}")
        for span in wanted
        if span.end > latest[span.at]
    ]
    return [Span(span.at, span.start, min(span.end, latest[span.at])) for span in wanted], beyond


def _since(time_from_ms: int | None, wanted: list[Span], lookup: TopicLookup) -> list[Span]:
    """Begin at the first record that is not older than the time: all records before it are older."""
    if time_from_ms is None or not wanted:
        return wanted
    found = lookup.at_times(dict.fromkeys((span.at for span in wanted), max(0, time_from_ms)))
    return [Span(span.at, max(span.start, first), span.end) for span in wanted if (first := found[span.at]) is not None]
