"""Reading a partition's directory without a broker, sound or damaged."""

import json
import os
from collections import deque
from pathlib import Path
from struct import pack

import pytest

from chronik.records.batch import CRC, CRC_POSITION, crc_of
from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.storage.inspect import BatchRow, DamageRow, RecordRow, dump, jsonable, partition_directories, verify
from chronik.storage.inspect_files import FINDINGS_PER_FILE_MAX, LogFinding
from chronik.storage.producer_snapshot import encode_full, encode_kafka
from chronik.storage.producer_state import ProducedBatch, ProducerEntry

FIRST, SECOND = "00000000000000000000", "00000000000000000006"


def batch(base_offset: int, *, epoch: int = 0, time: int | None = None, count: int = 2) -> bytes:
    moment = 1000 + base_offset if time is None else time
    records = [Record(b"k%d" % n, b"v" * 30, [("h", b"\xff")], moment) for n in range(count)]
    return build_batch(records, codec=Codec.NONE, base_offset=base_offset, leader_epoch=epoch)


SIZE = len(batch(0))


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """Two segments: offsets 0 to 5 of epoch 0, 6 to 9 of epochs 0 and 2, with everything that belongs to them."""
    (tmp_path / f"{FIRST}.log").write_bytes(batch(0) + batch(2) + batch(4))
    (tmp_path / f"{FIRST}.index").write_bytes(pack(">IIII", 3, SIZE, 5, 2 * SIZE))
    (tmp_path / f"{FIRST}.timeindex").write_bytes(pack(">qIqI", 1002, 3, 1004, 5))
    (tmp_path / f"{SECOND}.log").write_bytes(batch(6) + batch(8, epoch=2))
    (tmp_path / f"{SECOND}.index").write_bytes(pack(">II", 3, SIZE) + bytes(80))
    (tmp_path / f"{SECOND}.timeindex").write_bytes(b"")
    (tmp_path / "leader-epoch-checkpoint").write_text("0\n2\n0 0\n2 8\n")
    (tmp_path / "partition.metadata").write_text("version: 0\n")
    known = [ProducerEntry(5, 0, deque([ProducedBatch(0, 1, 4, 5, 7)], 5), 7, 0)]
    (tmp_path / f"{SECOND}.snapshot").write_bytes(encode_kafka(known))
    (tmp_path / f"{SECOND}.producers").write_bytes(encode_full(known))
    return tmp_path


