"""What is final in the end is what the engines find in a run that is over, whatever the steps in between were."""

from pathlib import Path

import pytest

from chronik.audit.engine_local import audit
from tests.audit.verdicts.faults import FAULTS
from tests.audit.verdicts.synthetic import SyntheticRun
from tests.audit.verdicts.test_faults import run_for
from tests.audit.watch.growing import GrowingRun, Totals, finish, moments, nonzero, steps, watch_of, watched_totals

BY_NAME = {fault.name: fault for fault in FAULTS}


def audited_totals(run: SyntheticRun, directory: Path) -> Totals:
    rows = audit(run.write(directory)).verdicts.to_pylist()
    return nonzero({(row["group"], row["verdict"]): (row["count"], row["allowed_count"]) for row in rows})


@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_is_counted_as_by_the_engine_when_everything_is_judged_at_the_end(name: str, tmp_path: Path) -> None:
    fault = BY_NAME[name]
    run = run_for(fault)
    fault.inject(run, 1, 4)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=10**12)
    steps(growing, watch, moments(run, 5))
    finish(growing, watch)
    assert watched_totals(watch) == audited_totals(run, tmp_path / "whole")
