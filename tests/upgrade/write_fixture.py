"""Write the fixture of the upgrade test with the code at hand: a broker's data, a cluster's, and audit runs.

usage: git worktree add ../before COMMIT && cp -r tests/upgrade ../before/tests/ && cd ../before
       PYTHONPATH=$PWD/src PYTHON -m tests.upgrade.write_fixture written-by-COMMIT.tar.xz COMMIT

PYTHON is an interpreter with the locked packages. Whatever has a form on disk or in the store is in the fixture, so
that the test reads everything that a user's disk may hold. ``expected.json`` in it says what clients saw at the end.
"""

import json
import shutil
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from chronik.records.build import Record, build_batch
from chronik.testing import Broker, ClusterProcess
from tests.regressions.wire import Wire
from tests.upgrade.contents import (
    WAIT_S,
    chronik,
    chronik_json,
    configs_of,
    contents_of,
    records,
    text_of,
    wait_until,
)

SETTINGS: Mapping[str, object] = {
    # Nothing may expire between the day of writing and the day of the test.
    "log.retention.ms": -1,
    "offsets.retention.minutes": 2**31 - 1,
    "offsets.topic.num.partitions": 3,
    # A broker that is killed after seconds leaves checkpoints, as one does that has run for a minute.
    "log.flush.offset.checkpoint.interval.ms": 500,
    "log.flush.start.offset.checkpoint.interval.ms": 500,
    "replica.high.watermark.checkpoint.interval.ms": 500,
    "log.cleaner.backoff.ms": 200,
    "auto.create.topics.enable": False,
}
NEVER_EXPIRES_MS = 4_102_444_800_000
"""A time in the year 2100: producers that wrote with it are not forgotten as silent."""
SMALL_SEGMENTS = {"internal.segment.bytes": "2000", "index.interval.bytes": "200"}
TOPICS: Mapping[str, tuple[int, Mapping[str, str]]] = {
    "plain": (3, {}),
    "gzip": (2, {}),
    "snappy": (2, {}),
    "lz4": (2, {}),
    "zstd": (2, {}),
    "segments": (1, SMALL_SEGMENTS),
    "compacted": (1, {**SMALL_SEGMENTS, "cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0.01"}),
    "trimmed": (1, SMALL_SEGMENTS),
    "append-time": (1, {"message.timestamp.type": "LogAppendTime"}),
    "grown": (1, {}),
    "created_again": (2, {}),
    "deleted": (1, {}),
    "idempotent": (2, {"message.timestamp.after.max.ms": str(2**63 - 1)}),
}
KEYS = 10
FIRST_TIME_MS = 1_700_000_000_000


def main(target: Path, commit: str) -> None:
    """Write everything in a temporary directory, and pack it."""
    directory = Path(tempfile.mkdtemp(prefix="chronik-fixture-"))
    try:
        expected = {"commit": commit, "settings": SETTINGS} | _written(directory)
        (directory / "expected.json").write_text(json.dumps(expected), encoding="utf-8")
        _pack(directory, target)
    finally:
        shutil.rmtree(directory)
    print(f"{target}: {target.stat().st_size} bytes")  # noqa: T201 - a program


def _written(directory: Path) -> dict[str, Any]:
    runs = directory / "runs"
    defect = ("--defect", "offset-twice", "--messages", 300, "--timeout", 5)
    chronik("audit", "accident", *defect, "--keep", runs / "accident" / "first", codes=[1])
    return {
        "single": _write_single(directory / "single"),
        "cluster": _write_cluster(directory / "cluster", runs / "audited"),
        "runs": {
            str(path.relative_to(directory)): chronik_json("audit", "report", path, codes=[0, 1])
            for path in sorted(runs.glob("*/*"))
            if path.is_dir()
        },
    }


def _pack(directory: Path, target: Path) -> None:
    with tarfile.open(target, "w:xz", preset=9) as archive:
        # Logs of the broker processes and sockets are no data.
        for path in sorted(directory.rglob("*")):
            if path.is_dir() or (path.is_file() and path.name != "broker.log"):
                archive.add(path, str(path.relative_to(directory)), recursive=False, filter=_anonymous)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


