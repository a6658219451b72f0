"""The judgements of the doctor, each on facts that are fine but for one, and what it observes of this machine."""

import asyncio
import os
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chronik.cli import exits
from chronik.cli.doctor import checks, observations
from chronik.cli.doctor.checks import DoctorFinding as Finding
from chronik.cli.doctor.checks import DoctorVerdict as Verdict
from chronik.cli.doctor.checks import exit_code_of
from chronik.cli.doctor.observations import AddressFacts, BrokerFacts, ClockFacts, DiskFacts, LimitFacts, PortFacts
from chronik.server.settings.listeners import Listener

GIB = 1024**3
NOW_MS = 1_790_000_000_000
CLOCK = ClockFacts(NOW_MS, drift_ms=0.1, is_synchronized=True, newest_file_ms=NOW_MS - 1000)
LIMITS = LimitFacts(65_536, 65_536, 16 * GIB, None, 0, 60, 65_530)
DISK = DiskFacts(
    "/data", "ext4", frozenset({"rw", "relatime"}), 100 * GIB, 50 * GIB, 10**7, 10**6, None, (1.0, 2.0, 3.0), 10
)
FREE = PortFacts("PLAINTEXT", "127.0.0.1", 9092, None, is_taken=False, holder=None, broker=None)
TAKEN = replace(FREE, bind_error="address already in use", is_taken=True)
ADVERTISED = AddressFacts(
    "PLAINTEXT", "broker.example.org", 9092, ("192.0.2.7",), None, listens_beyond_this_machine=True, is_reachable=True
)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.FINE),
        ({"is_synchronized": None}, Verdict.FINE),
        ({"newest_file_ms": None}, Verdict.FINE),
        ({"is_synchronized": False}, Verdict.HINT),
        ({"wall_ms": 0}, Verdict.WRONG),
        ({"drift_ms": -2_000.0}, Verdict.WRONG),
        ({"newest_file_ms": NOW_MS + 3_600_000}, Verdict.WRONG),
    ],
)
def test_clock_that_is_wrong_or_jumps_is_found(changed: dict[str, Any], verdict: Verdict) -> None:
    assert_says(checks.check_clock(replace(CLOCK, **changed)), verdict)


