"""``chronik cluster start``: brokers as processes of this machine, ready and with leaders when it returns."""

import asyncio
import contextlib
import fcntl
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count as count_from
from itertools import islice
from pathlib import Path
from typing import Final

import click

from chronik.cli import exits
from chronik.cli.cluster.layout import (
    HTTP_LISTENER,
    LaidOutBroker,
    add_node,
    cluster_settings,
    nodes_in,
    with_http_port,
)
from chronik.cli.cluster.observation import observed
from chronik.cli.cluster.processes import Process, end_all, pid_of, start_all
from chronik.cli.cluster.report import ClusterReport, print_brokers
from chronik.cli.serve import log_format_option
from chronik.cli.shell.output import print_json_line
from chronik.cli.shell.settings_pairs import overrides_of
from chronik.observability.logs import LogFormat
from chronik.testing.settling import await_settled

BROKERS_DEFAULT: Final = 3
BROKERS_MAX: Final = 64
SETTLE_S_MAX: Final = 60.0
_PORT_DEFAULT: Final = 9092
_HTTP_PORT_DEFAULT: Final = 9644
_LOOK_S: Final = 0.2
_OF_ONE_BROKER: Final = {
    "node.id": "brokers are numbered from 1",
    "broker.id": "brokers are numbered from 1",
    "listeners": "--port says where the first one listens",
    "advertised.listeners": "--port says where the first one listens",
    "log.dirs": "--data says where all of them keep theirs",
    "log.dir": "--data says where all of them keep theirs",
    "chronik.metadata.store": "--metadata says where it is",
    HTTP_LISTENER: "--http-port says where the first one serves HTTP",
}


@dataclass(frozen=True, slots=True)
class Ports:
    """Which ports the first broker is wanted at; the others follow. 0 takes free ones, None the usual ones."""

    kafka: int | None = None
    http: int | None = None

    def of_new(self, found: Sequence[LaidOutBroker], count: int) -> list[tuple[int, int]]:
        """Return the ports, for clients and for HTTP, of brokers that are added."""
        free = iter(_free_ports(2 * count))
        kafka = _in_a_row([node.address for node in found], self.kafka, _PORT_DEFAULT, free)
        return list(zip(islice(kafka, count), islice(self._http(found, free), count), strict=True))

    def of_unnamed_http(self, found: Sequence[LaidOutBroker], count: int) -> list[int]:
        """Return the ports of HTTP servers for brokers whose files name none."""
        return list(islice(self._http(found, iter(_free_ports(count))), count))

    def _http(self, found: Sequence[LaidOutBroker], free: Iterator[int]) -> Iterator[int]:
        first = 0 if self.http is None and self.kafka == 0 else self.http
        return _in_a_row([node.http for node in found if node.http], first, _HTTP_PORT_DEFAULT, free)


def _in_a_row(taken: Sequence[str], first: int | None, default: int, free: Iterator[int]) -> Iterator[int]:
    if first == 0:
        return free
    return count_from(max((int(address.rpartition(":")[2]) for address in taken), default=(first or default) - 1) + 1)


def default_directory(environ: Mapping[str, str] = os.environ) -> str:
    """Return the directory of a cluster where none is named: under the user's data directory."""
    xdg = environ.get("XDG_DATA_HOME")
    home = xdg if xdg and os.path.isabs(xdg) else os.path.expanduser("~/.local/share")
    return os.path.join(home, "chronik-cluster")


data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    default=default_directory,
    help="The cluster's directory.  [$XDG_DATA_HOME/chronik-cluster]",
)


