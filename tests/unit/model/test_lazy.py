"""Packages whose names are loaded at their first use."""

import subprocess
import sys

import pytest

import chronik.testing

PROGRAM = """
import sys
import chronik.audit, chronik.spark, chronik.testing
heavy = {"pyarrow", "numpy", "pyspark", "confluent_kafka", "asyncio", "chronik.testing.broker"} & set(sys.modules)
assert not heavy, heavy
from chronik.audit import ConsumerLedger, Evidence, ProducerLedger
from chronik.testing import Broker
assert {"ProducerLedger", "ConsumerLedger", "Evidence"} <= set(dir(chronik.audit))
"""


def test_packages_load_their_names_at_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'chronik.testing' has no attribute 'Brokers'"):
        _ = chronik.testing.Brokers
