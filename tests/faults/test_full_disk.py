"""A disk that is really full: the partition says so, the broker stays up, and what was acknowledged stays."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.api_versions import ApiVersionsRequest
from chronik.protocol.generated.create_topics import CreatableTopic, CreateTopicsRequest
from chronik.protocol.generated.describe_log_dirs import DescribeLogDirsRequest
from chronik.protocol.generated.metadata import MetadataRequest, MetadataRequestTopic
from tests.brokers import BrokerProcess
from tests.regressions.requests_of_each_api import NO_ID
from tests.regressions.wire import Wire, batch_of, values_of

DISK_MEBIBYTES = 16
VALUE_BYTES = 20_000


class SmallDisk:
    """A file system of its own, with a ballast that fills it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ballast = path / "ballast"

    def fill(self, *, leave_bytes: int) -> None:
        free = shutil.disk_usage(self.path).free
        with self._ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, free - leave_bytes)

    def fill_up(self) -> None:
        """Take the last page too."""
        with self._ballast.open("ab", buffering=0) as file:
            while shutil.disk_usage(self.path).free:
                # The broker takes and gives back pages at the same time.
                with suppress(OSError):
                    file.write(bytes(4096))

    def empty(self) -> None:
        self._ballast.unlink()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    path = tmp_path / "broker-0" / "data"
    path.mkdir(parents=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MEBIBYTES}m", "chronik-test", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        if os.environ.get("CI") == "true":
            pytest.fail(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield SmallDisk(path)
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=False)


@pytest.fixture
def broker(small_disk: SmallDisk) -> Iterator[BrokerProcess]:
    broker = BrokerProcess(small_disk.path.parent, {"log.flush.offset.checkpoint.interval.ms": 300})
    try:
        yield broker.start()
    finally:
        if broker.is_running:
            broker.kill()


def value(number: int) -> bytes:
    return b"%06d" % number + bytes(VALUE_BYTES)


def append_until_refused(wire: Wire, topic: str) -> list[bytes]:
    """Give what was acknowledged before the disk was full."""
    acknowledged: list[bytes] = []
    for number in range(1_000):
        answer = wire.produce(topic, batch_of(value(number)))
        if answer.error_code != ErrorCode.NONE:
            assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR, answer
            assert answer.base_offset == -1
            return acknowledged
        assert answer.base_offset == len(acknowledged)
        acknowledged.append(value(number))
    raise AssertionError("the disk never was full")


@pytest.mark.parametrize("ending", ["freed-then-killed", "freed-then-stopped", "stopped-while-full"])
def test_a_full_disk_refuses_writes_and_loses_nothing(
    broker: BrokerProcess, small_disk: SmallDisk, ending: str
) -> None:
    """Rules 14, 21, 22."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic("full")
        wire.create_topic("beside")
        wire.append("beside", b"before")
        small_disk.fill(leave_bytes=1024 * 1024)
        acknowledged = append_until_refused(wire, "full")
        assert len(acknowledged) > 10
        for _ in range(3):
            assert wire.produce("full", batch_of(b"small")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        _assert_it_serves(wire)
    small_disk.fill_up()
    _assert_no_topic_is_made(broker)
    assert "full-0 is offline" in broker.log_text
    if ending != "stopped-while-full":
        small_disk.empty()
        with Wire(broker.bootstrap) as wire:
            assert wire.produce("full", batch_of(b"late")).error_code == ErrorCode.KAFKA_STORAGE_ERROR
            assert wire.append("beside", b"after") == 1
    broker.kill() if ending == "freed-then-killed" else broker.stop()
    if ending == "stopped-while-full":
        small_disk.empty()
    broker.start()
    with Wire(broker.bootstrap) as wire:
        stored = values_of(wire.read_all("full"))
        assert stored[: len(acknowledged)] == acknowledged
        # Bytes that were written whole before the refusal could be kept; nobody was promised them.
        assert len(stored) <= len(acknowledged) + 1
        assert wire.append("full", b"again") == len(stored)
        expected = [b"before"] if ending == "stopped-while-full" else [b"before", b"after"]
        assert values_of(wire.read_all("beside")) == expected
    assert "died" not in broker.log_text


def _assert_no_topic_is_made(broker: BrokerProcess) -> None:
    """The metadata store is on the same disk: an error or a closed connection, never a success."""
    with Wire(broker.bootstrap) as wire:
        try:
            answer = wire.call(ApiKey.CREATE_TOPICS, 7, CreateTopicsRequest([CreatableTopic("new", 1, 1)], 5_000))
            assert answer.topics[0].error_code != ErrorCode.NONE
        except EOFError:
            assert broker.is_running
    with Wire(broker.bootstrap) as wire:
        answer = wire.call(ApiKey.METADATA, 9, MetadataRequest(None, allow_auto_topic_creation=False))
        assert sorted(topic.name for topic in answer.topics) == ["beside", "full"]


def _assert_it_serves(wire: Wire) -> None:
    assert wire.call(ApiKey.API_VERSIONS, 3, ApiVersionsRequest("wire", "1")).error_code == ErrorCode.NONE
    assert values_of(wire.read_all("beside")) == [b"before"]
    named = [MetadataRequestTopic(NO_ID, "full")]
    topic = wire.call(ApiKey.METADATA, 9, MetadataRequest(named, allow_auto_topic_creation=False)).topics[0]
    assert topic.partitions[0].offline_replicas == [topic.partitions[0].replica_nodes[0]]
    assert wire.fetch("full", 0).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    directories = wire.call(ApiKey.DESCRIBE_LOG_DIRS, 4, DescribeLogDirsRequest(None))
    assert directories.results[0].error_code == ErrorCode.NONE
