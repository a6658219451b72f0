"""What is done to fetched batches, once for each, and to fetches as a whole."""

import pytest

from chronik.proxy.exchange import FOR_EVER_S, FaultTarget
from chronik.proxy.faults.responses import HangFetches, Harm, HarmBatches, StarvePartition
from chronik.records.batch import crc_is_right, walk
from chronik.records.iterate import records_of
from tests.audit.proxy.exchanges import TOPIC, batch, fetch

THREE = [batch(2, 0), batch(2, 2), batch(2, 4)]
PARTITION_0 = FaultTarget(TOPIC, frozenset({0}))


def values(records: bytes) -> list[bytes | None]:
    return [record.value for at, header in walk(records) for record in records_of(records[at : at + header.size_bytes])]


def whole() -> list[bytes | None]:
    return values(b"".join(THREE))


def once(harm: Harm, after: int = 1) -> HarmBatches:
    return HarmBatches(harm, seed=1, share=1.0, after=after, times_max=1)


def test_a_lost_batch_leaves_an_empty_one_that_a_reader_passes() -> None:
    one, _ = fetch(once(Harm.LOSE), THREE, 6)
    assert [(header.base_offset, header.record_count) for _, header in walk(one.records)] == [(0, 2), (2, 0), (4, 2)]
    assert all(crc_is_right(one.records, at, header.size_bytes) for at, header in walk(one.records))
    assert values(one.records) == whole()[:2] + whole()[4:]


def test_a_swapped_batch_comes_before_its_forerunner() -> None:
    one, _ = fetch(once(Harm.SWAP), THREE, 6)
    assert [header.base_offset for _, header in walk(one.records)] == [2, 0, 4]


def test_a_repeated_batch_comes_twice() -> None:
    one, _ = fetch(once(Harm.REPEAT), THREE, 6)
    assert [header.base_offset for _, header in walk(one.records)] == [0, 2, 2, 4]


@pytest.mark.parametrize(("harm", "is_right"), [(Harm.DAMAGE, False), (Harm.DAMAGE_UNDER_CRC, True)])
def test_a_damaged_batch_differs_with_or_without_its_checksum(harm: Harm, is_right: bool) -> None:
    one, _ = fetch(once(harm), THREE, 6)
    assert len(one.records) == sum(map(len, THREE))
    assert one.records != b"".join(THREE)
    checks = [crc_is_right(one.records, at, header.size_bytes) for at, header in walk(one.records)]
    assert checks == [True, is_right, True]


@pytest.mark.parametrize("harm", Harm)
def test_a_batch_is_harmed_once_and_is_whole_for_the_next_reader(harm: Harm) -> None:
    fault = HarmBatches(harm, seed=1, share=1.0)
    fetch(fault, THREE, 6)
    one, _ = fetch(fault, THREE, 6)
    assert one.records == b"".join(THREE)


@pytest.mark.parametrize("harm", Harm)
def test_whoever_reads_as_a_replica_is_spared(harm: Harm) -> None:
    one, _ = fetch(HarmBatches(harm, seed=1, share=1.0), THREE, 6, replica=-2)
    assert one.records == b"".join(THREE)


def test_fetches_of_one_partition_hang_and_others_do_not() -> None:
    fault = HangFetches(PARTITION_0, offset=2)
    assert fetch(fault, THREE, 6, offset=0)[1].wait_s == 0
    assert fetch(fault, THREE[1:], 6, offset=2)[1].wait_s == FOR_EVER_S
    assert fetch(fault, THREE, 6, offset=2, partition=1)[1].wait_s == 0
    assert fetch(fault, [], 2, offset=2)[1].wait_s == 0


def test_a_starved_partition_is_empty_below_its_watermark() -> None:
    fault = StarvePartition(PARTITION_0, offset=2)
    assert fetch(fault, THREE, 6, offset=0)[0].records == b"".join(THREE)
    one, _ = fetch(fault, THREE[1:], 6, offset=2)
    assert len(one.records) == 0
    assert one.high_watermark == 6
