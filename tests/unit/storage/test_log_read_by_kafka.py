"""Kafka's own DumpLogSegments as the judge of the files that a log leaves behind."""

import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from subprocess import CompletedProcess

import pytest

from chronik.storage.disk import OsDisk
from chronik.storage.log import Log
from tests.kafka_tools import DUMP_LOG_SEGMENTS
from tests.unit.storage.log_cases import NOW, append, batch, open_log, small

RunTool = Callable[..., CompletedProcess[str]]
CONFIG = small(segment_bytes=20_000, index_interval_bytes=1_000)


def fill_randomly(log: Log, dice: Random, batches: int) -> None:
    for _ in range(batches):
        count, size = dice.randint(1, 5), dice.choice([10, 100, 900])
        data = batch(count, size=size, timestamp=NOW + dice.randint(0, 50_000))
        append(log, data, leader_epoch=log.log_end_offset // 100)


def dump(run_kafka_tool: RunTool, directory: Path) -> str:
    """Dump every segment with its indexes and snapshots."""
    kinds = (".log", ".index", ".timeindex", ".snapshot")
    files = [path for path in sorted(directory.iterdir()) if path.suffix in kinds]
    assert {path.suffix for path in files} == set(kinds)
    done = run_kafka_tool(DUMP_LOG_SEGMENTS, "--files", ",".join(map(str, files)))
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def assert_no_complaint(output: str) -> None:
    for complaint in (
        "Mismatches",
        "Non-consecutive",
        "mismatch",
        "not found",
        "out of order",
        "Found timestamp",
        "invalid",
    ):
        assert complaint not in output, output[-3_000:]


@pytest.mark.parametrize("ending", ["closed", "recovered"])
def test_kafka_finds_nothing_wrong_with_segments_indexes_and_snapshots(
    ending: str, tmp_path: Path, run_kafka_tool: RunTool
) -> None:
    directory = tmp_path / "orders-0"
    log = open_log(OsDisk(), CONFIG, directory=str(directory))
    fill_randomly(log, Random(7), 150)
    if ending == "recovered":
        log.flush()
        fill_randomly(log, Random(8), 50)
        log.close(clean=False)
        log = open_log(OsDisk(), CONFIG, directory=str(directory))
        fill_randomly(log, Random(9), 30)
    log.close()
    output = dump(run_kafka_tool, directory)
    assert_no_complaint(output)
    bases = [int(offset) for offset in re.findall(r"^baseOffset: (\d+) lastOffset", output, re.MULTILINE)]
    last = max(int(offset) for offset in re.findall(r"lastOffset: (\d+)", output))
    assert bases[0] == 0
    assert bases == sorted(set(bases))
    assert last + 1 == log.log_end_offset
    assert len(re.findall(r"^offset: \d+ position: \d+", output, re.MULTILINE)) > 20
    assert len(re.findall(r"^timestamp: \d+ offset: \d+", output, re.MULTILINE)) > 3
    assert "isvalid: false" not in output


def test_kafka_does_complain_about_a_wrong_index(tmp_path: Path, run_kafka_tool: RunTool) -> None:
    """Without this the test above could be one that cannot fail."""
    directory = tmp_path / "orders-0"
    log = open_log(OsDisk(), CONFIG, directory=str(directory))
    fill_randomly(log, Random(7), 20)
    log.close()
    index = directory / "00000000000000000000.index"
    entries = bytearray(index.read_bytes())
    entries[3] ^= 1
    index.write_bytes(entries)
    done = run_kafka_tool(DUMP_LOG_SEGMENTS, "--files", str(index))
    with pytest.raises(AssertionError):
        assert_no_complaint(done.stdout + done.stderr)
