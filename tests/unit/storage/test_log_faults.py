"""A disk that refuses: every waiter gets an error, the log goes offline, and nothing pretends to be safe."""

import errno
from random import Random

import pytest

from chronik.storage.errors import LogOfflineError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from tests.unit.storage.log_cases import NOW, append, batch, fill, open_log, read_all, small, stage

CONFIG = small(segment_bytes=2_000)


def logs_with_five_batches() -> tuple[FaultyDisk, Log, list[bytes]]:
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    return disk, log, fill(log, 5)


def assert_offline(log: Log) -> None:
    """Whatever is asked of the log, it answers with the reason."""
    asked = [
        lambda: stage(log, batch()),
        lambda: log.take_staged(owned=True),
        lambda: log.read(0, 1_000, 5),
        log.begin_flush,
        log.flush,
        lambda: log.offset_for_time(0),
        log.max_timestamp,
    ]
    for each in asked:
        with pytest.raises(LogOfflineError):
            each()
    assert not log.flush_due(NOW + 10**12)
    assert log.delete_expired(NOW + 10**12, 5) == []


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_failed_write_is_an_error_for_every_waiter_and_exposes_no_gap(error: int) -> None:
    """Rules 12 and 21."""
    disk, log, stored = logs_with_five_batches()
    for _ in range(3):
        stage(log, batch())
    disk.fail_next("write", error)
    with pytest.raises(LogOfflineError) as raised:
        log.write_staged()
    assert raised.value.cause.errno == error
    assert log.offline is not None
    assert log.offline.errno == error
    assert (log.log_end_offset, log.next_offset) == (5, 5)
    assert_offline(log)
    disk.process_crash()
    assert read_all(open_log(disk, CONFIG)) == stored


def test_a_full_disk_takes_part_of_a_write_and_none_of_it_stays() -> None:
    disk, log, stored = logs_with_five_batches()
    disk.space_bytes = 150
    stage(log, batch(size=200))
    with pytest.raises(LogOfflineError):
        log.write_staged()
    assert disk.file_size(log.segments.active.path) == sum(map(len, stored))
    disk.space_bytes = None
    disk.process_crash()
    log = open_log(disk, CONFIG)
    assert log.recovery.truncation == []
    assert read_all(log) == stored
    assert append(log) == 5


def test_where_even_truncation_fails_the_next_opening_truncates_the_torn_batch() -> None:
    disk, log, stored = logs_with_five_batches()
    disk.space_bytes = 150
    disk.fail_next("truncate")
    stage(log, batch(size=200))
    with pytest.raises(LogOfflineError):
        log.write_staged()
    disk.space_bytes = None
    disk.process_crash()
    log = open_log(disk, CONFIG)
    assert log.recovery.truncation[0].size_bytes == 150
    assert read_all(log) == stored


def test_a_job_behind_a_failed_one_never_reaches_the_disk() -> None:
    disk, log, stored = logs_with_five_batches()
    stage(log, batch())
    first = log.take_staged(owned=True)
    stage(log, batch())
    second = log.take_staged(owned=True)
    assert first is not None
    assert second is not None
    disk.fail_next("write")
    with pytest.raises(OSError):
        first.write()
    log.fail_write(first, OSError(errno.EIO, "broken"))
    with pytest.raises(OSError):
        second.write()
    log.fail_write(second, OSError(errno.EIO, "broken"))
    disk.process_crash()
    assert read_all(open_log(disk, CONFIG)) == stored


def test_a_failed_roll_takes_the_log_offline() -> None:
    disk, log, stored = logs_with_five_batches()
    disk.fail_next("open", errno.ENOSPC)
    with pytest.raises(LogOfflineError):
        stage(log, batch(size=1_990))
    assert_offline(log)
    disk.process_crash()
    assert read_all(open_log(disk, CONFIG)) == stored


