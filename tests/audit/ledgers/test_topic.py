"""What the batches of a topic say by themselves: each fault is named, and what is no fault is not."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import confluent_kafka
import pytest

from chronik.audit.topic.audit import WEIGHTS, TopicAudit, Weight, audit_topic
from chronik.audit.topic.examination import Examination, Oddity, differing_buckets, first_difference
from chronik.client.cluster import Cluster
from chronik.records.batch import CONTROL_BIT, TRANSACTIONAL_BIT, BatchHeader
from chronik.testing.topics import create_topic
from tests.brokers import BrokerProcess

NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000


def batch(
    offset: int,
    count: int = 10,
    *,
    sequence: int = -1,
    producer: int = -1,
    producer_epoch: int = 0,
    epoch: int = 0,
    at_ms: int = NOW_MS - DAY_MS,
    attributes: int = 0,
    crc: int = 0,
) -> BatchHeader:
    return BatchHeader(
        base_offset=offset,
        batch_length=100,
        partition_leader_epoch=epoch,
        magic=2,
        crc=crc,
        attributes=attributes,
        last_offset_delta=count - 1,
        base_timestamp=at_ms,
        max_timestamp=at_ms,
        producer_id=producer,
        producer_epoch=producer_epoch,
        base_sequence=sequence,
        record_count=count,
    )


def numbered(
    offset: int, sequence: int, count: int = 10, *, producer_epoch: int = 0, attributes: int = 0
) -> BatchHeader:
    return batch(offset, count, sequence=sequence, producer=7, producer_epoch=producer_epoch, attributes=attributes)


def examined(batches: Sequence[BatchHeader], compared: range = range(10**9)) -> Examination:
    examination = Examination(NOW_MS, compared)
    for header in batches:
        examination.take(header, is_whole=True, marker=1 if header.is_control else None)
    examination.end()
    return examination


TRANSACTION = TRANSACTIONAL_BIT
MARKER = TRANSACTIONAL_BIT | CONTROL_BIT


@pytest.mark.parametrize(
    ("batches", "found"),
    [
        pytest.param([batch(5), batch(15), batch(25)], [], id="in a row, from a log start"),
        pytest.param([batch(0), batch(20)], [(Oddity.GAP, 10, 20)], id="a gap"),
        pytest.param([batch(0), batch(9)], [(Oddity.OVERLAP, 9, 19)], id="an offset given twice"),
        pytest.param([batch(0, epoch=2), batch(10, epoch=1)], [(Oddity.EPOCH_FELL, 10, 20)], id="epoch falls"),
        pytest.param([batch(0, epoch=1), batch(10, epoch=4)], [], id="epoch rises"),
        pytest.param([batch(0), batch(10, at_ms=5)], [(Oddity.TIME_FELL, 10, 20)], id="time falls"),
        pytest.param([batch(0), batch(10, at_ms=-1)], [], id="no time"),
        pytest.param([batch(0, at_ms=NOW_MS + DAY_MS)], [(Oddity.FROM_THE_FUTURE, 0, 10)], id="future"),
        pytest.param([numbered(0, 0), numbered(10, 10), numbered(20, 20)], [], id="sequences in a row"),
        pytest.param([numbered(0, 0), numbered(10, 20)], [(Oddity.SEQUENCE_GAP, 10, 20)], id="sequences missing"),
        pytest.param([numbered(0, 0), numbered(10, 0)], [(Oddity.SEQUENCE_TWICE, 10, 20)], id="sequences twice"),
        pytest.param([numbered(0, 5)], [(Oddity.SEQUENCE_GAP, 0, 10)], id="begin of a producer missing"),
        pytest.param([numbered(3, 5)], [], id="begin of a producer below the log start"),
        pytest.param([numbered(0, 2**31 - 5), numbered(10, 5)], [(Oddity.SEQUENCE_GAP, 0, 10)], id="numbers wrap"),
        pytest.param([numbered(0, 0), numbered(10, 0, producer_epoch=1)], [], id="a new epoch of a producer"),
        pytest.param(
            [numbered(0, 0, producer_epoch=1), numbered(10, 10, producer_epoch=0)],
            [(Oddity.OLD_PRODUCER_EPOCH, 10, 20)],
            id="an old epoch of a producer",
        ),
        pytest.param(
            [numbered(0, 0, attributes=TRANSACTION), numbered(10, -1, 1, attributes=MARKER)], [], id="a transaction"
        ),
        pytest.param(
            [numbered(0, 0, attributes=TRANSACTION)], [(Oddity.OPEN_TRANSACTION, 0, 10)], id="an open transaction"
        ),
    ],
)
def test_each_oddity_is_named_with_its_offsets(
    batches: list[BatchHeader], found: list[tuple[Oddity, int, int]]
) -> None:
    noted = examined(batches).noted
    assert [(one.oddity, one.first_offset, one.end_offset) for one in noted] == found


def test_batch_with_a_wrong_checksum_is_damaged() -> None:
    examination = Examination(NOW_MS)
    examination.take(batch(0), is_whole=False)
    assert examination.counts == {Oddity.DAMAGED: 1}


@pytest.mark.parametrize(
    "other",
    [
        pytest.param([batch(0), batch(10, crc=9)], id="other bytes"),
        pytest.param([batch(0), batch(10, epoch=1)], id="other epoch"),
        pytest.param([batch(0), batch(10, 5, crc=4), batch(15, 5)], id="other batches"),
        pytest.param([batch(0)], id="a batch is missing"),
    ],
)
def test_replicas_that_differ_are_told_apart_and_where(other: list[BatchHeader]) -> None:
    own = [batch(0), batch(10)]
    assert differing_buckets(examined(own), examined(own)) == []
    assert differing_buckets(examined(own), examined(other)) == [0]
    assert "offset 10" in first_difference(own, other)


def test_replicas_are_compared_only_where_all_of_them_reach() -> None:
    long, short = [batch(0), batch(10), batch(20)], [batch(10)]
    both = range(10, 20)
    assert differing_buckets(examined(long, both), examined(short, both)) == []


def test_gap_is_unexplained_and_what_contradicts_itself_is_wrong() -> None:
    assert {oddity for oddity, weight in WEIGHTS.items() if weight is Weight.UNEXPLAINED} == {
        Oddity.GAP,
        Oddity.SEQUENCE_GAP,
    }
    assert WEIGHTS[Oddity.TIME_FELL] is Weight.SHOWN


def test_topic_of_strangers_is_examined_and_what_cannot_be_known_is_said(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    create_topic(shared_broker.bootstrap, topic_name, 2, {}, 60.0)
    for is_idempotent in (True, False):
        settings = {"bootstrap.servers": shared_broker.bootstrap, "enable.idempotence": is_idempotent}
        producer = confluent_kafka.Producer(settings)
        for number in range(100):
            producer.produce(topic_name, b"value %d" % number, partition=number % 2)
        assert producer.flush(60) == 0
    audit = asyncio.run(examine(shared_broker.bootstrap, topic_name))
    assert {(replica.partition, replica.log_end, replica.read_end) for replica in audit.replicas} == {
        (0, 100, 100),
        (1, 100, 100),
    }
    assert [finding for finding in audit.findings if finding.weight is not Weight.SHOWN] == []
    assert audit.exit_code == 0
    text = " ".join(audit.unknowable())
    assert "acknowledged and is not there" in text
    assert "not idempotent" in text


async def examine(bootstrap: str, topic: str) -> TopicAudit:
    async with Cluster(bootstrap) as cluster:
        return await audit_topic(cluster, topic)
