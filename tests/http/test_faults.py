"""What is wrong with a cluster is said in words: a pure function of its status."""

import asyncio
from typing import Any
from uuid import UUID

import pytest

from chronik.metadata.image.image import ControllerImage, Image
from chronik.model.ids import BrokerId, Revision
from chronik.server.status.cluster import BrokerStatus, ClusterStatus, unreachable_reason
from chronik.server.status.lag import AHEAD, EXPIRED, lag_of
from chronik.server.status.problems import FAULTS_MAX, ClusterFault, faults_of
from chronik.server.status.totals import total_partitions

NOW_MS = 1_700_000_000_000
CONTROLLER = ControllerImage(BrokerId(1), Revision(1))
TOPIC_ID = str(UUID(int=7))


def follower(node: int, log_end: int | None = 100, *, in_sync: bool = True, silent_ms: int = 100) -> dict[str, Any]:
    return {
        "node": node,
        "log_end": log_end,
        "in_sync": in_sync,
        "caught_up_ms_ago": silent_ms,
        "fetched_ms_ago": silent_ms,
    }


def partition(index: int = 0, **changed: Any) -> dict[str, Any]:
    """A partition that nothing is wrong with, but for what is changed."""
    return {
        "topic": "orders",
        "topic_id": TOPIC_ID,
        "partition": index,
        "role": "leader",
        "leader": 1,
        "leader_epoch": 4,
        "replicas": (1, 2, 3),
        "isr": (1, 2, 3),
        "elr": (),
        "required_in_sync": 2,
        "log_start": 0,
        "high_watermark": 100,
        "last_stable_offset": 100,
        "log_end": 100,
        "lag": 0,
        "size_bytes": 1_000,
        "stands_for_ms": 0,
        "followers": [follower(2), follower(3)],
        "why_offline": None,
        "replica_ends": {"1": 100, "2": 100, "3": 100},
        "seen_by": 1,
        "leader_silent": False,
        **changed,
    }


def broker(node: int, **changed: Any) -> BrokerStatus:
    told = {"head": {"loop_delay": {"last_ms": 1.0, "longest_minute_ms": 12.0}}, "http": f"127.0.0.1:{9643 + node}"}
    return BrokerStatus(**{"node_id": node, "is_registered": True, **told, **changed})


def cluster(
    *partitions: dict[str, Any], brokers: tuple[BrokerStatus, ...] | None = None, controller: Any = CONTROLLER
) -> ClusterStatus:
    by_name = {(each["topic"], each["partition"]): each for each in partitions}
    return ClusterStatus(
        asked=1,
        now_ms=NOW_MS,
        image=Image(controller=controller),
        brokers=brokers or (broker(1), broker(2), broker(3)),
        partitions=by_name,
        groups=(),
        topic_bytes_in={},
        totals=asyncio.run(total_partitions(by_name)),
    )


def only(status: ClusterStatus) -> ClusterFault:
    (found,) = faults_of(status)
    return found


def test_nothing_is_wrong_with_a_cluster_that_works() -> None:
    assert faults_of(cluster(partition(0), partition(1))) == []


def test_a_watermark_that_stands_is_told_with_whoever_holds_it() -> None:
    standing = partition(
        2,
        high_watermark=1_664,
        log_end=1_742,
        stands_for_ms=61_000,
        followers=[follower(2, 1_742), follower(3, 1_664, silent_ms=58_000)],
    )
    fault = only(cluster(standing))
    assert fault.text == (
        "partition orders-2: watermark at 1,664 for 61 s while the log end is 1,742; "
        "follower 3 has not fetched for 58 s"
    )
    assert (fault.severity, fault.kind, fault.subject) == ("critical", "watermark_stands", "orders-2")
    assert fault.since_ms == NOW_MS - 61_000


def test_a_follower_that_fetches_and_stays_behind_is_told_with_its_end() -> None:
    standing = partition(log_end=200, stands_for_ms=4_000, followers=[follower(2, 200), follower(3, 100)])
    assert only(cluster(standing)).text.endswith("; follower 3 is at 100")


def test_a_watermark_is_let_stand_for_a_moment() -> None:
    assert faults_of(cluster(partition(log_end=200, stands_for_ms=1_999))) == []


def test_a_topic_counts_its_watermarks_that_stand() -> None:
    stand_for_ms = (0, 1_999, 2_000, 9_000)
    status = cluster(*(partition(index, log_end=200, stands_for_ms=ms) for index, ms in enumerate(stand_for_ms)))
    assert status.totals.topics["orders"].stalled == 2


def test_too_few_in_sync_hold_the_watermark_and_refuse_acks_all() -> None:
    behind = [follower(2, 90, in_sync=False), follower(3, 90, in_sync=False)]
    standing = partition(isr=(1,), log_end=200, stands_for_ms=5_000, followers=behind)
    stands, too_few = faults_of(cluster(standing))
    assert "1 replica is in sync where min.insync.replicas asks for 2" in stands.text
    assert "follower" not in stands.text
    assert (too_few.kind, too_few.severity) == ("under_min_isr", "critical")


def test_one_broker_that_follows_nothing_is_one_fault_however_many_partitions_it_lacks() -> None:
    lacking = [
        partition(index, isr=(1, 2), followers=[follower(2), follower(3, 50, in_sync=False, silent_ms=20_000 + index)])
        for index in range(500)
    ]
    fault = only(cluster(*lacking))
    assert (fault.severity, fault.subject, fault.since_ms) == ("warning", "broker 3", NOW_MS - 20_499)
    assert "follows 500 partitions without being in sync, and has not fetched for 20 s" in fault.text
    assert fault.text.endswith("orders-0, orders-1, orders-10 and 497 more")


