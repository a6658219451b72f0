"""What ``chronik doctor`` finds out about the metadata store and the HTTP side, and what it thinks of them.

Nothing is changed: a SQLite file is only read, and the members of an etcd are asked for their health.
"""

import asyncio
import contextlib
import errno
import json
import os
import sqlite3
import time
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from chronik.cli.doctor.checks import OVER_A_NETWORK, Finding, Verdict
from chronik.cli.doctor.facts import filesystem_of
from chronik.cli.doctor.network import holder_of, take_address
from chronik.metadata.stores.etcd.address import parse_url
from chronik.metadata.stores.open import sqlite_path
from chronik.server.settings.listeners import Address, show_address
from chronik.server.status.peers import PeerError, ask

_SECONDS_MAX: Final = 2.0
_SLOW_MS: Final = 200.0


@dataclass(frozen=True, slots=True)
class FileStoreFacts:
    """A SQLite file, or the place where it will be."""

    path: str
    filesystem: str | None
    is_there: bool
    problem: str | None
    """Why it cannot be read, or its directory not be written."""


@dataclass(frozen=True, slots=True)
class MemberFacts:
    """One member of an etcd."""

    where: str
    problem: str | None
    answered_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class HttpPortFacts:
    """The HTTP side's address: whether it can be taken, or who answers there."""

    where: str
    bind_error: str | None = None
    is_taken: bool = False
    holder: str | None = None
    node_id: int | None = None
    """The broker of Chronik that answers there."""


# --- the store


async def observe_store(url: str) -> "FileStoreFacts | list[MemberFacts] | None":
    """Look at the store without changing it; None for one in memory, of which nothing can be seen."""
    if url.startswith("sqlite:"):
        return observe_file(sqlite_path(url))
    if url.startswith("etcd:"):
        addresses, _ = parse_url(url)
        return list(await asyncio.gather(*(_observe_member(host, port) for host, port in addresses)))
    return None


def observe_file(path: str) -> FileStoreFacts:
    """Read a SQLite file, or see whether one could be made."""
    directory = os.path.dirname(os.path.abspath(path))
    is_there = os.path.exists(path)
    return FileStoreFacts(
        path, filesystem_of(directory), is_there, _why_not_read(path) if is_there else _why_not_made(directory)
    )


def _why_not_read(path: str) -> str | None:
    try:
        with contextlib.closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True, timeout=_SECONDS_MAX)) as file:
            file.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return str(error)
    return None if os.access(path, os.W_OK) else "it may not be written by this user"


def _why_not_made(directory: str) -> str | None:
    nearest = directory
    while not os.path.exists(nearest) and nearest != os.path.dirname(nearest):
        nearest = os.path.dirname(nearest)
    if not os.path.isdir(nearest):
        return f"{nearest} is no directory"
    return None if os.access(nearest, os.W_OK | os.X_OK) else f"{nearest} may not be written by this user"


async def _observe_member(host: str, port: int) -> MemberFacts:
    where = show_address(host, port)
    began = time.perf_counter()
    try:
        answer = await ask(where, "/health", _SECONDS_MAX)
        is_well = str(json.loads(answer.body).get("health")).lower() == "true"
    except (PeerError, ValueError, AttributeError) as error:
        return MemberFacts(where, str(error))
    problem = None if is_well else "it says that it is not well"
    return MemberFacts(where, problem, (time.perf_counter() - began) * 1000)


def check_store(facts: "FileStoreFacts | list[MemberFacts] | None") -> Finding:
    """Judge the store that keeps the cluster's facts: without it no leader is elected and no topic made."""
    if facts is None:
        return Finding(
            "store", Verdict.HINT, "in memory: gone with the process", "use sqlite: or etcd: but for a trial"
        )
    return _check_file(facts) if isinstance(facts, FileStoreFacts) else _check_members(facts)


def _check_file(facts: FileStoreFacts) -> Finding:
    if facts.filesystem in OVER_A_NETWORK:
        advice = "use a local disk for brokers of one machine, and etcd: for several machines"
        return Finding("store", Verdict.WRONG, f"{facts.path} lies on {facts.filesystem}, over a network", advice)
    if facts.problem is not None:
        advice = "give it to the user that runs the broker, or name another with chronik.metadata.store"
        return Finding("store", Verdict.WRONG, f"{facts.path}: {facts.problem}", advice)
    what = "is there and can be read" if facts.is_there else "will be made at the first start"
    return Finding("store", Verdict.FINE, f"{facts.path} {what}")


def _check_members(members: list[MemberFacts]) -> Finding:
    bad = [f"{member.where}: {member.problem}" for member in members if member.problem is not None]
    well = len(members) - len(bad)
    if well < len(members) // 2 + 1:
        advice = "start etcd there, or correct chronik.metadata.store: more than half of its members must answer"
        return Finding("store", Verdict.WRONG, "; ".join(bad), advice)
    if bad:
        return Finding("store", Verdict.HINT, "; ".join(bad), "start it: the next that fails stops the cluster")
    slowest = max(member.answered_ms for member in members)
    what = f"{well} of {well} members of etcd are well, the slowest answers after {slowest:.0f} ms"
    if slowest > _SLOW_MS:
        return Finding("store", Verdict.HINT, what, "elections wait for it: put it near, on a disk of its own")
    return Finding("store", Verdict.FINE, what)


# --- the HTTP side


async def observe_http(address: Address | None) -> HttpPortFacts | None:
    """Try to take the address of the HTTP side for a moment; None where none is served."""
    if address is None:
        return None
    where = show_address(address.host or "*", address.port)
    probes, error = take_address(address.host if address.host != "*" else "", address.port)
    for probe in probes:
        probe.close()
    if error is None:
        return HttpPortFacts(where)
    if error.errno != errno.EADDRINUSE:
        return HttpPortFacts(where, error.strerror or str(error))
    node_id = await _node_at(address)
    return HttpPortFacts(
        where, "address already in use", is_taken=True, holder=holder_of(address.port), node_id=node_id
    )


async def _node_at(address: Address) -> int | None:
    host = "localhost" if address.host in ("", "*", "0.0.0.0", "::") else address.host
    try:
        answer = await ask(show_address(host, address.port), "/api/cluster", _SECONDS_MAX)
        return int(json.loads(answer.body)["asked"])
    except (PeerError, ValueError, KeyError, TypeError):
        return None


def check_http(facts: HttpPortFacts | None) -> Finding:
    """Judge the address of the HTTP side; a broker that cannot take it refuses to start."""
    if facts is None:
        return Finding(
            "port HTTP", Verdict.HINT, "none is served", "set chronik.http.listener to see metrics and faults"
        )
    if facts.where.endswith(":0"):
        return Finding("port HTTP", Verdict.FINE, "any free port is taken")
    if facts.bind_error is None:
        return Finding("port HTTP", Verdict.FINE, f"{facts.where} is free")
    if facts.node_id is not None:
        return Finding("port HTTP", Verdict.FINE, f"broker {facts.node_id} answers at {facts.where}")
    advice = "stop it, or set chronik.http.listener to another port, or to nothing"
    if facts.is_taken:
        what = f"{facts.where} is taken by {facts.holder or 'another program'}, which is no broker"
        return Finding("port HTTP", Verdict.WRONG, what, advice)
    advice = "set chronik.http.listener to an address of this machine, and a port above 1023"
    return Finding("port HTTP", Verdict.WRONG, f"{facts.where}: {facts.bind_error.lower()}", advice)
