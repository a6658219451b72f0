"""``chronik doctor``: check a machine for the needs of a broker. Judgements are pure functions of observed facts."""

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from ipaddress import ip_address
from statistics import median
from typing import Any, Final

import click

from chronik.cli import exits
from chronik.cli.doctor import observations as observe
from chronik.cli.doctor.observations import (
    AddressFacts,
    ClockFacts,
    DiskFacts,
    FileStoreFacts,
    HttpPortFacts,
    LimitFacts,
    MemberFacts,
    PortFacts,
)
from chronik.cli.serve import broker_environment, default_settings, option_overrides
from chronik.cli.shell.output import print_json, print_table
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.protocol.apis import ApiKey
from chronik.server.settings.server import Settings, SettingsError, load_settings

_MIB: Final = 1024 * 1024
_GIB: Final = 1024 * _MIB

EARLIEST_SANE_MS: Final = 1_735_689_600_000
"""The beginning of 2025, before which this program did not exist."""
DRIFT_MS_MAX: Final = 50.0
FUTURE_MS_MAX: Final = 60_000
FILES_SPARE: Final = 256
"""Descriptors beside connections and segments: listeners, the store, directories, files that are rewritten."""
BASE_MEMORY_BYTES: Final = 256 * _MIB
MAP_COUNT_MIN: Final = 4_096
SWAPPINESS_MAX: Final = 10
FREE_BYTES_MIN: Final = _GIB
FREE_SHARE_MIN: Final = 0.1
FREE_INODES_MIN: Final = 10_000
FLUSH_MS_FAIR: Final = 20.0
FLUSH_MS_SLOW: Final = 500.0
ETCD_MS_SLOW: Final = 200.0

OVER_A_NETWORK: Final = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "fuse.s3fs"})
_IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_OF_A_CONTAINER: Final = frozenset({"overlay", "aufs"})


class DoctorVerdict(Enum):
    """The outcome of a check."""

    FINE = "fine"
    HINT = "hint"
    """It works, and could work better."""
    UNKNOWN = "could not tell"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class DoctorFinding:
    """One line of the report."""

    check: str
    verdict: DoctorVerdict
    what: str
    advice: str = ""


def fine(check: str, what: str) -> DoctorFinding:
    return DoctorFinding(check, DoctorVerdict.FINE, what)


def hint(check: str, what: str, advice: str = "") -> DoctorFinding:
    return DoctorFinding(check, DoctorVerdict.HINT, what, advice)


def wrong(check: str, what: str, advice: str) -> DoctorFinding:
    return DoctorFinding(check, DoctorVerdict.WRONG, what, advice)


def check_settings(problems: Iterable[str], warnings: Iterable[str]) -> Iterator[DoctorFinding]:
    """Show all that is wrong with the settings."""
    problems, warnings = tuple(problems), tuple(warnings)
    for problem in problems:
        yield wrong("settings", problem, "correct it: the broker refuses to start")
    for warning in warnings:
        yield hint("settings", warning, "unset it if it was meant for Chronik")
    if not problems and not warnings:
        yield fine("settings", "all are known and agree with each other")


def check_clock(facts: ClockFacts) -> DoctorFinding:
    """Judge the wall clock, by which records are stamped and deleted."""
    future_ms = 0 if facts.newest_file_ms is None else facts.newest_file_ms - facts.wall_ms
    if facts.wall_ms < EARLIEST_SANE_MS:
        return wrong("clock", f"it says {facts.wall_text}", "set the clock and keep it in step (NTP)")
    if future_ms > FUTURE_MS_MAX:
        what = f"data was written {future_ms / 60_000:,.0f} minutes after now: the clock was set back"
        return wrong("clock", what, "set the clock: retention by time would keep or delete wrongly")
    if abs(facts.drift_ms) > DRIFT_MS_MAX:
        what = f"it moved by {facts.drift_ms:+,.0f} ms against the monotonic clock while it was watched"
        return wrong("clock", what, "let it be slewed in small steps, not set, while brokers run")
    if facts.is_synchronized is False:
        return hint("clock", "the kernel says that nothing keeps it in step", "run chrony or timesyncd")
    how = "in step with a time source" if facts.is_synchronized else "whether it is kept in step cannot be read here"
    return fine("clock", f"{facts.wall_text}, {how}")


def check_open_files(facts: LimitFacts, connections_max: int, segments: int) -> DoctorFinding:
    """Compare the limit of open files with what connections and segments need."""
    limit = facts.open_files
    least, most = segments + FILES_SPARE, segments + FILES_SPARE + connections_max
    what = f"{limit:,} may be open"
    advice = (
        f"set LimitNOFILE={most} in the service, or 'ulimit -n {most}' (the hard limit is {facts.open_files_hard:,})"
    )
    if limit < least:
        return wrong("open files", f"{what}; {segments:,} segments alone need {least:,}", advice)
    if limit < most:
        what += f", enough for {limit - least:,} connections; max.connections allows {connections_max:,}"
        return hint("open files", what, f"{advice}, or lower max.connections")
    return fine("open files", f"{what}; at most {most:,} are needed")


