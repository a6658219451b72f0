"""What a run found: a table for people and JSON for machines."""

import json
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.figures import FIGURES, Figure, Verdict
from benchmarks.rounds import Samples
from benchmarks.trials import Sample

VERDICT_STYLES = {
    Verdict.AIM: "green",
    Verdict.MET: "green",
    Verdict.MISSED: "red",
    Verdict.INVALID: "red",
    Verdict.OPEN: "dim",
}
Failures = Mapping[str, str]


def print_table(
    samples: Samples, failures: Failures, machine: Mapping[str, object], figures: Sequence[Figure] = FIGURES
) -> None:
    """Print a row for each figure that was measured."""
    table = Table(title="Chronik by Apache Kafka: medians (lowest to highest)")
    for heading in ("figure", "Chronik", "Kafka", "ratio", "must", "aim", "verdict", "broker CPU s"):
        table.add_column(heading, justify="left" if heading in ("figure", "verdict") else "right")
    for figure in _measured(samples, failures, figures):
        table.add_row(*_row(figure, samples, failures))
    # A pipe is no narrow terminal: there the table keeps its width.
    console = Console()
    console = console if console.is_terminal else Console(width=170)
    console.print(table)
    console.print("  ".join(f"{name}={value}" for name, value in machine.items()), style="dim", highlight=False)


def save(
    path: Path,
    samples: Samples,
    failures: Failures,
    facts: Mapping[str, object],
    figures: Sequence[Figure] = FIGURES,
) -> None:
    """Write everything that was measured, every round of it."""
    measured = {figure.name: _as_json(figure, samples, failures) for figure in _measured(samples, failures, figures)}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**facts, "figures": measured}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def _measured(samples: Samples, failures: Failures, figures: Sequence[Figure]) -> list[Figure]:
    tried = {name for name, _ in samples} | set(failures)
    return [figure for figure in figures if figure.name in tried]


def _row(figure: Figure, samples: Samples, failures: Failures) -> tuple[str, ...]:
    own, peer = (samples.get((figure.name, name), []) for name in ("chronik", "kafka"))
    ratio, verdict = figure.ratio(_median(own), _median(peer)), _verdict(figure, samples, failures)
    return (
        f"{figure.title}, {figure.unit}",
        _spread(own),
        _spread(peer),
        f"{ratio:.2f} ×" if ratio is not None else "",
        figure.bound(figure.must),
        figure.bound(figure.aim),
        f"[{VERDICT_STYLES[verdict]}]{verdict.value}[/]",
        " / ".join(
            f"{statistics.median(sample.cpu_s for sample in side):.2f}" if side else "-" for side in (own, peer)
        ),
    )


def _verdict(figure: Figure, samples: Samples, failures: Failures) -> Verdict:
    if figure.name in failures:
        return Verdict.INVALID
    own, peer = (_median(samples.get((figure.name, name), [])) for name in ("chronik", "kafka"))
    return figure.verdict(own, peer)


def _median(samples: Sequence[Sample]) -> float | None:
    return statistics.median(sample.value for sample in samples) if samples else None


def _spread(samples: Sequence[Sample]) -> str:
    median = _median(samples)
    if median is None:
        return "-"
    values = [sample.value for sample in samples]
    return f"{_number(median)} ({_number(min(values))} to {_number(max(values))})"


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3f}"


def _as_json(figure: Figure, samples: Samples, failures: Failures) -> dict[str, object]:
    sides = {name: samples.get((figure.name, name), []) for name in ("chronik", "kafka")}
    medians = {name: _median(side) for name, side in sides.items()}
    return {
        "title": figure.title,
        "unit": figure.unit,
        "must": figure.bound(figure.must),
        "aim": figure.bound(figure.aim),
        "verdict": _verdict(figure, samples, failures).value,
        "failure": failures.get(figure.name),
        "medians": medians,
        "ratio": figure.ratio(medians["chronik"], medians["kafka"]),
        "rounds": {name: [asdict(sample) for sample in side] for name, side in sides.items()},
    }
