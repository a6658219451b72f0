"""How long a watermark has stood below its log's end is known whether or not anybody asked before."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from chronik.model.ids import TopicPartition
from chronik.server.status import stalled
from chronik.server.status.stalled import StalledWatermarks

ORDERS_2 = TopicPartition("orders", 2)


@dataclass
class Core:
    """As much of a leader as is looked at."""

    high_watermark: int = 0
    log_end_offset: int = 0


@dataclass
class Led:
    """A led partition without a log."""

    leader: Core = field(default_factory=Core)
    topic_partition: TopicPartition = ORDERS_2


class Table:
    """The partitions that are led."""

    def __init__(self, *led: Led) -> None:
        self._led = led

    def led(self) -> Any:
        return iter(self._led)


class Clock:
    """Time that the test sets."""

    now = 1_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(stalled, "steady_ms", clock)
    return clock


def looked(watch: StalledWatermarks, clock: Clock, at: int) -> None:
    clock.now = at
    asyncio.run(watch.check())


def stands(watch: StalledWatermarks, partition: Led, now: int) -> int:
    return watch.stalled_ms(partition, now)  # type: ignore[arg-type]


def watching(*led: Led) -> StalledWatermarks:
    return StalledWatermarks(Table(*led))  # type: ignore[arg-type]


def test_a_watermark_stands_from_the_first_look_that_finds_it_behind(clock: Clock) -> None:
    led = Led(leader=Core(5, 9))
    watch = watching(led)
    looked(watch, clock, 1_000)
    led.leader.log_end_offset = 12
    looked(watch, clock, 1_500)
    assert stands(watch, led, 4_000) == 3_000


def test_a_watermark_that_moves_begins_anew(clock: Clock) -> None:
    led = Led(leader=Core(5, 9))
    watch = watching(led)
    looked(watch, clock, 1_000)
    led.leader.high_watermark = 6
    assert stands(watch, led, 1_400) == 0
    looked(watch, clock, 1_500)
    assert stands(watch, led, 2_500) == 1_000


def test_a_watermark_at_the_log_end_does_not_stand_however_long_nothing_is_written(clock: Clock) -> None:
    led = Led(leader=Core(9, 9))
    watch = watching(led)
    looked(watch, clock, 1_000)
    assert stands(watch, led, 60_000) == 0
    led.leader.log_end_offset = 10
    assert stands(watch, led, 60_000) == 0
    looked(watch, clock, 60_100)
    assert stands(watch, led, 60_600) == 500


def test_partitions_are_told_apart_and_a_long_row_lets_others_work(clock: Clock) -> None:
    led = [Led(Core(0, index % 2), TopicPartition("orders", index)) for index in range(1_200)]
    watch = watching(*led)
    turns = 0

    async def count_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def look() -> None:
        counting = asyncio.create_task(count_turns())
        await watch.check()
        counting.cancel()

    asyncio.run(look())
    assert turns >= 2
    assert [stands(watch, each, 3_000) for each in led] == [0, 2_000] * 600
