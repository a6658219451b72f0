"""Members of etcd as processes on this machine, which can be killed and started again."""

import json
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterable
from pathlib import Path
from typing import Any

READY_SECONDS_MAX = 60.0
ASK_SECONDS_MAX = 2.0


def free_ports(count: int) -> list[int]:
    """Ports that are free now; held together, so that they differ."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports


class EtcdMembers:
    """Several members, numbered from 0; killed ones come back with their data."""

    def __init__(self, directory: Path, count: int = 3) -> None:
        self._directory = directory
        ports = free_ports(2 * count)
        self._clients, self._peers = ports[:count], ports[count:]
        self._processes: dict[int, subprocess.Popen[bytes]] = {}

    @property
    def url(self) -> str:
        """The setting of a broker for this store."""
        return "etcd://" + ",".join(f"127.0.0.1:{port}" for port in self._clients)

    @property
    def running(self) -> list[int]:
        return [member for member, process in self._processes.items() if process.poll() is None]

    def start(self) -> "EtcdMembers":
        """Start every member that does not run, and wait until they have a leader."""
        for member in range(len(self._clients)):
            if member not in self.running:
                self._spawn(member)
        deadline = time.monotonic() + READY_SECONDS_MAX
        while self.leader() is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"etcd has no leader after {READY_SECONDS_MAX} s")
            time.sleep(0.1)
        return self

    def leader(self) -> int | None:
        """Return the member that leads, if a member answers."""
        for member in self.running:
            status = self._status(member)
            if status is not None and status.get("leader", "0") == status["header"]["member_id"]:
                return member
        return None

    def kill(self, members: Iterable[int] | None = None) -> None:
        """End these (or all) as a crash would."""
        for member in self.running if members is None else members:
            self._processes[member].send_signal(signal.SIGKILL)
            self._processes[member].wait()

    def close(self) -> None:
        self.kill()

    def _spawn(self, member: int) -> None:
        def name(number: int) -> str:
            return f"member{number}"

        client, peer = (f"http://127.0.0.1:{ports[member]}" for ports in (self._clients, self._peers))
        cluster = ",".join(f"{name(number)}=http://127.0.0.1:{port}" for number, port in enumerate(self._peers))
        home = self._directory / name(member)
        home.mkdir(parents=True, exist_ok=True)
        command = ["etcd", "--name", name(member), "--data-dir", str(home / "data"), "--initial-cluster", cluster]
        command += ["--listen-client-urls", client, "--advertise-client-urls", client]
        command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer]
        with (home / "etcd.log").open("ab") as log:
            self._processes[member] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def _status(self, member: int) -> dict[str, Any] | None:
        url = f"http://127.0.0.1:{self._clients[member]}/v3/maintenance/status"
        request = urllib.request.Request(url, data=b"{}", method="POST")
        try:
            with urllib.request.urlopen(request, timeout=ASK_SECONDS_MAX) as answer:
                status: dict[str, Any] = json.load(answer)
                return status
        except (OSError, ValueError):
            return None
