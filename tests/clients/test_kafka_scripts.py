"""Kafka's tools by their own names: used as people use them, and compared with the Java tools on the same broker."""

import io
import json
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from subprocess import CompletedProcess
from typing import NamedTuple
from uuid import uuid4

import pytest

from chronik.cli.kafka_scripts.tools import run_script
from tests import kafka_tools
from tests.brokers import CHRONIK, BrokerProcess

SECONDS_MAX = 90
JVMS_AT_ONCE = 2
CONSUMER_GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
LOG_DIRS = "org.apache.kafka.tools.LogDirsCommand"
ACLS = "org.apache.kafka.tools.AclCommand"
API_VERSIONS = "org.apache.kafka.tools.BrokerApiVersionsCommand"
ALL_FIELDS = ("key", "timestamp", "partition", "offset", "headers")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that holds the installed scripts."""
    directory = tmp_path_factory.mktemp("kafka-bin")
    subprocess.run([str(CHRONIK), "scripts", "install", str(directory)], check=True, timeout=SECONDS_MAX)
    return directory


@pytest.fixture(scope="module")
def scripted_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker of this module's own: its groups form at once, and nobody else changes what the tools show."""
    broker = BrokerProcess(tmp_path_factory.mktemp("scripted"), {"group.initial.rebalance.delay.ms": 0})
    yield broker.start()
    if broker.is_running:
        broker.kill()


class Shell:
    """Runs the tools against one broker: those that read or write records as scripts, the others without a process."""

    def __init__(self, scripts: Path, bootstrap: str) -> None:
        self._scripts = scripts
        self.bootstrap = bootstrap

    def command(self, name: str, *arguments: str) -> list[str]:
        return [str(self._scripts / f"{name}.sh"), "--bootstrap-server", self.bootstrap, *arguments]

    def run(self, name: str, *arguments: str, stdin: str = "") -> "CompletedProcess[str]":
        if name.startswith("kafka-console-"):
            return self.run_script(name, *arguments, stdin=stdin)
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(io.StringIO()) as complained:
            code = run_script(f"{name}.sh", ["--bootstrap-server", self.bootstrap, *arguments])
        return CompletedProcess([name, *arguments], code, said.getvalue(), complained.getvalue())

    def run_script(self, name: str, *arguments: str, stdin: str = "") -> "CompletedProcess[str]":
        return subprocess.run(
            self.command(name, *arguments), input=stdin, capture_output=True, text=True, timeout=SECONDS_MAX
        )

    def ok(self, name: str, *arguments: str, stdin: str = "") -> str:
        done = self.run(name, *arguments, stdin=stdin)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def refused(self, name: str, *arguments: str, stdin: str = "") -> str:
        done = self.run(name, *arguments, stdin=stdin)
        assert done.returncode == 1, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def shell(scripts: Path, scripted_broker: BrokerProcess) -> Shell:
    """The scripts, on a broker."""
    return Shell(scripts, scripted_broker.bootstrap)


def properties(*names: str) -> list[str]:
    return [part for name in names for part in ("--property", name)]


def test_topics_are_created_listed_described_altered_and_deleted(shell: Shell, topic_name: str) -> None:
    assert shell.ok("kafka-topics", "--create", "--topic", topic_name, "--partitions", "2") == (
        f"Created topic {topic_name}.\n"
    )
    assert f"Topic '{topic_name}' already exists." in shell.refused("kafka-topics", "--create", "--topic", topic_name)
    assert shell.ok("kafka-topics", "--create", "--topic", topic_name, "--if-not-exists") == ""
    shell.ok("kafka-topics", "--alter", "--topic", topic_name, "--partitions", "3")
    described = shell.ok("kafka-topics", "--describe", "--topic", topic_name)
    assert re.search(rf"^Topic: {topic_name}\tTopicId: \S{{22}}\tPartitionCount: 3\tReplicationFactor: 1", described)
    assert described.count("\tLeader: 1\tReplicas: 1\tIsr: 1") == 3
    assert shell.ok("kafka-topics", "--describe", "--under-replicated-partitions") == ""
    assert topic_name in shell.ok("kafka-topics", "--list", "--exclude-internal").splitlines()
    shell.ok("kafka-topics", "--delete", "--topic", f"{topic_name[:-1]}.")
    assert "does not exist as expected" in shell.refused("kafka-topics", "--delete", "--topic", topic_name)
    assert shell.ok("kafka-topics", "--delete", "--topic", topic_name, "--if-exists") == ""


