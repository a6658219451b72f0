"""What is tried with every client: the same scenarios for all, judged by frames and not by the client itself."""

import random
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest

from chronik.records.batch import walk
from tests.matrix.capabilities import Capability
from tests.matrix.program import ClientError, MatrixClient, MemberState, Sent
from tests.regressions.processes import wait_until
from tests.regressions.wire import Wire

CODECS: Final = ("none", "gzip", "snappy", "lz4", "zstd")
TEN_MEGABYTES: Final = 10_000_000
LARGE_ENOUGH: Final = 12_000_000
REFUSAL_SECONDS_MAX: Final = 25.0
"""Less than a client waits for a coordinator that does not come."""
SETTLE_SECONDS_MAX: Final = 60.0
HAND_OVER_SECONDS_MAX: Final = 25.0
LONG_SESSION_MS: Final = 30_000
"""So long that no handing over which the tests wait for can come from its end."""
SHORT_SESSION_MS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Trial:
    """One client, one broker, and a name that nobody else uses."""

    client: MatrixClient
    start_another: Callable[[], MatrixClient]
    bootstrap: str
    name: str

    def create_topic(self, partitions: int = 1, **configs: object) -> str:
        with Wire(self.bootstrap) as wire:
            wire.create_topic(self.name, partitions, **configs)
            # Apache Kafka answers before its partitions are open.
            wait_until(
                lambda: all(_is_open(wire, self.name, partition) for partition in range(partitions)),
                SETTLE_SECONDS_MAX,
                "the partitions are open",
            )
        return self.name

    def join(self, member: str, client: MatrixClient | None = None, **options: Any) -> None:
        settings = {"instance": None, "cooperative": False, "session_ms": LONG_SESSION_MS, **options}
        (client or self.client).ask("join", member=member, group=self.name, topic=self.name, **settings)

    def wait_for(self, condition: Callable[..., bool], *members: str, seconds_max: float = SETTLE_SECONDS_MAX) -> None:
        """Wait until the members' states satisfy the condition, and show them where they never do."""
        deadline = time.monotonic() + seconds_max
        while not condition(*(states := [self.client.member(member) for member in members])):
            assert time.monotonic() < deadline, f"the members never settled: {states}"
            time.sleep(0.02)

    def settle(self, *members: str, seconds_max: float = SETTLE_SECONDS_MAX) -> None:
        """Wait until the members share the four partitions evenly."""
        even = 4 // len(members)

        def shared(*states: MemberState) -> bool:
            held = sorted(partition for state in states for partition in state.assigned)
            return held == [0, 1, 2, 3] and all(len(state.assigned) == even for state in states)

        self.wait_for(shared, *members, seconds_max=seconds_max)


def _is_open(wire: Wire, topic: str, partition: int) -> bool:
    return int(wire.fetch(topic, 0, partition=partition).error_code) == 0


def produce(trial: Trial) -> None:
    topic = trial.create_topic()
    records = [Sent(b"key %d" % index, b"value %d" % index) for index in range(500)]
    offsets = trial.client.produce(topic, records)
    assert offsets == list(range(500)) or offsets == []
    with Wire(trial.bootstrap) as wire:
        stored = wire.read_all(topic)
    assert [(one.key, one.value) for one in stored] == [(one.key, one.value) for one in records]


def consume(trial: Trial) -> None:
    topic = trial.create_topic()
    values = [b"value %d" % index for index in range(500)]
    with Wire(trial.bootstrap) as wire:
        for start in range(0, 500, 100):
            wire.append(topic, *values[start : start + 100])
    assert [record.value for record in trial.client.consume(topic, 500)] == values


def _append_ids(trial: Trial, label: str) -> list[str]:
    """Ten ids in each of four partitions."""
    ids = [[f"{label} {partition} {index}" for index in range(10)] for partition in range(4)]
    with Wire(trial.bootstrap) as wire:
        for partition, some in enumerate(ids):
            wire.append(trial.name, *(one.encode() for one in some), partition=partition)
    return [one for some in ids for one in some]


def members_share_partitions(trial: Trial) -> None:
    trial.create_topic(4)
    before = _append_ids(trial, "before")
    trial.join("a")
    trial.settle("a")
    trial.wait_for(lambda a: sorted(a.values) == sorted(before), "a")
    trial.join("b")
    trial.settle("a", "b")
    after = _append_ids(trial, "after")

    def all_read_once(a: MemberState, b: MemberState) -> bool:
        read = [value for value in (*a.values, *b.values) if value.startswith("after")]
        assert len(read) == len(set(read)), "read twice without a rebalance"
        return sorted(read) == sorted(after)

    trial.wait_for(all_read_once, "a", "b")
    _leave(trial, "a", "b")


