"""Compaction against a dictionary, its tombstones, and a crash at every step of the swap."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from struct import iter_unpack

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from kafka.record.memory_records import MemoryRecords

from chronik.records.batch import DELETE_HORIZON_BIT, HEADER_BYTES, read_header, walk
from chronik.records.build import Record, batch_from, build_batch
from chronik.records.codecs import Codec
from chronik.records.iterate import StoredRecord, records_of
from chronik.storage.compaction import CompactionJob, CompactionResult
from chronik.storage.compaction_process import COMMAND, parse_line
from chronik.storage.compaction_swap import commit_swap, finish_swap, recover_leftovers, seal_swap
from chronik.storage.disk import File, OsDisk
from chronik.storage.segment_cleaner import MAP_ENTRY_BYTES, OffsetMap, run_job

unhurried = settings(max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
NOW = 1_000_000
RETENTION = 1_000

keys = st.sampled_from([b"a", b"b", b"c", b"d" * 20, b"e" * 20, b""])
values = st.none() | st.binary(max_size=8)
batches = st.tuples(
    st.lists(st.tuples(keys, values), min_size=1, max_size=4), st.sampled_from(list(Codec)), st.integers(0, 3)
)
segments = st.lists(st.lists(batches, max_size=5), min_size=1, max_size=4)
Batches = list[tuple[list[tuple[bytes | None, bytes | None]], Codec, int]]


class Partition:
    """A partition's closed segments in a directory of its own."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self.disk: OsDisk = QuickDisk()
        self.bases: list[int] = []
        self.end_offset = 0

    def add_segment(self, content: Batches) -> None:
        self.bases.append(self.end_offset)
        data = b"".join(self._batch(*batch) for batch in content)
        Path(self.directory, f"{self.bases[-1]:020d}.log").write_bytes(data)
        self.end_offset += 1  # a segment without batches still has a name of its own

    def _batch(self, items: list[tuple[bytes | None, bytes | None]], codec: Codec, hole: int) -> bytes:
        records = [Record(key, value, [("h", b"x")], 1000 + index) for index, (key, value) in enumerate(items)]
        batch = build_batch(records, codec=codec, base_offset=self.end_offset + hole)
        self.end_offset = read_header(batch).next_offset
        return batch

    def job(self, **changes: object) -> CompactionJob:
        fields: dict[str, object] = {
            "directory": self.directory,
            "groups": tuple((base,) for base in self.bases),
            "first_dirty_offset": 0,
            "end_offset": self.end_offset,
            "delete_retention_ms": RETENTION,
            "index_interval_bytes": 100,
            "now_ms": NOW,
        }
        return CompactionJob(**(fields | changes))  # type: ignore[arg-type]

    def compact(self, **changes: object) -> CompactionResult:
        result = run_job(self.disk, self.job(**changes))
        assert result.error is None
        self.swap(result)
        return result

    def swap(self, result: CompactionResult) -> None:
        for group in result.groups:
            manifest = commit_swap(self.disk, self.directory, group.base_offset)
            assert manifest.replaces == group.replaces
            finish_swap(self.disk, self.directory, manifest)
            seal_swap(self.disk, self.directory, manifest)
            self.bases = [base for base in self.bases if base == group.base_offset or base not in group.replaces]

    def data(self) -> list[bytes]:
        return [path.read_bytes() for path in sorted(Path(self.directory).glob("*.log"))]

    def records(self) -> list[StoredRecord]:
        return [
            record
            for data in self.data()
            for position, header in walk(data)
            for record in records_of(data[position : position + header.size_bytes])
        ]

    def names(self) -> set[str]:
        return {path.name for path in Path(self.directory).iterdir()}


class QuickDisk(OsDisk):
    """The real one, which does not wait for the device."""

    def open(self, path: str, /, *, create: bool = False) -> File:
        file = super().open(path, create=create)
        file.sync = lambda: None  # type: ignore[method-assign]
        return file

    def sync_directory(self, path: str, /) -> None:
        pass


@pytest.fixture
def partition(tmp_path: Path) -> Partition:
    return Partition(str(tmp_path))


@pytest.fixture(scope="module")
def scratch() -> Iterator[Callable[[], Partition]]:
    with tempfile.TemporaryDirectory() as root:
        yield lambda: Partition(tempfile.mkdtemp(dir=root))


def one(*items: tuple[bytes | None, bytes | None]) -> Batches:
    return [([item], Codec.NONE, 0) for item in items]


def as_seen(partition: Partition) -> list[tuple[bytes | None, bytes | None]]:
    return [(record.key, record.value) for record in partition.records()]


