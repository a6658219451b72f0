"""What the first view says of a cluster in trouble, on screens of several widths; the trouble is made up."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from chronik.testing import Broker
from tests.page.conftest import OpenPage

Change = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the page of a broker with one topic is."""
    settings = {"chronik.http.listener": "127.0.0.1:0"}
    with Broker(settings, directory=tmp_path_factory.mktemp("viewed")) as broker:
        broker.create_topic("orders", 3)
        assert broker.http_address is not None
        yield broker.http_address


def show_changed(page: Page, change: Change) -> None:
    """Let the page see the cluster with something changed."""

    def answer(route: Route) -> None:
        cluster = route.fetch().json()
        change(cluster)
        route.fulfill(json=cluster)

    page.route("**/api/cluster", answer)


@pytest.mark.parametrize("width", [760, 1024, 1280])
def test_roles_stay_in_their_column_however_long_a_state_is(address: str, open_page: OpenPage, width: int) -> None:
    page = open_page(address, width=width)

    def lose_two(cluster: dict[str, Any]) -> None:
        (here,) = cluster["brokers"]
        lost = {"up": False, "state": "gone", "silent_for_ms": 6_700_000, "rates": None, "memory_bytes": None}
        cluster["brokers"] += [{**here, **lost, "node_id": 1_000 + number} for number in (1, 2)]

    show_changed(page, lose_two)
    brokers = page.get_by_role("table", name="Brokers")
    expect(brokers.get_by_text("gone for").first).to_be_visible()
    for name in ("controller", "this page"):
        chip = brokers.get_by_text(name, exact=True).bounding_box()
        state = brokers.locator('td[data-label="State"]').first.bounding_box()
        assert chip is not None
        assert state is not None
        assert chip["x"] + chip["width"] <= state["x"], name


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"standing": 1}, "1 watermark stalled"),
        ({"standing": 3}, "3 watermarks stalled"),
        ({"leader_silent": 1}, "1 leader silent"),
        ({"leader_silent": 2}, "2 leaders silent"),
    ],
)
def test_a_topic_whose_watermark_is_stalled_or_whose_leader_is_silent_is_not_said_to_be_in_sync(
    address: str, open_page: OpenPage, changed: dict[str, int], words: str
) -> None:
    page = open_page(address)
    row = page.get_by_role("table", name="Topics").get_by_role("row").filter(has_text="orders")
    expect(row.locator(".badge.good")).to_have_text("in sync")
    show_changed(page, lambda cluster: cluster["topics"][0].update(changed))
    expect(row.locator(".badge.critical")).to_have_text(words)
    expect(row.get_by_text("in sync")).to_have_count(0)


def test_a_list_of_faults_that_is_cut_says_how_many_are_below(address: str, open_page: OpenPage) -> None:
    page = open_page(address, width=390, height=844)
    below = page.locator(".below")
    expect(page.get_by_role("table", name="Brokers")).to_be_visible()
    expect(below).to_be_hidden()
    text = "partition orders-{}: watermark at 1,664 for 61 s while the log end is 1,742; follower 3 is at 1,664"
    faults = [
        {"severity": "critical", "kind": "watermark_stands", "subject": f"orders-{number}", "text": text.format(number)}
        for number in range(20)
    ]
    show_changed(page, lambda cluster: cluster.update(faults=faults))
    expect(below).to_have_text(re.compile(r"▼ [1-9]\d* more below"))
    told = int(re.sub(r"\D", "", below.text_content() or ""))
    whole = page.locator(".faults").evaluate(
        "(list) => [...list.children].filter((row) => row.offsetTop + row.offsetHeight"
        " <= list.offsetTop + list.clientHeight + 1).length"
    )
    assert told == len(faults) - whole
    # Without a mouse it scrolls all the same.
    page.locator(".faults").focus()
    page.keyboard.press("End")
    expect(below).to_be_hidden()
