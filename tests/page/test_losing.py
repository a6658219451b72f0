"""The page when its broker is gone, and when it is back."""

import re
import time
from itertools import pairwise

from playwright.sync_api import expect

from chronik.testing import ClusterProcess
from tests.page.conftest import SETTLE_S_MAX, OpenPage, http_of

# By the page's own clock: this process may be held up and hear of two at once.
ASKED = """
window.asked = [];
const ask = window.fetch;
window.fetch = (url, ...rest) => {
  if (String(url).includes("/api/cluster")) window.asked.push(performance.now() / 1000);
  return ask(url, ...rest);
};
"""


def test_the_page_says_that_it_has_lost_its_broker_and_recovers(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 1))
    expect(page.locator("#link")).to_have_attribute("data-state", "live")
    watched.kill(1)
    try:
        lost = page.get_by_role("alert")
        expect(lost).to_contain_text("This page has lost broker 1")
        expect(lost).to_contain_text(
            re.compile(r"It has not answered for \d+ m?s; trying again .*The data shown is from")
        )
        expect(lost.get_by_role("link", name="Ask broker 2")).to_have_attribute(
            "href", re.compile(re.escape(http_of(watched, 2)))
        )
        expect(page.get_by_role("table", name="Brokers").get_by_role("row")).to_have_count(4)
    finally:
        watched.start(1)
    expect(page.locator("#link")).to_have_attribute("data-state", "live")
    expect(page.get_by_role("alert")).to_be_empty()
    watched.wait_ready(in_sync=True)


def test_looks_become_rarer_while_nobody_answers(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 2))
    expect(page.locator("#link")).to_have_attribute("data-state", "live")
    page.route("**/api/cluster", lambda route: route.abort())
    page.evaluate(ASKED)
    deadline = time.monotonic() + SETTLE_S_MAX
    while len(asked_s := page.evaluate("window.asked")) < 4:
        assert time.monotonic() < deadline, asked_s
        page.wait_for_timeout(100)
    expect(page.locator("#link")).to_have_attribute("data-state", "lost")
    gaps_s = [later - sooner for sooner, later in pairwise(asked_s)]
    # A timer is hardly ever early; how late it is, is the machine's affair.
    assert gaps_s[1] > 1.5, gaps_s
    assert gaps_s[2] > 3, gaps_s
    page.unroute("**/api/cluster")
    expect(page.locator("#link")).to_have_attribute("data-state", "live")


def test_a_paused_broker_is_lost_too(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 3))
    expect(page.locator("#link")).to_have_attribute("data-state", "live")
    watched.pause(3)
    try:
        expect(page.get_by_role("alert")).to_contain_text("This page has lost broker 3")
    finally:
        watched.resume(3)
    expect(page.locator("#link")).to_have_attribute("data-state", "live")
