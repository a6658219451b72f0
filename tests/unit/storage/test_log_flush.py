"""Flushing: when it is due, what it makes durable, and that it does not get in the way of appends."""

from random import Random

from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.storage.log_cases import NOW, append, batch, fill, open_log, read_all, segment_names, small, stage


def test_the_recovery_point_is_what_was_written_when_the_flush_began() -> None:
    log = open_log(FaultyDisk())
    fill(log, 3)
    stage(log, batch())
    job = log.begin_flush()
    assert job is not None
    log.write_staged()
    fill(log, 2)
    assert log.begin_flush() is None, "one flush at a time"
    job.run()
    log.complete_flush(job)
    assert (log.flushed_end_offset, log.log_end_offset, log.unflushed_messages) == (3, 6, 3)
    log.flush()
    assert log.unflushed_messages == 0
    assert log.begin_flush() is None


def test_a_flush_is_due_after_so_many_messages() -> None:
    log = open_log(FaultyDisk(), small(flush_messages=3))
    log.flush()
    fill(log, 2)
    assert not log.flush_due(NOW)
    fill(log, 1)
    assert log.flush_due(NOW)
    log.flush()
    assert not log.flush_due(NOW)


def test_a_flush_is_due_so_long_after_the_first_unflushed_batch() -> None:
    log = open_log(FaultyDisk(), small(flush_ms=500))
    assert not log.flush_due(NOW + 10_000)
    append(log, now_ms=NOW)
    append(log, now_ms=NOW + 400)
    assert not log.flush_due(NOW + 499)
    assert log.flush_due(NOW + 500)
    log.flush()
    append(log, now_ms=NOW + 600)
    assert not log.flush_due(NOW + 1_000)


def test_a_roll_asks_for_a_flush_whatever_the_settings() -> None:
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=400))
    log.flush()
    fill(log, 3)
    assert not log.has_flush_work
    fill(log, 1)
    assert log.has_flush_work
    assert log.flush_due(NOW)
    log.flush()
    assert not log.has_flush_work
    assert segment_names(disk, ".snapshot") == ["00000000000000000003.snapshot"]
    disk.power_cut(Random(0))
    assert open_log(disk, small(segment_bytes=400)).log_end_offset == 4


def test_a_segment_that_rolls_during_a_flush_is_flushed_by_the_next() -> None:
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=400))
    fill(log, 2)
    job = log.begin_flush()
    assert job is not None
    stored = fill(log, 5)
    job.run()
    log.complete_flush(job)
    assert log.flushed_end_offset == 2
    log.flush()
    assert log.flushed_end_offset == 7
    disk.power_cut(Random(3))
    assert read_all(open_log(disk, small(segment_bytes=400)))[2:] == stored


def test_closed_segments_with_unwritten_bytes_stay_unflushed() -> None:
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=400))
    fill(log, 3)
    for _ in range(4):
        stage(log, batch())
    job = log.begin_flush()
    assert job is not None
    job.run()
    log.complete_flush(job)
    assert log.flushed_end_offset == 3
    log.write_staged()
    log.flush()
    for segment in log.segments.closed:
        assert not segment.is_unflushed
        assert segment.written_bytes == segment.size_bytes
    assert log.flushed_end_offset == 7


def test_dirty_pages_are_sent_on_their_way_in_large_ranges() -> None:
    log = open_log(FaultyDisk(), small(segment_bytes=100 * 1024 * 1024))
    assert log.take_writeback() is None
    fill(log, 9, size=1024 * 1024)
    job = log.take_writeback()
    assert job is not None
    job.run()
    assert log.take_writeback() is None


def test_a_new_term_is_flushed_though_no_batch_was_written() -> None:
    log = open_log(FaultyDisk())
    log.flush()
    log.assign_epoch(4)
    assert log.begin_flush() is not None
