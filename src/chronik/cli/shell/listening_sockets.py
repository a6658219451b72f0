"""Which process of this machine listens at which address, as far as ``/proc`` shows it."""

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from chronik.server.settings.listeners import Address
from chronik.storage.directory import LOCK

_PROC: Final = Path("/proc")
_LISTENING: Final = "0A"


def holder_of(port: int, proc: Path = _PROC) -> str | None:
    """Return the process that listens on a port as ``name (pid)``; None where it cannot be seen."""
    inodes = {inode for inode, address in _listening_sockets(proc) if address.port == port}
    for process in proc.iterdir() if inodes else ():
        if process.name.isdigit() and not inodes.isdisjoint(_socket_inodes(process)):
            with contextlib.suppress(OSError):
                return f"{(process / 'comm').read_text().strip()} ({process.name})"
            return f"a process ({process.name})"
    return None


def running_addresses(data_dir: str, proc: Path = _PROC) -> list[Address]:
    """Return the addresses at which the broker listens that holds the lock of a data directory."""
    try:
        process = proc / Path(data_dir, LOCK).read_text().strip()
        holds_lock = any(
            _link(process, handle) == os.path.realpath(Path(data_dir, LOCK)) for handle in _handles(process)
        )
    except (OSError, ValueError):
        return []
    inodes = _socket_inodes(process) if holds_lock else set()
    return [address for inode, address in _listening_sockets(proc) if inode in inodes]


def _listening_sockets(proc: Path) -> Iterator[tuple[str, Address]]:
    for table in (proc / "net/tcp", proc / "net/tcp6"):
        with contextlib.suppress(OSError):
            for line in table.read_text().splitlines()[1:]:
                fields = line.split()
                if fields[3] == _LISTENING:
                    host, _, port = fields[1].partition(":")
                    yield fields[9], Address(_host_of(host), int(port, 16))


def _host_of(digits: str) -> str:
    """Read an address as the kernel prints it: words of 32 bits, each in the byte order of the machine."""
    words = [int(digits[at : at + 8], 16).to_bytes(4, sys.byteorder) for at in range(0, len(digits), 8)]
    return socket.inet_ntop(socket.AF_INET if len(words) == 1 else socket.AF_INET6, b"".join(words))


def _socket_inodes(process: Path) -> set[str]:
    links = (_link(process, handle) for handle in _handles(process))
    return {link.removeprefix("socket:[").removesuffix("]") for link in links if link.startswith("socket:[")}


def _handles(process: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(process / "fd")
    return []


def _link(process: Path, handle: str) -> str:
    with contextlib.suppress(OSError):
        return os.readlink(process / "fd" / handle)
    return ""
