"""Real members of etcd on loopback ports, for tests: started, killed, stopped and started again one by one."""

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import Request, urlopen

ETCD: Final = shutil.which("etcd") or ("/usr/bin/etcd" if os.path.exists("/usr/bin/etcd") else None)
READY_S_MAX: Final = 60.0
HEARTBEAT_MS: Final = 50
ELECTION_MS: Final = 500
# A real installation keeps etcd's defaults (100 ms and 1 s); these make each test half as long.


class EtcdServers:
    """A cluster of etcd; whatever is killed can be started again on the same data."""

    def __init__(self, directory: Path, members: int = 1, election_ms: int = ELECTION_MS) -> None:
        assert ETCD is not None, "etcd is not installed"
        self._directory = directory
        self._election_ms = election_ms
        ports = _free_ports(2 * members)
        self._ports = list(zip(ports[::2], ports[1::2], strict=True))
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * members

    @property
    def url(self) -> str:
        return "etcd://" + ",".join(f"127.0.0.1:{client}" for client, _ in self._ports)

    def __enter__(self) -> "EtcdServers":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        for index in range(len(self._processes)):
            self.kill(index)

    def start(self) -> None:
        """Start every member that is not running, and wait until the cluster answers."""
        for index, process in enumerate(self._processes):
            if process is None:
                self._processes[index] = self._spawn(index)
        self.wait_ready()

    def kill(self, index: int) -> None:
        process, self._processes[index] = self._processes[index], None
        if process is not None:
            process.kill()
            process.wait(READY_S_MAX)

    def stop(self, index: int) -> None:
        """Stop a member as SIGSTOP does: it keeps its connections and says nothing."""
        self._running(index).send_signal(signal.SIGSTOP)

    def go_on(self, index: int) -> None:
        self._running(index).send_signal(signal.SIGCONT)

    def leader(self) -> int:
        """Find the member that leads."""
        for index, process in enumerate(self._processes):
            if process is not None:
                status = self._ask(index, "/v3/maintenance/status")
                if status["leader"] == status["header"]["member_id"]:
                    return index
        raise AssertionError("no member leads")

    def revision(self) -> int:
        """Ask the first member for etcd's revision."""
        return int(self._ask(0, "/v3/kv/range", {"key": "AA=="})["header"]["revision"])

    def wait_ready(self) -> None:
        """Wait until every running member answers a read that needs a majority."""
        deadline = time.monotonic() + READY_S_MAX
        for index, process in enumerate(self._processes):
            while process is not None and not self._answers(index):
                assert process.poll() is None, self._log(index).read_text()
                assert time.monotonic() < deadline, f"etcd is not ready: {self._log(index).read_text()}"
                time.sleep(0.02)

    def empty(self, index: int) -> None:
        """Take away what a member that is not running had stored."""
        assert self._processes[index] is None
        shutil.rmtree(self._data(index))

    def _answers(self, index: int) -> bool:
        try:
            self._ask(index, "/v3/kv/range", {"key": "AA=="})
        except (URLError, OSError):
            return False
        return True

    def _ask(self, index: int, path: str, body: Any = None) -> Any:
        url = f"http://127.0.0.1:{self._ports[index][0]}{path}"
        with urlopen(Request(url, json.dumps(body or {}).encode()), timeout=5) as response:
            return json.load(response)

    def _running(self, index: int) -> "subprocess.Popen[bytes]":
        process = self._processes[index]
        assert process is not None
        return process

    def _data(self, index: int) -> Path:
        return self._directory / f"etcd-{index}"

    def _log(self, index: int) -> Path:
        return self._directory / f"etcd-{index}.log"

    def _spawn(self, index: int) -> "subprocess.Popen[bytes]":
        client, peer = (f"http://127.0.0.1:{port}" for port in self._ports[index])
        members = ",".join(f"m{n}=http://127.0.0.1:{port}" for n, (_, port) in enumerate(self._ports))
        options = {
            "name": f"m{index}",
            "data-dir": str(self._data(index)),
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": members,
            "initial-cluster-token": self._directory.name,
            "heartbeat-interval": HEARTBEAT_MS,
            "election-timeout": self._election_ms,
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        with self._log(index).open("ab") as log:
            return subprocess.Popen([*_dying_with_us(), str(ETCD), *arguments], stdout=log, stderr=log)


def _dying_with_us() -> list[str]:
    """Have the kernel end a member with the process that started it, however that ends."""
    # It ends with the thread that started it, to be exact.
    is_possible = shutil.which("setpriv") and threading.current_thread() is threading.main_thread()
    return ["setpriv", "--pdeathsig", "KILL"] if is_possible else []


def _free_ports(count: int) -> list[int]:
    """Ports that are free now; held together, so that they differ."""
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
