"""When verdicts become final, what is held until then, and what is said of messages that come later."""

import json
from pathlib import Path

import numpy as np

from chronik.audit.judge.balance.entries import EntryKey, EntryKind, SummaryEntry
from chronik.audit.report.exit_codes import ExitCode
from chronik.audit.watch.audit import TopicNow
from chronik.audit.watch.context import WatchScope
from chronik.audit.watch.report import exit_code_of, status_of
from chronik.audit.watch.state import WatchState
from chronik.audit.watch.windows import CLOSED, STRAY_SEQUENCES, AuditWindow, allot
from tests.audit.verdicts.synthetic import BEGIN_US, SyntheticRun
from tests.audit.watch.growing import GrowingRun, every, finish, steps, watch_of
from tests.audit.watch.test_totals import HORIZON, SECOND, slow_run


def test_a_message_belongs_to_the_window_in_which_its_sequence_was_first_seen() -> None:
    windows = [AuditWindow(3, 0, 10, {7: 100}), AuditWindow(4, 10, 20, {7: 100, 8: 5}), AuditWindow(5, 20)]
    allotment = allot(windows, {7: 40}, {})
    producers = np.array([7, 7, 7, 7, 8, 8, 9])
    sequences = np.array([39, 40, 99, 100, 4, 5, 0])
    assert allotment.windows_of(producers, sequences).tolist() == [CLOSED, 3, 3, 5, 4, 5, 5]


def test_an_id_far_ahead_of_what_was_reserved_moves_no_bound() -> None:
    allotment = allot([AuditWindow(0, 0)], {}, {1: 100})
    highest = allotment.highest(np.array([1, 1, 2]), np.array([90, 100 + STRAY_SEQUENCES, 1 << 40]))
    assert highest == {1: 90, 2: 1 << 40}


def test_a_loss_is_final_one_horizon_after_its_window_and_not_before(tmp_path: Path) -> None:
    run = slow_run("lost")
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    sent_us = run.row_of("sends", 1, 4)["sent_us"]
    found_us = -1
    for at_us in every(run, 2 * SECOND)[:20]:
        if steps(growing, watch, [at_us])[-1].new:
            found_us = at_us
            break
    assert sent_us + HORIZON <= found_us <= sent_us + 2 * HORIZON


def test_nothing_is_final_before_the_log_was_read_up_to_the_horizon(tmp_path: Path) -> None:
    run = slow_run(None)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    first = BEGIN_US + 10 * SECOND
    growing.grow_until(first)
    watch.step(growing.topic_at(first), first)
    # The clock goes on, and the brokers' last answer is old: what they hold now is not known.
    for later in range(5, 60, 5):
        watch.step(growing.topic_at(first), first + later * SECOND)
    assert watch.state.final == 0
    steps(growing, watch, [first + 60 * SECOND])
    assert watch.state.final > 0


def test_what_is_held_does_not_grow_with_the_number_of_messages(tmp_path: Path) -> None:
    run = slow_run(None, messages=200)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    sizes = []
    for at_us in every(run, 4 * SECOND)[:48]:
        steps(growing, watch, [at_us])
        sizes.append(
            (watch.state.entries(), len(watch.state.events), (tmp_path / "state" / "state.arrow").stat().st_size)
        )
    for size in range(3):
        early, late = (max(one[size] for one in part) for part in (sizes[8:20], sizes[30:]))
        # Buckets are begun at multiples of 32,768 only, so that these are the same all the time.
        assert late <= early * 1.2, f"measure {size} grew from {early} to {late}"


def test_rows_of_messages_whose_verdict_is_final_are_told_and_change_nothing(tmp_path: Path) -> None:
    run = slow_run("redelivered")
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    steps(growing, watch, every(run, 4 * SECOND)[:15])
    final = dict(watch.state.totals)
    finish(growing, watch)
    assert dict(watch.state.totals) == final
    assert watch.state.after_closing == {"delivered": 1}


