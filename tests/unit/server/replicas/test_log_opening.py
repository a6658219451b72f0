"""Opening partitions: the loop goes on meanwhile, and a topic that goes before it was open leaves nothing behind."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from chronik.metadata.decisions.topics import TopicRequest, plan_create_topics, plan_delete_topics
from chronik.server.broker import BrokerServer
from chronik.server.replicas.leader import LeaderReplica
from chronik.server.settings.server import load_settings

PARTITIONS = 8


@asynccontextmanager
async def running(data: Path) -> AsyncIterator[BrokerServer]:
    settings = {
        "listeners": "PLAINTEXT://127.0.0.1:0",
        "log.dirs": str(data),
        "node.id": "1",
        "chronik.http.listener": "",
    }
    broker = BrokerServer(load_settings(overrides=settings))
    await broker.start()
    try:
        yield broker
    finally:
        await broker.stop()


async def create(broker: BrokerServer, name: str) -> None:
    wish = TopicRequest(name, uuid4(), PARTITIONS, 1)
    rules = broker.settings.cluster_rules
    await broker.catalog.carry_out(lambda image: plan_create_topics(image, [wish], rules))


async def delete(broker: BrokerServer, name: str) -> None:
    topic_id = broker.catalog.image.topics[name].id
    await broker.catalog.carry_out(lambda image: plan_delete_topics(image, [topic_id]))


async def test_opening_partitions_never_waits_for_the_disk_on_the_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rule 46: fifty partitions of ``__consumer_offsets`` on a busy disk have stopped the loop for 1.5 s."""
    async with running(tmp_path) as broker:
        on_the_loop: list[str] = []
        elsewhere: list[str] = []
        fsync = os.fsync

        def watched(fd: int) -> None:
            is_loop = threading.current_thread() is threading.main_thread()
            (on_the_loop if is_loop else elsewhere).append(os.readlink(f"/proc/self/fd/{fd}"))
            fsync(fd)

        monkeypatch.setattr("os.fsync", watched)
        monkeypatch.setattr("os.fdatasync", watched)
        await create(broker, "orders")
        await broker.partitions.opened()
        monkeypatch.undo()
        assert on_the_loop == []
        assert len(elsewhere) >= PARTITIONS


async def test_a_topic_that_is_deleted_while_it_is_opened_leaves_its_name_free(tmp_path: Path) -> None:
    async with running(tmp_path) as broker:
        for _ in range(5):
            await create(broker, "orders")
            # One partition is under way in the thread, and others are not begun.
            await asyncio.sleep(0)
            await delete(broker, "orders")
        await create(broker, "orders")
        async with asyncio.timeout(20):
            while not all(
                isinstance(broker.partitions.led_by_name("orders", index), LeaderReplica) for index in range(PARTITIONS)
            ):
                await broker.partitions.opened()
                await asyncio.sleep(0.01)
        topic_id = broker.catalog.image.topics["orders"].id
        stored = broker.directory.partitions()
        ids = {where.partition: kept.topic_id for where, kept in stored.items() if where.topic == "orders"}
        assert ids == dict.fromkeys(range(PARTITIONS), topic_id)
