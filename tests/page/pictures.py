"""Makes the pictures of the documents from real runs: a cluster with a paused follower, and an audit with a defect.

usage: python -m tests.page.pictures [NAME ...], with the names of PICTURES; all of them without one

The pictures are in ``docs/images/``. Diagrams there (``architecture.svg``, ``pipeline.svg``) are written by hand.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, FloatRect, Page, expect, sync_playwright
from rich.console import Console
from rich.terminal_theme import DIMMED_MONOKAI
from rich.text import Text

from chronik.testing import ClusterProcess
from tests.brokers import CHRONIK
from tests.page.conftest import Traffic, free_port, http_of
from tests.terminal.pseudo import HOME, Terminal

IMAGES: Final = Path(__file__).parents[2] / "docs" / "images"
BYTES_MAX: Final = 200_000
COLOURS: Final = 128
WIDTH: Final = 1100
DEFECT: Final = "hw-falls"
# The paused broker stays a member and in sync, so that the pictures show what it holds up.
PATIENT: Final = {"broker.session.timeout.ms": 120_000, "replica.lag.time.max.ms": 120_000}
PAUSED: Final = 3
CARD_PADDING: Final = 18
TERMINAL: Final = (110, 20)
# The page has lines to draw, and the watermarks have stopped for long enough to be seen.
HISTORY_MS: Final = 25_000
PAUSED_MS: Final = 8_000


def main(names: list[str]) -> None:
    """Make the named pictures, or all."""
    unknown = set(names) - set(PICTURES)
    if unknown:
        sys.exit(f"no such picture: {', '.join(sorted(unknown))}; there are {', '.join(PICTURES)}")
    IMAGES.mkdir(exist_ok=True)
    for name in names or PICTURES:
        path = IMAGES / name
        PICTURES[name](path)
        assert path.stat().st_size <= BYTES_MAX, f"{name} has {path.stat().st_size} bytes"
        sys.stdout.write(f"{name}: {path.stat().st_size:,} bytes\n")


def page(path: Path) -> None:
    """The page of a broker while a follower is paused."""
    with busy_cluster() as cluster, browser() as chromium:
        view = open_view(chromium, f"http://{http_of(cluster, 1)}/", 832)
        view.wait_for_timeout(HISTORY_MS)
        with paused(cluster):
            named = view.locator(".faults li").filter(has_text=f"follower {PAUSED} has not fetched for")
            expect(named.nth(1)).to_be_visible(timeout=60_000)
            view.wait_for_timeout(PAUSED_MS)
            take(view, path, 0.0, top_of(view, re.compile("^__consumer_offsets$")) + CARD_PADDING * 2)


def status(path: Path) -> None:
    """``chronik cluster status --watch`` of the same cluster, as a terminal shows it."""
    with busy_cluster() as cluster:
        time.sleep(HISTORY_MS / 1_000)
        with paused(cluster):
            lines = last_frame(cluster)
    console = Console(record=True, width=TERMINAL[0], file=io.StringIO(), color_system="truecolor", force_terminal=True)
    for line in lines:
        console.print(Text.from_ansi(line), no_wrap=True, crop=True)
    picture = console.export_svg(title="chronik cluster status --watch", theme=DIMMED_MONOKAI)
    # The fonts of rich are on a server elsewhere; every system has one that is monospaced.
    path.write_text(re.sub(r"\s*@font-face \{.*?\}", "", picture, flags=re.DOTALL), encoding="utf-8")


def last_frame(cluster: ClusterProcess) -> list[str]:
    """What the command shows when both partitions of the paused follower have waited for a while."""
    command = [str(CHRONIK), "cluster", "status", "--watch", "--bootstrap", cluster.bootstrap_servers]
    waited = re.compile(r"watermark at [\d,]+ for ([5-9]|\d\d) s")
    with Terminal(command, *TERMINAL) as terminal:
        terminal.until(lambda: sum(bool(waited.search(line)) for line in terminal.screen) >= 2, "both partitions")
        frames = [frame for frame in terminal.written.split(HOME) if "\x1b[J" in frame]
    return frames[-1].partition("\x1b[J")[0].replace("\x1b[2K", "").split("\r\n")


def report(path: Path) -> None:
    """The head of the audit's report on the accident with a defect: what became of the messages, and the cause."""
    with report_with_a_defect() as view:
        take(view, path, 0.0, top_of(view, re.compile("^finding · ")) - CARD_PADDING)


def partitions(path: Path) -> None:
    """The partitions of such a report over time."""
    with report_with_a_defect() as view:
        end = top_of(view, re.compile("^Latency, from send"))
        take(view, path, top_of(view, re.compile("^Partitions over time")) - CARD_PADDING, end - CARD_PADDING)


@contextmanager
def report_with_a_defect() -> Iterator[Page]:
    """Run the accident with a defect, and open its report."""
    with tempfile.TemporaryDirectory() as directory, browser() as chromium:
        command = [str(CHRONIK), "audit", "accident", "--defect", DEFECT, "--engine", "local", "--keep", directory]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
        assert done.returncode == 1, done.stderr
        (document,) = Path(directory).rglob("report.html")
        yield open_view(chromium, document.as_uri(), 900)


def top_of(view: Page, text: re.Pattern[str]) -> float:
    """How far below the top of the document a text is."""
    box = view.get_by_text(text).first.bounding_box()
    assert box is not None, f"not shown: {text.pattern}"
    return box["y"]


def take(view: Page, path: Path, top: float, bottom: float) -> None:
    """Store a part of the document as a picture."""
    clip = FloatRect(x=0, y=top, width=WIDTH, height=bottom - top)
    view.screenshot(path=path, full_page=True, clip=clip)
    with_few_colours(path)


@contextmanager
def browser() -> Iterator[Browser]:
    """Debian's chromium without a window."""
    program = shutil.which("chromium")
    assert program is not None, "chromium is not here: sh tools/prerequisites.sh chromium"
    # Its sandbox is refused to root, and shared memory of a container is too small for it.
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()


def open_view(chromium: Browser, address: str, height: int) -> Page:
    """A light window of the pictures' width."""
    context = chromium.new_context(
        viewport={"width": WIDTH, "height": height}, color_scheme="light", reduced_motion="reduce"
    )
    view = context.new_page()
    view.goto(address)
    return view


@contextmanager
def busy_cluster() -> Iterator[ClusterProcess]:
    """Three brokers, a producer and a group at work."""
    ports = {node: {"chronik.http.listener": f"127.0.0.1:{free_port()}"} for node in (1, 2, 3)}
    settings = {"offsets.topic.num.partitions": 3, "group.initial.rebalance.delay.ms": 0, **PATIENT}
    with ClusterProcess(3, settings, of_node=ports) as cluster:
        cluster.wait_ready(in_sync=True)
        cluster.create_topic("orders", 3)
        with Traffic(cluster.bootstrap_servers):
            cluster.wait_ready(in_sync=True)
            yield cluster


@contextmanager
def paused(cluster: ClusterProcess) -> Iterator[None]:
    """One broker is stopped with SIGSTOP."""
    cluster.pause(PAUSED)
    try:
        yield
    finally:
        cluster.resume(PAUSED)


def with_few_colours(path: Path) -> None:
    """Store a picture with a palette: a third of the bytes, and the same to the eye."""
    with Image.open(path) as picture:
        picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


PICTURES: Final[dict[str, Callable[[Path], None]]] = {
    "page.png": page,
    "cluster-status.svg": status,
    "audit-report.png": report,
    "audit-partitions.png": partitions,
}


if __name__ == "__main__":
    main(sys.argv[1:])
