"""The topics of the race for Spark: filled in seconds, with records of 100 bytes that are not alike.

A pool of batches is built once, and copies of them are sent with other times, in several requests at once. The copies
of a batch lie so far apart that no compression finds them.
"""

import random
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from struct import Struct
from typing import Final

from benchmarks.load import InvalidMeasurementError
from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from chronik.records.batch import CRC, CRC_POSITION, crc_of
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from tests.regressions.wire import PRODUCE_VERSION, Wire

PARTITIONS: Final = 4
PER_BATCH: Final = 125
"""Records in a batch: some 14 KB, what Kafka's Java client sends by default."""
VALUE_BYTES: Final = 92
POOL: Final = 2000
MS_PER_RECORD: Final = 1

_IN_FLIGHT_MAX: Final = 8
_TIMES: Final = Struct(">qq")
_TIMES_POSITION: Final = 27
_SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with the same number of records in each partition, one per millisecond."""

    name: str
    records: int
    first_time_ms: int

    @property
    def per_partition(self) -> int:
        return self.records // PARTITIONS

    def time_ms_at(self, share: float) -> int:
        """Give the time up to which this share of the records was written."""
        return self.first_time_ms + round(self.per_partition * share) * MS_PER_RECORD

    @property
    def offsets_sum(self) -> int:
        return PARTITIONS * (self.per_partition * (self.per_partition - 1) // 2)


def pool_of(codec: Codec, size: int = POOL, ms_per_record: int = MS_PER_RECORD) -> list[bytes]:
    """Build batches whose records differ: keys of 8 bytes, values of 92 that look like JSON and end in a hash."""
    chance = random.Random(_SEED)
    return [build_batch(list(_records(chance, number, ms_per_record)), codec=codec) for number in range(size)]


def _records(chance: random.Random, batch: int, ms_per_record: int) -> Iterator[Record]:
    for each in range(PER_BATCH):
        number, total = batch * PER_BATCH + each, chance.randrange(10**8)
        digest = b"%032x" % chance.getrandbits(128)
        value = b'{"id":%08d,"state":"shipped","total":%08d,"hash":"%s"}' % (number, total, digest)
        assert len(value) == VALUE_BYTES, len(value)
        yield Record(b"%08d" % number, value, timestamp=each * ms_per_record)


def at_time(batch: bytes, first_ms: int, last_ms: int) -> bytearray:
    """Copy a batch with other times."""
    copy = bytearray(batch)
    _TIMES.pack_into(copy, _TIMES_POSITION, first_ms, last_ms)
    CRC.pack_into(copy, CRC_POSITION, crc_of(copy, 0, len(copy)))
    return copy


def fill(bootstrap: str, name: str, records: int) -> Topic:
    """Make a topic of so many records whose last one was written now."""
    batches = records // PARTITIONS // PER_BATCH
    span_ms = PER_BATCH * MS_PER_RECORD
    topic = Topic(name, batches * PER_BATCH * PARTITIONS, int(time.time() * 1000) - batches * span_ms)
    pool = pool_of(Codec.NONE, min(POOL, batches * PARTITIONS))
    with Wire(bootstrap, seconds_max=60) as wire:
        wire.create_topic(name, PARTITIONS, retention_ms=-1)
        for number in range(batches):
            first_ms = topic.first_time_ms + number * span_ms
            chosen = [pool[(number * PARTITIONS + partition) % len(pool)] for partition in range(PARTITIONS)]
            _send(wire, name, [at_time(one, first_ms, first_ms + span_ms - MS_PER_RECORD) for one in chosen])
            if number >= _IN_FLIGHT_MAX:
                _check(wire)
        for _ in range(min(batches, _IN_FLIGHT_MAX)):
            _check(wire)
    return topic


def _send(wire: Wire, topic: str, batches: Sequence[bytearray]) -> None:
    """Send a batch to each partition in one request."""
    data = [PartitionProduceData(partition, batch) for partition, batch in enumerate(batches)]
    request = ProduceRequest(None, 1, 10_000, [TopicProduceData(name=topic, partition_data=data)])
    wire.send(ApiKey.PRODUCE, PRODUCE_VERSION, request)


def _check(wire: Wire) -> None:
    """Take the next answer, which must tell of no error."""
    _, answer = wire.receive()
    for partition in answer.responses[0].partition_responses:
        if partition.error_code != ErrorCode.NONE:
            raise InvalidMeasurementError(f"the topic could not be filled: {partition}")


class Feed:
    """Writes at an even rate while the block lasts; each record carries the time at which it was due."""

    def __init__(self, bootstrap: str, topic: str, per_second: int) -> None:
        self._bootstrap, self._topic = bootstrap, topic
        self._interval_s = PER_BATCH * PARTITIONS / per_second
        self._pool = pool_of(Codec.NONE, 64, ms_per_record=0)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="feed", daemon=True)
        self.records = 0

    def __enter__(self) -> "Feed":
        """Make the topic and begin."""
        with Wire(self._bootstrap) as wire:
            wire.create_topic(self._topic, PARTITIONS)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End it, and delete the topic."""
        self._ending.set()
        self._thread.join()
        with Wire(self._bootstrap) as wire:
            wire.delete_topic(self._topic)

    def _run(self) -> None:
        began, turn = time.time(), 0
        with Wire(self._bootstrap) as wire:
            while not self._ending.wait(max(0.0, began + turn * self._interval_s - time.time())):
                due_ms = int((began + turn * self._interval_s) * 1000)
                _send(
                    wire, self._topic, [at_time(self._batch(turn, each), due_ms, due_ms) for each in range(PARTITIONS)]
                )
                _check(wire)
                turn += 1
                self.records += PER_BATCH * PARTITIONS

    def _batch(self, turn: int, partition: int) -> bytes:
        return self._pool[(turn * PARTITIONS + partition) % len(self._pool)]
