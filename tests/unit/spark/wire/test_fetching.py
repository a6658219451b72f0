"""A slice over the wire, against a leader in memory: every batch once and in order, whatever happens on the way."""

from collections.abc import Iterable
from random import Random
from typing import Any
from uuid import UUID

import pytest

from chronik.client.errors import ConnectionFailedError, RefusedError
from chronik.model.errors import ErrorCode
from chronik.records.build import Record, build_batch
from chronik.spark.decode.columnar import Depth
from chronik.spark.planning.slices import ReadRules, Slice
from chronik.spark.source.problems import ClusterUnreachableError, Problem, ProblemKind, ReadError
from chronik.spark.source.record_view import record_rows
from chronik.spark.wire import fetching
from chronik.spark.wire.chunks import Chunk, Found
from chronik.spark.wire.fetch_plan import FIRST_BYTES, FetchPlan, PlannedFetch, prefetch_depth
from chronik.spark.wire.fetching import SliceFetch
from chronik.spark.wire.prefetch import prefetched
from tests.unit.spark.decode.decoding import marker
from tests.unit.spark.wire.fake_leader import FakeLeaders, FakeLog, fake_log

LOST = ConnectionFailedError("fake:1: connection reset by peer")
FAR_AWAY_S = 5.0


def _fetch(monkeypatch: pytest.MonkeyPatch, leaders: FakeLeaders, piece: Slice, **rules: Any) -> SliceFetch:
    monkeypatch.setattr(fetching, "Leaders", lambda *_: leaders)
    return SliceFetch(piece, ReadRules("fake:1", retry_interval_ms=0, **{"poll_timeout_ms": 60_000, **rules}))


def _slice(start: int, end: int, topic_id: str = "") -> Slice:
    return Slice("orders", topic_id, 3, start, end)


def _bases(found: Iterable[Found]) -> list[int]:
    return [base for item in found if isinstance(item, Chunk) for base in item.table.base_offsets.tolist()]


def _expected(log: FakeLog, start: int, end: int) -> list[int]:
    last = [base for base in log.bases if base <= start][-1:]
    return [base for base in log.bases if start < base < end or base in last]


@pytest.mark.parametrize("round_trip_s", [0.0, FAR_AWAY_S])
@pytest.mark.parametrize("seed", range(8))
def test_every_batch_comes_once_and_in_order(monkeypatch: pytest.MonkeyPatch, seed: int, round_trip_s: float) -> None:
    chance = Random(seed)
    log = fake_log(chance, 150)
    start = chance.choice(log.bases[:50])
    leaders = FakeLeaders(log, round_trip_s=round_trip_s)
    size = str(chance.choice([1, 3_000, 60_000, 2_000_000]))
    fetch = _fetch(
        monkeypatch, leaders, _slice(start, log.end_offset), client_options={"max.partition.fetch.bytes": size}
    )
    assert _bases(fetch) == _expected(log, start, log.end_offset)
    assert [led.connection for led in leaders.released] == [one for one in leaders.connections if not one.is_closed]


def test_requests_are_sent_ahead_where_the_way_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeLog([build_batch([Record(None, bytes(100))] * 10, base_offset=10 * n) for n in range(2_000)])
    for round_trip_s, expected in ((0.0, 1), (FAR_AWAY_S, 4)):
        leaders = FakeLeaders(log, round_trip_s=round_trip_s)
        options = {"max.partition.fetch.bytes": "100000"}
        fetch = _fetch(monkeypatch, leaders, _slice(0, log.end_offset), client_options=options)
        assert _bases(fetch) == log.bases
        assert [connection.in_flight_max for connection in leaders.connections] == [expected]


def test_no_more_is_asked_for_than_the_slice_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeLog([build_batch([Record(None, bytes(1000))] * 10, base_offset=10 * n) for n in range(1_000)])
    leaders = FakeLeaders(log)
    assert max(_bases(_fetch(monkeypatch, leaders, _slice(0, 2_000)))) < 2_200


@pytest.mark.parametrize(
    "trouble",
    [
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.UNKNOWN_LEADER_EPOCH,
        ErrorCode.KAFKA_STORAGE_ERROR,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        LOST,
    ],
)
@pytest.mark.parametrize("round_trip_s", [0.0, FAR_AWAY_S])
def test_what_passes_is_tried_again_and_leaders_are_followed(
    monkeypatch: pytest.MonkeyPatch, trouble: ErrorCode | ConnectionFailedError, round_trip_s: float
) -> None:
    log = fake_log(Random(5), 100)
    leaders = FakeLeaders(log, lambda number: trouble if number in (0, 3, 4, 9) else None, round_trip_s=round_trip_s)
    leaders.failures.extend([LOST, RefusedError(ErrorCode.LEADER_NOT_AVAILABLE, "orders-3")])
    options = {"max.partition.fetch.bytes": "20000"}
    fetch = _fetch(monkeypatch, leaders, _slice(0, log.end_offset), client_options=options)
    assert _bases(fetch) == log.bases
    assert len(leaders.connections) >= 5


