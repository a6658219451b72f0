"""A short nemesis: three brokers killed, paused, cut off and starved while clients send, and nothing promised is lost.

`make nemesis` runs on by a seed; here every kind of fault comes once, and the rng of a round has a fixed seed.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from nemesis.plan import WAYS, Fault, FaultKind, Round, Target
from nemesis.report import line
from nemesis.rounds import RoundRun
from nemesis.stage import Scene, Stage
from tests.conftest import missing

SEED = int(os.environ.get("CHRONIK_NEMESIS_SEED", "5"))
# Each wait of a round has its own bound; the sum is reached only by a cluster that recovers from nothing.
ROUND_SECONDS_MAX = 600

KILLED = tuple(Fault(FaultKind.KILL, target, 0, 1.0) for target in Target)
PAUSED = (Fault(FaultKind.PAUSE, Target.LEADER, 1, 1.0), Fault(FaultKind.PAUSE, Target.FOLLOWER, 2, 4.0))
CUT = tuple(Fault(FaultKind.CUT, Target.LEADER, partition, 3.0, way) for partition, way in enumerate(WAYS))
STARVED = (Fault(FaultKind.FULL, Target.LEADER, 0, 3.0), Fault(FaultKind.FULL, Target.FOLLOWER, 1, 3.0))
ALL_AT_ONCE = (Fault(FaultKind.ALL, Target.LEADER, 0, 1.0), Fault(FaultKind.ALL, Target.LEADER, 0, 0.1))


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    if os.geteuid() != 0:
        missing("small disks need root to be mounted")
    with Stage(Scene(), tmp_path_factory.mktemp("nemesis")) as ready:
        yield ready


@pytest.mark.xdist_group("nemesis")
@pytest.mark.timeout(ROUND_SECONDS_MAX)
@pytest.mark.parametrize(
    ("number", "faults"),
    [
        pytest.param(1, KILLED, id="killed"),
        pytest.param(2, PAUSED, id="paused"),
        pytest.param(3, CUT, id="cut-off"),
        pytest.param(4, STARVED, id="without-room"),
        pytest.param(5, ALL_AT_ONCE, id="all-at-once"),
    ],
)
def test_what_was_acknowledged_with_acks_all_survives(stage: Stage, number: int, faults: tuple[Fault, ...]) -> None:
    """Also: two of three make progress, replicas end alike, and a group reads everything."""
    perform(stage, Round(number, faults))


@pytest.mark.xdist_group("nemesis etcd")
@pytest.mark.timeout(ROUND_SECONDS_MAX)
def test_what_was_acknowledged_survives_the_death_of_the_stores_leader_and_of_the_brokers(tmp_path: Path) -> None:
    if shutil.which("etcd") is None:
        missing("etcd is not installed: apt-get install etcd-server")
    store, leader = Fault(FaultKind.STORE, Target.LEADER, 0, 2.0), Fault(FaultKind.KILL, Target.LEADER, 1, 1.0)
    pause = Fault(FaultKind.PAUSE, Target.CONTROLLER, 0, 1.0)
    with Stage(Scene(store="etcd", small_disks=False), tmp_path) as stage:
        perform(stage, Round(6, (store, leader, pause, store)))


def perform(stage: Stage, plan: Round) -> None:
    outcome = RoundRun(stage, plan, SEED).run()
    assert outcome.is_good, f"seed {SEED}: {line(outcome)}\n{stage.cluster.log_notes()}"
    # That there was something to lose.
    assert outcome.total("acked") > 1_000
