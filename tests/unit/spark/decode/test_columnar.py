"""Records become columns: the same records as another decoder finds, whatever the batches are like."""

from itertools import pairwise
from random import Random

import numpy as np
import pyarrow as pa
import pytest

from chronik.records.batch import CRC, CRC_POSITION, HEADER, HEADER_BYTES, BatchHeader, crc_of, read_header
from chronik.records.build import Record, append_fields, append_record, batch_from, build_batch
from chronik.records.codecs import Codec
from chronik.records.iterate import records_of
from chronik.spark.decode import walk_ranges
from chronik.spark.decode.columnar import Bodies, Depth, decode_records
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import Slice
from chronik.spark.source.problems import Problem, ProblemKind
from chronik.spark.source.schemas import column_names
from tests.unit.spark.decode.decoding import (
    NOW_MS,
    PARTITION,
    TOPIC,
    arrow_of,
    judged,
    rows_of_arrow,
    some_log,
    some_record,
)


@pytest.mark.parametrize("seed", range(8))
def test_records_are_those_of_another_decoder(seed: int) -> None:
    chance = Random(seed)
    data = some_log(chance, chance.choice([1, 4, 12]), start_offset=chance.choice([0, 5, 2**40]))
    assert rows_of_arrow(arrow_of(data)) == judged(data)