@pytest.mark.parametrize("operation", ["sync", "sync_directory"])
def test_after_a_failed_sync_nothing_is_promised_and_nothing_is_tried_again(operation: str) -> None:
    """Rule 21: the kernel drops the pages, and the next sync would lie."""
    disk, log, stored = logs_with_five_batches()
    disk.fail_next(operation)
    with pytest.raises(LogOfflineError):
        log.flush()
    assert log.flushed_end_offset == 0
    assert_offline(log)
    log.close()
    disk.power_cut(Random(1))
    again = open_log(disk, CONFIG)
    assert stored[: again.log_end_offset] == read_all(again)


def test_the_faulty_disk_drops_pages_whose_sync_failed() -> None:
    """Without this the test above could not fail."""
    disk, log, _ = logs_with_five_batches()
    active = log.segments.active
    disk.sync_directory(active.path.rpartition("/")[0])
    disk.fail_next("sync")
    with pytest.raises(OSError):
        active.file.sync()
    active.file.sync()
    disk.power_cut(Random(1))
    assert open_log(disk, CONFIG).log_end_offset == 0


def test_what_a_failed_sync_dropped_is_written_again_at_the_next_opening() -> None:
    disk, log, stored = logs_with_five_batches()
    disk.fail_next("sync")
    with pytest.raises(LogOfflineError):
        log.flush()
    disk.process_crash()
    log = open_log(disk, CONFIG)
    assert any("failed flush" in line for line in log.recovery.lines)
    log.flush()
    disk.power_cut(Random(1))
    assert read_all(open_log(disk, CONFIG)) == stored


def test_a_read_error_is_an_error_for_that_read_alone() -> None:
    disk, log, stored = logs_with_five_batches()
    disk.fail_next("read", errno.EIO)
    with pytest.raises(OSError) as raised:
        log.read(0, 1_000, 5)
    assert raised.value.errno == errno.EIO
    assert log.offline is None
    assert read_all(log) == stored


def test_other_logs_on_the_disk_go_on() -> None:
    disk, log, _ = logs_with_five_batches()
    other = open_log(disk, CONFIG, directory="/data/other-0")
    disk.fail_next("write", errno.EIO, "*orders*")
    stage(log, batch())
    with pytest.raises(LogOfflineError):
        log.write_staged()
    assert append(other) == 0
    other.flush()
    assert other.flushed_end_offset == 1


@pytest.mark.parametrize("seed", range(30))
def test_whatever_fails_and_when_only_written_batches_count(seed: int) -> None:
    dice = Random(seed)
    disk = FaultyDisk()
    log = open_log(disk, CONFIG)
    stored: list[bytes] = []
    for _ in range(60):
        operation = dice.choice(["write", "sync", "open", "rename", "sync_directory", "truncate"])
        if dice.random() < 0.2:
            disk.forgive()
            disk.fail_next(operation, dice.choice([errno.EIO, errno.ENOSPC]))
        try:
            data = batch(dice.randint(1, 3), size=dice.choice([10, 500]))
            append(log, data)
            stored.append(bytes(data))
            if dice.random() < 0.3:
                log.flush()
        except LogOfflineError:
            flushed = log.flushed_end_offset
            if dice.random() < 0.5:
                disk.process_crash()
                log = open_log(disk, CONFIG, recovery_point=flushed)
                assert read_all(log) == stored
            else:
                disk.power_cut(dice)
                log = open_log(disk, CONFIG, recovery_point=flushed)
                assert log.log_end_offset >= flushed
                found = read_all(log)
                assert found == stored[: len(found)]
                stored = found


@pytest.mark.parametrize("seed", range(40))
def test_after_a_power_cut_a_log_that_was_never_flushed_begins_where_it_began(seed: int) -> None:
    """A second segment whose name outlived the first one's would look as if retention had taken the first."""
    disk = FaultyDisk()
    log = open_log(disk)
    while len(log.segments) < 3:
        append(log, batch(5))
    disk.power_cut(Random(seed))
    assert open_log(disk).log_start_offset == 0


def test_a_log_that_cannot_make_the_name_of_its_first_segment_durable_is_offline() -> None:
    disk = FaultyDisk()
    log = open_log(disk)
    disk.fail_next("sync_directory", errno.EIO)
    with pytest.raises(LogOfflineError):
        fill(log, 100)
    assert log.offline is not None
    assert len(log.segments) == 1