# --- one broker, and a cluster


def _write_single(directory: Path) -> dict[str, Any]:
    """Fill a broker, restart it once, write more, and end it in good order."""
    with Broker(SETTINGS, directory=directory) as broker:
        producers = _fill(broker.bootstrap_servers, 1)
        broker.restart()
        _send(broker.bootstrap_servers, "plain", 3, 40, "after a restart")
        contents = contents_of(broker.bootstrap_servers)
        assert broker.stop() == 0
    return {"contents": contents, "producers": producers}


def _write_cluster(directory: Path, runs: Path) -> dict[str, Any]:
    """Fill three brokers and move replicas; end two in good order, and one, which led and comes late, by SIGKILL."""
    settings = {**SETTINGS, "chronik.http.listener": "127.0.0.1:0"}
    with ClusterProcess(3, settings, directory=directory) as cluster:
        cluster.wait_ready()
        producers = _fill(cluster.bootstrap_servers, 3)
        _move(cluster, "moved")
        _audit(cluster, runs)
        observed = _archive_and_watch(cluster, directory.parent, runs)
        _change_leaders(cluster)
        cluster.wait_ready(in_sync=True)
        victim = cluster.view().topics["plain"].partitions[0].leader
        _send(cluster.bootstrap_servers, "plain", 3, 40, "before a broker is killed")
        # Only a running broker tells its own configs.
        configs = configs_of(cluster.bootstrap_servers)
        cluster.kill(victim)
        wait_until(lambda: victim not in _in_sync(cluster), "the killed broker is in no in-sync set")
        _send(cluster.bootstrap_servers, "plain", 3, 40, "while a broker is gone")
        contents = contents_of(cluster.bootstrap_servers) | {"configs": configs}
        cluster.stop()
    return {"contents": contents, "producers": producers, "killed": victim, **observed}


def _in_sync(cluster: ClusterProcess) -> set[int]:
    view = cluster.view(cluster.running[0])
    return {node for topic in view.topics.values() for each in topic.partitions.values() for node in each.isr}


def _change_leaders(cluster: ClusterProcess) -> None:
    """Kill a leader, write in the next epoch, and let it come back."""
    leader = cluster.view().topics["plain"].partitions[0].leader
    cluster.kill(leader)
    cluster.wait_ready()
    for topic, (partitions, _) in TOPICS.items():
        if topic not in ("deleted", "compacted", "idempotent"):
            _send(cluster.bootstrap_servers, topic, partitions, 10, "in the second epoch")
    cluster.start(leader)
    cluster.wait_ready(in_sync=True)


def _move(cluster: ClusterProcess, topic: str) -> None:
    """Move a partition to other brokers, and wait until that is done."""
    cluster.create_topic(topic, replicas=2)
    cluster.wait_ready(in_sync=True)
    _send(cluster.bootstrap_servers, topic, 1, 40, "moved")
    leaving, staying = cluster.view().topics[topic].partitions[0].replicas
    (coming,) = set(cluster.nodes) - {leaving, staying}
    wanted = ReassignableTopic(topic, [ReassignablePartition(0, [staying, coming])])
    with Wire(cluster.address_of(cluster.view().controller_id)) as wire:
        answer = wire.call(ApiKey.ALTER_PARTITION_REASSIGNMENTS, 0, AlterPartitionReassignmentsRequest(topics=[wanted]))
    assert answer.error_code == 0, answer
    wait_until(
        lambda: set(cluster.view().topics[topic].partitions[0].isr) == {staying, coming}, "the replicas have moved"
    )
    assert cluster.view().topics[topic].partitions[0].replicas == (staying, coming)


def _audit(cluster: ClusterProcess, runs: Path) -> None:
    """Record two runs of a topic, the second with tap and trace, and a trace in the brokers' files."""
    where = ("-b", cluster.bootstrap_servers)
    chronik("config", "set", "broker", "default", "chronik.trace.files=true", *where)
    common = ("audit", "run", *where, "--topic", "audited", "--messages", 300, "--acks", "all", "--idempotent")
    chronik(*common, "--fresh", "--keep", runs / "first", "--label", "first")
    chronik(*common, "--existing", "--tap", "--trace", "--keep", runs / "second", "--label", "second")