@pytest.mark.parametrize(
    ("limit", "verdict"), [(10_000 + 500 + 256, Verdict.FINE), (10_755, Verdict.HINT), (755, Verdict.WRONG)]
)
def test_open_files_must_suffice_for_segments_and_should_for_connections(limit: int, verdict: Verdict) -> None:
    finding = checks.check_open_files(replace(LIMITS, open_files=limit), connections_max=10_000, segments=500)
    assert_says(finding, verdict)
    assert verdict is Verdict.FINE or "10756" in finding.advice


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.FINE),
        ({"memory_limit_bytes": 2 * GIB}, Verdict.FINE),
        ({"memory_limit_bytes": GIB // 2}, Verdict.WRONG),
        ({"memory_bytes": GIB // 2}, Verdict.WRONG),
        ({"memory_bytes": None}, Verdict.UNKNOWN),
    ],
)
def test_memory_is_bounded_by_the_smaller_of_machine_and_control_group(
    changed: dict[str, Any], verdict: Verdict
) -> None:
    assert_says(checks.check_memory(replace(LIMITS, **changed), GIB // 4), verdict)


def test_swap_and_memory_maps_are_judged() -> None:
    assert_says(checks.check_swap(LIMITS), Verdict.FINE)
    assert_says(checks.check_swap(replace(LIMITS, swap_bytes=GIB)), Verdict.HINT)
    assert_says(checks.check_swap(replace(LIMITS, swap_bytes=GIB, swappiness=1)), Verdict.FINE)
    assert_says(checks.check_map_count(LIMITS), Verdict.FINE)
    assert_says(checks.check_map_count(replace(LIMITS, map_count_max=100)), Verdict.WRONG)


@pytest.mark.parametrize(
    ("free_bytes", "verdict"), [(50 * GIB, Verdict.FINE), (5 * GIB, Verdict.HINT), (GIB - 1, Verdict.WRONG)]
)
def test_little_space_is_a_hint_and_next_to_none_is_wrong(free_bytes: int, verdict: Verdict) -> None:
    assert_says(checks.check_space(replace(DISK, free_bytes=free_bytes)), verdict)


@pytest.mark.parametrize(
    ("free", "total", "verdict"), [(10**6, 10**7, Verdict.FINE), (0, 0, Verdict.FINE), (9_999, 10**7, Verdict.WRONG)]
)
def test_inodes_may_run_out_where_they_are_bounded(free: int, total: int, verdict: Verdict) -> None:
    assert_says(checks.check_inodes(replace(DISK, free_inodes=free, total_inodes=total)), verdict)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.FINE),
        ({"flush_ms": (30.0, 30.0, 30.0)}, Verdict.HINT),
        ({"flush_ms": (1.0, 1.0, 900.0)}, Verdict.HINT),
        ({"write_error": "permission denied", "flush_ms": ()}, Verdict.WRONG),
    ],
)
def test_directory_must_be_writable_and_should_flush_fast(changed: dict[str, Any], verdict: Verdict) -> None:
    assert_says(checks.check_writing(replace(DISK, **changed)), verdict)


@pytest.mark.parametrize(
    ("kind", "options", "verdict"),
    [
        ("ext4", {"relatime"}, Verdict.FINE),
        ("xfs", {"noatime"}, Verdict.FINE),
        ("ext4", {"rw"}, Verdict.HINT),
        ("tmpfs", {"relatime"}, Verdict.HINT),
        ("overlay", {"relatime"}, Verdict.HINT),
        (None, set(), Verdict.HINT),
        ("nfs4", {"relatime"}, Verdict.WRONG),
    ],
)
def test_file_systems_that_lose_data_are_named(kind: str | None, options: set[str], verdict: Verdict) -> None:
    assert_says(checks.check_filesystem(replace(DISK, filesystem=kind, mount_options=frozenset(options))), verdict)


def test_port_is_free_held_by_a_broker_or_held_by_something_else() -> None:
    assert_says(checks.check_port(FREE), Verdict.FINE)
    assert_says(checks.check_port(replace(FREE, port=0)), Verdict.FINE)
    broker = checks.check_port(replace(TAKEN, broker=BrokerFacts("a-cluster", {18: (0, 4)})))
    assert_says(broker, Verdict.FINE)
    assert "a-cluster" in broker.what
    other = checks.check_port(replace(TAKEN, holder="nginx (7)"))
    assert_says(other, Verdict.WRONG)
    assert "nginx (7)" in other.what
    assert_says(checks.check_port(replace(FREE, bind_error="permission denied")), Verdict.WRONG)


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({}, Verdict.FINE),
        ({"is_reachable": None}, Verdict.FINE),
        ({"addresses": ("127.0.0.1",), "listens_beyond_this_machine": False}, Verdict.FINE),
        ({"is_reachable": False}, Verdict.WRONG),
        ({"resolve_error": "name or service not known", "addresses": ()}, Verdict.WRONG),
        ({"addresses": ("0.0.0.0",)}, Verdict.WRONG),
        ({"addresses": ("::",)}, Verdict.WRONG),
        ({"addresses": ("127.0.0.1", "::1")}, Verdict.WRONG),
    ],
)
def test_advertised_address_must_lead_clients_here(changed: dict[str, Any], verdict: Verdict) -> None:
    assert_says(checks.check_advertised(replace(ADVERTISED, **changed)), verdict)


def test_every_problem_of_the_settings_is_a_finding() -> None:
    assert [finding.verdict for finding in checks.check_settings((), ())] == [Verdict.FINE]
    found = list(checks.check_settings(("one", "two"), ("three",)))
    assert [(finding.what, finding.verdict) for finding in found] == [
        ("one", Verdict.WRONG),
        ("two", Verdict.WRONG),
        ("three", Verdict.HINT),
    ]


def test_exit_code_is_the_gravest_verdict_and_hints_do_not_count() -> None:
    def code(*verdicts: Verdict) -> int:
        return exit_code_of([Finding("check", verdict, "what") for verdict in verdicts])

    assert code(Verdict.FINE, Verdict.HINT) == exits.OK
    assert code(Verdict.FINE, Verdict.UNKNOWN) == exits.UNKNOWN
    assert code(Verdict.UNKNOWN, Verdict.WRONG, Verdict.HINT) == exits.FAILED