def check_memory(facts: LimitFacts, in_flight_bytes_max: int) -> DoctorFinding:
    """Compare the memory that may be used with what requests under way may take."""
    bounds = [bound for bound in (facts.memory_limit_bytes, facts.memory_bytes) if bound is not None]
    if not bounds:
        return DoctorFinding(
            "memory", DoctorVerdict.UNKNOWN, "neither its size nor a limit can be read", "check it by hand"
        )
    have, need = min(bounds), BASE_MEMORY_BYTES + 2 * in_flight_bytes_max
    whose = "this machine has" if have == facts.memory_bytes else "the limit of this control group is"
    what = f"{whose} {have / _MIB:,.0f} MiB; under full load about {need / _MIB:,.0f} MiB are used"
    if have < need:
        return wrong("memory", what, "raise the limit, or lower chronik.in.flight.bytes.max")
    return fine("memory", what)


def check_swap(facts: LimitFacts) -> DoctorFinding:
    """Judge whether a busy machine would put the broker's memory on the disk."""
    if facts.swap_bytes is None:
        return hint("swap", "cannot be read here", "see that the broker is not swapped out")
    if not facts.swap_bytes:
        return fine("swap", "there is none")
    what = f"{facts.swap_bytes / _MIB:,.0f} MiB"
    if facts.swappiness is not None and facts.swappiness <= SWAPPINESS_MAX:
        return fine("swap", f"{what}, vm.swappiness={facts.swappiness}")
    return hint("swap", f"{what}, vm.swappiness={facts.swappiness}", "set vm.swappiness=1: pauses hurt")


def check_map_count(facts: LimitFacts) -> DoctorFinding:
    """Judge the limit of memory maps, of which log files need none."""
    count = facts.map_count_max
    if count is None:
        return hint("memory maps", "the limit cannot be read here")
    if count < MAP_COUNT_MIN:
        advice = f"set vm.max_map_count={MAP_COUNT_MIN} or more"
        return wrong("memory maps", f"only {count:,} are allowed", advice)
    return fine("memory maps", f"{count:,} are allowed; log files are not mapped")


def check_space(facts: DiskFacts) -> DoctorFinding:
    """Judge the space that is left on the data's disk."""
    if facts.total_bytes is None or facts.free_bytes is None:
        return DoctorFinding(
            "disk space", DoctorVerdict.UNKNOWN, f"cannot be read for {facts.path}", "check that the path exists"
        )
    what = f"{facts.free_bytes / _GIB:,.1f} of {facts.total_bytes / _GIB:,.1f} GiB are free at {facts.path}"
    if facts.free_bytes < FREE_BYTES_MIN:
        return wrong("disk space", what, "free space, or shorten retention.ms and retention.bytes")
    if facts.free_bytes < FREE_SHARE_MIN * facts.total_bytes:
        return hint("disk space", what, "free space, or shorten retention.ms and retention.bytes")
    return fine("disk space", what)


def check_inodes(facts: DiskFacts) -> DoctorFinding:
    """Judge how many more files the disk can hold; some file systems have no bound."""
    if not facts.total_inodes or facts.free_inodes is None:
        return fine("inodes", "the file system sets no bound")
    what = f"{facts.free_inodes:,} of {facts.total_inodes:,} are free"
    if facts.free_inodes < FREE_INODES_MIN:
        return wrong("inodes", what, "remove small files: every segment takes four")
    return fine("inodes", what)


def check_writing(facts: DiskFacts) -> DoctorFinding:
    """Judge whether the directory can be written, and how long a flush takes."""
    if facts.write_error is not None:
        advice = "give the directory to the user that runs the broker, or choose another with --data"
        return wrong("disk writes", f"{facts.path}: {facts.write_error}", advice)
    typical, worst = median(facts.flush_ms), max(facts.flush_ms)
    what = f"a flush takes {typical:.1f} ms, at worst {worst:.1f} ms"
    if worst > FLUSH_MS_SLOW or typical > FLUSH_MS_FAIR:
        advice = "acknowledgements that wait for flushes will be slow: use a faster disk, or one that is less busy"
        return hint("disk writes", what, advice)
    return fine("disk writes", what)


