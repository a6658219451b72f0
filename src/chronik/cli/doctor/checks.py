"""The judgements of ``chronik doctor``: pure functions from observed facts to findings that say what to do."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address
from statistics import median
from typing import Final

from chronik.cli.doctor.facts import AddressFacts, ClockFacts, DiskFacts, LimitFacts, PortFacts

_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB

EARLIEST_SANE_MS: Final = 1_735_689_600_000
"""The beginning of 2025, before which this program did not exist."""
DRIFT_MS_MAX: Final = 50.0
FUTURE_MS_MAX: Final = 60_000
FILES_SPARE: Final = 256
"""Descriptors beside connections and segments: listeners, the store, directories, files being written anew."""
BASE_MEMORY_BYTES: Final = 256 * _MIB
MAP_COUNT_MIN: Final = 4_096
SWAPPINESS_MAX: Final = 10
FREE_BYTES_MIN: Final = _GIB
FREE_SHARE_MIN: Final = 0.1
FREE_INODES_MIN: Final = 10_000
FLUSH_MS_FAIR: Final = 20.0
FLUSH_MS_SLOW: Final = 500.0

OVER_A_NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse.s3fs"})
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_OF_A_CONTAINER: Final = frozenset({"overlay", "aufs"})


class Verdict(Enum):
    """What a check found."""

    FINE = "fine"
    HINT = "hint"
    """It works, and could work better."""
    UNKNOWN = "could not tell"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report."""

    check: str
    verdict: Verdict
    what: str
    advice: str = ""


def check_settings(problems: Iterable[str], warnings: Iterable[str]) -> Iterator[Finding]:
    """Show all that is wrong with the settings."""
    problems, warnings = tuple(problems), tuple(warnings)
    for problem in problems:
        yield Finding("settings", Verdict.WRONG, problem, "correct it: the broker refuses to start")
    for warning in warnings:
        yield Finding("settings", Verdict.HINT, warning, "unset it if it was meant for Chronik")
    if not problems and not warnings:
        yield Finding("settings", Verdict.FINE, "all are known and agree with each other")


def check_clock(facts: ClockFacts) -> Finding:
    """Judge the wall clock, by which records are stamped and deleted."""
    future_ms = 0 if facts.newest_file_ms is None else facts.newest_file_ms - facts.wall_ms
    if facts.wall_ms < EARLIEST_SANE_MS:
        return Finding("clock", Verdict.WRONG, f"it says {facts.wall_text}", "set the clock and keep it in step (NTP)")
    if future_ms > FUTURE_MS_MAX:
        what = f"data was written {future_ms / 60_000:,.0f} minutes after now: the clock was set back"
        return Finding("clock", Verdict.WRONG, what, "set the clock: retention by time would keep or delete wrongly")
    if abs(facts.drift_ms) > DRIFT_MS_MAX:
        what = f"it moved by {facts.drift_ms:+,.0f} ms against the monotonic clock while it was watched"
        return Finding("clock", Verdict.WRONG, what, "let it be slewed in small steps, not set, while brokers run")
    if facts.is_synchronized is False:
        return Finding(
            "clock", Verdict.HINT, "the kernel says that nothing keeps it in step", "run chrony or timesyncd"
        )
    how = "in step with a time source" if facts.is_synchronized else "whether it is kept in step cannot be read here"
    return Finding("clock", Verdict.FINE, f"{facts.wall_text}, {how}")


def check_open_files(facts: LimitFacts, connections_max: int, segments: int) -> Finding:
    """Compare the limit of open files with what connections and segments need."""
    limit = facts.open_files
    least, most = segments + FILES_SPARE, segments + FILES_SPARE + connections_max
    what = f"{limit:,} may be open"
    advice = (
        f"set LimitNOFILE={most} in the service, or 'ulimit -n {most}' (the hard limit is {facts.open_files_hard:,})"
    )
    if limit < least:
        return Finding("open files", Verdict.WRONG, f"{what}; {segments:,} segments alone need {least:,}", advice)
    if limit < most:
        what += f", enough for {limit - least:,} connections; max.connections allows {connections_max:,}"
        return Finding("open files", Verdict.HINT, what, f"{advice}, or lower max.connections")
    return Finding("open files", Verdict.FINE, f"{what}; at most {most:,} are needed")


