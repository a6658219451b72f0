"""When the making of topics is answered: few partitions are waited for; of many, it comes before all are open."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from chronik.server.requests import topic_creation
from chronik.server.requests.context import Services


class Opening:
    """Partitions that are being opened until somebody says otherwise."""

    def __init__(self) -> None:
        self.is_open = asyncio.Event()

    async def opened(self) -> None:
        await self.is_open.wait()


def services_of(opening: Opening) -> Services:
    return cast(Services, SimpleNamespace(partitions=opening))


async def test_many_partitions_are_answered_before_all_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_creation, "OPENING_WAIT_S_MAX", 0.01)
    await asyncio.wait_for(topic_creation._opened(services_of(Opening()), topic_creation.MANY_PARTITIONS), 30)


async def test_few_partitions_are_answered_when_all_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(topic_creation, "OPENING_WAIT_S_MAX", 0.01)
    opening = Opening()
    waiting: asyncio.Task[Any] = asyncio.create_task(
        topic_creation._opened(services_of(opening), topic_creation.MANY_PARTITIONS - 1)
    )
    await asyncio.sleep(0.1)
    assert not waiting.done()
    opening.is_open.set()
    await asyncio.wait_for(waiting, 30)
