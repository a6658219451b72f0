"""What a watch tells: alerts once for each finding, metrics, lines; and what it says of a topic without ledgers."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest
from prometheus_client import CollectorRegistry, generate_latest

from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.tables.schemas import STORED
from chronik.audit.watch.audit import ContinuousAudit, TopicNow, WatchRules
from chronik.audit.watch.incidents import WatchFinding
from chronik.audit.watch.report import exit_code_of, status_of
from chronik.cli.audit.watch_output import Alerts, Display, Metrics
from chronik.records.batch import BatchHeader, read_header
from chronik.records.build import Record, build_batch
from tests.audit.verdicts.synthetic import BEGIN_US
from tests.audit.watch.growing import GrowingRun, finish, run_here, watch_of
from tests.audit.watch.test_totals import HORIZON, slow_run


def finding(number: int) -> WatchFinding:
    return WatchFinding(
        "SKIPPED",
        "readers",
        1,
        3,
        BEGIN_US,
        BEGIN_US,
        is_wrong=True,
        text="passed",
        offsets=[4, 5, 6],
        messages=["a-p0-1"],
        number=number,
    )


def appending(path: Path) -> str:
    program = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read() + chr(10))"
    return f'{sys.executable} -c "{program}" {path}'


def test_an_alert_is_raised_once_for_each_finding_after_a_restart_too(tmp_path: Path) -> None:
    command = appending(tmp_path / "raised")
    Alerts(command, tmp_path).raise_for([finding(1), finding(2)])
    Alerts(command, tmp_path).raise_for([finding(2), finding(3)])
    raised = [json.loads(line) for line in (tmp_path / "raised").read_text().splitlines()]
    assert [one["number"] for one in raised] == [1, 2, 3]
    assert raised[0]["offsets"] == [4, 5, 6]
    assert "partition 1" in raised[0]["sentence"]


@pytest.mark.parametrize("command", ["false", "/nowhere/at/all", "'unclosed"])
def test_an_alert_command_that_fails_is_told_of_and_ends_nothing(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Alerts(command, tmp_path).raise_for([finding(1)])
    assert "the alert command" in capsys.readouterr().err


def test_metrics_have_verdicts_findings_and_how_far_it_has_come(tmp_path: Path) -> None:
    growing = GrowingRun(slow_run("lost"), tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    finish(growing, watch)
    metrics = Metrics()
    metrics.status = status_of(watch.state, BEGIN_US, has_ledgers=True)
    registry = CollectorRegistry()
    registry.register(metrics)
    text = generate_latest(registry).decode()
    assert 'chronik_audit_messages_total{group="readers",topic="audited",verdict="DELIVERED"} 39.0' in text
    assert 'chronik_audit_disallowed_total{group="readers",topic="audited",verdict="ACKED_NOT_IN_LOG"} 1.0' in text
    assert 'chronik_audit_findings_total{topic="audited"} 1.0' in text
    assert 'chronik_audit_rows_total{side="stored",topic="audited"} 39.0' in text
    assert 'chronik_audit_latency_seconds{group="readers",quantile="0.99",topic="audited"} 0.005' in text


def test_lines_of_json_have_findings_as_they_arise_and_the_state(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    growing = GrowingRun(slow_run("lost"), tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    step = finish(growing, watch)
    display = Display(as_json=True)
    status = status_of(watch.state, BEGIN_US, has_ledgers=True)
    display.show(status, step.new)
    display.end(status)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [next(iter(line)) for line in lines] == ["finding", "state", "end"]
    assert lines[0]["finding"]["kind"] == "ACKED_NOT_IN_LOG"
    assert lines[2]["end"]["exit_code"] == 1


def test_the_end_is_told_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    growing = GrowingRun(slow_run("lost"), tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    step = finish(growing, watch)
    display = Display(as_json=False)
    status = status_of(watch.state, BEGIN_US, has_ledgers=True)
    display.show(status, step.new)
    display.end(status)
    text = capsys.readouterr().out
    assert "WRONG  ACKED_NOT_IN_LOG: 1 message, acknowledged, absent from the log: partition 2, offset 2" in text
    assert "something is wrong; 1 finding in all" in text


# -- without ledgers ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HeaderShare:
    headers: tuple[BatchHeader, ...]
    partition: int
    start_offset: int
    end_offset: int

    def parts(self) -> Iterator[tuple[Sequence[BatchHeader], pa.Table]]:
        chosen = [one for one in self.headers if self.start_offset <= one.base_offset < self.end_offset]
        yield chosen, STORED.empty_table()


@dataclass(frozen=True)
class HeaderLog:
    headers: tuple[BatchHeader, ...]

    def share(self, partition: int, start_offset: int, end_offset: int) -> HeaderShare:
        return HeaderShare(self.headers, partition, start_offset, end_offset)


def batches(*sequences: int) -> tuple[BatchHeader, ...]:
    """Batches of ten records each, of one idempotent producer."""
    found = []
    for number, sequence in enumerate(sequences):
        records = [Record(key=None, value=b"v", timestamp=BEGIN_US // 1000) for _ in range(10)]
        raw = build_batch(records, producer_id=7, producer_epoch=0, base_sequence=sequence)
        found.append(read_header(raw)._replace(base_offset=number * 10))
    return tuple(found)


@pytest.mark.parametrize(
    ("sequences", "kinds", "code"),
    [
        ((0, 10, 20, 30), [], ExitCode.NOTHING_DISALLOWED),
        ((0, 10, 30, 40), [("sequence-gap", False)], ExitCode.COULD_NOT_TELL),
        ((0, 10, 10, 20), [("sequence-twice", True)], ExitCode.DISALLOWED),
    ],
)
def test_without_ledgers_the_numbers_of_idempotent_producers_are_followed_over_steps_and_restarts(
    sequences: tuple[int, ...], kinds: list[tuple[str, bool]], code: ExitCode, tmp_path: Path
) -> None:
    log = HeaderLog(batches(*sequences))
    found = []
    for number in range(1, 5):
        watch = ContinuousAudit(tmp_path, WatchRules("plain", HORIZON), None, log, run_here)
        topic = TopicNow("one", {0: 0}, {0: 10 * number}, BEGIN_US + number)
        found += watch.step(topic, BEGIN_US + number).new
    assert [(one.kind, one.is_wrong) for one in found] == kinds
    assert exit_code_of(watch.state, has_ledgers=False) is code
    status = status_of(watch.state, BEGIN_US, has_ledgers=False)
    assert any("what was sent was not recorded" in line for line in status.unknowable)


def test_without_ledgers_nothing_is_said_of_messages_and_the_state_stays_small(tmp_path: Path) -> None:
    log = HeaderLog(batches(*range(0, 400, 10)))
    watch = ContinuousAudit(tmp_path, WatchRules("plain", HORIZON), None, log, run_here)
    for number in range(1, 41):
        watch.step(TopicNow("one", {0: 0}, {0: 10 * number}, BEGIN_US + number), BEGIN_US + number * HORIZON)
    assert watch.state.final == 0
    assert len(watch.state.windows) == 1
