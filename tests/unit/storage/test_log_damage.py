"""Damage on the disk: no damaged batch is ever served, and everything around it stays readable."""

from random import Random

import pytest

from chronik.records.batch import crc_is_right, read_header
from chronik.storage.errors import CorruptBatchError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from tests.unit.storage.log_cases import (
    NOW,
    append,
    base_offsets,
    batch,
    fill,
    open_log,
    read_all,
    small,
    split,
)

BATCHES = 60
FIELDS = {"base offset": 3, "length": 10, "leader epoch": 15, "magic": 16, "crc": 19, "delta": 25, "records": 70}


def damaged_log(position_in_batch: int, victim: int = 33) -> tuple[FaultyDisk, Log, list[bytes]]:
    """A log one of whose batches has a flipped bit, in a closed segment below the recovery point."""
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=3_000))
    stored = fill(log, BATCHES, size=55)
    log.flush()
    slot = log.segments.slot_of(victim)
    segment = log.segments[slot]
    position = (victim - segment.base_offset) * len(stored[0]) + position_in_batch
    byte = disk.read_bytes(segment.path)[position]
    disk.damage(segment.path, position, bytes([byte ^ 0x10]))
    return disk, log, stored


@pytest.mark.parametrize("field", FIELDS)
def test_a_flipped_bit_makes_its_batch_corrupt_and_leaves_all_others_readable(field: str) -> None:
    """Rule 15 of replication: CORRUPT_MESSAGE for the batch, later offsets readable."""
    _, log, stored = damaged_log(FIELDS[field])
    for offset in range(BATCHES):
        if offset == 33:
            with pytest.raises(CorruptBatchError) as raised:
                log.read(offset, 10**6, BATCHES)
            assert raised.value.offset == 33
        else:
            assert split(bytes(log.read(offset, 1, BATCHES).data)) == [stored[offset]]


@pytest.mark.parametrize("field", FIELDS)
def test_a_reader_that_comes_to_damage_gets_what_is_before_it_then_the_error(field: str) -> None:
    _, log, stored = damaged_log(FIELDS[field])
    offset, found = 0, []
    while offset < 33:
        read = log.read(offset, 700, BATCHES)
        found += split(bytes(read.data))
        assert offset < read.next_offset <= 33
        offset = read.next_offset
    assert found == stored[:33]
    with pytest.raises(CorruptBatchError):
        log.read(offset, 700, BATCHES)


@pytest.mark.parametrize("field", FIELDS)
def test_damage_below_the_recovery_point_is_kept_over_a_restart_and_reported(field: str) -> None:
    disk, log, stored = damaged_log(FIELDS[field])
    disk.process_crash()
    log = open_log(disk, small(segment_bytes=3_000), recovery_point=BATCHES)
    assert log.log_end_offset == BATCHES
    assert not log.recovery.truncation
    assert [split(bytes(log.read(each, 1, BATCHES).data)) for each in range(34, BATCHES)] == [
        [each] for each in stored[34:]
    ]
    with pytest.raises(CorruptBatchError):
        log.read(33, 1_000, BATCHES)


@pytest.mark.parametrize("field", [name for name in FIELDS if name != "leader epoch"])
def test_damage_above_the_recovery_point_is_truncated_and_reported(field: str) -> None:
    disk, log, stored = damaged_log(FIELDS[field])
    bases = [segment.base_offset for segment in log.segments]
    assert bases == [0, 24, 48]
    disk.process_crash()
    log = open_log(disk, small(segment_bytes=3_000), recovery_point=33)
    assert log.log_end_offset == 33
    assert read_all(log) == stored[:33]
    first, *later = log.recovery.truncation
    assert (first.first_offset, first.position) == (33, (33 - 24) * len(stored[0]))
    assert first.file.endswith("00000000000000000024.log")
    assert [cut.first_offset for cut in later] == [48]
    assert all(str(cut) in log.recovery.lines for cut in log.recovery.truncation)
    assert append(log) == 33


def test_damage_below_the_recovery_point_in_a_scanned_segment_is_kept_and_said() -> None:
    disk, _, stored = damaged_log(FIELDS["records"])
    disk.process_crash()
    log = open_log(disk, small(segment_bytes=3_000), recovery_point=34)
    (kept,) = log.recovery.kept
    assert (kept.first_offset, kept.size_bytes) == (33, len(stored[0]))
    assert log.log_end_offset == BATCHES
    assert read_all_but_damage(log) == stored[:33] + stored[34:]


def test_damage_at_the_end_of_the_log_below_the_recovery_point_does_not_free_its_offsets() -> None:
    """Rule 1: an acknowledged offset is never given again."""
    disk, log, _ = damaged_log(FIELDS["length"], victim=BATCHES - 1)
    log.close()
    log = open_log(disk, small(segment_bytes=3_000), recovery_point=BATCHES, clean=True)
    assert log.log_end_offset == BATCHES
    assert append(log) == BATCHES
    with pytest.raises(CorruptBatchError):
        log.read(BATCHES - 1, 1_000, BATCHES + 1)
    assert base_offsets(split(bytes(log.read(BATCHES, 1_000, BATCHES + 1).data))) == [BATCHES]


