"""The report as one page without outside assets, for light, dark and paper.

Sentences and tables are written here, so that they stand without a script; lanes and latency are drawn in the browser
by uPlot, which lies in ``page`` and goes into the page as it is.
"""

import json
from html import escape
from importlib.resources import files
from typing import Any, Final

from chronik.audit.report.document import DELIVERED, PHRASES, Report
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.report.settings import settings_section
from chronik.audit.report.tables import tables_of
from chronik.audit.report.timeline import Lane, Timeline, timeline_of
from chronik.audit.tables.words import clock, duration, moment, number, sentence, share, unplaced

_STATES: Final = {ExitCode.NOTHING_DISALLOWED: ("OK", "good"), ExitCode.DISALLOWED: ("NOT OK", "bad")}
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_MILLI: Final = 1_000


def as_html(report: Report) -> str:
    """Return the page."""
    timeline, tables = timeline_of(report), tables_of(report)
    body = "\n".join(
        (
            _header(report),
            _verdict(report),
            _bars(report),
            _findings(report),
            _lanes(report, timeline),
            _latency(timeline),
            *(table.section() for table in tables),
            settings_section(report),
        )
    )
    labels = "\n".join(table.labels() for table in tables)
    title = escape(f"Audit of {report.facts.topic}")
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}</title>\n'
        f"<style>\n{_asset('uplot.min.css')}\n{_asset('page.css')}{labels}\n</style>\n</head>\n<body>\n{body}\n"
        f'<script type="application/json" id="data">{_data(report, timeline)}</script>\n'
        f"<script>{_asset('uplot.iife.min.js')}</script>\n<script>{_asset('page.js')}</script>\n</body>\n</html>\n"
    )


def _asset(name: str) -> str:
    return files("chronik.audit.report").joinpath("page", name).read_text(encoding="utf-8")


# --- the parts


def _header(report: Report) -> str:
    facts = report.facts
    label = f"<span>{escape(facts.label)}</span>" if facts.label else ""
    return (
        f"<header><span>Chronik audit</span><strong>{escape(facts.topic)}</strong>{label}"
        f"<span>{moment(facts.begin_us)}</span><span>run <code>{facts.run:016x}</code></span>"
        f'<button id="theme" type="button" hidden></button></header>'
    )


def _verdict(report: Report) -> str:
    word, state = _STATES.get(report.exit_code, ("COULD NOT TELL", "unsure"))
    notes = "".join(f'<p class="soft">{escape(sentence(note))}</p>' for note in report.notes)
    return (
        f'<section class="verdict {state}" aria-label="Verdict"><span class="badge">{word}</span>'
        f"<h1>{escape(report.headline)}</h1>{notes}</section>"
    )


def _bars(report: Report) -> str:
    groups = "".join(_bar(report, group, rows) for group, rows in report.groups.items())
    note = f'<p class="soft">One for each of {number(report.sent)} messages.</p>'
    return f"<section><h2>Verdicts</h2>{note}{groups}</section>"


def _bar(report: Report, group: str, rows: dict[str, tuple[int, int]]) -> str:
    verdicts = [(name, *counts) for name, counts in rows.items() if name[0] not in "+*" and counts[0]]
    verdicts.sort(key=lambda row: row[0] != DELIVERED)
    parts = "".join(
        f'<span class="{_class(*row)}" style="flex:{row[1]}" title="{row[0]}: {number(row[1])}"></span>'
        for row in verdicts
    )
    keys = "".join(
        f'<li><span class="swatch {_class(*row)}"></span><span>{row[0]} <strong>{number(row[1])}</strong> '
        f'<span class="soft">{share(row[1], report.sent)}{_allowed(*row)}</span></span></li>'
        for row in verdicts
    )
    name = f"<h3>Group {escape(group or '-')}</h3>" if len(report.groups) > 1 else ""
    return (
        f'<div class="group">{name}<div class="bar" role="img" aria-label="{_spoken(verdicts)}">{parts}</div>'
        f'<ul class="key">{keys}{_flags(rows)}</ul></div>'
    )


def _spoken(verdicts: list[tuple[str, int, int]]) -> str:
    return escape(", ".join(f"{number(count)} {name}" for name, count, _ in verdicts))


def _class(name: str, count: int, allowed: int) -> str:
    return "is-delivered" if name == DELIVERED else "is-not" if count > allowed else "is-allowed"


def _allowed(name: str, count: int, allowed: int) -> str:
    if name == DELIVERED:
        return ""
    return f"; {PHRASES.get(name, '')}; {'allowed' if count == allowed else 'not allowed'}".replace("; ;", ";")


def _flags(rows: dict[str, tuple[int, int]]) -> str:
    marks = [(name, *counts) for name, counts in rows.items() if name[0] in "+*" and counts[0]]
    return "".join(
        f'<li><span class="swatch {_class(*row)}"></span><span>{row[0][1:]} <strong>{number(row[1])}</strong> '
        f'<span class="soft">{"flag" if row[0][0] == "+" else "records"}; '
        f"{'allowed' if row[1] <= row[2] else 'not allowed'}</span></span></li>"
        for row in marks
        if row[0] != "*FOREIGN"
    )


