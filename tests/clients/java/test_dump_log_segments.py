"""Kafka's DumpLogSegments reads the files of a broker's data directory."""

import re
from collections.abc import Callable
from subprocess import CompletedProcess
from typing import Any

from tests import kafka_tools
from tests.brokers import BrokerProcess
from tests.regressions.librdkafka import numbered, send_all
from tests.regressions.wire import Wire


def test_dump_log_segments_reads_every_kind_of_file(
    run_kafka_tool: Callable[..., CompletedProcess[str]], broker: BrokerProcess, topic_name: str
) -> None:
    """Logs of all codecs with their indexes over several segments, and the snapshots of producers, all found sound."""
    with Wire(broker.bootstrap) as wire:
        wire.create_topic(topic_name, segment_bytes=1_048_576)
    count = 0
    for codec in ("none", "gzip", "snappy", "lz4", "zstd"):
        values = numbered(1_000 if codec != "none" else 2_500, codec, 500)
        count += len(values)
        settings: dict[str, Any] = {"compression_type": codec, "enable_idempotence": True, "batch_num_messages": 50}
        send_all(broker.bootstrap, topic_name, values, **settings)
    assert broker.stop() == 0
    directory = broker.data / f"{topic_name}-0"
    files = [path for kind in ("log", "index", "timeindex", "snapshot") for path in sorted(directory.glob(f"*.{kind}"))]
    assert {path.suffix for path in files} == {".log", ".index", ".timeindex", ".snapshot"}
    assert len(list(directory.glob("*.log"))) > 1
    done = run_kafka_tool(
        kafka_tools.DUMP_LOG_SEGMENTS,
        *["--files", ",".join(map(str, files)), "--deep-iteration", "--verify-index-only"],
    )
    told = done.stdout + done.stderr
    assert done.returncode == 0, told
    assert not re.search(r"Found|[Mm]ismatch|isvalid: false|Non-consecutive|non-monotonic|Exception", told), told[
        -3_000:
    ]
    deep = run_kafka_tool(
        kafka_tools.DUMP_LOG_SEGMENTS, "--files", ",".join(map(str, files)), "--deep-iteration", "--print-data-log"
    )
    assert deep.returncode == 0, deep.stderr
    assert not re.search(
        r"isvalid: false|Found timestamp mismatch|Non-consecutive|Exception", deep.stdout + deep.stderr
    )
    offsets = [int(offset) for offset in re.findall(r"^\| offset: (\d+) ", deep.stdout, re.MULTILINE)]
    assert sorted(offsets) == list(range(count))
    assert set(re.findall(r"compresscodec: (\w+)", deep.stdout)) == {"none", "gzip", "snappy", "lz4", "zstd"}
    assert re.search(r"producerId: \d+ producerEpoch: 0 coordinatorEpoch: -1", deep.stdout)