def latest(records: list[StoredRecord]) -> list[StoredRecord]:
    by_key = {record.key: record for record in records}
    return sorted(by_key.values(), key=lambda record: record.offset)


@settings(unhurried, max_examples=60)
@given(segments, st.booleans())
def test_of_each_key_the_latest_record_stays_as_it_was(scratch, content: list[Batches], join: bool) -> None:  # type: ignore[no-untyped-def]
    partition = scratch()
    for segment in content:
        partition.add_segment(segment)
    before = partition.records()
    groups = (tuple(partition.bases),) if join else tuple((base,) for base in partition.bases)
    result = partition.compact(groups=groups)
    assert partition.records() == latest(before)
    assert (result.records_before, result.records_after) == (len(before), len(latest(before)))
    assert result.cleaned_end_offset == partition.end_offset
    assert result.bytes_after == sum(map(len, partition.data()))


@settings(unhurried, max_examples=40)
@given(segments, segments)
def test_compacting_again_what_grew_gives_the_same_as_compacting_once(scratch, first, second) -> None:  # type: ignore[no-untyped-def]
    partition = scratch()
    for segment in first:
        partition.add_segment(segment)
    before = partition.records()
    done = partition.compact()
    for segment in second:
        partition.add_segment(segment)
    before += [record for record in partition.records() if record.offset >= done.cleaned_end_offset]
    partition.compact(first_dirty_offset=done.cleaned_end_offset)
    assert partition.records() == latest(before)


@settings(unhurried, max_examples=40)
@given(segments, st.integers(1, 3))
def test_with_little_memory_a_prefix_is_compacted_and_the_rest_later(scratch, content, room: int) -> None:  # type: ignore[no-untyped-def]
    partition = scratch()
    for segment in content:
        partition.add_segment(segment)
    before, dirty = partition.records(), 0
    for _ in range(len(before) + 1):
        dirty = partition.compact(
            first_dirty_offset=dirty, dedupe_buffer_bytes=room * MAP_ENTRY_BYTES
        ).cleaned_end_offset
        assert {record.key: record for record in partition.records()} == {record.key: record for record in before}
        if dirty == partition.end_offset:
            break
    assert partition.records() == latest(before)


@settings(unhurried, max_examples=40)
@given(segments)
def test_an_independent_reader_sees_the_same_records(scratch, content: list[Batches]) -> None:  # type: ignore[no-untyped-def]
    partition = scratch()
    for segment in content:
        partition.add_segment([(items, Codec.GZIP if codec else codec, hole) for items, codec, hole in segment])
    partition.compact()
    seen = []
    for data in partition.data():
        judged = MemoryRecords(data)
        while (batch := judged.next_batch()) is not None:
            assert batch.validate_crc()
            seen += [(r.offset, r.timestamp, r.key, r.value, tuple(r.headers)) for r in batch]
    assert seen == partition.records()


def test_batches_keep_their_offsets_although_their_last_record_is_gone(partition: Partition) -> None:
    partition.add_segment([([(b"a", b"1"), (b"b", b"1"), (b"c", b"1")], Codec.LZ4, 0), *one((b"c", b"2"))])
    partition.compact()
    [data] = partition.data()
    header = read_header(data)
    assert (header.base_offset, header.last_offset_delta, header.record_count, header.codec) == (0, 2, 2, Codec.LZ4)
    assert header.max_timestamp == 1001


def test_a_batch_that_stays_whole_stays_the_same_bytes(partition: Partition) -> None:
    partition.add_segment([([(b"a", b"1"), (b"b", b"1")], Codec.GZIP, 0)])
    [before] = partition.data()
    assert partition.compact().groups == ()
    assert partition.data() == [before]
    assert partition.names() == {"00000000000000000000.log"}


def test_a_tombstone_hides_older_values_until_its_horizon_and_then_goes(partition: Partition) -> None:
    partition.add_segment(one((b"a", b"1"), (b"a", None), (b"b", b"1")))
    partition.compact()
    assert as_seen(partition) == [(b"a", None), (b"b", b"1")]
    header = read_header(partition.data()[0])
    assert header.delete_horizon_ms == NOW + RETENTION
    assert partition.records()[0].timestamp == 1000

    partition.compact(now_ms=NOW + RETENTION - 1)
    assert as_seen(partition) == [(b"a", None), (b"b", b"1")]
    assert read_header(partition.data()[0]).delete_horizon_ms == NOW + RETENTION

    partition.compact(now_ms=NOW + RETENTION)
    assert as_seen(partition) == [(b"b", b"1")]


