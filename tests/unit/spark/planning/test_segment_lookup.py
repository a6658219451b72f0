"""What a directory of segment files says before anything is planned."""

from pathlib import Path

import pytest

from chronik.model.ids import TopicPartition
from chronik.records.build import Record, build_batch
from chronik.spark.planning.segment_lookup import SegmentLookup
from chronik.spark.source.problems import ReadError, TopicMissingError
from tests.unit.spark.decode.decoding import NOW_MS, marker
from tests.unit.spark.segment_directory import SegmentDirectory, batch

ORDERS_0 = TopicPartition("orders", 0)


def _orders(root: Path) -> SegmentDirectory:
    made = SegmentDirectory(root, "orders", 0)
    made.add([batch(20), batch(30)])
    made.add([batch(40), batch(50, 5)])
    return made


def test_partitions_are_found_in_a_brokers_directory_and_in_their_own(tmp_path: Path) -> None:
    made = _orders(tmp_path)
    SegmentDirectory(tmp_path, "with-dash-7", 12).add([batch(0)])
    SegmentDirectory(tmp_path, "__consumer_offsets", 3).add([batch(0)])
    (tmp_path / "orders-0.0123abcd-delete").mkdir()
    (tmp_path / "empty-1").mkdir()
    (made.path / "partition.metadata").write_text("version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAAQ")
    lookup = SegmentLookup(str(tmp_path))
    assert lookup.topics() == ["orders", "with-dash-7"]
    assert lookup.partitions(["orders", "with-dash-7"]) == {
        ORDERS_0: "00000000-0000-0000-0000-000000000001",
        TopicPartition("with-dash-7", 12): "",
    }
    assert SegmentLookup(str(made.path)).partitions(["orders"]).keys() == {ORDERS_0}
    assert lookup.directory_of(ORDERS_0) == str(made.path)


def test_a_path_without_partitions_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="no such directory"):
        SegmentLookup(str(tmp_path / "missing"))
    with pytest.raises(ReadError, match="name a broker's data directory"):
        SegmentLookup(str(tmp_path))
    _orders(tmp_path)
    with pytest.raises(TopicMissingError, match=r"\['pears'\].*topics: orders"):
        SegmentLookup(str(tmp_path)).partitions(["orders", "pears"])


def test_offsets_begin_with_the_files_or_where_records_were_deleted(tmp_path: Path) -> None:
    _orders(tmp_path)
    assert SegmentLookup(str(tmp_path)).earliest([ORDERS_0]) == {ORDERS_0: 20}
    (tmp_path / "log-start-offset-checkpoint").write_text("0\n1\norders 0 27\n")
    assert SegmentLookup(str(tmp_path)).earliest([ORDERS_0]) == {ORDERS_0: 27}
    (tmp_path / "log-start-offset-checkpoint").write_text("nonsense")
    assert SegmentLookup(str(tmp_path)).earliest([ORDERS_0]) == {ORDERS_0: 20}


def test_offsets_end_behind_the_last_sound_batch(tmp_path: Path) -> None:
    made = _orders(tmp_path)
    lookup = SegmentLookup(str(tmp_path))
    assert lookup.latest([ORDERS_0]) == {ORDERS_0: 55}
    with (made.path / f"{40:020d}.log").open("ab") as file:
        file.write(batch(55)[:100])
    assert lookup.latest([ORDERS_0]) == {ORDERS_0: 55}
    (made.path / f"{55:020d}.log").touch()
    assert lookup.latest([ORDERS_0]) == {ORDERS_0: 55}


def test_an_undecided_transaction_bounds_what_is_committed(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path, "orders", 0)

    def transactional(base_offset: int, producer_id: int) -> bytes:
        return build_batch(
            [Record(b"k", b"v")] * 5, base_offset=base_offset, producer_id=producer_id, is_transactional=True
        )

    made.add([batch(0), transactional(10, 1), transactional(15, 2), marker(20, 1, commits=True)])
    made.add([batch(21, 4), transactional(25, 1)])
    assert SegmentLookup(str(tmp_path)).latest([ORDERS_0]) == {ORDERS_0: 30}
    assert SegmentLookup(str(tmp_path), read_committed=True).latest([ORDERS_0]) == {ORDERS_0: 15}
    made.add([marker(30, 2)])
    assert SegmentLookup(str(tmp_path), read_committed=True).latest([ORDERS_0]) == {ORDERS_0: 25}
    made.add([marker(31, 1)])
    assert SegmentLookup(str(tmp_path), read_committed=True).latest([ORDERS_0]) == {ORDERS_0: 32}


def test_times_are_found_to_the_record(tmp_path: Path) -> None:
    _orders(tmp_path)
    lookup = SegmentLookup(str(tmp_path))
    for time_ms, offset in [(0, 20), (NOW_MS + 20, 20), (NOW_MS + 33, 33), (NOW_MS + 54, 54), (NOW_MS + 55, None)]:
        assert lookup.at_times({ORDERS_0: time_ms}) == {ORDERS_0: offset}


def test_times_that_do_not_rise_are_found_all_the_same(tmp_path: Path) -> None:
    made = SegmentDirectory(tmp_path, "orders", 0)
    made.add([batch(0), batch(10, time_ms=NOW_MS + 1_000), batch(20)])
    made.add([batch(30), batch(40, time_ms=NOW_MS + 2_000)])
    lookup = SegmentLookup(str(tmp_path))
    assert lookup.at_times({ORDERS_0: NOW_MS + 500}) == {ORDERS_0: 10}
    assert lookup.at_times({ORDERS_0: NOW_MS + 1_500}) == {ORDERS_0: 40}
