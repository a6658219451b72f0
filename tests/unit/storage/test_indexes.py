"""Indexes and epochs: Kafka's bytes, and the answers of a plain list."""

from random import Random
from struct import iter_unpack

import pytest

from chronik.storage.disk import write_file
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.indexes import OffsetIndex, TimeIndex
from chronik.storage.leader_epochs import LeaderEpochs, parse_leader_epochs
from tests.unit.storage.log_cases import NOW, append, batch, open_log, small


def test_an_entry_names_the_last_offset_of_a_batch_and_its_position() -> None:
    disk = FaultyDisk()
    log = open_log(disk, small(index_interval_bytes=200))
    sizes = []
    for index in range(10):
        data = batch(3, size=10, timestamp=NOW + 100 * index)
        append(log, data)
        sizes.append(len(data))
    log.close()
    stem = log.segments.active.stem
    entries = list(iter_unpack(">II", disk.read_bytes(stem + ".index")))
    positions = [sum(sizes[:index]) for index in range(10)]
    assert entries
    # A batch gets an entry when more than the interval lies before it, counted from the last such batch.
    assert all((offset + 1) % 3 == 0 and positions[offset // 3] == position for offset, position in entries)
    times = list(iter_unpack(">qI", disk.read_bytes(stem + ".timeindex")))
    assert times == [(NOW + 100 * (offset // 3) + 2, offset) for _, offset in times]
    assert times[-1] == (NOW + 902, 29), "closing adds the largest timestamp"
    assert [offset for _, offset in times[: len(entries)]] == [offset for offset, _ in entries]


@pytest.mark.parametrize("count", [0, 1, 2, 511, 512, 513, 5_000])
def test_lookups_in_memory_and_in_the_file_agree_with_a_list(count: int) -> None:
    dice, disk = Random(count), FaultyDisk()
    offsets = sorted(dice.sample(range(100_000), count))
    index = OffsetIndex(disk, "/index", is_loaded=True)
    for position, offset in enumerate(offsets):
        index.append(offset, position + 1)
    write_file(disk, "/index", index.to_bytes())
    on_disk = OffsetIndex(disk, "/index", is_loaded=False)
    for wanted in [0, 99_999, *offsets[:50], *(dice.randrange(100_000) for _ in range(50))]:
        slot = sum(offset <= wanted for offset in offsets)
        expected = (offsets[slot - 1], slot) if slot else None
        assert index.lookup(wanted) == on_disk.lookup(wanted) == expected
    on_disk.load()
    assert on_disk.to_bytes() == index.to_bytes()


@pytest.mark.parametrize("count", [0, 1, 2, 100])
def test_time_lookups_in_memory_and_in_the_file_agree_with_a_list(count: int) -> None:
    dice, disk = Random(count), FaultyDisk()
    times = sorted(dice.sample(range(1_000), count))
    index = TimeIndex(disk, "/timeindex", is_loaded=True)
    for offset, timestamp in enumerate(times):
        index.append(timestamp, offset)
        index.append(timestamp, offset + 1)
    write_file(disk, "/timeindex", index.to_bytes())
    on_disk = TimeIndex(disk, "/timeindex", is_loaded=False)
    for wanted in range(-1, 1_001):
        expected = sum(timestamp < wanted for timestamp in times) - 1
        assert index.offset_before(wanted) == on_disk.offset_before(wanted) == expected
    assert index.last() == on_disk.last()
    assert len(index) == len(on_disk) == count


def test_epochs_answer_as_kafka_does() -> None:
    epochs = LeaderEpochs([(2, 10), (5, 20), (7, 30)])
    assert epochs.end_offset_for(7, 99) == (7, 99)
    assert epochs.end_offset_for(5, 99) == (5, 30)
    assert epochs.end_offset_for(6, 99) == (5, 30)
    assert epochs.end_offset_for(4, 99) == (2, 20)
    assert epochs.end_offset_for(1, 99) == (1, 10)
    assert epochs.end_offset_for(8, 99) == (-1, -1)
    assert LeaderEpochs().end_offset_for(0, 99) == (-1, -1)
    assert [epochs.epoch_of(offset) for offset in (9, 10, 19, 20, 30, 1_000)] == [-1, 2, 2, 5, 7, 7]


def test_epochs_are_truncated_at_both_ends() -> None:
    epochs = LeaderEpochs([(2, 10), (5, 20), (7, 30)])
    epochs.truncate_from_end(30)
    assert (epochs.entries, epochs.latest) == ([(2, 10), (5, 20)], 5)
    epochs.truncate_from_start(25)
    assert epochs.entries == [(5, 25)]
    epochs.assign(9, 25)
    assert epochs.entries == [(9, 25)], "an epoch without offsets is replaced"
    epochs.assign(3, 40)
    assert epochs.latest == 9


def test_the_epoch_checkpoint_is_spelled_as_kafka_does() -> None:
    epochs = LeaderEpochs([(2, 10), (5, 20)])
    assert epochs.to_bytes() == b"0\n2\n2 10\n5 20\n"
    assert parse_leader_epochs(epochs.to_bytes()).entries == epochs.entries
    for wrong in (b"0\n2\n5 10\n2 20\n", b"0\n2\n2 20\n5 10\n", b"0\n1\n-1 0\n", b""):
        with pytest.raises(ValueError):
            parse_leader_epochs(wrong)
