"""The present code on data and a store that an earlier commit wrote: nothing is lost, and everything goes on.

``write_fixture`` wrote them. Users upgrade in place, so the files here move only to a temporary directory, and brokers
get free ports instead of their old ones.
"""

import json
import re
import tarfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from chronik.testing import Broker, ClusterProcess
from tests.regressions.wire import Wire
from tests.upgrade.contents import (
    WAIT_S,
    Contents,
    Row,
    bytes_of,
    chronik,
    chronik_json,
    contents_of,
    wait_until,
)

FIXTURE = Path(__file__).with_name("written-by-dd90f7e.tar.xz")
REFUSED = {45, 6}
"""OUT_OF_ORDER_SEQUENCE_NUMBER, or in a cluster NOT_LEADER_OR_FOLLOWER: the missing batch may be on its way."""
BATCHES_REMEMBERED = 5
NEW_RUN = ("--topic", "audited", "--existing", "--messages", 300, "--acks", "all", "--idempotent")
SHOWN = 5


@pytest.fixture
def before(tmp_path: Path) -> dict[str, Any]:
    """What the earlier commit wrote, below the test's directory, as that commit saw it."""
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(tmp_path, filter="data")
    expected: dict[str, Any] = json.loads((tmp_path / "expected.json").read_text(encoding="utf-8"))
    return expected


def test_broker_reads_everything_back_and_goes_on(before: dict[str, Any], tmp_path: Path) -> None:
    with Broker(before["settings"], directory=tmp_path / "single") as broker:
        goes_on(broker.bootstrap_servers, before["single"])
        seen = contents_of(broker.bootstrap_servers)
        broker.restart(kill=True)
        assert_same(seen, contents_of(broker.bootstrap_servers))


def test_data_directory_that_was_closed_needs_no_repair_and_keeps_its_names(
    before: dict[str, Any], tmp_path: Path
) -> None:
    """A file that the broker does not find, or cannot read, is mostly made again, so clients would not notice."""
    data = tmp_path / "single" / "data"
    names = kinds_of_files(data)
    with Broker(before["settings"], directory=tmp_path / "single") as broker:
        assert broker.stop() == 0
        assert [line for line in broker.log_text.splitlines() if " INFO " not in line] == []
    assert kinds_of_files(data) == names


def kinds_of_files(directory: Path) -> set[str]:
    paths = (path.relative_to(directory) for path in directory.rglob("*") if path.is_file())
    return {re.sub(r"\d+", "N", str(path)) for path in paths}


def test_cluster_reads_everything_back_and_goes_on(before: dict[str, Any], tmp_path: Path) -> None:
    written = before["cluster"]
    marks = {path.parts[-3] for path in tmp_path.glob("cluster/*/data/.kafka_cleanshutdown")}
    assert marks == {f"broker-{node}" for node in (1, 2, 3) if node != written["killed"]}
    with ClusterProcess(3, before["settings"], directory=tmp_path / "cluster") as cluster:
        cluster.wait_ready(in_sync=True)
        run = tmp_path / "runs" / "audited" / "second"
        report = chronik_json("audit", "verify", "--engine", "local", "--ledger", run, "-b", cluster.bootstrap_servers)
        assert verdicts(report) == verdicts(before["runs"]["runs/audited/second"])
        goes_on(cluster.bootstrap_servers, written)
        new = run.with_name("third")
        chronik("audit", "run", "-b", cluster.bootstrap_servers, *NEW_RUN, "--keep", new)
        assert kinds_of_files(new) >= kinds_of_files(run.with_name("first"))


def test_recorded_runs_get_the_same_verdicts(before: dict[str, Any], tmp_path: Path) -> None:
    assert len(before["runs"]) == 3
    # First, because a run that is judged again writes its line of the history again.
    history = chronik_json("audit", "compare", tmp_path / "runs" / "audited", codes=[0, 1])
    assert [run["label"] for run in history["runs"]] == ["first", "second"]
    assert [run["delivered"] for run in history["runs"]] == [300, 300]
    for name, written in before["runs"].items():
        code = [written["exit_code"]]
        assert verdicts(chronik_json("audit", "report", tmp_path / name, codes=code)) == verdicts(written)
        assert verdicts(
            chronik_json("audit", "verify", "--engine", "local", "--ledger", tmp_path / name, codes=code)
        ) == verdicts(written)
    assert chronik_json("audit", "explain", tmp_path / "runs/audited/second", "p0-7")["known"]


def test_traces_of_brokers_are_read(before: dict[str, Any], tmp_path: Path) -> None:
    assert before["cluster"]["killed"]
    files = [path for path in tmp_path.glob("cluster/*/data/traces/*.jsonl") if path.stat().st_size]
    assert len(files) == 3
    exported = chronik_json("trace", "export", *files, "--to", tmp_path / "trace.parquet")
    assert exported["events"] == sum(len(path.read_text().splitlines()) for path in files)


def test_archive_and_continuous_audit_go_on(before: dict[str, Any], tmp_path: Path) -> None:
    written = before["cluster"]
    stored = sum(row[0] == "plain" for row in written["contents"]["records"])
    with ClusterProcess(3, before["settings"], directory=tmp_path / "cluster") as cluster:
        cluster.wait_ready(in_sync=True)
        where = ("-b", cluster.bootstrap_servers)
        archive = ("--topic", "plain", "--to", tmp_path / "archive")
        archived = chronik_json("archive", *archive, *where)
        assert archived["records"] == stored - written["archived"]["records"]
        chronik("archive", "verify", *archive, *where)
        ledger = tmp_path / "runs" / "audited" / "second"
        watch = ("audit", "watch", "--topic", "audited", "--ledger", ledger, "--checkpoint", tmp_path / "watch")
        end = json.loads(chronik(*watch, "--final", "--json", *where).splitlines()[-1])["end"]
    assert end["steps"] > written["watched"]["steps"]
    assert end["rows"] == written["watched"]["rows"]
    assert end["findings"] == []
    assert [(each["verdict"], each["count"]) for each in end["totals"]] == [("DELIVERED", 300)]