def _leave(trial: Trial, *members: str) -> None:
    for member in members:
        trial.client.ask("leave", member=member)


def the_next_member_goes_on_where_the_last_one_stopped(trial: Trial) -> None:
    trial.create_topic(4)
    first = _append_ids(trial, "first")
    trial.join("a")
    trial.wait_for(lambda a: sorted(a.values) == sorted(first), "a")
    _leave(trial, "a")
    second = _append_ids(trial, "second")
    trial.join("b")
    trial.wait_for(lambda b: len(b.values) >= len(second), "b")
    assert sorted(trial.client.member("b").values) == sorted(second)
    _leave(trial, "b")


def a_leaving_member_hands_over_at_once(trial: Trial) -> None:
    trial.create_topic(4)
    trial.join("a")
    trial.join("b")
    trial.settle("a", "b")
    _leave(trial, "b")
    trial.settle("a", seconds_max=HAND_OVER_SECONDS_MAX)
    _leave(trial, "a")


def a_dead_member_is_out_after_its_session(trial: Trial) -> None:
    trial.create_topic(4)
    victim = trial.start_another()
    trial.join("a", session_ms=SHORT_SESSION_MS)
    trial.settle("a")
    trial.join("b", victim, session_ms=SHORT_SESSION_MS)
    trial.wait_for(lambda a: len(a.assigned) == 2, "a")
    wait_until(lambda: len(victim.member("b").assigned) == 2, SETTLE_SECONDS_MAX, "the second member has its share")
    victim.kill()
    trial.settle("a")
    _leave(trial, "a")


def a_restarted_static_member_keeps_its_partitions(trial: Trial) -> None:
    trial.create_topic(4)
    trial.join("a", instance="static-a")
    trial.join("b", instance="static-b")
    trial.settle("a", "b")
    before = trial.client.member("a"), trial.client.member("b").assigned
    _leave(trial, "b")
    trial.join("b again", instance="static-b")
    trial.wait_for(lambda b: b.assigned == before[1], "b again")
    after = trial.client.member("a")
    assert (after.assigned, after.history) == (before[0].assigned, before[0].history), (
        "the other member must not notice"
    )
    _leave(trial, "a", "b again")


def cooperative_members_give_up_only_what_moves(trial: Trial) -> None:
    trial.create_topic(4)
    trial.join("a", cooperative=True)
    trial.settle("a")
    trial.join("b", cooperative=True)
    trial.settle("a", "b")
    a = trial.client.member("a")
    taken = [partition for kind, partitions in a.history if kind == "revoked" for partition in partitions]
    assert sorted(taken) == sorted({0, 1, 2, 3} - set(a.assigned)), a.history
    _leave(trial, "a", "b")


def idempotence(trial: Trial) -> None:
    topic = trial.create_topic()
    records = [Sent(None, b"%d" % index) for index in range(2_000)]
    trial.client.produce(topic, records, idempotent=True)
    with Wire(trial.bootstrap) as wire:
        assert [one.value for one in wire.read_all(topic)] == [record.value for record in records]
        headers = _batch_headers(wire, topic)
    assert {header.producer_id for header in headers} != {-1}, "the batches carry a producer's id"
    assert [header.base_sequence for header in headers] == [header.base_offset for header in headers]


def _batch_headers(wire: Wire, topic: str) -> list[Any]:
    headers: list[Any] = []
    offset = 0
    while (data := wire.fetch(topic, offset)).high_watermark > offset:
        headers += [header for _, header in walk(memoryview(data.records))]
        offset = headers[-1].last_offset + 1
    return headers


def admin_topics(trial: Trial) -> None:
    ask, topic = trial.client.ask, trial.name
    ask("create_topic", topic=topic, partitions=3, configs={"retention.ms": "7000000"})
    wait_until(lambda: ask("topics").get(topic) == 3, SETTLE_SECONDS_MAX, "the topic is listed")
    ask("add_partitions", topic=topic, partitions=5)
    wait_until(lambda: ask("topics").get(topic) == 5, SETTLE_SECONDS_MAX, "it has more partitions")
    ask("delete_topic", topic=topic)
    wait_until(lambda: topic not in ask("topics"), SETTLE_SECONDS_MAX, "the topic is gone")


def admin_configs(trial: Trial) -> None:
    topic = trial.create_topic(retention_ms=7_000_000)
    assert trial.client.ask("config", topic=topic, name="retention.ms") == "7000000"
    trial.client.ask("set_config", topic=topic, name="retention.ms", value="8000000")
    wait_until(
        lambda: trial.client.ask("config", topic=topic, name="retention.ms") == "8000000",
        SETTLE_SECONDS_MAX,
        "the setting is changed",
    )


