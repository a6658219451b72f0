"""`python -m benchmarks.groups`: what many resting groups cost a broker, and how fast a large group settles.

Chronik and Apache Kafka run one after the other. The members are simulated over raw connections: what the broker
sees of a member is the same, and ten thousand real clients do not fit on one machine beside it.
"""

import asyncio
import contextlib
import json
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from benchmarks import machine
from benchmarks.brokers import Broker, Chronik, Contender, Kafka, running
from benchmarks.group_load import Commits, Heartbeats, Load, create_committed_topic
from benchmarks.group_members import HEARTBEAT_S, Member, await_coordinator, await_one_generation, connect, form_group
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import PEER_VERSION, ROOT, ensure_peer
from chronik.client.connection import BrokerConnection

MEMBERS_PER_GROUP = 10
GROUPS_AT_ONCE = 50
LARGE_GROUP = 200
SETTLED_S_MAX = 120.0
PIPELINED_CONNECTIONS = 20
PIPELINED_BURST = 50
CONNECTIONS = 1000
COMMITTING = 20
# Long enough for all members of a group to come before its first assignment.
SETTINGS = {"group.initial.rebalance.delay.ms": "1000"}


@dataclass(frozen=True, slots=True)
class Figures:
    """What one broker was measured to do."""

    members: int
    silent_core_percent: float
    pipelined_core_percent: float
    pipelined_us: float
    heartbeats_core_percent: float
    heartbeats_per_s: float
    heartbeats_us: float
    commits_per_s: float
    commit_us: float
    joined_us: float
    memory_mb: float
    formed_s: float
    one_joined_s: float
    one_left_s: float


@click.command()
@click.option("--groups", "group_count", default=1000, show_default=True, help="Resting groups, of ten members each.")
@click.option("--seconds", default=10.0, show_default=True, help="How long each share of a core is measured.")
@click.option("--own-only", is_flag=True, help="Chronik alone.")
@click.option("--output", type=click.Path(path_type=Path), default=ROOT / "benchmarks" / "results" / "groups.json")
def main(group_count: int, seconds: float, own_only: bool, output: Path) -> None:
    """Measure resting groups and a large group's rebalance, and print the table."""
    contenders: list[Contender] = [Chronik()] if own_only else [Chronik(), Kafka()]
    if not own_only:
        ensure_peer()
    scratch = Path(tempfile.mkdtemp(prefix="chronik-groups-"))
    try:
        found = {one.name: measure(one, scratch / one.name, group_count, seconds) for one in contenders}
        facts = {"kafka": PEER_VERSION, "machine": machine.state(scratch)}
    except InvalidMeasurementError as problem:
        sys.exit(f"groups: {problem}")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print_table(found, group_count)
    figures = {name: asdict(one) for name, one in found.items()}
    output.write_text(json.dumps({**facts, "groups": group_count, "figures": figures}, indent=2) + "\n")


def measure(contender: Contender, directory: Path, group_count: int, seconds: float) -> Figures:
    """Measure one kind of broker, from its start to its end."""
    with running(contender, directory, SETTINGS) as broker:
        return asyncio.run(_measure(broker, group_count, seconds))


async def _measure(broker: Broker, group_count: int, seconds: float) -> Figures:
    await await_coordinator(broker.port)
    await create_committed_topic(broker.port)
    formed, joined, left = await large_group(broker)
    before = machine.cpu_seconds(broker.pid)
    members = await resting_groups(broker, group_count)
    joining_s = machine.cpu_seconds(broker.pid) - before
    silent = await _cost(broker, None, seconds)
    bursts = Heartbeats(broker.port, members, lane_count=PIPELINED_CONNECTIONS, burst=PIPELINED_BURST)
    pipelined = await _cost(broker, bursts, seconds)
    beats = await _cost(broker, Heartbeats(broker.port, members, lane_count=CONNECTIONS), seconds)
    commits = await _cost(broker, Commits(broker.port, members[::MEMBERS_PER_GROUP][:COMMITTING]), seconds)
    return Figures(
        members=len(members),
        silent_core_percent=silent.core_percent,
        pipelined_core_percent=pipelined.core_percent,
        pipelined_us=pipelined.us_each,
        heartbeats_core_percent=beats.core_percent,
        heartbeats_per_s=beats.per_s,
        heartbeats_us=beats.us_each,
        commits_per_s=commits.per_s,
        commit_us=commits.us_each,
        joined_us=1e6 * joining_s / len(members),
        memory_mb=machine.anonymous_mb(broker.pid),
        formed_s=formed,
        one_joined_s=joined,
        one_left_s=left,
    )


