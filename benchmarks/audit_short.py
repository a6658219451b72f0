"""How long `chronik audit run` takes from the command to the verdict: 5,000 messages, three brokers, both engines."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from benchmarks.audit_meter import measured
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import ROOT
from chronik.testing.cluster import ClusterProcess

MESSAGES: Final = 5000
RUN_S_MAX: Final = 300
ENGINES: Final = ("local", "spark")


def measure(directory: Path, messages: int = MESSAGES) -> list[str]:
    """Run the command once with each engine."""
    lines = []
    with ClusterProcess(3, directory=directory / "brokers") as cluster:
        cluster.wait_ready()
        for engine in ENGINES:
            with measured() as cost:
                took = _run(cluster.bootstrap_servers, engine, messages, directory / engine)
            lines.append(
                f"a run of {messages:,} messages, --engine {engine}: {took:.1f} s ({cost.cpu_s:.1f} s CPU in all)"
            )
    return lines


def _run(bootstrap: str, engine: str, messages: int, place: Path) -> float:
    command = [sys.executable, "-m", "chronik.cli.main", "audit", "run", "--bootstrap", bootstrap]
    command += ["--topic", f"short-{engine}", "--messages", str(messages), "--engine", engine, "--keep", str(place)]
    began = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=RUN_S_MAX)
    if done.returncode:
        raise InvalidMeasurementError(
            f"the run ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return time.perf_counter() - began
