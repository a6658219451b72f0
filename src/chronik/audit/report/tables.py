"""The tables of the report's page: partitions, and the messages that are not plainly delivered.

A table that is wider than the window can be scrolled by mouse and keyboard, and says so; in a narrow window every row
is a card, with the columns' names beside its values. What is the same in every row is told once, above the table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from chronik.audit.report.document import Report
from chronik.audit.tables.words import clock, duration, number, offset_span, unplaced

_GAPS_SHOWN_MAX: Final = 5
_NUMBER, _NUMBERS, _WORD, _WORDS, _LONG = "number", "number lines", "", "lines", "wide lines"
"""The layout of a column: right or left, on one line or several; a wide one takes the remaining width."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the page."""

    name: str
    title: str
    columns: Mapping[str, str]
    """The layout of each column, by its heading."""
    rows: Sequence[Mapping[str, str]]
    notes: Sequence[str]

    def section(self) -> str:
        """Return the table with its title, its notes and a search field."""
        title, notes = escape(self.title), "".join(f'<p class="soft">{escape(note)}</p>' for note in self.notes)
        head = "".join(f'<th scope="col" class="{kind}">{escape(one)}</th>' for one, kind in self.columns.items())
        body = "".join(f"<tr>{self._cells(row)}</tr>" for row in self.rows)
        return (
            f'<section><h2>{title}</h2>{notes}<div class="search"><input type="search" data-table="{self.name}" '
            f'aria-label="Search in {title}" placeholder="Search"><span class="soft" id="{self.name}-found" '
            f'aria-live="polite"></span><span class="hint" id="{self.name}-wider" hidden>More columns at the right: '
            f"scroll sideways, or with the arrow keys →</span></div>"
            f'<div class="scroll tall" tabindex="0" role="region" aria-label="{title}"><table id="{self.name}">'
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>"
        )

    def _cells(self, row: Mapping[str, str]) -> str:
        return "".join(f'<td class="{kind}">{escape(row[one])}</td>' for one, kind in self.columns.items())

    def labels(self) -> str:
        """Return the style rules that show the column names in cards."""
        return "\n".join(
            f'#{self.name} td:nth-child({place})::before {{ --label: "{name}"; }}'
            for place, name in enumerate(self.columns, 1)
        )


def tables_of(report: Report) -> list[Table]:
    """Return the tables that have rows."""
    return [_partitions(report), *([_messages(report)] if report.messages.num_rows else [])]


def _group_column(report: Report) -> dict[str, str]:
    return {"group": _WORDS} if len(report.groups) > 1 else {}


def _only_group(report: Report) -> list[str]:
    return [f"group {group}" for group in report.groups if group and len(report.groups) == 1]


# --- partitions

_COUNTS: Final = ("partition", "sent", "acked", "stored", "delivered")
_LATENCIES: Final = ("p50", "p95", "p99", "max")
_PARTITION_COLUMNS: Final = (
    dict.fromkeys(
        (*_COUNTS, "of mean", "offsets", "gaps", "duplicates", "reordered", "stalls", "rate/s", "watermark moves"),
        _NUMBER,
    )
    | dict.fromkeys(("per move", *_LATENCIES), _NUMBER)
    | {"gaps": _NUMBERS, "stalls": _NUMBERS}
)


def _partitions(report: Report) -> Table:
    notes = [f"For {known}." for known in _only_group(report)]
    notes += [unplaced(report.unplaced, "row")] if report.unplaced else []
    columns = _group_column(report) | _PARTITION_COLUMNS
    return Table("partitions", "Partitions", columns, [*map(_partition, report.partitions.to_pylist())], notes)


def _partition(row: dict[str, Any]) -> dict[str, str]:
    return {
        "group": row["group"] or "-",
        **{name: number(row[name]) for name in (*_COUNTS, "duplicates", "reordered")},
        "of mean": f"{row['deviation']:+.1%}",
        "offsets": offset_span(row["first_offset"], row["end_offset"]),
        "gaps": _gaps(row["gaps"]),
        "stalls": "; ".join(map(_stall, row["stalls"])) or "0",
        "rate/s": number(row["rate"]),
        "watermark moves": number(row["advances"]),
        "per move": f"{row['messages_per_advance']:.1f}",
        **{name: duration(row[f"latency_{name}_us"]) for name in _LATENCIES},
    }


def _gaps(gaps: Sequence[Mapping[str, Any]]) -> str:
    told = [f"{offset_span(gap['first_offset'], gap['end_offset'])} {gap['text']}" for gap in gaps[:_GAPS_SHOWN_MAX]]
    told += [f"and {number(len(gaps) - len(told))} more"] if len(gaps) > len(told) else []
    return "; ".join(told) or "0"


def _stall(stall: Mapping[str, Any]) -> str:
    # A line may end before the time, and not within the length.
    length = f"{duration(stall['end_us'] - stall['begin_us'])} from".replace(" ", "\N{NO-BREAK SPACE}")
    return f"{length} {clock(stall['begin_us'])}"


# --- messages

_MESSAGE_COLUMNS: Final = {
    "message": _WORD,
    "verdict": _WORD,
    "why": _LONG,
    "flags": _WORDS,
    "allowed": _WORD,
    "partition": _NUMBER,
    "offset": _NUMBER,
    "acknowledged at": _NUMBER,
}


def _messages(report: Report) -> Table:
    total, rows = report.messages.num_rows, report.message_rows()
    more = f" The first {number(len(rows))} are shown; the results table has all." if total > len(rows) else ""
    notes = [f"Of {', '.join([f'run {report.facts.run:016x}', *_only_group(report)])}.{more}"]
    title = f"Messages that are not plainly delivered: {number(total)}"
    columns = _with_group(report, _MESSAGE_COLUMNS)
    return Table("messages", title, columns, [_message(row, report.facts.run) for row in rows], notes)


def _with_group(report: Report, columns: Mapping[str, str]) -> dict[str, str]:
    """Add the group, where there are several."""
    names = [*columns]
    names[3:3] = _group_column(report)
    return {name: columns.get(name, _WORDS) for name in names}


def _message(row: Mapping[str, Any], run: int) -> dict[str, str]:
    known = f"p{row['producer']}-{row['sequence']}"
    return {
        "message": known if row["run"] == run else f"{row['run']:016x}-{known}",
        "group": row["group"] or "-",
        "verdict": row["verdict"],
        "flags": " ".join(row["flags"]) or "-",
        "allowed": "yes" if row["is_allowed"] else "no",
        "partition": _known(row["partition"]),
        "offset": _known(row["offset"]),
        "acknowledged at": f"{row['acked_partition']}:{number(row['acked_offset'])}"
        if row["acked_offset"] >= 0
        else "-",
        "why": row["why"] or "-",
    }


def _known(value: int) -> str:
    return number(value) if value >= 0 else "-"
