"""Machines as network namespaces of this one: each has an address, a member of etcd and a broker, and can be cut off.

They are set up as `docs/operations.md` says: its blocks are read, and only addresses and directories are others.
"""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chronik.testing.process import end, ready_event
from tests.brokers import CHRONIK, START_SECONDS_MAX, STOP_SECONDS_MAX

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
LETTERS = "abc"
BLOCK = re.compile(r"((?:^ {7}\S+=.*\n)+)", re.MULTILINE)
WRITTEN_NETWORK = "10.0.0."


class NoNetworkError(Exception):
    """Namespaces cannot be made here."""


def documented_blocks() -> list[dict[str, str]]:
    """The settings that the page shows for machine ``a``: etcd's, then the broker's."""
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [dict(line.strip().split("=", 1) for line in block.splitlines()) for block in blocks]


class Machine:
    """One namespace with its processes."""

    def __init__(self, number: int, lab: str, network: str, directory: Path) -> None:
        self.number = number
        self.letter = LETTERS[number - 1]
        self.namespace = f"{lab}-{self.letter}"
        self.link = f"{lab}{self.letter}"
        self.address = f"{network}{number}"
        self.broker_log = directory / f"{self.letter}-broker.log"
        self._network = network
        self._directory = directory / self.letter
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    def connect(self, bridge: str) -> None:
        """Make the namespace, and a cable from it to the bridge."""
        _ip("netns", "add", self.namespace)
        _ip("link", "add", self.link, "type", "veth", "peer", "name", "eth0", "netns", self.namespace)
        _ip("link", "set", self.link, "master", bridge, "up")
        inside = ["-n", self.namespace]
        _ip(*inside, "address", "add", f"{self.address}/24", "dev", "eth0")
        _ip(*inside, "link", "set", "eth0", "up")
        _ip(*inside, "link", "set", "lo", "up")

    def cut(self) -> None:
        """Pull the cable."""
        _ip("link", "set", self.link, "down")

    def mend(self) -> None:
        _ip("link", "set", self.link, "up")

    def start_etcd(self) -> None:
        etcd, _ = documented_blocks()
        settings = {name: self._here(value) for name, value in etcd.items()} | {"ETCD_NAME": self.letter}
        settings["ETCD_DATA_DIR"] = str(self._directory / "etcd")
        self._directory.mkdir(parents=True, exist_ok=True)
        self._spawn("etcd", ["etcd"], settings)

    def start_broker(self) -> None:
        """Start the broker with the page's file, and wait until it serves."""
        _, broker = documented_blocks()
        settings = {name: self._here(value) for name, value in broker.items()}
        settings |= {"node.id": str(self.number), "broker.rack": self.letter}
        config = self._directory / "server.properties"
        config.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
        command = [str(CHRONIK), "serve", "--config", str(config), "--data", str(self._directory / "data"), "--json"]
        process = self._spawn("broker", command, {})
        assert process.stdout is not None
        assert ready_event(process.stdout, START_SECONDS_MAX) is not None, self.broker_log.read_text()

    def kill(self) -> None:
        """End everything that runs here."""
        for process in self._processes.values():
            end(process, signal.SIGKILL, STOP_SECONDS_MAX)
        self._processes.clear()

    def _here(self, text: str) -> str:
        """What the page writes for machine ``a``, for this one: its own address stands alone, lists name all."""
        text = text.replace(WRITTEN_NETWORK, self._network)
        is_list = f"{self._network}2" in text
        return text if is_list else text.replace(f"{self._network}1", self.address)

    def _spawn(self, name: str, command: list[str], environment: dict[str, str]) -> "subprocess.Popen[bytes]":
        with self.broker_log.open("ab") if name == "broker" else (self._directory / "etcd.log").open("ab") as log:
            self._processes[name] = subprocess.Popen(
                ["ip", "netns", "exec", self.namespace, *command],
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if name == "broker" else log,
                stderr=log,
            )
        return self._processes[name]


@contextmanager
def machines(directory: Path) -> Iterator[list[Machine]]:
    """Three machines on one network, which this process is on too; nothing is left of them."""
    lab = f"ck{os.getpid() % 100_000}"
    network = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}."
    made = [Machine(number, lab, network, directory) for number in range(1, len(LETTERS) + 1)]
    try:
        _connect(lab, network, made)
        yield made
    finally:
        for machine in made:
            machine.kill()
            # The kernel takes its time to dissolve a namespace, and would keep the cable until then.
            for what in (["link", "delete", machine.link], ["netns", "delete", machine.namespace]):
                subprocess.run(["ip", *what], capture_output=True, check=False)
        subprocess.run(["ip", "link", "delete", lab], capture_output=True, check=False)


def _connect(lab: str, network: str, made: list[Machine]) -> None:
    if shutil.which("ip") is None:
        raise NoNetworkError("ip is not installed: apt-get install iproute2")
    try:
        _ip("link", "add", lab, "type", "bridge")
        _ip("address", "add", f"{network}254/24", "dev", lab)
        _ip("link", "set", lab, "up")
        for machine in made:
            machine.connect(lab)
    except subprocess.CalledProcessError as error:
        raise NoNetworkError(f"network namespaces cannot be made here: {error.stderr}") from error


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)


def await_etcd(made: list[Machine], seconds_max: float = 60.0) -> None:
    """Wait until the members of all machines have elected one of them."""
    deadline = time.monotonic() + seconds_max
    command = ["curl", "-sf", "-m", "2", f"http://{made[0].address}:2379/health"]
    while b'"true"' not in subprocess.run(command, capture_output=True, check=False).stdout:
        assert time.monotonic() < deadline, "etcd has no leader"
        time.sleep(0.1)
