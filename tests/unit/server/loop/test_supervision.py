"""Background tasks: one that dies takes the broker down, with its reason."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from chronik.server import run
from chronik.server.broker import BrokerServer
from chronik.server.loop.supervision import Supervisor, TaskDiedError
from chronik.server.run import BrokerFailedError, run_broker
from chronik.server.settings.server import load_settings


async def test_the_first_task_that_dies_is_told_with_its_name_and_reason() -> None:
    supervisor = Supervisor()

    async def dies() -> None:
        raise RuntimeError("the disk is on fire")

    supervisor.start("sleeps", asyncio.sleep(60))
    supervisor.start("writes", dies())
    with pytest.raises(TaskDiedError, match="'writes' died: RuntimeError: the disk is on fire"):
        await asyncio.wait_for(supervisor.wait_for_failure(), 30)
    await supervisor.stop()


async def test_a_task_that_ends_or_is_stopped_is_no_failure() -> None:
    supervisor = Supervisor()
    ends = supervisor.start("ends", asyncio.sleep(0))
    stopped = supervisor.start("is stopped", asyncio.sleep(60))
    await ends
    await supervisor.stop()
    assert stopped.cancelled()


async def _die(broker: BrokerServer) -> None:
    raise RuntimeError("a part of the broker died")


def _in_a_task(broker: BrokerServer) -> None:
    broker.supervisor.start("doomed", _die(broker))


def _in_a_callback(broker: BrokerServer) -> None:
    def fails() -> None:
        raise RuntimeError("a part of the broker died")

    asyncio.get_running_loop().call_soon(fails)


@pytest.mark.parametrize("break_it", [_in_a_task, _in_a_callback])
def test_a_broker_whose_task_or_callback_dies_stops_and_says_why(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    break_it: Callable[[BrokerServer], None],
) -> None:
    """Invariant 71."""
    broken: list[BrokerServer] = []

    class Doomed(BrokerServer):
        async def start(self) -> None:
            await super().start()
            broken.append(self)

    monkeypatch.setattr(run, "BrokerServer", Doomed)
    monkeypatch.setattr(run, "notify", lambda state: break_it(broken[0]) if state == "READY=1" else None)
    settings = load_settings(
        overrides={
            "listeners": "PLAINTEXT://127.0.0.1:0",
            "log.dirs": str(tmp_path),
            "chronik.metadata.store": "memory:",
            "chronik.http.listener": "",
        }
    )
    with caplog.at_level(logging.ERROR), pytest.raises(BrokerFailedError, match="a part of the broker died"):
        run_broker(settings, lambda ready: None)
    assert not broken[0].listeners.connections
