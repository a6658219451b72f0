"""The mutation table: every fault is named, with the verdict that it leads to; runs without one raise no alarm."""

from pathlib import Path

import pyarrow as pa
import pytest

from chronik.audit.diagnose.diagnosis import diagnose
from chronik.audit.judge.engine import audit
from chronik.audit.tables.evidence import Evidence
from tests.audit.accident.clean_runs import CLEAN
from tests.audit.accident.faults import FAULTS, Fault
from tests.audit.accident.world import World, clean

SEEDS = range(4)


def told(directory: Path) -> tuple[dict[str, tuple[int, int]], list[dict[str, object]]]:
    """Verdicts with their counts, all and allowed, and the findings."""
    results = audit(directory)
    verdicts = {row["verdict"]: (row["count"], row["allowed_count"]) for row in results.verdicts.to_pylist()}
    findings: pa.Table = diagnose(results, Evidence(directory))
    return verdicts, findings.to_pylist()


def account(world: World, verdicts: dict[str, tuple[int, int]]) -> None:
    """Verdicts add up to the messages sent."""
    assert sum(count for name, (count, _) in verdicts.items() if name[0] not in "+*") == world.messages


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_fault_is_named_with_its_verdict(fault: Fault, seed: int, tmp_path: Path) -> None:
    world = clean(seed, acks=fault.acks, idempotent=fault.idempotent)
    fault.change(world)
    verdicts, findings = told(world.write(tmp_path / "run"))
    account(world, verdicts)
    assert verdicts.get(fault.verdict, (0, 0))[0] > 0, verdicts
    roots = [finding["kind"] for finding in findings if finding["is_root"]]
    assert roots == [fault.root], [finding["sentence"] for finding in findings]
    assert all(count == allowed for count, allowed in verdicts.values()) is fault.is_allowed, verdicts


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", CLEAN)
def test_a_run_without_a_fault_raises_no_alarm(name: str, seed: int, tmp_path: Path) -> None:
    world = clean(seed, acks=-1)
    CLEAN[name](world)
    verdicts, findings = told(world.write(tmp_path / "run"))
    account(world, verdicts)
    assert all(count == allowed for count, allowed in verdicts.values()), verdicts
    assert [finding["sentence"] for finding in findings if not finding["is_allowed"]] == []


def test_there_are_at_least_25_faults() -> None:
    assert len({fault.change for fault in FAULTS}) >= 25
