"""Records on the command line: patterns, bounds and inputs as kcat has them, and JSON."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.brokers import CHRONIK, BrokerProcess
from tests.clients.commands import SECONDS_MAX, chronik, consumed, ok, ok_here, prepare

LINES = [
    {"key": "a", "value": "one", "headers": {"h": "1", "null": None}, "partition": 0, "timestamp": 1000},
    {"key": None, "value": None, "partition": 0, "timestamp": 2000},
    {"key_base64": "/w==", "value": {"x": [1, 2]}, "partition": 0, "timestamp": 3000},
    {
        "value": "",
        "headers": [{"name": "n", "value_base64": "/v8="}],
        "partition": 1,
        "timestamp": "1970-01-01T00:00:04Z",
    },
]


@pytest.fixture
def filled(shared_broker: BrokerProcess, topic_name: str) -> str:
    """The address of a broker on which the topic holds ``LINES``."""
    # The records are old enough for retention to take them.
    prepare(shared_broker.bootstrap, topic_name, partitions=2, configs=["retention.ms=-1"])
    text = "\n\n".join(json.dumps(line) for line in LINES)
    account = json.loads(ok(["topic", "produce", topic_name, "--from-json", "--json"], shared_broker.bootstrap, text))
    assert (account["sent"], account["acknowledged"], account["unreadable"], account["problems"]) == (4, 4, 0, [])
    return shared_broker.bootstrap


def test_json_comes_back_as_it_was_sent_and_can_be_sent_again(filled: str, topic_name: str) -> None:
    first = consumed([topic_name], filled)
    known = [(r["partition"], r["timestamp_ms"], r.get("key", r.get("key_base64")), r["value"]) for r in first]
    assert sorted(known, key=lambda row: row[1]) == [
        (0, 1000, "a", "one"),
        (0, 2000, None, None),
        (0, 3000, "/w==", '{"x":[1,2]}'),
        (1, 4000, None, ""),
    ]
    copy = f"{topic_name}-copy"
    prepare(filled, copy, partitions=2, configs=["retention.ms=-1"])
    ok(["topic", "produce", copy, "--from-json"], filled, "\n".join(json.dumps(record) for record in first))
    again = [{**record, "topic": topic_name} for record in consumed([copy], filled)]
    assert sorted(again, key=lambda r: int(r["timestamp_ms"])) == sorted(first, key=lambda r: int(r["timestamp_ms"]))


@pytest.mark.parametrize("more", [[], ["-Z"]])
def test_pattern_prints_what_kcat_prints(filled: str, topic_name: str, kcat: str, more: list[str]) -> None:
    pattern = "%t %p %o %T k=%k,%K s=%s,%S [%h] %R 100%%\\x21\\t\\n"
    ours = chronik(["topic", "consume", topic_name, "-p", "0", "-f", pattern, *more], filled)
    theirs = subprocess.run(
        [kcat, "-b", filled, "-C", "-t", topic_name, "-p", "0", "-e", "-q", "-f", pattern, *more],
        capture_output=True,
        timeout=SECONDS_MAX,
        check=True,
    )
    assert ours.returncode == 0, ours.stderr
    assert ours.stdout == theirs.stdout


def test_reading_begins_and_ends_where_kcats_offsets_say(filled: str, topic_name: str) -> None:
    def offsets(*bounds: str) -> str:
        return ok(["topic", "consume", topic_name, "-p", "0", *bounds, "-f", "%o "], filled)

    assert offsets("-o", "beginning") == "0 1 2 "
    assert offsets("-o", "end") == ""
    assert offsets("-o", "-2") == "1 2 "
    assert offsets("-o", "s@1500", "-o", "e@3000") == "1 "
    assert offsets("-o", "-1", "-e", "-c", "1") == "2 "
    ok(["topic", "alter", topic_name, "--trim", "0:2"], filled)
    assert offsets("-o", "-3") == "2 ", "counting back ends at the log start"


def test_lines_end_and_split_as_asked_and_empty_becomes_null(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    ok(["topic", "produce", topic_name, "-D", ";", "-K", ":", "-Z", "-a", "all"], bootstrap, "a:1\n;:2;b:")
    printed = ok(["topic", "consume", topic_name, "-K", "=", "-D", "|", "-Z"], bootstrap)
    assert printed == "a=1\n|NULL=2|b=NULL|"


def test_files_are_sent_whole(shared_broker: BrokerProcess, topic_name: str, tmp_path: Path) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_bytes(b"several\nlines\n")
    second.write_bytes(bytes(range(256)))
    nothing = chronik(["topic", "produce", topic_name, str(first), str(tmp_path / "nowhere")], bootstrap)
    assert nothing.returncode == 2
    assert "nowhere: No such file" in nothing.stderr.decode()
    ok(["topic", "produce", topic_name, "-k", "name", str(first), str(second)], bootstrap)
    printed = chronik(["topic", "consume", topic_name, "-f", "%k:%S:%s"], bootstrap)
    assert printed.stdout == b"name:14:several\nlines\nname:256:" + bytes(range(256))


def test_each_record_that_fails_is_named_and_the_others_are_sent(shared_broker: BrokerProcess, topic_name: str) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name, configs=["max.message.bytes=1000"])
    lines = ['{"value": "good"}', "nonsense", '{"value": "far", "partition": 7}', json.dumps({"value": "x" * 5000})]
    # Each batch holds one record, so that the large one does not take the good one with it.
    args = ["topic", "produce", topic_name, "--from-json", "--json", "-X", "batch.size=1"]
    done = chronik(args, bootstrap, "\n".join(lines))
    account = json.loads(done.stdout)
    assert done.returncode == 1
    assert [account[name] for name in ("sent", "acknowledged", "refused", "unknown", "unreadable")] == [3, 1, 2, 0, 1]
    assert account["errors"] == {"UNKNOWN_TOPIC_OR_PARTITION": 1, "MESSAGE_TOO_LARGE": 1}
    assert sorted((problem["record"], problem["outcome"]) for problem in account["problems"]) == [
        ("line 2", "unreadable"),
        ("line 3", "refused"),
        ("line 4", "refused"),
    ]
    told = done.stderr.decode()
    assert "line 2 unreadable: not JSON" in told
    assert "line 4 refused" in told
    assert "raise max.message.bytes" in told
    assert ok(["topic", "consume", topic_name], bootstrap) == "good\n"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_sender_accounts_for_what_it_has_sent(
    shared_broker: BrokerProcess, topic_name: str, number: signal.Signals, code: int
) -> None:
    bootstrap = shared_broker.bootstrap
    prepare(bootstrap, topic_name)
    command = [str(CHRONIK), "topic", "produce", topic_name, "-b", bootstrap]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0) as sender:
        assert sender.stdin is not None
        assert sender.stderr is not None
        sender.stdin.write(b"a\nb\nc\n")
        deadline = time.monotonic() + SECONDS_MAX
        while ok_here(["topic", "consume", topic_name], bootstrap).split() != ["a", "b", "c"]:
            assert time.monotonic() < deadline
        sender.send_signal(number)
        assert sender.wait(SECONDS_MAX) == code
        assert f"topic {topic_name}: 3 sent, 3 acknowledged" in sender.stderr.read().decode()


def test_topic_that_does_not_exist_is_told_once_and_not_for_each_line(shared_broker: BrokerProcess) -> None:
    began = time.monotonic()
    done = chronik(["topic", "produce", "not a name"], shared_broker.bootstrap, "a\nb\nc\n")
    assert done.returncode == 1
    assert done.stderr.decode().count("INVALID_TOPIC_EXCEPTION") == 1
    assert time.monotonic() - began < SECONDS_MAX / 2
