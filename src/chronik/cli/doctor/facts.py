"""What ``chronik doctor`` observes of the machine: facts only, each read in one place, nothing judged."""

import contextlib
import ctypes
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

_WATCH_SECONDS: Final = 0.1
_READINGS: Final = 9
_FLUSHES: Final = 10
_FLUSH_BYTES: Final = 4_096
_UNSYNCHRONIZED: Final = 0x40
_TIMEX_BYTES: Final = 512
_TIMEX_STATUS: Final = 40
"""Where ``struct timex`` keeps its status, on machines whose words have 64 bits."""
_NO_LIMIT_BYTES: Final = 1 << 60
"""Control groups spell "no limit" as a number near 2**63."""


@dataclass(frozen=True, slots=True)
class ClockFacts:
    """The wall clock, watched for a moment."""

    wall_ms: int
    drift_ms: float
    is_synchronized: bool | None
    newest_file_ms: int | None

    @property
    def wall_text(self) -> str:
        """The time for people."""
        return datetime.fromtimestamp(self.wall_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True, slots=True)
class LimitFacts:
    """What the process may use; None where the machine does not say."""

    open_files: int
    open_files_hard: int
    memory_bytes: int | None
    memory_limit_bytes: int | None
    swap_bytes: int | None
    swappiness: int | None
    map_count_max: int | None


@dataclass(frozen=True, slots=True)
class DiskFacts:
    """The file system of the data directory, or of the nearest directory above it that exists."""

    path: str
    filesystem: str | None
    mount_options: frozenset[str]
    total_bytes: int | None
    free_bytes: int | None
    total_inodes: int | None
    free_inodes: int | None
    write_error: str | None
    flush_ms: tuple[float, ...]
    segments: int


@dataclass(frozen=True, slots=True)
class BrokerFacts:
    """A broker that answered."""

    cluster_id: str | None
    versions: Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class PortFacts:
    """Whether a listener's address could be taken, and by whom it is held."""

    name: str
    host: str
    port: int
    bind_error: str | None
    is_taken: bool
    holder: str | None
    broker: BrokerFacts | None


@dataclass(frozen=True, slots=True)
class AddressFacts:
    """The address that clients of a listener are told; ``is_reachable`` is None where it was not tried."""

    name: str
    host: str
    port: int
    addresses: tuple[str, ...]
    resolve_error: str | None
    listens_beyond_this_machine: bool
    is_reachable: bool | None


def observe_clock(data_dir: str | None) -> ClockFacts:
    """Watch the wall clock against the monotonic one for a moment."""
    before_s = _wall_ahead_s()
    time.sleep(_WATCH_SECONDS)
    drift_s = _wall_ahead_s() - before_s
    newest = max((_changed_ms(path) for path in _segment_files(data_dir)), default=None)
    return ClockFacts(int(time.time() * 1000), drift_s * 1000, _is_synchronized(), newest)


def _wall_ahead_s() -> float:
    """Compare the two clocks by the quickest of some readings, as others may run between the looks at each."""
    readings = []
    for _ in range(_READINGS):
        before, wall, after = time.monotonic(), time.time(), time.monotonic()
        readings.append((after - before, wall - (before + after) / 2))
    return min(readings)[1]


def _is_synchronized() -> bool | None:
    """Ask the kernel whether something keeps its clock in step; None where it may not be asked."""
    if ctypes.sizeof(ctypes.c_long) != 8:
        return None
    timex = ctypes.create_string_buffer(_TIMEX_BYTES)
    try:
        answer = ctypes.CDLL(None, use_errno=True).adjtimex(timex)
    except (AttributeError, OSError):
        return None
    if answer < 0:
        return None
    status = int.from_bytes(timex.raw[_TIMEX_STATUS : _TIMEX_STATUS + 4], sys.byteorder)
    return not status & _UNSYNCHRONIZED


def _segment_files(data_dir: str | None) -> Iterator[Path]:
    if data_dir is not None:
        yield from Path(data_dir).glob("*-*/*.log")


