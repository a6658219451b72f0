"""What is final in the end is what the engines find in a run that is over, whatever the steps in between were."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from chronik.audit.judge.engine import audit
from chronik.audit.ledger.tails import LedgerPlace
from chronik.audit.watch.audit import ContinuousAudit, WatchRules
from tests.audit.verdicts.faults import FAULTS
from tests.audit.verdicts.synthetic import SyntheticRun
from tests.audit.verdicts.test_faults import PLAIN, run_for
from tests.audit.watch.growing import (
    GrowingRun,
    Totals,
    every,
    finish,
    moments,
    nonzero,
    run_here,
    steps,
    watch_of,
    watched_totals,
)

BY_NAME = {fault.name: fault for fault in FAULTS}
SECOND = 1_000_000
HORIZON = 8 * SECOND
FOUND_ON_THE_WAY = (
    "lost",
    "delivered, then lost",
    "skipped",
    "refused",
    "stored though refused",
    "without a row",
    "not sent",
    "reordered",
    "reordered, not idempotent",
    "corrupted on the way",
    "unreadable",
    "acknowledged elsewhere",
    "offset given twice",
    "aborted and visible to read_committed",
    "expired",
    "deleted",
)
"""Faults that show within the horizon in the files of these runs; others need the end of the run."""


def audited_totals(run: SyntheticRun, directory: Path) -> Totals:
    rows = audit(run.write(directory)).verdicts.to_pylist()
    return nonzero({(row["group"], row["verdict"]): (row["count"], row["allowed_count"]) for row in rows})


def slow_run(name: str | None, **shape: Any) -> SyntheticRun:
    """A run with a message each second, and a fault in it."""
    if name is None:
        return SyntheticRun(settings=dict(PLAIN), spacing_us=SECOND, **shape)
    fault = BY_NAME[name]
    settings = {**PLAIN, **fault.settings}
    run = SyntheticRun(
        settings=settings, configs=dict(fault.configs), extra=dict(fault.extra), spacing_us=SECOND, **shape
    )
    fault.inject(run, 1, 4)
    return run


@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_is_counted_as_by_the_engine_when_everything_is_judged_at_the_end(name: str, tmp_path: Path) -> None:
    fault = BY_NAME[name]
    run = run_for(fault)
    fault.inject(run, 1, 4)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=10**12)
    steps(growing, watch, moments(run, 3))
    assert watch.state.final == 0
    finish(growing, watch)
    assert watched_totals(watch) == audited_totals(run, tmp_path / "whole")


@pytest.mark.parametrize("name", FOUND_ON_THE_WAY)
def test_a_fault_is_counted_as_by_the_engine_when_verdicts_become_final_on_the_way(name: str, tmp_path: Path) -> None:
    run = slow_run(name)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    steps(growing, watch, every(run, 3 * SECOND)[:20])
    assert watch.state.final > 30, "verdicts do not become final on the way"
    finish(growing, watch)
    assert watched_totals(watch) == audited_totals(run, tmp_path / "whole")
    assert not watch.state.after_closing


@pytest.mark.parametrize("groups", [("readers",), ("readers", "others")])
def test_a_clean_run_has_no_finding_and_all_of_it_is_delivered(groups: tuple[str, ...], tmp_path: Path) -> None:
    run = SyntheticRun(settings=dict(PLAIN), groups=groups, messages=90, spacing_us=SECOND)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    done = [*steps(growing, watch, every(run, 4 * SECOND)[:28]), finish(growing, watch)]
    assert [finding.sentence for step in done for finding in step.new] == []
    assert watched_totals(watch) == {(group, "DELIVERED"): (90, 90) for group in groups}


class Unlucky:
    """Runs tasks here, and dies now and then when some of them are done."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self.deaths = 0

    def __call__(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        if self._dice.random() < 0.3:
            self.deaths += 1
            run_here(tasks[: len(tasks) // 2])
            raise InterruptedError("killed")
        return run_here(tasks)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", [None, "lost", "reordered", "unreadable"])
def test_deaths_restarts_and_repeated_batches_neither_lose_nor_double_anything(
    name: str | None, seed: int, tmp_path: Path
) -> None:
    run = slow_run(name, messages=40)
    growing = GrowingRun(run, tmp_path / "grown")
    dice = random.Random(seed)
    unlucky = Unlucky(dice)
    rules = WatchRules("audited", HORIZON, step_offsets_max=dice.choice([3, 1000]))

    def opened() -> ContinuousAudit:
        return ContinuousAudit(tmp_path / "state", rules, LedgerPlace(str(growing.directory)), growing.log, unlucky)

    watch = opened()
    for at_us in every(run, dice.choice([2_900_000, 3_700_000]))[:18]:
        growing.grow_until(at_us)
        topic = growing.topic_at(at_us)
        is_done = False
        while not is_done:
            try:
                is_done = not watch.step(topic, at_us).is_behind
            except InterruptedError:
                watch = opened() if dice.random() < 0.7 else watch
                continue
            if dice.random() < 0.3:
                watch = opened()
    watch = ContinuousAudit(tmp_path / "state", rules, LedgerPlace(str(growing.directory)), growing.log, run_here)
    finish(growing, watch)
    assert unlucky.deaths > 1
    assert watched_totals(watch) == audited_totals(run, tmp_path / "whole")
    assert watch.state.rows["sent"] == len(run.sends)
    assert watch.state.rows["delivered"] == len(run.delivered)
    assert watch.state.rows["stored"] == len(run.stored)