def test_a_follower_that_catches_up_is_no_fault() -> None:
    assert faults_of(cluster(partition(isr=(1, 2), followers=[follower(2), follower(3, 50, in_sync=False)]))) == []


def test_a_partition_without_a_leader_says_who_could_lead_it() -> None:
    offline = partition(role="offline", leader=-1, isr=(2,), elr=(3,), followers=[], why_offline="it has no leader")
    assert only(cluster(offline)).text == "partition orders-0: it has no leader; one of 2, 3 must come back to lead it"


def test_a_leader_whose_disk_failed_says_why() -> None:
    offline = partition(role="offline", why_offline="Input/output error", followers=[])
    assert only(cluster(offline)).text == "partition orders-0: broker 1 leads it and cannot: Input/output error"


def test_a_broker_that_is_gone_is_told_with_what_it_holds_and_once() -> None:
    gone = BrokerStatus(3, is_registered=False, silent_for_ms=7_000)
    lacking = partition(isr=(1, 2), followers=[follower(2), follower(3, 50, in_sync=False, silent_ms=9_000)])
    fault = only(cluster(lacking, brokers=(broker(1), broker(2), gone)))
    assert fault.text == "broker 3: it has not been in the cluster for 7 s, and holds 1 replica"
    assert fault.since_ms == NOW_MS - 7_000


@pytest.mark.parametrize(("silent_for_ms", "count"), [(1_999, 0), (2_000, 1)])
def test_a_broker_that_does_not_answer_is_told_after_a_moment(silent_for_ms: int, count: int) -> None:
    found = faults_of(cluster(brokers=(broker(1), broker(2, head=None, silent_for_ms=silent_for_ms))))
    assert [fault.text for fault in found] == [
        "broker 2: it is registered but has not answered at 127.0.0.1:9645 for 2 s"
    ] * count


@pytest.mark.parametrize(("led", "words"), [(1, "1 partition"), (1_200, "1,200 partitions")])
def test_a_broker_that_does_not_answer_is_told_with_what_it_leads(led: int, words: str) -> None:
    silent = broker(3, head=None, silent_for_ms=4_000)
    partitions = [partition(0), *(partition(index, leader=3, followers=[]) for index in range(1, led + 1))]
    fault = only(cluster(*partitions, brokers=(broker(1), broker(2), silent)))
    assert fault.text.endswith(f" for 4 s; it leads {words}, which no other broker serves meanwhile")


def test_no_controller_is_the_first_thing_to_know() -> None:
    gone = BrokerStatus(3, is_registered=False, silent_for_ms=7_000)
    found = faults_of(cluster(partition(log_end=200, stands_for_ms=9_000), brokers=(broker(1), gone), controller=None))
    assert [fault.kind for fault in found] == ["no_controller", "broker_gone", "watermark_stands"]


def test_an_event_loop_that_stood_still_is_told() -> None:
    late = broker(2, head={"loop_delay": {"last_ms": 1.0, "longest_minute_ms": 1_400.0}})
    fault = only(cluster(brokers=(broker(1), late)))
    assert (fault.severity, fault.text) == (
        "warning",
        "broker 2: its event loop was blocked for 1.4 s within the last minute",
    )


def test_a_thousand_faults_are_cut_short_and_counted() -> None:
    found = faults_of(cluster(*(partition(index, log_end=200, stands_for_ms=9_000) for index in range(1_000))))
    assert len(found) == FAULTS_MAX + 1
    assert found[-1].text == "and 900 more faults"


@pytest.mark.parametrize(
    ("http", "kafka_host", "words"),
    [
        (None, "10.0.0.2", "it has no HTTP server"),
        ("127.0.0.1:9644", "10.0.0.2", "only its own machine reaches"),
        ("127.0.0.1:9645", "10.0.0.1", None),
        ("10.0.0.2:9644", "10.0.0.2", None),
    ],
)
def test_a_broker_that_cannot_be_asked_is_told_with_the_setting(
    http: str | None, kafka_host: str, words: str | None
) -> None:
    why = unreachable_reason(http, kafka_host, "10.0.0.1")
    if words is None:
        assert why is None
        return
    assert why is not None
    assert words in why
    fault = only(cluster(brokers=(broker(1), broker(2, head=None, why_unseen=why))))
    assert (fault.severity, fault.kind) == ("warning", "broker_unseen")
    assert "chronik.http.listener" in fault.text


@pytest.mark.parametrize(
    ("committed", "log_start", "end", "messages", "why"),
    [
        (7, 0, 20, 13, None),
        (20, 0, 20, 0, None),
        (5, 5, 20, 15, None),
        (4, 5, 20, 15, EXPIRED),
        (-1, 0, 20, 20, EXPIRED),
        (4, 20, 20, 0, EXPIRED),
        (25, 0, 20, 0, AHEAD),
        (4, 30, 20, 0, EXPIRED),
    ],
)
def test_lag_is_never_below_zero_and_counts_from_the_log_start_at_least(
    committed: int, log_start: int, end: int, messages: int, why: str | None
) -> None:
    assert lag_of(committed, log_start, end) == (messages, why)
