"""Running the commands, and preparing topics for them through the client that they use."""

import asyncio
import io
import json
import os
import subprocess
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

from chronik.cli import main
from chronik.client.admin import Admin, NewTopic
from chronik.client.cluster import Cluster
from chronik.client.delivery import DeliveryOutcome
from chronik.client.producer import Producer
from tests.brokers import CHRONIK

SECONDS_MAX = 100


def chronik(
    args: Sequence[str], bootstrap: str = "", text: str | None = None, **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """Run a command as a process."""
    variables = {**os.environ, **environment, **({"CHRONIK_BOOTSTRAP": bootstrap} if bootstrap else {})}
    given = (text or "").encode()
    return subprocess.run([str(CHRONIK), *args], input=given, capture_output=True, env=variables, timeout=SECONDS_MAX)


def here(args: Sequence[str], bootstrap: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a command in this process, for tests that need many of them."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with redirect_stdout(output), redirect_stderr(errors):
        code = main.run([*args, "-b", bootstrap])
    return subprocess.CompletedProcess(list(args), code, _written(output), _written(errors))


def _written(stream: io.TextIOWrapper) -> bytes:
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


def ok_here(args: Sequence[str], bootstrap: str) -> str:
    """Give the output of a command in this process that must succeed."""
    done = here(args, bootstrap)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def json_here(args: Sequence[str], bootstrap: str) -> Any:
    """Give what a command in this process, which must succeed, prints as JSON."""
    return json.loads(ok_here([*args, "--json"], bootstrap))


def ok(args: Sequence[str], bootstrap: str, text: str | None = None) -> str:
    """Give the output of a process that must succeed."""
    done = chronik(args, bootstrap, text)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def prepare(bootstrap: str, topic: str, lines: str = "", *, partitions: int = 1, configs: Sequence[str] = ()) -> None:
    """Make a topic with records, through the client that the commands use."""

    async def work() -> None:
        async with Cluster(bootstrap) as cluster:
            pairs = dict(config.split("=", 1) for config in configs)
            [made] = await Admin(cluster).create_topics([NewTopic(topic, partitions, configs=pairs)])
            made.raise_if_refused()
            await _send(cluster, topic, lines)

    asyncio.run(work())


def send(bootstrap: str, topic: str, lines: str) -> None:
    """Send records through the client that the commands use."""

    async def work() -> None:
        async with Cluster(bootstrap) as cluster:
            await _send(cluster, topic, lines)

    asyncio.run(work())


async def _send(cluster: Cluster, topic: str, lines: str) -> None:
    async with Producer(cluster) as producer:
        results = [await producer.send(topic, line.encode()) for line in lines.splitlines()]
    assert all(result.result().outcome is DeliveryOutcome.ACKNOWLEDGED for result in results)


def ok_json(args: Sequence[str], bootstrap: str, text: str | None = None) -> Any:
    """Give what a process that must succeed prints as JSON."""
    return json.loads(ok([*args, "--json"], bootstrap, text))


def consumed(args: Sequence[str], bootstrap: str) -> list[dict[str, Any]]:
    """Give the records that are printed."""
    return [json.loads(line) for line in ok(["topic", "consume", *args, "--json"], bootstrap).splitlines()]
