"""The three phases, their grades, and the step that follows from each combination."""

from itertools import product

import pytest

from chronik.audit.diagnose.tap import TapExchange
from chronik.audit.trials.phases import (
    Answered,
    Grade,
    PhaseResult,
    answered_fetches,
    fetches_phase,
    next_step,
    partitions_phase,
    settings_phase,
)


@pytest.mark.parametrize(
    ("sent", "baseline", "longer", "grade"),
    [
        (5000, 4391, 5000, Grade.PASS),
        (5000, 5000, 5000, Grade.PASS),
        (5000, 3819, 4391, Grade.PARTIAL),
        (5000, 3819, 3819, Grade.FAIL),
        (5000, 3819, 3000, Grade.FAIL),
        (0, 0, 0, Grade.UNTOLD),
    ],
)
def test_longer_settings_help_wholly_partly_or_not(sent: int, baseline: int, longer: int, grade: Grade) -> None:
    assert settings_phase(sent, baseline, longer).grade is grade


@pytest.mark.parametrize(
    ("counts", "grade"),
    [
        ([(10, 10), (20, 20)], Grade.PASS),
        ([(10, 10), (20, 7)], Grade.PARTIAL),
        ([(10, 9), (20, 7)], Grade.FAIL),
        ([(10, 10), (0, 0)], Grade.PASS),
        ([], Grade.UNTOLD),
    ],
)
def test_partitions_are_whole_in_part_or_not(counts: list[tuple[int, int]], grade: Grade) -> None:
    rows = [{"partition": at, "sent": sent, "delivered": got} for at, (sent, got) in enumerate(counts)]
    assert partitions_phase(rows).grade is grade


@pytest.mark.parametrize(
    ("lasted_us", "grade"),
    [
        ([500, 99_999], Grade.PASS),
        ([500] * 19 + [100_000], Grade.PARTIAL),
        ([500, 100_000], Grade.FAIL),
        ([500] * 99 + [-1], Grade.FAIL),
        ([], Grade.UNTOLD),
        (None, Grade.UNTOLD),
    ],
)
def test_fetches_that_found_data_are_prompt_mostly_or_not(lasted_us: list[int] | None, grade: Grade) -> None:
    found = None if lasted_us is None else [Answered(0, one) for one in lasted_us]
    assert fetches_phase(found).grade is grade


def fetch(sent_us: int, answer_us: int, offset: int, high_watermark: int, partition: int = 0) -> TapExchange:
    return TapExchange(
        api="Fetch",
        connection=1,
        node=1,
        client_id="c",
        partition=partition,
        sent_us=sent_us,
        answer_us=answer_us,
        offset=offset,
        first_offset=-1,
        count=0,
        error="",
        high_watermark=high_watermark,
        leader_epoch=0,
        crc=-1,
        acks=1,
        wait_ms_max=500,
    )


def test_an_idle_long_poll_is_not_timed_and_a_fetch_below_a_told_watermark_is() -> None:
    idle = fetch(0, 500_000, offset=0, high_watermark=10)
    prompt = fetch(500_100, 500_300, offset=5, high_watermark=10)
    at_the_end = fetch(500_400, 900_000, offset=10, high_watermark=12)
    hung = fetch(900_100, -1, offset=10, high_watermark=-1)
    other = fetch(900_100, 950_000, offset=3, high_watermark=12, partition=1)
    assert answered_fetches([hung, at_the_end, idle, prompt, other]) == [Answered(0, 200), Answered(0, -1)]


def test_every_combination_of_grades_has_a_next_step() -> None:
    for grades in product(Grade, repeat=3):
        phases = [PhaseResult(number, "", grade, ()) for number, grade in enumerate(grades, 1)]
        assert next_step(*phases)


def test_the_next_step_tells_one_partition_from_all_and_slow_from_stuck() -> None:
    def step(*grades: Grade) -> str:
        return next_step(*(PhaseResult(number, "", grade, ()) for number, grade in enumerate(grades, 1)))

    assert step(Grade.PASS, Grade.PASS, Grade.PASS).startswith("Nothing is missing")
    assert step(Grade.PARTIAL, Grade.PARTIAL, Grade.FAIL).startswith("One or some partitions stall and")
    assert step(Grade.FAIL, Grade.FAIL, Grade.PASS).startswith("All partitions stall though")
