"""Every fault of the mutation table through Spark: the tables are those of the engine that needs none."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from chronik.audit.judge import engine as engine_local
from chronik.spark.audit import engine
from tests.audit.accident.clean_runs import CLEAN
from tests.audit.accident.faults import FAULTS, Fault
from tests.audit.accident.world import clean

SEED = 7


def rows(table: pa.Table) -> list[str]:
    """The rows of a table in an order of their own."""
    return sorted(map(str, table.to_pylist()))


def assert_same(directory: Path, spark: SparkSession) -> None:
    with_spark, without = engine.audit(directory, spark=spark), engine_local.audit(directory)
    for name in ("verdicts", "messages", "partitions"):
        assert rows(getattr(with_spark, name)) == rows(getattr(without, name)), name
    assert with_spark.sent == without.sent


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_the_same_tables_on_spark(fault: Fault, spark: SparkSession, tmp_path: Path) -> None:
    world = clean(SEED, acks=fault.acks, idempotent=fault.idempotent)
    fault.change(world)
    assert_same(world.write(tmp_path / "run"), spark)


@pytest.mark.parametrize("name", CLEAN)
def test_a_run_without_a_fault_has_the_same_tables_on_spark(name: str, spark: SparkSession, tmp_path: Path) -> None:
    world = clean(SEED, acks=-1)
    CLEAN[name](world)
    assert_same(world.write(tmp_path / "run"), spark)