def _findings(report: Report) -> str:
    rows = report.finding_rows
    if not rows:
        return '<section><h2>Diagnosis</h2><p class="soft">No rule applies: there is nothing to explain.</p></section>'
    return f"<section><h2>Diagnosis</h2>{''.join(map(_finding, rows))}</section>"


def _finding(row: dict[str, Any]) -> str:
    kind = ("root" if row["is_root"] else "") + (" allowed" if row["is_allowed"] else "")
    lines = "".join(f"<li>{escape(line)}</li>" for line in row["evidence"])
    needs = f'<p class="open">To distinguish the causes, record {escape(row["needs"])}.</p>' if row["needs"] else ""
    return (
        f'<article class="finding {kind}"><p class="kind">{"cause" if row["is_root"] else "finding"} · '
        f'{escape(row["kind"])}</p><p class="says">{escape(sentence(row["sentence"]))}</p><ul>{lines}</ul>'
        f'{needs}<p class="do"><strong>What to do:</strong> {escape(row["remedy"])}</p></article>'
    )


_KEYS: Final = ("sent", "stored", "watermark", "delivered", "stall", "onset")


def _lanes(report: Report, timeline: Timeline) -> str:
    rows = {row["partition"]: row for row in _rows_of_worst(report)}
    keys = "".join(f'<li><span class="stroke {name}"></span>{name}</li>' for name in _KEYS)
    lanes = "".join(_lane(lane, rows.get(lane.partition, {})) for lane in timeline.lanes)
    apart = f'<p class="apart">{unplaced(report.unplaced, "lane")}</p>' if report.unplaced else ""
    more = f'<p class="soft">{number(timeline.lanes_left_out)} more partitions are in the table.</p>'
    return (
        f'<section><h2>Partitions over time</h2><ul class="lanes-key">{keys}</ul>'
        f"<noscript><p>The lanes are drawn by a script; the tables below hold the same values.</p></noscript>"
        f"{apart}{lanes}{more if timeline.lanes_left_out else ''}</section>"
    )


def _rows_of_worst(report: Report) -> list[dict[str, Any]]:
    return [row for row in report.partitions.to_pylist() if row["group"] == report.worst_group]


def _lane(lane: Lane, row: dict[str, Any]) -> str:
    counts = " · ".join(f"{name} {number(row[name])}" for name in ("sent", "acked", "stored", "delivered") if row)
    wrong = "".join(
        f'<span class="wrong">stall of {duration(one["end_us"] - one["begin_us"])} from {clock(one["begin_us"])}</span>'
        for one in row.get("stalls", [])[:2]
    )
    name = f"Partition {lane.partition}"
    return (
        f'<div class="lane"><div class="lane-head"><h3>{name}</h3><span class="soft">{counts}</span>{wrong}</div>'
        f'<div class="plot" id="lane-{lane.partition}" role="img" aria-label="{name} over time: {counts}"></div></div>'
    )


def _latency(timeline: Timeline) -> str:
    if not any(value is not None for value in timeline.latency_p50_ms):
        return ""
    return (
        '<section><h2>Latency, from send to delivery</h2><div class="lane"><div class="plot" id="latency" role="img" '
        'aria-label="Latency over time"></div></div></section>'
    )


# --- what is drawn


def _data(report: Report, timeline: Timeline) -> str:
    """Return the numbers for the script, escaped so that they cannot end the script element."""
    rows = {row["partition"]: row for row in _rows_of_worst(report)}
    document = {
        "run": f"{report.facts.run:x}",
        "begin_ms": timeline.begin_us // _MILLI,
        "at_s": timeline.at_s,
        "latency_p50_ms": timeline.latency_p50_ms,
        "latency_p99_ms": timeline.latency_p99_ms,
        "onsets": _onsets(report, timeline, None),
        "lanes": [_lane_data(report, timeline, lane, rows.get(lane.partition, {})) for lane in timeline.lanes],
    }
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")


def _lane_data(report: Report, timeline: Timeline, lane: Lane, row: dict[str, Any]) -> dict[str, Any]:
    stalls = [[_s(timeline, one["begin_us"]), _s(timeline, one["end_us"])] for one in row.get("stalls", [])]
    return {
        "partition": lane.partition,
        "sent": lane.sent,
        "stored": lane.stored,
        "watermark": lane.watermark,
        "delivered": lane.delivered,
        "stalls": stalls,
        "onsets": _onsets(report, timeline, lane.partition),
    }


def _onsets(report: Report, timeline: Timeline, partition: int | None) -> list[dict[str, Any]]:
    """Return the marks of the root's onset: in the affected lanes, or in all lanes."""
    root = report.root
    if root is None or root["since_us"] < 0:
        return []
    times = [one["since_us"] for one in root["onsets"] if partition is None or one["partition"] in (partition, -1)]
    known = [at_us for at_us in times if at_us >= 0]
    return [{"at": _s(timeline, min(known)), "text": root["kind"]}] if known else []


def _s(timeline: Timeline, at_us: int) -> float:
    return round((at_us - timeline.begin_us) / 1e6, 3)
