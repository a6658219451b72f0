"""The log of the audit on a broker: a topic filled in seconds with messages that carry ids, for generated ledgers."""

from typing import Final

import numpy as np
import numpy.typing as npt

from benchmarks.audit_data import BATCH, BEGIN_US, PARTITIONS, PRODUCERS, RUN, Faults, Rounds
from benchmarks.load import InvalidMeasurementError
from chronik.audit.tables.ids import HEADER, HEADER_BYTES, ID_DTYPE, checksum
from chronik.model.errors import ErrorCode
from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from chronik.records.batch import CRC, CRC_POSITION, crc_of
from chronik.records.build import Record, build_batch
from tests.regressions.wire import PRODUCE_VERSION, Wire

VALUE_BYTES: Final = 100
_IN_FLIGHT_MAX: Final = 8
_MARK: Final = bytes(range(1, HEADER_BYTES + 1))
_SEED: Final = 11

Bytes = npt.NDArray[np.uint8]


class Template:
    """A batch whose ids are written over: everything else of it stays as it is."""

    def __init__(self) -> None:
        values = np.random.default_rng(_SEED).integers(0, 256, (BATCH, VALUE_BYTES), np.uint8)
        records = [Record(None, value.tobytes(), ((HEADER, _MARK),), BEGIN_US // 1000) for value in values]
        self._bytes = np.frombuffer(bytearray(build_batch(records)), np.uint8)
        self._sums = np.array([checksum(value.tobytes(), None) for value in values], np.uint32)
        self._places = _places(self._bytes.tobytes())

    def batch(self, producer: int, first_sequence: int, damaged: set[int]) -> bytearray:
        """Give the batch with the ids of a producer's next messages."""
        stamps = np.zeros(BATCH, ID_DTYPE)
        sequences = np.arange(first_sequence, first_sequence + BATCH)
        stamps["run"], stamps["producer"], stamps["sequence"] = RUN, producer, sequences
        stamps["sent_us"] = BEGIN_US + sequences * 10
        stamps["crc"] = self._sums ^ np.isin(sequences, list(damaged)).astype(np.uint32)
        found = self._bytes.copy()
        found[self._places] = stamps.view(np.uint8).reshape(BATCH, HEADER_BYTES)
        raw = bytearray(found.tobytes())
        CRC.pack_into(raw, CRC_POSITION, crc_of(raw, 0, len(raw)))
        return raw


def _places(batch: bytes) -> npt.NDArray[np.int64]:
    starts = [batch.find(_MARK)]
    while len(starts) < BATCH:
        starts.append(batch.find(_MARK, starts[-1] + HEADER_BYTES))
    assert min(starts) >= 0, "every record has a mark"
    return np.array(starts)[:, None] + np.arange(HEADER_BYTES)


def fill(bootstrap: str, topic: str, rounds: Rounds, plan: Faults) -> None:
    """Write the log that belongs to the generated ledgers."""
    template = Template()
    damaged: dict[int, set[int]] = {producer: set() for producer in range(PRODUCERS)}
    for producer, sequence in plan.chosen["damaged"]:
        damaged[producer].add(sequence)
    with Wire(bootstrap, seconds_max=60) as wire:
        wire.create_topic(topic, PARTITIONS, retention_ms=-1)
        for number in range(rounds.count):
            batches = [
                ((number + producer) % PARTITIONS, template.batch(producer, number * BATCH, damaged[producer]))
                for producer in range(PRODUCERS)
            ]
            _send(wire, topic, batches)
            if number >= _IN_FLIGHT_MAX:
                _check(wire)
        for _ in range(min(rounds.count, _IN_FLIGHT_MAX)):
            _check(wire)


def _send(wire: Wire, topic: str, batches: list[tuple[int, bytearray]]) -> None:
    data = [PartitionProduceData(partition, batch) for partition, batch in batches]
    request = ProduceRequest(None, 1, 10_000, [TopicProduceData(name=topic, partition_data=data)])
    wire.send(ApiKey.PRODUCE, PRODUCE_VERSION, request)


def _check(wire: Wire) -> None:
    _, answer = wire.receive()
    for partition in answer.responses[0].partition_responses:
        if partition.error_code != ErrorCode.NONE:
            raise InvalidMeasurementError(f"the topic could not be filled: {partition}")
