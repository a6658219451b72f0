"""The faulty disk is itself believed only after it was tried; the real one passes what both must do."""

import errno
from pathlib import Path
from random import Random

import pytest

from chronik.storage.disk import Disk, OsDisk, write_all, write_atomically, write_file
from chronik.storage.faulty_disk import PAGE_BYTES, FaultyDisk


@pytest.fixture(params=["faulty", "os"])
def both(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Disk, str]:
    if request.param == "os":
        return OsDisk(), str(tmp_path)
    disk = FaultyDisk()
    disk.make_directory("/data")
    return disk, "/data"


def test_both_disks_read_back_what_was_written_where(both: tuple[Disk, str]) -> None:
    disk, root = both
    file = disk.open(f"{root}/a", create=True)
    assert file.pwritev([b"hello ", memoryview(b"world")], 3) == 11
    assert (file.size(), file.pread(100, 0)) == (14, b"\0\0\0hello world")
    file.truncate(5)
    file.sync()
    file.start_writeback(0, 5)
    assert disk.read_bytes(f"{root}/a") == b"\0\0\0he"
    assert file.pread(10, 50) == b""
    file.close()
    with pytest.raises(OSError):
        file.pread(1, 0)
    with pytest.raises(OSError):
        file.pwritev([b"x"], 0)
    file.close()


def test_both_disks_list_rename_and_remove(both: tuple[Disk, str]) -> None:
    disk, root = both
    disk.make_directory(f"{root}/d/e")
    write_file(disk, f"{root}/d/x", b"1")
    write_atomically(disk, f"{root}/d/y", b"22")
    assert disk.list_directory(f"{root}/d") == ["e", "x", "y"]
    disk.rename(f"{root}/d/x", f"{root}/d/y")
    assert disk.read_bytes(f"{root}/d/y") == b"1"
    disk.rename(f"{root}/d", f"{root}/f")
    assert (disk.exists(f"{root}/d"), disk.is_directory(f"{root}/f")) == (False, True)
    assert disk.file_size(f"{root}/f/y") == 1
    disk.unlink(f"{root}/f/y")
    disk.unlink(f"{root}/f/y")
    disk.remove_directory(f"{root}/f")
    disk.remove_directory(f"{root}/f")
    assert not disk.exists(f"{root}/f")
    for absent in (disk.read_bytes, disk.file_size, disk.modified_ms, disk.open, disk.list_directory):
        with pytest.raises(FileNotFoundError):
            absent(f"{root}/f")


def test_both_disks_lock_once(both: tuple[Disk, str]) -> None:
    disk, root = both
    lock = disk.lock(f"{root}/.lock", "one")
    assert not isinstance(lock, str)
    assert disk.lock(f"{root}/.lock", "two") == "one"
    lock.release()
    again = disk.lock(f"{root}/.lock", "two")
    assert not isinstance(again, str)
    again.release()


def test_a_process_crash_keeps_everything_and_ends_every_handle() -> None:
    disk = FaultyDisk()
    file = disk.open("/a", create=True)
    write_all(file, b"x" * 10_000)
    disk.process_crash()
    assert disk.read_bytes("/a") == b"x" * 10_000
    with pytest.raises(OSError):
        file.pread(1, 0)


def test_a_power_cut_keeps_what_was_synced_and_tears_the_rest() -> None:
    outcomes = set()
    for seed in range(200):
        disk = FaultyDisk()
        write_file(disk, "/a", b"s" * PAGE_BYTES)
        disk.sync_directory("")
        write_all(disk.open("/a"), b"u" * 3 * PAGE_BYTES, PAGE_BYTES)
        disk.power_cut(Random(seed))
        content = disk.read_bytes("/a")
        assert content[:PAGE_BYTES] == b"s" * PAGE_BYTES
        rest = content[PAGE_BYTES:]
        assert set(rest) <= {0, ord("u")}
        outcomes.add((len(rest), rest.count(b"u")))
    assert (0, 0) in outcomes
    assert (3 * PAGE_BYTES, 3 * PAGE_BYTES) in outcomes
    assert any(0 < kept < size for size, kept in outcomes), "torn"


def test_a_power_cut_may_forget_names_that_were_not_synced() -> None:
    kept = []
    for seed in range(50):
        disk = FaultyDisk()
        write_file(disk, "/a", b"1")
        write_file(disk, "/b", b"2")
        disk.power_cut(Random(seed))
        kept.append((disk.exists("/a"), disk.exists("/b")))
    assert set(kept) == {(False, False), (False, True), (True, False), (True, True)}


def test_a_file_that_was_replaced_atomically_is_old_or_new_after_a_power_cut() -> None:
    seen = set()
    for seed in range(60):
        disk = FaultyDisk()
        write_atomically(disk, "/a", b"old")
        disk.fail_next("sync_directory")
        with pytest.raises(OSError):
            write_atomically(disk, "/a", b"new")
        disk.power_cut(Random(seed))
        seen.add(disk.read_bytes("/a"))
    assert seen == {b"old", b"new"}


def test_space_ends_with_a_short_write_and_then_an_error() -> None:
    disk = FaultyDisk(space_bytes=5)
    file = disk.open("/a", create=True)
    assert file.pwritev([b"abc", b"defg"], 0) == 5
    with pytest.raises(OSError) as raised:
        file.pwritev([b"fg"], 5)
    assert raised.value.errno == errno.ENOSPC
    assert disk.read_bytes("/a") == b"abcde"


def test_faults_strike_as_often_as_asked_and_only_where_asked() -> None:
    disk = FaultyDisk()
    a, b = disk.open("/a", create=True), disk.open("/b", create=True)
    disk.fail_next("write", errno.EIO, "/a", count=2)
    b.pwritev([b"x"], 0)
    for _ in range(2):
        with pytest.raises(OSError):
            a.pwritev([b"x"], 0)
    assert a.pwritev([b"x"], 0) == 1