@pytest.mark.parametrize("codec", ["none", "zstd"])
def test_lines_are_produced_and_consumed_with_keys_and_headers(shell: Shell, topic_name: str, codec: str) -> None:
    lines = [f"h:{index}\tkey-{index}:value-{index}" for index in range(50)]
    parsed = properties("parse.key=true", "key.separator=:", "parse.headers=true")
    sent = ["--topic", topic_name, "--compression-codec", codec, *parsed]
    shell.ok("kafka-console-producer", *sent, stdin="\n".join(lines) + "\n")
    wanted = ["--topic", topic_name, "--from-beginning", "--max-messages", "50"]
    done = shell.run("kafka-console-consumer", *wanted, *properties("print.key=true", "print.headers=true"))
    assert Counter(done.stdout.splitlines()) == Counter(f"h:{i}\tkey-{i}\tvalue-{i}" for i in range(50))
    assert done.stderr == "Processed a total of 50 messages\n"


def test_a_line_without_its_key_ends_the_producer_behind_what_came_before(shell: Shell, topic_name: str) -> None:
    parsed = properties("parse.key=true", "key.separator=:")
    said = shell.refused("kafka-console-producer", "--topic", topic_name, *parsed, stdin="a:1\nb\nc:3\n")
    assert "No key separator found on line number 2: 'b'" in said
    assert shell.ok("kafka-get-offsets", "--topic", topic_name) == f"{topic_name}:0:1\n"
    wanted = ["--topic", topic_name, "--partition", "0", "--offset", "earliest", "--max-messages", "1"]
    assert shell.ok("kafka-console-consumer", *wanted) == "1\n"


