"""Slices out of segment files: the same rows as over the wire, past damage, with and without indexes."""

from itertools import pairwise
from pathlib import Path
from random import Random
from struct import pack
from typing import Any

import pyarrow as pa
import pytest

from chronik.records.batch import read_header, walk
from chronik.records.build import Record, build_batch
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.problems import DataLostError
from chronik.spark.source.reading import read_slice
from chronik.spark.source.schemas import arrow_schema
from tests.unit.spark.decode.decoding import NOW_MS, PARTITION, TOPIC, judged, marker, rows_of_arrow, some_log
from tests.unit.spark.segment_directory import SegmentDirectory, batch, overwrite


def _read(directory: SegmentDirectory, start: int, end: int, view: View = View.RECORDS, **rules: Any) -> pa.Table:
    piece = Slice(TOPIC, "", PARTITION, start, end, str(directory.path))
    settings = {"include_headers": True, **rules}
    schema = arrow_schema(view, rules.get("columns", ()), include_headers=True)
    return pa.Table.from_batches(read_slice(piece, ReadRules("", **settings), view), schema)


def _offsets(table: pa.Table) -> list[int]:
    return [int(offset) for offset in table["offset"].to_pylist()]


def _problems(directory: SegmentDirectory, start: int, end: int) -> list[tuple[str, int, int, int | None]]:
    rows = _read(directory, start, end, View.PROBLEMS).to_pylist()
    return [(row["kind"], row["startOffset"], row["endOffset"], row["position"]) for row in rows]


@pytest.fixture
def directory(tmp_path: Path) -> SegmentDirectory:
    """Three segments with ten batches of ten records each, offsets 0 to 299."""
    made = SegmentDirectory(tmp_path)
    for base in (0, 100, 200):
        made.add([batch(offset) for offset in range(base, base + 100, 10)])
    return made


def test_any_slice_is_read_exactly(directory: SegmentDirectory) -> None:
    for start, end in [(0, 300), (0, 1), (299, 300), (95, 105), (100, 200), (99, 100), (123, 277), (150, 150)]:
        assert _offsets(_read(directory, start, end)) == list(range(start, end))
        ranges = _read(directory, start, end, View.RANGES)
        assert sum(ranges["recordCount"].to_pylist()) == end - start
        assert _problems(directory, start, end) == []


def test_a_slice_may_name_the_directory_of_the_broker(directory: SegmentDirectory) -> None:
    SegmentDirectory(directory.path.parent, TOPIC, PARTITION + 1).add([batch(0)])
    piece = Slice(TOPIC, "", PARTITION, 5, 295, str(directory.path.parent))
    batches = read_slice(piece, ReadRules("", columns=("offset",)), View.RECORDS)
    assert [offset for one in batches for offset in one["offset"].to_pylist()] == list(range(5, 295))


def test_slices_side_by_side_have_each_batch_once(directory: SegmentDirectory) -> None:
    edges = [0, 7, 15, 40, 100, 101, 233, 300]
    parts = [_read(directory, low, high, View.BATCHES) for low, high in pairwise(edges)]
    whole = _read(directory, 0, 300, View.BATCHES)
    assert pa.concat_tables(parts).equals(whole)
    assert whole["baseOffset"].to_pylist() == list(range(0, 300, 10))
    sizes = [_read(directory, low, high, View.RANGES) for low, high in pairwise(edges)]
    totals = pa.concat_tables(sizes)
    assert sum(totals["batchCount"].to_pylist()) == 30
    assert sum(totals["sizeBytes"].to_pylist()) == sum(whole["sizeBytes"].to_pylist())


@pytest.mark.parametrize("seed", range(4))
def test_whatever_a_log_holds_is_read_as_by_another_decoder(tmp_path: Path, seed: int) -> None:
    chance = Random(seed)
    data = some_log(chance, 12, sizes=(0, 3, 70, 9000))
    batches = [data[position : position + header.size_bytes] for position, header in walk(data)]
    made = SegmentDirectory(tmp_path)
    made.add(batches[:5])
    made.add(batches[5:])
    expected, end = judged(data), read_header(batches[-1]).next_offset
    for _ in range(6):
        low, high = sorted((chance.randrange(end), chance.randrange(end)))
        rows = [row for row in expected if low <= row.offset < high]
        assert rows_of_arrow(_read(made, low, high).to_batches()) == rows
        counts = _read(made, low, high, View.RANGES)
        assert sum(counts["recordCount"].to_pylist()) == len(rows)


def test_a_missing_or_a_wrong_index_costs_time_and_nothing_else(directory: SegmentDirectory) -> None:
    (directory.path / f"{100:020d}.index").unlink()
    for nonsense in (pack(">IIII", 10, 13, 20, 10**6), pack(">II", 3, 7 * len(batch(200)))):
        overwrite(directory.path / f"{200:020d}.index", 0, nonsense)
        for start in (155, 205, 225):
            assert _offsets(_read(directory, start, 287)) == list(range(start, 287))