def change(path: Path, position: int, data: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[position : position + len(data)] = data
    path.write_bytes(content)


def flip(path: Path, position: int) -> None:
    change(path, position, bytes([path.read_bytes()[position] ^ 1]))


def findings(directory: Path, **options: bool) -> tuple[LogFinding, ...]:
    return verify(str(directory), **options).findings


def test_a_sound_partition_has_no_findings(sound: Path) -> None:
    report = verify(str(sound), with_records=True, gapless=True)
    assert report.findings == ()
    assert report.is_sound
    assert (report.segments, report.batches, report.records) == (2, 5, 10)
    assert (report.start_offset, report.end_offset, report.size_bytes) == (0, 10, 5 * SIZE)


def test_an_empty_directory_is_sound(tmp_path: Path) -> None:
    report = verify(str(tmp_path))
    assert (report.is_sound, report.segments, report.end_offset) == (True, 0, 0)


def test_dump_gives_every_batch_with_its_place(sound: Path) -> None:
    rows = list(dump(str(sound)))
    assert [(r.file, r.position, r.base_offset, r.last_offset) for r in rows if isinstance(r, BatchRow)] == [
        (f"{FIRST}.log", 0, 0, 1),
        (f"{FIRST}.log", SIZE, 2, 3),
        (f"{FIRST}.log", 2 * SIZE, 4, 5),
        (f"{SECOND}.log", 0, 6, 7),
        (f"{SECOND}.log", SIZE, 8, 9),
    ]


def test_dump_of_a_range_gives_the_batches_that_touch_it(sound: Path) -> None:
    rows = dump(str(sound), from_offset=3, end_offset=7)
    assert [row.base_offset for row in rows if isinstance(row, BatchRow)] == [2, 4, 6]


def test_dump_takes_a_single_file_and_reads_its_records(sound: Path) -> None:
    row, *_ = dump(str(sound / f"{SECOND}.log"), with_records=True)
    assert isinstance(row, BatchRow)
    assert row.records is not None
    assert row.records[1] == RecordRow(7, 1006, b"k1", b"v" * 30, (("h", b"\xff"),))


def test_rows_and_reports_become_json_without_losing_bytes(sound: Path) -> None:
    [row, *_] = dump(str(sound), with_records=True)
    plain = json.loads(json.dumps(jsonable(row)))
    assert plain["records"][0]["key"] == "k0"
    assert plain["records"][0]["headers"] == [["h", {"base64": "/w=="}]]
    flip(sound / f"{FIRST}.log", 80)
    report = json.loads(json.dumps(jsonable(verify(str(sound)))))
    assert report["findings"][0]["severity"] == "error"


def test_a_flipped_bit_is_found_and_later_batches_are_still_read(sound: Path) -> None:
    flip(sound / f"{FIRST}.log", SIZE + 80)
    damage, *rest = findings(sound)
    assert (damage.severity, damage.file, damage.position, damage.offset) == ("error", f"{FIRST}.log", SIZE, 2)
    assert "CRC" in damage.message
    assert [(finding.file, finding.position) for finding in rest] == [(f"{FIRST}.index", 0)]
    rows = [row for row in dump(str(sound)) if isinstance(row, BatchRow)]
    assert [row.base_offset for row in rows] == [0, 4, 6, 8]
    assert [row for row in dump(str(sound)) if isinstance(row, DamageRow)] == [
        DamageRow(f"{FIRST}.log", SIZE, 2 * SIZE, 2, "the CRC does not match")
    ]


def test_a_destroyed_header_does_not_hide_what_follows(sound: Path) -> None:
    change(sound / f"{FIRST}.log", SIZE, b"\xff" * 61)
    assert [row.base_offset for row in dump(str(sound)) if isinstance(row, BatchRow)] == [0, 4, 6, 8]
    assert not verify(str(sound)).is_sound


def test_a_torn_tail_is_a_warning_in_the_last_segment_and_an_error_before_it(sound: Path) -> None:
    with (sound / f"{SECOND}.log").open("ab") as file:
        file.write(batch(10)[:-1])
    report = verify(str(sound))
    assert report.is_sound
    assert [(f.severity, f.position, f.offset) for f in report.findings] == [("warning", 2 * SIZE, 10)]
    with (sound / f"{FIRST}.log").open("ab") as file:
        file.write(b"x" * 30)
    assert not verify(str(sound)).is_sound


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ((3, SIZE + 1), f"points at {SIZE + 1}, where no good batch begins"),
        ((2, SIZE), f"has offset 2 for position {SIZE}, whose batch ends with 3"),
        ((5, SIZE), "has offset 5"),
    ],
)
def test_a_wrong_index_entry_is_found(sound: Path, entry: tuple[int, int], message: str) -> None:
    change(sound / f"{FIRST}.index", 0, pack(">II", *entry))
    finding, *_ = findings(sound)
    assert (finding.severity, finding.file, finding.position) == ("error", f"{FIRST}.index", 0)
    assert message in finding.message


def test_index_entries_that_fall_are_found(sound: Path) -> None:
    (sound / f"{FIRST}.index").write_bytes(pack(">IIII", 5, 2 * SIZE, 3, SIZE))
    assert [(f.position, f.message) for f in findings(sound)] == [(8, "offsets do not rise")]


def test_many_wrong_entries_are_counted_not_all_listed(sound: Path) -> None:
    (sound / f"{FIRST}.index").write_bytes(b"".join(pack(">II", n, 7) for n in range(100)))
    listed = findings(sound)
    assert len(listed) == FINDINGS_PER_FILE_MAX + 1
    assert listed[-1].message == "and 80 more of this kind"


def test_a_time_entry_that_is_too_early_would_hide_records_and_is_found(sound: Path) -> None:
    change(sound / f"{FIRST}.timeindex", 0, pack(">q", 1001))
    [finding] = findings(sound)
    assert (finding.file, finding.position, finding.offset) == (f"{FIRST}.timeindex", 0, 3)
    assert "1001 as the latest" in finding.message


def test_time_entries_that_fall_are_found(sound: Path) -> None:
    change(sound / f"{FIRST}.timeindex", 12, pack(">q", 1002))
    assert any(f.message == "timestamps and offsets do not rise" for f in findings(sound))


def test_indexes_with_a_broken_size_or_missing_are_warnings(sound: Path) -> None:
    with (sound / f"{FIRST}.index").open("ab") as file:
        file.write(b"123")
    (sound / f"{FIRST}.timeindex").unlink()
    assert [(f.severity, f.file) for f in findings(sound)] == [
        ("warning", f"{FIRST}.index"),
        ("warning", f"{FIRST}.timeindex"),
    ]