def read_all_but_damage(log: Log) -> list[bytes]:
    """Read as a client does that steps over what it is told is corrupt."""
    found, offset = [], log.log_start_offset
    while offset < log.log_end_offset:
        try:
            read = log.read(offset, 900, log.log_end_offset)
        except CorruptBatchError:
            offset += 1
            continue
        found += split(bytes(read.data))
        offset = read.next_offset
    return found


@pytest.mark.parametrize("seed", range(40))
def test_whatever_is_overwritten_no_damaged_batch_is_served_and_undamaged_ones_are(seed: int) -> None:
    dice = Random(seed)
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=3_000))
    stored = []
    for _ in range(BATCHES):
        data = batch(dice.randint(1, 5), size=dice.choice([3, 30, 200]))
        append(log, data)
        stored.append(bytes(data))
    log.flush()
    originals = {segment.path: split(disk.read_bytes(segment.path)) for segment in log.segments}
    hurt: set[int] = set()
    for _ in range(dice.randint(1, 5)):
        hurt |= overwrite_somewhere(dice, disk, originals)
    if dice.random() < 0.5:
        log.close()
        log = open_log(disk, small(segment_bytes=3_000), recovery_point=log.log_end_offset, clean=True)
    found = read_all_but_damage(log)
    assert all(crc_is_right(each, 0, len(each)) and each in stored for each in found)
    doubtful = hurt | alone_between(hurt, stored)
    intact = [each for each in stored if read_header(each).base_offset not in doubtful]
    assert [each for each in found if read_header(each).base_offset not in doubtful] == intact


def alone_between(hurt: set[int], stored: list[bytes]) -> set[int]:
    """Give the good batches with damage on both sides: nothing vouches for their base offsets."""
    offsets = base_offsets(stored)
    triples = zip(offsets, offsets[1:], offsets[2:], strict=False)
    return {middle for before, middle, behind in triples if before in hurt and behind in hurt}


def overwrite_somewhere(dice: Random, disk: FaultyDisk, originals: dict[str, list[bytes]]) -> set[int]:
    """Overwrite a few bytes of a segment; gives the base offsets of the batches that they belonged to."""
    path = dice.choice(sorted(originals))
    size = disk.file_size(path)
    start = dice.randrange(size)
    end = min(start + dice.choice([1, 8, 64, 500]), size)
    disk.damage(path, start, dice.choice([bytes(end - start), dice.randbytes(end - start)]))
    hurt, position = set(), 0
    for each in originals[path]:
        if position < end and position + len(each) > start:
            hurt.add(read_header(each).base_offset)
        position += len(each)
    return hurt


def test_a_good_looking_batch_with_a_wrong_offset_is_not_where_reading_resumes() -> None:
    """The CRC does not cover the base offset, and the damage before it leaves nothing else to vouch for it."""
    disk, log, stored = damaged_log(FIELDS["length"])
    segment = log.segments[log.segments.slot_of(34)]
    position = (34 - segment.base_offset) * len(stored[0])
    disk.damage(segment.path, position, (50).to_bytes(8, "big"))
    for offset in (33, 34):
        with pytest.raises(CorruptBatchError) as raised:
            log.read(offset, 1_000, BATCHES)
        assert raised.value.next_good_offset == 35
    assert split(bytes(log.read(35, 1, BATCHES).data)) == [stored[35]]


def test_the_error_says_where_reading_goes_on_also_for_a_reader_in_full_course() -> None:
    _, log, _ = damaged_log(FIELDS["records"])
    offset = 0
    while offset < 33:
        offset = log.read(offset, 10**6, BATCHES).next_offset
    with pytest.raises(CorruptBatchError) as raised:
        log.read(offset, 10**6, BATCHES)
    assert (raised.value.first_offset, raised.value.next_good_offset) == (33, 34)


def test_a_damaged_index_costs_time_but_no_record() -> None:
    disk = FaultyDisk()
    log = open_log(disk, small(segment_bytes=3_000))
    stored = fill(log, BATCHES, size=55)
    log.flush()
    path = log.segments[0].offset_index.path
    disk.damage(path, 0, bytes(disk.file_size(path) - 8))
    assert [split(bytes(log.read(each, 1, BATCHES).data))[0] for each in range(BATCHES)] == stored
    disk.damage(path, 0, b"\x00\x00\x00\x05\x00\x00\x00\x63" * (disk.file_size(path) // 8))
    assert [split(bytes(log.read(each, 1, BATCHES).data))[0] for each in range(BATCHES)] == stored


def test_a_truncation_at_damage_keeps_what_is_before_it() -> None:
    """A follower that must fetch a damaged range anew cuts there."""
    _, log, stored = damaged_log(FIELDS["length"])
    log.truncate_to(33, NOW)
    assert log.log_end_offset == 33
    assert read_all(log) == stored[:33]
