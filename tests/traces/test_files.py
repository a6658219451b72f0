"""Traces on disk: JSON lines in files that are begun anew, within a limit, with marks of what is missing."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from chronik.observability.trace import TraceEntry, Tracer
from chronik.observability.trace_events import WatermarkAdvanced
from chronik.observability.trace_files import DIRECTORY, FILES, PATTERN, TraceFiles
from chronik.server.tracing import recorder as trace_recorder
from chronik.server.tracing.recorder import TraceRecorder
from tests.brokers import BrokerProcess
from tests.conftest import StartBroker
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire
from tests.traces.telling import SECONDS_MAX, Story, set_trace

BYTES_MAX = 64 * 1024


def event(number: int) -> WatermarkAdvanced:
    return WatermarkAdvanced("orders", 0, number, number + 1, 1)


def entries(first: int, count: int) -> list[TraceEntry]:
    return [TraceEntry(number, 10**18 + number, number, event(number)) for number in range(first, first + count)]


def lines_in(directory: Path) -> list[dict[str, Any]]:
    files = sorted(directory.glob(PATTERN), key=lambda path: path.name.rpartition("-")[2])
    return [json.loads(line) for path in files for line in path.read_text().splitlines()]


def size_of(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob(PATTERN))


def test_files_stay_within_their_limit_and_hold_the_newest_events_without_a_gap(tmp_path: Path) -> None:
    files = TraceFiles(tmp_path / DIRECTORY, 1, BYTES_MAX)
    for first in range(0, 2_000, 20):
        files.write(entries(first, 20))
        assert size_of(tmp_path / DIRECTORY) <= BYTES_MAX
    files.close()
    numbers = [line["seq"] for line in lines_in(tmp_path / DIRECTORY)]
    assert numbers == list(range(numbers[0], 2_000))
    assert size_of(tmp_path / DIRECTORY) > BYTES_MAX * (FILES - 2) // FILES


def test_the_files_of_an_earlier_run_count_too(tmp_path: Path) -> None:
    for _ in range(3):
        files = TraceFiles(tmp_path, 1, BYTES_MAX)
        for first in range(0, 400, 20):
            files.write(entries(first, 20))
        files.close()
    assert size_of(tmp_path) <= BYTES_MAX


async def until(condition: Any) -> None:
    async with asyncio.timeout(SECONDS_MAX):
        while not condition():  # noqa: ASYNC110 - nobody tells when a file has grown
            await asyncio.sleep(0.01)


def test_what_the_ring_has_lost_before_it_was_written_is_marked_in_the_file(tmp_path: Path) -> None:
    async def record() -> None:
        tracer = Tracer(1, 10)
        recorder = TraceRecorder(tracer, str(tmp_path), asyncio.get_running_loop())
        running = asyncio.create_task(recorder.run())
        for number in range(25):
            tracer.emit(WatermarkAdvanced, *event(number))
        recorder.configure(is_on=True, bytes_max=BYTES_MAX)
        await until(lambda: len(lines_in(tmp_path / DIRECTORY)) == 11)
        tracer.emit(WatermarkAdvanced, *event(25))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await recorder.close()

    asyncio.run(record())
    lines = lines_in(tmp_path / DIRECTORY)
    assert (lines[0]["event"], lines[0]["dropped"], lines[0]["seq"]) == ("events_dropped", 15, 14)
    assert [line["seq"] for line in lines[1:]] == list(range(15, 26))


def test_what_was_told_right_before_the_end_is_written_too(tmp_path: Path) -> None:
    async def record() -> None:
        tracer = Tracer(1, 10)
        recorder = TraceRecorder(tracer, str(tmp_path), asyncio.get_running_loop())
        recorder.configure(is_on=True, bytes_max=BYTES_MAX)
        tracer.emit(WatermarkAdvanced, *event(0))
        await recorder.close()

    asyncio.run(record())
    assert [line["seq"] for line in lines_in(tmp_path / DIRECTORY)] == [0]


def test_a_disk_that_fails_loses_no_event_that_the_ring_still_has_and_no_broker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(trace_recorder, "PAUSE_S", 0.01)

    async def record() -> None:
        tracer = Tracer(1, 100)
        recorder = TraceRecorder(tracer, str(tmp_path), asyncio.get_running_loop())
        recorder.configure(is_on=True, bytes_max=BYTES_MAX)
        (tmp_path / DIRECTORY).write_text("in the way")
        running = asyncio.create_task(recorder.run())
        tracer.emit(WatermarkAdvanced, *event(0))
        await until(lambda: "cannot be written" in caplog.text)
        (tmp_path / DIRECTORY).unlink()
        await until(lambda: (tmp_path / DIRECTORY).is_dir() and lines_in(tmp_path / DIRECTORY))
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await recorder.close()

    asyncio.run(record())
    assert [line["seq"] for line in lines_in(tmp_path / DIRECTORY)] == [0]


def told_in(broker: BrokerProcess) -> list[dict[str, Any]]:
    return lines_in(broker.data / DIRECTORY)


def test_a_broker_writes_what_its_ring_tells_while_the_config_asks_for_it(start_broker: StartBroker) -> None:
    broker = start_broker(http=True)
    with Wire(broker.bootstrap) as wire:
        wire.create_topic("orders")
        set_trace(broker.bootstrap, "on", "orders")
        wire.append("orders", b"value")
        assert not (broker.data / DIRECTORY).exists()
        set_trace(broker.bootstrap, "true", key="chronik.trace.files")
        story = Story(broker.http)
        wait_until(lambda: story.events() == told_in(broker) != [], SECONDS_MAX, "the files tell what the ring does")
        wire.append("orders", b"value")
        broker.stop()
    acknowledged = [each for each in told_in(broker) if each["event"] == "produce_acknowledged"]
    assert [each["first_offset"] for each in acknowledged] == [0, 1]
    # The directory is not taken for a partition's.
    broker.restart()
    with Wire(broker.bootstrap) as wire:
        assert wire.end_offset("orders") == 2
