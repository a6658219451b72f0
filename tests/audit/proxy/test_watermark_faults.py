"""The watermark that is served, and what can be read below it."""

from chronik.proxy.exchange import SeenTopics
from chronik.proxy.faults.watermark import (
    CapWatermark,
    FallOnRepeat,
    HoldWatermark,
    LogEndAsWatermark,
)
from chronik.records.batch import walk
from tests.audit.proxy.exchanges import TOPIC, Writer, batch, fetch, last_offset

TEN = [batch(5, 0), batch(5, 5), batch(5, 10)]


def ends(records: bytes) -> list[int]:
    return [header.next_offset for _, header in walk(records)]


def test_a_cap_hides_what_is_above_it_and_stands_between_batches() -> None:
    one, exchange = fetch(CapWatermark(12), TEN, 15)
    assert one.high_watermark == one.last_stable_offset == 10
    assert ends(one.records) == [5, 10]
    assert exchange.wait_s == 0


def test_a_fetch_that_finds_nothing_below_the_cap_waits_as_the_broker_would() -> None:
    seen = SeenTopics()
    seen.note_written((TOPIC, 0), 0, 10)
    one, exchange = fetch(CapWatermark(10), TEN[2:], 15, seen=seen, offset=10)
    assert len(one.records) == 0
    assert exchange.wait_s == 0.5


def test_whoever_reads_as_a_replica_is_told_the_watermark_and_given_everything() -> None:
    one, _ = fetch(CapWatermark(10), TEN, 15, replica=-2)
    assert one.high_watermark == 10
    assert ends(one.records) == [5, 10, 15]


def test_the_last_offset_that_is_listed_is_the_served_watermark() -> None:
    seen = SeenTopics()
    seen.note_written((TOPIC, 0), 0, 10)
    seen.note_written((TOPIC, 0), 10, 5)
    fault = CapWatermark(12)
    assert last_offset(fault, 15, seen) == 10
    assert last_offset(fault, 15, seen, replica=-2) == 15
    assert last_offset(fault, 3, seen, timestamp=-2) == 3


def test_records_above_the_watermark_are_served_on_request() -> None:
    one, _ = fetch(CapWatermark(10, hides=False), TEN, 15)
    assert one.high_watermark == 10
    assert ends(one.records) == [5, 10, 15]


def test_a_held_watermark_is_released_after_its_time() -> None:
    now = [100.0]
    fault = HoldWatermark(10, for_s=3.0, clock=lambda: now[0])
    assert fetch(fault, TEN, 15)[0].high_watermark == 10
    now[0] = 102.9
    assert fetch(fault, TEN, 15)[0].high_watermark == 10
    now[0] = 103.0
    one, _ = fetch(fault, TEN, 15)
    assert one.high_watermark == 15
    assert ends(one.records) == [5, 10, 15]


def test_the_log_end_is_served_as_watermark_and_no_record_above_the_true_one() -> None:
    seen = SeenTopics()
    seen.note_written((TOPIC, 0), 0, 15)
    one, _ = fetch(LogEndAsWatermark(), TEN[:1], 5, seen=seen)
    assert one.high_watermark == 15
    assert ends(one.records) == [5]


def test_the_watermark_falls_when_a_batch_is_sent_again() -> None:
    now = [100.0]
    fault = FallOnRepeat(after=10, for_s=2.0, clock=lambda: now[0])
    writer = Writer(fault)
    for _ in range(3):
        writer.send(5)
    assert fetch(fault, TEN, 15, seen=writer.seen)[0].high_watermark == 15
    writer.send(5)
    assert writer.errors[-1] != 0
    writer.send(5)
    assert writer.errors[-1] == 0
    one, _ = fetch(fault, TEN, 20, seen=writer.seen)
    assert one.high_watermark == 5
    assert ends(one.records) == [5]
    now[0] = 102.0
    assert fetch(fault, TEN, 20, seen=writer.seen)[0].high_watermark == 20
