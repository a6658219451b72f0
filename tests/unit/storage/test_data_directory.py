"""The data directory: one holder, one owner, and files as Kafka names and spells them."""

import errno
import subprocess
import sys
from pathlib import Path
from random import Random
from uuid import UUID

import pytest

from chronik.model.ids import TopicPartition
from chronik.storage.checkpoints import HIGH_WATERMARK, LOG_START, RECOVERY_POINT
from chronik.storage.directory import DataDirectory, DirectoryIdentity, parse_uuid, spell_uuid
from chronik.storage.disk import OsDisk, write_file
from chronik.storage.errors import DirectoryInUseError, WrongDirectoryError
from chronik.storage.faulty_disk import FaultyDisk

ID = UUID("0f8fad5b-d9cb-469f-a165-70867728950e")
OTHER_ID = UUID("7c9e6679-7425-40de-944b-e07fc1f90ae7")
ORDERS = TopicPartition("orders.v1-final", 12)


def held(disk: FaultyDisk) -> DataDirectory:
    return DataDirectory.hold(disk, "/data", holder="4711")


def test_a_second_holder_is_refused_and_the_error_names_the_first(tmp_path: Path) -> None:
    directory = DataDirectory.hold(OsDisk(), str(tmp_path), holder="4711")
    with pytest.raises(DirectoryInUseError, match="process 4711"):
        DataDirectory.hold(OsDisk(), str(tmp_path), holder="4712")
    directory.release()
    DataDirectory.hold(OsDisk(), str(tmp_path), holder="4712").release()


