"""Durations by powers of two: nothing is lost, and quantiles are right within a bucket."""

import random
from bisect import bisect_left
from itertools import pairwise

import pytest

from chronik.observability.histograms import Histogram, cumulative, quantiles, quantiles_ns
from chronik.observability.metrics import Rates
from chronik.observability.request_times import STAGES, RequestTimes, Timing, note_sent


def durations(seed: int, count: int = 5_000) -> list[int]:
    dice = random.Random(seed)
    return [int(dice.lognormvariate(13, 2)) for _ in range(count)]


@pytest.mark.parametrize("seed", range(5))
def test_a_bound_counts_exactly_what_lies_below_it(seed: int) -> None:
    histogram, values = Histogram(), durations(seed)
    for value in values:
        histogram.observe(value)
    for exponent, below in cumulative(histogram.counts, range(10, 40)):
        assert below == sum(value < 1 << exponent for value in values)
    assert histogram.count == len(values)
    assert histogram.sum_ns == sum(values)


@pytest.mark.parametrize("seed", range(5))
def test_a_quantile_lies_in_the_bucket_of_the_true_one(seed: int) -> None:
    histogram, values = Histogram(), sorted(durations(seed))
    for value in values:
        histogram.observe(value)
    for share in (0.01, 0.5, 0.9, 0.99, 0.999):
        true = values[max(0, bisect_left(range(1, len(values) + 1), share * len(values)))]
        (told,) = quantiles_ns(histogram.counts, [share])
        assert 1 << (true.bit_length() - 1) <= told <= 1 << true.bit_length(), (share, true, told)


def test_quantiles_never_fall_and_the_highest_covers_every_value() -> None:
    histogram, values = Histogram(), durations(7)
    for value in values:
        histogram.observe(value)
    told = quantiles_ns(histogram.counts, [share / 100 for share in range(101)])
    assert all(low <= high for low, high in pairwise(told))
    assert quantiles(histogram.counts).max_ns >= max(values)


def test_without_a_value_every_quantile_is_zero() -> None:
    assert quantiles_ns(Histogram().counts, [0.0, 0.5, 1.0]) == [0.0, 0.0, 0.0]


def timing(times: RequestTimes, *, local_end_ns: int, delivered_ns: int) -> Timing:
    made = Timing(times, received_ns=1_000, started_ns=3_000)
    made.local_end_ns, made.delivered_ns = local_end_ns, delivered_ns
    return made


def test_the_stages_of_a_request_follow_each_other_and_add_up() -> None:
    times = RequestTimes("Produce")
    note_sent([timing(times, local_end_ns=10_000, delivered_ns=110_000)], sent_ns=111_000)
    sums = {stage: times.stage_sum_ns(stage) for stage in STAGES}
    assert sums == {"queue": 2_000, "local": 7_000, "remote": 100_000, "response": 1_000, "total": 110_000}
    assert [sum(times.stage_counts(stage)) for stage in STAGES] == [1] * 5


def test_what_is_answered_within_its_read_event_has_waited_for_nobody() -> None:
    times = RequestTimes("Metadata")
    note_sent([timing(times, local_end_ns=0, delivered_ns=9_000)], sent_ns=9_500)
    assert times.stage_sum_ns("local") == 6_000
    assert times.stage_sum_ns("remote") == 0


def test_of_many_answers_that_leave_together_every_one_is_counted_under_its_own_name() -> None:
    dice = random.Random(11)
    kinds = [RequestTimes(name) for name in ("Produce", "Fetch", "Metadata")]
    for _ in range(200):
        burst = [timing(dice.choice(kinds), local_end_ns=0, delivered_ns=9_000) for _ in range(dice.randrange(1, 40))]
        before = [kind.requests for kind in kinds]
        note_sent(burst, sent_ns=10_000)
        sent = [sum(each.times is kind for each in burst) for kind in kinds]
        assert [kind.requests - was for kind, was in zip(kinds, before, strict=True)] == sent
    for kind in kinds:
        assert [sum(kind.stage_counts(stage)) for stage in STAGES] == [kind.requests] * 5


def test_few_answers_are_looked_at_one_by_one() -> None:
    times = RequestTimes("Fetch")
    ends = [9_000, 90_000_000, 9_000]
    note_sent([timing(times, local_end_ns=0, delivered_ns=end) for end in ends], sent_ns=91_000_000)
    assert times.stage_sum_ns("local") == sum(ends) - 3 * 3_000


def test_what_is_told_as_recent_forgets_what_was_long_ago() -> None:
    times = RequestTimes("Fetch")
    note_sent([timing(times, local_end_ns=0, delivered_ns=9_000_000_000)], sent_ns=9_000_000_001)
    assert times.recent("total").p50_ns > 4e9
    times.rotate()
    assert times.recent("total").p50_ns > 4e9, "one window ago is still recent"
    times.rotate()
    note_sent([timing(times, local_end_ns=0, delivered_ns=9_000)], sent_ns=9_001)
    assert times.recent("total").p99_ns < 20_000
    assert times.requests == 2, "what is counted stays"


def test_a_rate_is_of_the_last_seconds_and_never_negative() -> None:
    rates = Rates()
    assert rates.per_second() == {}
    for second in range(20):
        rates.sample(float(second), {"in": 100 * second, "gone": 50 if second < 19 else 0})
    assert rates.per_second() == {"in": 100.0, "gone": 0.0}
