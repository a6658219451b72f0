"""Offsets by time: the exact record, through index and batch."""

from random import Random

import pytest

from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.records.iterate import records_of
from chronik.storage.errors import CorruptBatchError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from tests.unit.storage.log_cases import NOW, append, batch, open_log, read_all, small


def timed_batch(timestamps: list[int], codec: Codec = Codec.NONE) -> bytearray:
    return bytearray(build_batch([Record(None, b"x" * 20, (), each) for each in timestamps], codec=codec))


@pytest.mark.parametrize("seed", range(25))
def test_the_first_record_at_or_after_a_time_is_found_exactly(seed: int) -> None:
    """Rule 13."""
    dice = Random(seed)
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=dice.choice([600, 5_000])))
    for _ in range(40):
        times = [NOW + dice.randint(0, 300) for _ in range(dice.randint(1, 4))]
        append(log, timed_batch(times, dice.choice(list(Codec))))
    if dice.random() < 0.5:
        log.close()
        log = open_log(disk, log.config, clean=True, recovery_point=log.log_end_offset)
    log.advance_log_start(dice.randint(0, 60))
    check_against_a_walk(log)
    log.truncate_to(dice.randint(log.log_start_offset, log.log_end_offset), NOW)
    check_against_a_walk(log)


def check_against_a_walk(log: Log) -> None:
    records = [record for each in read_all(log) for record in records_of(each)]
    records = [record for record in records if record.offset >= log.log_start_offset]
    for timestamp in range(NOW - 1, NOW + 303, 3):
        expected = next((record for record in records if record.timestamp >= timestamp), None)
        found = log.offset_for_time(timestamp)
        assert (found and (found.offset, found.timestamp)) == (expected and (expected.offset, expected.timestamp))
    largest = max(records, key=lambda record: (record.timestamp, -record.offset), default=None)
    found = log.max_timestamp()
    assert (found and (found.offset, found.timestamp)) == (largest and (largest.offset, largest.timestamp))


def test_the_answer_names_the_epoch_that_wrote_the_record() -> None:
    log = open_log(FaultyDisk())
    append(log, batch(timestamp=NOW), leader_epoch=3)
    append(log, batch(timestamp=NOW + 5), leader_epoch=8)
    found = log.offset_for_time(NOW + 1)
    assert found == (NOW + 5, 1, 8)


def test_records_without_timestamps_are_not_found_by_time() -> None:
    log = open_log(FaultyDisk())
    append(log, batch(timestamp=-1))
    assert log.offset_for_time(0) is None
    assert log.max_timestamp() is None


def test_a_damaged_batch_is_not_searched_but_reported() -> None:
    disk = FaultyDisk()
    log = open_log(disk)
    append(log, batch(timestamp=NOW))
    disk.damage(log.segments.active.path, 70, b"\xff\xff")
    with pytest.raises(CorruptBatchError):
        log.offset_for_time(NOW)
