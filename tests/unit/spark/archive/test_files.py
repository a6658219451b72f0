"""The files that a task writes: by date, in the order of offsets, with statistics, and each told once."""

from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from chronik.spark.archive.layout import FileName, file_path, parsed_path
from chronik.spark.archive.parquet_files import OPEN_FILES_MAX, WriteTask, by_date, write_slice
from chronik.spark.archive.table import Destination, WrittenFile
from chronik.spark.options.parsers import View
from chronik.spark.planning.slices import Slice
from tests.unit.spark.made_topic import FIRST_TIME_MS, RULES, TOPIC_ID, MadeTopic

DAY_MS = 86_400_000


def written(directory: Path, topic: MadeTopic, start: int, end: int) -> list[WrittenFile]:
    return write_slice(
        WriteTask(Slice("orders", TOPIC_ID, 0, start, end), RULES, Destination(str(directory))), topic.read
    )


def test_one_row_per_file_tells_what_is_in_it(tmp_path: Path) -> None:
    (file,) = written(tmp_path, MadeTopic({0: 500}, step_ms=1_000), 100, 450)
    assert (file.partition, file.date, file.start_offset, file.end_offset) == (0, "2023-11-14", 100, 450)
    assert (file.records, file.size_bytes) == (350, (tmp_path / file.path).stat().st_size)
    assert (file.timestamp_min_ms, file.timestamp_max_ms) == tuple(FIRST_TIME_MS + n * 1_000 for n in (100, 449))


def test_files_are_zstd_in_the_order_of_offsets_with_statistics(tmp_path: Path) -> None:
    (file,) = written(tmp_path, MadeTopic({0: 500}, step_ms=1_000), 0, 500)
    inside = pq.ParquetFile(tmp_path / file.path)
    group = inside.metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {column.compression for column in columns.values()} == {"ZSTD"}
    assert columns["offset"].statistics.min == 0
    assert columns["offset"].statistics.max == 499
    assert columns["key"].statistics.min == b"key-0-0"
    assert columns["timestamp"].statistics.has_min_max
    assert inside.read().column("offset").to_pylist() == list(range(500))
    assert "partition" not in inside.schema_arrow.names


def test_records_go_to_the_date_of_their_timestamp(tmp_path: Path) -> None:
    topic = MadeTopic({0: 30}, step_ms=DAY_MS // 10)
    files = written(tmp_path, topic, 0, 30)
    offsets = {file.date: pq.read_table(tmp_path / file.path).column("offset").to_pylist() for file in files}
    assert sorted(offsets) == ["2023-11-14", "2023-11-15", "2023-11-16", "2023-11-17"]
    assert sorted(chain.from_iterable(offsets.values())) == list(range(30))
    for date, held in offsets.items():
        assert {str(np.datetime64(FIRST_TIME_MS + offset * topic.step_ms, "ms"))[:10] for offset in held} == {date}


def test_many_dates_in_any_order_keep_few_files_open_and_every_record(tmp_path: Path) -> None:
    """Each batch has all dates, so that files are closed and begun again."""
    topic = MadeTopic({0: 40}, step_ms=DAY_MS)
    one, two = (topic.batch(0, range(20)), topic.batch(0, range(20)))
    one = one.set_column(4, "offset", pa.array(range(20), pa.int64()))
    two = two.set_column(4, "offset", pa.array(range(20, 40), pa.int64()))
    task = WriteTask(Slice("orders", TOPIC_ID, 0, 0, 40), RULES, Destination(str(tmp_path)))
    files = write_slice(task, lambda piece, rules, view: iter([one, two]))
    assert len(files) > 20 > OPEN_FILES_MAX
    assert len({file.path for file in files}) == len(files)
    read = [offset for file in files for offset in pq.read_table(tmp_path / file.path).column("offset").to_pylist()]
    assert sorted(read) == list(range(40))


@pytest.mark.parametrize(("time_ms", "date"), [(-1, "1969-12-31"), (10**15, "9999-12-31"), (-(10**15), "0001-01-01")])
def test_times_that_no_calendar_has_count_to_its_first_or_last_day(time_ms: int, date: str) -> None:
    batch = MadeTopic({0: 1}).batch(0, [0])
    batch = batch.set_column(5, "timestamp", pa.array([time_ms * 1000], pa.timestamp("us", "UTC")))
    assert [found for found, _ in by_date(batch)] == [date]


def test_a_slice_without_records_makes_no_file(tmp_path: Path) -> None:
    topic = MadeTopic({0: 10}, control=frozenset((0, offset) for offset in range(10)))
    empty = list(topic.read(Slice("orders", TOPIC_ID, 0, 0, 10), RULES, View.RECORDS))
    assert [batch.num_rows for batch in empty] == [0]
    assert written(tmp_path, topic, 0, 10) == []
    assert list(tmp_path.iterdir()) == []


def test_the_path_of_a_file_can_be_read_back() -> None:
    path = file_path(3, "2026-01-31", 10, 20, TOPIC_ID, "ff00")
    assert parsed_path(path) == FileName(3, "2026-01-31", 10, 20, "0a1b2c3d")
    assert parsed_path(path.replace("/3-", "/4-")) is None
    assert parsed_path("part-0000.parquet") is None
