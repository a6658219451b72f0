"""What the commands for groups read and print, without a broker."""

import pytest
from click import UsageError

from chronik.cli.group.operations import offsets_as_csv, offsets_from_csv, partition_rows
from chronik.cli.shell.partition_scope import PartitionScope, scope_of
from chronik.cli.shell.times import duration_ms_of, milliseconds_of
from chronik.client.errors import RefusedError
from chronik.client.groups.admin import GroupListing, MemberView, matching
from chronik.client.groups.admin_offsets import GroupOffset
from chronik.model.errors import ErrorCode
from chronik.model.ids import TopicPartition

AT = TopicPartition("orders", 0)


@pytest.mark.parametrize(
    ("text", "duration_ms"),
    [
        ("90s", 90_000),
        ("1.5h", 5_400_000),
        ("250ms", 250),
        ("2d", 172_800_000),
        ("P1D", 86_400_000),
        ("PT1H30M", 5_400_000),
        ("P1DT2H3M4.5S", 93_784_500),
        ("p1w", 604_800_000),
    ],
)
def test_duration_is_a_number_with_a_unit_or_iso(text: str, duration_ms: int) -> None:
    assert duration_ms_of(text) == duration_ms


@pytest.mark.parametrize("text", ["", "5", "P", "PT", "1 day", "-1s", "P1H"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        duration_ms_of(text)


def test_time_with_a_zone_means_the_same_everywhere() -> None:
    assert milliseconds_of("2026-11-16T09:30:00+01:00") == milliseconds_of("2026-11-16T08:30:00Z") == 1794817800000


def test_scope_names_a_topic_or_some_of_its_partitions() -> None:
    assert scope_of("orders") == PartitionScope("orders")
    assert scope_of("orders:0,12") == PartitionScope("orders", (0, 12))
    assert scope_of("orders:0").holds(AT)
    assert not scope_of("orders:1").holds(AT)
    assert not scope_of("others").holds(AT)
    for wrong in ("", ":0", "orders:", "orders:x", "orders:0,", "orders:-1"):
        with pytest.raises(UsageError, match="TOPIC:PARTITION"):
            scope_of(wrong)


def test_offsets_come_back_from_csv_as_they_were_written() -> None:
    offsets = {TopicPartition("b", 1): 7, AT: 0, TopicPartition("a" * 40, 3): 2**40}
    assert offsets_from_csv(offsets_as_csv(offsets).splitlines(), "g") == offsets
    assert offsets_as_csv({AT: 5}) == "orders,0,5\n"


def test_csv_of_several_groups_counts_for_the_group_that_is_meant() -> None:
    lines = ['"mine","orders",0,5', "other,orders,0,9", "", "mine,orders,1,6"]
    assert offsets_from_csv(lines, "mine") == {AT: 5, TopicPartition("orders", 1): 6}


def test_every_wrong_line_of_csv_is_named() -> None:
    with pytest.raises(ValueError, match=r"line 2: 'orders,0'; line 3: 'orders,0,-1'; line 4: 'orders,x,1'"):
        offsets_from_csv(["orders,0,1", "orders,0", "orders,0,-1", "orders,x,1"], "g")


def test_lag_is_unknown_without_a_committed_offset_and_never_negative() -> None:
    reader = MemberView("m-1", None, "c", "h", (AT,))
    committed = {TopicPartition("orders", n): GroupOffset(offset) for n, offset in ((1, 40), (2, 3), (3, 99), (4, 1))}
    gone = RefusedError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "orders-4")
    bounds = {TopicPartition("orders", n): (10, 50) for n in range(4)} | {TopicPartition("orders", 4): gone}
    rows = partition_rows(committed, {AT: reader}, bounds)
    assert [(row["partition"], row["committed"], row["lag"]) for row in rows] == [
        (0, None, None),
        (1, 40, 10),
        (2, 3, 40),
        (3, 99, 0),
        (4, 1, None),
    ]
    assert (rows[0]["member"], rows[1]["member"]) == ("m-1", None)
    assert rows[4]["problem"] == "orders-4: UNKNOWN_TOPIC_OR_PARTITION"


def test_groups_are_chosen_by_state_and_by_type() -> None:
    listings = [
        GroupListing("a", "Stable", "classic", "consumer"),
        GroupListing("b", "Empty", "classic", ""),
        GroupListing("c", "Stable", "consumer", "consumer"),
    ]
    assert matching(listings) == listings
    assert [row.group for row in matching(listings, ["Stable"])] == ["a", "c"]
    assert [row.group for row in matching(listings, ["Stable", "Empty"], ["classic"])] == ["a", "b"]
