"""The page for everybody: screen readers, keyboards, small screens, dark rooms, and a thousand partitions."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chronik.testing import Broker, ClusterProcess
from tests.page.conftest import OpenPage, http_of

VIEWS = {
    "cluster": "tbody tr",
    "partitions": "tbody tr",
    "partitions/orders/0": "tbody tr",
    "groups": "tbody tr",
    "groups/billing": "tbody tr",
    "trace?topic=orders": ".strip",
}
SHOTS = Path(__file__).parents[2] / ".cache/page"
PARTITIONS = 1_000
ELEMENTS_MAX = 3_000


def show(page: Page, address: str, view: str) -> None:
    """Go to a view and wait until it has something to show."""
    page.goto(f"http://{address}/#/{view}")
    expect(page.locator(f".view {VIEWS[view]}").first).to_be_visible()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 375)])
def test_axe_finds_nothing_wrong_with_any_view(
    watched: ClusterProcess, open_page: OpenPage, axe: str, scheme: str, width: int
) -> None:
    leader = watched.view().topics["orders"].partitions[0].leader
    address = http_of(watched, leader)
    page = open_page(address, width=width, scheme=scheme)
    page.evaluate(axe)
    # What differs on a small screen are the tables.
    for view in VIEWS if width > 375 else ("cluster", "partitions"):
        show(page, address, view)
        found = page.evaluate("axe.run(document, { resultTypes: ['violations'] }).then((report) => report.violations)")
        told = [(each["id"], each["impact"], [node["html"][:120] for node in each["nodes"][:3]]) for each in found]
        assert told == [], view


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (375, "dark"), (1024, "light"), (1920, "dark")])
def test_no_view_is_wider_than_the_screen(
    watched: ClusterProcess, open_page: OpenPage, width: int, scheme: str
) -> None:
    leader = watched.view().topics["orders"].partitions[0].leader
    address = http_of(watched, leader)
    SHOTS.mkdir(parents=True, exist_ok=True)
    page = open_page(address, width=width, scheme=scheme)
    for view in VIEWS:
        show(page, address, view)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        name = re.sub(r"\W+", "-", view)
        page.screenshot(path=SHOTS / f"{name}-{width}-{scheme}.png", full_page=True)


def test_everything_can_be_reached_and_done_by_keyboard(watched: ClusterProcess, open_page: OpenPage) -> None:
    page = open_page(http_of(watched, 1))
    expect(page.get_by_role("table", name="Brokers")).to_be_visible()
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    press_until_focused(page, "Shift+Tab", "link", "Partitions")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Partitions", level=1)).to_be_focused()
    press_until_focused(page, "Tab", "combobox", "Topic")
    page.keyboard.type("orders")
    expect(page.locator(".found")).to_have_text(re.compile("1 to 3 of 3"))
    press_until_focused(page, "Tab", "link", "orders-1")
    # The next looks leave the focus where it is.
    page.wait_for_timeout(2_500)
    expect(page.get_by_role("link", name="orders-1")).to_be_focused()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="orders-1")).to_be_focused()
    press_until_focused(page, "Shift+Tab", "button", re.compile("Theme"))
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def press_until_focused(page: Page, key: str, role: str, name: str | re.Pattern[str]) -> None:
    """Press a key until something has the focus, as somebody without a mouse does."""
    wanted = page.get_by_role(role, name=name).first  # type: ignore[arg-type]
    for _ in range(40):
        if wanted.evaluate("(node) => node === document.activeElement"):
            return
        page.keyboard.press(key)
    raise AssertionError(f"{key} does not lead to {role} {name}")


def test_a_thousand_partitions_stay_usable(tmp_path: Path, open_page: OpenPage) -> None:
    with Broker({"chronik.http.listener": "127.0.0.1:0"}, directory=tmp_path) as broker:
        broker.create_topic("many", PARTITIONS)
        assert broker.http_address is not None
        page = open_page(broker.http_address)
        page.goto(f"http://{broker.http_address}/#/partitions")
        found = page.locator(".found")
        expect(found).to_have_text("1 to 50 of 1,000")
        seen: set[str] = set()
        while True:
            links = page.locator("tbody th a")
            names = links.all_text_contents()
            seen.update(names)
            assert len(names) <= 50
            assert page.evaluate("document.querySelectorAll('*').length") <= ELEMENTS_MAX
            if page.get_by_role("button", name="Next").is_disabled():
                break
            before = found.text_content() or ""
            page.get_by_role("button", name="Next").click()
            expect(found).not_to_have_text(before)
        assert seen == {f"many-{number}" for number in range(PARTITIONS)}
        page.get_by_label("Topic", exact=True).fill("no such topic")
        expect(page.get_by_text("No partition matches.")).to_be_visible()
