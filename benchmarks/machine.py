"""What the kernel says about processes and about the machine."""

import os
import platform
import shutil
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and its ended children have used."""
    # The command's name stands in parentheses and may hold spaces.
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return sum(int(ticks) for ticks in fields[11:15]) / TICKS_PER_S


def anonymous_mb(pid: int) -> float:
    """Resident memory of a process without file pages."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "RssAnon") / 1000 * 1.024


def state(directory: Path) -> dict[str, object]:
    """The machine as it is now: two runs compare only when these are alike."""
    disk = shutil.disk_usage(directory)
    return {
        "cores": os.cpu_count(),
        "processor": _processor(),
        "kernel": platform.release(),
        "load": [round(load, 2) for load in os.getloadavg()],
        "memory_available_mb": round(_kilobytes(Path("/proc/meminfo"), "MemAvailable") / 1024),
        "memory_total_mb": round(_kilobytes(Path("/proc/meminfo"), "MemTotal") / 1024),
        "dirty_mb": round(_kilobytes(Path("/proc/meminfo"), "Dirty") / 1024),
        "disk_free_gb": round(disk.free / 1e9, 1),
        "file_system": _file_system(directory),
        "python": platform.python_version(),
    }


def _kilobytes(path: Path, name: str) -> int:
    for line in path.read_text(encoding="ascii").splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise LookupError(f"{path} does not tell {name}")


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def _file_system(directory: Path) -> str:
    """Type of the file system whose mount point is the longest prefix of the directory."""
    mounts = [line.split() for line in Path("/proc/mounts").read_text(encoding="utf-8").splitlines()]
    fitting = [mount for mount in mounts if directory.resolve().is_relative_to(mount[1])]
    return max(fitting, key=lambda mount: len(mount[1]))[2]
