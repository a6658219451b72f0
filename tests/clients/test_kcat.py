"""kcat against a real broker: produce, consume, list and query."""

import json
import subprocess

import pytest

from tests.brokers import BrokerProcess


def run(kcat: str, broker: BrokerProcess, *arguments: str, stdin: bytes = b"") -> bytes:
    done = subprocess.run(
        [kcat, "-b", broker.bootstrap, *arguments], input=stdin, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.parametrize("codec", ["none", "gzip", "snappy", "lz4", "zstd"])
def test_what_kcat_sends_kcat_reads(kcat: str, shared_broker: BrokerProcess, topic_name: str, codec: str) -> None:
    lines = b"".join(b"line %d\n" % index for index in range(1_000))
    run(kcat, shared_broker, "-P", "-t", topic_name, "-p", "0", "-z", codec, stdin=lines)
    assert run(kcat, shared_broker, "-C", "-q", "-t", topic_name, "-p", "0", "-o", "beginning", "-e") == lines
    tail = run(kcat, shared_broker, "-C", "-q", "-t", topic_name, "-p", "0", "-o", "-3", "-e")
    assert tail == b"line 997\nline 998\nline 999\n"


def test_keys_headers_and_nulls_come_through(kcat: str, shared_broker: BrokerProcess, topic_name: str) -> None:
    sent = ["-P", "-t", topic_name, "-p", "0", "-K", ":", "-Z", "-H", "trace=7"]
    run(kcat, shared_broker, *sent, stdin=b"key:value\nempty:\n:unnamed\n")
    read = run(kcat, shared_broker, "-C", "-q", "-t", topic_name, "-p", "0", "-e", "-J")
    records = [json.loads(line) for line in read.splitlines()]
    assert [(one["key"], one["payload"], one["headers"]) for one in records] == [
        ("key", "value", ["trace", "7"]),
        ("empty", None, ["trace", "7"]),
        (None, "unnamed", ["trace", "7"]),
    ]


def test_kcat_lists_and_queries(kcat: str, shared_broker: BrokerProcess, topic_name: str) -> None:
    run(kcat, shared_broker, "-P", "-t", topic_name, "-p", "0", stdin=b"1\n2\n3\n")
    listed = json.loads(run(kcat, shared_broker, "-L", "-J", "-t", topic_name))
    assert [one["name"] for one in listed["brokers"]] == [shared_broker.bootstrap]
    assert listed["topics"][0]["partitions"][0]["leader"] == 1
    assert run(kcat, shared_broker, "-Q", "-t", f"{topic_name}:0:-1").split()[-1] == b"3"
    assert run(kcat, shared_broker, "-Q", "-t", f"{topic_name}:0:-2").split()[-1] == b"0"


def test_an_idempotent_kcat_is_acknowledged(kcat: str, shared_broker: BrokerProcess, topic_name: str) -> None:
    lines = b"".join(b"%d\n" % index for index in range(500))
    run(kcat, shared_broker, "-P", "-t", topic_name, "-p", "0", "-X", "enable.idempotence=true", stdin=lines)
    assert run(kcat, shared_broker, "-C", "-q", "-t", topic_name, "-p", "0", "-e") == lines