def check_memory(facts: LimitFacts, in_flight_bytes_max: int) -> Finding:
    """Compare the memory that may be used with what requests under way may take."""
    bounds = [bound for bound in (facts.memory_limit_bytes, facts.memory_bytes) if bound is not None]
    if not bounds:
        return Finding("memory", Verdict.UNKNOWN, "neither its size nor a limit can be read", "check it by hand")
    have, need = min(bounds), BASE_MEMORY_BYTES + 2 * in_flight_bytes_max
    whose = "this machine has" if have == facts.memory_bytes else "the limit of this control group is"
    what = f"{whose} {have / _MIB:,.0f} MiB; under full load about {need / _MIB:,.0f} MiB are used"
    if have < need:
        return Finding("memory", Verdict.WRONG, what, "raise the limit, or lower chronik.in.flight.bytes.max")
    return Finding("memory", Verdict.FINE, what)


def check_swap(facts: LimitFacts) -> Finding:
    """Judge whether a busy machine would put the broker's memory on the disk."""
    if facts.swap_bytes is None:
        return Finding("swap", Verdict.HINT, "cannot be read here", "see that the broker is not swapped out")
    if not facts.swap_bytes:
        return Finding("swap", Verdict.FINE, "there is none")
    what = f"{facts.swap_bytes / _MIB:,.0f} MiB"
    if facts.swappiness is not None and facts.swappiness <= SWAPPINESS_MAX:
        return Finding("swap", Verdict.FINE, f"{what}, vm.swappiness={facts.swappiness}")
    return Finding(
        "swap", Verdict.HINT, f"{what}, vm.swappiness={facts.swappiness}", "set vm.swappiness=1: pauses hurt"
    )


def check_map_count(facts: LimitFacts) -> Finding:
    """Judge the limit of memory maps, of which log files need none."""
    count = facts.map_count_max
    if count is None:
        return Finding("memory maps", Verdict.HINT, "the limit cannot be read here")
    if count < MAP_COUNT_MIN:
        advice = f"set vm.max_map_count={MAP_COUNT_MIN} or more"
        return Finding("memory maps", Verdict.WRONG, f"only {count:,} are allowed", advice)
    return Finding("memory maps", Verdict.FINE, f"{count:,} are allowed; log files are not mapped")


def check_space(facts: DiskFacts) -> Finding:
    """Judge the space that is left on the data's disk."""
    if facts.total_bytes is None or facts.free_bytes is None:
        return Finding("disk space", Verdict.UNKNOWN, f"cannot be read for {facts.path}", "check that the path exists")
    what = f"{facts.free_bytes / _GIB:,.1f} of {facts.total_bytes / _GIB:,.1f} GiB are free at {facts.path}"
    if facts.free_bytes < FREE_BYTES_MIN:
        return Finding("disk space", Verdict.WRONG, what, "free space, or shorten retention.ms and retention.bytes")
    if facts.free_bytes < FREE_SHARE_MIN * facts.total_bytes:
        return Finding("disk space", Verdict.HINT, what, "free space, or shorten retention.ms and retention.bytes")
    return Finding("disk space", Verdict.FINE, what)


def check_inodes(facts: DiskFacts) -> Finding:
    """Judge how many more files the disk can hold; some file systems have no bound."""
    if not facts.total_inodes or facts.free_inodes is None:
        return Finding("inodes", Verdict.FINE, "the file system sets no bound")
    what = f"{facts.free_inodes:,} of {facts.total_inodes:,} are free"
    if facts.free_inodes < FREE_INODES_MIN:
        return Finding("inodes", Verdict.WRONG, what, "remove small files: every segment takes four")
    return Finding("inodes", Verdict.FINE, what)


