"""Fetch sessions: only changes travel, epochs are counted, and their number is bounded."""

import random

from chronik.model.errors import ErrorCode
from chronik.server.fetch.reading import FetchSpec, PartitionRead
from chronik.server.fetch.sessions import EVICTABLE_AFTER_S, FetchSession, FetchSessions


def spec(index: int, offset: int = 0) -> FetchSpec:
    return FetchSpec("t", index, offset, 1000, -1)


def opened(sessions_max: int = 10) -> tuple[FetchSessions, FetchSession]:
    sessions = FetchSessions(sessions_max, random.Random(1))
    session = sessions.open([spec(0), spec(1), spec(2)], 0.0, uses_topic_ids=False)
    assert session is not None
    return sessions, session


def results(session: FetchSession, high_watermark: int = 5) -> list[PartitionRead]:
    return [PartitionRead(one, high_watermark=high_watermark, log_start_offset=0) for one in session.specs()]


def test_the_first_answer_names_every_partition_and_the_next_only_what_changed() -> None:
    _, session = opened()
    assert len(session.changed(results(session))) == 3
    assert session.changed(results(session)) == []
    changed = results(session)
    changed[1].high_watermark = 6
    assert [each.spec.index for each in session.changed(changed)] == [1]


def test_a_partition_with_records_is_told_and_served_last_next_time() -> None:
    _, session = opened()
    session.changed(results(session))
    with_data = results(session)
    with_data[0].records = b"batch"
    assert [each.spec.index for each in session.changed(with_data)] == [0]
    assert [one.index for one in session.specs()] == [1, 2, 0]


def test_an_error_is_told_and_told_again_when_it_has_gone() -> None:
    _, session = opened()
    session.changed(results(session))
    broken = results(session)
    broken[2].error = ErrorCode.CORRUPT_MESSAGE
    assert [each.spec.index for each in session.changed(broken)] == [2]
    assert [each.error for each in session.changed(results(session))] == [ErrorCode.NONE]
    assert session.changed(results(session)) == []


def test_changes_and_forgotten_partitions_are_applied() -> None:
    sessions, session = opened()
    used = sessions.use(session.id, 1, 1.0, uses_topic_ids=False)
    assert used is session
    session.update([spec(1, offset=9), spec(7)], [("t", 0)])
    assert [(one.index, one.offset) for one in session.specs()] == [(1, 9), (2, 0), (7, 0)]


def test_a_wrong_epoch_an_unknown_session_and_a_change_of_naming_are_refused() -> None:
    sessions, session = opened()
    assert sessions.use(session.id, 2, 0.0, uses_topic_ids=False) is ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert sessions.use(session.id + 1, 1, 0.0, uses_topic_ids=False) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert sessions.use(session.id, 1, 0.0, uses_topic_ids=True) is ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert sessions.use(session.id, 1, 0.0, uses_topic_ids=False) is session
    assert sessions.use(session.id, 1, 0.0, uses_topic_ids=False) is ErrorCode.INVALID_FETCH_SESSION_EPOCH


def test_epochs_go_round_past_the_largest() -> None:
    sessions, session = opened()
    session.epoch = 2**31 - 1
    assert sessions.use(session.id, 2**31 - 1, 0.0, uses_topic_ids=False) is session
    assert session.epoch == 1


def test_a_full_cache_opens_no_session_until_the_oldest_has_been_unused_for_long() -> None:
    sessions, first = opened(sessions_max=1)
    assert sessions.open([spec(0)], 1.0, uses_topic_ids=False) is None
    second = sessions.open([spec(0)], EVICTABLE_AFTER_S + 1, uses_topic_ids=False)
    assert second is not None
    assert len(sessions) == 1
    assert sessions.use(first.id, 1, 0.0, uses_topic_ids=False) is ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_closed_session_is_forgotten() -> None:
    sessions, session = opened()
    sessions.close(session.id)
    assert len(sessions) == 0
