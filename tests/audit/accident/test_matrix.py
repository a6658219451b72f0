"""What the cells of a matrix are, and what is said of the difference between good and bad ones."""

from collections.abc import Callable

import pytest

from chronik.audit.capture.settings import RunSettings
from chronik.audit.trials.matrix import (
    Axis,
    CellOutcome,
    MatrixCell,
    cells_of,
    common_verdict,
    differences,
    settings_of_cell,
)

ACKS = Axis("acks", "acks", ("0", "1", "all"))
IN_FLIGHT = Axis("in-flight", "in_flight", (1, 5))
ADDRESSES = Axis("addresses", "bootstrap_list", ("one", "all"))
BASE = RunSettings(bootstrap="a:1,b:2", topic="t")


def outcomes(is_bad: Callable[[dict[str, object]], bool], *axes: Axis) -> list[CellOutcome]:
    found = []
    for cell in cells_of(axes):
        verdicts = {"DELIVERED": (100, 100)}
        if is_bad(dict(cell.choices)):
            verdicts = {"DELIVERED": (90, 90), "ACKED_NOT_IN_LOG": (10, 0)}
        found.append(CellOutcome(cell, 100, verdicts))
    return found


def test_every_combination_is_a_cell_once() -> None:
    cells = cells_of([ACKS, IN_FLIGHT])
    assert [cell.changes for cell in cells[:3]] == [
        {"acks": "0", "in_flight": 1},
        {"acks": "0", "in_flight": 5},
        {"acks": "1", "in_flight": 1},
    ]
    assert len({cell.choices for cell in cells}) == 6


def test_one_setting_that_divides_them_is_named_alone() -> None:
    found = differences(outcomes(lambda cell: cell["in-flight"] == 5, ACKS, IN_FLIGHT))
    assert [str(one) for one in found] == ["in-flight=5: 3 of 3 bad with it, 0 of 3 without"]


def test_two_settings_that_divide_them_only_together_are_named_together() -> None:
    found = differences(outcomes(lambda cell: cell["in-flight"] == 5 and cell["acks"] == "1", ACKS, IN_FLIGHT))
    assert [str(one) for one in found] == ["acks=1 and in-flight=5: 1 of 1 bad with it, 0 of 5 without"]


def test_a_tendency_is_given_with_its_counts_and_the_worst_first() -> None:
    bad = {("0", 5, "one"), ("1", 5, "one"), ("all", 5, "all"), ("0", 1, "one")}
    found = differences(outcomes(lambda cell: tuple(cell.values()) in bad, ACKS, IN_FLIGHT, ADDRESSES))
    assert found
    assert all(not one.is_decisive for one in found)
    assert [one.contrast for one in found] == sorted((one.contrast for one in found), reverse=True)
    assert all(one.contrast > 0 for one in found)


@pytest.mark.parametrize(("is_bad", "told"), [(False, "every cell is good"), (True, "every cell is bad")])
def test_cells_that_do_not_differ_have_no_difference(is_bad: bool, told: str) -> None:
    same = outcomes(lambda cell: is_bad, ACKS, IN_FLIGHT)
    assert differences(same) == []
    assert common_verdict(same).startswith(told)


def test_what_is_allowed_is_good_and_what_could_not_run_is_not() -> None:
    cell = MatrixCell(())
    assert CellOutcome(cell, 100, {"DELIVERED": (100, 100), "+DUPLICATED": (3, 3)}).is_good
    assert not CellOutcome(cell, 100, {"DELIVERED": (100, 100), "+LATE": (3, 0)}).is_good
    assert not CellOutcome(cell, 0, {}, problem="no broker answers").is_good


def test_a_cell_has_a_topic_of_its_own_and_one_address_where_asked() -> None:
    one = settings_of_cell(BASE, MatrixCell((), {"bootstrap_list": "one", "acks": "all"}), 7)
    assert (one.topic, one.existence, one.acks, one.seen_by_clients) == ("t-7", "fresh", "all", "a:1")
    all_of_them = settings_of_cell(BASE, MatrixCell((), {"bootstrap_list": "all"}), 8)
    assert all_of_them.seen_by_clients == "a:1,b:2"
    shared = settings_of_cell(BASE, MatrixCell((), {"is_fresh": False}), 9)
    assert (shared.topic, shared.existence) == ("t", "either")
