"""The last thousand advances of a watermark, in little memory."""

import sys

from chronik.observability.watermark_history import ADVANCES_MAX, IN_SYNC_SET, Advance, WatermarkHistory


def test_each_advance_begins_where_the_one_before_it_ended() -> None:
    history = WatermarkHistory()
    history.begin(5, at_ms=1)
    history.note(7, at_ms=2, by=1)
    history.note(9, at_ms=3, by=2)
    assert history.advances() == [Advance(2, 5, 7, 1), Advance(3, 7, 9, 2)]
    assert history.last == 9


def test_after_a_thousand_the_oldest_are_forgotten_and_nothing_else() -> None:
    history = WatermarkHistory()
    history.begin(0, at_ms=0)
    for offset in range(1, 2 * ADVANCES_MAX + 501):
        history.note(offset, at_ms=offset, by=offset % 3)
    last = 2 * ADVANCES_MAX + 500
    expected = [Advance(each, each - 1, each, each % 3) for each in range(last - ADVANCES_MAX + 1, last + 1)]
    assert history.advances() == expected
    assert len(history) == ADVANCES_MAX
    assert history.last == last


def test_a_term_that_begins_where_the_last_one_ended_adds_nothing_and_one_that_knows_less_says_so() -> None:
    history = WatermarkHistory()
    history.begin(0, at_ms=1)
    history.note(4, at_ms=2, by=1)
    history.begin(4, at_ms=3)
    history.begin(2, at_ms=4)
    assert history.advances()[1:] == [Advance(4, 4, 2, IN_SYNC_SET)]
    assert history.advances()[1].as_json() == {"at_ms": 4, "from": 4, "to": 2, "by": None}


def test_a_partition_without_advances_costs_next_to_nothing_and_a_full_history_twenty_bytes_each() -> None:
    history = WatermarkHistory()

    def size() -> int:
        return sum(sys.getsizeof(getattr(history, name)) for name in ("_at_ms", "_to", "_by"))

    assert size() < 300
    for offset in range(5 * ADVANCES_MAX):
        history.note(offset, at_ms=offset, by=1)
    assert size() < 24 * ADVANCES_MAX
