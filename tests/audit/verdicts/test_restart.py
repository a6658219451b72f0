"""An audit on Spark that is started again goes on behind pass 1, and only over the same data."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from chronik.audit.judge.balance.entries import Summary, to_rows
from chronik.audit.judge.balance.reconcile import condense, known_beforehand
from chronik.audit.judge.balance.summaries import add_delivered, add_sends, add_stored
from chronik.audit.judge.classify.classifier import Classified
from chronik.audit.judge.classify.context import AuditContext, survey
from chronik.audit.tables.evidence import Evidence
from chronik.spark.audit import engine
from chronik.spark.audit.restart import KeptSummary
from tests.audit.verdicts.faults import FAULTS
from tests.audit.verdicts.synthetic import SyntheticRun

NO_SPARK: Any = SimpleNamespace(sparkContext=SimpleNamespace(defaultParallelism=2))


def faulty_run(directory: Path) -> Path:
    run = SyntheticRun()
    next(fault for fault in FAULTS if fault.name == "lost").inject(run, 1, 4)
    return run.write(directory)


def summed_up(evidence: Evidence, context: AuditContext) -> Summary:
    summary = known_beforehand(evidence, context)
    add_sends(summary, evidence.sends)
    add_stored(summary, evidence.stored, context)
    add_delivered(summary, evidence.delivered, context)
    return condense(summary, context)


def test_what_is_kept_is_read_back(tmp_path: Path) -> None:
    evidence = Evidence(faulty_run(tmp_path))
    context = survey(evidence)
    kept, summary = KeptSummary(evidence, context), summed_up(evidence, context)
    assert kept.load() is None
    kept.save(summary)
    again = kept.load()
    assert again is not None
    assert to_rows(again).equals(to_rows(summary))
    kept.forget()
    assert kept.load() is None


def test_what_was_kept_of_other_data_is_not_used(tmp_path: Path) -> None:
    evidence = Evidence(faulty_run(tmp_path))
    context = survey(evidence)
    KeptSummary(evidence, context).save(summed_up(evidence, context))
    with (tmp_path / "polls" / "0.arrows").open("ab") as file:
        file.write(b"more")
    assert KeptSummary(evidence, context).load() is None


def test_a_torn_file_is_not_used(tmp_path: Path) -> None:
    evidence = Evidence(faulty_run(tmp_path))
    context = survey(evidence)
    kept = KeptSummary(evidence, context)
    kept.save(summed_up(evidence, context))
    path = tmp_path / "results" / "pass-1.arrow"
    path.write_bytes(path.read_bytes()[:-20])
    assert kept.load() is None


def test_an_audit_that_died_in_pass_2_does_not_repeat_pass_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = faulty_run(tmp_path)
    passes: list[str] = []

    class DyingJobs:
        def __init__(self, *_: object) -> None: ...

        def summed_up(self, beforehand: Summary, context: AuditContext) -> Summary:
            passes.append("pass 1")
            return summed_up(Evidence(directory), context)

        def classified(self, *_: object, **__: object) -> list[Classified]:
            passes.append("pass 2")
            raise ConnectionError("the cluster is gone")

    monkeypatch.setattr(engine, "Jobs", DyingJobs)
    for _ in range(2):
        with pytest.raises(ConnectionError):
            engine.audit(directory, spark=NO_SPARK)
    assert passes == ["pass 1", "pass 2", "pass 2"]
