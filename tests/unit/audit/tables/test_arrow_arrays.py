"""Arrow arrays over numpy's memory: the same as Arrow's own, and without loading pandas."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest

from chronik.audit.tables.arrow_arrays import booleans, numbers, texts

PROGRAM = """
import sys
import numpy as np
import pyspark_chronik
from chronik.audit.tables.arrow_arrays import booleans, numbers, texts
from chronik.spark.source.arrow_rows import PartitionColumns, timestamps
numbers(np.arange(3), np.array([True, False, True])).take(numbers(np.arange(2)))
PartitionColumns("t", 1).columns(3), booleans(np.array([True])), timestamps(np.arange(2))
assert "pandas" not in sys.modules, "pandas was loaded"
"""


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 1000])
def test_arrays_are_what_arrow_makes_of_the_same_values(kind: type[np.generic], count: int) -> None:
    values = np.random.default_rng(count).integers(-5, 5, count).astype(kind)
    is_null = values == 3
    assert numbers(values).equals(pa.array(values))
    assert numbers(values, is_null).equals(pa.array(values, mask=is_null))
    assert numbers(values[::2]).equals(pa.array(values[::2]))
    assert booleans(is_null).equals(pa.array(is_null))
    assert texts([str(value) for value in values]).equals(pa.array([str(value) for value in values], pa.string()))


def test_texts_are_utf8() -> None:
    assert texts(["", "Größe", "字"]).to_pylist() == ["", "Größe", "字"]


def test_a_worker_reads_without_loading_pandas() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr


LEDGERS = """
import sys, tempfile
from chronik.audit import ConsumerLedger, ProducerLedger
directory = tempfile.mkdtemp()
with ProducerLedger(directory, topic="t") as sent, ConsumerLedger(directory, group="g") as read:
    header, sending = sent.header(b"value", None)
    sent.acked(sending, 0, 0)
    read.started(group="g", reset="earliest", isolation="", mode="subscribe")
    read.rows.append((-1, 1, 1, 0, 0, 0, header, 0))
assert "pandas" not in sys.modules, "pandas was loaded"
"""


def test_ledgers_are_written_without_loading_pandas() -> None:
    done = subprocess.run([sys.executable, "-c", LEDGERS], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
