"""The picture of ``cluster status --watch``: it fits, and says what is wrong without colour."""

import random
from typing import Any

import pytest

from chronik.cli.cluster.watch_frame import Ink, Picture, frame, rendered
from chronik.cli.cluster.watch_status import ClusterSnapshot

FAULT = (
    "partition orders-2: watermark at 1,664 for 61 s while the log end is 1,742; follower 3 has not fetched for 58 s"
)


def broker(node: int, *, up: bool = True, **more: Any) -> dict[str, Any]:
    return {
        "node_id": node,
        "up": up,
        "state": "serving" if up else "silent",
        "silent_for_ms": 0 if up else 58_000,
        "leads": 4,
        "replicas": 12,
        "rates": {"requests": 1234.5, "bytes_in": 5_300_000.0, "bytes_out": 0.0, "messages_in": 10.0},
        "memory_bytes": 64 * 1024 * 1024,
        "loop_delay": {"last_ms": 0.3, "longest_minute_ms": 1_234.0},
        **more,
    }


def partition(name: str, index: int, **more: Any) -> dict[str, Any]:
    return {
        "topic": name,
        "partition": index,
        "role": "leader",
        "leader": 1,
        "replicas": [1, 2, 3],
        "isr": [1, 2, 3],
        "high_watermark": 1_742,
        "log_end": 1_742,
        "lag": 0,
        "stands_for_ms": 0,
        **more,
    }


def facts(**more: Any) -> ClusterSnapshot:
    told: dict[str, Any] = {
        "cluster_id": "WP1IEvMjIAZMDqNG7ikMdw",
        "controller": 2,
        "brokers": [broker(1), broker(2), broker(3)],
        "partitions": [partition("orders", number) for number in range(40)],
        "partitions_in_all": 40,
        "groups": [{"group": "billing", "state": "Stable", "members": 3, "lag": 12}],
    }
    return ClusterSnapshot("broker 1", **(told | more))


def texts(told: ClusterSnapshot, width: int = 80, height: int | None = 24, **chosen: Any) -> list[str]:
    return [line.text for line in frame(told, Picture(width, height, "14:03:12", **chosen))]


def test_a_screen_of_80_by_24_shows_cluster_brokers_partitions_groups_and_keys() -> None:
    shown = texts(facts())
    assert len(shown) == 24
    assert shown[0].split() == ["chronik", "WP1IEvMjIAZMDqNG7ikMdw", "3/3", "brokers", "controller", "2", "14:03:12"]
    assert shown[1] == "all is well: every replica is in sync"
    assert shown[4].split() == ["2", "control", "serving", "4", "12", "1.2K", "5.1M", "0", "64M", "1s"]
    assert any(line.startswith("orders-0 ") for line in shown)
    assert any(line.startswith("billing") for line in shown)
    assert shown[-1].startswith("q quit")


def test_a_fault_stands_on_top_in_its_own_words_and_begins_with_a_mark() -> None:
    shown = texts(facts(faults=[{"severity": "critical", "text": FAULT}]))
    assert shown[1].startswith("! partition orders-2: watermark at 1,664")
    assert " ".join([shown[1][2:], shown[2].strip()]) == FAULT


def test_a_hundred_faults_leave_room_for_the_brokers_and_are_counted() -> None:
    many = [{"severity": "warning", "text": f"partition orders-{number}: it stands"} for number in range(100)]
    shown = texts(facts(faults=many))
    assert "! and 95 faults more" in shown
    assert any(line.startswith("BROKER") for line in shown)
    assert any(line.startswith("PARTITION") for line in shown)


def test_what_is_wrong_is_marked_without_colour() -> None:
    told = facts(
        brokers=[broker(1), broker(3, up=False)],
        partitions=[
            partition("orders", 0, isr=[1, 2], lag=78, stands_for_ms=61_000),
            partition("orders", 1, leader=-1, role="offline"),
        ],
    )
    shown = texts(told)
    [silent] = [line for line in shown if line.startswith("3 ")]
    assert "!silent 58s" in silent
    [short] = [line for line in shown if line.startswith("orders-0")]
    assert short.split()[:7] == ["orders-0", "1", "1,2,3!", "1,742", "1,742", "78", "61s"]
    [offline] = [line for line in shown if line.startswith("orders-1")]
    assert "!none" in offline


def test_nobody_answers_is_said() -> None:
    shown = texts(ClusterSnapshot("nobody", problem="no broker answers"))
    assert shown[1] == "! no broker answers"
    assert "(no broker answers)" in shown[0]


def test_scrolling_ends_at_the_last_partition() -> None:
    assert any(line.startswith("orders-39 ") for line in texts(facts(), scrolled=1_000))
    assert not any(line.startswith("orders-39 ") for line in texts(facts()))


def test_a_wide_screen_draws_what_lies_beyond_the_watermark() -> None:
    told = facts(partitions=[partition("orders", 0, high_watermark=1_000, log_end=2_000, lag=1_000)])
    [row] = [line for line in texts(told, width=140) if line.startswith("orders-0")]
    assert row.endswith("█" * 20 + "░" * 20)


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_told_fits_the_screen(seed: int) -> None:
    dice = random.Random(seed)
    width, height = dice.randint(40, 200), dice.randint(8, 60)
    some = facts(
        brokers=[broker(number, up=dice.random() < 0.7) for number in range(dice.randint(0, 70))],
        partitions=[
            partition("t" * dice.randint(1, 249), number, high_watermark=dice.choice([None, 0, 2**62]), lag=None)
            for number in range(dice.randint(0, 300))
        ],
        groups=[{"group": "g" * dice.randint(1, 300), "state": "Stable", "members": 1, "lag": 2**60}]
        * dice.randint(0, 9),
        faults=[{"severity": "warning", "text": "word " * dice.randint(1, 90)}] * dice.randint(0, 120),
    )
    shown = texts(some, width, height, scrolled=dice.randint(0, 400))
    assert len(shown) == height, f"seed {seed}"
    assert max(map(len, shown)) <= width, f"seed {seed}"


def test_colour_is_written_only_where_it_may_be() -> None:
    lines = frame(facts(faults=[{"severity": "critical", "text": FAULT}]), Picture(80, 24, ""))
    assert not any("\x1b" in text for text in rendered(lines, colour=False))
    assert rendered(lines, colour=True)[1].startswith(Ink.CRITICAL.value)
