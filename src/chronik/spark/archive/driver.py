"""The driver of an archive: plan a batch, let tasks write it, commit it, until the ends are reached.

It does not import Spark: running the tasks and looking up the topic are functions that it is given.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from chronik.spark.archive.coverage import (
    BatchPlan,
    TopicState,
    first_part,
    piece_size,
    pieces,
    plan_batch,
    plan_beginning,
)
from chronik.spark.archive.json_columns import JsonColumn, decoded_fields
from chronik.spark.archive.layout import table_schema
from chronik.spark.archive.parquet_files import RunTasks, WriteTask
from chronik.spark.archive.table import (
    ArchiveError,
    ArchiveIdentity,
    ArchiveTable,
    Commit,
    CommitConflictError,
    Destination,
    Snapshot,
)
from chronik.spark.planning.slices import ReadRules, Slice

CONFLICTS_MAX: Final = 10
FILE_RECORDS_MIN: Final = 100_000

AskTopic = Callable[[], TopicState]


@dataclass(frozen=True, slots=True)
class ArchiveRules:
    """The user's options of an archive."""

    reading: ReadRules
    json_columns: tuple[JsonColumn, ...] = ()
    is_from_latest: bool = False
    accepts_new_topic: bool = False
    accepts_loss: bool = False
    commit_records_max: int = 4_000_000
    file_records_max: int = 1_000_000
    parallelism: int = 2
    compression: str = "zstd"


@dataclass(slots=True)
class Archiver:
    """Archives one topic into one table, batch by batch."""

    table: ArchiveTable
    ask_topic: AskTopic
    run_tasks: RunTasks
    rules: ArchiveRules
    on_commit: Callable[[Commit], None] = field(default=lambda commit: None)

    def prepare(self) -> TopicState:
        """Create the table, or check that it may be continued, before any task starts."""
        state = self.ask_topic()
        schema = table_schema(decoded_fields(self.rules.json_columns))
        if self.table.snapshot() is None:
            self.table.create(
                ArchiveIdentity(state.topic, (state.topic_id,), self.rules.reading.read_committed), schema
            )
        snapshot = self._snapshot()
        _check_topic(snapshot.identity, state, self.table.url, self.rules)
        if state.topic_id not in snapshot.identity.topic_ids:
            self.table.accept_topic(state.topic_id)
            snapshot = self._snapshot()
        _check_ends(snapshot, state)
        self.table.evolve(schema)
        if self.rules.is_from_latest and not snapshot.covers(state.topic_id):
            self._begin_at_ends(state)
        return state

    def offsets_ahead(self, state: TopicState) -> int:
        """Return the number of the topic's offsets that the table does not cover."""
        plan = plan_batch(self._snapshot().covers(state.topic_id), state, state.ends)
        return sum(part.size for part in plan.ranges.values())

    def archive_until(self, topic_id: str, ends: Mapping[int, int]) -> None:
        """Write and commit the offsets below these ends that the table does not cover."""
        conflicts = 0
        while True:
            state = self.ask_topic()
            if state.topic_id != topic_id:
                return  # the topic was created again; the next batch has its ends
            snapshot = self._snapshot()
            whole = plan_batch(snapshot.covers(topic_id), state, ends)
            if whole.is_empty:
                return
            try:
                self._write(state, first_part(whole, self.rules.commit_records_max))
            except CommitConflictError:
                conflicts += 1
                if conflicts > CONFLICTS_MAX:
                    raise

    def _begin_at_ends(self, state: TopicState) -> None:
        """Commit the ends at once: after a crash a second lookup would find later ones."""
        self._snapshot()
        self.table.commit(Commit(state.topic, state.topic_id, plan_beginning(state).ranges, {}, ()))

    def _write(self, state: TopicState, plan: BatchPlan) -> None:
        if plan.expired and not self.rules.accepts_loss:
            raise ArchiveError(
                f"records of {state.topic!r} expired before they were archived: {_named(plan)}",
                "Archive more often than retention deletes; --accept-loss continues without them.",
            )
        where = self.table.destination()
        files = self.run_tasks(self._tasks(state, plan, where))
        commit = Commit(state.topic, state.topic_id, plan.ranges, plan.expired, files)
        try:
            self.table.commit(commit)
        except CommitConflictError:
            self.table.discard(files)
            raise
        self.on_commit(commit)

    def _tasks(self, state: TopicState, plan: BatchPlan, where: Destination) -> list[WriteTask]:
        total = sum(part.size for part in plan.ranges.values())
        size = piece_size(total, 2 * self.rules.parallelism, FILE_RECORDS_MIN, self.rules.file_records_max)
        return [
            WriteTask(
                Slice(state.topic, state.topic_id, partition, piece.start, piece.end),
                self.rules.reading,
                where,
                self.rules.json_columns,
                self.rules.compression,
            )
            for partition, part in plan.ranges.items()
            for piece in pieces(part, size)
        ]

    def _snapshot(self) -> Snapshot:
        snapshot = self.table.snapshot()
        if snapshot is None:
            raise ArchiveError(f"{self.table.url}: the table has been deleted", "Start again, which creates it.")
        return snapshot


def _check_topic(identity: ArchiveIdentity, state: TopicState, url: str, rules: ArchiveRules) -> None:
    if identity.topic != state.topic:
        raise ArchiveError(
            f"{url} holds topic {identity.topic!r}, not {state.topic!r}", "Name another directory or URL."
        )
    if identity.is_read_committed != rules.reading.read_committed:
        held = "read_committed" if identity.is_read_committed else "read_uncommitted"
        raise ArchiveError(f"{url} was created with --isolation {held}", f"Use --isolation {held}.")
    if state.topic_id in identity.topic_ids[:-1]:
        raise ArchiveError(f"{url} has since been continued by another topic {state.topic!r}")
    if state.topic_id != identity.topic_ids[-1] and not rules.accepts_new_topic:
        raise ArchiveError(
            f"{url} holds the topic {state.topic!r} with the id {identity.topic_ids[-1]}, and the cluster has one with "
            f"the id {state.topic_id}: it was deleted and created again, or it is another cluster",
            "Name another directory or URL, or add its records to the same table with --accept-new-topic.",
        )


def _check_ends(snapshot: Snapshot, state: TopicState) -> None:
    """Raise if an end has moved back: the cluster has lost records that the table holds."""
    for partition, covered in sorted(snapshot.covers(state.topic_id).items()):
        end = state.ends.get(partition, 0)
        if end < covered.end:
            raise ArchiveError(
                f"partition {partition} of {state.topic!r} ends at offset {end}, and the table covers it up to "
                f"{covered.end}: the cluster has lost records, and will use their offsets again",
                "Archive into another directory or URL.",
            )


def _named(plan: BatchPlan) -> str:
    return ", ".join(f"partition {number} [{part.start}, {part.end})" for number, part in plan.expired.items())