def test_a_tombstone_beyond_the_mapped_keys_stays_or_its_older_value_would_come_back(partition: Partition) -> None:
    plain = build_batch([Record(b"a", b"1"), Record(b"b", b"1"), Record(b"a", None)])
    header = read_header(plain)
    expired = header._replace(attributes=DELETE_HORIZON_BIT, base_timestamp=NOW - 1)
    Path(partition.directory, f"{0:020d}.log").write_bytes(batch_from(expired, plain[HEADER_BYTES:]))
    partition.bases, partition.end_offset = [0], 3
    assert partition.compact(dedupe_buffer_bytes=MAP_ENTRY_BYTES).cleaned_end_offset == 1
    assert as_seen(partition) == [(b"a", b"1"), (b"b", b"1"), (b"a", None)]
    partition.compact()
    assert as_seen(partition) == [(b"b", b"1")]


def test_a_value_after_a_tombstone_stays(partition: Partition) -> None:
    partition.add_segment(one((b"a", None), (b"a", b"2")))
    partition.compact()
    assert as_seen(partition) == [(b"a", b"2")]


def test_records_without_a_key_are_dropped_and_counted(partition: Partition) -> None:
    partition.add_segment(one((None, b"1"), (b"a", b"1"), (None, b"2")))
    assert partition.compact().records_without_key == 2
    assert as_seen(partition) == [(b"a", b"1")]


def test_a_batch_by_which_a_producer_is_known_stays_without_records(partition: Partition) -> None:
    first = build_batch([Record(b"a", b"1", (), 5)], codec=Codec.ZSTD, producer_id=9, producer_epoch=1, base_sequence=4)
    second = build_batch([Record(b"a", b"2", (), 6)], base_offset=1)
    Path(partition.directory, f"{0:020d}.log").write_bytes(first + second)
    partition.bases, partition.end_offset = [0], 2
    partition.compact(remembered_batches=(0,))
    header = read_header(partition.data()[0])
    assert (header.producer_id, header.producer_epoch, header.base_sequence, header.last_sequence) == (9, 1, 4, 4)
    assert (header.record_count, header.last_offset, header.size_bytes) == (0, 0, 61)
    assert as_seen(partition) == [(b"a", b"2")]
    partition.compact(remembered_batches=(0,))
    assert read_header(partition.data()[0]) == header
    partition.compact(remembered_batches=())
    assert read_header(partition.data()[0]).base_offset == 1


@pytest.mark.parametrize("kind", ["is_control", "is_transactional"])
def test_control_and_transactional_batches_are_copied_and_hide_nothing(partition: Partition, kind: str) -> None:
    special = build_batch([Record(b"a", b"2"), Record(b"c", b"2")], base_offset=1, **{kind: True})  # type: ignore[arg-type]
    plain = [build_batch([Record(key, b"3")], base_offset=offset) for key, offset in ((b"b", 3), (b"b", 4), (b"c", 5))]
    Path(partition.directory, f"{0:020d}.log").write_bytes(
        build_batch([Record(b"a", b"1")]) + special + b"".join(plain)
    )
    partition.bases, partition.end_offset = [0], 6
    partition.compact()
    assert [(r.offset, r.key) for r in partition.records()] == [(0, b"a"), (1, b"a"), (2, b"c"), (4, b"b"), (5, b"c")]


def test_append_time_survives_the_rewriting(partition: Partition) -> None:
    records = [Record(b"a", b"1", (), 5), Record(b"b", None, (), 6)]
    data = build_batch(records, append_time_ms=77) + build_batch([Record(b"a", b"2")], base_offset=2)
    Path(partition.directory, f"{0:020d}.log").write_bytes(data)
    partition.bases, partition.end_offset = [0], 3
    partition.compact()
    assert [(r.offset, r.timestamp) for r in partition.records()] == [(1, 77), (2, -1)]


def test_damage_stops_the_compaction_and_leaves_everything_as_it_was(partition: Partition) -> None:
    partition.add_segment(one((b"a", b"1"), (None, b"2")))
    partition.add_segment(one((b"a", b"3"), (b"b", b"4")))
    path = Path(partition.directory, f"{partition.bases[1]:020d}.log")
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    path.write_bytes(damaged)
    names = partition.names()
    for dirty in (0, partition.bases[1], partition.end_offset):
        result = run_job(partition.disk, partition.job(first_dirty_offset=dirty))
        assert result.error is not None
        assert path.name in result.error
        assert "position 74" in result.error
        assert (result.groups, result.cleaned_end_offset) == ((), dirty)
        assert partition.names() == names


