"""Apache Kafka's own command-line tools, run from the jars that `make test` fetches."""

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

# A JVM that lives for a second gains nothing from its second compiler, and the tests share two cores.
JVM_OPTIONS = ("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m")


def run_tool(
    main_class: str, *arguments: str, stdin: str | None = None, seconds_max: float = 60.0
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
