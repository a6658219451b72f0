"""The report in a terminal: the verdict first, in one sentence with its numbers, then tables.

It fits the width there is, and does without colour where NO_COLOR is set or nobody looks at a terminal; what colour
says, words say too.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from chronik.audit.report.document import DELIVERED, Report
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.tables.words import duration, number, offset_span, sentence, share, unplaced

_BAR_WIDTH: Final = 24
_NARROW: Final = 90
_PIPE_WIDTH: Final = 140
_PARTITIONS_SHOWN_MAX: Final = 50

_WORDS: Final = {ExitCode.NOTHING_DISALLOWED: ("OK", "bold green"), ExitCode.DISALLOWED: ("NOT OK", "bold red")}


def console_of_output() -> Console:
    """Return a console for the standard output; in a pipe lines are not cut to a terminal width."""
    console = Console(highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH, no_color=True)


def print_report(report: Report, console: Console) -> None:
    """Print the verdict, the findings and the tables."""
    for part in _parts(report, console.width):
        console.print(part)


def _parts(report: Report, width: int) -> Iterable[RenderableType]:
    yield _headline(report)
    yield _verdicts(report, width)
    yield from _findings(report, width)
    yield _partitions(report, width)
    yield _sight(report)


def _headline(report: Report) -> Text:
    word, style = _WORDS.get(report.exit_code, ("COULD NOT TELL", "bold yellow"))
    return Text.assemble((f"{word}  ", style), (report.headline, "bold"))


def _table(*columns: str, title: str = "") -> Table:
    table = Table(title=title or None, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in columns:
        is_right = name.startswith(">")
        table.add_column(name.lstrip(">"), justify="right" if is_right else "left", overflow="fold", no_wrap=is_right)
    return table


def _verdicts(report: Report, width: int) -> Table:
    has_groups = len(report.groups) > 1
    columns = [*(["group"] if has_groups else []), "verdict", ">messages", ">share", ">not allowed"]
    table = _table(*columns, *([""] if width >= _NARROW else []))
    for group, rows in report.groups.items():
        for name, (count, allowed) in _in_order(rows):
            bar = _bar(count, report.sent, name, allowed)
            cells = [name, number(count), _share(name, count, report.sent), number(count - allowed)]
            first = [group or "-"] if has_groups else []
            table.add_row(*map(Text, [*first, *cells]), *([bar] if width >= _NARROW else []))
    return table


def _in_order(rows: dict[str, tuple[int, int]]) -> list[tuple[str, tuple[int, int]]]:
    """Return what was delivered first, then the other verdicts, flags and records, without those that nothing has."""
    given = [(name, counts) for name, counts in rows.items() if counts[0] or name == DELIVERED]
    return sorted(given, key=lambda item: (item[0] != DELIVERED, item[0][0] in "+*"))


def _share(name: str, count: int, sent: int) -> str:
    return "" if name.startswith("*") else share(count, sent)


def _bar(count: int, sent: int, name: str, allowed: int) -> Text:
    """Draw a share; something is never drawn as nothing."""
    if name.startswith("*") or not sent:
        return Text("")
    filled = max(round(_BAR_WIDTH * count / sent), 1 if count else 0)
    style = "green" if name == DELIVERED else "red" if count > allowed else "yellow"
    return Text("█" * filled, style=style)


def _findings(report: Report, width: int) -> Iterable[RenderableType]:
    for row in report.finding_rows:
        yield _finding(row, width)


def _finding(row: dict[str, Any], width: int) -> Group:
    word = "cause" if row["is_root"] else "finding"
    style = "yellow" if row["is_allowed"] else "bold red" if row["is_root"] else "red"
    head = Text.assemble((f"{word}: ", style), (row["kind"], "bold"), f": {row['sentence']}")
    lines = [Text(f"· {line}") for line in row["evidence"]]
    if row["needs"]:
        lines.append(Text(f"to distinguish them, record {row['needs']}", style="italic"))
    lines.append(Text.assemble(("do: ", "bold"), row["remedy"]))
    return Group(Padding(head, (1, 0, 0, 0)), *(Padding(line, (0, 0, 0, 2)) for line in lines))


def _partitions(report: Report, width: int) -> RenderableType:
    narrow = (">part.", ">sent", ">stored", ">deliv.", ">stalls", ">p99")
    wide = (
        ">partition", ">sent", ">acked", ">stored", ">delivered", ">of mean", ">offsets", ">gaps", ">stalls",
        ">hw moves", ">per move", ">p50", ">p99", ">max",
    )  # fmt: skip
    is_wide = width >= _PIPE_WIDTH - 20
    table = _table(*(wide if is_wide else narrow), title="Partitions")
    rows = [row for row in report.partitions.to_pylist() if row["group"] == report.worst_group]
    for row in rows[:_PARTITIONS_SHOWN_MAX]:
        table.add_row(*(_wide(row) if is_wide else _narrow(row)))
    left = len(rows) - _PARTITIONS_SHOWN_MAX
    lines = [f"and {number(left)} more partitions: see the files of the report"] if left > 0 else []
    if report.unplaced:
        lines.append(unplaced(report.unplaced, "row"))
    return Group(table, *map(Text, lines))


def _narrow(row: dict[str, Any]) -> Sequence[str]:
    counts = [number(row[name]) for name in ("partition", "sent", "stored", "delivered")]
    return [*counts, number(len(row["stalls"])), _time(row["latency_p99_us"])]


def _wide(row: dict[str, Any]) -> Sequence[str]:
    counts = [number(row[name]) for name in ("partition", "sent", "acked", "stored", "delivered")]
    span = offset_span(row["first_offset"], row["end_offset"])
    return [
        *counts,
        f"{row['deviation']:+.1%}",
        span,
        number(len(row["gaps"])),
        _stalls(row["stalls"]),
        number(row["advances"]),
        f"{row['messages_per_advance']:.1f}",
        *(_time(row[f"latency_{name}_us"]) for name in ("p50", "p99", "max")),
    ]


def _stalls(stalls: list[dict[str, Any]]) -> str:
    if not stalls:
        return "0"
    longest = max(stalls, key=lambda stall: stall["end_us"] - stall["begin_us"])
    return f"{len(stalls)}, {duration(longest['end_us'] - longest['begin_us'])}"


def _time(length_us: int) -> str:
    return duration(length_us)


def _sight(report: Report) -> Text:
    """Return the evidence that the run recorded; missing evidence is never a reason for a conclusion."""
    seen = report.facts.seen
    known = {"replicas' log ends": seen.has_replica_ends, "tap": seen.has_tap, "trace": seen.has_trace}
    told = ", ".join(f"{name}: {'yes' if is_seen else 'no'}" for name, is_seen in known.items())
    notes = "".join(f" {sentence(note)}" for note in report.notes)
    return Text(f"Seen: {told}.{notes} Run: {report.directory}", style="dim")
