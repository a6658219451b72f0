"""Operations on groups that ``chronik group`` and ``kafka-consumer-groups.sh`` share; nothing here prints."""

import csv
import io
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from chronik.cli.shell.partition_scope import PartitionScope, existing_partitions
from chronik.cli.shell.times import duration_ms_of, milliseconds_of
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.client.groups.admin import GroupView, MemberView
from chronik.client.groups.admin_offsets import CommittedOffsets, GroupOffsetAdmin
from chronik.client.groups.seek_plan import (
    SeekPartition,
    SeekStep,
    ShiftBy,
    Target,
    ToCurrent,
    ToEach,
    ToEarliest,
    ToLatest,
    ToOffset,
    ToTime,
    plan_seek,
)
from chronik.client.offsets import known_bounds, list_offsets
from chronik.model.ids import TopicPartition

Bounds = Mapping[TopicPartition, tuple[int, int] | ClientError]

# --- committed offsets and lag


async def committed_offsets(cluster: Cluster, group: str) -> CommittedOffsets:
    """Return the committed offsets of a group; raise the error of its coordinator."""
    committed = (await GroupOffsetAdmin(cluster).committed([group]))[group]
    if isinstance(committed, ClientError):
        raise committed
    return committed


def readers_of(view: GroupView) -> dict[TopicPartition, MemberView]:
    """Return the member that reads each assigned partition."""
    return {at: member for member in view.members for at in member.assigned or ()}


def partition_rows(
    committed: CommittedOffsets, readers: Mapping[TopicPartition, MemberView], bounds: Bounds
) -> list[dict[str, Any]]:
    """Return a row for each partition that has a committed offset or a reader."""
    return [_row(at, committed, readers.get(at), bounds.get(at)) for at in sorted({*committed, *readers})]


def _row(
    at: TopicPartition,
    committed: CommittedOffsets,
    reader: MemberView | None,
    bounds: tuple[int, int] | ClientError | None,
) -> dict[str, Any]:
    offset = committed[at].offset if at in committed else None
    start, end = bounds if isinstance(bounds, tuple) else (None, None)
    is_known = offset is not None and start is not None and end is not None
    return {
        "topic": at.topic,
        "partition": at.partition,
        "committed": offset,
        "log_start": start,
        "high_watermark": end,
        "lag": lag(offset, start, end) if is_known and start is not None and end is not None else None,
        "member": reader.member_id if reader else None,
        "client": reader.client_id if reader else None,
        "host": reader.host if reader else None,
        "problem": bounds.what if isinstance(bounds, ClientError) else None,
    }


def lag(committed: int | None, log_start: int, high_watermark: int) -> int:
    """Return the number of records between the committed offset and the high watermark.

    Without a committed offset, or where it has expired below the log start, the count begins at the log start. A
    committed offset beyond the high watermark, as after a topic was deleted and created again, is no lag.
    """
    start = log_start if committed is None else max(committed, log_start)
    return max(high_watermark - start, 0)


# --- moving committed offsets

_TARGETS: Final[Mapping[str, Callable[[Any], Target]]] = {
    "to-offset": lambda offset: ToOffset(int(offset)),
    "to-earliest": lambda _: ToEarliest(),
    "to-latest": lambda _: ToLatest(),
    "to-datetime": lambda text: ToTime(milliseconds_of(text)),
    "to-timestamp": ToTime,
    "by-duration": lambda text: ToTime(max(0, int(time.time() * 1000) - duration_ms_of(text))),
    "shift-by": lambda offsets: ShiftBy(int(offsets)),
    "to-current": lambda _: ToCurrent(),
}
FROM_FILE: Final = "from-file"
TARGET_NAMES: Final = (*_TARGETS, FROM_FILE)


def target_of(name: str, value: Any, group: str) -> Target:
    """Return the target of an option; raise ValueError for a wrong value, OSError for a file that cannot be read."""
    if name != FROM_FILE:
        return _TARGETS[name](value)
    with open(value, newline="") as lines:
        return ToEach(offsets_from_csv(lines, group))


async def planned_seek(
    cluster: Cluster, group: str, target: Target, scopes: Sequence[PartitionScope]
) -> tuple[SeekStep, ...]:
    """Return the plan for the partitions in ``scopes``, by default those in which the group has committed offsets.

    A partition whose offsets cannot be read is refused.
    """
    committed = await committed_offsets(cluster, group)
    if isinstance(target, ToEach):
        partitions = sorted(target.offsets)
    else:
        partitions = await existing_partitions(cluster, scopes) if scopes else list(committed)
    bounds = await known_bounds(cluster, partitions)
    by_time = await _offsets_by_time(cluster, target, partitions)
    places: dict[TopicPartition, SeekPartition] = {}
    for at, known in bounds.items():
        if isinstance(known, ClientError):
            raise known
        places[at] = SeekPartition(*known, committed[at].offset if at in committed else None, by_time.get(at))
    return plan_seek(target, places)


async def _offsets_by_time(
    cluster: Cluster, target: Target, partitions: Sequence[TopicPartition]
) -> dict[TopicPartition, int]:
    if not isinstance(target, ToTime):
        return {}
    found = await list_offsets(cluster, dict.fromkeys(partitions, target.timestamp_ms))
    return {at: answer.offset for at, answer in found.items() if answer.offset >= 0}


# --- offsets as CSV, in the form of ``kafka-consumer-groups.sh --export`` and ``--from-file``


def offsets_as_csv(offsets: Mapping[TopicPartition, int]) -> str:
    """Return a line TOPIC,PARTITION,OFFSET for each partition."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerows((at.topic, at.partition, offset) for at, offset in sorted(offsets.items()))
    return output.getvalue()


def offsets_from_csv(lines: Iterable[str], group: str) -> dict[TopicPartition, int]:
    """Read TOPIC,PARTITION,OFFSET, or GROUP,TOPIC,PARTITION,OFFSET of which only this group's lines count.

    One ValueError names all malformed lines.
    """
    offsets: dict[TopicPartition, int] = {}
    wrong: list[str] = []
    reader = csv.reader(lines)
    for row in reader:
        if not row:
            continue
        owner, fields = (row[0], row[1:]) if len(row) == 4 else (group, row)
        try:
            topic, partition, offset = fields
            at = TopicPartition(topic, int(partition))
            if int(offset) < 0 or at.partition < 0:
                raise ValueError(offset)
        except ValueError:
            wrong.append(f"line {reader.line_num}: {','.join(row)!r}")
            continue
        if owner == group:
            offsets[at] = int(offset)
    if wrong:
        raise ValueError(f"not TOPIC,PARTITION,OFFSET: {'; '.join(wrong)}")
    return offsets
