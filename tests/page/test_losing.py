"""The page when its broker is gone, and when it is back."""

import re
import time
from itertools import pairwise

from playwright.sync_api import Route, expect

from chronik.testing import ClusterProcess
from tests.page.conftest import OpenPage, http_of

SECONDS_MAX = 60_000


def test_the_page_says_that_it_has_lost_its_broker_and_recovers(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 1))
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)
    watched.kill(1)
    try:
        lost = page.get_by_role("alert")
        expect(lost).to_contain_text("This page has lost broker 1", timeout=SECONDS_MAX)
        expect(lost).to_contain_text(
            re.compile(r"It has not answered for \d+ m?s; trying again .*What you see is from")
        )
        expect(lost.get_by_role("link", name="Ask broker 2")).to_have_attribute(
            "href", re.compile(re.escape(http_of(watched, 2)))
        )
        expect(page.get_by_role("table", name="Brokers").get_by_role("row")).to_have_count(4)
    finally:
        watched.start(1)
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)
    expect(page.get_by_role("alert")).to_be_empty()
    watched.wait_ready(in_sync=True)


def test_looks_become_rarer_while_nobody_answers(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 2))
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)
    asked: list[float] = []

    def refuse(route: Route) -> None:
        asked.append(time.monotonic())
        route.abort()

    page.route("**/api/cluster", refuse)
    while len(asked) < 4:
        page.wait_for_timeout(100)
    expect(page.locator("#link")).to_have_attribute("data-state", "lost")
    gaps_s = [later - sooner for sooner, later in pairwise(asked)]
    # A timer is hardly ever early; how late it is, is the machine's affair, of which the first wait may have had more.
    assert gaps_s[1] > 1.5, gaps_s
    assert gaps_s[2] > 3, gaps_s
    page.unroute("**/api/cluster")
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)


def test_a_paused_broker_is_lost_too(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 3))
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)
    watched.pause(3)
    try:
        expect(page.get_by_role("alert")).to_contain_text("This page has lost broker 3", timeout=SECONDS_MAX)
    finally:
        watched.resume(3)
    expect(page.locator("#link")).to_have_attribute("data-state", "live", timeout=SECONDS_MAX)
