"""`python -m benchmarks.groups`: what many resting groups cost a broker, and how fast a large group settles.

Chronik and Apache Kafka run one after the other. The members are simulated over raw connections: what the broker
sees of a member is the same, and ten thousand real clients do not fit on one machine beside it.
"""

import asyncio
import itertools
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
from benchmarks.group_members import HEARTBEAT_S, Member, await_coordinator, await_one_generation, connect, form_group
from benchmarks.load import InvalidMeasurementError
from benchmarks.prerequisites import PEER_VERSION, ROOT, ensure_peer
from chronik.client.connection import Connection
from chronik.protocol import apis, frames
from chronik.protocol.generated.heartbeat import HeartbeatRequest, HeartbeatResponse

MEMBERS_PER_GROUP = 10
GROUPS_AT_ONCE = 25
LARGE_GROUP = 200
SETTLED_S_MAX = 120.0
HEARTBEAT_VERSION = 4
# Size, correlation id, no tags, throttle time, error code, no tags.
HEARTBEAT_ANSWER_BYTES = 16
ERROR_CODE = slice(13, 15)
# Long enough for all members of a group to come before its first assignment.
SETTINGS = {"group.initial.rebalance.delay.ms": "1000"}


@dataclass(frozen=True, slots=True)
class Figures:
    """What one broker was measured to do."""

    members: int
    silent_core_percent: float
    heartbeats_core_percent: float
    heartbeats_per_s: float
    memory_mb: float
    formed_s: float
    one_joined_s: float
    one_left_s: float


@click.command()
@click.option("--groups", "group_count", default=1000, show_default=True, help="Resting groups, of ten members each.")
@click.option("--seconds", default=30.0, show_default=True, help="How long each share of a core is measured.")
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
    formed, joined, left = await large_group(broker)
    members = await resting_groups(broker, group_count)
    silent = await _core_percent(broker, seconds)
    beats = _Heartbeats(broker.port, members)
    async with beats:
        # The first round is the warm-up.
        await asyncio.sleep(HEARTBEAT_S)
        answered = beats.answered
        busy = await _core_percent(broker, seconds)
        rate = (beats.answered - answered) / seconds
    memory = machine.anonymous_mb(broker.pid)
    return Figures(len(members), silent, busy, rate, memory, formed, joined, left)


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


class _Heartbeats:
    """Heartbeats of all members, evenly over three seconds, written as bytes that were encoded once."""

    def __init__(self, port: int, members: Sequence[Member]) -> None:
        self.answered = 0
        self._port = port
        lane_count = min(100, len(members))
        self._lanes = [[_heartbeat_frame(member) for member in members[lane::lane_count]] for lane in range(lane_count)]
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> None:
        self._tasks = [asyncio.create_task(self._beat(frames_of_lane)) for frames_of_lane in self._lanes]

    async def __aexit__(self, *error: object) -> None:
        for task in self._tasks:
            if task.done():
                task.result()
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _beat(self, beats: Sequence[bytes]) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            # Answers are not waited for: members do not wait for each other either.
            await asyncio.gather(self._write(writer, beats), self._read(reader))
        finally:
            writer.close()

    async def _write(self, writer: asyncio.StreamWriter, beats: Sequence[bytes]) -> None:
        pause = HEARTBEAT_S / len(beats)
        due = time.monotonic() + random.Random(len(beats)).uniform(0, pause)
        for beat in itertools.cycle(beats):
            await asyncio.sleep(due - time.monotonic())
            due += pause
            writer.write(beat)

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while True:
            answer = await reader.readexactly(HEARTBEAT_ANSWER_BYTES)
            if answer[ERROR_CODE] != b"\0\0":
                raise InvalidMeasurementError(f"a heartbeat was refused: {answer.hex()}")
            self.answered += 1


def _heartbeat_frame(member: Member) -> bytes:
    request = HeartbeatRequest(member.group, member.generation, member.member_id)
    api = apis.describe(HeartbeatRequest, HeartbeatResponse)
    return b"".join(frames.encode_request(api, HEARTBEAT_VERSION, 1, "groups", request))


async def _core_percent(broker: Broker, seconds: float) -> float:
    """The share of one core that the broker uses while time passes."""
    before, began = machine.cpu_seconds(broker.pid), time.monotonic()
    await asyncio.sleep(seconds)
    broker.check_alive()
    return 100 * (machine.cpu_seconds(broker.pid) - before) / (time.monotonic() - began)


def _close(connections: Sequence[Connection]) -> None:
    for connection in connections:
        connection.close()


def print_table(found: dict[str, Figures], group_count: int) -> None:
    """Print one column for each broker."""
    table = Table(title=f"{group_count:,} groups of {MEMBERS_PER_GROUP} at rest, and a group of {LARGE_GROUP}")
    table.add_column("figure")
    for name in found:
        table.add_column(name, justify="right")
    for title, field, form in ROWS:
        table.add_row(title, *(form.format(getattr(one, field)) for one in found.values()))
    Console(width=120).print(table)


ROWS = (
    ("share of a core, members silent", "silent_core_percent", "{:.2f} %"),
    ("share of a core, each sends a heartbeat every 3 s", "heartbeats_core_percent", "{:.1f} %"),
    ("heartbeats answered per second", "heartbeats_per_s", "{:,.0f}"),
    ("memory of the process afterwards (RssAnon)", "memory_mb", "{:,.0f} MB"),
    ("the large group has formed", "formed_s", "{:.2f} s"),
    ("all are stable after one more joined", "one_joined_s", "{:.2f} s"),
    ("all are stable after one left", "one_left_s", "{:.2f} s"),
)


if __name__ == "__main__":
    main()
