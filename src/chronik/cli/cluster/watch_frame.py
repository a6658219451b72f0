"""One picture of ``cluster status --watch``: lines that fit a terminal, from facts alone.

Nothing rests on colour: what is wrong begins with an exclamation mark, and a replica that is not in sync has one too.
"""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from chronik.cli.cluster.watch_status import ClusterSnapshot

Json = Mapping[str, Any]

WIDTH_MIN: Final = 40
FAULT_LINES_MAX: Final = 6
LINES_PER_FAULT_MAX: Final = 2
BROKERS_MAX: Final = 6
GROUPS_MAX: Final = 4
LANE_WIDTH_MIN: Final = 12
LANE_OFFSETS_MIN: Final = 20
_UNITS: Final = ("", "K", "M", "G", "T", "P")


class Ink(Enum):
    """The style of a line, where colour is allowed."""

    PLAIN = ""
    TITLE = "\x1b[1m"
    SOFT = "\x1b[2m"
    GOOD = "\x1b[32m"
    WARNING = "\x1b[33m"
    CRITICAL = "\x1b[1;31m"


@dataclass(frozen=True, slots=True)
class Line:
    """A line and its style."""

    text: str
    ink: Ink = Ink.PLAIN


@dataclass(frozen=True, slots=True)
class Picture:
    """The chosen view, and the time."""

    width: int
    height: int | None
    """None where there is no end of the screen: then nothing is scrolled."""
    clock: str
    scrolled: int = 0
    sort: str = "lag"


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its title, its width, and whether it holds numbers."""

    title: str
    width: int
    is_number: bool = True


def frame(facts: ClusterSnapshot, picture: Picture) -> list[Line]:
    """Draw the cluster into at most as many lines as the screen has."""
    width = max(picture.width, WIDTH_MIN)
    head = [_title(facts, picture.clock, width), *_faults(facts, width)]
    if facts.brokers:
        head += [*_brokers(facts, width)]
    groups = _groups(facts.groups, width)
    room = None if picture.height is None else picture.height - len(head) - len(groups) - 1
    if room is not None and room < 3:
        # A low screen has room for the groups or for the partitions, not for both.
        groups, room = [], max((picture.height or 0) - len(head) - 1, 2)
    body = _partitions(facts, width, room, picture)
    lines = [*head, *body, *groups]
    if picture.height is not None:
        lines = lines[: picture.height - 1]
        lines += [Line("")] * (picture.height - 1 - len(lines))
        lines.append(_foot(facts, picture, width))
    return [Line(line.text[:width].rstrip(), line.ink) for line in lines]


def rendered(lines: Iterable[Line], *, colour: bool) -> list[str]:
    """Return the lines as they are written."""
    return [f"{line.ink.value}{line.text}\x1b[0m" if colour and line.ink.value else line.text for line in lines]


# --- parts


def _title(facts: ClusterSnapshot, clock: str, width: int) -> Line:
    up = sum(bool(broker.get("up")) for broker in facts.brokers)
    controller = "no controller" if facts.controller in (None, -1) else f"controller {facts.controller}"
    left = f"chronik  {facts.cluster_id or '(no broker answers)'}  {up}/{len(facts.brokers)} brokers  {controller}"
    return Line(_ends(left, clock, width), Ink.TITLE)


def _faults(facts: ClusterSnapshot, width: int) -> list[Line]:
    if facts.problem is not None:
        return [Line(f"! {facts.problem}", Ink.CRITICAL)]
    if not facts.faults:
        return [Line("all is well: every replica is in sync", Ink.GOOD)]
    lines: list[Line] = []
    for number, fault in enumerate(facts.faults):
        wrapped = _wrapped(fault, width)
        left = len(facts.faults) - number
        if len(lines) + len(wrapped) + (left > 1) > FAULT_LINES_MAX:
            lines.append(Line(f"! and {left:,} faults more", Ink.WARNING))
            break
        lines += wrapped
    return lines


def _wrapped(fault: Json, width: int) -> list[Line]:
    ink = Ink.CRITICAL if fault["severity"] == "critical" else Ink.WARNING
    texts = textwrap.wrap(fault["text"], width - 2, max_lines=LINES_PER_FAULT_MAX, placeholder=" …")
    return [Line(f"{'!' if number == 0 else ' '} {text}", ink) for number, text in enumerate(texts)]


def _brokers(facts: ClusterSnapshot, width: int) -> list[Line]:
    columns = (
        Column("BROKER", 9, is_number=False),
        Column("STATE", 15, is_number=False),
        Column("LEADS", 6),
        Column("REPL", 6),
        Column("REQ/S", 7),
        Column("IN/S", 7),
        Column("OUT/S", 7),
        Column("MEMORY", 7),
        Column("DELAY", 8),
    )
    shown = sorted(facts.brokers, key=lambda broker: bool(broker.get("up")))[:BROKERS_MAX]
    by_number = sorted(shown, key=lambda each: int(each["node_id"]))
    rows = [Line(_row(columns, _broker(each, facts.controller)), _broker_ink(each)) for each in by_number]
    lines = [_heading(columns, width), *rows]
    if len(facts.brokers) > len(shown):
        lines.append(Line(f"and {len(facts.brokers) - len(shown)} brokers more", Ink.SOFT))
    return lines


def _broker(broker: Json, controller: int | None) -> list[str]:
    rates = broker.get("rates") or {}
    mark = " control" if broker["node_id"] == controller else ""
    return [
        f"{broker['node_id']}{mark}",
        _broker_state(broker),
        _count(broker.get("leads")),
        _count(broker.get("replicas")),
        _short(rates.get("requests")),
        _short(rates.get("bytes_in"), 1024),
        _short(rates.get("bytes_out"), 1024),
        _short(broker.get("memory_bytes"), 1024),
        _duration((broker.get("loop_delay") or {}).get("longest_minute_ms")),
    ]


def _broker_state(broker: Json) -> str:
    if broker.get("up"):
        return str(broker.get("state") or "up")
    silent_ms = broker.get("silent_for_ms")
    since = f" {_duration(silent_ms)}" if silent_ms else ""
    return f"!{broker.get('state') or 'gone'}{since}"


def _broker_ink(broker: Json) -> Ink:
    return Ink.PLAIN if broker.get("up") else Ink.CRITICAL


def _partitions(facts: ClusterSnapshot, width: int, room: int | None, picture: Picture) -> list[Line]:
    if not facts.partitions:
        return [Line("no partitions yet", Ink.SOFT)] if facts.problem is None else []
    names = [f"{each['topic']}-{each['partition']}" for each in facts.partitions]
    columns = _partition_columns(width, max(map(len, names)))
    first = 0 if room is None else max(min(picture.scrolled, len(names) - (room - 1)), 0)
    last = len(names) if room is None else first + room - 1
    lane = width - sum(column.width + 1 for column in columns)
    lines = [_heading(columns, width)]
    for name, partition in list(zip(names, facts.partitions, strict=True))[first:last]:
        text = _row(columns, _partition(name, partition, columns[0].width))
        if lane >= LANE_WIDTH_MIN:
            text += " " + _lane(partition, min(lane, 40))
        lines.append(Line(text, _partition_ink(partition)))
    return lines


def _partition_columns(width: int, longest: int) -> tuple[Column, ...]:
    fixed = (
        Column("LEADER", 6),
        Column("IN SYNC", 9, is_number=False),
        Column("WATERMARK", 11),
        Column("LOG END", 11),
        Column("LAG", 7),
        Column("STALLED", 7),
    )
    left = width - sum(column.width + 1 for column in fixed) - 1
    return (Column("PARTITION", max(min(left, max(longest, 9), 48), 8), is_number=False), *fixed)


def _partition(name: str, partition: Json, width: int) -> list[str]:
    stands_ms = partition.get("stands_for_ms") or 0
    leader = partition.get("leader")
    return [
        name if len(name) <= width else "…" + name[-(width - 1) :],
        "!none" if leader in (None, -1) else str(leader),
        _in_sync(partition),
        _count(partition.get("high_watermark")),
        _count(partition.get("log_end")),
        _count(partition.get("lag")),
        _duration(stands_ms) if stands_ms >= 1_000 else "",
    ]


def _in_sync(partition: Json) -> str:
    isr = set(partition["isr"])
    return ",".join(f"{node}" if node in isr else f"{node}!" for node in partition["replicas"])


def _partition_ink(partition: Json) -> Ink:
    if partition.get("role") == "offline" or partition.get("leader") in (None, -1):
        return Ink.CRITICAL
    is_short = len(partition["isr"]) < len(partition["replicas"])
    return Ink.WARNING if is_short or (partition.get("stands_for_ms") or 0) >= 1_000 else Ink.PLAIN


def _lane(partition: Json, width: int) -> str:
    """Draw what is committed and what lies beyond the watermark, the log's last part at the right."""
    end: int | None = partition.get("log_end")
    watermark: int | None = partition.get("high_watermark")
    if end is None or watermark is None:
        return ""
    # The two values may come from two brokers, one of them a moment later.
    gap = max(end - watermark, 0)
    window = max(2 * gap, LANE_OFFSETS_MIN)
    beyond = min(-(-gap * width // window), width)
    return "█" * (width - beyond) + "░" * beyond


def _groups(groups: Sequence[Json], width: int) -> list[Line]:
    if not groups:
        return []
    columns = (
        Column("GROUP", max(width - 46, 12), is_number=False),
        Column("STATE", 20, is_number=False),
        Column("MEMBERS", 8),
        Column("LAG", 12),
    )
    shown = sorted(groups, key=lambda group: -(group["lag"] or 0))[:GROUPS_MAX]
    rows = [
        Line(_row(columns, [each["group"], str(each["state"]), _count(each["members"]), _count(each["lag"])]))
        for each in shown
    ]
    return [_heading(columns, width), *rows]


def _foot(facts: ClusterSnapshot, picture: Picture, width: int) -> Line:
    keys = f"q quit  ↑↓ scroll  s sort (by {picture.sort})"
    return Line(_ends(keys, f"{facts.partitions_in_all:,} partitions, from {facts.source}", width), Ink.SOFT)


# --- texts


def _heading(columns: Sequence[Column], width: int) -> Line:
    return Line(_row(columns, [column.title for column in columns])[:width], Ink.SOFT)


def _row(columns: Sequence[Column], cells: Sequence[str]) -> str:
    return " ".join(
        f"{cell[: column.width]:>{column.width}}" if column.is_number else f"{cell[: column.width]:<{column.width}}"
        for column, cell in zip(columns, cells, strict=True)
    )


def _ends(left: str, right: str, width: int) -> str:
    gap = width - len(left) - len(right)
    return f"{left}{' ' * gap}{right}" if gap >= 2 else left[:width]


def _count(value: int | None) -> str:
    return "-" if value is None else f"{value:,}" if abs(value) < 100_000_000 else _short(value)


def _short(value: float | None, step: int = 1000) -> str:
    """Write a number in at most five characters: 62M, 1.2K."""
    if value is None:
        return "-"
    for unit in _UNITS[:-1]:
        if abs(value) < step:
            return f"{value:.0f}{unit}" if not unit or abs(value) >= 10 else f"{value:.1f}{unit}"
        value /= step
    return f"{value:.0f}{_UNITS[-1]}"


def _duration(ms: float | None) -> str:
    if ms is None:
        return "-"
    if ms < 1_000:
        return f"{ms:.0f}ms"
    seconds = int(ms / 1000)
    if seconds < 100:
        return f"{seconds}s"
    return (
        f"{seconds // 60}m{seconds % 60:02d}s" if seconds < 6_000 else f"{seconds // 3600}h{seconds % 3600 // 60:02d}m"
    )
