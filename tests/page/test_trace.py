"""The trace's time line tells what was read, and no more: a request that was not followed to its end is no stall."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from chronik.testing import Broker
from tests.page.conftest import OpenPage

SECOND_US = 1_000_000
BEGAN_US = 1_700_000_000 * SECOND_US
RATE = 3_000
GIVEN_MAX = 5_000
NODE = 1
WORDS = "import('/page/trace_model.js').then(({ strips, spanWords }) => [...strips(EVENTS, new Map(BROKERS)).values()]"
EACH = ".flatMap((strip) => strip.produces.map((span) => [spanWords(span), span.from, span.to])))"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a broker's page is."""
    settings = {"chronik.http.listener": "127.0.0.1:0"}
    with Broker(settings, directory=tmp_path_factory.mktemp("traced")) as broker:
        assert broker.http_address is not None
        yield broker.http_address


def produce(number: int, at_us: int, event: str = "produce_received", node: int = NODE) -> dict[str, Any]:
    return {
        "node": node,
        "seq": number * 2 + (event == "produce_acknowledged"),
        "at_us": at_us,
        "event": event,
        "topic": "orders",
        "partition": 0,
        "client_id": "writer",
        "correlation_id": number,
        "size_bytes": 70,
        "first_offset": number,
    }


def spans(page: Page, events: list[dict[str, Any]], brokers: dict[int, dict[str, Any]]) -> list[Any]:
    script = WORDS.replace("EVENTS", json.dumps(events)).replace("BROKERS", json.dumps(list(brokers.items())))
    return list(page.evaluate(script + EACH))


@pytest.mark.parametrize(
    ("is_all", "words"), [(True, "still in progress"), (False, "not read further yet")], ids=["all read", "behind"]
)
def test_a_request_without_an_end_reaches_as_far_as_its_own_broker_was_read(
    address: str, open_page: OpenPage, is_all: bool, words: str
) -> None:
    events = [produce(1, BEGAN_US), produce(2, BEGAN_US + 9 * SECOND_US, node=2)]
    brokers = {
        1: {"to": BEGAN_US + SECOND_US, "isAll": is_all},
        2: {"to": BEGAN_US + 9 * SECOND_US, "isAll": True},
    }
    first, _ = spans(open_page(address), events, brokers)
    assert first == [f"produce of writer, 70 bytes: {words}", BEGAN_US, BEGAN_US + SECOND_US]


def test_no_request_is_followed_over_a_gap(address: str, open_page: OpenPage) -> None:
    gap = {"node": NODE, "seq": 4, "at_us": BEGAN_US + 20, "event": "events_missed", "missed": 500}
    events = [produce(1, BEGAN_US), gap, produce(9, BEGAN_US + SECOND_US)]
    brokers = {NODE: {"to": BEGAN_US + 2 * SECOND_US, "isAll": True}}
    assert spans(open_page(address), events, brokers) == [
        ["produce of writer, 70 bytes: end unknown: events are missing", BEGAN_US, BEGAN_US],
        ["produce of writer, 70 bytes: still in progress", BEGAN_US + SECOND_US, BEGAN_US + 2 * SECOND_US],
    ]


class Told:
    """Stands for a broker's trace: one produce after the other, of two events each, and more of them at every look."""

    def __init__(self, page: Page, per_look: int, end: int = 4_000) -> None:
        self.end = end
        self.per_look = per_look
        self.idle_us = 0
        self.is_silent = False
        page.route("**/api/traces?*", self.answer)

    def answer(self, route: Route) -> None:
        if self.is_silent:
            route.fulfill(status=502, json={"error": "it does not answer", "what_to_do": ""})
            return
        query = {name: values[0] for name, values in parse_qs(urlsplit(route.request.url).query).items()}
        begin = int(query.get("after", -1)) + 1
        limit = min(int(query["limit"]), GIVEN_MAX)
        self.end += self.per_look if limit else 0
        until = min(begin + limit, self.end)
        document = {
            "node_id": int(query["node"]),
            "started_ms": 1,
            "first": 0,
            "next": until,
            "end": self.end,
            "now_us": at_us(self.end) + self.idle_us,
            "dropped": 0,
            "events": [event_of(seq, int(query["node"])) for seq in range(begin, until)] if limit else [],
        }
        route.fulfill(json=document)


def event_of(seq: int, node: int) -> dict[str, Any]:
    return produce(seq // 2, at_us(seq), "produce_acknowledged" if seq % 2 else "produce_received", node)


def at_us(seq: int) -> int:
    return BEGAN_US + seq * SECOND_US // RATE


def longest_percent(page: Page) -> float:
    widths = "(bars) => bars.map((bar) => parseFloat(bar.getAttribute('width')))"
    return max(map(float, page.locator("rect.produce").evaluate_all(widths)), default=0.0)


def test_a_busy_broker_is_read_as_fast_as_it_tells(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    Told(page, RATE + 1)
    page.goto(f"http://{address}/#/trace")
    expect(page.locator(".found")).to_have_text(re.compile(r"^[12]\d,\d{3} events$"))
    assert longest_percent(page) < 1


def test_what_cannot_be_read_in_time_is_passed_over_and_told(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    Told(page, 14_001)
    page.goto(f"http://{address}/#/trace")
    expect(page.locator(".found")).to_have_text(re.compile(r"events, [\d,]+ events missed$"))
    assert longest_percent(page) < 1
    expect(page.locator("rect.unread").first).to_be_visible()


def test_every_event_that_was_passed_over_is_counted(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    told = Told(page, 14_001)
    read = page.evaluate(
        """async () => {
            const { Reading } = await import("/page/trace_reading.js");
            const reading = new Reading();
            const get = (url) => fetch(url).then((answer) => answer.json());
            for (let look = 0; look < 2; look += 1) await reading.look(get, [1], new URLSearchParams());
            return { events: reading.events, missed: reading.missed, next: reading.brokers.get(1).next };
        }"""
    )
    gaps = [event["missed"] for event in read["events"] if event["event"] == "events_missed"]
    numbers = [event["seq"] for event in read["events"] if event["event"] != "events_missed"]
    lacking = set(range(min(numbers), read["next"])) - set(numbers)
    assert gaps
    assert len(lacking) == sum(gaps) == read["missed"]
    assert len(numbers) == len(set(numbers))
    assert told.end - read["next"] < 14_001


def test_of_a_broker_that_stops_answering_no_request_is_called_under_way(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    told = Told(page, 0, end=4_001)
    page.goto(f"http://{address}/#/trace")
    under_way = page.locator("rect.produce").filter(has_text="still in progress")
    expect(under_way).to_have_count(1)
    told.is_silent = True
    expect(page.locator("rect.unread").filter(has_text="not read further yet")).to_have_count(1)
    expect(under_way).to_have_count(0)


def test_a_request_that_stalls_is_drawn_although_nothing_else_happens(address: str, open_page: OpenPage) -> None:
    page = open_page(address)
    told = Told(page, 0, end=1)
    told.idle_us = 30 * SECOND_US
    page.goto(f"http://{address}/#/trace")
    stalled = page.locator("rect.produce").filter(has_text="still in progress")
    expect(stalled).to_have_attribute("width", "100.000%")
