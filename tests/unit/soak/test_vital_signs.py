"""A pulse that stops, memory that grows and a disk that fills are found; noise is not."""

from random import Random

from soak.vital_signs import DISK_BYTES_MAX, GROWTH_BYTES_MAX, Sample, sum_up

MEGABYTE = 1_000_000


def samples(*, growth_bytes: int = 0, warm_up_bytes: int = 0, seconds: int = 600) -> list[Sample]:
    """A sample a second: first use in the first tenth, then a straight line with noise."""
    dice = Random(5)
    tenth = seconds // 10
    return [
        Sample(
            float(second),
            0.001,
            0.0,
            50 * MEGABYTE
            + warm_up_bytes * min(second, tenth) // tenth
            + growth_bytes * max(second - tenth, 0) // seconds
            + dice.randrange(2 * MEGABYTE),
            100,
        )
        for second in range(seconds)
    ]


def test_noise_and_first_use_are_not_growth() -> None:
    assert sum_up(samples(warm_up_bytes=100 * MEGABYTE)).findings() == []


def test_memory_that_grows_is_found_and_its_slope_is_told() -> None:
    signs = sum_up(samples(growth_bytes=2 * GROWTH_BYTES_MAX))
    (finding,) = signs.findings()
    assert "memory grew" in finding
    assert signs.growth_bytes_per_hour is not None
    expected = 2 * GROWTH_BYTES_MAX * 6
    assert abs(signs.growth_bytes_per_hour - expected) < 0.05 * expected


def late(count: int, **more: float) -> list[Sample]:
    return [Sample(601.0 + number, 3.0, **more) for number in range(count)]


def test_answers_that_took_a_second_are_found_when_they_are_more_than_a_machine_that_stands_still_explains() -> None:
    assert sum_up(late(2)).findings() == []
    (finding,) = sum_up(late(3)).findings()
    assert finding == "3 answers took 1.0 s or longer: 3.00, 3.00, 3.00 s"
    assert sum_up([*samples(), *late(20)]).findings() == []
    assert len(sum_up([*samples(), *late(21)]).findings()) == 1


def test_time_without_a_cpu_does_not_count_and_the_rest_does() -> None:
    assert sum_up(late(3, cpu_wait_seconds=2.1)).findings() == []
    assert len(sum_up(late(3, cpu_wait_seconds=1.9)).findings()) == 1


def test_a_full_disk_is_found() -> None:
    (finding,) = sum_up([Sample(0.0, 0.1, disk_bytes=DISK_BYTES_MAX)]).findings()
    assert "on disk" in finding


def test_a_broker_elsewhere_is_judged_by_its_answers_alone() -> None:
    signs = sum_up([Sample(0.0, 0.1), Sample(1.0, 0.3), Sample(2.0, 0.2)])
    assert (signs.memory_bytes_max, signs.growth_bytes, signs.disk_bytes_max) == (None, None, None)
    assert (signs.answer_seconds_max, signs.answer_seconds_median) == (0.3, 0.2)
    assert signs.findings() == []
