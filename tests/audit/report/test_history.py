"""Runs are noted once, compared with their labels, and what became worse is named with its size."""

import json
from dataclasses import replace
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from chronik.audit.report.history import FILE, HistoryEntry, entry_of, read_history, regressions
from chronik.cli import exits
from chronik.cli.audit.compare import compare
from chronik.cli.audit.report import report
from tests.audit.diagnosis.cases import Case
from tests.audit.report.runs import clean, given_twice

BASE = HistoryEntry("1", "/runs/1", "t", "base", 1, 1000, 1000, 0, {}, 0, "", 500.0, 10_000, 50_000, {})


def test_a_run_that_is_judged_again_replaces_its_line(tmp_path: Path) -> None:
    case = clean(tmp_path / "a")
    case.report()
    entry = entry_of(case.report())
    assert read_history(tmp_path / FILE) == [entry]


def test_a_line_that_is_not_whole_is_left_out(tmp_path: Path) -> None:
    clean(tmp_path / "a").report()
    with (tmp_path / FILE).open("a") as file:
        file.write('{"run": "2", "dire')
    assert len(read_history(tmp_path / FILE)) == 1


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"delivered": 878}, "delivered 100.0 % → 87.8 % (-12.2 points)"),
        ({"verdicts": {"SKIPPED": 3}}, "SKIPPED 0 → 3 messages"),
        ({"cause": "poll-limit"}, "cause none → poll-limit"),
        ({"rate": 300.0}, "rate 500/s → 300/s (-40%)"),
        ({"latency_p99_us": 100_000}, "latency p99 50 ms → 100 ms; 2.0 times"),
    ],
)
def test_what_became_worse_is_named_with_its_size(change: dict[str, object], told: str) -> None:
    worse = regressions(BASE, [replace(BASE, run="2", label="new", **change)])
    assert [str(one) for one in worse] == [f"new: {told}"]


@pytest.mark.parametrize(
    "change", [{"rate": 450.0}, {"latency_p50_us": 11_000}, {"rate": 900.0}, {"latency_p99_us": 60_000}]
)
def test_noise_and_gains_are_no_regressions(change: dict[str, object]) -> None:
    assert regressions(BASE, [replace(BASE, run="2", **change)]) == []


def failure_of(command: click.Command, directory: Path) -> exits.Failure:
    done = CliRunner().invoke(command, [str(directory)], standalone_mode=False)
    assert isinstance(done.exception, exits.Failure)
    return done.exception


def two_runs(directory: Path) -> tuple[Path, Path]:
    for name, make in (("before", clean), ("after", given_twice)):
        case: Case = make(directory / name)
        case.report()
        document = json.loads((case.directory / "run.json").read_text())
        (case.directory / "run.json").write_text(json.dumps(document | {"label": name, "run": len(name)}))
    return directory / "before", directory / "after"


def test_compare_shows_labels_side_by_side_and_ends_with_1_when_something_is_worse(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    done = CliRunner().invoke(compare, [str(before), str(after)])
    assert done.exit_code == 1, done.output
    assert "worse: after: ACKED_NOT_IN_LOG 0 → 1 messages" in done.output


def test_compare_takes_a_label_as_the_baseline(tmp_path: Path) -> None:
    before, after = two_runs(tmp_path)
    done = CliRunner().invoke(compare, [str(before), str(after), "--baseline", "after", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["baseline"] == f"{len('after'):016x}"


def test_compare_of_what_is_no_run_says_so_with_exit_code_2(tmp_path: Path) -> None:
    failure = failure_of(compare, tmp_path)
    assert failure.code == exits.UNKNOWN
    assert "neither a judged run" in failure.message


def test_the_report_command_prints_and_writes_files_and_ends_with_the_verdict(tmp_path: Path) -> None:
    given_twice(tmp_path / "run").report()
    junit = tmp_path / "elsewhere.xml"
    done = CliRunner().invoke(report, [str(tmp_path / "run"), "--junit", str(junit)])
    assert done.exit_code == 1, done.output
    assert done.output.startswith("NOT OK  89 of 90 delivered")
    assert "offset-given-twice" in junit.read_text()


def test_the_report_of_a_run_that_was_not_judged_could_not_tell(tmp_path: Path) -> None:
    clean(tmp_path).write()
    failure = failure_of(report, tmp_path)
    assert failure.code == exits.UNKNOWN
    assert "chronik audit verify" in failure.advice