def test_a_group_of_console_consumers_reads_on_and_is_described_reset_and_deleted(
    shell: Shell, topic_name: str, tmp_path: Path
) -> None:
    group, groups = ["--group", topic_name], "kafka-consumer-groups"
    shell.ok("kafka-topics", "--create", "--topic", topic_name)
    shell.ok("kafka-console-producer", "--topic", topic_name, "--sync", stdin="0\n1\n2\n3\n4\n")
    read = ["--topic", topic_name, *group, "--from-beginning"]
    assert shell.ok("kafka-console-consumer", *read, "--max-messages", "2") == "0\n1\n"
    assert shell.ok("kafka-console-consumer", *read, "--max-messages", "2") == "2\n3\n"
    described = shell.run(groups, "--describe", *group)
    assert described.stderr.strip() == f"Consumer group '{topic_name}' has no active members."
    rows = [line.split() for line in described.stdout.splitlines()]
    assert rows[-1] == [topic_name, topic_name, "0", "4", "5", "1", "-", "-", "-"]

    scope = ["--reset-offsets", *group, "--topic", topic_name]
    exported = shell.ok(groups, *scope, "--to-offset", "1", "--export", "--dry-run")
    assert exported == f"{topic_name},0,1\n\n"
    (tmp_path / "offsets.csv").write_text(exported)
    assert shell.ok("kafka-console-consumer", *read, "--max-messages", "1") == "4\n", "nothing was reset yet"
    file = ["--reset-offsets", *group, "--from-file", str(tmp_path / "offsets.csv"), "--execute"]
    assert shell.ok(groups, *file).splitlines()[-1].split() == [topic_name, topic_name, "0", "1"]
    for wish, expected in (("--shift-by=2", "3"), ("--to-earliest", "0"), ("--to-latest", "5"), ("--to-current", "5")):
        assert shell.ok(groups, *scope, wish, "--execute").splitlines()[-1].split()[-1] == expected
    ago = ["--by-duration", "PT1H", "--execute"]
    assert shell.ok(groups, *scope, *ago).splitlines()[-1].split()[-1] == "0"
    assert shell.ok("kafka-console-consumer", *read, "--max-messages", "5") == "0\n1\n2\n3\n4\n"

    deleted = shell.ok(groups, "--delete-offsets", *group, "--topic", topic_name)
    assert deleted.splitlines()[-1].split() == [topic_name, "0", "Successful"]
    assert topic_name in shell.ok(groups, "--list").splitlines()
    shell.ok(groups, "--delete", *group)
    assert topic_name not in shell.ok(groups, "--list").splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_active_group_is_shown_with_its_member_and_not_reset_or_deleted(
    shell: Shell, topic_name: str, number: signal.Signals
) -> None:
    """A member that is ended by a signal leaves, so that the group can be deleted at once."""
    groups = "kafka-consumer-groups"
    shell.ok("kafka-topics", "--create", "--topic", topic_name)
    consumer = subprocess.Popen(
        shell.command("kafka-console-consumer", "--topic", topic_name, "--group", topic_name, "--from-beginning"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert consumer.stdout is not None
        shell.ok("kafka-console-producer", "--topic", topic_name, stdin="first\n")
        assert consumer.stdout.readline() == "first\n"
        state = shell.ok(groups, "--describe", "--group", topic_name, "--state").splitlines()[-1].split()
        assert state == [topic_name, shell.bootstrap, "(1)", "range", "Stable", "1"]
        members = shell.ok(groups, "--describe", "--group", topic_name, "--members", "--verbose")
        row = members.splitlines()[-1].split()
        assert (row[0], row[2], row[4], row[6]) == (topic_name, "/127.0.0.1", "1", f"{topic_name}:0")
        assert topic_name in shell.ok(groups, "--list", "--state", "stable")
        reset = shell.ok(groups, "--reset-offsets", "--group", topic_name, "--all-topics", "--to-latest", "--execute")
        assert f"group '{topic_name}' is inactive, but the current state is Stable" in reset
        assert "GroupNotEmptyException: The group is not empty." in shell.ok(groups, "--delete", "--group", topic_name)
    finally:
        consumer.send_signal(number)
        _, said = consumer.communicate(timeout=SECONDS_MAX)
    assert said == "Processed a total of 1 messages\n"
    assert consumer.returncode == 128 + number
    deleted = shell.ok(groups, "--delete", "--group", topic_name)
    assert deleted == f"Deletion of requested consumer groups ('{topic_name}') was successful.\n"


def test_configs_are_altered_and_described(shell: Shell, topic_name: str) -> None:
    shell.ok("kafka-topics", "--create", "--topic", topic_name, "--config", "retention.ms=5000")
    entity = ["--entity-type", "topics", "--entity-name", topic_name]
    added = ["--alter", "--add-config", "segment.bytes=1048576,cleanup.policy=[compact,delete]"]
    assert shell.ok("kafka-configs", *entity, *added) == f"Completed updating config for topic {topic_name}.\n"
    shell.ok("kafka-configs", *entity, "--alter", "--delete-config", "retention.ms")
    described = shell.ok("kafka-configs", "--describe", "--topic", topic_name)
    assert [line.split()[0] for line in described.splitlines()[1:]] == [
        "cleanup.policy=compact,delete",
        "segment.bytes=1048576",
    ]
    assert "Invalid config(s): nope" in shell.refused("kafka-configs", *entity, "--alter", "--delete-config", "nope")
    unknown = shell.refused("kafka-configs", *entity, "--alter", "--add-config", "nope=1")
    assert "InvalidConfigurationException" in unknown
    assert "retention.ms=604800000" in shell.ok("kafka-configs", "--describe", "--topic", topic_name, "--all")


def test_records_are_deleted_and_offsets_told(shell: Shell, topic_name: str, tmp_path: Path) -> None:
    shell.ok("kafka-console-producer", "--topic", topic_name, stdin="a\nb\nc\n")
    document = {"partitions": [{"topic": topic_name, "partition": 0, "offset": 2}], "version": 1}
    (tmp_path / "before.json").write_text(json.dumps(document))
    said = shell.ok("kafka-delete-records", "--offset-json-file", str(tmp_path / "before.json"))
    assert said.splitlines()[-1] == f"partition: {topic_name}-0\tlow_watermark: 2"
    for moment, offset in (("earliest", 2), ("-1", 3)):
        assert shell.ok("kafka-get-offsets", "--topic", topic_name, "--time", moment) == f"{topic_name}:0:{offset}\n"
    assert "Could not match any" in shell.refused("kafka-get-offsets", "--topic", f"{topic_name}-nope")


def test_an_unreachable_cluster_is_told_and_ends_with_1(scripts: Path, tmp_path: Path) -> None:
    (tmp_path / "quick.properties").write_text("default.api.timeout.ms=1000\nrequest.timeout.ms=1000\n")
    said = Shell(scripts, "127.0.0.1:1").refused(
        "kafka-topics", "--list", "--command-config", str(tmp_path / "quick.properties")
    )
    assert "127.0.0.1:1: connection refused" in said


def test_a_reader_of_the_output_may_leave(shell: Shell, topic_name: str) -> None:
    shell.ok("kafka-topics", "--create", "--topic", topic_name, "--partitions", "200")
    command = f"{' '.join(shell.command('kafka-topics', '--describe', '--topic', topic_name))} | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=SECONDS_MAX)
    assert done.stdout.startswith(f"Topic: {topic_name}")
    assert done.stderr == ""


class Comparison(NamedTuple):
    """One use of a tool, by Kafka's class and by our script; ``{topic}`` is replaced."""

    name: str
    main_class: str
    arguments: tuple[str, ...]
    exit_code: int = 0


COMPARISONS = (
    Comparison("kafka-topics", kafka_tools.TOPICS, ("--describe", "--topic", "{topic}")),
    Comparison("kafka-configs", kafka_tools.CONFIGS, ("--describe", "--topic", "{topic}")),
    Comparison("kafka-consumer-groups", CONSUMER_GROUPS, ("--describe", "--group", "{topic}")),
    Comparison("kafka-get-offsets", kafka_tools.OFFSETS, ("--topic", "{topic}")),
    Comparison("kafka-log-dirs", LOG_DIRS, ("--describe", "--topic-list", "{topic}")),
    Comparison("kafka-acls", ACLS, ("--list",), 1),
    Comparison("kafka-broker-api-versions", API_VERSIONS, ()),
    Comparison(
        "kafka-console-consumer",
        kafka_tools.CONSOLE_CONSUMER,
        (
            *("--topic", "{topic}", "--partition", "0", "--offset", "earliest", "--max-messages", "3"),
            *properties(*(f"print.{field}=true" for field in ALL_FIELDS)),
        ),
    ),
)


@pytest.fixture(scope="module")
def compared(
    scripts: Path, scripted_broker: BrokerProcess, run_kafka_tool: "Callable[..., CompletedProcess[str]]"
) -> "dict[str, tuple[CompletedProcess[str], CompletedProcess[str]]]":
    """What Kafka's tools and ours say of a topic that Kafka's producer wrote and a group that ours made."""
    shell, topic = Shell(scripts, scripted_broker.bootstrap), f"compared-{uuid4().hex[:8]}"
    flags = ["--bootstrap-server", shell.bootstrap]
    configured = ["--config", "retention.ms=600000", "--config", "cleanup.policy=compact,delete"]
    shell.ok("kafka-topics", "--create", "--topic", topic, "--partitions", "2", *configured)
    lines = "h:1,i:2\tkey:value\nNUL\tkey:\nh:NUL\tNUL:x\n"
    parsed = properties("parse.key=true", "key.separator=:", "parse.headers=true", "null.marker=NUL")
    shell.ok("kafka-topics", "--create", "--topic", f"{topic}-source")
    sent = run_kafka_tool(kafka_tools.CONSOLE_PRODUCER, *flags, "--topic", f"{topic}-source", *parsed, stdin=lines)
    assert sent.returncode == 0, sent.stderr
    group = ["--group", topic, "--topic", f"{topic}-source", "--to-offset", "1", "--execute"]
    shell.ok("kafka-consumer-groups", "--reset-offsets", *group)

    def by_java(comparison: Comparison) -> "CompletedProcess[str]":
        return run_kafka_tool(comparison.main_class, *flags, *_meant(comparison, topic))

    with ThreadPoolExecutor(JVMS_AT_ONCE) as pool:
        theirs = list(pool.map(by_java, COMPARISONS))
    ours = [shell.run_script(one.name, *_meant(one, topic)) for one in COMPARISONS]
    return {one.name: pair for one, pair in zip(COMPARISONS, zip(theirs, ours, strict=True), strict=True)}


def _meant(comparison: Comparison, topic: str) -> list[str]:
    # Records and the group's offset are in the topic that the producer wrote.
    of_source = comparison.name in ("kafka-get-offsets", "kafka-log-dirs", "kafka-console-consumer")
    return [text.format(topic=f"{topic}-source" if of_source else topic) for text in comparison.arguments]


# The first of them waits for nine JVMs.
@pytest.mark.timeout(300)
@pytest.mark.parametrize("comparison", COMPARISONS, ids=lambda comparison: comparison.name)
def test_a_script_prints_what_kafkas_own_tool_prints(
    comparison: Comparison, compared: "dict[str, tuple[CompletedProcess[str], CompletedProcess[str]]]"
) -> None:
    theirs, ours = compared[comparison.name]
    assert (theirs.returncode, ours.returncode) == (comparison.exit_code, comparison.exit_code), theirs.stderr
    assert normal(comparison.name, ours.stdout) == normal(comparison.name, theirs.stdout)
    assert ours.stdout.strip()
    if comparison.name == "kafka-console-consumer":
        assert "Processed a total of 3 messages" in theirs.stderr
        assert "Processed a total of 3 messages" in ours.stderr


def normal(name: str, text: str) -> list[str]:
    """Leave out what differs: the order of rows, a Java trace, and which APIs and versions a client knows itself."""
    lines = [re.sub(r"(?<=Configs: ).*", _sorted_configs, line) for line in text.splitlines()]
    if name == "kafka-acls":
        return lines[:1]
    if name == "kafka-broker-api-versions":
        return sorted(re.sub(r" \[usable: .*\],?", "", line) for line in lines if "): UNSUPPORTED" not in line)
    return sorted(lines)


def _sorted_configs(found: re.Match[str]) -> str:
    return ",".join(sorted(re.split(r",(?=[\w.]+=)", found[0])))
