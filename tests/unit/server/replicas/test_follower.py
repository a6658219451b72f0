"""The driver of a followed partition: what it takes from a leader, and a cut that the end of its term overtakes."""

import pytest

from chronik.model.errors import ErrorCode
from chronik.records.batch import walk
from chronik.records.build import Record, build_batch
from chronik.server.replicas.follower import BadAnswerError, FollowerReplica
from chronik.storage.faulty_disk import FaultyDisk
from tests.unit.server.partition_cases import NOW, machine_on


def batch_at(offset: int, leader_epoch: int) -> bytes:
    data = bytearray(build_batch([Record(None, b"x", (), NOW)]))
    data[0:8] = offset.to_bytes(8, "big")
    data[12:16] = leader_epoch.to_bytes(4, "big")
    assert next(walk(memoryview(data)))[1].base_offset == offset
    return bytes(data)


def take(followed: FollowerReplica, records: bytes, *, diverging: tuple[int, int] | None = None) -> None:
    ask = followed.follower.next_fetch()
    assert ask is not None
    followed.take_answer(ask, memoryview(records), high_watermark=0, log_start_offset=0, diverging=diverging)


async def test_batches_of_this_and_earlier_terms_are_taken() -> None:
    async with machine_on(FaultyDisk()) as machine:
        followed = machine.follow(2, leader_epoch=5)
        take(followed, batch_at(2, 3) + batch_at(3, 5))
        assert followed.log.log_end_offset == 4
        assert followed.log.leader_epochs.entries == [(0, 0), (3, 2), (5, 3)]


@pytest.mark.parametrize("epochs", [(6,), (3, 2)], ids=["above the leader's", "falling"])
async def test_batches_of_epochs_that_cannot_be_are_refused(epochs: tuple[int, ...]) -> None:
    async with machine_on(FaultyDisk()) as machine:
        followed = machine.follow(2, leader_epoch=5)
        answer = b"".join(batch_at(2 + index, epoch) for index, epoch in enumerate(epochs))
        with pytest.raises(BadAnswerError, match=f"leader epoch {epochs[-1]} for offset"):
            take(followed, answer)
        assert followed.log.log_end_offset == 2


async def test_a_cut_that_waits_for_the_disk_is_given_up_with_its_term() -> None:
    """The next term is built around the log when no thread works on it any more, and decides anew."""
    async with machine_on(FaultyDisk()) as machine:
        followed = machine.follow(3)
        assert followed.replica.begin_flush() is not None
        take(followed, b"", diverging=(0, 1))
        assert followed.log.log_end_offset == 3
        followed.replica.end_term(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        released: list[bool] = []
        followed.replica.release(lambda: released.append(True))
        assert not released
        followed.replica.end_flush(None)
        assert released
        assert followed.log.log_end_offset == 3


async def test_a_cut_is_done_when_the_disk_is_idle() -> None:
    async with machine_on(FaultyDisk()) as machine:
        followed = machine.follow(3)
        assert followed.replica.begin_flush() is not None
        take(followed, b"", diverging=(0, 1))
        followed.replica.end_flush(None)
        assert followed.log.log_end_offset == followed.follower.log_end_offset == 1
