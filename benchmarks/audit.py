"""How fast the audit judges, from generated runs with faults in them to verdicts. `make bench-audit`.

Each part runs in a process of its own, prints what it took (time, processor time of everything that it started, memory
at most, the share of each phase), and deletes its data. Every fault must be named, and nothing else.
"""

import argparse
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks import audit_hooks, audit_short, machine
from benchmarks.audit_data import Faults, Rounds, rounds_of, write_run
from benchmarks.audit_meter import Cost, measured
from benchmarks.prerequisites import ROOT
from chronik.audit.judge.results import AuditResults

FREE_BYTES_LEFT: Final = 10_000_000_000
FREE_BYTES_MIN: Final = 15_000_000_000
BYTES_PER_MESSAGE: Final = {"files": 55, "growth": 55, "local": 55, "wire": 250}
MESSAGES_PER_FAULT: Final = 2_500_000
PARTS: Final = ("hooks", "short", "wire", "local", "files", "growth")
PART_S_MAX: Final = 1800

Judge = Callable[[Path], AuditResults]


def main() -> int:
    options = _options()
    if options.part == "all":
        return max(_in_process(part, options) for part in PARTS)
    # The data is deleted even if somebody ends the run.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = Path(tempfile.mkdtemp(prefix="chronik-bench-audit-", dir=options.directory))
    try:
        return _run_part(options.part, _sizes(options), directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=["all", *PARTS], default="all")
    parser.add_argument("--messages", type=int, default=50_000_000, help="of the part files; others are in proportion")
    parser.add_argument("--directory", help="where the data is written; by default where temporary files are")
    return parser.parse_args()


