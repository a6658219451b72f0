"""The accident on three real brokers: without a defect nothing is found; with one, it is the cause and no other."""

import asyncio
from pathlib import Path

import pytest

from chronik.audit.pipeline import judge_and_report
from chronik.audit.report.document import Report
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.trials.accident import BY_NAME, DEFECTS, MESSAGES, Defect, Replay, replay
from chronik.cli.audit import accident as audit_accident

MESSAGES_WITH_DEFECT = 1500
pytestmark = [pytest.mark.xdist_group("accident defects"), pytest.mark.timeout(300)]


def replayed(plan: Replay) -> Report:
    asyncio.run(replay(plan))
    return judge_and_report(plan.directory)


def test_without_a_defect_everything_is_delivered_and_nothing_found(tmp_path: Path) -> None:
    report = replayed(Replay(tmp_path / "run"))
    assert report.groups[report.worst_group]["DELIVERED"] == (MESSAGES, MESSAGES)
    assert report.sent == MESSAGES
    assert [row["sentence"] for row in report.finding_rows] == []
    assert report.exit_code == ExitCode.NOTHING_DISALLOWED


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda defect: defect.name)
def test_a_defect_is_the_cause_and_no_other(defect: Defect, tmp_path: Path) -> None:
    plan = Replay(
        tmp_path / "run",
        defect,
        messages=MESSAGES_WITH_DEFECT,
        client="confluent",
        timeout_s=2.0,
        stall_s=1.0,
        delivery_timeout_s=4.0 if defect.delivery_timeout_s else None,
    )
    report = replayed(plan)
    verdicts = {name: pair for name, pair in report.groups[report.worst_group].items() if pair[0]}
    told = verdicts, [row["sentence"] for row in report.finding_rows]
    assert report.sent == MESSAGES_WITH_DEFECT
    assert any(verdicts.get(name, (0, 0))[0] for name in defect.verdicts), told
    assert [row["kind"] for row in report.finding_rows if row["is_root"]] == [defect.root], told
    assert report.exit_code == ExitCode.DISALLOWED, told


def test_the_command_knows_every_defect() -> None:
    assert tuple(BY_NAME) == audit_accident.DEFECTS
