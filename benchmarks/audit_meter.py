"""What a step of the benchmark of the audit costs: time, processor time and memory of all processes that it started."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks import machine

SAMPLE_S: Final = 0.25


@dataclass(slots=True)
class Cost:
    """Of one step; ``phases`` are its parts, each with time and processor time."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0
    phases: dict[str, tuple[float, float]] = field(default_factory=dict)

    def text(self, messages: int) -> str:
        """Say it in one line, with the rates of so many messages."""
        parts = ", ".join(f"{name} {wall:.1f} s ({cpu:.1f} s CPU)" for name, (wall, cpu) in self.phases.items())
        return (
            f"{self.wall_s:.1f} s, {messages / self.wall_s / 1e6:.2f} M messages/s; {self.cpu_s:.1f} s CPU, "
            f"{messages / self.cpu_s / 1e6:.2f} M messages per CPU-second; at most {self.peak_mb:,.0f} MB in all"
            + (f"; {parts}" if parts else "")
        )


@contextmanager
def measured(*parts: tuple[Any, str, str]) -> Iterator[Cost]:
    """Measure a block; ``parts`` are functions, by owner and name, whose share is told under a title."""
    cost = Cost()
    sampler = _Sampler()
    with ExitStack() as stack:
        for owner, name, title in parts:
            stack.enter_context(patch.object(owner, name, _timed(getattr(owner, name), title, cost)))
        began, used = time.perf_counter(), tree_cpu_s()
        with sampler:
            yield cost
        cost.wall_s, cost.cpu_s = time.perf_counter() - began, tree_cpu_s() - used
    cost.peak_mb = sampler.peak_mb


def _timed(function: Callable[..., Any], title: str, cost: Cost) -> Callable[..., Any]:
    def timed(*arguments: Any, **options: Any) -> Any:
        began, used = time.perf_counter(), tree_cpu_s()
        try:
            return function(*arguments, **options)
        finally:
            wall, cpu = cost.phases.get(title, (0.0, 0.0))
            cost.phases[title] = (wall + time.perf_counter() - began, cpu + tree_cpu_s() - used)

    return timed


def tree_cpu_s() -> float:
    """Give the processor time of this process, its descendants, and those of them that have ended."""
    total = 0.0
    for pid in tree():
        with suppress(OSError):
            total += machine.cpu_seconds(pid)
    return total


def tree() -> list[int]:
    """Give the ids of this process and its descendants."""
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError):
                fields = (entry / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
                parents.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [os.getpid()]
    for pid in found:
        found += parents.get(pid, [])
    return found


def tree_mb() -> float:
    """Give the memory of the tree without pages of files; what forks share counts once."""
    total = 0
    for pid in tree():
        with suppress(OSError):
            for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
                if line.startswith(("Pss_Anon:", "Pss_Shmem:")):
                    total += int(line.split()[1])
    return total * 1024 / 1e6


class _Sampler:
    """Looks at the memory of the tree while a block lasts."""

    def __init__(self) -> None:
        self.peak_mb = 0.0
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="memory", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self.peak_mb = max(self.peak_mb, tree_mb())
            if self._ending.wait(SAMPLE_S):
                return