def _sizes(options: argparse.Namespace) -> list[int]:
    """Say how many messages a part judges: growth is measured from a fifth to the double."""
    whole: int = options.messages
    sizes = {"files": [whole], "growth": [whole // 5, whole * 2], "wire": [whole // 10], "local": [whole // 10]}
    return sizes.get(options.part, [audit_short.MESSAGES])


def _in_process(part: str, options: argparse.Namespace) -> int:
    command = [sys.executable, "-m", "benchmarks.audit", "--part", part, "--messages", str(options.messages)]
    command += ["--directory", options.directory] if options.directory else []
    return subprocess.run(command, cwd=ROOT, check=False, timeout=PART_S_MAX).returncode


def _run_part(part: str, sizes: list[int], directory: Path) -> int:
    needed = max(FREE_BYTES_MIN, max(sizes) * BYTES_PER_MESSAGE.get(part, 0) + FREE_BYTES_LEFT)
    if shutil.disk_usage(directory).free < needed:
        print(f"{needed / 1e9:.0f} GB of free room are needed in {directory.parent}", file=sys.stderr)
        return 2
    print(f"-- {part}; load {machine.state(directory)['load']}", flush=True)
    match part:
        case "hooks":
            _show(audit_hooks.measure(directory))
        case "short":
            _show(audit_short.measure(directory))
        case "wire":
            _judge_wire(sizes[0], directory)
        case "local":
            _judge_files(_local(), sizes[0], directory)
        case _:
            _judge_growing(sizes, directory)
    return 0


def _show(lines: list[str]) -> None:
    for line in lines:
        print(line, flush=True)


# -- from files ------------------------------------------------------------------------------------------------------


def _judge_growing(sizes: list[int], directory: Path) -> None:
    """Judge runs of these sizes in one session, and say how the time grew."""
    with _Session() as session:
        warm_up(session, directory)
        costs = [_judge_files(session.engine(), size, directory) for size in sizes]
    if len(costs) > 1:
        times, cpu = costs[-1].wall_s / costs[0].wall_s, costs[-1].cpu_s / costs[0].cpu_s
        print(f"{sizes[-1] / sizes[0]:.0f} x the messages take {times:.1f} x the time, {cpu:.1f} x the CPU", flush=True)


def warm_up(session: "_Session", directory: Path) -> None:
    """Judge a small run: what is measured then is the audit, not the start of Spark and of its workers."""
    place = directory / "small"
    rounds = rounds_of(100_000)
    plan = Faults(rounds, 3)
    write_run(place, rounds, plan)
    _check(session.engine()[1](place), rounds, plan)
    shutil.rmtree(place)


def _judge_files(engine: "tuple[str, Judge, tuple[Any, ...]]", messages: int, directory: Path) -> Cost:
    name, judge, phases = engine
    rounds = rounds_of(messages)
    plan = Faults(rounds, max(3, rounds.messages // MESSAGES_PER_FAULT))
    place = directory / "run"
    began = time.perf_counter()
    write_run(place, rounds, plan)
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    print(f"{rounds.messages:,} messages, {size / 1e9:.2f} GB, made in {time.perf_counter() - began:.0f} s", flush=True)
    with measured(*phases) as cost:
        results = judge(place)
    _check(results, rounds, plan)
    print(f"{name}: {cost.text(rounds.messages)}; {_found(results, plan, size / rounds.messages)}", flush=True)
    shutil.rmtree(place)
    return cost


def _found(results: AuditResults, plan: Faults, bytes_each: float) -> str:
    return f"{len(plan.expected)} faults named, {results.named_by_rows:,} messages by rows, {bytes_each:.0f} bytes each"


def _check(results: AuditResults, rounds: Rounds, plan: Faults) -> None:
    found = {
        (row["producer"], row["sequence"]): (row["verdict"], tuple(row["flags"]))
        for row in results.messages.to_pylist()
    }
    assert results.sent == rounds.messages, f"{results.sent} of {rounds.messages}"
    assert found == plan.expected, f"named: {sorted(found.items())[:5]}, put in: {sorted(plan.expected.items())[:5]}"


def _local() -> "tuple[str, Judge, tuple[Any, ...]]":
    from chronik.audit.judge import engine as engine_local

    phases = (
        (engine_local, "add_piece", "pass 1"),
        (engine_local, "condense", "merging"),
        (engine_local, "_named", "pass 2"),
    )
    return "local engine, one core", engine_local.audit, phases


class _Session:
    """A session of Spark with two cores."""

    def __enter__(self) -> "_Session":
        from chronik.spark import session

        began = time.perf_counter()
        self._spark = session("local[2]", app_name="chronik audit")
        self._spark.range(1).count()
        print(f"Spark started in {time.perf_counter() - began:.1f} s", flush=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._spark.stop()

    def engine(self, **options: Any) -> "tuple[str, Judge, tuple[Any, ...]]":
        from chronik.spark.audit import engine
        from chronik.spark.audit.jobs import Jobs

        phases = ((Jobs, "summed_up", "pass 1"), (Jobs, "named", "pass 2"), (engine, "pieces_of", "planning"))
        return "Spark, 2 cores", lambda place: engine.audit(place, spark=self._spark, **options), phases


# -- over the wire ---------------------------------------------------------------------------------------------------


def _judge_wire(messages: int, directory: Path) -> None:
    """Judge a run whose log is on a broker, which shares the two cores."""
    from benchmarks.audit_wire import fill
    from chronik.spark.audit.log_reading import log_on_the_wire
    from chronik.testing import Broker

    rounds = rounds_of(messages)
    plan = Faults(rounds, max(2, rounds.messages // MESSAGES_PER_FAULT), ("skipped", "damaged"))
    place = directory / "run"
    write_run(place, rounds, plan, is_stored=False)
    with Broker(directory=directory / "broker") as broker:
        began = time.perf_counter()
        fill(broker.bootstrap_servers, "generated", rounds, plan)
        print(f"{rounds.messages:,} messages on a broker in {time.perf_counter() - began:.0f} s", flush=True)
        with _Session() as session:
            warm_up(session, directory)
            log = log_on_the_wire(broker.bootstrap_servers, "generated")
            name, judge, phases = session.engine(log=log)
            used = machine.cpu_seconds(broker.pid)
            with measured(*phases) as cost:
                results = judge(place)
            broker_s = machine.cpu_seconds(broker.pid) - used
        _check(results, rounds, plan)
    print(
        f"{name}, over the wire: {cost.text(rounds.messages)}; {broker_s:.1f} s of the CPU are the broker's", flush=True
    )


if __name__ == "__main__":
    sys.exit(main())
