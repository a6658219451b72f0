"""Reading ahead: the next part of a long read is kept, served once, and never where it does not fit."""

import asyncio
from dataclasses import dataclass, field

from chronik.server.replicas.read_ahead import BULK_BYTES, KEPT_BYTES_EACH_MAX, KEPT_MAX, ReadAhead
from chronik.storage.errors import OffsetOutOfRangeError
from chronik.storage.reading import LogRead

SIZE = BULK_BYTES
WANTED = 2 * SIZE


@dataclass(eq=False)
class Stored:
    """A partition with one batch of ten records after the other."""

    high_watermark: int = 100
    is_closed: bool = False
    is_offline: bool = False
    is_broken: bool = False
    reads: list[int] = field(default_factory=list)

    def read_log(self, offset: int, bytes_max: int, end_offset: int, *, whole_first_batch: bool) -> LogRead:
        self.reads.append(offset)
        if self.is_broken:
            raise OffsetOutOfRangeError(offset, 0, 0)
        return LogRead(b"x" * SIZE, offset + 10)


async def after_a_read(partition: Stored, *, offset: int = 0, size: int = SIZE, wanted: int = WANTED) -> ReadAhead:
    ahead = ReadAhead(asyncio.get_running_loop())
    ahead.after(partition, LogRead(b"x" * size, offset + 10), wanted)
    await asyncio.sleep(0)
    return ahead


async def test_the_next_part_of_a_long_read_is_kept_and_given_once() -> None:
    partition = Stored()
    ahead = await after_a_read(partition)
    assert partition.reads == [10]
    found = ahead.take(partition, 10, WANTED, 100)
    assert found is not None
    assert found.next_offset == 20
    assert ahead.take(partition, 10, WANTED, 100) is None


async def test_what_is_kept_is_not_given_for_another_offset() -> None:
    partition = Stored()
    ahead = await after_a_read(partition)
    assert ahead.take(partition, 11, WANTED, 100) is None
    assert ahead.take(partition, 10, WANTED, 100) is not None


async def test_what_is_kept_is_not_given_where_it_is_too_large_or_reaches_too_far() -> None:
    partition = Stored()
    assert (await after_a_read(partition)).take(partition, 10, SIZE - 1, 100) is None
    assert (await after_a_read(partition)).take(partition, 10, WANTED, 19) is None


async def test_small_reads_huge_wishes_and_the_end_of_the_log_are_not_read_ahead() -> None:
    partition = Stored()
    await after_a_read(partition, size=BULK_BYTES - 1)
    await after_a_read(partition, wanted=KEPT_BYTES_EACH_MAX + 1)
    await after_a_read(partition, offset=90)
    assert partition.reads == []


async def test_a_partition_that_ended_is_not_read_and_one_that_is_forgotten_gives_nothing() -> None:
    await after_a_read(closed := Stored(is_closed=True))
    await after_a_read(offline := Stored(is_offline=True))
    assert closed.reads == offline.reads == []
    partition = Stored()
    ahead = await after_a_read(partition)
    ahead.forget(partition)
    assert ahead.take(partition, 10, WANTED, 100) is None


async def test_an_error_while_reading_ahead_is_left_to_whoever_asks() -> None:
    partition = Stored(is_broken=True)
    ahead = await after_a_read(partition)
    assert partition.reads == [10]
    assert ahead.take(partition, 10, WANTED, 100) is None


async def test_consumers_at_several_places_make_it_rest() -> None:
    partition = Stored()
    ahead = await after_a_read(partition)
    ahead.after(partition, LogRead(b"x" * SIZE, 60), WANTED)
    await asyncio.sleep(0)
    ahead.after(partition, LogRead(b"x" * SIZE, 30), WANTED)
    await asyncio.sleep(0)
    assert partition.reads == [10]


async def test_only_a_few_reads_are_kept() -> None:
    ahead = ReadAhead(asyncio.get_running_loop())
    partitions = [Stored() for _ in range(KEPT_MAX + 3)]
    for partition in partitions:
        ahead.after(partition, LogRead(b"x" * SIZE, 10), WANTED)
    await asyncio.sleep(0)
    kept = [partition for partition in partitions if ahead.take(partition, 10, WANTED, 100)]
    assert kept == partitions[3:]