def assert_says(finding: Finding, verdict: Verdict) -> None:
    """Whatever is wrong comes with what to do about it."""
    assert finding.verdict is verdict, finding
    assert finding.what
    assert finding.advice or verdict is not Verdict.WRONG


# --- what is observed


def test_limits_are_read_from_either_kind_of_control_group(tmp_path: Path) -> None:
    (tmp_path / "proc/sys/vm").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory").mkdir(parents=True)
    (tmp_path / "proc/meminfo").write_text("MemTotal:  1024 kB\nSwapTotal:  0 kB\nHugePages_Total:  0\n")
    (tmp_path / "proc/sys/vm/swappiness").write_text("60\n")
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    unbounded = observations.observe_limits(tmp_path)
    assert (unbounded.memory_bytes, unbounded.memory_limit_bytes, unbounded.swap_bytes) == (1024**2, None, 0)
    assert (unbounded.swappiness, unbounded.map_count_max) == (60, None)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("4096\n")
    assert observations.observe_limits(tmp_path).memory_limit_bytes == 4096
    (tmp_path / "sys/fs/cgroup/memory.max").unlink()
    (tmp_path / "sys/fs/cgroup/memory/memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert observations.observe_limits(tmp_path).memory_limit_bytes is None


def test_mount_is_the_longest_beginning_of_the_path() -> None:
    table = "\n".join(
        [
            "1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw",
            "2 1 8:2 / /data rw,noatime - xfs /dev/b rw",
            "3 1 8:3 / /data\\040two rw - btrfs /dev/c rw",
            "nonsense",
        ]
    )
    assert observations._mount_of("/data/chronik", table) == ("xfs", frozenset({"rw", "noatime"}))
    assert observations._mount_of("/data two/x", table)[0] == "btrfs"
    assert observations._mount_of("/database", table)[0] == "ext4"
    assert observations._mount_of("/", "") == (None, frozenset())


def test_disk_of_a_directory_that_is_not_there_yet_is_that_of_the_nearest_above(tmp_path: Path) -> None:
    facts = observations.observe_disk(str(tmp_path / "not" / "there"))
    assert facts.path == str(tmp_path)
    assert facts.write_error is None
    assert len(facts.flush_ms) == 10
    assert facts.free_bytes is not None
    assert list(tmp_path.iterdir()) == []


def test_segments_are_counted_and_the_newest_tells_of_a_clock_set_back(tmp_path: Path) -> None:
    for partition, name in (("t-0", "00.log"), ("t-0", "05.log"), ("t-1", "00.log"), ("t-1", "00.index")):
        (tmp_path / partition).mkdir(exist_ok=True)
        (tmp_path / partition / name).touch()
    future_s = 2_000_000_000
    os.utime(tmp_path / "t-1" / "00.log", (future_s, future_s))
    assert observations.observe_disk(str(tmp_path)).segments == 3
    assert observations.observe_clock(str(tmp_path)).newest_file_ms == future_s * 1000


def test_file_that_is_no_directory_cannot_be_written_into(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert observations.observe_disk(str(tmp_path / "file")).write_error == "not a directory"


def test_port_held_by_a_program_that_says_nothing_is_taken_and_its_holder_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        observations, "_ASKING", replace(observations._ASKING, connect_timeout_ms=200, request_timeout_ms=200)
    )
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        listener = Listener("PLAINTEXT", "127.0.0.1", port, "localhost", port)
        held, advertised = asyncio.run(observations.observe_listener(listener))
    assert (held.is_taken, held.broker) == (True, None)
    assert held.holder is not None
    assert held.holder.endswith(f"({os.getpid()})")
    assert advertised.is_reachable is None
    free, reached = asyncio.run(observations.observe_listener(listener))
    assert (free.is_taken, free.bind_error) == (False, None)
    assert (reached.is_reachable, reached.listens_beyond_this_machine) == (True, False)


def test_name_that_nobody_knows_does_not_resolve() -> None:
    listener = Listener("PLAINTEXT", "127.0.0.1", 0, "no-such-host.invalid", 9092)
    _, advertised = asyncio.run(observations.observe_listener(listener))
    assert advertised.resolve_error
    assert advertised.is_reachable is None
