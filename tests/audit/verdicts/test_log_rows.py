"""The log as rows: both readers, the plain one and the one without objects, see the same."""

import random

import numpy as np
import pyarrow as pa

from chronik.audit.capture.stored_rows import BatchReader
from chronik.audit.judge.balance.summaries import NARROW_STORED
from chronik.audit.tables.ids import HEADER, checksum, encode_header
from chronik.audit.tables.schemas import STORED
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.spark.audit.log_rows import RowTarget, rows_of_chunk
from chronik.spark.decode.batch_table import read_table
from chronik.spark.decode.transactions import visibility_of
from chronik.spark.wire.chunks import Chunk
from tests.unit.spark.decode.decoding import marker

RUN = 0xABCDEF


def record(sequence: int, dice: random.Random) -> Record:
    value = None if dice.random() < 0.1 else dice.randbytes(dice.randrange(40))
    key = None if dice.random() < 0.5 else dice.randbytes(dice.randrange(10))
    crc = checksum(value, key) ^ (dice.random() < 0.1)
    stamp = encode_header(RUN, 3, sequence, 1_000_000 + sequence, crc)
    headers = [(HEADER, stamp), ("other", b"x" * 32), (HEADER, b"y" * 32), (HEADER, b"short")]
    kept = tuple(headers[: dice.randrange(5)]) if dice.random() < 0.8 else (("chronik-audix", stamp),)
    return Record(timestamp=1000 + sequence, key=key, value=value, headers=kept)


def make_log(seed: int) -> tuple[bytes, list[tuple[int, int]]]:
    """Batches of all codecs, with an aborted and a committed transaction."""
    dice = random.Random(seed)
    log, offset = b"", 0
    for number, codec in enumerate([Codec.NONE, Codec.GZIP, Codec.ZSTD, Codec.LZ4, Codec.SNAPPY, Codec.NONE]):
        records = [record(offset + index, dice) for index in range(dice.randrange(1, 20))]
        is_transactional = number in (1, 3)
        log += build_batch(
            records,
            codec=codec,
            base_offset=offset,
            leader_epoch=number // 2,
            producer_id=7 if is_transactional else 5,
            producer_epoch=1,
            base_sequence=offset,
            is_transactional=is_transactional,
        )
        begin, offset = offset, offset + len(records)
        if is_transactional:
            log += marker(offset, producer_id=7, commits=number == 3)
            offset += 1
        if number == 1:
            aborted = [(begin, 7)]
    return log, aborted


def rows_without_objects(
    log: bytes, aborted: list[tuple[int, int]], schema: pa.Schema = STORED
) -> list[dict[str, object]]:
    table = read_table(np.frombuffer(log, np.uint8))
    batches = list(rows_of_chunk(Chunk(table, visibility_of(table, aborted)), RowTarget(-1, 4, schema)))
    return pa.Table.from_batches(batches, schema).sort_by("offset").to_pylist()


def rows_by_objects(log: bytes) -> list[dict[str, object]]:
    reader = BatchReader(-1, 4)
    reader.take(log, 0)
    return [dict(zip(STORED.names, row, strict=True)) for row in reader.take_all()]


# A marker has no id of ours, a key that is none of a message's, and a time that nobody asks for.
OF_DATA_ONLY = ("key_hash", "is_null", "timestamp_ms")


def comparable(row: dict[str, object]) -> dict[str, object]:
    return {name: row[name] for name in row if not row["is_control"] or name not in OF_DATA_ONLY}


def test_both_readers_see_the_same_log() -> None:
    for seed in range(20):
        log, aborted = make_log(seed)
        plain, fast = rows_by_objects(log), rows_without_objects(log, aborted)
        assert [comparable(row) for row in fast] == [comparable(row) for row in plain]


def test_columns_that_are_not_asked_for_change_nothing_in_the_others() -> None:
    for seed in range(20):
        log, aborted = make_log(seed)
        narrow = rows_without_objects(log, aborted, NARROW_STORED)
        whole = rows_without_objects(log, aborted)
        assert narrow == [{name: row[name] for name in NARROW_STORED.names} for row in whole]


def test_the_log_that_is_compared_has_everything() -> None:
    rows = [row for seed in range(20) for row in rows_by_objects(make_log(seed)[0])]
    for name in ("is_ours", "is_intact", "is_control", "is_aborted", "is_null"):
        assert {row[name] for row in rows} == {True, False}


def test_a_batch_with_a_wrong_checksum_is_unreadable_and_not_absent() -> None:
    log = bytearray(build_batch([Record(timestamp=1, key=None, value=b"abc", headers=())] * 3, base_offset=10))
    log[-1] ^= 1
    reader = BatchReader(-1, 0)
    assert reader.take(bytes(log), 0) == 13
    rows = [dict(zip(STORED.names, row, strict=True)) for row in reader.take_all()]
    assert [(row["offset"], row["is_ours"], row["is_intact"]) for row in rows] == [
        (10, False, False),
        (11, False, False),
        (12, False, False),
    ]


def test_rows_of_an_open_transaction_wait_for_its_marker() -> None:
    one = Record(timestamp=1, key=None, value=b"abc", headers=())
    begun = build_batch([one], base_offset=0, producer_id=7, producer_epoch=0, base_sequence=0, is_transactional=True)
    reader = BatchReader(-1, 0)
    reader.take(begun, 0)
    assert reader.take_settled() == []
    reader.take(marker(1, producer_id=7), 1)
    is_aborted = STORED.get_field_index("is_aborted")
    assert [row[is_aborted] for row in reader.take_settled()] == [True, False]
