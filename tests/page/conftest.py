"""A browser, pages that are watched for errors, clusters with an HTTP server, and somebody who writes to them."""

import os
import shutil
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from playwright.sync_api import Browser, Page, expect, sync_playwright

from chronik.testing import ClusterProcess
from tests.conftest import missing
from tests.http.conftest import PATIENT

AXE = Path(__file__).parents[2] / ".cache/axe/node_modules/axe-core/axe.min.js"
SETTLE_S_MAX = 60
# The machine may have much to do: what a page shows is waited for as long as what a cluster does.
expect.set_options(timeout=SETTLE_S_MAX * 1_000)

OpenPage = Callable[..., Page]


def _needed(found: str | None, name: str) -> str:
    if found is None:
        missing(f"{name} is not here: sh tools/prerequisites.sh chromium axe")
    assert found is not None
    return found


# For a module, not for the session: while Playwright runs, its thread has an event loop, and other tests run their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's chromium without a window."""
    program = _needed(shutil.which("chromium"), "chromium")
    # Its sandbox is refused to root, and shared memory of a container is too small for it.
    arguments = ["--disable-dev-shm-usage", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[OpenPage]:
    """Open pages; one that throws, or breaks its own security policy, fails the test."""
    errors: list[str] = []
    with ExitStack() as stack:

        def open_one(address: str, width: int = 1280, height: int = 900, scheme: str = "light") -> Page:
            context = browser.new_context(
                viewport={"width": width, "height": height},
                color_scheme="dark" if scheme == "dark" else "light",
                reduced_motion="reduce",
            )
            context.set_default_timeout(SETTLE_S_MAX * 1_000)
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", lambda error: errors.append(str(error)))
            page.on("console", lambda said: errors.append(said.text) if "Security Policy" in said.text else None)
            page.goto(f"http://{address}/")
            return page

        yield open_one
    assert errors == []


@pytest.fixture(scope="session")
def axe() -> str:
    """The judge of accessibility, as a script."""
    return Path(_needed(str(AXE) if AXE.exists() else None, "axe-core")).read_text(encoding="utf-8")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClusterProcess]:
    """Three brokers whose HTTP servers stay where they are, a topic that is traced, a producer and a group."""
    ports = {node: {"chronik.http.listener": f"127.0.0.1:{free_port()}"} for node in (1, 2, 3)}
    settings = {"offsets.topic.num.partitions": 3, **PATIENT}
    with ClusterProcess(3, settings, directory=tmp_path_factory.mktemp("watched"), of_node=ports) as cluster:
        cluster.wait_ready(in_sync=True)
        cluster.create_topic("orders", 3, {"chronik.trace": "on"})
        with Traffic(cluster.bootstrap_servers):
            yield cluster


def http_of(cluster: ClusterProcess, node: int) -> str:
    """Where the page of a broker is."""
    address = cluster.brokers[node].http_address
    assert address is not None, f"broker {node} has no HTTP server"
    return address


class Traffic:
    """A producer that writes all the time, and a member of a group that reads it."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._ended = threading.Event()
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._write, self._read)]

    def __enter__(self) -> "Traffic":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        for thread in self._threads:
            thread.join(SETTLE_S_MAX)

    def _write(self) -> None:
        producer = Producer({"bootstrap.servers": self._bootstrap, "acks": "all", "client.id": "writer"})
        number = 0
        while not self._ended.wait(0.02):
            producer.produce("orders", str(number).encode(), partition=number % 3)
            producer.poll(0)
            number += 1
        producer.flush(SETTLE_S_MAX)

    def _read(self) -> None:
        reader = Consumer(
            {
                "bootstrap.servers": self._bootstrap,
                "group.id": "billing",
                "client.id": "billing-1",
                "auto.offset.reset": "earliest",
            }
        )
        reader.subscribe(["orders"])
        while not self._ended.is_set():
            reader.poll(0.2)
        reader.close()
