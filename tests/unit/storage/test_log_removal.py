"""What leaves a log: expired segments, deleted records, cut tails, compacted segments."""

from random import Random

import pytest

from chronik.records.batch import read_header
from chronik.records.build import Record, build_batch
from chronik.storage.compaction_swap import commit_swap, seal_swap
from chronik.storage.disk import OsDisk
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.segment_cleaner import run_job
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

HOUR = 3_600_000


def aged_log(disk: FaultyDisk, **config: int) -> Log:
    """Five segments of three batches, each segment an hour younger than the one before it."""
    log = open_log(disk, small(segment_bytes=400, **config))
    for index in range(15):
        append(log, batch(timestamp=NOW + index // 3 * HOUR))
    log.flush()
    assert [segment.base_offset for segment in log.segments] == [0, 3, 6, 9, 12]
    return log


def test_segments_older_than_the_retention_time_are_deleted_and_the_log_start_moves() -> None:
    disk = FaultyDisk()
    log = aged_log(disk, retention_ms=HOUR)
    deleted = log.delete_expired(NOW + 3 * HOUR + 1, 15)
    assert [(each.base_offset, each.end_offset) for each in deleted] == [(0, 3), (3, 6), (6, 9)]
    assert all("retention.ms" in each.reason for each in deleted)
    assert log.log_start_offset == 9
    assert base_offsets(read_all(log)) == list(range(9, 15))


def test_deleted_files_are_renamed_then_removed() -> None:
    """Rule 58."""
    disk = FaultyDisk()
    log = aged_log(disk, retention_ms=HOUR, file_delete_delay_ms=500)
    deleted = log.delete_expired(NOW + 3 * HOUR + 1, 15)
    assert deleted[0].delete_after_ms == NOW + 3 * HOUR + 501
    for each in deleted:
        each.rename()
    assert len(segment_names(disk)) == 2
    assert len(segment_names(disk, ".log.deleted")) == 3
    for each in deleted:
        each.unlink()
    assert [name for name in disk.list_directory(DIRECTORY) if "deleted" in name] == []
    assert sum(each.size_bytes for each in deleted) > 0


def test_nothing_at_or_above_the_high_watermark_is_deleted() -> None:
    log = aged_log(FaultyDisk(), retention_ms=HOUR)
    assert [each.base_offset for each in log.delete_expired(NOW + 100 * HOUR, 7)] == [0, 3]


def test_when_the_whole_log_expired_its_active_segment_goes_too() -> None:
    disk = FaultyDisk()
    log = aged_log(disk, retention_ms=HOUR)
    deleted = log.delete_expired(NOW + 100 * HOUR, 15)
    assert len(deleted) == 5
    assert (log.log_start_offset, log.log_end_offset) == (15, 15)
    assert append(log) == 15
    assert log.delete_expired(NOW, 16) == []


def test_an_empty_log_has_nothing_to_delete() -> None:
    log = open_log(FaultyDisk(), small(retention_ms=1, retention_bytes=0))
    assert log.delete_expired(NOW + 100 * HOUR, 0) == []


def test_a_segment_without_timestamps_ages_by_its_file() -> None:
    disk = FaultyDisk(now_ms=NOW)
    log = open_log(disk, small(segment_bytes=400, retention_ms=HOUR))
    fill(log, 6, timestamp=-1)
    log.flush()
    assert log.delete_expired(NOW + HOUR, 6) == []
    assert len(log.delete_expired(NOW + HOUR + 1, 6)) == 2


def test_a_log_larger_than_its_retention_size_loses_its_oldest_segments() -> None:
    log = aged_log(FaultyDisk(), retention_ms=-1)
    size = log.size_bytes
    log.reconfigure(small(segment_bytes=400, retention_ms=-1, retention_bytes=size - log.segments[0].size_bytes - 1))
    deleted = log.delete_expired(NOW, 15)
    assert [each.base_offset for each in deleted] == [0]
    assert "retention.bytes" in deleted[0].reason


def test_a_compacted_log_loses_only_what_is_below_its_start() -> None:
    log = aged_log(FaultyDisk(), retention_ms=1)
    log.reconfigure(small(segment_bytes=400, retention_ms=1, cleanup_delete=False, cleanup_compact=True))
    log.advance_log_start(4)
    assert [each.base_offset for each in log.delete_expired(NOW + 100 * HOUR, 15)] == [0]


def test_deleted_records_are_hidden_at_once_and_their_segments_freed_later() -> None:
    log = aged_log(FaultyDisk())
    log.advance_log_start(7)
    assert base_offsets(read_all(log)) == list(range(7, 15))
    assert [each.base_offset for each in log.delete_expired(NOW, 15)] == [0, 3]
    assert log.log_start_offset == 7


def test_the_log_start_never_goes_back_whatever_was_left_when_the_power_went() -> None:
    """Rule 11."""
    for seed in range(20):
        disk, dice = FaultyDisk(), Random(seed)
        log = aged_log(disk, retention_ms=HOUR)
        for each in log.delete_expired(NOW + 3 * HOUR + 1, 15):
            each.rename()
        disk.power_cut(dice)
        config = small(segment_bytes=400)
        log = open_log(disk, config, log_start_offset=9, recovery_point=15)
        assert log.log_start_offset == 9
        assert base_offsets(read_all(log)) == list(range(9, 15))
        assert segment_names(disk) == [f"{base:020d}.log" for base in (9, 12)]


@pytest.mark.parametrize("offset", range(16))
def test_a_truncated_log_continues_at_its_end_and_knows_only_what_is_left(offset: int) -> None:
    """Rule 13 of replication."""
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=400))
    for index in range(15):
        data = batch(timestamp=NOW + index, producer_id=1, epoch=0, sequence=index)
        append(log, data, leader_epoch=index // 4)
    log.flush()
    log.truncate_to(offset, NOW)
    assert (log.log_end_offset, log.next_offset) == (offset, offset)
    assert log.flushed_end_offset == offset
    assert log.leader_epochs.latest == (offset - 1) // 4 if offset else log.leader_epochs.latest == -1
    known = [each.base_offset for entry in log.producers.entries() for each in entry.batches]
    assert known == list(range(max(offset - 5, 0), offset))
    found = log.max_timestamp()
    assert (found.timestamp if found else -1) == (NOW + offset - 1 if offset else -1)
    assert append(log, batch(), leader_epoch=9) == offset
    assert base_offsets(read_all(log)) == list(range(offset + 1))
    log.close()
    again = open_log(disk, small(segment_bytes=400), clean=True, recovery_point=offset + 1)
    assert base_offsets(read_all(again)) == list(range(offset + 1))


def test_a_truncation_inside_a_batch_removes_the_whole_batch() -> None:
    log = open_log(FaultyDisk())
    for _ in range(3):
        append(log, batch(4))
    log.truncate_to(6, NOW)
    assert log.log_end_offset == 4


def test_a_truncation_survives_a_power_cut() -> None:
    for seed in range(20):
        disk = FaultyDisk()
        log = aged_log(disk)
        log.truncate_to(7, NOW)
        disk.power_cut(Random(seed))
        log = open_log(disk, small(segment_bytes=400), recovery_point=7)
        assert base_offsets(read_all(log)) == list(range(7))


def test_a_truncation_is_in_the_epoch_checkpoint() -> None:
    """A checkpoint that still tells of the cut epochs would make new batches look wrong."""
    disk = FaultyDisk()
    log = open_log(disk)
    for epoch in range(4):
        append(log, leader_epoch=epoch)
    log.flush()
    log.truncate_to(2, NOW)
    disk.power_cut(Random(0))
    assert disk.read_bytes(f"{DIRECTORY}/leader-epoch-checkpoint") == b"0\n2\n0 0\n1 1\n"


def test_a_log_can_start_again_at_another_offset() -> None:
    disk = FaultyDisk()
    log = aged_log(disk)
    for each in log.start_at(1_000, NOW):
        each.unlink()
    assert (log.log_start_offset, log.log_end_offset) == (1_000, 1_000)
    assert log.leader_epochs.entries == []
    assert len(log.producers) == 0
    assert append(log) == 1_000
    assert segment_names(disk) == ["00000000000000001000.log"]


def test_a_compacted_segment_takes_the_place_of_those_it_replaces(tmp_path: object) -> None:
    directory = f"{tmp_path}/orders-0"
    config = small(segment_bytes=400, cleanup_compact=True, cleanup_delete=False, min_cleanable_dirty_ratio=0.0)
    disk = OsDisk()
    log = open_log(disk, config, directory=directory)
    for index in range(12):
        append(log, keyed_batch(b"a" if index % 2 else b"b", b"%d" % index))
    log.flush()
    read_before = log.read(3, 1, 12)
    job = log.plan_compaction(0, 12, NOW)
    assert job is not None
    result = run_job(disk, job, lambda step, offset: None)
    assert result.error is None
    for group in result.groups:
        manifest = commit_swap(disk, directory, group.base_offset)
        assert log.may_swap(manifest)
        for path in log.swap_compacted(manifest, NOW):
            disk.unlink(path)
        seal_swap(disk, directory, manifest)
    left = base_offsets(read_all(log))
    assert read_before.next_offset == 4
    assert left == [*(each for each in left if each < 9), 9, 10, 11]
    assert len(left) < 12
    assert read_header(log.read(0, 1, 12).data).base_offset == left[0]
    log.close()
    again = open_log(disk, config, directory=directory, clean=True, recovery_point=12)
    assert base_offsets(read_all(again)) == left
    assert again.recovery.lines == []


def keyed_batch(key: bytes, value: bytes) -> bytearray:
    return bytearray(build_batch([Record(key, value, (), NOW)]))
