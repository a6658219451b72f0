"""Both engines of the audit give the same tables, for the same runs."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from chronik.audit.judge import engine as engine_local
from chronik.audit.judge.balance import splits
from chronik.audit.judge.results import AuditResults
from chronik.audit.tables.bitmaps import SUB_BUCKET_BITS
from chronik.spark.audit import engine
from tests.audit.verdicts.faults import FAULTS, Expected
from tests.audit.verdicts.mixed import mixed_run
from tests.audit.verdicts.synthetic import SyntheticRun

NEED_A_RUN_OF_THEIR_OWN = ("above the watermark", "expired", "compacted")


def assert_same(one: AuditResults, other: AuditResults) -> None:
    assert one.verdicts.to_pylist() == other.verdicts.to_pylist()
    assert one.messages.to_pylist() == other.messages.to_pylist()
    assert one.partitions.to_pylist() == other.partitions.to_pylist()
    assert (one.sent, one.notes, one.named_by_rows) == (other.sent, other.notes, other.named_by_rows)


def test_engines_agree_on_a_run_with_many_faults(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, expected = mixed_run(600, groups=("one", "two"))
    directory = run.write(tmp_path, files=3)
    # Splits of some hundred rows: a seam between tasks is where sums are put together.
    monkeypatch.setattr(splits, "SPLIT_BYTES", 10_000)
    results = engine.audit(directory, spark=spark)
    found = {
        (row["group"], row["producer"], row["sequence"]): Expected(
            row["verdict"], tuple(row["flags"]), row["is_allowed"]
        )
        for row in results.messages.to_pylist()
    }
    assert found == {(group, *at): fault for group in run.groups for at, fault in expected.items()}
    assert_same(results, engine_local.audit(directory))


@pytest.mark.parametrize("name", NEED_A_RUN_OF_THEIR_OWN)
def test_engines_agree_on_a_fault_that_needs_its_surroundings(name: str, spark: SparkSession, tmp_path: Path) -> None:
    fault = next(one for one in FAULTS if one.name == name)
    run = SyntheticRun(configs=dict(fault.configs))
    fault.inject(run, 1, 4)
    directory = run.write(tmp_path)
    results = engine.audit(directory, spark=spark)
    assert results.messages.num_rows == 1
    assert_same(results, engine_local.audit(directory))


def test_engines_agree_on_a_clean_run_of_several_buckets(spark: SparkSession, tmp_path: Path) -> None:
    directory = SyntheticRun(producers=1, messages=40_000).write(tmp_path, files=2)
    results = engine.audit(directory, spark=spark)
    assert (results.messages.num_rows, results.named_by_rows) == (0, 0)
    assert_same(results, engine_local.audit(directory))


def test_only_the_sub_bucket_with_the_fault_is_looked_at_row_by_row(spark: SparkSession, tmp_path: Path) -> None:
    run = SyntheticRun(producers=1, messages=40_000)
    run.drop("delivered", 0, 39_000)
    results = engine.audit(run.write(tmp_path), spark=spark)
    assert [row["verdict"] for row in results.messages.to_pylist()] == ["SKIPPED"]
    assert results.named_by_rows == 1 << SUB_BUCKET_BITS