@click.command()
@click.option("-n", "--brokers", type=click.IntRange(1, BROKERS_MAX), help="How many.  [3, or those that are there]")
@data_option
@click.option("--port", type=click.IntRange(0, 65535), help="Of the first broker; 0 takes free ones.  [9092]")
@click.option(
    "--http-port",
    type=click.IntRange(0, 65535),
    help="Of the first broker's HTTP server; 0 takes free ones.  [9644, or 0 with --port 0]",
)
@click.option("--metadata", metavar="URL", help="The store of the cluster's facts.  [a SQLite file in the directory]")
@click.option("-X", "overrides", multiple=True, metavar="KEY=VALUE", help="A setting of all brokers, by Kafka's name.")
@log_format_option
@click.option("--foreground", is_flag=True, help="Stay, and stop all brokers on Ctrl-C or SIGTERM.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON instead of a table.")
@click.pass_context
def start(
    ctx: click.Context,
    brokers: int | None,
    data: Path,
    port: int | None,
    http_port: int | None,
    metadata: str | None,
    overrides: tuple[str, ...],
    log_format: LogFormat,
    foreground: bool,
    as_json: bool,
) -> int:
    """Start a cluster on this machine, or those brokers of one that do not run.

    Each broker has a directory below --data with the server.properties it is started with; an existing one is started
    with its own. A larger -n adds brokers. New topics have three replicas (fewer with fewer brokers), and a message
    sent with acks=all is acknowledged when two have it.
    """
    settings = overrides_of(ctx, overrides)
    began = time.monotonic()
    with _held(data.absolute()) as directory:
        nodes = prepared_nodes(directory, brokers, Ports(port, http_port), metadata, settings)
        processes = start_all([node for node in nodes if pid_of(node) is None], log_format)
    if foreground:
        return _stay(nodes, processes, began, as_json)
    return _announce(nodes, began, as_json)


@contextlib.contextmanager
def _held(directory: Path) -> Iterator[Path]:
    """Keep other starts out of a directory while its brokers come up."""
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / ".start.lock").open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise exits.Failure(f"another command is starting the cluster in {directory}") from None
        yield directory


def prepared_nodes(
    directory: Path, brokers: int | None, ports: Ports, metadata: str | None, settings: Mapping[str, str]
) -> list[LaidOutBroker]:
    """Return the brokers of a directory; what is missing of those that are wanted is written."""
    _refuse_settings_of_one(settings)
    found = _with_http(nodes_in(directory), ports)
    wanted = {**settings} if metadata is None else {**settings, "chronik.metadata.store": metadata}
    _refuse_other_settings(found, wanted, ports)
    count = max(brokers or (len(found) or BROKERS_DEFAULT), len(found))
    if brokers is not None and brokers < len(found):
        raise exits.Failure(
            f"{directory} holds {len(found)} brokers, not {brokers}",
            "'chronik cluster stop --node N' stops one of them.",
            exits.WRONG_USE,
        )
    if len(found) == count:
        return found
    shared = _settings_of_new(found, count) | wanted
    ids = [number for number in range(1, count + len(found) + 1) if number not in {node.node_id for node in found}]
    places = zip(ids, ports.of_new(found, count - len(found)), strict=False)
    added = [add_node(directory, node_id, port, http_port, shared) for node_id, (port, http_port) in places]
    return sorted([*found, *added], key=lambda node: node.node_id)


def _with_http(found: Sequence[LaidOutBroker], ports: Ports) -> list[LaidOutBroker]:
    """Let no two brokers fall back on the same port for HTTP."""
    named = [node for node in found if HTTP_LISTENER in node.settings]
    unnamed = [node for node in found if HTTP_LISTENER not in node.settings]
    if len(found) == 1:
        return list(found)
    told = zip(unnamed, ports.of_unnamed_http(named, len(unnamed)), strict=True)
    return sorted([*named, *(with_http_port(node, port) for node, port in told)], key=lambda node: node.node_id)


def _refuse_settings_of_one(settings: Mapping[str, str]) -> None:
    # The setting for no HTTP server can be the same for all brokers.
    own = [name for name, value in settings.items() if name in _OF_ONE_BROKER and (value or name != HTTP_LISTENER)]
    problems = [f"{name}: {_OF_ONE_BROKER[name]}" for name in own]
    if problems:
        raise exits.Failure("not for all brokers of a cluster: " + "; ".join(problems), code=exits.WRONG_USE)


