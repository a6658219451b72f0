"""Where the extra for Spark is not installed, its commands say so, and all others work."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys
for name in ("pyspark", "py4j", "pyarrow", "numpy", "pandas", "deltalake"):
    sys.modules[name] = None
from chronik.cli.main import run
sys.exit(run(sys.argv[1:]))
"""
SECONDS_MAX = 60


def without_extra(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", WITHOUT, *words], capture_output=True, text=True, timeout=SECONDS_MAX)


@pytest.mark.parametrize(
    "words",
    [
        ("archive", "--topic", "orders", "--to", "nowhere"),
        ("archive", "verify", "--topic", "orders", "--to", "nowhere"),
        ("archive", "compact", "--to", "nowhere"),
        ("sql", "select 1"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_the_command_names_what_is_missing_and_the_remedy(words: tuple[str, ...]) -> None:
    done = without_extra(*words)
    assert done.returncode == 1, done
    assert "which is not installed" in done.stderr
    assert "pip install 'chronik[spark]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_help_and_other_commands_need_nothing() -> None:
    assert "--json-columns" in without_extra("archive", "--help").stdout
    assert "--decode" in without_extra("sql", "--help").stdout
    assert without_extra("version").returncode == 0