def _changed_ms(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns // 1_000_000
    except OSError:
        return 0


def observe_limits(root: Path = Path("/")) -> LimitFacts:
    """Read limits of the process, its control group and the machine, below another root in tests."""
    soft, hard = (_no_infinity(limit) for limit in resource.getrlimit(resource.RLIMIT_NOFILE))
    memory = _meminfo(root / "proc/meminfo")
    return LimitFacts(
        open_files=soft,
        open_files_hard=hard,
        memory_bytes=memory.get("MemTotal"),
        memory_limit_bytes=_control_group_bytes(root),
        swap_bytes=memory.get("SwapTotal"),
        swappiness=_number_in(root / "proc/sys/vm/swappiness"),
        map_count_max=_number_in(root / "proc/sys/vm/max_map_count"),
    )


def _no_infinity(limit: int) -> int:
    return 1 << 30 if limit == resource.RLIM_INFINITY else limit


def _meminfo(path: Path) -> dict[str, int]:
    sizes = {}
    for line in _text_of(path).splitlines():
        name, _, rest = line.partition(":")
        words = rest.split()
        if words and words[0].isdigit():
            sizes[name] = int(words[0]) * 1024
    return sizes


def _control_group_bytes(root: Path) -> int | None:
    files = ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes")
    limits = [limit for file in files if (limit := _number_in(root / file)) is not None and limit < _NO_LIMIT_BYTES]
    return min(limits, default=None)


def _number_in(path: Path) -> int | None:
    text = _text_of(path).strip()
    return int(text) if text.isdigit() else None


def _text_of(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""


def observe_disk(data_dir: str) -> DiskFacts:
    """Look at the data's file system, and write and flush a small file there."""
    path = _nearest_existing(data_dir)
    kind, options = _mount_of(path, _text_of(Path("/proc/self/mountinfo")))
    write_error, flush_ms = _try_writing(path)
    try:
        space = os.statvfs(path)
    except OSError:
        space = None
    return DiskFacts(
        path=path,
        filesystem=kind,
        mount_options=options,
        total_bytes=None if space is None else space.f_blocks * space.f_frsize,
        free_bytes=None if space is None else space.f_bavail * space.f_frsize,
        total_inodes=None if space is None else space.f_files,
        free_inodes=None if space is None else space.f_favail,
        write_error=write_error,
        flush_ms=flush_ms,
        segments=sum(1 for _ in _segment_files(data_dir)),
    )


def filesystem_of(path: str) -> str | None:
    """Name the kind of file system that holds a path, or will; None where that cannot be read."""
    return _mount_of(_nearest_existing(path), _text_of(Path("/proc/self/mountinfo")))[0]


def _nearest_existing(path: str) -> str:
    found = Path(path).absolute()
    while not found.exists() and found != found.parent:
        found = found.parent
    return str(found)


def _mount_of(path: str, mountinfo: str) -> tuple[str | None, frozenset[str]]:
    """Find the mount that holds a path: the longest mount point that is a beginning of it, the last of equal ones."""
    best: tuple[int, str | None, frozenset[str]] = (-1, None, frozenset())
    real = os.path.realpath(path)
    for line in mountinfo.splitlines():
        head, separator, tail = line.partition(" - ")
        fields = head.split()
        if not separator or len(fields) < 6:
            continue
        point = fields[4].replace("\\040", " ")
        is_above = real == point or real.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= best[0]:
            best = (len(point), tail.split()[0], frozenset(fields[5].split(",")))
    return best[1], best[2]


def _try_writing(path: str) -> tuple[str | None, tuple[float, ...]]:
    try:
        handle, name = tempfile.mkstemp(prefix=".chronik-doctor-", dir=path)
    except OSError as error:
        return os.strerror(error.errno or 0).lower(), ()
    try:
        return None, tuple(_flush_ms(handle) for _ in range(_FLUSHES))
    except OSError as error:
        return os.strerror(error.errno or 0).lower(), ()
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):
            os.unlink(name)


def _flush_ms(handle: int) -> float:
    started = time.perf_counter()
    os.write(handle, bytes(_FLUSH_BYTES))
    os.fdatasync(handle)
    return (time.perf_counter() - started) * 1000