def test_a_cluster_that_stays_away_fails_with_topic_partition_and_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    log = fake_log(Random(6), 30)
    leaders = FakeLeaders(log, lambda number: LOST if number >= 1 else None)
    fetch = _fetch(
        monkeypatch,
        leaders,
        _slice(0, log.end_offset),
        poll_timeout_ms=100,
        client_options={"max.partition.fetch.bytes": "1"},
    )
    with pytest.raises(
        ClusterUnreachableError, match=rf"orders-3 offset {log.bases[1]}: .*pollTimeoutMs.*reset by peer"
    ):
        _bases(fetch)


def test_what_does_not_pass_fails_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    leaders = FakeLeaders(fake_log(Random(7), 3), lambda _: ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ReadError, match=r"orders-3 offset 0: .*TOPIC_AUTHORIZATION_FAILED"):
        _bases(_fetch(monkeypatch, leaders, _slice(0, 5)))
    assert len(leaders.asked) == 1


def test_offsets_below_the_log_start_are_lost_and_reading_goes_on_there(monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeLog([build_batch([Record(None, b"v")] * 10, base_offset=10 * n) for n in range(5, 10)], log_start=50)
    found = list(_fetch(monkeypatch, FakeLeaders(log), _slice(20, 100)))
    assert found[0] == Problem(ProblemKind.LOST, 20, 50, "the partition now begins at offset 50")
    assert _bases(found) == [50, 60, 70, 80, 90]


def test_an_offset_that_is_refused_and_yet_there_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As after an election, when a new leader has not heard of everything that is committed."""
    log = fake_log(Random(4), 20)
    leaders = FakeLeaders(log, lambda number: ErrorCode.OFFSET_OUT_OF_RANGE if number in (0, 1) else None)
    found = list(_fetch(monkeypatch, leaders, _slice(0, log.end_offset)))
    assert not [item for item in found if isinstance(item, Problem)]
    assert _bases(found) == log.bases
    stubborn = FakeLeaders(log, lambda _: ErrorCode.OFFSET_OUT_OF_RANGE)
    with pytest.raises(ReadError, match=rf"orders-3 offset 0: .*0-{log.end_offset}"):
        list(_fetch(monkeypatch, stubborn, _slice(0, log.end_offset), poll_timeout_ms=50))


def test_a_slice_that_is_lost_as_a_whole_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    log = FakeLog([build_batch([Record(None, b"v")] * 10, base_offset=90)], log_start=90)
    assert list(_fetch(monkeypatch, FakeLeaders(log), _slice(20, 60))) == [
        Problem(ProblemKind.LOST, 20, 60, "the partition now begins at offset 90")
    ]


@pytest.mark.parametrize("start", [10, 15])
def test_a_partition_that_ends_before_the_slice_has_lost_the_rest(monkeypatch: pytest.MonkeyPatch, start: int) -> None:
    log = FakeLog([build_batch([Record(None, b"v")] * 10)])
    found = list(_fetch(monkeypatch, FakeLeaders(log), _slice(start, 30), poll_timeout_ms=50))
    assert [(item.kind, item.start_offset, item.end_offset) for item in found if isinstance(item, Problem)] == [
        (ProblemKind.LOST, start, 30)
    ]
    assert _bases(found) == []


def test_a_topic_that_was_made_anew_has_lost_the_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    leaders = FakeLeaders(fake_log(Random(8), 30), topic_id=UUID(int=2))
    monkeypatch.setattr(fetching, "_GONE_PATIENCE_S", 0.05)
    found = list(_fetch(monkeypatch, leaders, _slice(4, 9, str(UUID(int=1)))))
    assert [(item.kind, item.start_offset, item.end_offset) for item in found if isinstance(item, Problem)] == [
        (ProblemKind.LOST, 4, 9)
    ]
    assert leaders.asked == []


def test_a_batch_whose_crc_is_wrong_is_damaged_and_its_neighbours_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [build_batch([Record(None, b"value")] * 10, base_offset=10 * n) for n in range(3)]
    batches[1] = batches[1][:-2] + b"xx"
    found = list(_fetch(monkeypatch, FakeLeaders(FakeLog(batches)), _slice(0, 30)))
    assert _bases(found) == [0, 20]
    assert [(item.kind, item.start_offset, item.end_offset) for item in found if isinstance(item, Problem)] == [
        (ProblemKind.DAMAGED, 10, 20)
    ]


def test_what_is_no_batch_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    old = bytearray(build_batch([Record(None, b"value")] * 10))
    old[16] = 1
    with pytest.raises(ReadError, match=r"orders-3 offset 0: .*format 1"):
        list(_fetch(monkeypatch, FakeLeaders(FakeLog([bytes(old)])), _slice(0, 10)))


def test_a_reader_that_stops_early_ends_the_fetching(monkeypatch: pytest.MonkeyPatch) -> None:
    log = fake_log(Random(9), 100)
    leaders = FakeLeaders(log)
    options = {"max.partition.fetch.bytes": "1"}
    ahead = prefetched(_fetch(monkeypatch, leaders, _slice(0, log.end_offset), client_options=options))
    assert _bases([next(ahead)]) == log.bases[:1]
    ahead.close()
    assert [connection.is_closed for connection in leaders.connections] == [True]
    assert len(leaders.asked) < 10


def test_what_fails_on_the_thread_is_raised_to_the_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    leaders = FakeLeaders(fake_log(Random(9), 3), lambda _: ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    with pytest.raises(ReadError, match="TOPIC_AUTHORIZATION_FAILED"):
        list(prefetched(_fetch(monkeypatch, leaders, _slice(0, 5))))


def test_a_gap_is_filled_before_more_is_asked_for_ahead() -> None:
    plan = FetchPlan(0, 1_000_000, fetch_bytes=1_000_000, prefetch=3)
    assert plan.next_request() == PlannedFetch(0, min(FIRST_BYTES, 1_000_000))
    plan.answered(10_000, 1_000_000)
    plan.advance(10_000)
    first, second = plan.next_request(), plan.next_request()
    assert first == PlannedFetch(10_000, 1_000_000)
    assert second is not None
    assert 19_000 < second.offset < 20_000
    plan.answered(15_000, 500_000)
    plan.advance(15_000)
    gap = plan.next_request()
    plan.answered(second.offset + 10_000, 1_000_000)
    assert plan.early == [second.offset]
    assert gap is not None
    assert gap.offset == 15_000
    assert (second.offset - 15_000) * 100 < gap.bytes_max < 600_000
    assert plan.next_request() is None, "what was asked for ahead is here, and what lies before it is not"
    plan.answered(second.offset + 5, 500_000)
    plan.advance(second.offset + 10_000)
    assert plan.early == []
    assert plan.next_request() is not None


@pytest.mark.parametrize("round_trip_s", [0.0, FAR_AWAY_S])
@pytest.mark.parametrize("fetch_bytes", ["200", "3000", "100000"])
def test_aborted_records_are_left_out_however_answers_overlap(
    monkeypatch: pytest.MonkeyPatch, fetch_bytes: str, round_trip_s: float
) -> None:
    chance = Random(int(fetch_bytes))
    batches, aborted, committed, offset = [], [], [], 0
    for _ in range(300):
        commits, count, producer_id = chance.random() < 0.5, chance.choice([1, 3, 9]), chance.choice([1, 2])
        first = offset
        for _ in range(chance.choice([1, 2])):
            records = [Record(None, bytes(chance.choice([5, 200])))] * count
            ids = {"producer_id": producer_id, "producer_epoch": 0, "base_sequence": 0}
            batches.append(build_batch(records, base_offset=offset, is_transactional=True, **ids))
            committed += range(offset, offset + count) if commits else []
            offset += count
        batches.append(marker(offset, producer_id, commits=commits))
        aborted += [] if commits else [(first, offset, producer_id)]
        offset += 1
    leaders = FakeLeaders(FakeLog(batches, aborted=aborted), round_trip_s=round_trip_s)
    options = {"max.partition.fetch.bytes": fetch_bytes}
    piece = _slice(0, offset)
    fetch = _fetch(monkeypatch, leaders, piece, client_options=options, read_committed=True)
    found = record_rows(fetch, piece, ReadRules("", read_committed=True), Depth.TIMES, pytest.fail)
    assert [row for rows in found for row in rows.offsets.tolist()] == committed


def test_few_requests_are_ahead_of_a_near_broker_and_never_too_many() -> None:
    assert prefetch_depth(0.0002, 0.02) == 1
    assert prefetch_depth(0.02, 0.02) == 3
    assert prefetch_depth(1.0, 0.0) == 4