# --- what holds for a broker and for a cluster


def goes_on(bootstrap: str, written: dict[str, Any]) -> None:
    """Check that clients see all that was written, and that producers, groups and topics go on from there."""
    assert_same(written["contents"], contents_of(bootstrap))
    for producer in written["producers"]:
        producer_is_known(bootstrap, producer)
    for group in ("readers", "static-members"):
        group_goes_on(bootstrap, written["contents"], group)
    topics_go_on(bootstrap)


def assert_same(before: Contents, now: Contents) -> None:
    """Compare all that clients see; records by how often each is there."""
    now = json.loads(json.dumps(now))
    for part in before.keys() - {"records"}:
        assert now[part] == before[part], part
    was, is_now = (Counter(json.dumps(row) for row in contents["records"]) for contents in (before, now))
    missing, more = was - is_now, is_now - was
    assert not missing, f"{missing.total()} records are missing: {list(missing)[:SHOWN]}"
    assert not more, f"{more.total()} records are new: {list(more)[:SHOWN]}"


def producer_is_known(bootstrap: str, producer: dict[str, Any]) -> None:
    """Retry the last batches of a producer from before, let it skip some, which is refused, and go on."""
    topic, partition = producer["topic"], producer["partition"]
    with Wire(leader_address(bootstrap, topic, partition)) as wire:
        for batch, offset in producer["batches"][-BATCHES_REMEMBERED:]:
            answer = wire.produce(topic, bytes_of(batch), partition=partition)
            assert (answer.error_code, answer.base_offset) == (0, offset)
        gap = wire.produce(topic, bytes_of(producer["after_a_gap"]), partition=partition)
        assert gap.error_code in REFUSED
        answer = wire.produce(topic, bytes_of(producer["next"]), partition=partition)
        assert (answer.error_code, answer.base_offset) == (0, producer["batches"][-1][1] + 2)
        assert wire.new_producer_id() > producer["producer_id"]


def leader_address(bootstrap: str, topic: str, partition: int) -> str:
    view = AdminClient({"bootstrap.servers": bootstrap}).list_topics(topic, WAIT_S)
    leader = view.brokers[view.topics[topic].partitions[partition].leader]
    return f"{leader.host}:{leader.port}"


def group_goes_on(bootstrap: str, contents: Contents, group: str) -> None:
    """Read on as a group from before: exactly what it had not committed comes."""
    known = contents["groups"][group]
    committed = {(topic, partition): offset for topic, partition, offset, *_ in known["offsets"]}
    expected = {
        (topic, partition, offset)
        for topic, partition, offset, *_ in contents["records"]
        if topic in ("plain", "zstd") and offset >= committed.get((topic, partition), 0)
    }
    assert committed
    assert expected
    instances = [{"group.instance.id": instance} for _, instance, *_ in known["members"]]
    own = {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer({**own, "enable.auto.commit": False, **(instances[0] if instances else {})})
    consumer.subscribe(["plain", "zstd"])
    read: list[tuple[str, int, int]] = []

    def has_all() -> bool:
        found = consumer.consume(500, timeout=0.5)
        assert all(message.error() is None for message in found)
        read.extend((message.topic(), message.partition(), message.offset()) for message in found)
        return len(read) >= len(expected)

    wait_until(has_all, f"{group} has read on")
    consumer.close()
    assert sorted(read) == sorted(expected)


def topics_go_on(bootstrap: str) -> None:
    """Write to every partition as an idempotent producer: what is new follows what was there, in no earlier epoch."""
    old = contents_of(bootstrap)
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "enable.idempotence": True})
    delivered: list[Row] = []
    places = [(name, int(index)) for name in old["topics"] for index in old["topics"][name]["partitions"]]
    written = [place for place in places if not old["topics"][place[0]]["internal"]]

    def note(error: Any, message: Any) -> None:
        assert error is None, error
        delivered.append([message.topic(), message.partition(), message.offset()])

    for topic, partition in written:
        producer.produce(topic, b"after the upgrade", b"key-0", partition, on_delivery=note)
    assert producer.flush(WAIT_S) == 0
    ends = [[topic, index, old["topics"][topic]["partitions"][str(index)]["end"]] for topic, index in written]
    assert sorted(delivered) == sorted(ends)
    new = contents_of(bootstrap)["records"]
    assert [row for row in new if row[:3] not in delivered] == old["records"]
    assert sorted(row[:3] for row in new if row[:3] in delivered) == sorted(delivered)
    for topic, partition in written:
        epochs = [row[4] for row in new if row[:2] == [topic, partition]]
        assert epochs == sorted(epochs)


def verdicts(report: dict[str, Any]) -> dict[str, Any]:
    """Return what a report counts and concludes, without its texts."""
    return {
        "run": report["run"]["run"],
        "sent": report["sent"],
        "delivered": report["delivered"],
        "exit_code": report["exit_code"],
        "groups": {group["group"]: verdict_counts(group["verdicts"]) for group in report["groups"]},
        "findings": sorted((each["kind"], each["is_root"], each["partition"]) for each in report["findings"]),
        "partitions": sorted((each["partition"], each["stored"], each["delivered"]) for each in report["partitions"]),
    }


def verdict_counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {row["verdict"]: row["count"] for row in rows}