def check_filesystem(facts: DiskFacts) -> DoctorFinding:
    """Judge the kind of file system and how it is mounted."""
    kind = facts.filesystem
    if kind is None:
        return hint("file system", "its kind cannot be read here", "see that it is a local one")
    if kind in OVER_A_NETWORK:
        advice = "use a local disk: locks and flushes over a network do not keep their promises"
        return wrong("file system", kind, advice)
    if kind in _IN_MEMORY:
        return hint("file system", f"{kind}: data is gone with the machine's power", "use a disk")
    if kind in _OF_A_CONTAINER:
        return hint("file system", f"{kind}: data is gone with the container", "mount a volume there")
    if not {"noatime", "relatime"} & facts.mount_options:
        return hint("file system", f"{kind}, every read is noted down", "mount it with noatime")
    return fine("file system", kind)


def check_port(facts: PortFacts) -> DoctorFinding:
    """Check whether the address of a listener is free, or which process holds it."""
    check, where = f"port {facts.name}", f"{facts.host or '*'}:{facts.port}"
    if facts.port == 0:
        return fine(check, "any free port is taken")
    if facts.bind_error is None:
        return fine(check, f"{where} is free")
    if facts.broker is not None:
        broker = facts.broker
        what = f"a broker answers at {where}: cluster {broker.cluster_id or 'unnamed'}, {len(broker.versions)} APIs"
        return fine(check, what)
    if facts.is_taken:
        what = f"{where} is taken by {facts.holder or 'another program'}, which does not speak Kafka's protocol"
        return wrong(check, what, "stop it, or choose another port with --listen")
    advice = "choose an address of this machine, and a port above 1023, with --listen"
    return wrong(check, f"{where}: {facts.bind_error}", advice)


def check_advertised(facts: AddressFacts) -> DoctorFinding:
    """Check the advertised address."""
    check, where = f"advertised {facts.name}", f"{facts.host}:{facts.port}"
    advice = f"set advertised.listeners={facts.name}://HOST:PORT with a name that clients can resolve and reach"
    if facts.resolve_error is not None:
        return wrong(check, f"{facts.host} does not resolve: {facts.resolve_error}", advice)
    if any(ip_address(address).is_unspecified for address in facts.addresses):
        return wrong(check, f"{where} is no address that a client can connect to", advice)
    if facts.listens_beyond_this_machine and all(ip_address(address).is_loopback for address in facts.addresses):
        what = f"clients of other machines are told {where}, where they would meet themselves"
        return wrong(check, what, advice)
    if facts.is_reachable is False:
        return wrong(check, f"{where} cannot be reached from here", advice)
    if facts.is_reachable is None:
        return fine(check, f"{where} resolves; it was not tried, because nothing listens for it here")
    return fine(check, f"{where} is reached from here")


def check_store(facts: "FileStoreFacts | list[MemberFacts] | None") -> DoctorFinding:
    """Judge the store that keeps the cluster's facts: without it no leader is elected and no topic made."""
    if facts is None:
        return hint("store", "in memory: gone with the process", "use sqlite: or etcd: but for a trial")
    return _check_file(facts) if isinstance(facts, FileStoreFacts) else _check_members(facts)


def _check_file(facts: FileStoreFacts) -> DoctorFinding:
    if facts.filesystem in OVER_A_NETWORK:
        advice = "use a local disk for brokers of one machine, and etcd: for several machines"
        return wrong("store", f"{facts.path} lies on {facts.filesystem}, over a network", advice)
    if facts.problem is not None:
        advice = "give it to the user that runs the broker, or name another with chronik.metadata.store"
        return wrong("store", f"{facts.path}: {facts.problem}", advice)
    what = "is there and can be read" if facts.is_there else "will be made at the first start"
    return fine("store", f"{facts.path} {what}")


def _check_members(members: list[MemberFacts]) -> DoctorFinding:
    bad = [f"{member.where}: {member.problem}" for member in members if member.problem is not None]
    well = len(members) - len(bad)
    if well < len(members) // 2 + 1:
        advice = "start etcd there, or correct chronik.metadata.store: more than half of its members must answer"
        return wrong("store", "; ".join(bad), advice)
    if bad:
        return hint("store", "; ".join(bad), "start it: the next that fails stops the cluster")
    slowest = max(member.answered_ms for member in members)
    what = f"{well} of {well} members of etcd are well, the slowest answers after {slowest:.0f} ms"
    if slowest > ETCD_MS_SLOW:
        return hint("store", what, "elections wait for it: put it near, on a disk of its own")
    return fine("store", what)


def check_http(facts: HttpPortFacts | None) -> DoctorFinding:
    """Judge the address of the HTTP server; a broker that cannot take it refuses to start."""
    if facts is None:
        return hint("port HTTP", "none is served", "set chronik.http.listener to see metrics and faults")
    if facts.where.endswith(":0"):
        return fine("port HTTP", "any free port is taken")
    if facts.bind_error is None:
        return fine("port HTTP", f"{facts.where} is free")
    if facts.node_id is not None:
        return fine("port HTTP", f"broker {facts.node_id} answers at {facts.where}")
    advice = "stop it, or set chronik.http.listener to another port, or to nothing"
    if facts.is_taken:
        what = f"{facts.where} is taken by {facts.holder or 'another program'}, which is no broker"
        return wrong("port HTTP", what, advice)
    advice = "set chronik.http.listener to an address of this machine, and a port above 1023"
    return wrong("port HTTP", f"{facts.where}: {facts.bind_error.lower()}", advice)


