"""The page in a real browser: drawn, searchable, readable at two widths, light, dark and on paper."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from chronik.audit.tables.ids import AuditId
from tests.audit.diagnosis.cases import RUN
from tests.audit.report.runs import DEFECTS, clean, slow_watermark
from tests.conftest import missing

AXE = Path(__file__).parents[3] / ".cache/axe/node_modules/axe-core/axe.min.js"
WAIT_MS, WAITS_MAX = 50, 200
MAKERS = {"clean": clean, **DEFECTS}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        missing("chromium is not here: sh tools/prerequisites.sh chromium axe")
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()


Opened = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Open a run's page; an error in its script, or a request for anything but the page itself, fails the test."""
    errors: list[str] = []
    requests: list[str] = []
    contexts = []

    def open_one(path: Path, width: int = 1280, scheme: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(path.as_uri())
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert errors == []
    assert len(requests) == len(contexts), requests


def until(page: Page, holds: str) -> None:
    """Wait for an expression; the page's own policy does not let Playwright ask for it inside of the page."""
    for _ in range(WAITS_MAX):
        if page.evaluate(holds):
            return
        page.wait_for_timeout(WAIT_MS)
    pytest.fail(f"after {WAITS_MAX * WAIT_MS} ms: {holds}")


@pytest.fixture(scope="module", params=MAKERS)
def page_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp(request.param)
    MAKERS[request.param](directory).report()
    return directory / "report.html"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_every_lane_is_drawn_and_nothing_is_wider_than_the_window(
    opened: Opened, page_path: Path, width: int, scheme: str
) -> None:
    page = opened(page_path, width, scheme)
    assert page.locator(".lane canvas").count() == 4
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    inks = page.evaluate(_INKS)
    assert all(count > 200 for count in inks), inks


_INKS = """[...document.querySelectorAll('.lane canvas')].map(canvas => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let inked = 0;
  for (let i = 3; i < pixels.length; i += 4) inked += pixels[i] > 0;
  return inked;
})"""


def test_a_judge_of_accessibility_finds_nothing(opened: Opened, page_path: Path) -> None:
    if not AXE.exists():
        missing("axe-core is not here: sh tools/prerequisites.sh chromium axe")
    for width, scheme in ((1280, "light"), (1280, "dark"), (420, "light")):
        page = opened(page_path, width, scheme)
        # The page's own policy keeps scripts out that are added as elements; this one is run by the browser's driver.
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa']})")["violations"]
        assert [(one["id"], [node["target"] for node in one["nodes"]][:3]) for one in found] == []


def test_the_table_of_messages_is_searched_by_any_words(opened: Opened, tmp_path: Path) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html")
    rows = page.locator("#messages tbody tr:visible")
    assert rows.count() == 18
    page.fill("input[data-table=messages]", "late p0-37")
    texts = rows.all_inner_texts()
    assert texts
    assert all("p0-37" in text for text in texts)
    assert page.inner_text("#messages-found") == f"{rows.count()} of 18"


def test_an_id_is_found_with_its_run_as_well(opened: Opened, tmp_path: Path) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html")
    page.fill("input[data-table=messages]", str(AuditId(RUN, 0, 37)))
    assert [
        text.split()[0] for text in page.locator("#messages tbody tr:visible td:first-child").all_inner_texts()
    ] == ["p0-37"]


_BEYOND = """[...document.querySelectorAll('.scroll')].flatMap(region => {
  const edge = region.getBoundingClientRect().right;
  return [...region.querySelectorAll('td')].filter(cell => cell.getBoundingClientRect().right > edge + 1)
    .map(cell => cell.textContent);
})"""


@pytest.mark.parametrize("width", [1280, 420])
def test_no_cell_of_a_table_is_beyond_its_edge(opened: Opened, page_path: Path, width: int) -> None:
    page = opened(page_path, width)
    assert page.evaluate(_BEYOND) == []
    assert page.locator(".hint:visible").count() == 0


def test_in_a_narrow_window_every_value_has_its_name(opened: Opened, tmp_path: Path) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html", 420)
    heads = page.locator("#messages th").all_text_contents()
    labels = page.evaluate(
        "[...document.querySelectorAll('#messages tbody tr:first-child td')]"
        ".map(cell => getComputedStyle(cell, '::before').content)"
    )
    assert labels == [f'"{head}"' for head in heads]


def test_a_table_that_is_wider_than_the_window_says_so_and_is_scrolled_by_keyboard(
    opened: Opened, tmp_path: Path
) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html", 700)
    assert page.evaluate(_BEYOND)
    assert page.locator("#partitions-wider").is_visible()
    region = page.get_by_role("region", name="Partitions", exact=True)
    region.focus()
    page.keyboard.press("ArrowRight")
    until(page, "document.querySelector('.scroll').scrollLeft > 0")
    page.set_viewport_size({"width": 1280, "height": 900})
    until(page, "document.getElementById('partitions-wider').hidden")


def test_keys_of_settings_go_on_in_the_next_line_between_words_only(opened: Opened, tmp_path: Path) -> None:
    case = clean(tmp_path)
    case.settings |= {"producers": {"0": {"idempotent": True}}, "max_in_flight_requests_per_connection": 5}
    case.report()
    page = opened(tmp_path / "report.html", 420)
    keys = page.evaluate(_LINES)
    assert len({line for part in keys["producers.0.idempotent"] for line in part}) == 2
    assert [key for key, parts in keys.items() if any(len(part) != 1 for part in parts)] == []


# The lines that each part of a key lies in; parts are what stands between the places where a line may end.
_LINES = """Object.fromEntries([...document.querySelectorAll('.facts dt')].map(key => {
  const parts = [...key.childNodes].filter(node => node.nodeType === Node.TEXT_NODE);
  const lines = parts.map(part => {
    const range = document.createRange();
    range.selectNodeContents(part);
    return [...new Set([...range.getClientRects()].map(box => box.top))];
  });
  return [key.textContent, lines];
}))"""


def test_the_reader_can_choose_dark_and_the_lanes_follow(opened: Opened, tmp_path: Path) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html")
    before = page.evaluate("document.querySelector('.lane canvas').toDataURL()")
    page.click("#theme")
    until(page, f"document.querySelector('.lane canvas').toDataURL() !== {before!r}")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_it_can_be_printed(opened: Opened, tmp_path: Path) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html", scheme="dark")
    assert page.pdf(format="A4")[:5] == b"%PDF-"


A4_WIDTH_PX = 688
"""The width of A4 between the page's margins: 182 mm at 96 pixels per inch."""


@pytest.mark.parametrize("numbers", [None, "12,345,678"])
def test_the_tables_are_not_wider_than_paper(opened: Opened, tmp_path: Path, numbers: str | None) -> None:
    slow_watermark(tmp_path).report()
    page = opened(tmp_path / "report.html", width=A4_WIDTH_PX)
    page.emulate_media(media="print")
    if numbers is not None:
        page.evaluate(
            "text => document.querySelectorAll('#partitions td.number').forEach(cell => { cell.textContent = text })",
            numbers,
        )
    widths = page.evaluate("[...document.querySelectorAll('table[id]')].map(table => [table.id, table.scrollWidth])")
    assert {name for name, _ in widths} == {"partitions", "messages"}
    assert [name for name, width in widths if width > A4_WIDTH_PX] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= A4_WIDTH_PX
