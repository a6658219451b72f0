"""The tables of ``kafka-consumer-groups.sh``, column by column as Kafka prints them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from chronik.cli.kafka_scripts.session import say
from chronik.client.cluster_view import BrokerNode
from chronik.client.groups.admin import GroupListing, GroupView, MemberView
from chronik.client.groups.admin_offsets import CommittedOffsets
from chronik.model.ids import TopicPartition

MISSING: Final = "-"
_NAME_WIDTH: Final = 15
_LISTED_EXTRA: Final = 10

Row = Sequence[object]


def print_rows(widths: Sequence[int], rows: Iterable[Row]) -> None:
    """Print a table after an empty line; a column of width 0 is not padded."""
    say()
    for row in rows:
        say(" ".join(f"{_text(cell):<{width}}" for cell, width in zip(row, widths, strict=True)))


def _text(cell: object) -> str:
    return MISSING if cell is None else str(cell)


def _width(texts: Iterable[object]) -> int:
    return max([_NAME_WIDTH, *(len(_text(text)) for text in texts)])


def print_listing(listings: Sequence[GroupListing], *, wants_type: bool, wants_state: bool) -> None:
    """Print groups, with their types and states where asked for."""
    if not (wants_type or wants_state):
        for listing in listings:
            say(listing.group)
        return
    width = _width(listing.group for listing in listings) + _LISTED_EXTRA
    columns = [*(["TYPE"] if wants_type else []), *(["STATE"] if wants_state else [])]
    say(" ".join([f"{'GROUP':<{width}}", *(f"{column:<20}" for column in columns)]))
    for listing in listings:
        cells = {"TYPE": listing.type.capitalize(), "STATE": listing.state}
        say(" ".join([f"{listing.group:<{width}}", *(f"{cells[column]:<20}" for column in columns)]))


def print_offsets(
    group: str, rows: Sequence[Mapping[str, Any]], committed: CommittedOffsets, *, is_verbose: bool
) -> None:
    """Print the committed offsets and the lag of a group."""
    epoch = ["LEADER-EPOCH"] if is_verbose else []
    header = ["GROUP", "TOPIC", "PARTITION", *epoch, "CURRENT-OFFSET", "LOG-END-OFFSET", "LAG"]
    table: list[Row] = [[*header, "CONSUMER-ID", "HOST", "CLIENT-ID"]]
    for row in rows:
        at = TopicPartition(row["topic"], row["partition"])
        host = f"/{row['host']}" if row["host"] else None
        table.append(
            [
                *(group, row["topic"], row["partition"], *(_epoch(committed, at) if is_verbose else ())),
                *(row["committed"], row["high_watermark"], row["lag"], row["member"], host, row["client"]),
            ]
        )
    topic_width, member_width, host_width = (_width(row[column] for row in table) for column in (1, -3, -2))
    numbers = [15] * (3 + len(epoch))
    print_rows([_width([group]), topic_width, 10, *numbers, member_width, host_width, 0], table)


def _epoch(committed: CommittedOffsets, at: TopicPartition) -> list[object]:
    found = committed.get(at)
    return [found.leader_epoch if found is not None and found.leader_epoch >= 0 else None]


def print_members(group: str, members: Sequence[MemberView], *, is_verbose: bool) -> None:
    """Print the members of a group."""
    has_static = any(member.instance_id for member in members)
    static = ["GROUP-INSTANCE-ID"] if has_static else []
    more = ["CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"] if is_verbose else [""]
    table: list[Row] = [["GROUP", "CONSUMER-ID", *static, "HOST", "CLIENT-ID", "#PARTITIONS", *more]]
    for member in members:
        assigned = member.assigned or ()
        end = [None, assignment_text(assigned), None, None] if is_verbose else [""]
        instance = [member.instance_id or ""] if has_static else []
        cells = (f"/{member.host}", member.client_id, len(assigned))
        table.append([group, member.member_id, *instance, *cells, *end])
    widths = [max(_width(row[column] for row in table), 0) for column in range(len(table[0]) - len(more))]
    print_rows([*widths, *([15, 20, 15, 20] if is_verbose else [0])], table)


def assignment_text(partitions: Iterable[TopicPartition]) -> str:
    """Spell partitions as TOPIC:0,1;TOPIC:0."""
    topics: dict[str, list[int]] = {}
    for at in sorted(partitions):
        topics.setdefault(at.topic, []).append(at.partition)
    return ";".join(f"{topic}:{','.join(map(str, indexes))}" for topic, indexes in topics.items()) or MISSING


def print_state(view: GroupView, brokers: Iterable[BrokerNode]) -> None:
    """Print the state of a group."""
    node = next((broker.node_id for broker in brokers if broker.address == view.coordinator), MISSING)
    coordinator = f"{view.coordinator}  ({node})"
    header = ("GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "#MEMBERS")
    row = (view.group, coordinator, view.protocol or None, view.state, len(view.members))
    print_rows([_width([view.group]), max(25, len(coordinator)), 20, 20, 0], [header, row])


def print_new_offsets(offsets: Mapping[tuple[str, TopicPartition], int]) -> None:
    """Print the new committed offsets."""
    rows: list[Row] = [("GROUP", "TOPIC", "PARTITION", "NEW-OFFSET")]
    rows += [(group, at.topic, at.partition, offset) for (group, at), offset in offsets.items()]
    print_rows([30, 30, 10, 15], rows)


def print_deleted_offsets(statuses: Mapping[TopicPartition, str]) -> None:
    """Print the outcome for each deleted offset."""
    rows: list[Row] = [("TOPIC", "PARTITION", "STATUS")]
    print_rows([15, 10, 15], rows + [(at.topic, at.partition, status) for at, status in sorted(statuses.items())])
