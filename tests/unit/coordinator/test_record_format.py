"""The records of ``__consumer_offsets``: known bytes, Kafka's own reader as the judge, and what cannot be read."""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronik.coordinator.record_format import (
    GroupRecord,
    OffsetRecord,
    Record,
    StoredGroup,
    StoredMember,
    StoredOffset,
    decode,
    encode,
)
from chronik.model.ids import ZERO_TOPIC_ID, TopicPartition
from chronik.protocol.generated.offset_commit_record import OffsetCommitValue
from chronik.records import build
from tests.kafka_tools import DUMP_LOG_SEGMENTS

RunTool = Callable[..., CompletedProcess[str]]

TOPIC_ID = UUID(int=0x0102030405060708090A0B0C0D0E0F10)
MEMBER = StoredMember("m-1", "desk-1", "client", "/10.0.0.1", 60_000, 10_000, b"\0\1sub", b"\0\1asg")
GENERATION = StoredGroup(7, "consumer", "range", "m-1", 1_700_000_000_000, (MEMBER,))
EMPTY = StoredGroup(8, "consumer", None, None, 1_700_000_000_001, ())
POSITION = StoredOffset(41, 3, "note", 1_700_000_000_002, None, TOPIC_ID)
EXPIRING = StoredOffset(42, -1, "", 1_700_000_000_003, 1_700_000_009_999)
EVENTS = TopicPartition("events", 2)


def test_a_committed_offset_has_known_bytes() -> None:
    key, value = encode(OffsetRecord("readers", EVENTS, POSITION))
    assert key == b"\0\1" + b"\0\7readers" + b"\0\6events" + b"\0\0\0\2"
    body = (41).to_bytes(8, "big") + (3).to_bytes(4, "big") + b"\5note" + (1_700_000_000_002).to_bytes(8, "big")
    assert value == b"\0\4" + body + b"\1\0\x10" + TOPIC_ID.bytes


@pytest.mark.parametrize("topic_id", [ZERO_TOPIC_ID, TOPIC_ID])
@pytest.mark.parametrize("length", [0, 126, 127, 128, 4096, 20_000])
def test_a_committed_offset_is_what_the_generated_codec_writes(length: int, topic_id: UUID) -> None:
    _, value = encode(OffsetRecord("readers", EVENTS, StoredOffset(41, 3, "n" * length, 5, None, topic_id)))
    generated = OffsetCommitValue(41, 3, "n" * length, 5, topic_id=topic_id).encode(4)
    assert value == b"\0\4" + b"".join(generated)


def test_a_committed_offset_with_an_expiry_has_known_bytes() -> None:
    _, value = encode(OffsetRecord("readers", EVENTS, EXPIRING))
    times = (1_700_000_000_003).to_bytes(8, "big") + (1_700_000_009_999).to_bytes(8, "big")
    assert value == b"\0\1" + (42).to_bytes(8, "big") + b"\0\0" + times


def test_a_generation_has_known_bytes() -> None:
    key, value = encode(GroupRecord("readers", GENERATION))
    assert key == b"\0\2" + b"\0\7readers"
    head = b"\0\3" + b"\0\x08consumer" + (7).to_bytes(4, "big") + b"\0\5range" + b"\0\3m-1"
    since = (1_700_000_000_000).to_bytes(8, "big")
    names = b"\0\3m-1" + b"\0\6desk-1" + b"\0\6client" + b"\0\x09/10.0.0.1"
    times = (60_000).to_bytes(4, "big") + (10_000).to_bytes(4, "big")
    member = names + times + b"\0\0\0\5\0\1sub" + b"\0\0\0\5\0\1asg"
    assert value == head + since + b"\0\0\0\1" + member


@pytest.mark.parametrize("record", [OffsetRecord("readers", EVENTS, None), GroupRecord("readers", None)])
def test_a_removal_has_no_value(record: Record) -> None:
    state = encode(record)
    assert state.value is None
    assert decode(*state) == record


texts = st.text("a\0é€𝄞", max_size=5)
names = st.none() | texts
times = st.integers(0, 2**62)
members = st.builds(
    StoredMember, texts, names, texts, texts, st.integers(0, 2**31 - 1), st.integers(0, 2**31 - 1), *[st.binary()] * 2
)
groups = st.builds(
    StoredGroup,
    st.integers(0, 2**31 - 1),
    texts,
    names,
    names,
    st.none() | times,
    st.lists(members, max_size=3).map(tuple),
)
ids = st.integers(0, 2**128 - 1).map(lambda number: UUID(int=number))
kept = st.builds(StoredOffset, times, st.integers(-1, 9), texts, times, st.none(), ids)
expiring = st.builds(StoredOffset, times, st.just(-1), texts, times, times, st.just(ZERO_TOPIC_ID))
partitions = st.builds(TopicPartition, texts, st.integers(0, 2**31 - 1))
records = st.builds(GroupRecord, texts, st.none() | groups) | st.builds(
    OffsetRecord, texts, partitions, st.none() | kept | expiring
)


