"""What becomes of requests whose work fails: the connection closes with the reason, and only a bug is told as one."""

import asyncio
import logging
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chronik.metadata.stores.port import StoreUnavailable
from chronik.observability.metrics import BrokerMetrics
from chronik.protocol.apis import SERVED
from chronik.protocol.wire import Message
from chronik.server.handlers import HANDLERS
from chronik.server.loop.supervision import Supervisor
from chronik.server.replicas.writes import StagedWrites
from chronik.server.requests.context import Services
from chronik.server.requests.dispatch import Dispatcher

NAMES = {key: api.name for key, api in SERVED.items()}


class Closed:
    """A connection that remembers why it was closed."""

    peer = "127.0.0.1:5"

    def __init__(self) -> None:
        self.reasons: list[tuple[str, int]] = []

    def close(self, reason: str, *, level: int) -> None:
        self.reasons.append((reason, level))


async def closed_by(error: Exception) -> tuple[str, int]:
    dispatcher = Dispatcher(cast(Services, None), HANDLERS, StagedWrites(), Supervisor(), BrokerMetrics(NAMES))
    connection = Closed()
    api = SimpleNamespace(name="CreateTopics")
    place: Any = SimpleNamespace(api=api, version=5, connection=connection, deliver=lambda outcome: None)

    async def work() -> Message:
        await asyncio.sleep(0)
        raise error

    await dispatcher._await_response(place, work())
    (reason,) = connection.reasons
    return reason


async def test_a_store_that_does_not_answer_closes_the_connection_and_is_not_told_as_a_bug(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.INFO):
        assert await closed_by(StoreUnavailable("no answer")) == (
            "CreateTopics cannot be answered: no answer",
            logging.WARNING,
        )
    assert not any(record.exc_info for record in caplog.records)


async def test_any_other_failure_is_told_with_its_traceback(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        assert await closed_by(ValueError("a bug")) == ("CreateTopics failed: a bug", logging.ERROR)
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ValueError]