@pytest.mark.parametrize("codec", list(Codec))
def test_records_from_nothing_to_ten_megabytes_stand_in_one_batch(codec: Codec) -> None:
    sizes = [0, 1, 10_000_000, 0, 63, 64, 1_000_000, 8191, 8192, 2**20]
    records = [Record(b"k" * (size // 1000), b"\x01\x80v" * (size // 3), timestamp=NOW_MS) for size in sizes]
    data = build_batch(records, codec=codec)
    assert rows_of_arrow(arrow_of(data)) == judged(data)


@pytest.mark.parametrize("counts", [[10_000], [1, 4_000, 2, 6_000], [300] * 30])
def test_large_batches_are_walked_from_several_places_and_nothing_is_lost(counts: list[int]) -> None:
    chance = Random(sum(counts))
    log, offset = b"", 0
    for count in counts:
        records = [Record(b"key", chance.randbytes(chance.randrange(150)), timestamp=NOW_MS + n) for n in range(count)]
        log += build_batch(records, base_offset=offset)
        offset += count
    assert rows_of_arrow(arrow_of(log)) == judged(log)


def test_values_that_look_like_records_do_not_mislead() -> None:
    inner = bytearray()
    for number in range(12):
        append_record(inner, Record(b"fake", b"x" * 10), 0, number)
    records = [Record(b"k", bytes(inner), timestamp=NOW_MS + number) for number in range(8_500)]
    data = build_batch(records)
    body = np.frombuffer(data, np.uint8)
    starts, ends, counts = np.array([HEADER_BYTES]), np.array([len(data)]), np.array([len(records)])
    guesses = walk_ranges.split_ranges(body, starts, ends, counts).starts
    true_starts = set((HEADER_BYTES + np.arange(len(records)) * ((len(data) - HEADER_BYTES) // len(records))).tolist())
    assert set(guesses.tolist()) - true_starts, "the guesses must be misled, or this proves nothing"
    assert rows_of_arrow(arrow_of(data)) == judged(data)


def test_a_batch_that_a_fetch_has_cut_is_left_for_the_next_one() -> None:
    first = build_batch([Record(b"k", b"v" * 100, timestamp=NOW_MS)] * 3)
    second = build_batch([Record(b"k", b"w" * 100, timestamp=NOW_MS)] * 3, base_offset=3)
    for cut in (0, 1, 8, 12, 60, 61, 62, len(second) - 1):
        assert rows_of_arrow(arrow_of(first + second[:cut])) == judged(first)


@pytest.mark.parametrize("seed", range(3))
def test_any_part_of_a_log_is_cut_out_exactly(seed: int) -> None:
    chance = Random(seed)
    data = some_log(chance, 6, sizes=(0, 3, 70))
    everything = judged(data)
    end = everything[-1].offset + 2
    for _ in range(25):
        low, high = sorted((chance.randrange(end), chance.randrange(end)))
        piece = Slice(TOPIC, "", PARTITION, low, high)
        assert rows_of_arrow(arrow_of(data, piece=piece)) == [row for row in everything if low <= row.offset < high]


@pytest.mark.parametrize("seed", range(3))
def test_a_column_is_the_same_whichever_others_are_asked_for(seed: int) -> None:
    chance = Random(seed)
    data = some_log(chance, 4, sizes=(0, 3, 70))
    names = list(column_names(View.RECORDS, include_headers=True))
    whole = pa.Table.from_batches(arrow_of(data))
    for _ in range(20):
        chosen = tuple(chance.sample(names, chance.randrange(1, len(names) + 1)))
        narrow = pa.Table.from_batches(arrow_of(data, chosen))
        assert tuple(narrow.schema.names) == chosen
        assert narrow.equals(whole.select(chosen))


def test_batches_that_compaction_has_emptied_hold_nothing() -> None:
    header = read_header(build_batch([Record(b"k", b"v")], codec=Codec.ZSTD))
    empty = batch_from(header._replace(record_count=0, last_offset_delta=9, attributes=0), b"")
    empty_but_compressed = HEADER.pack(*read_header(empty)._replace(attributes=int(Codec.ZSTD)))
    assert rows_of_arrow(arrow_of(empty)) == []
    problems: list[Problem] = []
    rebuilt = batch_from(read_header(empty_but_compressed), b"")
    assert list(arrow_of(rebuilt, problems=problems)) == []
    assert problems == []


def test_names_of_headers_that_are_no_text_are_replaced_as_java_does() -> None:
    body = bytearray()
    append_fields(body, b"\x01\x01\x04\x04\xff\xfe\x02x\x02a\x02y", 0, 0)
    header = read_header(build_batch([Record(None, None, timestamp=NOW_MS)]))
    rows = rows_of_arrow(arrow_of(batch_from(header, bytes(body))))
    assert [row.headers for row in rows] == [(("\ufffd\ufffd", b"x"), ("a", b"y"))]


def _accepted(batch: bytes, header: BatchHeader) -> bool | None:
    """Whether the records can be read one by one, and stand where the header says; None where a name is no text."""
    try:
        offsets = [record.offset for record in records_of(batch)]
    except ValueError as error:
        return None if isinstance(error.__cause__, UnicodeDecodeError) else False
    rises = all(low < high for low, high in pairwise(offsets))
    return rises and offsets[0] >= header.base_offset and offsets[-1] <= header.last_offset


@pytest.mark.parametrize("seed", range(4))
def test_records_that_do_not_add_up_are_named_and_their_neighbours_are_read(seed: int) -> None:
    chance = Random(seed)
    refused = 0
    for _ in range(30):
        plain = [build_batch([some_record(chance, (0, 2, 70)) for _ in range(9)], base_offset=n * 9) for n in range(3)]
        body = bytearray(plain[1][HEADER_BYTES:])
        for _ in range(chance.choice([1, 1, 3])):
            body[chance.randrange(len(body))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        del body[chance.choice([len(body), len(body), len(body) - 1, 5]) :]
        header = read_header(plain[1])
        mutated = batch_from(header, bytes(body))
        problems: list[Problem] = []
        rows = rows_of_arrow(arrow_of(plain[0] + mutated + plain[2], problems=problems))
        accepted = _accepted(mutated, header)
        if accepted is None:
            continue
        if accepted:
            assert problems == []
            assert len(rows) == 27
        else:
            refused += 1
            assert [(p.kind, p.start_offset, p.end_offset) for p in problems] == [(ProblemKind.UNREADABLE, 9, 18)]
            assert rows == judged(plain[0] + plain[2])
    assert refused > 5, "the changes must do harm, or this proves little"


@pytest.mark.parametrize(
    "number", [b"\xfe" + b"\xff" * 8 + b"\x01", b"\xfe" + b"\xff" * 7 + b"\x7f", b"\x80" * 9 + b"\x01", b"\xff" * 10]
)
@pytest.mark.parametrize(("before", "depth"), [(b"\x00\x00\x00", Depth.KEYS), (b"\x00\x00\x00\x01", Depth.VALUES)])
def test_lengths_near_the_end_of_the_number_range_are_refused(number: bytes, before: bytes, depth: Depth) -> None:
    fields = before + number + bytes(12)
    body = bytes([2 * len(fields)]) + fields
    for whole in (body, number + body):
        data = np.frombuffer(whole, np.uint8)
        bodies = Bodies(data, np.array([0]), np.array([len(whole)]), np.array([1]))
        assert decode_records(bodies, depth).is_broken.tolist() == [True]


@pytest.mark.parametrize(
    ("fields", "depth"),
    [
        (b"\x00" + b"\xff" * 5, Depth.TIMES),
        (b"\x00\x00\x00\x10\x01\x00", Depth.KEYS),
        (b"\x00\x00\x00\x01\x10\x00", Depth.VALUES),
        (b"\x00\x00\x00\x01\x01\x02\x00\x10", Depth.HEADERS),
        (b"\x00\x00\x00\x01\x01\x02\x00\x01\x00", Depth.HEADERS),
        (b"\x00\x00\x00\x01\x01\x00\x00", Depth.HEADERS),
        (b"\x00\x00\x00\x01\x01\x01\x00", Depth.HEADERS),
    ],
)
def test_what_does_not_fill_its_record_exactly_is_noticed_where_it_is_read(fields: bytes, depth: Depth) -> None:
    """A record behind it has room enough, so only the record's own length can tell."""
    long_one = b"\x3e\x00\x00\x02\x01\x32" + bytes(25) + b"\x00"
    body = bytes([2 * len(fields)]) + fields + long_one
    data = np.frombuffer(body, np.uint8)
    bodies = Bodies(data, np.array([0]), np.array([len(body)]), np.array([2]))
    assert decode_records(bodies, depth).is_broken.tolist() == [True]
    if depth > Depth.TIMES:
        assert decode_records(bodies, Depth(depth - 1)).is_broken.tolist() == [False]


@pytest.mark.parametrize("count", [-5, 0, 2, 2**31 - 1])
def test_a_wrong_count_is_noticed(count: int) -> None:
    batch = build_batch([Record(b"k", b"v")])
    data = np.frombuffer(batch, np.uint8)
    bodies = Bodies(data, np.array([HEADER_BYTES]), np.array([len(batch)]), np.array([count]))
    assert decode_records(bodies, Depth.TIMES).is_broken.tolist() == [True]


@pytest.mark.parametrize("deltas", [(0, 2, 1), (0, 0, 1), (-1, 0, 1), (0, 1, 7)])
def test_a_batch_whose_offsets_do_not_rise_or_leave_it_is_named(deltas: tuple[int, ...]) -> None:
    records = [Record(b"k", b"v", timestamp=NOW_MS, offset_delta=delta) for delta in deltas]
    body = build_batch(records)[HEADER_BYTES:]
    sound = [build_batch([Record(b"k", b"v", timestamp=NOW_MS)] * 3, base_offset=base) for base in (0, 3, 6)]
    wrong = batch_from(read_header(sound[1]), body)
    problems: list[Problem] = []
    rows = rows_of_arrow(arrow_of(sound[0] + wrong + sound[2], problems=problems))
    assert rows == judged(sound[0] + sound[2])
    assert [(p.kind, p.start_offset, p.end_offset) for p in problems] == [(ProblemKind.UNREADABLE, 3, 6)]


def test_a_batch_that_does_not_decompress_is_named() -> None:
    good = build_batch([Record(b"k", b"v", timestamp=NOW_MS)] * 3, codec=Codec.LZ4)
    header = read_header(build_batch([Record(b"k", b"v")] * 3, base_offset=3))
    for attributes, reason in ((int(Codec.GZIP), "do not decompress"), (6, "no compression codec 6")):
        nonsense = bytearray(batch_from(header, b"nonsense"))
        broken = _with_attributes(bytes(nonsense), attributes)
        problems: list[Problem] = []
        rows = rows_of_arrow(arrow_of(good + broken, problems=problems))
        assert rows == judged(good)
        assert [(p.kind, p.start_offset, p.end_offset) for p in problems] == [(ProblemKind.UNREADABLE, 3, 6)]
        assert reason in problems[0].message


def _with_attributes(batch: bytes, attributes: int) -> bytes:
    changed = bytearray(HEADER.pack(*read_header(batch)._replace(attributes=attributes)) + batch[HEADER_BYTES:])
    CRC.pack_into(changed, CRC_POSITION, crc_of(changed, 0, len(changed)))
    return bytes(changed)
