"""``chronik cluster status --watch`` in a real terminal, and in a pipe."""

import json
import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chronik.testing.topics import create_topic
from tests.brokers import CHRONIK, BrokerProcess
from tests.terminal.pseudo import COLOUR, SECONDS_MAX, Terminal

LEFT = "\x1b[?25h\x1b[?1049l"


def cluster(*arguments: str) -> str:
    command = [str(CHRONIK), "cluster", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Any]]:
    """Two brokers with a topic of 30 partitions; the tests only look."""
    data = str(tmp_path_factory.mktemp("watched") / "cluster")
    try:
        told = json.loads(cluster("start", "--data", data, "--port", "0", "-n", "2", "--json"))
        create_topic(told["bootstrap"], "orders", 30, {}, SECONDS_MAX)
        yield {**told, "data": data}
    finally:
        cluster("stop", "--data", data)


def watching(started: dict[str, Any], **environment: str) -> Terminal:
    command = [str(CHRONIK), "cluster", "status", "--watch", "--interval", "0.3", "--data", started["data"]]
    return Terminal(command, 80, 24, **environment)


def shows(terminal: Terminal, pattern: str) -> bool:
    return any(re.search(pattern, line) for line in terminal.screen)


def test_it_fits_80_by_24_scrolls_sorts_follows_the_size_and_q_gives_the_terminal_back(started: dict[str, Any]) -> None:
    with watching(started) as terminal:
        terminal.until(lambda: shows(terminal, r"^orders-0 ") and shows(terminal, r"2/2 brokers"), "the partitions")
        assert len(terminal.screen) == 24
        assert max(map(len, terminal.screen)) <= 80
        assert shows(terminal, r"from broker [12]$")
        assert not shows(terminal, r"^orders-29 ")
        terminal.press("\x1b[6~" * 3)
        terminal.until(lambda: shows(terminal, r"^orders-29 "), "the last partition")
        terminal.press("s")
        terminal.until(lambda: shows(terminal, r"sort \(by name\)"), "another order")
        terminal.resize(120, 40)
        terminal.until(lambda: len(terminal.screen) == 40, "the larger picture")
        terminal.until(lambda: shows(terminal, r"^orders-0 ") and shows(terminal, r"^orders-29 "), "all partitions")
        terminal.resize(60, 12)
        terminal.until(lambda: len(terminal.screen) == 12, "the smaller picture")
        assert max(map(len, terminal.screen)) <= 60
        terminal.press("q")
        assert terminal.end() == 0
        assert terminal.written.endswith(LEFT)
        assert terminal.settings == terminal.before


@pytest.mark.parametrize("how", ["\x03", "terminated"])
def test_ctrl_c_and_sigterm_give_the_terminal_back(started: dict[str, Any], how: str) -> None:
    with watching(started) as terminal:
        terminal.until(lambda: shows(terminal, r"^orders-0 "), "the partitions")
        if how == "terminated":
            os.kill(terminal.process.pid, signal.SIGTERM)
        else:
            terminal.press(how)
        assert terminal.end() == 0
        assert terminal.written.endswith(LEFT)
        assert terminal.settings == terminal.before


def test_colour_is_used_and_left_out_where_nobody_wants_it(started: dict[str, Any]) -> None:
    wishes: list[tuple[dict[str, str], bool]] = [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
    for environment, is_coloured in wishes:
        with watching(started, **environment) as terminal:
            terminal.until(lambda: shows(terminal, r"^orders-0 "), "the partitions")
            terminal.press("q")
            terminal.end()
            assert (COLOUR.search(terminal.written) is not None) == is_coloured, environment


def test_a_broker_that_is_stopped_is_named_and_nobody_at_all_is_said(tmp_path: Path) -> None:
    data = str(tmp_path / "cluster")
    try:
        cluster("start", "--data", data, "--port", "0", "-n", "2")
        with watching({"data": data}) as terminal:
            terminal.until(lambda: shows(terminal, r"2/2 brokers"), "both brokers")
            cluster("stop", "--data", data, "--node", "2")
            terminal.until(lambda: shows(terminal, r"^2 .*!|1/1 brokers"), "the loss of one")
            cluster("stop", "--data", data)
            terminal.until(lambda: shows(terminal, r"^! no broker answers"), "the loss of all")
            terminal.press("q")
            assert terminal.end() == 0
    finally:
        cluster("stop", "--data", data)


def first_blocks(bootstrap: str) -> list[list[str]]:
    """Give two blocks that a pipe gets, and interrupt the command."""
    command = [str(CHRONIK), "cluster", "status", "--watch", "--interval", "0.1", "--bootstrap", bootstrap]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        blocks: list[list[str]] = [[]]
        while len(blocks) < 3:
            line = process.stdout.readline()
            assert line, "it ended by itself"
            blocks[-1].append(line.rstrip()) if line != "\n" else blocks.append([])
        process.send_signal(signal.SIGINT)
        assert process.wait(SECONDS_MAX) == 0
    return blocks[:2]


def has_rates(block: list[str]) -> bool:
    return any(re.match(r"1\b.* \d+M +\d+(ms|s)$", line) for line in block)


def test_a_pipe_gets_plain_blocks_with_what_the_http_side_tells(started: dict[str, Any]) -> None:
    for block in first_blocks(started["bootstrap"]):
        assert block[0].startswith("chronik  ")
        assert not any("\x1b" in line for line in block)
        assert any(line.startswith("orders-0 ") for line in block)
        assert has_rates(block)


def test_brokers_without_http_are_watched_by_kafkas_api(shared_broker: BrokerProcess, topic_name: str) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 1, {}, SECONDS_MAX)
    for block in first_blocks(shared_broker.bootstrap):
        assert block[0].startswith("chronik  ")
        assert any(line.startswith("PARTITION ") for line in block)
        assert not has_rates(block)