def _archive_and_watch(cluster: ClusterProcess, directory: Path, runs: Path) -> dict[str, Any]:
    """Archive a topic, and keep the state of a continuous audit: both go on after the upgrade."""
    where = ("-b", cluster.bootstrap_servers)
    archived = chronik_json("archive", "--topic", "plain", "--to", directory / "archive", *where)
    watched = ("audit", "watch", "--topic", "audited", "--ledger", runs / "second", "--checkpoint", directory / "watch")
    # Nothing is final yet, so the exit code says that there is no verdict.
    lines = chronik(*watched, "--once", "--json", *where, codes=[2]).splitlines()
    return {"archived": archived, "watched": json.loads(lines[-1])["end"]}


# --- what both hold


def _fill(bootstrap: str, replicas: int) -> list[dict[str, Any]]:
    """Make all topics, records, configs and groups; return the batches of producers that must be known later."""
    admin = AdminClient({"bootstrap.servers": bootstrap})
    created = [NewTopic(name, count, replicas, config=dict(configs)) for name, (count, configs) in TOPICS.items()]
    _done(admin.create_topics(created))
    time.sleep(1)
    for topic, (partitions, _) in TOPICS.items():
        if topic not in ("compacted", "idempotent"):
            codec = topic if topic in ("gzip", "snappy", "lz4", "zstd") else "none"
            _send(bootstrap, topic, partitions, 200, "first", codec)
    _grow_trim_and_delete(admin, bootstrap, replicas)
    _compact(bootstrap)
    _set_configs(bootstrap)
    _commit(bootstrap)
    return [_produce_with_id(bootstrap, partition) for partition in range(2)]


def _done(futures: Mapping[Any, Any]) -> None:
    for future in futures.values():
        future.result(WAIT_S)


def _send(bootstrap: str, topic: str, partitions: int, count: int, text: str, codec: str = "none") -> None:
    """Send records of every form, in many small batches."""
    producer = Producer(
        {"bootstrap.servers": bootstrap, "acks": "all", "enable.idempotence": topic == "plain"}
        | {"compression.codec": codec, "linger.ms": 0, "batch.num.messages": 20}
    )
    failed: list[object] = []
    for number in range(count):
        key = None if number % 7 == 0 else b"key-%d" % (number % KEYS)
        value = None if number % 11 == 0 else f"{topic} {text} {number} ä".encode() + bytes(range(number % 64))
        headers = [("number", b"%d" % number), ("number", b"again"), ("nothing", None)] if number % 3 == 0 else []
        producer.produce(
            topic,
            value,
            key,
            number % partitions,
            timestamp=FIRST_TIME_MS + number * 1000,
            headers=headers,
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )
        if number % 20 == 19:
            producer.flush(WAIT_S)
    assert producer.flush(WAIT_S) == 0
    assert failed == []


def _grow_trim_and_delete(admin: AdminClient, bootstrap: str, replicas: int) -> None:
    _done(admin.create_partitions([NewPartitions("grown", 4)]))
    _done(admin.delete_records([TopicPartition("trimmed", 0, 123)]))
    _done(admin.delete_topics(["created_again", "deleted"]))
    wait_until(lambda: "created_again" not in admin.list_topics(timeout=WAIT_S).topics, "the topic is deleted")
    _done(admin.create_topics([NewTopic("created_again", 2, replicas)]))
    time.sleep(1)
    _send(bootstrap, "grown", 4, 40, "grown")
    _send(bootstrap, "created_again", 2, 40, "second life")


