"""Every fault that is put into a run is named exactly, and a clean run has nothing to name."""

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.engine import audit
from chronik.audit.judge.results import AuditResults
from chronik.audit.report.exit_codes import ExitCode, exit_code
from chronik.audit.tables.evidence import Evidence
from tests.audit.verdicts.faults import FAULTS, Expected, Fault
from tests.audit.verdicts.synthetic import RUN, SyntheticRun

BY_NAME = {fault.name: fault for fault in FAULTS}
PLAIN = {"acks": "all", "idempotent": True, "in_flight": 5}


def run_for(fault: Fault, **shape: int) -> SyntheticRun:
    settings_of_run = {**PLAIN, **fault.settings}
    return SyntheticRun(settings=settings_of_run, configs=dict(fault.configs), extra=dict(fault.extra), **shape)


def named(results: AuditResults) -> dict[tuple[str, int, int], Expected]:
    rows = results.messages.to_pylist()
    return {
        (row["group"], row["producer"], row["sequence"]): Expected(
            row["verdict"], tuple(row["flags"]), row["is_allowed"]
        )
        for row in rows
    }


def code_of(directory: Path, *, strict: bool = False) -> ExitCode:
    results = audit(directory, strict=strict)
    return exit_code(results, diagnose(results, Evidence(directory)))


def adds_up(results: AuditResults) -> bool:
    rows = results.verdicts.to_pylist()
    totals = {
        group: sum(row["count"] for row in rows if row["group"] == group and row["verdict"][0] not in "+*")
        for group in results.groups()
    }
    return set(totals.values()) == {results.sent}


@pytest.mark.parametrize("name", BY_NAME)
def test_a_fault_is_named_exactly_and_nothing_else_is(name: str, tmp_path: Path) -> None:
    fault = BY_NAME[name]
    run = run_for(fault)
    expected = fault.inject(run, 1, 4)
    results = audit(run.write(tmp_path))
    assert named(results) == {("readers", 1, 4): expected}
    assert results.sent == len({(row["producer"], row["sequence"]) for row in run.sends} | {(1, 4)})
    assert adds_up(results)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    fault=st.sampled_from(FAULTS),
    producers=st.integers(1, 3),
    partitions=st.integers(1, 4),
    files=st.integers(1, 3),
    groups=st.sampled_from([("readers",), ("readers", "writers")]),
    place=st.integers(0, 10_000),
)
def test_a_fault_is_named_wherever_it_is(
    tmp_path_factory: pytest.TempPathFactory,
    fault: Fault,
    producers: int,
    partitions: int,
    files: int,
    groups: tuple[str, ...],
    place: int,
) -> None:
    run = SyntheticRun(
        producers=producers,
        partitions=partitions,
        messages=48,
        groups=groups,
        settings={**PLAIN, **fault.settings},
        configs=dict(fault.configs),
        extra=dict(fault.extra),
    )
    # Neither the first nor the last of a partition: some faults need a neighbour on each side.
    chosen = run.sends[16 + place % 16]
    producer, sequence = chosen["producer"], chosen["sequence"]
    expected = fault.inject(run, producer, sequence)
    results = audit(run.write(tmp_path_factory.mktemp("run"), files=files))
    assert named(results) == {(group, producer, sequence): expected for group in groups}
    assert adds_up(results)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    producers=st.integers(1, 4),
    partitions=st.integers(1, 5),
    messages=st.integers(0, 200),
    files=st.integers(1, 4),
    groups=st.sampled_from([("a",), ("a", "b"), ("a", "b", "c")]),
)
def test_a_clean_run_has_nothing_to_name(
    tmp_path_factory: pytest.TempPathFactory,
    producers: int,
    partitions: int,
    messages: int,
    files: int,
    groups: tuple[str, ...],
) -> None:
    run = SyntheticRun(producers=producers, partitions=partitions, messages=messages, groups=groups)
    directory = run.write(tmp_path_factory.mktemp("run"), files=files)
    results = audit(directory)
    assert results.messages.num_rows == 0
    assert [results.count(group, "DELIVERED") for group in groups] == [messages] * len(groups)
    assert code_of(directory) == (ExitCode.NOTHING_DISALLOWED if messages else ExitCode.COULD_NOT_TELL)
    assert adds_up(results)


def test_an_id_that_nobody_reserved_is_a_phantom(tmp_path: Path) -> None:
    run = SyntheticRun()
    stranger = run.stored_row(7, 3, 0, run.ends[0], run.sends[0]["sent_us"])
    run.ends[0] += 1
    run.stored.append(stranger)
    run.delivered.append(run.delivered_row("readers", stranger, run.end_us - 1500))
    results = audit(run.write(tmp_path))
    assert named(results) == {("readers", 7, 3): Expected("PHANTOM")}
    assert results.count("readers", "*PHANTOM") == 1
    assert results.sent == 40
    assert code_of(tmp_path) == ExitCode.DISALLOWED


def test_records_of_others_are_counted_only(tmp_path: Path) -> None:
    run = SyntheticRun()
    for is_ours, number in ((True, RUN + 1), (False, 0)):
        other = {**run.stored_row(0, 3, 0, run.ends[0], 0), "run": number, "is_ours": is_ours}
        run.ends[0] += 1
        run.stored.append(other)
        run.delivered.append(run.delivered_row("readers", other, run.end_us - 1500))
    results = audit(run.write(tmp_path))
    assert named(results) == {}
    assert results.count("readers", "*FOREIGN") == 2
    assert code_of(tmp_path) == ExitCode.NOTHING_DISALLOWED


def test_strict_counts_what_the_settings_allow(tmp_path: Path) -> None:
    run = run_for(BY_NAME["duplicated, not idempotent"])
    run.append_again(1, 4)
    directory = run.write(tmp_path)
    assert code_of(directory) == ExitCode.NOTHING_DISALLOWED
    assert code_of(directory, strict=True) == ExitCode.DISALLOWED


def test_what_only_the_ledger_does_not_know_is_not_held_against_the_cluster(tmp_path: Path) -> None:
    run = SyntheticRun()
    BY_NAME["without a row"].inject(run, 1, 4)
    assert code_of(run.write(tmp_path)) == ExitCode.COULD_NOT_TELL


def test_results_are_read_as_they_were_saved(tmp_path: Path) -> None:
    run = SyntheticRun()
    BY_NAME["lost"].inject(run, 1, 4)
    results = audit(run.write(tmp_path))
    results.save(tmp_path)
    again = AuditResults.load(tmp_path)
    tables: list[tuple[pa.Table, pa.Table]] = [
        (results.messages, again.messages),
        (results.partitions, again.partitions),
    ]
    assert all(one.equals(other) for one, other in tables)
    assert again.sent == 40