def test_batches_longer_than_what_is_read_at_a_time_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = SegmentDirectory(tmp_path)
    made.add([batch(0), batch(10, value=bytes(5_000)), batch(20), batch(30, value=bytes(60))])
    monkeypatch.setattr("chronik.spark.segments.reading.READ_BYTES", 700)
    assert _offsets(_read(made, 0, 40)) == list(range(40))


def test_a_damaged_batch_is_a_problem_and_the_others_are_read(directory: SegmentDirectory) -> None:
    log = directory.path / f"{100:020d}.log"
    size = len(batch(100))
    overwrite(log, 3 * size + 80, b"\xff\xff\xff")
    assert _problems(directory, 0, 300) == [("damaged", 130, 140, 3 * size)]
    assert _problems(directory, 135, 138) == [("damaged", 135, 138, 3 * size)]
    assert _problems(directory, 140, 300) == []
    kept = [*range(130), *range(140, 300)]
    assert _offsets(_read(directory, 0, 300, fail_on_data_loss=False)) == kept
    with pytest.raises(DataLostError, match=rf"{TOPIC}-{PARTITION} offset 130 to 139: damaged: .*{log.name} at byte"):
        _read(directory, 0, 300)


def test_the_row_of_a_problem_says_where_and_what(directory: SegmentDirectory) -> None:
    log = directory.path / f"{0:020d}.log"
    overwrite(log, 80, b"\xff\xff\xff")
    (row,) = _read(directory, 0, 300, View.PROBLEMS).to_pylist()
    assert row == {
        "topic": TOPIC,
        "partition": PARTITION,
        "startOffset": 0,
        "endOffset": 10,
        "kind": "damaged",
        "message": "the CRC does not match",
        "file": str(log),
        "position": 0,
        "sizeBytes": len(batch(0)),
    }


@pytest.mark.parametrize("field", [0, 8, 16, 23])
@pytest.mark.parametrize("view", [View.RECORDS, View.BATCHES, View.RANGES])
def test_a_damaged_header_does_not_end_the_reading(directory: SegmentDirectory, view: View, field: int) -> None:
    """Base offset, length, magic and last offset are what the walk itself goes by."""
    size = len(batch(100))
    overwrite(directory.path / f"{100:020d}.log", 5 * size + field, b"\xff\xff\xff\xff")
    table = _read(directory, 0, 300, view, fail_on_data_loss=False)
    if view is View.RECORDS:
        assert _offsets(table) == [*range(150), *range(160, 300)]
    elif view is View.BATCHES:
        assert table["baseOffset"].to_pylist() == [base for base in range(0, 300, 10) if base != 150]
    else:
        assert table.select(["startOffset", "endOffset"]).to_pylist() == [
            {"startOffset": 0, "endOffset": 150},
            {"startOffset": 160, "endOffset": 300},
        ]
    assert [row[:3] for row in _problems(directory, 0, 300)] == [("damaged", 150, 160)]


def test_a_torn_tail_is_a_problem_but_no_loss_of_what_stands_before_it(directory: SegmentDirectory) -> None:
    log = directory.path / f"{200:020d}.log"
    whole = log.stat().st_size
    with log.open("ab") as file:
        file.write(batch(300)[:90])
    assert _offsets(_read(directory, 0, 300)) == list(range(300))
    assert _problems(directory, 0, 300) == [("damaged", 300, 300, whole)]
    assert _problems(directory, 0, 200) == []


def test_a_segment_that_is_damaged_to_its_end_has_lost_what_comes_before_the_next(directory: SegmentDirectory) -> None:
    log = directory.path / f"{100:020d}.log"
    with log.open("r+b") as file:
        file.truncate(8 * len(batch(100)) + 30)
    assert [row[:3] for row in _problems(directory, 0, 300)] == [("damaged", 180, 200)]
    assert _offsets(_read(directory, 0, 300, fail_on_data_loss=False)) == [*range(180), *range(200, 300)]


def test_what_lies_before_and_behind_the_files_is_lost(directory: SegmentDirectory) -> None:
    (directory.path / f"{0:020d}.log").unlink()
    assert [row[:3] for row in _problems(directory, 20, 350)] == [("lost", 20, 100), ("lost", 300, 350)]
    with pytest.raises(DataLostError, match="offset 20 to 99: lost: the files begin at offset 100"):
        _read(directory, 20, 300)
    with pytest.raises(DataLostError, match="offset 300 to 349: lost: the files end at offset 300"):
        _read(directory, 200, 350)


