"""Opening a log after crashes, torn writes, and lost or damaged companions of the segments."""

from pathlib import Path

import pytest

from chronik.storage.disk import Disk, OsDisk, write_file
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from tests.unit.storage.log_cases import (
    DIRECTORY,
    NOW,
    append,
    base_offsets,
    batch,
    fill,
    open_log,
    read_all,
    segment_names,
    small,
)

CONFIG = small(segment_bytes=1_500)
COMPANIONS = (".index", ".timeindex", ".snapshot", ".producers")


def closed_log(disk: FaultyDisk, *, batches: int = 60) -> list[bytes]:
    """A log of several segments that was closed cleanly."""
    log = open_log(disk, CONFIG)
    stored = []
    for sequence in range(batches):
        data = batch(timestamp=NOW + sequence, producer_id=sequence % 3, epoch=0, sequence=sequence // 3)
        append(log, data, leader_epoch=sequence // 25)
        stored.append(bytes(data))
    log.close()
    return stored


def reopened(disk: FaultyDisk, *, clean: bool = True, recovery_point: int = 60) -> Log:
    disk.process_crash()
    return open_log(disk, CONFIG, clean=clean, recovery_point=recovery_point)


def assert_whole(log: Log, stored: list[bytes]) -> None:
    assert log.log_end_offset == len(stored)
    assert read_all(log) == stored
    for each in range(len(stored)):
        assert base_offsets([bytes(log.read(each, 1, len(stored)).data)]) == [each]
    found = log.offset_for_time(NOW + 41)
    assert found is not None
    assert found.offset == 41
    assert {e.producer_id: len(e.batches) for e in log.producers.entries()} == {0: 5, 1: 5, 2: 5}
    assert log.leader_epochs.entries == [(0, 0), (1, 25), (2, 50)]


def test_a_clean_start_reads_no_batch_and_finds_everything() -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    log = reopened(disk)
    assert log.recovery.scanned_bytes == 0
    assert log.recovery.lines == []
    assert log.flushed_end_offset == 60
    assert_whole(log, stored)


def test_an_unclean_start_reads_only_from_the_recovery_point_on() -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    log = reopened(disk, clean=False, recovery_point=55)
    assert 0 < log.recovery.scanned_bytes < sum(map(len, stored)) / 2
    assert log.flushed_end_offset == 55
    assert_whole(log, stored)


@pytest.mark.parametrize("clean", [True, False], ids=["clean", "unclean"])
@pytest.mark.parametrize("suffix", COMPANIONS)
@pytest.mark.parametrize("harm", ["missing", "zeroed", "truncated", "emptied", "garbage"])
def test_whatever_happens_to_indexes_and_snapshots_is_made_good(suffix: str, harm: str, clean: bool) -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    for name in segment_names(disk, suffix):
        path = f"{DIRECTORY}/{name}"
        size = disk.file_size(path)
        if harm == "missing":
            disk.unlink(path)
        elif harm == "zeroed":
            write_file(disk, path, bytes(size))
        elif harm == "truncated":
            write_file(disk, path, disk.read_bytes(path)[: max(size - 5, 0)])
        elif harm == "emptied":
            write_file(disk, path, b"")
        else:
            write_file(disk, path, b"\x7f" * size)
    log = reopened(disk, clean=clean)
    assert_whole(log, stored)
    if suffix == ".index":
        assert any(".index" in line for line in log.recovery.lines)


@pytest.mark.parametrize("clean", [True, False], ids=["clean", "unclean"])
@pytest.mark.parametrize("content", [None, b"", b"0\n1\n", b"1\n0\n", b"0\n2\n5 0\n3 9\n", b"0\n1\n7 0\n", b"\xff\xfe"])
def test_a_wrong_or_missing_epoch_checkpoint_is_rebuilt_from_the_batches(content: bytes | None, clean: bool) -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    path = f"{DIRECTORY}/leader-epoch-checkpoint"
    if content is None:
        disk.unlink(path)
    else:
        write_file(disk, path, content)
    log = reopened(disk, clean=clean)
    assert_whole(log, stored)
    assert any("leader-epoch-checkpoint" in line for line in log.recovery.lines)


@pytest.mark.parametrize("kept", [1, 11, 12, 60, 61, 90])
def test_a_torn_tail_is_truncated_and_the_report_names_file_position_and_bytes(kept: int) -> None:
    """Rule 25."""
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    stored = fill(log, 5)
    disk.open(log.segments.active.path).pwritev([stored[0][:kept]], 5 * len(stored[0]))
    log = reopened(disk, clean=False, recovery_point=2)
    (cut,) = log.recovery.truncation
    assert (cut.position, cut.size_bytes, cut.first_offset) == (5 * len(stored[0]), kept, 5)
    assert f"truncated {kept} bytes" in log.recovery.lines[0]
    assert read_all(log) == stored
    assert append(log) == 5
    assert base_offsets(read_all(log)) == [0, 1, 2, 3, 4, 5]


def test_truncated_damage_is_reported_at_every_opening_until_no_replica_counts_on_it() -> None:
    """Rule 2 of replication: after the cut the log looks whole, and a crash may come before anybody is told."""
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    stored = fill(log, 5)
    disk.damage(log.segments.active.path, 3 * len(stored[0]) + 70, b"\xff\xff")
    for _ in range(3):
        log = reopened(disk, clean=False, recovery_point=2)
        assert read_all(log) == stored[:3]
        assert log.recovery.damaged_from == 3
    assert any("truncated as damaged by an earlier start" in line for line in log.recovery.lines)
    append(log)
    log.forget_truncated_damage()
    assert reopened(disk, clean=False, recovery_point=2).recovery.damaged_from is None


def test_zeros_behind_the_last_batch_are_truncated() -> None:
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    stored = fill(log, 5)
    disk.open(log.segments.active.path).truncate(5_000)
    log = reopened(disk, clean=False, recovery_point=5)
    assert read_all(log) == stored
    assert log.recovery.truncation[0].first_offset == 5


def test_a_segment_that_does_not_follow_the_one_before_it_is_dropped_above_the_recovery_point() -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    names = segment_names(disk)
    disk.unlink(f"{DIRECTORY}/{names[2]}")
    gap = int(names[2][:20])
    log = reopened(disk, clean=False, recovery_point=gap)
    assert read_all(log) == stored[:gap]
    assert len(log.recovery.truncation) == len(names) - 3
    assert append(log, leader_epoch=9) == gap


def test_a_missing_segment_below_the_recovery_point_is_said_and_the_rest_is_served() -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    names = segment_names(disk)
    first, behind = int(names[2][:20]), int(names[3][:20])
    disk.unlink(f"{DIRECTORY}/{names[2]}")
    log = reopened(disk, clean=False, recovery_point=60)
    assert log.log_end_offset == 60
    assert bytes(log.read(behind, 1, 60).data) == stored[behind]
    assert bytes(log.read(first - 1, 1, 60).data) == stored[first - 1]
    assert not log.recovery.truncation


def test_segments_below_the_log_start_are_removed_so_that_they_never_come_back() -> None:
    """Rules 11 and 58."""
    disk = FaultyDisk()
    stored = closed_log(disk)
    start = int(segment_names(disk)[2][:20]) + 1
    disk.process_crash()
    log = open_log(disk, CONFIG, clean=True, recovery_point=60, log_start_offset=start)
    assert log.log_start_offset == start
    assert segment_names(disk)[0] == f"{start - 1:020d}.log"
    assert read_all(log) == stored[start:]
    log.close()
    again = reopened(disk)
    assert again.log_start_offset == start - 1


def test_a_log_whose_end_was_lost_below_its_start_starts_again_at_its_start() -> None:
    """Rule 11."""
    disk = FaultyDisk()
    closed_log(disk)
    disk.process_crash()
    log = open_log(disk, CONFIG, log_start_offset=500)
    assert (log.log_start_offset, log.log_end_offset) == (500, 500)
    assert append(log) == 500
    assert any("below its start" in line for line in log.recovery.lines)


def test_files_left_by_an_interrupted_deletion_or_write_are_removed() -> None:
    disk = FaultyDisk()
    stored = closed_log(disk)
    for name in ("00000000000000000000.log.deleted", "leader-epoch-checkpoint.tmp", "00000000000000000999.index"):
        write_file(disk, f"{DIRECTORY}/{name}", b"x")
    write_file(disk, f"{DIRECTORY}/00000000000000000000.log.cleaned", b"x")
    log = reopened(disk)
    assert_whole(log, stored)
    names = disk.list_directory(DIRECTORY)
    assert not [name for name in names if name.endswith((".deleted", ".tmp", ".cleaned")) or "999" in name]
    assert len(log.recovery.removed) == 4


def test_a_term_without_batches_is_known_after_a_crash() -> None:
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    append(log, leader_epoch=3)
    log.assign_epoch(8)
    log.flush()
    log = reopened(disk, clean=False, recovery_point=1)
    assert log.leader_epochs.latest == 8
    assert log.leader_epochs.entries == [(3, 0), (8, 1)]


@pytest.mark.parametrize("clean", [True, False], ids=["clean", "unclean"])
def test_the_real_disk_gives_back_what_was_written(tmp_path: Path, clean: bool) -> None:
    disk: Disk = OsDisk()
    directory = f"{tmp_path}/orders-0"
    log = open_log(disk, CONFIG, directory=directory)
    stored = fill(log, 100)
    log.flush()
    stored += fill(log, 20)
    if clean:
        log.close()
    else:
        log.close(clean=False)
    again = open_log(disk, CONFIG, directory=directory, clean=clean, recovery_point=120 if clean else 0)
    assert read_all(again) == stored
    assert again.recovery.truncation == []
    assert append(again) == 120
    again.close()
