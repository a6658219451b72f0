"""The judge of a soak: what it must catch, each in the smallest doctored account, and what it must let pass."""

import pytest

from soak.events import (
    Acknowledged,
    Assigned,
    Came,
    Committed,
    Complained,
    Delivered,
    Event,
    Refused,
    Revoked,
    Went,
    from_line,
    group_of,
    to_line,
)
from soak.ledger import Ledger

ANNA, BERT, EVE = "g/anna/1", "g/bert/1", "other/eve/1"


def acknowledged(offset: int, *, message: int | None = None, at: float = 0.0) -> Event:
    return Acknowledged(at, "p0", "t", 0, offset, 100 + offset if message is None else message)


def assigned(at: float, client: str = ANNA) -> Event:
    return Assigned(at, client, "t", 0)


def revoked(at: float, client: str = ANNA, *, was_lost: bool = False) -> Event:
    return Revoked(at, client, "t", 0, was_lost)


def delivered(at: float, offset: int, client: str = ANNA, *, message: int | None = None) -> Event:
    return Delivered(at, client, "t", 0, offset, 100 + offset if message is None else message)


def committed(at: float, offset: int, client: str = ANNA) -> Event:
    return Committed(at, client, "t", 0, offset)


def findings(*events: Event, groups: tuple[str, ...] = ("g",)) -> list[str]:
    ledger = Ledger(dict.fromkeys(groups, "t"))
    for event in events:
        ledger.record(event)
    return ledger.findings()


def test_messages_that_are_all_read_once_are_no_finding() -> None:
    assert findings(acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), delivered(3, 1)) == []


def test_a_lost_message_is_found_for_the_group_that_misses_it() -> None:
    events = (
        acknowledged(0),
        acknowledged(1),
        assigned(1),
        delivered(2, 0),
        assigned(1, EVE),
        delivered(2, 0, EVE),
        delivered(2, 1, EVE),
    )
    assert findings(*events, groups=("g", "other")) == ["lost for g: message 101 at t-0@1"]


def test_a_group_that_has_read_nothing_has_lost_everything() -> None:
    assert len(findings(acknowledged(0), acknowledged(1))) == 2


def test_what_was_never_acknowledged_may_be_missing_or_read() -> None:
    assert findings(acknowledged(2), assigned(1), delivered(2, 1), delivered(2, 2)) == []


def test_a_message_that_was_refused_is_a_finding() -> None:
    assert findings(Refused(1.0, "p0", 7, "timed out")) == ["message 7 was refused: timed out"]


def test_an_offset_that_holds_two_messages_is_found() -> None:
    (finding,) = findings(acknowledged(0), assigned(1), delivered(2, 0, message=999))
    assert "message 100, and message 999 too" in finding


def test_a_message_that_lies_at_two_offsets_is_found() -> None:
    events = (acknowledged(0, message=5), acknowledged(1, message=5), assigned(1), delivered(2, 0, message=5))
    assert findings(*events, delivered(2, 1, message=5)) == ["message 5 lies 2 times in t-0"]


def test_a_redelivery_within_one_assignment_is_found() -> None:
    (finding,) = findings(acknowledged(0), acknowledged(1), assigned(1), *(delivered(2, each) for each in (0, 1, 1)))
    assert "read again within one assignment" in finding


def test_a_redelivery_of_what_was_not_committed_is_explained_by_the_rebalance() -> None:
    events = (acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), committed(3, 1), delivered(4, 1))
    assert findings(*events, revoked(5), assigned(6, BERT), delivered(7, 1, BERT)) == []


def test_a_redelivery_of_what_was_committed_before_the_assignment_is_found() -> None:
    events = (acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), delivered(2, 1), committed(3, 2))
    (finding,) = findings(*events, revoked(5), assigned(6, BERT), delivered(7, 1, BERT))
    assert finding.startswith("g/bert/1 t-0@1: read again, although the group had stored 2")


def test_a_commit_that_came_after_the_assignment_explains_nothing_and_forbids_nothing() -> None:
    events = (acknowledged(0), assigned(1), delivered(2, 0), revoked(5), assigned(6, BERT), delivered(7, 0, BERT))
    assert findings(*events, committed(6.5, 1)) == []


def test_the_order_in_which_journals_are_read_does_not_matter() -> None:
    annas = (acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), delivered(2, 1), committed(3, 2))
    berts = (assigned(6, BERT), delivered(7, 1, BERT))
    assert findings(*annas, *berts) == findings(*berts, *annas) != []


def test_positions_of_one_group_say_nothing_about_another() -> None:
    events = (acknowledged(0), assigned(1), delivered(2, 0), committed(3, 1), assigned(6, EVE), delivered(7, 0, EVE))
    assert findings(*events, groups=("g", "other")) == []


def test_two_members_that_read_one_partition_at_once_are_found() -> None:
    events = (acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), assigned(3, BERT), delivered(4, 0, BERT))
    (finding,) = findings(*events, delivered(9, 1))
    assert "read 6.0 s after g/bert/1 was given the partition" in finding


def test_a_member_that_was_cut_off_may_have_read_on() -> None:
    events = (acknowledged(0), acknowledged(1), assigned(1), delivered(2, 0), assigned(3, BERT), delivered(4, 0, BERT))
    assert findings(*events, delivered(9, 1), revoked(10, was_lost=True)) == []


def test_a_delivery_without_an_assignment_is_found() -> None:
    (finding,) = findings(acknowledged(0), delivered(2, 0))
    assert "delivered without an assignment" in finding


def test_redeliveries_are_counted_and_running_clients_known() -> None:
    ledger = Ledger({"g": "t"})
    events = (acknowledged(0), assigned(1), delivered(2, 0), assigned(6, BERT), delivered(7, 0, BERT))
    for event in (
        *events,
        Came(0.0, ANNA),
        Came(0.0, BERT),
        Came(0.0, EVE),
        Went(8.0, EVE),
        Complained(1.0, ANNA, "x"),
    ):
        ledger.record(event)
    assert (ledger.redelivered(), ledger.lag(), ledger.running) == (1, 0, {ANNA, BERT})
    ledger.died("g/anna/")
    assert ledger.running == {BERT}
    assert ledger.complaints == {"x": 1}


@pytest.mark.parametrize(
    "event",
    [
        acknowledged(3),
        assigned(1),
        revoked(2),
        delivered(2, 3),
        committed(1, 2),
        Came(1.0, ANNA),
        Refused(1.0, "p", 1, "x"),
    ],
)
def test_an_event_is_read_as_it_was_written(event: Event) -> None:
    assert from_line(to_line(event)) == event


def test_a_member_knows_its_group() -> None:
    assert group_of("g1/m3/77.2") == "g1"
