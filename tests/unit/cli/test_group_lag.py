"""Lag: never negative, counted from the log start where the committed offset has expired."""

import random

import pytest

from chronik.cli.group.operations import lag


@pytest.mark.parametrize(
    ("committed", "log_start", "high_watermark", "expected"),
    [
        (40, 0, 100, 60),
        (100, 0, 100, 0),
        (0, 0, 0, 0),
        (40, 90, 100, 10),
        (None, 90, 100, 10),
        (None, 0, 0, 0),
        (150, 0, 100, 0),
        (0, 100, 100, 0),
    ],
)
def test_lag_counts_what_is_still_to_read_from_the_log_start_on(
    committed: int | None, log_start: int, high_watermark: int, expected: int
) -> None:
    assert lag(committed, log_start, high_watermark) == expected


def test_lag_is_never_negative_and_never_more_than_the_log_holds() -> None:
    dice = random.Random(1)
    for _ in range(2000):
        log_start, length = dice.randrange(100), dice.randrange(100)
        committed = dice.choice([None, dice.randrange(300)])
        assert 0 <= lag(committed, log_start, log_start + length) <= length
