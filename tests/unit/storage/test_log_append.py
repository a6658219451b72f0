"""Appending: offsets are the log's to give, and only what was written counts."""

import pytest

from chronik.records.batch import read_header
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig
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
    stage,
)


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def log(disk: FaultyDisk) -> Log:
    return open_log(disk)


def test_the_log_assigns_offsets_whatever_the_client_wrote(log: Log) -> None:
    """Rule 24."""
    data = batch(3)
    data[0:8] = (777).to_bytes(8, "big")
    assert append(log, data) == 0
    assert append(log, batch(2)) == 3
    assert log.log_end_offset == 5
    assert base_offsets(read_all(log)) == [0, 3]


def test_stored_bytes_are_sent_bytes_but_for_offset_and_leader_epoch(log: Log) -> None:
    """Rule 28."""
    append(log)
    sent = batch(2)
    before = bytes(sent)
    append(log, sent, leader_epoch=7)
    stored = read_all(log)[1]
    assert stored[8:12] == before[8:12]
    assert stored[16:] == before[16:]
    assert read_header(stored).base_offset == 1
    assert read_header(stored).partition_leader_epoch == 7


def test_a_staged_batch_is_not_part_of_the_log_until_it_is_written(log: Log) -> None:
    stage(log, batch(4))
    assert (log.next_offset, log.log_end_offset) == (4, 0)
    assert log.read(0, 1_000, 4).data == b""
    log.write_staged()
    assert log.log_end_offset == 4


def test_batches_staged_while_a_write_is_under_way_follow_it(log: Log) -> None:
    first = batch(2)
    stage(log, first)
    job = log.take_staged(owned=True)
    assert job is not None
    first[:] = bytes(len(first))
    stage(log, batch(3))
    later = log.take_staged(owned=True)
    assert later is not None
    job.write()
    later.write()
    log.complete_write(job)
    assert log.log_end_offset == 2
    log.complete_write(later)
    assert base_offsets(read_all(log)) == [0, 2]


def test_nothing_staged_is_no_job(log: Log) -> None:
    assert log.take_staged(owned=False) is None
    log.write_staged()
    assert log.log_end_offset == 0


def test_short_writes_and_more_buffers_than_one_call_takes_are_carried_on(disk: FaultyDisk) -> None:
    disk.write_bytes_max = 9_999
    log = open_log(disk, LogConfig())
    sent = [batch(size=5) for _ in range(2_500)]
    for each in sent:
        stage(log, each)
    log.write_staged()
    assert read_all(log, bytes_max=100_000) == [bytes(each) for each in sent]


def test_a_segment_rolls_when_the_next_batch_would_make_it_too_large(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=400))
    fill(log, 10)
    assert all(disk.file_size(f"{DIRECTORY}/{name}") <= 400 for name in segment_names(disk))
    assert len(segment_names(disk)) == 4
    assert base_offsets(read_all(log)) == list(range(10))


def test_batches_staged_before_and_after_a_roll_are_written_to_their_own_segments(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=400))
    for _ in range(10):
        stage(log, batch())
    log.write_staged()
    assert len(segment_names(disk)) == 4
    assert base_offsets(read_all(log)) == list(range(10))


def test_a_batch_larger_than_a_segment_has_a_segment_to_itself(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=400))
    append(log)
    append(log, batch(size=1_000))
    append(log)
    assert segment_names(disk) == [f"{base:020d}.log" for base in (0, 1, 2)]


def test_a_segment_rolls_by_the_time_between_its_records(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_ms=1_000))
    append(log, batch(timestamp=NOW))
    append(log, batch(timestamp=NOW + 1_000))
    assert len(segment_names(disk)) == 1
    append(log, batch(timestamp=NOW + 1_001))
    assert len(segment_names(disk)) == 2


def test_a_segment_without_timestamps_rolls_by_the_clock(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_ms=1_000))
    append(log, batch(timestamp=-1), now_ms=NOW)
    append(log, batch(timestamp=-1), now_ms=NOW + 1_001)
    assert len(segment_names(disk)) == 2


def test_jitter_spreads_the_rolls_of_partitions_and_is_the_same_for_the_same_segment() -> None:
    config = LogConfig(segment_ms=10_000, segment_jitter_ms=5_000)
    ages = {config.roll_after_ms(f"/data/t-{partition}", 0) for partition in range(50)}
    assert len(ages) > 30
    assert all(5_000 < age <= 10_000 for age in ages)
    assert config.roll_after_ms("/data/t-1", 0) == config.roll_after_ms("/data/t-1", 0)


def test_a_segment_rolls_when_its_index_is_full(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=100_000, segment_index_bytes=36))
    fill(log, 30)
    # Three entries fit, for the time index needs twelve bytes for each; the first batch needs none.
    assert len(segment_names(disk)) > 1
    assert all(len(segment.offset_index) <= 3 for segment in log.segments)


def test_a_leader_epoch_begins_with_its_first_batch(log: Log) -> None:
    append(log, leader_epoch=2)
    append(log, leader_epoch=2)
    append(log, leader_epoch=5)
    assert log.leader_epochs.entries == [(2, 0), (5, 2)]
    assert log.leader_epochs.latest == 5
    log.assign_epoch(6)
    assert log.leader_epochs.entries == [(2, 0), (5, 2), (6, 3)]


def test_replicated_batches_keep_their_offsets_and_epochs(disk: FaultyDisk, log: Log) -> None:
    fill(log, 3, count=2)
    follower = open_log(disk, directory="/data/follower-0")
    for each in read_all(log):
        follower.stage_replicated(each, read_header(each), NOW)
    follower.write_staged()
    assert read_all(follower) == read_all(log)
    assert follower.leader_epochs.entries == log.leader_epochs.entries


def test_a_gap_in_replicated_batches_is_remembered_over_a_restart(disk: FaultyDisk, log: Log) -> None:
    fill(log, 3)
    first, _, third = read_all(log)
    follower = open_log(disk, directory="/data/follower-0")
    for each in (first, third):
        follower.stage_replicated(each, read_header(each), NOW)
    follower.write_staged()
    assert read_all(follower) == [first, third]
    assert follower.read(1, 1_000, 3).data == third
    disk.process_crash()
    again = open_log(disk, directory="/data/follower-0")
    assert not again.is_dense
    assert read_all(again) == [first, third]


def test_appended_bytes_only_grow(log: Log) -> None:
    sizes = sum(map(len, fill(log, 5)))
    assert log.appended_bytes == sizes
    log.truncate_to(2, NOW)
    assert log.appended_bytes == sizes
