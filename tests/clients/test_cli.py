"""The commands, as processes, against a broker process."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.brokers import CHRONIK, BrokerProcess
from tests.clients.commands import SECONDS_MAX, chronik, consumed, ok, ok_json, prepare, send


def test_topic_is_created_listed_described_altered_and_deleted(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    [created] = ok_json(["topic", "create", topic_name, "-p", "2", "-c", "retention.ms=60000"], bootstrap)
    assert (created["result"], created["partitions"]) == ("created", 2)

    listed = {topic["topic"]: topic for topic in ok_json(["topic", "list"], bootstrap)}
    assert listed[topic_name]["topic_id"] == created["topic_id"]

    ok(
        ["topic", "alter", topic_name, "-p", "3", "--set", "cleanup.policy=compact", "--unset", "retention.ms"],
        bootstrap,
    )
    [described] = ok_json(["topic", "describe", topic_name], bootstrap)
    assert [(p["partition"], p["log_start"], p["high_watermark"]) for p in described["partitions"]] == [
        (0, 0, 0),
        (1, 0, 0),
        (2, 0, 0),
    ]
    node = shared_broker.ready["node_id"]
    assert all((p["leader"], p["isr"], p["problem"]) == (node, [node], None) for p in described["partitions"])
    assert described["configs"]["cleanup.policy"] == {"value": "compact", "source": "TOPIC"}
    assert "retention.ms" not in described["configs"]

    assert f"topic {topic_name} deleted" in ok(["topic", "delete", topic_name], bootstrap)
    gone = chronik(["topic", "describe", topic_name], bootstrap)
    assert (gone.returncode, gone.stdout) == (1, b"")
    assert f"topic {topic_name}: UNKNOWN_TOPIC_OR_PARTITION" in gone.stderr.decode()


def test_table_for_people_names_leader_replicas_and_offsets(shared_broker: BrokerProcess, topic_name: str) -> None:
    prepare(shared_broker.bootstrap, topic_name, "a\nb\n")
    title, head, row, *_ = ok(["topic", "describe", topic_name], shared_broker.bootstrap).splitlines()
    assert topic_name in title
    assert head.split() == [
        "partition",
        "leader",
        "epoch",
        "replicas",
        "isr",
        "log",
        "start",
        "high",
        "watermark",
        "records",
        "problem",
    ]
    node = str(shared_broker.ready["node_id"])
    partition, leader, _, replicas, isr, start, end, records, problem = row.split()
    assert [partition, leader, replicas, isr, start, end, records, problem] == [
        "0",
        node,
        node,
        node,
        "0",
        "2",
        "2",
        "-",
    ]


def test_topic_that_exists_is_refused_unless_that_was_foreseen(shared_broker: BrokerProcess, topic_name: str) -> None:
    prepare(shared_broker.bootstrap, topic_name)
    again = chronik(["topic", "create", topic_name], shared_broker.bootstrap)
    assert again.returncode == 1
    assert "TOPIC_ALREADY_EXISTS" in again.stderr.decode()
    ok(["topic", "create", topic_name, "--if-not-exists"], shared_broker.bootstrap)
    ok(["topic", "delete", topic_name], shared_broker.bootstrap)
    ok(["topic", "delete", topic_name, "--if-exists"], shared_broker.bootstrap)


def test_validation_alone_creates_nothing(shared_broker: BrokerProcess, topic_name: str) -> None:
    [outcome] = ok_json(["topic", "create", topic_name, "--validate-only"], shared_broker.bootstrap)
    assert outcome["result"] == "valid"
    wrong = chronik(
        ["topic", "create", topic_name, "--validate-only", "-c", "retention.mss=1"], shared_broker.bootstrap
    )
    assert wrong.returncode == 1
    assert "INVALID_CONFIG" in wrong.stderr.decode()
    names = [topic["topic"] for topic in ok_json(["topic", "list"], shared_broker.bootstrap)]
    assert topic_name not in names


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_lines_are_sent_and_come_back_in_order_with_every_codec(
    shared_broker: BrokerProcess, topic_name: str, codec: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    lines = [f"line {index} äöü" for index in range(3000)]
    sent = ok_json(["topic", "produce", topic_name, "-z", codec, "-X", "batch.size=10000"], bootstrap, "\n".join(lines))
    assert (sent["sent"], sent["acknowledged"], sent["errors"]) == (3000, 3000, {})
    assert ok(["topic", "consume", topic_name], bootstrap).splitlines() == lines


def test_idempotent_lines_with_keys_headers_and_nulls_come_back_as_they_were(
    shared_broker: BrokerProcess, topic_name: str, tmp_path: Path
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, partitions=2)
    source = tmp_path / "lines"
    source.write_bytes(b"a:1\nb:NULL\nc:\nno key\n\xff:\xfe\n")
    args = ["topic", "produce", topic_name, "-f", str(source), "-K", ":", "--null", "NULL", "-p", "1", "--idempotent"]
    sent = ok_json([*args, "-H", "from=cli", "-H", "empty="], bootstrap)
    assert (sent["sent"], sent["acknowledged"]) == (5, 5)
    records = consumed([topic_name], bootstrap)
    assert [(record["partition"], record["offset"]) for record in records] == [(1, offset) for offset in range(5)]
    assert [(record.get("key"), record.get("value")) for record in records[:4]] == [
        ("a", "1"),
        ("b", None),
        ("c", ""),
        (None, "no key"),
    ]
    assert (records[4]["key_base64"], records[4]["value_base64"]) == ("/w==", "/g==")
    headers = [{"name": "from", "value": "cli"}, {"name": "empty", "value": ""}]
    assert all(record["headers"] == headers for record in records)


def test_reading_begins_at_an_offset_a_time_or_the_end_and_stops_at_a_count(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "0\n1\n2\n")
    time.sleep(0.01)
    later = int(time.time() * 1000)
    send(bootstrap, topic_name, "3\n4\n")

    def values(*args: str) -> list[str]:
        return ok(["topic", "consume", topic_name, *args], bootstrap).splitlines()

    assert values("--from", "2") == ["2", "3", "4"]
    assert values("--from", "-1") == ["4"]
    assert values("--from", f"@{later}") == ["3", "4"]
    assert values("--from", "latest") == []
    assert values("-n", "2") == ["0", "1"]
    beyond = chronik(["topic", "consume", topic_name, "--from", "9"], bootstrap)
    assert beyond.returncode == 0, "an offset behind the end has nothing to read up to now"

    ok(["topic", "alter", topic_name, "--trim", "0:3"], bootstrap)
    assert values() == ["3", "4"]
    trimmed = chronik(["topic", "consume", topic_name, "--from", "1"], bootstrap)
    assert trimmed.returncode == 1
    assert "OFFSET_OUT_OF_RANGE" in trimmed.stderr.decode()
    assert f"{topic_name}-0 offset 1" in trimmed.stderr.decode()


def test_following_shows_what_is_written_later_and_ends_quietly_on_ctrl_c(
    shared_broker: BrokerProcess, topic_name: str
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "before\n")
    command = [str(CHRONIK), "topic", "consume", topic_name, "--follow", "-b", bootstrap]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as follower:
        assert follower.stdout is not None
        assert follower.stderr is not None
        assert follower.stdout.readline() == b"before\n"
        send(bootstrap, topic_name, "after\n")
        assert follower.stdout.readline() == b"after\n"
        follower.send_signal(signal.SIGINT)
        assert follower.wait(SECONDS_MAX) == 130
        assert b"Traceback" not in follower.stderr.read()


def test_reader_of_our_output_may_go_away(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, "x" * 1000 + "\n" + ("y" * 1000 + "\n") * 3000)
    command = [str(CHRONIK), "topic", "consume", topic_name, "-b", bootstrap]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stderr is not None
        assert reader.stdout.readline() == b"x" * 1000 + b"\n"
        reader.stdout.close()
        assert reader.wait(SECONDS_MAX) == 141
        assert reader.stderr.read() == b""


def test_records_that_are_refused_are_counted_by_error(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, configs=["max.message.bytes=1000"])
    done = chronik(["topic", "produce", topic_name, "--json"], bootstrap, "x" * 5000 + "\n")
    account = json.loads(done.stdout)
    assert done.returncode == 1
    assert (account["sent"], account["acknowledged"], account["refused"]) == (1, 0, 1)
    assert account["errors"] == {"MESSAGE_TOO_LARGE": 1}
    assert f"{topic_name}-0" in done.stderr.decode()


def test_acks_0_claims_no_acknowledgement(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    account = ok_json(["topic", "produce", topic_name, "--acks", "0"], bootstrap, "a\nb\n")
    assert (account["sent"], account["acknowledged"], account["unknown"]) == (2, 0, 2)
    deadline = time.monotonic() + SECONDS_MAX
    while (values := ok(["topic", "consume", topic_name], bootstrap).splitlines()) != ["a", "b"]:
        assert time.monotonic() < deadline, values


def test_configs_are_set_and_got_with_where_they_come_from(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    ok(["config", "set", "topic", topic_name, "retention.ms=1234", "segment.bytes=1048576"], bootstrap)
    found = {view["name"]: view for view in ok_json(["config", "get", "topic", topic_name], bootstrap)}
    assert (found["retention.ms"]["value"], found["retention.ms"]["source"]) == ("1234", "TOPIC")
    ok(["config", "set", "topic", topic_name, "--delete", "retention.ms"], bootstrap)
    [one] = ok_json(["config", "get", "topic", topic_name, "retention.ms"], bootstrap)
    assert (one["value"], one["source"]) == ("604800000", "DEFAULT")
    wrong = chronik(["config", "set", "topic", topic_name, "retention.mss=1"], bootstrap)
    assert wrong.returncode == 1
    assert "INVALID_CONFIG" in wrong.stderr.decode()
    every = ok_json(["config", "get", "broker", str(shared_broker.ready["node_id"]), "--all"], bootstrap)
    assert len(every) > 20


def test_wrong_address_is_exit_code_2_and_names_it_with_advice() -> None:
    done = chronik(["topic", "list", "--timeout", "3"], "127.0.0.1:1")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "127.0.0.1:1: connection refused" in done.stderr.decode()
    assert "chronik serve" in done.stderr.decode()


def test_files_are_dumped_and_verified_without_a_broker(broker: BrokerProcess, topic_name: str) -> None:
    prepare(broker.bootstrap, topic_name, "one\ntwo\n")
    send(broker.bootstrap, topic_name, "three\n")
    broker.stop()
    directory = broker.data / f"{topic_name}-0"
    dumped = ok(["log", "dump", str(directory), "--records", "--json"], "").splitlines()
    batch, last = (json.loads(line) for line in dumped)
    assert (last["base_offset"], last["last_offset"]) == (2, 2)
    assert (batch["type"], batch["base_offset"], batch["record_count"]) == ("batch", 0, 2)
    assert [record["value"] for record in batch["records"]] == ["one", "two"]
    [report] = ok_json(["log", "verify", str(directory), "--records", "--gapless"], "")
    assert (report["is_sound"], report["records"], report["end_offset"]) == (True, 3, 3)

    segment = directory / "00000000000000000000.log"
    damaged = bytearray(segment.read_bytes())
    damaged[70] ^= 1
    segment.write_bytes(damaged)
    verdict = chronik(["log", "verify", str(broker.data)])
    assert verdict.returncode == 1
    assert "DAMAGED" in verdict.stdout.decode()
    assert chronik(["log", "dump", str(directory)]).returncode == 1
    assert chronik(["log", "verify", str(directory / "nowhere")]).returncode == 2


def test_second_broker_on_one_data_directory_is_refused_with_a_reason(broker: BrokerProcess) -> None:
    second = chronik(["serve", "--listen", "127.0.0.1:0", "--data", str(broker.data)])
    assert (second.returncode, second.stdout) == (1, b"")
    assert str(broker.data) in second.stderr.decode()


def test_all_problems_of_the_settings_are_told_at_once(tmp_path: Path) -> None:
    done = chronik(
        ["serve", "--listen", "0.0.0.0:0", "--data", str(tmp_path), "-X", "num.partitionz=3", "-X", "num.partitions=-1"]
    )
    assert (done.returncode, done.stdout) == (3, b"")
    told = done.stderr.decode()
    assert "num.partitions" in told
    assert "num.partitionz" in told
    assert "0.0.0.0" in told


def test_ready_line_for_people_says_where_it_serves_and_keeps_its_data(tmp_path: Path) -> None:
    command = [str(CHRONIK), "serve", "--listen", "127.0.0.1:0", "-X", "chronik.http.listener=127.0.0.1:0"]
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            assert "127.0.0.1:" in line
            assert str(tmp_path / "chronik") in line
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(SECONDS_MAX) == 0