async def large_group(broker: Broker) -> tuple[float, float, float]:
    """Seconds until a large group has formed, has taken in one more, and has let one go."""
    connections = [await connect(broker.port) for _ in range(LARGE_GROUP + 1)]
    *first, late = [Member("large", connection) for connection in connections]
    async with asyncio.TaskGroup() as tasks:
        lives = [tasks.create_task(member.live(random.Random(number))) for number, member in enumerate(first)]
        formed = await await_one_generation(first, 0, SETTLED_S_MAX)
        generation = first[0].generation
        lives.append(tasks.create_task(late.live(random.Random(LARGE_GROUP))))
        joined = await await_one_generation([*first, late], generation, SETTLED_S_MAX)
        generation = late.generation
        lives[0].cancel()
        await first[0].leave()
        left = await await_one_generation([*first[1:], late], generation, SETTLED_S_MAX)
        for life in lives:
            life.cancel()
    await asyncio.gather(*(member.leave() for member in [*first[1:], late] if member.connection.in_flight == 0))
    _close(connections)
    return formed, joined, left


async def resting_groups(broker: Broker, group_count: int) -> list[Member]:
    """Form groups of ten, some at once, over connections that are closed then: membership does not hang on them."""
    connections = [await connect(broker.port) for _ in range(GROUPS_AT_ONCE * MEMBERS_PER_GROUP)]
    members: list[Member] = []
    for start in range(0, group_count, GROUPS_AT_ONCE):
        forming = [
            form_group(f"group-{start + lane}", connections[lane * MEMBERS_PER_GROUP :][:MEMBERS_PER_GROUP])
            for lane in range(min(GROUPS_AT_ONCE, group_count - start))
        ]
        for group in await asyncio.gather(*forming):
            members += group
    _close(connections)
    return members


@dataclass(frozen=True, slots=True)
class _Cost:
    """What a broker spent under a load, and how much of the load it answered."""

    processor_s: float
    elapsed_s: float
    answered: int

    @property
    def core_percent(self) -> float:
        return 100 * self.processor_s / self.elapsed_s

    @property
    def per_s(self) -> float:
        return self.answered / self.elapsed_s

    @property
    def us_each(self) -> float:
        if not self.answered:
            raise InvalidMeasurementError("nothing was answered")
        return 1e6 * self.processor_s / self.answered


async def _cost(broker: Broker, load: Load | None, seconds: float) -> _Cost:
    """Measure under a load, or under none, after a warm-up as long as a round of heartbeats."""
    async with load or contextlib.nullcontext():
        await asyncio.sleep(HEARTBEAT_S)
        answered = load.answered if load else 0
        before, began = machine.cpu_seconds(broker.pid), time.monotonic()
        await asyncio.sleep(seconds)
        broker.check_alive()
        spent, elapsed = machine.cpu_seconds(broker.pid) - before, time.monotonic() - began
        return _Cost(spent, elapsed, load.answered - answered if load else 0)


def _close(connections: Sequence[BrokerConnection]) -> None:
    for connection in connections:
        connection.close()


def print_table(found: dict[str, Figures], group_count: int) -> None:
    """Print one column for each broker."""
    table = Table(title=f"{group_count:,} groups of {MEMBERS_PER_GROUP} at rest, and a group of {LARGE_GROUP}")
    table.add_column("figure")
    for name in [*found, "chronik : kafka"] if len(found) > 1 else found:
        table.add_column(name, justify="right")
    for title, field, form in ROWS:
        values = [getattr(one, field) for one in found.values()]
        table.add_row(title, *map(form.format, values), *_ratio(values))
    Console(width=120).print(table)


def _ratio(values: Sequence[float]) -> list[str]:
    return [f"{values[0] / values[1]:.2f}"] if len(values) > 1 and values[1] else []


ROWS = (
    ("share of a core, members silent", "silent_core_percent", "{:.2f} %"),
    ("share of a core, a heartbeat of each every 3 s, pipelined", "pipelined_core_percent", "{:.1f} %"),
    ("processor time of such a heartbeat", "pipelined_us", "{:.0f} µs"),
    (f"share of a core, the same over {CONNECTIONS:,} connections", "heartbeats_core_percent", "{:.1f} %"),
    ("processor time of such a heartbeat", "heartbeats_us", "{:.0f} µs"),
    ("heartbeats answered per second", "heartbeats_per_s", "{:,.0f}"),
    (f"commits per second over {COMMITTING} connections", "commits_per_s", "{:,.0f}"),
    ("processor time of a commit", "commit_us", "{:.0f} µs"),
    ("processor time of a member that joins in a group of ten", "joined_us", "{:.0f} µs"),
    ("memory of the process afterwards (RssAnon)", "memory_mb", "{:,.0f} MB"),
    ("the large group has formed", "formed_s", "{:.2f} s"),
    ("all are stable after one more joined", "one_joined_s", "{:.2f} s"),
    ("all are stable after one left", "one_left_s", "{:.2f} s"),
)


if __name__ == "__main__":
    main()