@settings(max_examples=300, derandomize=True, database=None, deadline=None)
@given(records)
def test_what_is_written_is_read_again(record: Record) -> None:
    assert decode(*encode(record)) == record


def test_the_oldest_kind_of_key_and_value_is_read() -> None:
    key = b"\0\0" + encode(OffsetRecord("readers", EVENTS, None)).key[2:]
    value = b"\0\0" + (41).to_bytes(8, "big") + b"\0\4note" + (1_700_000_000_002).to_bytes(8, "big")
    expected = StoredOffset(41, -1, "note", 1_700_000_000_002)
    assert decode(key, value) == OffsetRecord("readers", EVENTS, expected)


def test_before_there_was_a_rebalance_time_out_it_was_the_session_time_out() -> None:
    member = b"\0\1m\0\1c\0\1h" + (9_000).to_bytes(4, "big") + b"\0\0\0\0\0\0\0\0"
    value = b"\0\0" + b"\0\x08consumer" + (1).to_bytes(4, "big") + b"\0\1p\0\1m" + b"\0\0\0\1" + member
    record = decode(encode(GroupRecord("readers", None)).key, value)
    assert isinstance(record, GroupRecord)
    assert record.value is not None
    assert record.value.since_ms is None
    assert record.value.members[0].rebalance_timeout_ms == 9_000


def test_bytes_that_are_no_record_are_told_apart_and_raise_nothing() -> None:
    dice = random.Random(5)
    originals = [encode(GroupRecord("readers", GENERATION)), encode(OffsetRecord("readers", EVENTS, POSITION))]
    for key, value in originals:
        assert value is not None
        for cut in range(len(key)):
            assert decode(key[:cut], value) is None
        for cut in range(len(value)):
            assert decode(key, value[:cut]) is None
        for _ in range(2_000):
            changed = bytearray(value)
            changed[dice.randrange(len(changed))] = dice.randrange(256)
            decode(key, bytes(changed))
    assert decode(b"\0\x03" + originals[0].key[2:], originals[0].value) is None
    assert decode(originals[0].key, b"\0\5") is None


def test_kafka_reads_the_records_as_they_were_meant(tmp_path: Path, run_kafka_tool: RunTool) -> None:
    told = [
        GroupRecord("readers", GENERATION),
        OffsetRecord("readers", EVENTS, POSITION),
        OffsetRecord("readers", EVENTS, EXPIRING),
        GroupRecord("readers", EMPTY),
        OffsetRecord("readers", EVENTS, None),
        GroupRecord("readers", None),
    ]
    batch = build.build_batch([build.Record(*encode(record), timestamp=1_700_000_000_000) for record in told])
    segment = tmp_path / "00000000000000000000.log"
    segment.write_bytes(batch)
    done = run_kafka_tool(DUMP_LOG_SEGMENTS, "--offsets-decoder", "--files", str(segment))
    assert done.returncode == 0, done.stderr
    dumped = [line for line in done.stdout.splitlines() if "key: " in line or "payload: " in line]
    assert len(dumped) == len(told), done.stdout
    facts = [_facts(line) for line in dumped]
    group_key = {"type": "2", "data": {"group": "readers"}}
    offset_key = {"type": "1", "data": {"group": "readers", "topic": "events", "partition": 2}}
    assert [key for key, _ in facts] == [group_key, offset_key, offset_key, group_key, offset_key, group_key]
    values = [value for _, value in facts]
    assert values[0]["data"]["members"][0]["groupInstanceId"] == "desk-1"
    assert values[0]["data"]["generation"] == 7
    assert values[1]["version"] == "4"
    assert values[1]["data"]["offset"] == 41
    assert values[1]["data"]["topicId"] == "AQIDBAUGBwgJCgsMDQ4PEA"
    assert values[2]["data"]["expireTimestamp"] == 1_700_000_009_999
    assert values[3]["data"]["members"] == []
    assert values[4:] == [{}, {}]


def _facts(line: str) -> tuple[dict[str, object], dict[str, Any]]:
    """Key and value as Kafka's tool prints them."""
    found = re.search(r"key: (\{.*\}) payload: (.*)$", line)
    assert found is not None, line
    return json.loads(found[1]), {} if found[2] == "<DELETE>" else json.loads(found[2])