def test_indexes_of_a_new_segment_lead_to_its_batches(partition: Partition) -> None:
    partition.add_segment(one(*[(bytes([n]), b"x" * 50) for n in range(20)], (b"\0", b"y")))
    partition.compact()
    [data] = partition.data()
    starts = dict(walk(data))
    entries = list(iter_unpack(">II", Path(partition.directory, f"{0:020d}.index").read_bytes()))
    assert len(entries) > 5
    assert all(starts[position].last_offset == offset for offset, position in entries)
    times = list(iter_unpack(">qI", Path(partition.directory, f"{0:020d}.timeindex").read_bytes()))
    assert times[-1][0] == max(header.max_timestamp for header in starts.values())


class CrashError(Exception):
    """The process ends here."""


class CrashingDisk(QuickDisk):
    """Ends the process before the n-th change of the directory."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def _step(self) -> None:
        if self.steps == 0:
            raise CrashError
        self.steps -= 1

    def rename(self, source: str, target: str, /) -> None:
        self._step()
        super().rename(source, target)

    def unlink(self, path: str, /) -> None:
        self._step()
        super().unlink(path)

    def sync_directory(self, path: str, /) -> None:
        self._step()


def test_a_crash_at_any_step_of_the_swap_leaves_the_old_segments_or_the_new(scratch) -> None:  # type: ignore[no-untyped-def]
    """Also when recovery itself is interrupted at any step."""
    outcomes = set()
    steps = 0
    while True:
        partition = scratch()
        partition.add_segment(one((b"a", b"1"), (b"b", b"1")))
        partition.add_segment(one((b"a", b"2"), (b"c", b"1")))
        partition.add_segment(one((b"a", b"3")))
        old = partition.records()
        result = run_job(partition.disk, partition.job(groups=(tuple(partition.bases),)))
        partition.disk = CrashingDisk(steps)
        try:
            partition.swap(result)
        except CrashError:
            recover_with_crashes(partition.directory)
            outcomes.add(len(partition.records()))
            assert partition.records() in (old, latest(old))
            assert not [name for name in partition.names() if name.endswith((".cleaned", ".swap"))]
            steps += 1
            continue
        break
    assert steps > 10
    assert outcomes == {len(old), len(latest(old))}


def recover_with_crashes(directory: str) -> None:
    for steps in range(100):
        try:
            recover_leftovers(CrashingDisk(steps), directory)
            return
        except CrashError:
            continue
    raise AssertionError("recovery never ended")


def test_recovery_says_what_it_did(partition: Partition) -> None:
    partition.add_segment(one((b"a", b"1"), (b"a", b"2")))
    run_job(partition.disk, partition.job())
    assert recover_leftovers(partition.disk, partition.directory) == [
        f"threw away 00000000000000000000.{kind}.cleaned of an unfinished compaction"
        for kind in ("index", "log", "manifest", "timeindex")
    ]
    run_job(partition.disk, partition.job())
    commit_swap(partition.disk, partition.directory, 0)
    assert recover_leftovers(partition.disk, partition.directory) == ["finished the compaction of segments 0"]
    assert recover_leftovers(partition.disk, partition.directory) == []


def test_the_child_process_does_a_job_from_its_standard_input(partition: Partition) -> None:
    partition.add_segment(one((b"a", b"1"), (b"a", b"2"), (b"b", b"3")))
    job = partition.job().to_json()
    done = subprocess.run(COMMAND, input=job, capture_output=True, text=True, timeout=30, check=True)
    *progress, last = [parse_line(line) for line in done.stdout.splitlines()]
    assert progress
    assert not any(progress)
    assert last is not None
    partition.swap(last)
    assert as_seen(partition) == [(b"a", b"2"), (b"b", b"3")]


def test_the_child_process_reports_a_missing_segment(partition: Partition) -> None:
    partition.bases, partition.end_offset = [0], 5
    job = partition.job().to_json()
    done = subprocess.run(COMMAND, input=job, capture_output=True, text=True, timeout=30, check=False)
    result = parse_line(done.stdout.splitlines()[-1])
    assert done.returncode == 1
    assert result is not None
    assert "the disk failed" in str(result.error)


def test_short_keys_and_digests_are_never_mixed_up() -> None:
    known = OffsetMap(MAP_ENTRY_BYTES * 3)
    long = b"k" * 100
    assert known.put(long, 1)
    [digest] = known._offsets
    assert known.latest(digest) == -1
    assert known.put(b"", 2)
    assert known.put(digest, 3)
    assert not known.put(b"more", 4)
    assert known.put(long, 5)
    assert [known.latest(key) for key in (long, b"", digest, b"more")] == [5, 2, 3, -1]
