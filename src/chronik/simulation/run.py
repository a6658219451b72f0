"""One run of the simulation: a cluster, faults from a seed, and then calm, in which all that is owed must come."""

import logging
import traceback
from dataclasses import dataclass, field
from typing import Final

from chronik.metadata.image.keys import PartitionState
from chronik.model.ids import BrokerId
from chronik.simulation.clients import SimulatedProducer, SimulatedReader
from chronik.simulation.faults import Nemesis
from chronik.simulation.judge import Broken
from chronik.simulation.simulated_broker import SimulationSettings
from chronik.simulation.world import World

FAULTS_S: Final = 5.0
CALM_S_MAX: Final = 20.0
OWN_CODE: Final = "/chronik/"


@dataclass(slots=True)
class RunResult:
    """What came of one seed."""

    seed: int
    violation: str | None = None
    trace: list[str] = field(default_factory=list)
    events: int = 0
    committed: int = 0
    acknowledged: int = 0
    read: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    lost: int = 0
    """Committed records that were lost beyond the budget; a loss that no broker reports is a violation."""


def run_seed(seed: int, *, faults_s: float = FAULTS_S) -> RunResult:
    """Run one seed to its end, or to the first broken promise."""
    world = World(
        seed,
        broker_count=4 if seed % 5 == 4 else 3,
        partition_count=1 + seed % 2,
        has_groups=seed % 3 == 0,
        settings=SimulationSettings(forwards=seed % 4 < 2),
    )
    nemesis = Nemesis(world, keeps_budget=seed % 8 != 7)
    result = RunResult(seed)
    quiet = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with world.clocks():
            _live(world, nemesis, faults_s)
    except Broken as broken:
        result.violation = str(broken)
    except Exception as error:  # noqa: BLE001 -- whatever the product raises is a finding
        result.violation = _describe(error)
    finally:
        logging.disable(quiet)
    result.trace = list(world.trace)
    result.events = world.scheduler.events
    result.committed = world.judge.committed_total
    result.acknowledged = sum(client.acknowledged for client in world.clients if isinstance(client, SimulatedProducer))
    result.read = sum(len(client.seen) for client in world.clients if isinstance(client, SimulatedReader))
    result.faults = nemesis.done
    result.lost = sum(len(shown.lost) for shown in world.judge.shown.values())
    return result


def _live(world: World, nemesis: Nemesis, faults_s: float) -> None:
    world.found()
    world.add_clients()
    nemesis.begin()
    world.run_for(faults_s)
    spared = _who_may_stay_dead(world)
    nemesis.end(spared)
    expect_progress(world, dead=spared)
    nemesis.end()
    expect_progress(world)
    expect_whole(world)
    expect_read(world)
    world.judge.check_end()


def _who_may_stay_dead(world: World) -> BrokerId | None:
    """Choose a broker that is down and whose absence excuses nothing: enough others can be elected."""
    dead = [broker.id for broker in world.brokers.values() if not broker.process.is_running]
    if len(dead) != 1:
        return None
    for key in world.keys:
        state = world.state_of(key)
        able = {*state.isr, *state.elr} - {*dead} - world.judge.lossy_brokers()
        if len(able) < world.min_insync:
            return None
    return dead[0]


def expect_progress(world: World, dead: BrokerId | None = None) -> None:
    """Every producer with acks=all is acknowledged again, because no fault is left."""
    producers = [client for client in world.clients if isinstance(client, SimulatedProducer) and client.acks == -1]
    wanted = {producer.name: producer.acknowledged + 2 for producer in producers}
    end_us = world.scheduler.now_us + int(CALM_S_MAX * 1_000_000)
    while any(producer.acknowledged < wanted[producer.name] for producer in producers):
        if world.scheduler.now_us > end_us:
            stuck = [each.name for each in producers if each.acknowledged < wanted[each.name]]
            why = "" if dead is None else f" although only broker {dead} is dead"
            raise Broken(f"no progress within {CALM_S_MAX} s of calm{why}: {stuck} got no answer")
        world.step()


def expect_whole(world: World) -> None:
    """Every replica comes back into sync."""
    end_us = world.scheduler.now_us + int(CALM_S_MAX * 1_000_000)
    while not all(is_whole(world.state_of(key)) for key in world.keys):
        if world.scheduler.now_us > end_us:
            raise Broken("a replica does not come back into sync although all is calm")
        world.step()


def expect_read(world: World) -> None:
    """Everybody who reads, also from the beginning, gets everything that was committed."""
    for client in world.clients:
        if isinstance(client, SimulatedProducer):
            client.is_stopped = True
    for key in world.data_keys:
        world.add_client(SimulatedReader, key, f"late-reader-{key[1]}")
    committed = {key: len(world.judge.shown[key].records) for key in world.data_keys}
    world.run_for(0.001)
    readers = [client for client in world.clients if isinstance(client, SimulatedReader)]
    end_us = world.scheduler.now_us + int(CALM_S_MAX * 1_000_000)
    while any(len(reader.seen) < committed[reader.key] for reader in readers):
        if world.scheduler.now_us > end_us:
            late = [f"{each.name} at {len(each.seen)} of {committed[each.key]}" for each in readers]
            raise Broken(f"not everything that was committed can be read: {', '.join(late)}")
        world.step()


def is_whole(state: PartitionState) -> bool:
    """Whether all replicas are in sync, and none of them is to go."""
    return len(state.isr) == len(state.replicas) and not state.adding and not state.removing


def _describe(error: Exception) -> str:
    """Return what was raised, and where in the product."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if OWN_CODE in frame.filename), frames[-1])
    where = f"{place.filename.rpartition(OWN_CODE)[2]}:{place.lineno}"
    return f"{type(error).__name__} in {where}: {error}"
