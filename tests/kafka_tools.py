"""Apache Kafka's own command-line tools, run from the jars that `make test` fetches, and what its topics have."""

import subprocess
from pathlib import Path

VERSION = "4.1.0"
LIBS = Path(__file__).resolve().parent.parent / ".cache" / f"kafka-{VERSION}" / "libs"
CLIENTS_JAR = LIBS / f"kafka-clients-{VERSION}.jar"

TOPICS = "org.apache.kafka.tools.TopicCommand"
CONFIGS = "kafka.admin.ConfigCommand"
OFFSETS = "org.apache.kafka.tools.GetOffsetShell"
CONSOLE_PRODUCER = "org.apache.kafka.tools.ConsoleProducer"
CONSOLE_CONSUMER = "org.apache.kafka.tools.consumer.ConsoleConsumer"
DUMP_LOG_SEGMENTS = "kafka.tools.DumpLogSegments"

TOPIC_CONFIG_NAMES = [
    "cleanup.policy",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "delete.retention.ms",
    "file.delete.delay.ms",
    "flush.messages",
    "flush.ms",
    "follower.replication.throttled.replicas",
    "index.interval.bytes",
    "leader.replication.throttled.replicas",
    "local.retention.bytes",
    "local.retention.ms",
    "max.compaction.lag.ms",
    "max.message.bytes",
    "message.timestamp.after.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "min.insync.replicas",
    "preallocate",
    "remote.log.copy.disable",
    "remote.log.delete.on.disable",
    "remote.storage.enable",
    "retention.bytes",
    "retention.ms",
    "segment.bytes",
    "segment.index.bytes",
    "segment.jitter.ms",
    "segment.ms",
    "unclean.leader.election.enable",
]
"""The configurations that a topic of this version has, in order."""

# A JVM that lives for a second gains nothing from its second compiler, and the tests share two cores.
JVM_OPTIONS = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")


def run_tool(
    main_class: str, *arguments: str, stdin: str | None = None, seconds_max: float = 90.0
) -> subprocess.CompletedProcess[str]:
    """Run one of Kafka's tools to its end; its exit code and output are the caller's to judge."""
    return subprocess.run(
        ["java", *JVM_OPTIONS, "-cp", f"{LIBS}/*", main_class, *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=seconds_max,
        check=False,
    )
