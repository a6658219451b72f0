"""Reading metrics: what the text says, by a parser of the tests' own, and Debian's Prometheus as a process."""

import json
import re
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.http.asking import get

READY_S_MAX = 60.0
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')
_SAMPLE = re.compile(r"^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)$")


class Series(NamedTuple):
    """The name and labels of a sample."""

    name: str
    labels: frozenset[tuple[str, str]]

    def label(self, name: str) -> str | None:
        return dict(self.labels).get(name)


Samples = dict[Series, float]


def series(name: str, **labels: object) -> Series:
    return Series(name, frozenset((key, str(value)) for key, value in labels.items()))


def parse(text: str) -> Samples:
    """Take the text apart, strictly: a line that is no sample or a series that comes twice is an error."""
    found: Samples = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = _SAMPLE.match(line)
        assert match is not None, f"no sample: {line!r}"
        name, labels, value = match.groups()
        key = Series(name, frozenset(_LABEL.findall(labels or "")))
        assert key not in found, f"told twice: {key}"
        found[key] = float(value)
    return found


def families(text: str) -> dict[str, str]:
    """Name and type of every family that is announced."""
    types = [line.split(" ")[2:4] for line in text.splitlines() if line.startswith("# TYPE ")]
    assert len({name for name, _ in types}) == len(types), "a family is announced twice"
    return {line[0]: line[1] for line in types}


def scrape(address: str) -> str:
    told = get(address, "/metrics")
    assert told.status == 200, told
    assert told.headers["content-type"].startswith("text/plain; version=0.0.4"), told.headers
    return told.body.decode()


def samples(address: str) -> Samples:
    return parse(scrape(address))


class Prometheus:
    """Debian's Prometheus, asked through its API."""

    def __init__(self, port: int) -> None:
        self._base = f"http://127.0.0.1:{port}"

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Evaluate an expression now; a vector's samples, or a scalar as one sample."""
        answer = self._ask("/api/v1/query", {"query": expression})
        result = answer["result"]
        assert isinstance(result, list)
        return result

    def alerts(self) -> dict[str, str]:
        """The names and states of the alerts that are pending or fire."""
        return {alert["labels"]["alertname"]: alert["state"] for alert in self._ask("/api/v1/alerts", {})["alerts"]}

    def targets(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._ask("/api/v1/targets", {})["activeTargets"]
        return found

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self._base}/-/ready", timeout=5) as answer:
                return bool(answer.status == 200)
        except (urllib.error.URLError, OSError):
            return False

    def _ask(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        url = f"{self._base}{path}?{urllib.parse.urlencode(query)}"
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                document = json.load(answer)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{query}: {error.read().decode()}") from error
        assert document["status"] == "success", document
        data: dict[str, Any] = document["data"]
        return data


@contextmanager
def running_prometheus(program: str, directory: Path, targets: list[str], rules: Path) -> Iterator[Prometheus]:
    """Scrape the targets every second inside the block."""
    config = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [{"job_name": "chronik", "static_configs": [{"targets": targets}]}],
    }
    # JSON is YAML, too.
    (directory / "prometheus.yml").write_text(json.dumps(config))
    port = _free_port()
    command = [program, f"--config.file={directory / 'prometheus.yml'}", f"--storage.tsdb.path={directory / 'data'}"]
    command += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with (directory / "prometheus.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, cwd=directory)
    try:
        prometheus = Prometheus(port)
        wait_for(prometheus.is_ready, "Prometheus answers")
        yield prometheus
    finally:
        process.kill()
        process.wait()


def wait_for(condition: Any, what: str, seconds_max: float = READY_S_MAX) -> Any:
    """Ask until the condition holds; what it gives is given."""
    deadline = time.monotonic() + seconds_max
    while not (found := condition()):
        assert time.monotonic() < deadline, f"after {seconds_max} s not yet: {what}"
        time.sleep(0.1)
    return found


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port
