"""A cluster's directory: one directory for each broker, with the ``server.properties`` that it is started with.

The file is all that a broker is told: it can be edited, and the broker can be started with it by other means.
"""

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from chronik.cli import exits
from chronik.server.settings.properties_file import decode_properties, parse_properties

CONFIG: Final = "server.properties"
HTTP_LISTENER: Final = "chronik.http.listener"
HTTP_DEFAULT: Final = "127.0.0.1:9644"
"""The HTTP listener of a broker without a setting for it."""
REPLICATION_FACTOR_MAX: Final = 3
_DIRECTORY: Final = re.compile(r"broker-(\d+)")
_ADDRESS: Final = re.compile(r"\w+://(.*):(\d+)")


@dataclass(frozen=True, slots=True)
class LaidOutBroker:
    """One broker of the cluster, by the settings in its directory."""

    node_id: int
    directory: Path
    settings: Mapping[str, str]

    @property
    def config(self) -> Path:
        """The file that it is started with."""
        return self.directory / CONFIG

    @property
    def log(self) -> Path:
        """The file of its standard error."""
        return self.directory / "broker.log"

    @property
    def data(self) -> Path:
        """Where its partitions lie."""
        return Path(self.settings.get("log.dirs") or self.settings.get("log.dir") or self.directory / "data")

    @property
    def address(self) -> str:
        """Where clients of this machine reach it, as host:port."""
        found = _ADDRESS.match(self.settings.get("listeners", "").split(",")[0])
        if found is None:
            raise exits.Failure(f"{self.config} names no listener", "Give it listeners=PLAINTEXT://host:port.")
        return f"{found[1] or '127.0.0.1'}:{found[2]}"

    @property
    def http(self) -> str | None:
        """Where its HTTP server is, as host:port; None where it has none."""
        return self.settings.get(HTTP_LISTENER, HTTP_DEFAULT).removeprefix("http://") or None


def nodes_in(directory: Path) -> list[LaidOutBroker]:
    """Find the brokers that a directory holds, by number."""
    return sorted(_nodes(directory), key=lambda node: node.node_id)


def _nodes(directory: Path) -> Iterator[LaidOutBroker]:
    for path in directory.glob(f"broker-*/{CONFIG}"):
        named = _DIRECTORY.fullmatch(path.parent.name)
        if named is not None:
            settings = _read(path)
            yield LaidOutBroker(int(settings.get("node.id", named[1])), path.parent, settings)


def _read(path: Path) -> dict[str, str]:
    try:
        return {each.name: each.value for each in parse_properties(decode_properties(path.read_bytes()))}
    except (OSError, ValueError) as error:
        raise exits.Failure(f"{path} cannot be read: {error}", code=exits.UNKNOWN) from error


def cluster_settings(brokers: int) -> dict[str, str]:
    """Return the settings of the brokers of a cluster of this size: two in-sync replicas from two brokers on."""
    copies = str(min(brokers, REPLICATION_FACTOR_MAX))
    return {
        "default.replication.factor": copies,
        "offsets.topic.replication.factor": copies,
        "min.insync.replicas": str(min(brokers, 2)),
    }


def add_node(directory: Path, node_id: int, port: int, http_port: int, settings: Mapping[str, str]) -> LaidOutBroker:
    """Write a new broker's directory; ``settings`` win over what is chosen here."""
    home = directory / f"broker-{node_id}"
    own = {
        "node.id": str(node_id),
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "log.dirs": str(home / "data"),
        "chronik.metadata.store": default_store(directory),
        HTTP_LISTENER: f"127.0.0.1:{http_port}",
    }
    node = LaidOutBroker(node_id, home, {**own, **settings})
    home.mkdir(parents=True, exist_ok=True)
    partial = node.config.with_suffix(".partial")
    partial.write_text("".join(map(_line, node.settings.items())), encoding="utf-8")
    os.replace(partial, node.config)
    return node


def with_http_port(node: LaidOutBroker, http_port: int) -> LaidOutBroker:
    """Add a port for the HTTP server to the file of a broker: on one machine only one broker can have the default."""
    setting = (HTTP_LISTENER, f"127.0.0.1:{http_port}")
    with node.config.open("a", encoding="utf-8") as file:
        file.write(f"\n{_line(setting)}")
    return replace(node, settings={**node.settings, setting[0]: setting[1]})


def default_store(directory: Path) -> str:
    """Name the store that the brokers of a directory share unless another is given."""
    return f"sqlite://{directory / 'metadata.db'}"


def _line(setting: tuple[str, str]) -> str:
    name, value = setting
    escaped = value.replace("\\", "\\\\").replace("\n", "\\n")
    return f"{name}={escaped}\n"
