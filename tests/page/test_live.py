"""The page follows the cluster: a paused follower is named, lanes move, and every broker's page shows the whole."""

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from chronik.testing import ClusterProcess
from tests.page.conftest import SETTLE_S_MAX, OpenPage, http_of


def number_in(page: Page, row: str, label: str) -> int | None:
    """Read a number; while its broker does not answer there is none."""
    cell = page.get_by_role("row").filter(has_text=row).locator(f'td[data-label="{label}"]')
    digits = (cell.text_content() or "").replace(",", "")
    return int(digits) if digits.isdigit() else None


def until_larger(page: Page, row: str, label: str) -> None:
    deadline = time.monotonic() + SETTLE_S_MAX
    first = None
    while first is None or (now := number_in(page, row, label)) is None or now <= first:
        first = number_in(page, row, label) if first is None else first
        assert time.monotonic() < deadline, f"{label} of {row} stays at {first}"
        page.wait_for_timeout(100)


def test_every_brokers_page_shows_the_whole_cluster(watched: ClusterProcess, open_page: OpenPage) -> None:
    for node in (1, 2, 3):
        page = open_page(http_of(watched, node))
        brokers = page.get_by_role("table", name="Brokers")
        expect(brokers.get_by_role("row")).to_have_count(4)
        expect(brokers.get_by_text("controller", exact=True)).to_have_count(1)
        expect(page.get_by_text(f"live from broker {node}")).to_be_visible()
        expect(page.get_by_role("table", name="Topics").get_by_role("link", name="orders")).to_be_visible()


def test_lanes_move_with_the_log_and_are_told_in_words(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 1))
    page.goto(f"http://{http_of(watched, 1)}/#/partitions?topic=orders")
    expect(page.get_by_role("link", name="orders-2")).to_be_visible()
    until_larger(page, "orders-0", "Log end")
    until_larger(page, "orders-0", "Watermark")
    lane = page.get_by_role("row").filter(has_text="orders-0").get_by_role("img")
    expect(lane).to_have_attribute(
        "aria-label",
        re.compile(r"log start 0; high watermark [\d,]+; log end [\d,]+ on leader \d; follower \d at [\d,]+"),
    )
    expect(page.locator("tbody .mark-replica.leads")).to_have_count(3)


def test_a_paused_follower_is_named_and_the_page_says_when_it_is_over(
    watched: ClusterProcess, open_page: OpenPage, record_property: Callable[[str, object], None]
) -> None:
    paused = next(node for node in (3, 2) if node != watched.view().controller_id)
    other = 1
    page = open_page(http_of(watched, other))
    expect(page.get_by_role("region", name=re.compile("fault|All is well"))).to_be_visible()
    # A warning that the machine held an event loop up stays for a minute, and the next may come before it goes.
    critical = page.locator('.faults li[data-severity="critical"]')
    expect(critical).to_have_count(0)
    watched.pause(paused)
    began = time.monotonic()
    try:
        named = critical.filter(has_text=re.compile(rf"(follower|broker) {paused}\b"))
        expect(named.first).to_be_visible()
        record_property("named_after_s", round(time.monotonic() - began, 2))
        follower = page.locator(".faults li").filter(has_text=f"follower {paused} has not fetched for")
        expect(follower.first).to_contain_text(re.compile(r"partition orders-\d: watermark at [\d,]+ for \d+ s"))
        expect(page.get_by_role("status").filter(has_text="New fault:")).to_have_count(1)
        expect(page).to_have_title(re.compile(r"^\(\d+ faults?\) Cluster"))
    finally:
        watched.resume(paused)
    expect(follower).to_have_count(0)
    watched.wait_ready(in_sync=True)


def test_a_group_shows_its_lag_over_time_and_its_positions(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 2))
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Groups").click()
    row = page.get_by_role("row").filter(has_text="billing")
    expect(row.get_by_role("img")).to_have_attribute("aria-label", re.compile("lag of group billing over .*: between"))
    row.get_by_role("link", name="billing").click()
    expect(page.get_by_role("heading", name="billing")).to_be_focused()
    expect(page.get_by_role("table", name="Committed offsets").get_by_text("billing-1").first).to_be_visible()
    expect(page.get_by_role("table", name="Members").get_by_role("row")).to_have_count(2)


def test_a_fetch_is_seen_on_the_time_line_of_its_partition(watched: ClusterProcess, open_page: OpenPage) -> None:
    leader = watched.view().topics["orders"].partitions[0].leader
    page = open_page(http_of(watched, leader))
    page.goto(f"http://{http_of(watched, leader)}/#/trace?topic=orders&partition=0")
    strip = page.get_by_role("region", name="Time line of orders-0").get_by_role("img")
    expect(strip).to_have_attribute("aria-label", re.compile(r"^[1-9]\d* fetch.*watermark advanced [1-9]"))
    expect(page.locator("rect.served")).not_to_have_count(0)
    events = page.get_by_role("table", name="Events")
    expect(events.get_by_text("watermark advanced").first).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Resume")).to_have_attribute("aria-pressed", "true")
    assert page.locator("tbody tr").count() <= 100


def test_a_partition_has_its_replicas_and_the_history_of_its_watermark(
    watched: ClusterProcess, open_page: OpenPage
) -> None:
    page = open_page(http_of(watched, 3))
    page.goto(f"http://{http_of(watched, 3)}/#/partitions/orders/1")
    expect(page.get_by_role("table", name="Replicas").get_by_role("row")).to_have_count(4)
    history = page.get_by_role("region", name="Watermark", exact=True).get_by_role("img")
    expect(history).to_have_attribute("aria-label", re.compile(r"From [\d,]+ to [\d,]+ in [\d,]+ steps"))
    page.goto(f"http://{http_of(watched, 3)}/#/partitions/nothing/7")
    expect(page.get_by_text(re.compile("nothing"))).not_to_have_count(0)
    expect(page.locator("p.empty:visible")).to_contain_text("nothing")