def _refuse_other_settings(found: Sequence[LaidOutBroker], wanted: Mapping[str, str], ports: Ports) -> None:
    """Refuse other settings for existing brokers, and name the files that hold their settings."""
    differing = [
        f"{node.config} has {name}={node.settings.get(name, '(default)')}, not {value}"
        for node in found
        for name, value in wanted.items()
        if node.settings.get(name) != value
    ]
    if found and ports.kafka and not found[0].address.endswith(f":{ports.kafka}"):
        differing.append(f"broker {found[0].node_id} is at {found[0].address}, not at port {ports.kafka}")
    if found and ports.http and not (found[0].http or "").endswith(f":{ports.http}"):
        differing.append(f"broker {found[0].node_id} serves HTTP at {found[0].http}, not at port {ports.http}")
    if differing:
        raise exits.Failure(
            "the cluster has other settings: " + "; ".join(differing),
            "Change the files and restart the brokers, or leave these options out.",
            exits.WRONG_USE,
        )


def _settings_of_new(found: Sequence[LaidOutBroker], count: int) -> dict[str, str]:
    """Return a new broker what the others have, but for what is their own."""
    if not found:
        return cluster_settings(count)
    shared = {name: value for name, value in found[0].settings.items() if name not in _OF_ONE_BROKER}
    if found[0].http is None:
        shared[HTTP_LISTENER] = ""
    return shared | {"chronik.metadata.store": found[0].settings["chronik.metadata.store"]}


def _free_ports(count: int) -> list[int]:
    """Take ports that are free now and, coming from the kernel's counter, stay so for a while."""
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [int(each.getsockname()[1]) for each in sockets]


def _announce(nodes: Sequence[LaidOutBroker], began: float, as_json: bool) -> int:
    """Print the table when everything is settled; where it does not settle, say so after the table."""
    addresses = {node.node_id: node.address for node in nodes}
    problem = asyncio.run(await_settled(addresses, SETTLE_S_MAX, others_too=True))
    report = asyncio.run(observed(nodes))
    _print(report, time.monotonic() - began, as_json)
    if problem is not None:
        raise exits.Failure(f"not settled after {SETTLE_S_MAX:.0f} s: {problem}", code=exits.FAILED)
    return exits.OK


def _print(report: ClusterReport, seconds: float, as_json: bool) -> None:
    if as_json:
        print_json_line({**report.document(), "seconds": round(seconds, 3)})
        return
    running = sum(row.state == "running" for row in report.brokers)
    brokers = "1 broker is" if running == 1 else f"{running} brokers are"
    print_brokers(report, f"{brokers} ready after {seconds:.2f} s, broker {report.controller} controls")
    click.echo(f"bootstrap: {','.join(row.kafka for row in report.brokers)}")


def _stay(nodes: Sequence[LaidOutBroker], processes: Sequence[Process], began: float, as_json: bool) -> int:
    """Wait for SIGINT or SIGTERM, then stop all brokers; one that ends by itself is named, and the others go on."""
    asked = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: asked.set())
    try:
        _announce(nodes, began, as_json)
        watched = list(processes)
        while not asked.wait(_LOOK_S) and any(pid_of(node) is not None for node in nodes):
            watched = _without_ended(watched)
    finally:
        late = end_all(nodes)
    if late:
        raise exits.Failure(f"not ended in time: broker {', '.join(str(node.node_id) for node in late)}")
    return exits.OK if asked.is_set() else exits.FAILED


def _without_ended(watched: Sequence[Process]) -> list[Process]:
    for process in watched:
        if process.exit_code is not None:
            click.echo(f"broker {process.node.node_id} has ended with code {process.exit_code}", err=True)
    return [process for process in watched if process.exit_code is None]