def _compact(bootstrap: str) -> None:
    """Write keys again and again until a compaction has removed some, and then let no further one begin."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all"})
    written = 0
    deadline = time.monotonic() + WAIT_S
    while written < 300 or len(records(bootstrap, "compacted")) == written:
        assert time.monotonic() < deadline, "nothing was compacted"
        for number in range(written, written + 20):
            value = None if number % 17 == 0 else b"value %d" % number
            producer.produce("compacted", value, b"key-%d" % (number % KEYS))
        producer.flush(WAIT_S)
        written += 20
        time.sleep(0.1)
    chronik("config", "set", "topic", "compacted", "min.cleanable.dirty.ratio=1.0", "-b", bootstrap)
    before = -1
    while before != (before := len(records(bootstrap, "compacted"))):
        time.sleep(3)


def _set_configs(bootstrap: str) -> None:
    where = ("-b", bootstrap)
    chronik("config", "set", "topic", "plain", "retention.bytes=123456789", "max.message.bytes=2000000", *where)
    chronik("config", "set", "topic", "trimmed", "flush.messages=1", *where)
    chronik("config", "set", "topic", "trimmed", "--delete", "index.interval.bytes", *where)
    chronik("config", "set", "broker", "default", "message.max.bytes=3000000", "log.cleaner.threads=2", *where)
    chronik("config", "set", "broker", "1", "log.cleaner.io.buffer.size=600000", *where)


def _commit(bootstrap: str) -> None:
    """Leave committed offsets of several groups: plain ones, with texts and epochs, of a static member, of a reader."""
    texts = Consumer({"bootstrap.servers": bootstrap, "group.id": "with-texts"})
    offsets = [
        TopicPartition("plain", 0, 17, metadata="seventeen ä", leader_epoch=0),
        TopicPartition("plain", 2, 21, metadata=""),
        TopicPartition("segments", 0, 0, metadata="x" * 300),
    ]
    texts.commit(offsets=offsets, asynchronous=False)
    texts.close()
    _read_some(bootstrap, "readers", {})
    static = {"group.instance.id": "static-1", "client.id": "static", "session.timeout.ms": 1_800_000}
    # The client insists on a longer bound between polls than the session's.
    _read_some(bootstrap, "static-members", static | {"max.poll.interval.ms": 1_800_001})
    _read_some(bootstrap, "deleted-group", {})
    admin = AdminClient({"bootstrap.servers": bootstrap})
    _done(admin.delete_consumer_groups(["deleted-group"]))


def _read_some(bootstrap: str, group: str, settings: Mapping[str, object]) -> None:
    own = {"bootstrap.servers": bootstrap, "group.id": group, "auto.offset.reset": "earliest"}
    consumer = Consumer({**own, "enable.auto.commit": False, **settings})
    consumer.subscribe(["plain", "zstd"])
    read = 0
    while read < 50:
        read += len(consumer.consume(25, timeout=1.0))
    consumer.commit(asynchronous=False)
    consumer.close()


def _produce_with_id(bootstrap: str, partition: int) -> dict[str, Any]:
    """Write as an idempotent producer whose last five batches, its id and sequence must be known after the upgrade."""
    address = _leader_address(bootstrap, "idempotent", partition)
    with Wire(address) as wire:
        producer_id = wire.new_producer_id()
        batches = list(_batches(producer_id, 8))
        offsets = [wire.produce("idempotent", batch, partition=partition).base_offset for batch in batches]
    assert offsets == list(range(0, 16, 2)), offsets
    return {
        "topic": "idempotent",
        "partition": partition,
        "producer_id": producer_id,
        "batches": [[text_of(batch), offset] for batch, offset in zip(batches, offsets, strict=True)],
        "next": text_of(next(_batches(producer_id, 1, 16))),
        "after_a_gap": text_of(next(_batches(producer_id, 1, 100))),
    }


def _batches(producer_id: int, count: int, sequence: int = 0) -> Iterator[bytes]:
    for first in range(sequence, sequence + 2 * count, 2):
        made = [Record(None, b"sequence %d" % each, timestamp=NEVER_EXPIRES_MS) for each in (first, first + 1)]
        yield build_batch(made, producer_id=producer_id, producer_epoch=0, base_sequence=first)


def _leader_address(bootstrap: str, topic: str, partition: int) -> str:
    view = AdminClient({"bootstrap.servers": bootstrap}).list_topics(topic, WAIT_S)
    leader = view.brokers[view.topics[topic].partitions[partition].leader]
    return f"{leader.host}:{leader.port}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
