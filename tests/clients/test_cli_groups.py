"""The commands for groups against a broker process; their members are processes too."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.brokers import CHRONIK, BrokerProcess, running_broker
from tests.clients.commands import SECONDS_MAX, here, json_here, ok_here, prepare, send

GROUPS = "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand"
Row = dict[str, Any]


@pytest.fixture(scope="module")
def eager_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker on which a new group does not wait for more members."""
    with running_broker(tmp_path_factory.mktemp("eager"), {"group.initial.rebalance.delay.ms": 0}) as broker:
        yield broker


@pytest.fixture
def group_name(topic_name: str) -> str:
    """A group name that no other test uses."""
    return f"{topic_name}-readers"


def rows_of(bootstrap: str, group: str) -> list[Row]:
    [described] = json_here(["group", "describe", group], bootstrap)
    rows: list[Row] = described["partitions"]
    return rows


def committed(bootstrap: str, group: str) -> dict[int, int | None]:
    return {row["partition"]: row["committed"] for row in rows_of(bootstrap, group)}


@contextmanager
def member(bootstrap: str, topic: str, group: str, *args: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Run a process that reads a topic as a member, until the block ends or it was ended there."""
    command = [str(CHRONIK), "topic", "consume", topic, "--group", group, "--follow", "-b", bootstrap, *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(SECONDS_MAX)


def until_true(is_reached: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + SECONDS_MAX
    while not is_reached():
        assert time.monotonic() < deadline, what


def test_seek_changes_nothing_before_it_is_told_to(
    shared_broker: BrokerProcess, topic_name: str, group_name: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "0\n1\n2\n3\n")
    seek = ["group", "seek", group_name, "--topic", topic_name, "--to-offset", "3"]
    planned = json_here(seek, bootstrap)
    step = {"topic": topic_name, "partition": 0, "committed": None, "new": 3, "note": None}
    assert planned == {"group": group_name, "executed": False, "partitions": [step]}
    absent = here(["group", "describe", group_name], bootstrap)
    assert absent.returncode == 1
    assert f"group {group_name}: GROUP_ID_NOT_FOUND" in absent.stderr.decode()
    assert "chronik group list" in absent.stderr.decode()

    assert "--execute" not in ok_here([*seek, "--execute"], bootstrap)
    [row] = rows_of(bootstrap, group_name)
    assert (row["committed"], row["log_start"], row["high_watermark"], row["lag"]) == (3, 0, 4, 1)


def test_seek_goes_by_time_by_shift_and_to_both_ends_and_never_outside(
    shared_broker: BrokerProcess, topic_name: str, group_name: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "0\n1\n")
    later = int(time.time() * 1000) + 1
    until_true(lambda: time.time() * 1000 > later, "the clock goes on")
    send(bootstrap, topic_name, "2\n3\n")

    def moved(*where: str) -> tuple[int, str | None]:
        wanted = ["group", "seek", group_name, "--topic", topic_name, *where, "--execute"]
        [step] = json_here(wanted, bootstrap)["partitions"]
        assert committed(bootstrap, group_name) == {0: step["new"]}
        return step["new"], step["note"]

    assert moved("--to-timestamp", str(later)) == (2, None)
    assert moved("--shift-by", "-1") == (1, None)
    assert moved("--shift-by", "100") == (4, "101 is beyond the high watermark")
    assert moved("--to-earliest") == (0, None)
    assert moved("--to-datetime", "2999-01-01T00:00") == (4, "no record is that late")
    assert moved("--by-duration", "1h") == (0, None)
    ok_here(["topic", "alter", topic_name, "--trim", "0:3"], bootstrap)
    [row] = rows_of(bootstrap, group_name)
    assert (row["committed"], row["log_start"], row["lag"]) == (0, 3, 1), "lag counts from the log start"
    assert moved("--to-current") == (3, "0 is below the log start")


def test_exported_offsets_bring_a_group_back_to_where_it_was(
    shared_broker: BrokerProcess, topic_name: str, group_name: str, tmp_path: Path
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "\n".join("abcdefgh"), partitions=2)
    [described] = json_here(["topic", "describe", topic_name], bootstrap)
    ends = {row["partition"]: row["high_watermark"] for row in described["partitions"]}
    seek = ["group", "seek", group_name]
    ok_here([*seek, "--topic", f"{topic_name}:0", "--to-latest", "--execute"], bootstrap)
    ok_here([*seek, "--topic", f"{topic_name}:1", "--to-earliest", "--execute"], bootstrap)
    saved = tmp_path / "saved.csv"
    saved.write_text(ok_here([*seek, "--all-topics", "--to-current", "--export"], bootstrap))
    assert saved.read_text() == f"{topic_name},0,{ends[0]}\n{topic_name},1,0\n"

    ok_here([*seek, "--all-topics", "--to-offset", "1", "--execute"], bootstrap)
    assert committed(bootstrap, group_name) == {0: min(1, ends[0]), 1: min(1, ends[1])}
    ok_here([*seek, "--from-file", str(saved), "--execute"], bootstrap)
    assert committed(bootstrap, group_name) == {0: ends[0], 1: 0}


def test_groups_are_listed_by_state_and_deleted_whole_or_in_part(
    shared_broker: BrokerProcess, topic_name: str, group_name: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "a\n", partitions=2)
    ok_here(["group", "seek", group_name, "--topic", topic_name, "--to-earliest", "--execute"], bootstrap)
    listed = {row["group"]: row for row in json_here(["group", "list", "--state", "empty"], bootstrap)}
    assert listed[group_name] == {
        "group": group_name,
        "state": "Empty",
        "type": "classic",
        "protocol_type": "",
        "members": 0,
    }
    assert group_name not in ok_here(["group", "list", "--state", "Stable,Dead"], bootstrap)

    part = json_here(["group", "delete", group_name, "--topic", f"{topic_name}:1"], bootstrap)
    assert part == [{"group": group_name, "topic": topic_name, "partition": 1, "result": "deleted"}]
    assert committed(bootstrap, group_name) == {0: 0}
    none_left = here(["group", "delete", group_name, "--topic", f"{topic_name}:1"], bootstrap)
    assert (none_left.returncode, none_left.stdout) == (1, b"")
    assert f"no committed offset in {topic_name}" in none_left.stderr.decode()

    assert f"group {group_name} deleted" in ok_here(["group", "delete", group_name], bootstrap)
    again = here(["group", "delete", group_name], bootstrap)
    assert (again.returncode, again.stdout) == (1, b"")
    assert f"group {group_name}: GROUP_ID_NOT_FOUND" in again.stderr.decode()
    ok_here(["group", "delete", group_name, "--if-exists"], bootstrap)
    ok_here(["group", "delete", group_name, "--topic", topic_name, "--if-exists"], bootstrap)


def test_group_with_a_member_is_not_moved_or_deleted_and_the_member_is_named(
    eager_broker: BrokerProcess, topic_name: str, group_name: str, run_kafka_tool: Callable[..., Any]
) -> None:
    bootstrap = eager_broker.bootstrap
    prepare(bootstrap, topic_name, "a\nb\nc\n", partitions=2)
    settings = ["-X", "client.id=the-reader", "-X", "auto.commit.interval.ms=100"]
    with member(bootstrap, topic_name, group_name, *settings) as reader:
        assert reader.stdout is not None
        assert sorted(reader.stdout.readline() for _ in range(3)) == [b"a\n", b"b\n", b"c\n"]
        until_true(lambda: sum(filter(None, committed(bootstrap, group_name).values())) == 3, "all is committed")

        for refused, reason in (
            (["seek", group_name, "--all-topics", "--to-earliest", "--execute"], "the-reader at 127.0.0.1"),
            (["seek", group_name, "--all-topics", "--to-earliest"], "the-reader at 127.0.0.1"),
            (["delete", group_name], "NON_EMPTY_GROUP"),
            (["delete", group_name, "--topic", topic_name], "GROUP_SUBSCRIBED_TO_TOPIC"),
        ):
            done = here(["group", *refused], bootstrap)
            assert done.returncode == 1, refused
            assert reason in done.stderr.decode()
            assert group_name in done.stderr.decode()

        [described] = json_here(["group", "describe", group_name], bootstrap)
        assert (described["state"], described["protocol"]) == ("Stable", "range")
        [who] = described["members"]
        assert who["client"] == "the-reader"
        assert sorted(who["assigned"]) == [f"{topic_name}-0", f"{topic_name}-1"]
        [state] = json_here(["group", "describe", group_name, "--state"], bootstrap)
        assert (state["state"], state["member_count"], state["coordinator"]) == ("Stable", 1, bootstrap)
        assert "members" not in state
        kafkas = run_kafka_tool(GROUPS, "--bootstrap-server", bootstrap, "--describe", "--group", group_name)
        assert kafka_rows(kafkas.stdout) == our_rows(group_name, described["partitions"])
        reader.send_signal(signal.SIGINT)
        assert reader.wait(SECONDS_MAX) == 130


def kafka_rows(text: str) -> list[Mapping[str, str]]:
    """Read the table of Kafka's own command."""
    head, *lines = [line.split() for line in text.splitlines() if line.strip()]
    return sorted((dict(zip(head, line, strict=True)) for line in lines), key=lambda row: int(row["PARTITION"]))


def our_rows(group: str, partitions: list[Row]) -> list[Mapping[str, str]]:
    """Spell our rows as Kafka's command does."""
    names = {
        "TOPIC": "topic",
        "PARTITION": "partition",
        "CURRENT-OFFSET": "committed",
        "LOG-END-OFFSET": "high_watermark",
        "LAG": "lag",
        "CONSUMER-ID": "member",
        "CLIENT-ID": "client",
    }
    return [
        {
            "GROUP": group,
            "HOST": f"/{row['host']}",
            **{name: "-" if row[ours] is None else str(row[ours]) for name, ours in names.items()},
        }
        for row in partitions
    ]


def test_member_begins_where_the_group_was_and_commits_what_was_printed(
    eager_broker: BrokerProcess, topic_name: str, group_name: str
) -> None:
    bootstrap = eager_broker.bootstrap
    prepare(bootstrap, topic_name, "\n".join(map(str, range(10))))
    consume = ["topic", "consume", topic_name, "--group", group_name]
    assert ok_here([*consume, "-c", "4"], bootstrap).split() == ["0", "1", "2", "3"]
    assert committed(bootstrap, group_name) == {0: 4}
    stored = ["topic", "consume", topic_name, "-o", "stored", "-X", f"group.id={group_name}"]
    assert ok_here([*stored, "-c", "1"], bootstrap).split() == ["4"], "without joining"
    assert ok_here(consume, bootstrap).split() == ["4", "5", "6", "7", "8", "9"]
    assert committed(bootstrap, group_name) == {0: 10}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_member_that_is_ended_commits_what_it_printed_and_leaves(
    eager_broker: BrokerProcess, topic_name: str, group_name: str, number: signal.Signals, code: int
) -> None:
    bootstrap = eager_broker.bootstrap
    prepare(bootstrap, topic_name, "0\n1\n")
    # Only the end commits.
    with member(bootstrap, topic_name, group_name, "-X", "auto.commit.interval.ms=600000") as reader:
        assert reader.stdout is not None
        assert [reader.stdout.readline() for _ in range(2)] == [b"0\n", b"1\n"]
        assert committed(bootstrap, group_name) == {0: None}
        reader.send_signal(number)
        assert reader.wait(SECONDS_MAX) == code
        assert reader.stderr is not None
        assert reader.stderr.read().strip() == b""
    [described] = json_here(["group", "describe", group_name], bootstrap)
    assert (described["state"], described["members"]) == ("Empty", [])
    assert committed(bootstrap, group_name) == {0: 2}
