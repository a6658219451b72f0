"""A run: real client processes, the observer beside them, and what is on disk whatever happens to who started it."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chronik.audit import Evidence
from chronik.audit.capture.run import Progress, run_audit
from chronik.audit.capture.settings import RunSettings, shares
from chronik.audit.tables.ids import AuditId
from chronik.audit.tables.schemas import EventKind
from chronik.client.errors import SettingsRefusedError
from tests.audit.ledgers.test_hooks import delivered_of, sent_of
from tests.audit.ledgers.topic_contents import read_all
from tests.brokers import BrokerProcess

WAIT_S_MAX = 120.0


def settings_for(broker: BrokerProcess, topic: str) -> RunSettings:
    return RunSettings(broker.bootstrap, topic, messages=400, partitions=2, replication=1, timeout_s=60, keys=5)


def test_run_records_every_message_and_a_second_one_begins_where_the_first_ended(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    settings = replace(settings_for(shared_broker, topic_name), producers=2, label="first")
    told: list[Progress] = []
    first = asyncio.run(run_audit(settings, tmp_path / "first", on_progress=told.append))
    evidence = Evidence(first)
    stored = Counter(read_all(shared_broker.bootstrap, topic_name, 2))
    assert sent_of(evidence) == stored == delivered_of(evidence)
    assert sum(stored.values()) == 400
    assert {row["producer"] for row in evidence.sends.to_pylist()} == {0, 1}
    assert (told[-1].phase, told[-1].sent, told[-1].acked, told[-1].delivered) == ("ended", 400, 400, 400)
    assert_facts_are_told(evidence)
    assert_observer_saw_the_ends(evidence, Counter(one.partition for one in stored.elements()))

    again = replace(settings, producers=1, client="kafka-python", existence="existing")
    second = Evidence(asyncio.run(run_audit(again, tmp_path / "second")))
    both = Counter(read_all(shared_broker.bootstrap, topic_name, 2))
    assert sent_of(second) == delivered_of(second) == both - stored
    assert second.facts.run != evidence.facts.run

    with pytest.raises(SettingsRefusedError, match="--fresh"):
        asyncio.run(run_audit(replace(settings, existence="fresh"), tmp_path / "third"))


def assert_facts_are_told(evidence: Evidence) -> None:
    facts = evidence.facts
    assert (facts.label, facts.partitions, facts.seen.has_replica_ends) == ("first", 2, True)
    assert 0 < facts.begin_us < facts.end_us
    assert facts.configs_begin["cleanup.policy"] == facts.configs_end["cleanup.policy"] == "delete"
    assert facts.raw["problems"] == []
    assert facts.raw["versions"]["confluent"]


def assert_observer_saw_the_ends(evidence: Evidence, counts: Counter[int]) -> None:
    last = {row["partition"]: row for row in evidence.observed.to_pylist()}
    assert {partition: row["log_end"] for partition, row in last.items()} == dict(counts)
    assert {partition: row["high_watermark"] for partition, row in last.items()} == dict(counts)
    assert {row["error"] for row in evidence.observed.to_pylist()} <= {"", "no answer"}
    ends = {row["partition"]: (row["start_offset"], row["end_offset"]) for row in evidence.epochs.to_pylist()}
    assert ends == {partition: (0, count) for partition, count in counts.items()}


def test_killed_run_leaves_ledgers_that_account_for_everything_in_the_topic(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    place = tmp_path / "run"
    options = ["--topic", topic_name, "--partitions", "2", "--rate", "2000", "--duration", "10m", "--keep", str(place)]
    command = [sys.executable, "-m", "chronik.cli.main", "audit", "run", "-b", shared_broker.bootstrap]
    run = subprocess.Popen([*command, *options, "--engine", "none"], stderr=subprocess.DEVNULL)
    try:
        await_that(lambda: (place / "run.json").exists() and len(Evidence(place).delivered) > 500, "records came")
    finally:
        os.kill(run.pid, signal.SIGKILL)
        run.wait()
    await_that(lambda: has_ended(place), "the clients ended by themselves")
    evidence = Evidence(place)
    stored = Counter(read_all(shared_broker.bootstrap, topic_name, 2))
    assert sent_of(evidence) <= stored
    assert {one.audit_id for one in stored} <= reserved_of(evidence)
    assert delivered_of(evidence) <= stored
    assert evidence.observed.num_rows > 0
    assert evidence.facts.end_us == -1, "nobody says that it came to its end"


def reserved_of(evidence: Evidence) -> set[AuditId]:
    run = evidence.facts.run
    return {
        AuditId(run, row["producer"], sequence)
        for row in evidence.reserved.to_pylist()
        for sequence in range(row["first_sequence"], row["end_sequence"])
    }


def has_ended(place: Path) -> bool:
    evidence = Evidence(place)
    kinds = evidence.events["kind"].to_pylist()
    return EventKind.END in kinds and all(evidence.reserved["is_closed"].to_pylist())


def await_that(is_so: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + WAIT_S_MAX
    while not is_so():
        assert time.monotonic() < until, f"it did not happen that {what}"
        time.sleep(0.2)


def test_messages_are_divided_among_producers_without_a_rest() -> None:
    assert shares(10, 3) == [4, 3, 3]
    assert shares(None, 2) == [None, None]
