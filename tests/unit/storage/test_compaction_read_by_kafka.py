"""Kafka's own DumpLogSegments as the judge of what we build, compact and snapshot."""

import re
from collections import deque
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

from chronik.records.build import Record, build_batch
from chronik.records.codecs import Codec
from chronik.storage.compaction import CompactionJob
from chronik.storage.compaction_swap import commit_swap, finish_swap, seal_swap
from chronik.storage.disk import OsDisk
from chronik.storage.producer_snapshot import encode_kafka
from chronik.storage.producer_state import ProducedBatch, ProducerEntry
from chronik.storage.segment_cleaner import run_job
from tests.kafka_tools import DUMP_LOG_SEGMENTS

RunTool = Callable[..., CompletedProcess[str]]
STEM = f"{0:020d}"
HORIZON = 6_000


def write_segment(directory: Path) -> int:
    """Two batches of three keys for each codec, their values too large for one lz4 or snappy block; gives the end."""
    data, offset = b"", 0
    for codec in Codec:
        for _ in range(2):
            values = [None, b"%d" % codec * 70_000, b"x"]
            records = [Record(b"%d-%d" % (codec, n), value, [("h", b"y")], 1000 + n) for n, value in enumerate(values)]
            data += build_batch(
                records, codec=codec, base_offset=offset, producer_id=9, producer_epoch=0, base_sequence=offset
            )
            offset += len(records)
    (directory / f"{STEM}.log").write_bytes(data)
    return offset


def compact(directory: Path, end_offset: int) -> None:
    job = CompactionJob(str(directory), ((0,),), 0, end_offset, 1000, 100, HORIZON - 1000, remembered_batches=(0,))
    assert run_job(OsDisk(), job).error is None
    manifest = commit_swap(OsDisk(), str(directory), 0)
    finish_swap(OsDisk(), str(directory), manifest)
    seal_swap(OsDisk(), str(directory), manifest)


def test_kafka_reads_batches_of_every_codec_before_and_after_compaction_and_the_snapshot(
    tmp_path: Path, run_kafka_tool: RunTool
) -> None:
    raw, compacted = tmp_path / "raw", tmp_path / "compacted"
    for directory in (raw, compacted):
        directory.mkdir()
        end_offset = write_segment(directory)
    compact(compacted, end_offset)
    snapshot = tmp_path / f"{end_offset:020d}.snapshot"
    snapshot.write_bytes(encode_kafka([ProducerEntry(9, 2, deque([ProducedBatch(0, 4, 10, 14, 77)]), 77, 0)]))
    files = [raw / f"{STEM}.log", *(compacted / f"{STEM}.{kind}" for kind in ("log", "index", "timeindex")), snapshot]

    done = run_kafka_tool(DUMP_LOG_SEGMENTS, "--deep-iteration", "--files", ",".join(map(str, files)))

    assert done.returncode == 0, done.stderr
    assert not re.search("mismatch|corrupt|invalid|exception", done.stderr.lower()), done.stderr
    before, after, index, times, producers = re.split(r"^Dumping .*$", done.stdout, flags=re.MULTILINE)[1:]
    assert "isvalid: false" not in before + after
    assert len(re.findall(r"^\| offset", before, re.MULTILINE)) == end_offset
    assert re.findall(r"compresscodec: (\w+)", before)[::2] == ["none", "gzip", "snappy", "lz4", "zstd"]
    assert [int(found) for found in re.findall(r"valueSize: (-?\d+)", after)] == [-1, 70_000, 1] * len(Codec)
    assert re.findall(r"count: (\d)", after) == ["0", *["3"] * len(Codec)]
    assert after.count(f"deleteHorizonMs: OptionalLong[{HORIZON}]") == len(Codec)
    assert index.count("position") == len(Codec) - 1
    assert re.findall(r"timestamp: (\d+) offset: (\d+)", times) == [("1002", "5")]
    assert "producerId: 9 producerEpoch: 2" in producers
    assert "lastSequence: 4 lastOffset: 14 offsetDelta: 4 timestamp: 77" in producers
