"""The continuous audit of a real topic: a clean flow, a loss that is alerted once, and a watch that is killed."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pyspark.sql import SparkSession

from chronik.audit import ConsumerLedger, ProducerLedger
from chronik.audit.ledger.directory import now_us
from chronik.audit.tables.ids import HEADER, checksum
from chronik.audit.watch.files import load_state
from chronik.cli.audit.watch import watch as watch_command
from chronik.model.errors import ErrorCode
from chronik.records.build import Record, build_batch
from tests.brokers import CHRONIK
from tests.spark.topics import Topics

PARTITIONS = 2
WAIT_SECONDS_MAX = 120


@dataclass
class Flow:
    """A producer and a consumer with ledgers, whose client is the test itself."""

    topics: Topics
    topic: str
    directory: Path
    offsets: dict[int, int] = field(default_factory=lambda: dict.fromkeys(range(PARTITIONS), 0))

    def __post_init__(self) -> None:
        self.topics.create(self.topic, PARTITIONS)
        self.sends = ProducerLedger(self.directory)
        self.polls = ConsumerLedger(self.directory, group="readers")
        self.polls.started(group="readers", reset="earliest", isolation="read_uncommitted", mode="subscribe")

    def send(self, count: int) -> None:
        """Send batches that are written, acknowledged and delivered."""
        for partition in range(PARTITIONS):
            stamped = [self._stamped(b"v%d" % number) for number in range(count // PARTITIONS)]
            records = [
                Record(None, b"v%d" % number, headers=((HEADER, stamp),)) for number, (stamp, _) in enumerate(stamped)
            ]
            answer = self.topics.wire.produce(self.topic, build_batch(records), partition=partition)
            assert answer.error_code == ErrorCode.NONE
            for place, (stamp, sending) in enumerate(stamped, self.offsets[partition]):
                self.sends.acked(sending, partition, place)
                crc = checksum(b"v%d" % (place - self.offsets[partition]), None)
                self.polls.rows.append((1, 1, now_us(), partition, place, now_us() // 1000, stamp, crc))
            self.offsets[partition] += len(stamped)

    def lose(self) -> None:
        """Send a message that is acknowledged at an offset which another one has."""
        self.sends.acked(self._stamped(b"lost")[1], 0, 0)

    def _stamped(self, value: bytes) -> tuple[bytes, Any]:
        with self.sends.lock:
            stamped: tuple[bytes, Any] | None = self.sends.header(value, None, self.topic)
        assert stamped is not None
        return stamped

    def close(self) -> None:
        self.sends.close()
        self.polls.close()


@pytest.fixture
def flow(topics: Topics, topic_name: str, tmp_path: Path) -> Flow:
    return Flow(topics, topic_name, tmp_path / "ledgers")


@dataclass
class Watched:
    """A watch that is run to its end in this process, on the session of all tests."""

    flow: Flow
    directory: Path

    def arguments(self, *more: str) -> list[str]:
        given = ["-b", self.flow.topics.bootstrap, "--topic", self.flow.topic, "--json"]
        return [*given, "--checkpoint", str(self.directory / "state"), *more]

    def run(self, *more: str) -> tuple[int, list[dict[str, Any]]]:
        result = CliRunner().invoke(watch_command, self.arguments(*more), standalone_mode=False)
        assert result.exception is None, result.output
        lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
        return int(result.return_value), lines

    @property
    def totals(self) -> dict[str, int]:
        state = load_state(self.directory / "state")
        assert state is not None
        assert state.rows["sent"] == state.final
        return {what: count for (_, what), count in state.totals.items() if count}


@pytest.fixture
def watched(spark: SparkSession, flow: Flow, tmp_path: Path) -> Watched:
    return Watched(flow, tmp_path)


def ledger(flow: Flow) -> tuple[str, str]:
    return "--ledger", str(flow.directory)


def test_a_loss_in_a_flow_is_found_and_alerted_once_and_what_is_read_later_is_added(
    watched: Watched, flow: Flow, tmp_path: Path
) -> None:
    alert = ("--alert-command", f"tee -a {tmp_path / 'alerts'}")
    flow.send(200)
    flow.lose()
    written(flow, 201)
    # The first look reads; the second makes final what the first has read.
    for _ in range(2):
        code, lines = watched.run(*ledger(flow), *alert, "--once", "--horizon", "0s")
    assert watched.totals == {"DELIVERED": 200, "ACKED_NOT_IN_LOG": 1}
    assert (code, lines[-1]["end"]["findings_ever"]) == (1, 1)

    flow.send(100)
    flow.close()
    code, lines = watched.run(*ledger(flow), *alert, "--final")
    assert watched.totals == {"DELIVERED": 300, "ACKED_NOT_IN_LOG": 1}
    assert code == 1
    (alerted,) = (json.loads(line) for line in (tmp_path / "alerts").read_text().replace("}{", "}\n{").splitlines())
    assert (alerted["kind"], alerted["partition"], alerted["offsets"]) == ("ACKED_NOT_IN_LOG", 0, [0])


def written(flow: Flow, sends: int) -> None:
    """Wait until the ledgers' rows are in their files."""
    until(lambda: sum(flow.sends.outcomes.values()) == sends and not flow.polls.rows, "the ledgers are written")


def until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while not is_so():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.05)


def test_without_ledgers_a_sound_topic_is_called_sound_and_what_cannot_be_known_is_said(
    watched: Watched, flow: Flow
) -> None:
    flow.send(50)
    code, lines = watched.run("--once")
    assert code == 0
    assert lines[-1]["end"]["rows"] == {"stored": 50}
    assert any("was not recorded" in line for line in lines[-1]["end"]["unknowable"])


def test_a_watch_that_is_killed_goes_on_where_it_was_and_counts_everything_once(
    watched: Watched, flow: Flow, tmp_path: Path
) -> None:
    flow.send(200)
    command = [str(CHRONIK), "audit", "watch", *watched.arguments(*ledger(flow), "--interval", "1s")]
    with (tmp_path / "watch.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
    try:
        _said_read(process, tmp_path / "watch.log", 200)
        flow.send(150)
        _said_read(process, tmp_path / "watch.log", 350)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(30)
    state = load_state(tmp_path / "state")
    assert state is not None
    assert (state.rows["stored"], state.final) == (350, 0)
    flow.send(50)
    flow.close()
    code, lines = watched.run(*ledger(flow), "--final")
    assert watched.totals == {"DELIVERED": 400}
    assert lines[-1]["end"]["rows"] == {"sent": 400, "stored": 400, "delivered": 400}
    assert (code, lines[-1]["end"]["findings_ever"]) == (0, 0)


def _said_read(process: "subprocess.Popen[str]", log: Path, count: int) -> None:
    _said(process, log, lambda state: state["rows"].get("stored", 0) >= count)


def _said(process: "subprocess.Popen[str]", log: Path, is_so: Callable[[dict[str, Any]], bool]) -> None:
    """Wait until a line of its output says so; the test's own time-out bounds it."""
    assert process.stdout is not None
    for line in process.stdout:
        document = json.loads(line) if line.startswith("{") else {}
        if "state" in document and is_so(document["state"]):
            return
    raise AssertionError(f"the watch has ended: {log.read_text(errors='replace')[-4000:]}")
