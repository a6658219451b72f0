"""Settings and versions on the page of the report: short lists are open, long lists are folded."""

import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any, Final

from chronik.audit.report.document import Report
from chronik.audit.tables.words import moment

_ENDS_IN_KEYS: Final = re.compile(r"[._](?=\w)")
_ENDS_IN_VALUES: Final = re.compile(r",(?=\S)")
_APART: Final = ("settings", "versions", "seen", "configs_begin", "configs_end", "begin_us", "end_us", "run", "brokers")
_OPEN: Final = (("Settings", "settings"), ("Versions", "versions"), ("What could be seen", "seen"))


def settings_section(report: Report) -> str:
    """Return the section of settings and versions."""
    raw = report.run_json()
    parts = [_facts("Run", _run(report, raw)), *(_facts(title, raw.get(name, {})) for title, name in _OPEN)]
    begin, end = raw.get("configs_begin", {}), raw.get("configs_end", {})
    changed = {
        name: f"{begin.get(name, '-')} → {end.get(name, '-')}" for name in {*begin, *end} if _differs(name, begin, end)
    }
    parts += [
        _facts("Topic settings that changed during the run", changed),
        _folded("Settings of the topic", begin),
    ]
    return (
        f"<section><h2>Settings and versions</h2>{''.join(parts)}"
        f'<p class="soft">Drawn by uPlot (MIT licence). Times are UTC.</p></section>'
    )


def _differs(name: str, begin: Mapping[str, Any], end: Mapping[str, Any]) -> bool:
    return bool(end) and begin.get(name) != end.get(name)


def _run(report: Report, raw: Mapping[str, Any]) -> dict[str, Any]:
    facts = report.facts
    known = {"run": f"{facts.run:016x}", "begin": moment(facts.begin_us), "end": moment(facts.end_us)}
    brokers = [
        f"{one.get('node', '?')} at {one.get('host', '?')}:{one.get('port', '?')}"
        if isinstance(one, dict)
        else str(one)
        for one in raw.get("brokers", [])
    ]
    return {**known, "brokers": brokers, **{name: value for name, value in raw.items() if name not in _APART}}


def _facts(title: str, given: Mapping[str, Any]) -> str:
    items = _items(given)
    return f'<h3>{escape(title)}</h3><dl class="facts">{items}</dl>' if items else ""


def _folded(title: str, given: Mapping[str, Any]) -> str:
    items = _items(given)
    return f'<details><summary>{escape(title)}</summary><dl class="facts">{items}</dl></details>' if items else ""


def _items(given: Mapping[str, Any]) -> str:
    told = sorted(_flat("", given))
    return "".join(
        f"<div><dt>{_broken(name, _ENDS_IN_KEYS)}</dt><dd>{_broken(value, _ENDS_IN_VALUES)}</dd></div>"
        for name, value in told
    )


def _broken(text: str, ends: re.Pattern[str]) -> str:
    """Let a long word go on in the next line where one of its parts ends, and nowhere else."""
    return ends.sub(r"\g<0><wbr>", escape(text))


def _flat(name: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(f"{name}.{key}" if name else str(key), inner)
    elif isinstance(value, bool):
        yield name, "yes" if value else "no"
    elif name.endswith("_us") or name.startswith("phases."):
        yield name.removesuffix("_us"), moment(int(value)) if int(value) > 10**15 else f"{value} µs"
    elif value not in (None, "", [], {}):
        yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)