def check_writing(facts: DiskFacts) -> Finding:
    """Judge whether the directory can be written, and how long a flush takes."""
    if facts.write_error is not None:
        advice = "give the directory to the user that runs the broker, or choose another with --data"
        return Finding("disk writes", Verdict.WRONG, f"{facts.path}: {facts.write_error}", advice)
    typical, worst = median(facts.flush_ms), max(facts.flush_ms)
    what = f"a flush takes {typical:.1f} ms, at worst {worst:.1f} ms"
    if worst > FLUSH_MS_SLOW or typical > FLUSH_MS_FAIR:
        advice = "acknowledgements that wait for flushes will be slow: use a faster disk, or one that is less busy"
        return Finding("disk writes", Verdict.HINT, what, advice)
    return Finding("disk writes", Verdict.FINE, what)


def check_filesystem(facts: DiskFacts) -> Finding:
    """Judge the kind of file system and how it is mounted."""
    kind = facts.filesystem
    if kind is None:
        return Finding("file system", Verdict.HINT, "its kind cannot be read here", "see that it is a local one")
    if kind in OVER_A_NETWORK:
        advice = "use a local disk: locks and flushes over a network do not keep their promises"
        return Finding("file system", Verdict.WRONG, kind, advice)
    if kind in _IN_MEMORY:
        return Finding("file system", Verdict.HINT, f"{kind}: data is gone with the machine's power", "use a disk")
    if kind in _OF_A_CONTAINER:
        return Finding("file system", Verdict.HINT, f"{kind}: data is gone with the container", "mount a volume there")
    if not {"noatime", "relatime"} & facts.mount_options:
        return Finding("file system", Verdict.HINT, f"{kind}, every read is noted down", "mount it with noatime")
    return Finding("file system", Verdict.FINE, kind)


def check_port(facts: PortFacts) -> Finding:
    """Judge whether a listener's address can be taken, or who has it."""
    check, where = f"port {facts.name}", f"{facts.host or '*'}:{facts.port}"
    if facts.port == 0:
        return Finding(check, Verdict.FINE, "any free port is taken")
    if facts.bind_error is None:
        return Finding(check, Verdict.FINE, f"{where} is free")
    if facts.broker is not None:
        broker = facts.broker
        what = f"a broker answers at {where}: cluster {broker.cluster_id or 'unnamed'}, {len(broker.versions)} APIs"
        return Finding(check, Verdict.FINE, what)
    if facts.is_taken:
        what = f"{where} is taken by {facts.holder or 'another program'}, which does not speak Kafka's protocol"
        return Finding(check, Verdict.WRONG, what, "stop it, or choose another port with --listen")
    advice = "choose an address of this machine, and a port above 1023, with --listen"
    return Finding(check, Verdict.WRONG, f"{where}: {facts.bind_error}", advice)


def check_advertised(facts: AddressFacts) -> Finding:
    """Judge the address that clients are told."""
    check, where = f"advertised {facts.name}", f"{facts.host}:{facts.port}"
    advice = f"set advertised.listeners={facts.name}://HOST:PORT with a name that clients can resolve and reach"
    if facts.resolve_error is not None:
        return Finding(check, Verdict.WRONG, f"{facts.host} does not resolve: {facts.resolve_error}", advice)
    if any(ip_address(address).is_unspecified for address in facts.addresses):
        return Finding(check, Verdict.WRONG, f"{where} is no address that a client can connect to", advice)
    if facts.listens_beyond_this_machine and all(ip_address(address).is_loopback for address in facts.addresses):
        what = f"clients of other machines are told {where}, where they would meet themselves"
        return Finding(check, Verdict.WRONG, what, advice)
    if facts.is_reachable is False:
        return Finding(check, Verdict.WRONG, f"{where} cannot be reached from here", advice)
    if facts.is_reachable is None:
        return Finding(check, Verdict.FINE, f"{where} resolves; it was not tried, because nothing listens for it here")
    return Finding(check, Verdict.FINE, f"{where} is reached from here")
