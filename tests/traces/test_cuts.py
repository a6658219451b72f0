"""A follower that cuts its log tells it, and keeps the watermarks that it has learned."""

import asyncio

from chronik.observability.trace import Tracer
from chronik.observability.trace_events import Truncated, WatermarkAdvanced
from chronik.observability.trace_rules import OFF, ON
from chronik.server.replicas.follower import FollowerReplica
from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.server.partition_cases import machine_on
from tests.unit.server.replicas.test_follower import batch_at


def take(
    followed: FollowerReplica, records: bytes = b"", high_watermark: int = 0, diverging: tuple[int, int] | None = None
) -> None:
    ask = followed.follower.next_fetch()
    assert ask is not None
    view = memoryview(records)
    followed.take_answer(ask, view, high_watermark=high_watermark, log_start_offset=0, diverging=diverging)


def test_a_cut_is_told_with_the_ends_before_and_after_it_and_a_watermark_with_its_leader() -> None:
    tracer = Tracer(1)

    async def follow() -> FollowerReplica:
        async with machine_on(FaultyDisk()) as machine:
            followed = machine.follow(3, leader_epoch=5)
            followed.tracer = tracer
            topic = followed.topic_partition.topic
            tracer.switch(OFF, {topic: ON})
            take(followed, diverging=(0, 1))
            take(followed, batch_at(1, 5), high_watermark=2)
            tracer.switch(OFF, {})
            take(followed, high_watermark=2)
            return followed

    followed = asyncio.run(follow())
    where = followed.topic_partition
    assert [entry.event for entry in tracer.events().entries] == [
        Truncated(*where, 3, 1, 2, 5),
        WatermarkAdvanced(*where, 0, 2, 2),
    ]
    assert [step[1:] for step in followed.replica.watermark_history()] == [(0, 2, 2)]
