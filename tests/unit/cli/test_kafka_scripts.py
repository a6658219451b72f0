"""The parts of Kafka's tools that need no broker: flags, lines, formats, tables, and the scripts themselves."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from chronik.cli.kafka_scripts.configs import config_pairs
from chronik.cli.kafka_scripts.console_format import console_format
from chronik.cli.kafka_scripts.console_lines import LineError, console_lines
from chronik.cli.kafka_scripts.flags import Flag, Takes, UsageError, parse, switch, unsupported, value
from chronik.cli.kafka_scripts.group_tables import print_listing, print_members
from chronik.cli.kafka_scripts.java_errors import java_name
from chronik.cli.kafka_scripts.session import settings_of
from chronik.cli.kafka_scripts.tools import TOOLS, run_script, tool_of
from chronik.cli.kafka_scripts.topics import topic_pattern
from chronik.cli.scripts import scripts
from chronik.cli.topic.record_input import OutgoingRecord
from chronik.client.fetched import FetchedRecords
from chronik.client.groups.admin import GroupListing, MemberView
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition
from chronik.records.build import Record, build_batch

TABLE = (
    value("bootstrap-server"),
    value("topic"),
    value("topic-id"),
    switch("list"),
    Flag("state", Takes.MAYBE),
    unsupported("zookeeper", "use --bootstrap-server HOST:PORT"),
)


def test_flags_take_values_behind_them_or_behind_an_equals_sign() -> None:
    given = parse(TABLE, ["--bootstrap-server", "a:1", "--topic=x=y", "--topic", "-odd", "--list"])
    assert given.one("bootstrap-server") == "a:1"
    assert given.many("topic") == ["x=y", "-odd"]
    assert "list" in given
    assert "state" not in given


def test_a_value_that_may_be_left_out_is_left_out_before_the_next_flag() -> None:
    assert parse(TABLE, ["--state", "--list"]).one("state", "none") == "none"
    assert parse(TABLE, ["--list", "--state", "Empty"]).one("state") == "Empty"


def test_a_beginning_that_fits_one_flag_is_that_flag() -> None:
    assert parse(TABLE, ["--boot", "a:1"]).one("bootstrap-server") == "a:1"
    assert parse(TABLE, ["--topic", "t"]).one("topic") == "t", "a whole name is not ambiguous"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--frobnicate"], "frobnicate is not a recognized option"),
        (["--to", "x"], "ambiguous: --topic, --topic-id"),
        (["--zookeeper", "z:1"], "--zookeeper is not supported: use --bootstrap-server"),
        (["--topic"], "Option topic requires an argument"),
        (["--topic", "--list"], "Option topic requires an argument"),
        (["--list=x"], "does not take a value"),
        (["list"], "unexpected argument 'list'"),
        (["-l"], "unexpected argument '-l'"),
    ],
)
def test_what_is_wrong_is_named(arguments: list[str], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        parse(TABLE, arguments)


@pytest.mark.parametrize("script", TOOLS)
def test_every_tool_ends_with_1_and_names_a_flag_that_it_does_not_know(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_script(script, ["--bootstrap-server", "127.0.0.1:1", "--frobnicate"]) == 1
    assert "frobnicate is not a recognized option" in capsys.readouterr().err
    assert run_script(script, ["--help"]) == 0
    assert "--bootstrap-server" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "arguments", "problem"),
    [
        ("kafka-topics.sh", ["--list", "--create"], "exactly one action"),
        ("kafka-topics.sh", ["--list"], "--bootstrap-server must be specified"),
        ("kafka-topics.sh", ["--create"], r'Missing required argument "\[topic\]"'),
        ("kafka-topics.sh", ["--list", "--partitions", "3"], "can't be used with option"),
        ("kafka-console-consumer.sh", ["--from-beginning"], "Exactly one of --include/--topic is required"),
        ("kafka-console-consumer.sh", ["--topic", "t", "--offset", "3"], "The partition is required"),
        ("kafka-console-consumer.sh", ["--topic", "t", "--formatter", "x.Y"], "--formatter x.Y is not supported"),
        ("kafka-console-consumer.sh", ["--topic", "t", "--property", "print.all=true"], "unknown formatter property"),
        ("kafka-console-producer.sh", ["--topic", "t", "--property", "parse.keys=true"], "unknown reader property"),
        ("kafka-consumer-groups.sh", ["--describe"], "takes one of these options"),
        ("kafka-consumer-groups.sh", ["--reset-offsets", "--group", "g", "--topic", "t"], "one of the following"),
        ("kafka-configs.sh", ["--describe", "--entity-type", "users"], "--entity-type users is not supported"),
        ("kafka-acls.sh", ["--add", "--topic", "t"], "--allow-principal, --deny-principal"),
        ("kafka-delete-records.sh", ["--offset-json-file", "/nowhere"], "No such file"),
    ],
)
def test_uses_that_make_no_command_end_with_1_and_say_why(
    script: str, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_script(script, arguments) == 1
    output = capsys.readouterr()
    assert not output.out
    assert re.search(problem, output.err), output.err


def test_lines_are_split_in_headers_key_and_value() -> None:
    reader = console_lines(
        {"parse.key": "true", "parse.headers": "true", "key.separator": ":", "null.marker": "NUL", "ignore.error": ""}
    )
    assert reader.parse(b"a:1,b:NUL\tk:v:w", 1) == OutgoingRecord(b"k", b"v:w", (("a", b"1"), ("b", None)))
    assert reader.parse(b"NUL\tNUL:NUL", 1) == OutgoingRecord(None, None)
    with pytest.raises(LineError, match="No headers delimiter found on line number 3: 'k:v'"):
        reader.parse(b"k:v", 3)
    with pytest.raises(LineError, match="No key separator found on line number 4"):
        reader.parse(b"a:1\tvalue", 4)
    with pytest.raises(LineError, match="No header key separator found in pair 'a' on line number 5"):
        reader.parse(b"a\tk:v", 5)


def test_a_reader_that_ignores_errors_takes_the_line_as_the_value() -> None:
    reader = console_lines({"parse.key": "true", "ignore.error": "true"})
    assert reader.parse(b"no key", 1) == OutgoingRecord(None, b"no key")
    assert reader.parse(b"k\tv", 1) == OutgoingRecord(b"k", b"v")


def fetched(*records: Record) -> FetchedRecords:
    data = build_batch(list(records), base_offset=7)
    return FetchedRecords(TopicPartition("t", 3), memoryview(data), 7, None, 100)


def rendered(properties: dict[str, str], *records: Record) -> list[bytes | str]:
    texts = (text for _, text in console_format(properties).render_all(fetched(*records)))
    return [text if isinstance(text, bytes) else str(text) for text in texts]


def test_records_are_printed_as_kafkas_default_formatter_prints_them() -> None:
    everything = {
        f"print.{name}": "true" for name in ("timestamp", "partition", "offset", "epoch", "headers", "key", "value")
    }
    record = Record(b"k", b"v", [("a", b"1"), ("b", None)], 1234)
    bare = Record(None, None, (), 1235)
    assert rendered(everything, record, bare) == [
        b"CreateTime:1234\tPartition:3\tOffset:7\tEpoch:-1\ta:1,b:null\tk\tv\n",
        b"CreateTime:1235\tPartition:3\tOffset:8\tEpoch:-1\tNO_HEADERS\tnull\tnull\n",
    ]
    assert rendered({}, record) == [b"v\n"]
    other = {"print.key": "true", "print.value": "false", "null.literal": "NIL", "line.separator": ";"}
    assert rendered(other, bare) == [b"NIL;"]


def test_numbers_are_printed_by_kafkas_deserializers_and_what_is_none_is_told() -> None:
    properties = {"value.deserializer": "org.apache.kafka.common.serialization.LongDeserializer"}
    assert rendered(properties, Record(None, (-5).to_bytes(8, "big", signed=True))) == [b"-5\n"]
    assert rendered(properties, Record(None, b"x")) == ["1 bytes came where the deserializer takes 8"]


def test_configs_are_read_with_commas_within_brackets() -> None:
    assert config_pairs("retention.ms=5,cleanup.policy=[compact,delete],x=") == {
        "retention.ms": "5",
        "cleanup.policy": "compact,delete",
        "x": "",
    }
    with pytest.raises(UsageError, match="key=val"):
        config_pairs("retention.ms")


@pytest.mark.parametrize(
    ("pattern", "topic", "fits"),
    [("a,b.*", "bcd", True), ("a,b.*", "ab", False), ("'a'", "a", True), ("a.c", "abc", True), ("a", "aa", False)],
)
def test_topics_are_chosen_by_kafkas_patterns(pattern: str, topic: str, fits: bool) -> None:
    assert bool(topic_pattern(pattern).fullmatch(topic)) is fits


def test_settings_of_other_clients_are_named_and_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    given = {"client.id": "me", "key.serializer": "x.Y", "security.protocol": "PLAINTEXT"}
    assert settings_of(given).client.client_id == "me"
    assert "not used by this client: key.serializer" in capsys.readouterr().err
    with pytest.raises(UsageError, match="PLAINTEXT only"):
        settings_of({"security.protocol": "SASL_SSL"})


def test_groups_are_listed_in_kafkas_columns(capsys: pytest.CaptureFixture[str]) -> None:
    listings = [GroupListing("g", "Stable", "classic", "consumer")]
    print_listing(listings, wants_type=True, wants_state=True)
    assert capsys.readouterr().out.splitlines() == [
        "GROUP                     TYPE                 STATE               ",
        "g                         Classic              Stable              ",
    ]


def test_static_members_have_a_column_of_their_own(capsys: pytest.CaptureFixture[str]) -> None:
    at = TopicPartition("t", 0)
    print_members("g", [MemberView("m", "one", "c", "127.0.0.1", (at,))], is_verbose=False)
    assert capsys.readouterr().out.splitlines() == [
        "",
        "GROUP           CONSUMER-ID     GROUP-INSTANCE-ID HOST            CLIENT-ID       #PARTITIONS     ",
        "g               m               one               /127.0.0.1      c               1               ",
    ]


def test_errors_have_the_names_of_javas_classes() -> None:
    assert java_name(ErrorCode.GROUP_ID_NOT_FOUND).endswith(".GroupIdNotFoundException")
    assert java_name(ErrorCode.NON_EMPTY_GROUP).endswith(".GroupNotEmptyException")


def test_scripts_are_installed_run_and_replaced_but_foreign_files_are_not(tmp_path: Path) -> None:
    runner, directory = CliRunner(), tmp_path / "new" / "bin"
    for _ in range(2):
        assert runner.invoke(scripts, ["install", str(directory)]).exit_code == 0
    assert sorted(path.name for path in directory.iterdir()) == sorted(TOOLS)
    # A module in the caller's directory must not stand in for one of Python's.
    (tmp_path / "asyncio.py").write_text("raise SystemExit(99)")
    done = subprocess.run(
        [str(directory / "kafka-topics.sh"), "--version"], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert (done.returncode, "Chronik" in done.stdout) == (0, True), done.stderr
    (directory / "kafka-acls.sh").write_text("mine")
    os.remove(directory / "kafka-topics.sh")
    refused = runner.invoke(scripts, ["install", str(directory)])
    assert refused.exit_code != 0
    assert not (directory / "kafka-topics.sh").exists(), "nothing was changed"
    assert (directory / "kafka-acls.sh").read_text() == "mine"
    assert runner.invoke(scripts, ["install", str(directory), "--force"]).exit_code == 0
    assert "kafka_scripts kafka-acls.sh" in (directory / "kafka-acls.sh").read_text()


def test_each_tool_says_what_it_is_for() -> None:
    listed = CliRunner().invoke(scripts, ["list"]).output
    for script in TOOLS:
        assert tool_of(script).name == script
        assert tool_of(script).purpose in listed
