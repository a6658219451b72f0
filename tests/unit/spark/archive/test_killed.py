"""An archive that is killed with -9 while it writes, at every moment, is equal to the topic after the next run.

The child runs the driver without Spark, so that a death costs little; `tests/spark` has the same with Spark.
"""

import multiprocessing
import random
import signal
from pathlib import Path

import pytest

from chronik.spark.archive.verify import verify
from tests.unit.spark.archive.child import archive_and_die
from tests.unit.spark.made_topic import RULES, MadeTopic, archive, opened, rows_in

SECONDS_MAX = 60
NEVER = 100_000
ENDS = {0: 40, 1: 15}

# Children are forked from a process that has loaded everything and runs no thread.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.unit.spark.archive.child"])


def dies(form: str, place: Path, ends: dict[int, int], moment: int) -> bool:
    """Archive in a child that is killed at a moment; say whether it came so far."""
    child = PROCESSES.Process(target=archive_and_die, args=(form, str(place), ends, moment))
    child.start()
    child.join(SECONDS_MAX)
    assert child.exitcode in (0, -signal.SIGKILL), f"{form}, moment {moment}: {child.exitcode}"
    return child.exitcode != 0


def assert_whole(form: str, place: Path, topic: MadeTopic) -> None:
    assert rows_in(form, place) == topic.rows()
    assert verify(opened(form, place), topic.state(), RULES, read=topic.read).findings == []


@pytest.mark.parametrize("form", ["delta", "parquet"])
def test_whatever_moment_it_is_killed_at_every_record_is_there_once(form: str, tmp_path: Path) -> None:
    moment = 1
    while dies(form, place := tmp_path / str(moment), ENDS, moment):
        topic = MadeTopic({0: 41, 1: 15 + moment})
        archive(opened(form, place), topic)
        assert_whole(form, place, topic)
        moment += 1
    assert_whole(form, place, MadeTopic(ENDS))
    assert moment > 15


@pytest.mark.parametrize("form", ["delta", "parquet"])
@pytest.mark.parametrize("seed", range(3))
def test_it_may_be_killed_again_and_again_while_the_topic_grows(form: str, seed: int, tmp_path: Path) -> None:
    dice = random.Random(f"{form} {seed}")
    ends, deaths = dict(ENDS), 0
    for _ in range(4):
        deaths += dies(form, tmp_path / "orders", ends, dice.randint(1, 20))
        ends = {partition: end + dice.randrange(30) for partition, end in ends.items()}
    assert not dies(form, tmp_path / "orders", ends, NEVER)
    assert deaths > 0
    assert_whole(form, tmp_path / "orders", MadeTopic(ends))