def test_the_lock_ends_with_the_process_that_held_it(tmp_path: Path) -> None:
    code = (
        "import os, sys\n"
        "from chronik.storage.directory import DataDirectory\n"
        "from chronik.storage.disk import OsDisk\n"
        "DataDirectory.hold(OsDisk(), sys.argv[1], holder=str(os.getpid()))\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"held\n"
        with pytest.raises(DirectoryInUseError, match=f"process {child.pid}"):
            DataDirectory.hold(OsDisk(), str(tmp_path), holder="me")
        child.kill()
        child.wait()
    DataDirectory.hold(OsDisk(), str(tmp_path), holder="me").release()


def test_a_directory_belongs_to_the_first_broker_that_adopts_it() -> None:
    disk = FaultyDisk()
    directory = held(disk)
    assert directory.identity() is None
    mine = DirectoryIdentity("cluster-1", 3, ID)
    assert directory.adopt(mine) == mine
    assert directory.adopt(mine._replace(directory_id=OTHER_ID)) == mine, "the directory keeps its id"
    for other, name in ((mine._replace(cluster_id="cluster-2"), "cluster.id"), (mine._replace(node_id=4), "node.id")):
        with pytest.raises(WrongDirectoryError, match=name):
            directory.adopt(other)
    assert b"version=1\n" in disk.read_bytes("/data/meta.properties")
    assert b"directory.id=D4-tW9nLRp-hZXCGdyiVDg\n" in disk.read_bytes("/data/meta.properties")


@pytest.mark.parametrize("content", [b"", b"version=7\n", b"version=1\ncluster.id=c\nnode.id=x\ndirectory.id=y\n"])
def test_a_directory_that_cannot_say_whose_it_is_is_refused(content: bytes) -> None:
    disk = FaultyDisk()
    directory = held(disk)
    write_file(disk, "/data/meta.properties", content)
    with pytest.raises(WrongDirectoryError, match="damaged"):
        directory.identity()


def test_the_clean_mark_serves_once() -> None:
    disk = FaultyDisk()
    directory = held(disk)
    assert directory.take_clean_mark() is None
    directory.write_clean_mark(42)
    disk.power_cut(Random(1))
    mark = held(disk).take_clean_mark()
    assert mark is not None
    assert mark.broker_epoch == 42
    disk.power_cut(Random(1))
    assert held(disk).take_clean_mark() is None


def test_a_damaged_mark_is_no_mark() -> None:
    disk = FaultyDisk()
    directory = held(disk)
    write_file(disk, "/data/.kafka_cleanshutdown", b"")
    assert directory.take_clean_mark() is None
    assert not disk.exists("/data/.kafka_cleanshutdown")


@pytest.mark.parametrize("name", [RECOVERY_POINT, HIGH_WATERMARK, LOG_START])
def test_a_checkpoint_is_spelled_as_kafka_does_and_read_back(name: str) -> None:
    disk = FaultyDisk()
    directory = held(disk)
    offsets = {ORDERS: 77, TopicPartition("a", 0): 5}
    directory.write_checkpoint(name, offsets)
    assert disk.read_bytes(f"/data/{name}") == b"0\n2\na 0 5\norders.v1-final 12 77\n"
    assert directory.read_checkpoint(name).offsets == offsets


@pytest.mark.parametrize("content", [b"", b"0\n", b"1\n0\n", b"0\n2\na 0 5\n", b"0\n1\na 0\n", b"0\nx\n", b"\xff"])
def test_a_damaged_checkpoint_is_reported_and_not_used(content: bytes) -> None:
    disk = FaultyDisk()
    directory = held(disk)
    write_file(disk, f"/data/{LOG_START}", content)
    found = directory.read_checkpoint(LOG_START)
    assert found.offsets == {}
    assert found.problem is not None
    assert directory.read_checkpoint(HIGH_WATERMARK).problem is None


@pytest.mark.parametrize("seed", range(20))
def test_after_a_power_cut_a_checkpoint_is_the_old_one_or_the_new_one(seed: int) -> None:
    disk = FaultyDisk()
    directory = held(disk)
    directory.write_checkpoint(LOG_START, {ORDERS: 1})
    disk.fail_next("sync_directory")
    with pytest.raises(OSError):
        directory.write_checkpoint(LOG_START, {ORDERS: 2})
    disk.power_cut(Random(seed))
    assert held(disk).read_checkpoint(LOG_START).offsets[ORDERS] in (1, 2)


def test_partitions_are_found_again_with_the_ids_of_their_topics() -> None:
    disk = FaultyDisk()
    directory = held(disk)
    path = directory.create_partition(ORDERS, ID)
    assert path == "/data/orders.v1-final-12"
    assert disk.read_bytes(f"{path}/partition.metadata") == b"version: 0\ntopic_id: D4-tW9nLRp-hZXCGdyiVDg"
    disk.power_cut(Random(2))
    (found,) = held(disk).partitions().items()
    assert found == (ORDERS, (path, ID))


@pytest.mark.parametrize("seed", range(10))
def test_of_many_partitions_made_together_each_is_durable_and_one_that_fails_hurts_no_other(seed: int) -> None:
    disk = FaultyDisk()
    directory = held(disk)
    many = [TopicPartition("many", index) for index in range(20)]
    directory.create_partition(many[3], OTHER_ID)
    disk.fail_next("sync", errno.EIO, "/data/many-7/*")
    made = directory.create_partitions([(each, ID) for each in many])
    assert isinstance(made[3], WrongDirectoryError)
    assert isinstance(made[7], OSError)
    disk.power_cut(Random(seed))
    found = held(disk).partitions()
    good = [each for each in many if each.partition not in (3, 7)]
    assert [(made[each.partition], ID) for each in good] == [found[each] for each in good]
    assert found[many[3]].topic_id == OTHER_ID


def test_a_partition_of_another_topic_of_the_same_name_is_not_taken_over() -> None:
    """Rule 17 of replication."""
    directory = held(FaultyDisk())
    directory.create_partition(ORDERS, ID)
    with pytest.raises(WrongDirectoryError, match="another topic"):
        directory.create_partition(ORDERS, OTHER_ID)


def test_a_retired_partition_is_gone_for_good_and_its_space_is_freed() -> None:
    """Rule 58."""
    disk = FaultyDisk()
    directory = held(disk)
    path = directory.create_partition(ORDERS, ID)
    write_file(disk, f"{path}/00000000000000000000.log", b"x" * 100)
    retired = directory.retire_partition(ORDERS, OTHER_ID)
    assert retired == f"/data/orders.v1-final-12.{OTHER_ID.hex}-delete"
    assert directory.partitions() == {}
    assert directory.retired() == [retired]
    assert directory.create_partition(ORDERS, OTHER_ID) == path
    directory.remove_retired(retired)
    assert directory.retired() == []
    assert not [each for each in disk.list_directory("/data") if each.endswith("-delete")]
    assert disk.list_directory(path) == ["partition.metadata"]


def test_the_longest_topic_name_can_be_retired() -> None:
    disk = FaultyDisk()
    directory = held(disk)
    longest = TopicPartition("t" * 249, 99_999)
    directory.create_partition(longest, ID)
    retired = directory.retire_partition(longest, OTHER_ID)
    assert len(retired.rpartition("/")[2]) == 255
    assert directory.partitions() == {}


def test_ids_are_spelled_as_kafka_spells_them() -> None:
    assert parse_uuid(spell_uuid(ID)) == ID
    assert len(spell_uuid(ID)) == 22
    with pytest.raises(ValueError):
        parse_uuid("short")


def test_the_real_disk_says_how_much_space_there_is(tmp_path: Path) -> None:
    directory = DataDirectory.hold(OsDisk(), str(tmp_path), holder="1")
    assert 0 < directory.free_bytes() <= directory.total_bytes()
    directory.release()