def test_an_incident_is_new_once_and_again_after_a_quiet_horizon(tmp_path: Path) -> None:
    run = slow_run(None, messages=116)
    for sequence in (4, 7, 5, 50):
        run.drop("stored", 1, sequence)
        run.drop("delivered", 1, sequence)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    new = [finding for step in steps(growing, watch, every(run, 3 * SECOND)[:46]) for finding in step.new]
    by_partition: dict[int, list[int]] = {}
    for finding in new:
        assert finding.kind == "ACKED_NOT_IN_LOG"
        by_partition.setdefault(finding.partition, []).append(finding.number)
    # 4 and 7 lie in partition 2, in windows that follow each other; 5 and 50 lie in 0, far from each other.
    assert {partition: len(numbers) for partition, numbers in by_partition.items()} == {0: 2, 2: 1}
    assert [finding.count for finding in new if finding.partition == 2] == [2]
    assert exit_code_of(watch.state, has_ledgers=True) is ExitCode.DISALLOWED


def test_a_log_that_became_shorter_is_a_finding(tmp_path: Path) -> None:
    run = slow_run(None)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    at_us = BEGIN_US + 36 * SECOND
    steps(growing, watch, [at_us])
    step = watch.step(TopicNow("one", {}, {0: 5, 1: 12, 2: 12}, at_us + 1), at_us + 1)
    assert [(finding.kind, finding.partition, finding.is_wrong) for finding in step.new] == [
        ("log-end-moved-back", 0, True)
    ]


def test_a_topic_that_was_made_again_is_read_from_its_beginning(tmp_path: Path) -> None:
    run = slow_run(None)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    at_us = BEGIN_US + 36 * SECOND
    steps(growing, watch, [at_us])
    step = watch.step(TopicNow("two", {0: 0, 1: 0, 2: 0}, {0: 0, 1: 0, 2: 0}, at_us + 1), at_us + 1)
    assert [finding.kind for finding in step.new] == ["topic-made-again"]
    assert watch.state.offsets == {0: 0, 1: 0, 2: 0}


def test_only_the_groups_that_were_asked_for_are_judged(tmp_path: Path) -> None:
    run = SyntheticRun(groups=("readers", "others"), spacing_us=SECOND)
    run.delivered = [row for row in run.delivered if row["group"] == "readers"]
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON, scope=WatchScope(groups=("readers",)))
    finish(growing, watch)
    assert {group for group, _ in watch.state.totals} == {"readers"}
    assert exit_code_of(watch.state, has_ledgers=True) is ExitCode.NOTHING_DISALLOWED


def test_without_anything_final_it_cannot_be_told(tmp_path: Path) -> None:
    run = slow_run(None)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=10**12)
    steps(growing, watch, [BEGIN_US + 30 * SECOND])
    status = status_of(watch.state, BEGIN_US, has_ledgers=True)
    assert status.exit_code is ExitCode.COULD_NOT_TELL
    counts = status.open["readers"]
    assert (counts["sent"], counts["stored"], counts["delivered"]) == (30, 31, 30)
    json.dumps(status.as_json())


def test_a_batch_that_is_handed_out_again_after_newer_ones_changes_nothing(tmp_path: Path) -> None:
    run = slow_run(None)
    growing = GrowingRun(run, tmp_path / "grown")
    watch = watch_of(growing, tmp_path / "state", horizon_us=HORIZON)
    older = growing.topic_at(BEGIN_US + 10 * SECOND)
    steps(growing, watch, [BEGIN_US + 30 * SECOND])
    offsets = dict(watch.state.offsets)
    assert watch.step(older, BEGIN_US + 31 * SECOND).new == []
    assert watch.state.offsets == offsets


def test_what_is_known_of_offsets_is_let_go_when_no_open_window_lies_there() -> None:
    state = WatchState(offsets={0: 200_000, 1: 70_000})
    for partition, block in ((0, 0), (0, 2), (0, 4), (0, 6), (1, 0), (1, 2)):
        state.positions.add(EntryKey(EntryKind.STORED_AT, "", partition, block), SummaryEntry(rows=1))
    ended, opened = AuditWindow(0, 0, 10, {7: 5}), AuditWindow(1, 10, places={0: (140_000, 200_000)})
    state.windows = [ended, opened]
    state.forget_closed(ended)
    assert sorted((at.key, at.bucket) for at in state.positions.entries) == [(0, 4), (0, 6), (1, 2)]
    assert (state.closed, state.windows) == ({7: 5}, [opened])
