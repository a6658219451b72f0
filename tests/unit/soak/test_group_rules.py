"""The rules of groups in a soak: what they must find, each in the smallest run, and what they must let pass."""

from typing import Any

import pytest

from chronik.audit.tables.schemas import EventKind
from soak.group_rules import Row, broken_rules

ANNA, BERT = 1, 2


def event(kind: EventKind, at: float, consumer: int = ANNA, offset: int = -1, **more: Any) -> Row:
    where = {"group": "g", "consumer": consumer, "partition": 0, "offset": offset}
    return {**where, "at_us": int(at * 1e6), "kind": str(kind), "text": "", **more}


def assigned(at: float, consumer: int = ANNA, **more: Any) -> Row:
    return event(EventKind.ASSIGNED, at, consumer, **more)


def revoked(at: float, consumer: int = ANNA, text: str = "") -> Row:
    return event(EventKind.REVOKED, at, consumer, text=text)


def committed(at: float, offset: int, consumer: int = ANNA) -> Row:
    return event(EventKind.COMMITTED, at, consumer, offset)


def delivered(at: float, offset: int, consumer: int = ANNA, group: str = "g") -> Row:
    return {"group": group, "consumer": consumer, "partition": 0, "offset": offset, "received_us": int(at * 1e6)}


def findings(*rows: Row) -> list[str]:
    return broken_rules([row for row in rows if "kind" in row], [row for row in rows if "kind" not in row])


def test_records_that_are_all_read_once_are_no_finding() -> None:
    assert findings(assigned(1), delivered(2, 0), delivered(3, 1), committed(4, 2), revoked(5)) == []


def test_a_delivery_without_an_assignment_is_found() -> None:
    (finding,) = findings(delivered(2, 0))
    assert finding == "g 0@0: delivered to consumer 1 without an assignment"


def test_a_redelivery_of_what_was_not_committed_is_explained_by_the_rebalance() -> None:
    before = (assigned(1), delivered(2, 0), committed(3, 1), delivered(4, 1), revoked(5))
    assert findings(*before, assigned(6, BERT), delivered(7, 1, BERT)) == []


def test_a_redelivery_of_what_was_committed_before_the_assignment_is_found() -> None:
    before = (assigned(1), delivered(2, 0), delivered(2, 1), committed(3, 2), revoked(5))
    (finding,) = findings(*before, assigned(6, BERT), delivered(7, 1, BERT))
    assert finding.startswith("g 0@1: read again by consumer 2, although the group had committed 2")


def test_a_commit_after_the_assignment_forbids_nothing() -> None:
    rows = (assigned(1), delivered(2, 0), revoked(5), assigned(6, BERT), committed(6.5, 1), delivered(7, 0, BERT))
    assert findings(*rows) == []


def test_commits_of_one_group_say_nothing_about_another() -> None:
    other = (assigned(6, BERT, group="other"), delivered(7, 0, BERT, group="other"))
    assert findings(assigned(1), delivered(2, 0), committed(3, 1), *other) == []


def test_two_members_that_read_one_partition_at_once_are_found() -> None:
    rows = (assigned(1), delivered(2, 0), assigned(3, BERT), delivered(4, 0, BERT), delivered(9, 1))
    (finding,) = findings(*rows)
    assert finding == "g 0@1: read by consumer 1 6.0 s after consumer 2 was assigned the partition"


@pytest.mark.parametrize(("text", "count"), [("lost", 0), ("", 1)])
def test_only_a_member_that_lost_its_partition_may_have_read_on(text: str, count: int) -> None:
    rows = (assigned(1), delivered(2, 0), assigned(3, BERT), delivered(4, 0, BERT), delivered(9, 1))
    assert len(findings(*rows, revoked(10, text=text))) == count
