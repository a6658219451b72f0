"""A log under random appends, flushes, rolls, cuts, deletions, crashes and power cuts, against a model; by seed."""

from random import Random

import pytest

from chronik.records.batch import read_header
from chronik.storage.faulty_disk import FaultyDisk
from chronik.storage.log import Log
from chronik.storage.producer_state import ProducerState
from tests.unit.storage.log_cases import NOW, batch, open_log, read_all, small, split, stage

STEPS = 70


class Storm:
    """A log, the batches that it must hold, and what a broker would have put in its checkpoints."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.disk = FaultyDisk(write_bytes_max=self.dice.choice([None, 100]))
        self.config = small(segment_bytes=self.dice.choice([700, 4_000]), retention_bytes=6_000)
        self.batches: list[bytes] = []
        self.sequences: dict[int, int] = {}
        self.leader_epoch = 0
        self.recovery_point = 0
        self.log_start = 0
        self.log = open_log(self.disk, self.config)

    def run(self) -> None:
        steps = [
            *[self.append] * 8,
            *[self.read] * 4,
            *[self.flush] * 3,
            self.roll,
            self.checkpoint,
            self.advance,
            self.expire,
            self.cut,
            self.raise_epoch,
            self.crash,
            self.lose_power,
            self.lose_power,
            self.stop,
        ]
        for _ in range(STEPS):
            self.dice.choice(steps)()
            self.check()

    # -- what happens

    def append(self) -> None:
        for _ in range(self.dice.randint(1, 4)):
            data = self.some_batch()
            base = stage(self.log, data, leader_epoch=self.leader_epoch)
            assert base == self.end()
            self.batches.append(bytes(data))
        if self.dice.random() < 0.3:
            job = self.log.take_staged(owned=True)
            assert job is not None
            job.write()
            self.log.complete_write(job)
        self.log.write_staged()

    def some_batch(self) -> bytearray:
        count, size = self.dice.randint(1, 4), self.dice.choice([5, 60, 300])
        timestamp = NOW + self.dice.randint(0, 10_000)
        producer = self.dice.randint(-1, 3)
        if producer < 0:
            return batch(count, size=size, timestamp=timestamp)
        sequence = self.sequences.get(producer, 0)
        self.sequences[producer] = sequence + count
        return batch(count, size=size, timestamp=timestamp, producer_id=producer, epoch=0, sequence=sequence)

    def flush(self) -> None:
        self.log.flush()
        assert self.log.flushed_end_offset == self.log.log_end_offset

    def roll(self) -> None:
        self.log.roll(NOW)

    def checkpoint(self) -> None:
        self.recovery_point = self.log.flushed_end_offset

    def raise_epoch(self) -> None:
        self.leader_epoch += 1

    def advance(self) -> None:
        self.log.advance_log_start(self.dice.randint(self.log.log_start_offset, self.log.log_end_offset))
        self.log_start = self.log.log_start_offset

    def expire(self) -> None:
        deleted = self.log.delete_expired(NOW, self.log.log_end_offset)
        self.log_start = self.log.log_start_offset
        for each in deleted:
            if self.dice.random() < 0.8:
                each.rename()
                each.unlink()

    def cut(self) -> None:
        if self.dice.random() < 0.5:
            return
        offset = self.dice.randint(self.log.log_start_offset, self.log.log_end_offset)
        for each in self.log.truncate_to(offset, NOW):
            each.unlink()
        self.recovery_point = min(self.recovery_point, self.log.flushed_end_offset)
        self.log_start = min(self.log_start, self.log.log_start_offset)
        self.forget_behind(offset, "cut")

    def crash(self) -> None:
        end = self.log.log_end_offset
        self.disk.process_crash()
        self.reopen()
        assert self.log.log_end_offset == end, "a process crash loses nothing that was written"
        assert not self.log.recovery.truncation

    def lose_power(self) -> None:
        flushed, end = self.log.flushed_end_offset, self.log.log_end_offset
        self.disk.power_cut(self.dice)
        self.reopen()
        assert max(flushed, self.log_start) <= self.log.log_end_offset <= max(end, self.log_start)
        assert not self.log.recovery.kept
        self.forget_behind(self.log.log_end_offset, "power cut")
        self.log.forget_truncated_damage()

    def stop(self) -> None:
        end = self.log.log_end_offset
        self.log.close()
        assert self.log.flushed_end_offset == end
        self.recovery_point = end
        if self.dice.random() < 0.5:
            self.disk.power_cut(self.dice)
        self.reopen(clean=True)
        assert self.log.log_end_offset == end
        assert not self.log.recovery.scanned_bytes, "a clean start scans nothing"
        assert not [line for line in self.log.recovery.lines if not line.startswith("removed")]

    def reopen(self, *, clean: bool = False) -> None:
        self.log = open_log(
            self.disk,
            self.config,
            log_start_offset=self.log_start,
            recovery_point=self.recovery_point,
            clean=clean,
        )

    def read(self) -> None:
        if self.log.log_start_offset == self.log.log_end_offset:
            return
        offset = self.dice.randrange(self.log.log_start_offset, self.log.log_end_offset)
        read = self.log.read(offset, self.dice.choice([1, 500, 5_000]), self.log.log_end_offset)
        first = read_header(read.data)
        assert first.base_offset <= offset <= first.last_offset
        assert split(bytes(read.data))[0] == self.batch_at(offset)

    # -- what must hold

    def check(self) -> None:
        log = self.log
        assert self.log_start <= log.log_start_offset <= log.log_end_offset == log.next_offset == self.end()
        assert log.flushed_end_offset <= log.log_end_offset
        expected = [each for each in self.batches if read_header(each).last_offset >= log.log_start_offset]
        assert read_all(log) == expected
        assert self.producers(log.producers) == self.producers(self.modelled_producers())
        self.check_epochs(expected)

    def check_epochs(self, batches: list[bytes]) -> None:
        for each in batches:
            header = read_header(each)
            offset = max(header.base_offset, self.log.log_start_offset)
            assert self.log.leader_epochs.epoch_of(offset) == header.partition_leader_epoch

    def modelled_producers(self) -> ProducerState:
        state = ProducerState()
        for each in self.batches:
            header = read_header(each)
            state.replay(header, header.base_offset, NOW)
        return state

    def producers(self, state: ProducerState) -> dict[int, list[tuple[int, ...]]]:
        """What is known of each producer from the part of the log that is left."""
        start = self.log.log_start_offset
        known = {e.producer_id: [tuple(b) for b in e.batches if b.base_offset >= start] for e in state.entries()}
        return {producer: batches for producer, batches in known.items() if batches}

    def end(self) -> int:
        last = read_header(self.batches[-1]).next_offset if self.batches else 0
        return max(last, self.log_start)

    def batch_at(self, offset: int) -> bytes:
        return next(each for each in self.batches if read_header(each).last_offset >= offset)

    def forget_behind(self, offset: int, why: str) -> None:
        self.batches = [each for each in self.batches if read_header(each).last_offset < offset]
        self.sequences = {e.producer_id: e.batches[-1].last_sequence + 1 for e in self.modelled_producers().entries()}
        assert self.log.log_end_offset == self.end(), why


@pytest.mark.parametrize("seed", range(60))
def test_everything_flushed_survives_power_cuts_and_everything_written_survives_crashes(seed: int) -> None:
    """Rules 1, 6, 11, 25 and 35: offsets tile the log, its start never goes back, every offset is reachable."""
    Storm(seed).run()


def test_a_storm_meets_every_kind_of_recovery() -> None:
    """The seeds above would prove little if no power cut ever tore anything."""
    truncation, rebuilt = 0, 0
    for seed in range(12):
        storm = Storm(seed)
        reopen, logs = storm.reopen, []

        def noting(*, clean: bool = False, reopen=reopen, storm=storm, logs: list[Log] = logs) -> None:  # type: ignore[no-untyped-def]
            reopen(clean=clean)
            logs.append(storm.log)

        storm.reopen = noting  # type: ignore[method-assign]
        storm.run()
        truncation += sum(len(log.recovery.truncation) for log in logs)
        rebuilt += sum(len(log.recovery.rebuilt) for log in logs)
    assert truncation > 10
    assert rebuilt > 0
