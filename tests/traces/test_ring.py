"""The ring that keeps events: numbers without gaps, marks of what was dropped, parts, filters, other sizes."""

import random

import pytest

from chronik.observability.trace import Tracer, as_json, matching
from chronik.observability.trace_events import (
    COLUMNS,
    EVENTS,
    EVERYWHERE,
    FetchAbandoned,
    RequestRefused,
    WatermarkAdvanced,
)
from chronik.observability.trace_rules import OFF, ON, TraceRule, parse_rule


def advance(offset: int, topic: str = "orders", partition: int = 0) -> WatermarkAdvanced:
    return WatermarkAdvanced(topic, partition, offset, offset + 1, 1)


def filled(count: int, capacity: int) -> Tracer:
    tracer = Tracer(1, capacity)
    for offset in range(count):
        tracer.emit(WatermarkAdvanced, *advance(offset))
    return tracer


def offsets(tracer: Tracer, after: int = -1, limit: int = 1_000) -> list[int]:
    return [entry.event[2] for entry in tracer.events(after, limit).entries]  # type: ignore[misc]


def test_events_have_numbers_without_gaps_and_two_clocks() -> None:
    page = filled(5, 10).events()
    assert [entry.seq for entry in page.entries] == [0, 1, 2, 3, 4]
    assert (page.first, page.next, page.dropped) == (0, 5, 0)
    steady = [entry.steady_ns for entry in page.entries]
    assert steady == sorted(steady)
    assert all(entry.wall_ns > 10**18 for entry in page.entries)


def test_a_full_ring_keeps_the_newest_and_a_reader_hears_how_many_it_missed() -> None:
    tracer = filled(25, 10)
    page = tracer.events(after=4)
    assert [entry.seq for entry in page.entries] == list(range(15, 25))
    assert (page.first, page.next, page.dropped) == (15, 25, 10)
    assert tracer.events(after=20).dropped == 0


def test_the_trace_knows_where_it_was_last_switched_from_off_to_on() -> None:
    tracer = Tracer(1, 10)
    rules = [({}, 0), ({"orders": ON}, 1), ({"orders": ON, "returns": ON}, 1), ({}, 1), ({"returns": ON}, 4)]
    for topics, switched_on in rules:
        tracer.switch(OFF, topics)
        assert tracer.switched_on_seq == switched_on
        tracer.emit(WatermarkAdvanced, *advance(0))


def test_parts_put_together_are_the_whole() -> None:
    tracer = filled(25, 10)
    seen: list[int] = []
    after = -1
    while (page := tracer.events(after, 3)).entries:
        assert len(page.entries) <= 3
        seen += [entry.seq for entry in page.entries]
        after = page.next - 1
    assert seen == list(range(15, 25))


def test_a_number_from_before_a_restart_begins_anew() -> None:
    assert offsets(filled(3, 10), after=100) == [0, 1, 2]


def test_a_ring_of_another_size_keeps_the_newest_in_their_order() -> None:
    dice = random.Random(7)
    for _ in range(200):
        tracer, count = Tracer(1, dice.randint(1, 12)), 0
        for _ in range(dice.randint(1, 6)):
            for _ in range(dice.randint(0, 15)):
                tracer.emit(WatermarkAdvanced, *advance(count))
                count += 1
            held = tracer.next_seq - tracer.first_seq
            capacity = dice.randint(1, 12)
            tracer.resize(capacity)
            assert offsets(tracer) == list(range(count - min(held, capacity), count))
            assert tracer.next_seq == count


def test_a_filter_counts_what_it_gives_and_goes_on_behind_what_it_has_looked_at() -> None:
    tracer = Tracer(1, 1_000)
    for number in range(300):
        tracer.emit(WatermarkAdvanced, *advance(number, "orders" if number % 3 else "other", number % 2))
    wanted = matching(topic="orders", partition=1)
    page = tracer.events(limit=10, wanted=wanted)
    assert len(page.entries) == 10
    assert {entry.event[:2] for entry in page.entries} == {("orders", 1)}
    assert page.next == page.entries[-1].seq + 1
    rest = tracer.events(page.next - 1, 1_000, wanted)
    together = [entry.seq for entry in (*page.entries, *rest.entries)]
    assert together == [number for number in range(300) if number % 3 and number % 2]


@pytest.mark.parametrize(
    ("asked", "is_told"),
    [
        ({"client": "me"}, True),
        ({"client": "m*"}, True),
        ({"client": "you"}, False),
        ({"event": "fetch_abandoned,truncated"}, True),
        ({"event": "truncated"}, False),
        ({"topic": "orders", "partition": 2, "client": "me"}, True),
        ({"partition": 3}, False),
    ],
)
def test_events_are_filtered_by_what_they_have(asked: dict[str, object], is_told: bool) -> None:
    wanted = matching(**asked)  # type: ignore[arg-type]
    assert wanted is not None
    assert wanted(FetchAbandoned("orders", 2, "me", 7, 0, 10)) is is_told


def test_what_belongs_to_no_client_is_left_in_and_what_belongs_to_no_topic_is_left_out() -> None:
    of_client, of_topic = matching(client="me"), matching(topic="orders")
    assert of_client is not None
    assert of_topic is not None
    assert of_client(advance(1))
    assert not of_topic(RequestRefused(None, None, "me", 1, "Heartbeat", "NOT_COORDINATOR", -1, None))


def test_a_document_has_the_columns_of_its_event_in_their_order_and_nothing_without_a_value() -> None:
    tracer = Tracer(3, 10)
    tracer.emit(RequestRefused, None, None, "me", 1, "Heartbeat", "NOT_COORDINATOR", -1, None)
    document = as_json(3, tracer.events().entries[0])
    assert list(document) == [*EVERYWHERE, "client_id", "correlation_id", "api", "error", "leader"]
    assert document["node"] == 3
    assert document["event"] == "request_refused"
    assert document["at_ms"] == document["at_us"] // 1_000


def test_every_column_is_of_some_event_and_every_event_has_one_name() -> None:
    used = {name for event in EVENTS for name in event._fields} | set(EVERYWHERE)
    assert used == set(COLUMNS)
    assert len(set(EVENTS.values())) == len(EVENTS)


def test_a_tracer_is_on_where_anything_is_traced_and_a_topics_rule_goes_first() -> None:
    tracer = Tracer(1)
    assert not tracer.on
    tracer.switch(OFF, {"orders": parse_rule("client=a*")})
    assert tracer.on
    assert tracer.follows("orders")
    assert not tracer.follows("other")
    assert tracer.follows_client("orders", "abc")
    assert not tracer.follows_client("orders", None)
    tracer.switch(ON, {"orders": OFF})
    assert tracer.follows("other")
    assert not tracer.follows("orders")
    tracer.switch(OFF, {"orders": OFF})
    assert not tracer.on


@pytest.mark.parametrize("text", ["off", "on", "client=me", "client=*", "client=a b"])
def test_a_rule_is_written_as_it_is_read(text: str) -> None:
    assert str(parse_rule(text)) == text


def test_a_rule_for_every_name_covers_clients_without_one() -> None:
    assert TraceRule(is_on=True, client="*").covers(None)
