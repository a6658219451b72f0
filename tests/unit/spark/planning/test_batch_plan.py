"""The plan of a batch query: partitions and offsets by the options, and refusals before any task."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pyspark.sql.datasource import EqualTo, Filter, GreaterThan, GreaterThanOrEqual, In, IsNotNull, LessThan, Not

from chronik.model.ids import TopicPartition
from chronik.spark.options.options import OptionsRefusedError, source_options
from chronik.spark.options.parsers import View
from chronik.spark.planning.batch_plan import plan_with
from chronik.spark.source.problems import DataLostError, TopicMissingError
from chronik.spark.source.pushed_filters import Narrowing, take_filters
from tests.unit.spark.fake_lookup import FakeLookup

A0, A1, B0 = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)
FACTS = FakeLookup({A0: 10}, {A0: 20, A1: 5, B0: 3}, {A0: [100, 50, 300, 200, 400], A1: [1, 2]})


def planned(narrowing: Narrowing | None = None, **options: str) -> list[tuple[str, int, int, int]]:
    chosen = {} if {"assign", "subscribePattern"} & options.keys() else {"subscribe": "a"}
    read = source_options({"kafka.bootstrap.servers": "h:1", **chosen, **options}, streaming=False)
    pieces = plan_with(FACTS, read, narrowing or Narrowing())
    return [(piece.topic, piece.partition, piece.start_offset, piece.end_offset) for piece in pieces]


def test_all_that_is_there_is_read() -> None:
    assert planned() == [("a", 0, 10, 20), ("a", 1, 0, 5)]
    assert planned(subscribe="a,b")[-1] == ("b", 0, 0, 3)
    assert planned(subscribePattern="[ab]")[-1] == ("b", 0, 0, 3)
    assert planned(assign='{"a": [1]}') == [("a", 1, 0, 5)]


def test_a_pattern_matches_whole_names() -> None:
    assert planned(subscribePattern="a.+") == []


def test_a_missing_topic_or_partition_is_refused() -> None:
    with pytest.raises(TopicMissingError):
        planned(subscribe="a,c")
    with pytest.raises(OptionsRefusedError, match="assign names partitions that do not exist: a-7"):
        planned(assign='{"a": [0, 7]}')


def test_offsets_bound_each_partition() -> None:
    bounds = {"startingOffsets": '{"a": {"0": 12, "1": -2}}', "endingOffsets": '{"a": {"0": 15, "1": -1}}'}
    assert planned(**bounds) == [("a", 0, 12, 15), ("a", 1, 0, 5)]


def test_an_end_before_its_start_is_refused() -> None:
    with pytest.raises(OptionsRefusedError, match="a-0 begins at 15 and cannot end at 12"):
        planned(startingOffsets='{"a": {"0": 15, "1": 0}}', endingOffsets='{"a": {"0": 12, "1": 0}}')


@pytest.mark.parametrize("side", ["starting", "ending"])
def test_offsets_must_name_the_partitions_that_are_read(side: str) -> None:
    with pytest.raises(
        OptionsRefusedError, match=rf"{side}Offsets must name every partition.*missing a-1, not read b-0"
    ):
        planned(**{f"{side}Offsets": '{"a": {"0": 12}, "b": {"0": 0}}'})


def test_times_bound_each_partition_by_the_first_record_that_is_not_older() -> None:
    assert planned(startingOffsetsByTimestamp='{"a": {"0": 200, "1": 2}}') == [("a", 0, 12, 20), ("a", 1, 1, 5)]
    assert planned(endingTimestamp="2") == [("a", 1, 0, 1)]


def test_a_time_that_no_record_has_reached_is_an_error_at_the_start_and_the_latest_at_the_end() -> None:
    with pytest.raises(OptionsRefusedError, match="no record of a-1 is as late as timestamp 300"):
        planned(startingTimestamp="300")
    assert planned(startingTimestamp="300", startingOffsetsByTimestampStrategy="latest") == [("a", 0, 12, 20)]
    assert planned(endingTimestamp="9999") == planned()


def test_offsets_that_are_not_there_fail_the_query_or_are_left_out() -> None:
    lost = {"startingOffsets": '{"a": {"0": 3, "1": 0}}', "endingOffsets": '{"a": {"0": 12, "1": 9}}'}
    with pytest.raises(DataLostError, match=r"a-0 offsets 3 to 9.*a-1 offsets 5 to 8.*failOnDataLoss=false"):
        planned(**lost)
    assert planned(**lost, failOnDataLoss="false") == [("a", 0, 10, 12), ("a", 1, 0, 5)]
    assert planned(**lost, view="problems") == [("a", 0, 3, 12), ("a", 1, 0, 9)]


def since(milliseconds: int) -> datetime:
    return datetime.fromtimestamp(milliseconds / 1000, UTC)


def test_filters_on_topic_partition_and_offset_are_exact_and_not_given_back() -> None:
    asked: list[Filter] = [
        EqualTo(("topic",), "a"),
        In(("partition",), (0, 4)),
        GreaterThanOrEqual(("offset",), 13),
        LessThan(("offset",), 18),
        IsNotNull(("offset",)),
    ]
    narrowing, left = take_filters(asked, View.RECORDS)
    assert left == []
    assert planned(narrowing, subscribe="a,b") == [("a", 0, 13, 18)]


def test_a_lower_bound_of_time_moves_the_start_and_goes_back_to_spark() -> None:
    asked: list[Filter] = [GreaterThan(("timestamp",), since(250)), LessThan(("timestamp",), since(350))]
    narrowing, left = take_filters(asked, View.RECORDS)
    assert left == asked
    assert planned(narrowing) == [("a", 0, 12, 20)]


def test_a_time_without_a_zone_moves_nothing() -> None:
    narrowing, _ = take_filters([GreaterThan(("timestamp",), since(250).replace(tzinfo=None))], View.RECORDS)
    assert narrowing == Narrowing()


def test_filters_that_cannot_be_used_go_back_to_spark() -> None:
    asked: list[Filter] = [
        EqualTo(("key",), b"x"),
        Not(EqualTo(("partition",), 1)),
        In(("offset",), (1, 2)),
        EqualTo(("headers", "key"), "x"),
        IsNotNull(("key",)),
    ]
    assert take_filters(asked, View.RECORDS) == (Narrowing(), asked)


def test_filters_that_exclude_each_other_leave_nothing() -> None:
    narrowing, _ = take_filters([EqualTo(("partition",), 0), EqualTo(("partition",), 1)], View.RECORDS)
    assert planned(narrowing) == []
    narrowing, _ = take_filters([GreaterThan(("partition",), 0), LessThan(("partition",), 1)], View.RECORDS)
    assert planned(narrowing) == []
    assert planned(replace(Narrowing(), offset_low=30)) == []