def _use_group(trial: Trial) -> None:
    """Make a group that has read ten records of each of four partitions."""
    trial.create_topic(4)
    ids = _append_ids(trial, "first")
    trial.join("a")
    trial.wait_for(lambda a: sorted(a.values) == sorted(ids), "a")


def admin_groups(trial: Trial) -> None:
    _use_group(trial)
    ask = trial.client.ask
    assert trial.name in ask("groups")
    described = ask("describe_group", group=trial.name)
    assert (described["state"].upper(), described["members"]) == ("STABLE", 1)
    _leave(trial, "a")
    described = ask("describe_group", group=trial.name)
    assert (described["state"].upper(), described["members"]) == ("EMPTY", 0)
    committed = {
        int(partition): offset for partition, offset in ask("committed", group=trial.name, topic=trial.name).items()
    }
    assert committed == dict.fromkeys(range(4), 10)


def admin_delete_group(trial: Trial) -> None:
    _use_group(trial)
    _leave(trial, "a")
    assert trial.name in trial.client.ask("groups")
    trial.client.ask("delete_group", group=trial.name)
    assert trial.name not in trial.client.ask("groups")


def _codec(name: str) -> Callable[[Trial], None]:
    def round_trip(trial: Trial) -> None:
        topic = trial.create_topic()
        records = [Sent(None, b"%s %d" % (name.encode(), index) * 20) for index in range(200)]
        trial.client.produce(topic, records, codec=name)
        with Wire(trial.bootstrap) as wire:
            codecs = {header.attributes & 7 for header in _batch_headers(wire, topic)}
        assert codecs == {CODECS.index(name)}, "the batches are compressed as the producer was told"
        assert trial.client.consume(topic, 200) == records

    return round_trip


def _round_trip(records: list[Sent], bytes_max: int = 1_000_000) -> Callable[[Trial], None]:
    def round_trip(trial: Trial) -> None:
        topic = trial.create_topic(max_message_bytes=LARGE_ENOUGH)
        trial.client.produce(topic, records, bytes_max=bytes_max)
        with Wire(trial.bootstrap) as wire:
            stored = wire.read_all(topic)
        assert [(one.key, one.value) for one in stored] == [(one.key, one.value) for one in records]
        assert trial.client.consume(topic, len(records)) == records

    return round_trip


def transactions_refused(trial: Trial) -> None:
    topic = trial.create_topic()
    started = time.monotonic()
    with pytest.raises(ClientError) as refused:
        trial.client.ask("transact", topic=topic, transactional_id=trial.name)
    assert time.monotonic() - started < REFUSAL_SECONDS_MAX
    # In the error or in the log beside it: kafkajs throws an error of its own, and logs what the broker said.
    assert re.search(r"(?i)transactional.?id.?authorization", str(refused.value))


HEADERS: Final = (("trace", b"7"), ("trace", b"8"), ("empty", b""), ("name", "ü".encode()))

SCENARIOS: Final[dict[Capability, Callable[[Trial], None]]] = {
    Capability.PRODUCE: produce,
    Capability.CONSUME: consume,
    Capability.GROUP_JOIN: members_share_partitions,
    Capability.GROUP_COMMIT: the_next_member_goes_on_where_the_last_one_stopped,
    Capability.GROUP_LEAVE: a_leaving_member_hands_over_at_once,
    Capability.GROUP_CRASH: a_dead_member_is_out_after_its_session,
    Capability.GROUP_STATIC: a_restarted_static_member_keeps_its_partitions,
    Capability.GROUP_COOPERATIVE: cooperative_members_give_up_only_what_moves,
    Capability.IDEMPOTENCE: idempotence,
    Capability.ADMIN_TOPICS: admin_topics,
    Capability.ADMIN_CONFIGS: admin_configs,
    Capability.ADMIN_GROUPS: admin_groups,
    Capability.ADMIN_DELETE_GROUP: admin_delete_group,
    Capability.GZIP: _codec("gzip"),
    Capability.SNAPPY: _codec("snappy"),
    Capability.LZ4: _codec("lz4"),
    Capability.ZSTD: _codec("zstd"),
    Capability.HEADERS: _round_trip([Sent(None, b"with headers", HEADERS), Sent(None, b"without")]),
    Capability.NULLS: _round_trip([Sent(None, b"without a key"), Sent(b"without a value", None)]),
    Capability.ONE_BYTE: _round_trip([Sent(None, b"x")]),
    Capability.TEN_MEGABYTES: _round_trip(
        [Sent(None, random.Random(10).randbytes(TEN_MEGABYTES))], LARGE_ENOUGH - 500_000
    ),
    Capability.TRANSACTIONS_REFUSED: transactions_refused,
}
