"""What a query's progress says about its topics."""

from types import SimpleNamespace
from typing import Any

from chronik.model.ids import TopicPartition
from chronik.spark.source.progress import topic_progress

A0, A1 = TopicPartition("a", 0), TopicPartition("a", 1)


def progress(*sources: tuple[str | None, str | None]) -> Any:
    return SimpleNamespace(
        id="q",
        name="orders",
        batchId=3,
        numInputRows=10,
        inputRowsPerSecond=5.0,
        processedRowsPerSecond=6.0,
        sources=[SimpleNamespace(endOffset=end, latestOffset=latest) for end, latest in sources],
    )


def test_lag_is_what_the_topics_have_beyond_what_was_read() -> None:
    told = topic_progress(progress(('{"a": {"0": 5, "1": 7}}', '{"a": {"0": 9, "1": 7}}')))
    assert told is not None
    assert (told.positions, told.lag, told.lag_total) == ({A0: 5, A1: 7}, {A0: 4, A1: 0}, 4)
    assert (told.query_id, told.query_name, told.batch_id, told.records) == ("q", "orders", 3, 10)


def test_losses_come_beside_the_latest_offsets() -> None:
    told = topic_progress(progress(('{"a": {"0": 5}}', '{"a": {"0": 5}, "#lost": {"a": {"0": 2}}}')))
    assert told is not None
    assert (told.lost, told.lost_total, told.lag_total) == ({A0: 2}, 2, 0)


def test_other_kinds_of_sources_are_not_taken_for_topics() -> None:
    for other in ("3", '{"logOffset": 5}', "not json", None, "{}"):
        assert topic_progress(progress((other, other))) is None
