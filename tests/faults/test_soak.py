"""A minute of the soak: 64 clients of three libraries come, go and crash, and every message is accounted for."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MINUTES = float(os.environ.get("CHRONIK_SOAK_MINUTES", "1"))
# Beyond its length: processes that start on a busy machine, the last messages, a session that must run out.
MORE_SECONDS_MAX = 240


@pytest.mark.xdist_group("soak")
@pytest.mark.timeout(MINUTES * 60 + MORE_SECONDS_MAX + 30)
def test_64_clients_that_come_go_and_crash_lose_nothing_and_read_twice_only_what_a_rebalance_explains(
    tmp_path: Path,
) -> None:
    """Rules 46, 57."""
    outcome = tmp_path / "outcome.json"
    command = [sys.executable, "-m", "soak", "--minutes", str(MINUTES), "--json", str(outcome)]
    done = subprocess.run(
        [*command, "--directory", str(tmp_path / "soak")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=MINUTES * 60 + MORE_SECONDS_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    data = json.loads(outcome.read_text())
    assert data["findings"] == []
    # That it was a soak at all.
    assert data["acknowledged"] > 5_000 * MINUTES
    assert data["delivered"] >= 2 * data["acknowledged"]
    assert data["departures_and_crashes"] >= 5 * MINUTES
    assert data["assignments"] > 64
    assert data["commits"] > 500 * MINUTES
    assert " died" not in (tmp_path / "soak" / "broker" / "broker.log").read_text()