def test_overlapping_segments_are_found(sound: Path) -> None:
    for suffix in (".log", ".index", ".timeindex"):
        (sound / f"{SECOND}{suffix}").rename(sound / f"00000000000000000005{suffix}")
    messages = [f.message for f in findings(sound)]
    assert any("it reaches offset 5, but the next segment begins at 5" in message for message in messages)
    assert any("begins before the segment before it ends (offset 6)" in message for message in messages)


def test_a_hole_is_damage_only_where_none_may_be(sound: Path) -> None:
    (sound / f"{FIRST}.log").write_bytes(batch(0) + batch(4))
    for suffix in (".index", ".timeindex"):
        (sound / f"{FIRST}{suffix}").write_bytes(b"")
    assert findings(sound) == ()
    [finding] = findings(sound, gapless=True)
    assert (finding.position, finding.offset) == (SIZE, 4)
    assert "offsets 2 to 3 are missing" in finding.message


def test_a_leader_epoch_that_falls_is_found(sound: Path) -> None:
    (sound / f"{SECOND}.log").write_bytes(batch(6, epoch=3) + batch(8, epoch=2))
    assert any(f.message == "leader epoch 2 follows 3" for f in findings(sound))


@pytest.mark.parametrize("text", ["0\n2\n0 0\n2 6\n", "0\n1\n0 0\n", "junk", "0\n1\n2 0\n"])
def test_an_epoch_checkpoint_that_disagrees_with_the_batches_is_found(sound: Path, text: str) -> None:
    (sound / "leader-epoch-checkpoint").write_text(text)
    found = findings(sound)
    assert [(f.severity, f.file) for f in found] == [("error", "leader-epoch-checkpoint")]


def test_a_missing_epoch_checkpoint_is_a_warning(sound: Path) -> None:
    (sound / "leader-epoch-checkpoint").unlink()
    assert [(f.severity, f.file) for f in findings(sound)] == [("warning", "leader-epoch-checkpoint")]


@pytest.mark.parametrize("suffix", [".snapshot", ".producers"])
def test_damaged_and_misplaced_snapshots_are_found(sound: Path, suffix: str) -> None:
    snapshot = sound / f"{SECOND}{suffix}"
    (sound / f"00000000000000000011{suffix}").write_bytes(snapshot.read_bytes())
    (sound / f"{FIRST}{suffix}").write_bytes(snapshot.read_bytes())
    flip(snapshot, 20)
    assert [(f.severity, f.offset) for f in findings(sound)] == [("error", 0), ("error", 6), ("warning", 11)]


def test_files_that_do_not_belong_are_named(sound: Path) -> None:
    strays = ("00000000000000000000.log.cleaned", "00000000000000000003.index", "core")
    for name in strays:
        (sound / name).touch()
    report = verify(str(sound))
    assert report.is_sound
    assert {f.file for f in report.findings} == set(strays)


def test_unreadable_records_behind_a_right_crc_are_found_when_records_are_read(sound: Path) -> None:
    path = sound / f"{FIRST}.log"
    change(path, 61, b"\xfe")
    change(path, CRC_POSITION, CRC.pack(crc_of(path.read_bytes(), 0, SIZE)))
    assert findings(sound) == ()
    [finding] = findings(sound, with_records=True)
    assert "its records cannot be read" in finding.message
    row, *_ = dump(str(sound), with_records=True)
    assert isinstance(row, BatchRow)
    assert (row.records, row.records_error is not None) == (None, True)


def test_nothing_is_written_or_locked(sound: Path) -> None:
    before = {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in sound.iterdir()}
    for path in sound.iterdir():
        path.chmod(0o400)
    verify(str(sound), with_records=True)
    list(dump(str(sound), with_records=True))
    assert {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in sound.iterdir()} == before


def test_partitions_are_found_in_a_data_directory_and_in_themselves(tmp_path: Path) -> None:
    for name in ("t-0", "t-1", "empty"):
        (tmp_path / name).mkdir()
    for name in ("t-0", "t-1"):
        (tmp_path / name / f"{FIRST}.log").touch()
    assert partition_directories(str(tmp_path)) == [os.path.join(tmp_path, "t-0"), os.path.join(tmp_path, "t-1")]
    assert partition_directories(str(tmp_path / "t-1")) == [str(tmp_path / "t-1")]
