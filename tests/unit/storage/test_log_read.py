"""Reading: whole batches, within bounds, from anywhere, at a cost that does not grow with the log."""

import pytest

from chronik.records.batch import read_header
from chronik.storage.disk import File
from chronik.storage.errors import OffsetOutOfRangeError
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.log_config import LogConfig
from chronik.storage.log_reader import OPEN_CLOSED_SEGMENTS_MAX
from tests.unit.storage.log_cases import append, base_offsets, batch, fill, open_log, read_all, small, split, stage


@pytest.fixture
def disk() -> FaultyDisk:
    return FaultyDisk()


@pytest.fixture
def log(disk: FaultyDisk) -> Log:
    return open_log(disk)


def test_every_offset_is_reachable_from_every_starting_point(disk: FaultyDisk) -> None:
    """Rules 23 and 35."""
    log = open_log(disk, small(segment_bytes=1_500))
    for count in (1, 4, 2, 7, 1, 1, 30, 2, 5, 1, 9, 3):
        append(log, batch(count, size=17))
    for start in range(log.log_end_offset):
        offsets = base_offsets(split(bytes(log.read(start, 10**6, log.log_end_offset).data)))
        header = read_header(log.read(start, 1, log.log_end_offset).data)
        assert header.base_offset <= start <= header.last_offset
        assert offsets[0] == header.base_offset


def test_an_offset_outside_the_log_is_refused_and_its_end_is_empty(log: Log) -> None:
    """Rule 32."""
    fill(log, 5)
    log.advance_log_start(2)
    for offset in (-1, 1, 6, 10**12):
        with pytest.raises(OffsetOutOfRangeError):
            log.read(offset, 1_000, 5)
    assert log.read(5, 1_000, 5).data == b""
    assert log.read(2, 1_000, 5).next_offset == 5


def test_bytes_below_the_end_offset_are_given_or_an_error_is_raised(log: Log) -> None:
    """Rule 31."""
    fill(log, 9)
    for offset in range(9):
        for end in range(offset + 1, 10):
            assert log.read(offset, 1, end).data


def test_a_read_never_gives_a_batch_that_begins_at_the_end_offset_or_later(log: Log) -> None:
    """Rule 3."""
    fill(log, 9)
    assert base_offsets(split(bytes(log.read(0, 10**6, 4).data))) == [0, 1, 2, 3]


def test_a_read_stays_within_its_bytes_except_for_a_whole_first_batch(log: Log) -> None:
    """Rule 34."""
    sizes = [len(each) for each in fill(log, 6, size=50)]
    assert len(log.read(0, sizes[0] * 2 + 1, 6).data) == sizes[0] * 2
    assert len(log.read(0, 1, 6).data) == sizes[0]
    assert log.read(0, sizes[0] - 1, 6, whole_first_batch=False).data == b""
    assert len(log.read(0, sizes[0], 6, whole_first_batch=False).data) == sizes[0]
    # The last batch is where the file ends, and no room to look beyond it.
    assert log.read(5, sizes[0] - 1, 6, whole_first_batch=False).data == b""


def test_a_read_goes_on_in_the_next_segment_where_one_ended(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=400))
    stored = fill(log, 12)
    assert read_all(log) == stored
    first = log.read(0, 10**6, 12)
    assert split(bytes(log.read(first.next_offset, 10**6, 12).data)) == stored[first.next_offset :][:3]


def test_readers_at_the_tail_see_what_is_appended_next(log: Log) -> None:
    append(log)
    assert log.read(0, 1_000, 1).next_offset == 1
    assert log.read(1, 1_000, 1).data == b""
    stored = batch(3)
    append(log, stored)
    assert log.read(1, 1_000, 4).data == stored


def test_batches_that_are_staged_and_being_written_are_not_read(disk: FaultyDisk, log: Log) -> None:
    stored = fill(log, 2)
    stage(log, batch())
    job = log.take_staged(owned=True)
    assert job is not None
    job.write()
    assert log.read(0, 10**6, 100).data == b"".join(stored)


class CountingDisk(FaultyDisk):
    """Counts the calls and bytes of reads."""

    calls = 0
    bytes_read = 0

    def open(self, path: str, /, *, create: bool = False) -> File:
        file = super().open(path, create=create)
        plain_read = file.pread

        def counted(size: int, position: int, /) -> bytes:
            data = plain_read(size, position)
            self.calls += 1
            self.bytes_read += len(data)
            return data

        file.pread = counted  # type: ignore[method-assign]
        return file


@pytest.mark.parametrize("is_closed", [False, True], ids=["active", "closed"])
def test_the_cost_of_a_read_does_not_depend_on_the_size_of_the_log(is_closed: bool) -> None:
    """Rule 33."""
    costs = []
    for count in (400, 6_400):
        disk = CountingDisk()
        log = open_log(disk, LogConfig(index_interval_bytes=400))
        fill(log, count)
        if is_closed:
            log.roll(0)
            log.flush()
        most = (0, 0)
        for offset in range(5, count, count // 50):
            disk.calls = disk.bytes_read = 0
            assert read_header(log.read(offset, 1, count).data).base_offset == offset
            most = max(most, (disk.calls, disk.bytes_read))
        costs.append(most)
    small_log, large_log = costs
    # Four doublings cost a closed segment's bisection a call each and at most one block of entries.
    assert large_log[0] <= small_log[0] + 4
    assert large_log[1] <= small_log[1] + 512 * 8


def test_reading_on_costs_no_lookup(disk: FaultyDisk) -> None:
    counting = CountingDisk()
    log = open_log(counting, LogConfig())
    fill(log, 500)
    offset = log.read(0, 5_000, 500).next_offset
    counting.calls = counting.bytes_read = 0
    log.read(offset, 5_000, 500)
    assert counting.calls == 2
    assert counting.bytes_read <= 5_004


def test_few_files_of_closed_segments_stay_open(disk: FaultyDisk) -> None:
    """Rule 57, for handles."""
    log = open_log(disk, small(segment_bytes=200))
    fill(log, 40)
    log.flush()
    read_all(log)
    assert len(log.segments) == 40
    assert sum(segment.is_open for segment in log.segments) <= OPEN_CLOSED_SEGMENTS_MAX + 1


def test_closed_segments_hold_no_index_in_memory(disk: FaultyDisk) -> None:
    log = open_log(disk, small(segment_bytes=2_000))
    stored = fill(log, 100)
    log.flush()
    assert [segment.offset_index.is_loaded for segment in log.segments] == [False] * (len(log.segments) - 1) + [True]
    assert read_all(log) == stored
    assert not log.segments[0].offset_index.is_loaded
