"""Ledgers that go through a topic arrive as they are, whoever is restarted on the way."""

import asyncio
import random
from pathlib import Path
from typing import Any

import pytest

from chronik.audit.ledger.topic import LedgerGapError, Part, new_parts, publish, put, receive
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster


def files_of(directory: Path) -> dict[str, bytes]:
    found = [path for path in directory.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(directory)): path.read_bytes() for path in found}


def test_parts_that_come_again_are_not_written_again_and_a_hole_is_refused(tmp_path: Path) -> None:
    for part in (
        Part("sends/0.arrows", 0, b"abc"),
        Part("sends/0.arrows", 1, b"bcde"),
        Part("sends/0.arrows", 0, b"ab"),
    ):
        put(tmp_path, part)
    assert (tmp_path / "sends" / "0.arrows").read_bytes() == b"abcde"
    with pytest.raises(LedgerGapError, match="2 bytes are missing"):
        put(tmp_path, Part("sends/0.arrows", 7, b"x"))


def test_a_line_that_is_not_whole_is_not_published(tmp_path: Path) -> None:
    (tmp_path / "sends").mkdir()
    (tmp_path / "sends" / "0.reserved").write_text("reserve 0 0 0 10\nreserve 0 0")
    (tmp_path / "sends" / "..evil").write_text("not a ledger")
    assert list(new_parts(tmp_path, {}, b"")) == [Part("sends/0.reserved", 0, b"reserve 0 0 0 10\n")]
    assert list(new_parts(tmp_path, {"sends/0.reserved": 17}, b"")) == []


def test_ledgers_arrive_whole_through_a_topic_though_both_sides_forget_what_they_did(
    shared_broker: Any, topic_name: str, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "sends").mkdir(parents=True)
    (here / "polls").mkdir()
    dice = random.Random(7)

    async def work() -> None:
        async with Cluster(shared_broker.bootstrap) as cluster:
            await Admin(cluster).create_topics([NewTopic(topic_name, 1, 1)])
            for number in range(4):
                (here / "run.json").write_text(f'{{"run": "{number}"}}')
                for name in ("sends/0.arrows", "polls/0.arrows"):
                    with (here / name).open("ab") as file:
                        file.write(dice.randbytes(dice.randrange(1, 600_000)))
                await publish(cluster, topic_name, here)
                if number == 1:
                    (here / ".published.json").unlink()
                await receive(cluster, topic_name, there)
                if number == 2:
                    (there / ".read.json").unlink()
                    await receive(cluster, topic_name, there)
                assert files_of(there) == files_of(here)
            assert await publish(cluster, topic_name, here) == 0
            assert await receive(cluster, topic_name, there) == 0

    asyncio.run(work())