def test_offsets_that_compaction_took_are_not_lost(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path)
    made.add([batch(5, 3), batch(20, 2)], base_offset=0)
    made.add([batch(50, 4)], base_offset=40)
    assert _offsets(_read(made, 0, 54)) == [5, 6, 7, 20, 21, 50, 51, 52, 53]
    assert _problems(made, 0, 54) == []
    ranges = _read(made, 0, 54, View.RANGES, columns=("startOffset", "endOffset", "recordCount")).to_pylist()
    assert [tuple(row.values()) for row in ranges] == [(5, 8, 3), (20, 22, 2), (50, 54, 4)]


def test_records_within_a_compacted_batch_are_counted_where_a_slice_cuts_it(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path)
    records = [Record(b"k", b"v", offset_delta=delta) for delta in (0, 3, 4, 9)]
    made.add([build_batch(records), batch(10)])
    for start, end, count in [(0, 4, 2), (4, 10, 2), (1, 3, 0), (0, 10, 4), (5, 12, 3)]:
        assert sum(_read(made, start, end, View.RANGES)["recordCount"].to_pylist()) == count
        assert len(_offsets(_read(made, start, end))) == count


def _transactional(base_offset: int, producer_id: int, count: int = 5) -> bytes:
    records = [Record(b"k", b"t%d" % producer_id, timestamp=NOW_MS) for _ in range(count)]
    return build_batch(
        records,
        base_offset=base_offset,
        producer_id=producer_id,
        producer_epoch=0,
        base_sequence=0,
        is_transactional=True,
    )


def test_aborted_transactions_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path)
    log = made.add(
        [
            _transactional(0, 1),
            _transactional(5, 2),
            batch(10, 5),
            marker(15, 1),
            _transactional(16, 1),
            marker(21, 2, commits=True),
            marker(22, 1, commits=True),
        ]
    )
    log.with_suffix(".txnindex").write_bytes(pack(">hqqqq", 0, 1, 0, 15, 16))
    everything = [*range(15), *range(16, 21)]
    assert _offsets(_read(made, 0, 23)) == everything
    assert _offsets(_read(made, 0, 23, read_committed=True)) == everything[5:]
    assert _offsets(_read(made, 3, 18, read_committed=True)) == [*range(5, 15), 16, 17]
    (row,) = _read(made, 0, 23, View.RANGES, read_committed=True).to_pylist()
    assert (row["recordCount"], row["controlCount"], row["abortedCount"]) == (15, 3, 5)


@pytest.mark.parametrize("read_bytes", [100, 400, 1_000, 8_000])
@pytest.mark.parametrize("view", [View.RECORDS, View.RANGES])
def test_a_transaction_that_was_aborted_before_does_not_hide_the_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: View, read_bytes: int
) -> None:
    """However the file is cut into what is read at a time."""
    made = SegmentDirectory(tmp_path)
    batches, aborted, offset = [], b"", 0
    for number in range(12):
        batches += [_transactional(offset, 1), marker(offset + 5, 1, commits=number % 2 == 1)]
        if number % 2 == 0:
            aborted += pack(">hqqqq", 0, 1, offset, offset + 5, offset + 6)
        offset += 6
    log = made.add(batches)
    log.with_suffix(".txnindex").write_bytes(aborted)
    monkeypatch.setattr("chronik.spark.segments.reading.READ_BYTES", read_bytes)
    table = _read(made, 0, offset, view, read_committed=True)
    if view is View.RECORDS:
        assert _offsets(table) == [12 * pair + 6 + n for pair in range(6) for n in range(5)]
    else:
        assert [sum(table[name].to_pylist()) for name in ("recordCount", "abortedCount", "controlCount")] == [
            30,
            30,
            12,
        ]


def test_batches_that_are_too_old_as_a_whole_are_skipped(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path)
    made.add([batch(0), batch(10), batch(20)])
    assert _offsets(_read(made, 0, 30, timestamp_from_ms=NOW_MS + 15)) == list(range(10, 30))


def test_arrow_batches_hold_no_more_than_their_bounds(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path)
    small = [Record(None, b"", timestamp=NOW_MS)] * 25_001
    large = [Record(None, bytes(6_000_000), timestamp=NOW_MS)] * 5
    one = [Record(None, bytes(20_000_000), timestamp=NOW_MS)]
    made.add(
        [build_batch(small), build_batch(large, base_offset=25_001), build_batch(one, base_offset=25_006)],
        index=False,
    )
    piece = Slice(TOPIC, "", PARTITION, 0, 25_007, str(made.path))
    batches = list(read_slice(piece, ReadRules(""), View.RECORDS))
    assert [one.num_rows for one in batches] == [10_000, 10_000, 5_001, 2, 2, 1, 1]
    assert all(one.nbytes <= 16 * 1024 * 1024 for one in batches[:-1])
    assert [offset for one in batches for offset in one["offset"].to_pylist()] == list(range(25_007))