# --- the command


@click.command()
@click.option("--config", "config_file", type=click.Path(dir_okay=False), help="A server.properties file.")
@click.option("--listen", metavar="HOST:PORT", help="Where clients would connect.")
@click.option("--data", type=click.Path(file_okay=False), help="The data directory.")
@click.option("--node-id", type=click.IntRange(0), help="This broker's number in the cluster.")
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting, by Kafka's name; it wins.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
@click.pass_context
def doctor(
    ctx: click.Context,
    config_file: str | None,
    listen: str | None,
    data: str | None,
    node_id: int | None,
    overrides: tuple[str, ...],
    as_json: bool,
) -> int:
    """Check clock, limits, disk, ports, advertised addresses and store for a broker with these settings.

    Takes the settings of 'chronik serve' and changes nothing: a small file is written, flushed and removed in the data
    directory, and a free port is held for a moment. A running broker is asked for its API versions.

    The exit code is 1 if something is wrong, and 2 if nothing is wrong but something could not be read.
    """
    given = {**overrides_of(ctx, overrides), **option_overrides(listen, data, node_id)}
    defaults = default_settings(os.environ.get("XDG_DATA_HOME"))
    if data is not None:
        # A broker that runs on the data directory may listen elsewhere than at the default ports.
        defaults |= asyncio.run(observe.observe_running(data))
    try:
        settings = load_settings(config_file, broker_environment(os.environ), given, defaults)
    except SettingsError as error:
        ports: list[PortFacts] = []
        findings = list(_without_settings(error.problems))
    else:
        ports, findings = _with_settings(settings)
    _show(findings, ports, as_json)
    return exit_code_of(findings)


def _without_settings(problems: Sequence[str]) -> Iterator[DoctorFinding]:
    """Check what does not depend on the settings, which cannot be used."""
    yield from check_settings(problems, ())
    yield check_clock(observe.observe_clock(None))
    limits = observe.observe_limits()
    yield check_swap(limits)
    yield check_map_count(limits)


def _with_settings(settings: Settings) -> tuple[list[PortFacts], list[DoctorFinding]]:
    async def observe_all() -> Any:
        network = [await observe.observe_listener(listener) for listener in settings.listeners]
        return (
            network,
            await observe.observe_http(settings.http_listener),
            await observe.observe_store(settings.metadata_store),
        )

    limits, disk = observe.observe_limits(), observe.observe_disk(settings.data_dir)
    network, http, store = asyncio.run(observe_all())
    findings = [
        *check_settings((), settings.warnings),
        check_clock(observe.observe_clock(settings.data_dir)),
        check_open_files(limits, settings.connections_max, disk.segments),
        check_memory(limits, settings.in_flight_bytes_max),
        check_swap(limits),
        check_map_count(limits),
        check_space(disk),
        check_inodes(disk),
        check_writing(disk),
        check_filesystem(disk),
        *(check_port(port) for port, _ in network),
        check_http(http),
        *(check_advertised(address) for _, address in network),
        check_store(store),
    ]
    return [port for port, _ in network], findings


def exit_code_of(findings: Iterable[DoctorFinding]) -> int:
    """Return the exit code of the gravest verdict; hints do not count."""
    verdicts = {finding.verdict for finding in findings}
    if DoctorVerdict.WRONG in verdicts:
        return exits.FAILED
    return exits.UNKNOWN if DoctorVerdict.UNKNOWN in verdicts else exits.OK


def _show(findings: Sequence[DoctorFinding], ports: Iterable[PortFacts], as_json: bool) -> None:
    rows = [(finding.check, finding.verdict.value, finding.what, finding.advice) for finding in findings]
    if as_json:
        documents = [dict(zip(("check", "verdict", "found", "advice"), row, strict=True)) for row in rows]
        print_json({"findings": documents, "brokers": _brokers(ports)})
        return
    print_table(("check", "verdict", "found", "what to do"), rows)


def _brokers(ports: Iterable[PortFacts]) -> list[dict[str, Any]]:
    """Show the brokers that answered, with the table of what they speak."""
    known = ApiKey._value2member_map_
    return [
        {
            "listener": port.name,
            "port": port.port,
            "cluster_id": port.broker.cluster_id,
            "apis": {
                ApiKey(key).name if key in known else str(key): list(versions)
                for key, versions in sorted(port.broker.versions.items())
            },
        }
        for port in ports
        if port.broker is not None
    ]
