"""The broker's response times, memory and disk during a soak, and their limits.

A response takes longer while the broker waits for a CPU that other processes use. The kernel counts that time, and it
is subtracted: the rest is the broker's own work and its waits for the disk. The time in which the host did not run this
machine is unknown, so a late response now and then is allowed: a loop that does too much at once does it again and
again.
"""

from collections.abc import Sequence
from dataclasses import dataclass

DELAY_SECONDS_MAX = 1.0
STALLS_OF_THE_MACHINE_PER_MINUTE = 2
GROWTH_BYTES_MAX = 8 * 1024 * 1024
DISK_BYTES_MAX = 10_000_000_000
# Buffers and caches have their first use in the beginning.
WARM_UP_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the broker; what could not be seen (a broker elsewhere) is None."""

    at: float
    answer_seconds: float
    cpu_wait_seconds: float = 0.0
    memory_bytes: int | None = None
    disk_bytes: int | None = None

    @property
    def delay_seconds(self) -> float:
        """What the broker itself took to answer."""
        return max(self.answer_seconds - self.cpu_wait_seconds, 0.0)


@dataclass(frozen=True, slots=True)
class VitalSigns:
    """The samples of a run, summed up."""

    seconds: float
    delays: tuple[float, ...]
    """The delays above the limit, the longest first."""
    delay_seconds_max: float
    answer_seconds_max: float
    answer_seconds_median: float
    memory_bytes_max: int | None
    growth_bytes: float | None
    growth_bytes_per_hour: float | None
    disk_bytes_max: int | None

    def findings(self) -> list[str]:
        """Return every figure above its limit, in words."""
        found = []
        if len(self.delays) > STALLS_OF_THE_MACHINE_PER_MINUTE * max(self.seconds / 60, 1.0):
            shown = ", ".join(f"{delay:.2f}" for delay in self.delays[:10])
            found.append(f"{len(self.delays)} answers took {DELAY_SECONDS_MAX} s or longer: {shown} s")
        if self.growth_bytes is not None and self.growth_bytes >= GROWTH_BYTES_MAX:
            found.append(f"memory grew by {self.growth_bytes:.0f} bytes after warm-up; {GROWTH_BYTES_MAX} are allowed")
        if self.disk_bytes_max is not None and self.disk_bytes_max >= DISK_BYTES_MAX:
            found.append(f"{self.disk_bytes_max} bytes on disk; {DISK_BYTES_MAX} are allowed")
        return found


def sum_up(samples: Sequence[Sample]) -> VitalSigns:
    """Return the figures of a run."""
    assert samples, "there are no samples"
    answers = sorted(sample.answer_seconds for sample in samples)
    memory = [(sample.at, sample.memory_bytes) for sample in samples if sample.memory_bytes is not None]
    settled = memory[int(len(memory) * WARM_UP_SHARE) :]
    slope = _slope(settled)
    span = settled[-1][0] - settled[0][0] if settled else 0.0
    disk = [sample.disk_bytes for sample in samples if sample.disk_bytes is not None]
    delays = sorted((sample.delay_seconds for sample in samples), reverse=True)
    return VitalSigns(
        seconds=samples[-1].at - samples[0].at,
        delays=tuple(delay for delay in delays if delay >= DELAY_SECONDS_MAX),
        delay_seconds_max=delays[0],
        answer_seconds_max=answers[-1],
        answer_seconds_median=answers[len(answers) // 2],
        memory_bytes_max=max((size for _, size in memory), default=None),
        growth_bytes=None if slope is None else slope * span,
        growth_bytes_per_hour=None if slope is None else slope * 3600,
        disk_bytes_max=max(disk, default=None),
    )


def _slope(points: Sequence[tuple[float, int]]) -> float | None:
    """The rise of the straight line that fits best, in bytes per second."""
    if len(points) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread if spread else None
