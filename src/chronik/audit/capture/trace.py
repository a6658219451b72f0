"""The brokers' trace of a run: switched on for its topic, followed over HTTP while the run lasts, kept as lines.

Only Chronik's own brokers have a trace. Where the reader was too slow for a broker's ring, a mark in the lines says
that events are missing there. The clocks of the brokers' hosts are compared on the way.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from chronik.client.admin_configs import ConfigAdmin
from chronik.client.cluster import Cluster
from chronik.client.errors import ClientError
from chronik.protocol.config_resources import AlterConfigOp, ConfigSource, ResourceType
from chronik.server.status.peers import PeerError, ask

Json = dict[str, Any]
_RULE: Final = "chronik.trace"
_LISTENER: Final = "chronik.http.listener"
_ANYWHERE: Final = frozenset({"", "*", "0.0.0.0", "::", "[::]"})
_PERIOD_S: Final = 0.3
_ANSWER_S_MAX: Final = 5.0
_PAGE: Final = 2_000


@dataclass(slots=True)
class TraceReach:
    """How far the trace could be had."""

    brokers: int = 0
    problems: list[str] = field(default_factory=list)
    clock_offsets_us: dict[str, int] = field(default_factory=dict)
    """By host: how far its clock is ahead of ours, give or take half a round trip."""


@contextlib.asynccontextmanager
async def traced(cluster: Cluster, topic: str, directory: Path, http: str | None) -> AsyncIterator[TraceReach]:
    """Trace a topic as long as this lasts, and set the rule back that it had before.

    ``http`` is any broker's HTTP server, where the brokers' settings do not name it.
    """
    reach = TraceReach()
    admin = ConfigAdmin(cluster)
    try:
        before = await _own_rule(admin, topic)
        await admin.alter(ResourceType.TOPIC, topic, [(_RULE, AlterConfigOp.SET, "on")])
    except ClientError as error:
        reach.problems.append(f"the topic cannot be traced: {error.what}")
        yield reach
        return
    addresses = await _addresses(cluster, http, reach)
    followers = _followers(addresses, topic, directory, reach)
    is_ending = asyncio.Event()
    tasks = [asyncio.ensure_future(follower.run(is_ending)) for follower in followers]
    try:
        yield reach
    finally:
        is_ending.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        change = AlterConfigOp.DELETE if before is None else AlterConfigOp.SET
        with contextlib.suppress(ClientError):
            await admin.alter(ResourceType.TOPIC, topic, [(_RULE, change, before)])


async def _own_rule(admin: ConfigAdmin, topic: str) -> str | None:
    views = await admin.describe(ResourceType.TOPIC, topic, [_RULE])
    return next((view.value for view in views if view.source is ConfigSource.TOPIC), None)


def _followers(addresses: dict[int, str], topic: str, directory: Path, reach: TraceReach) -> list["_Follower"]:
    folder = directory / "trace"
    folder.mkdir(parents=True, exist_ok=True)
    reach.brokers = len(addresses)
    return [
        _Follower(node, address, topic, folder / f"{node}.jsonl", reach) for node, address in sorted(addresses.items())
    ]


async def _addresses(cluster: Cluster, http: str | None, reach: TraceReach) -> dict[int, str]:
    """Find the HTTP servers of the brokers: one of them knows all, and their settings say where one is."""
    for listener in [http] if http else await _listeners(cluster, reach):
        try:
            facts = await _document(listener, "/api/cluster")
        except PeerError as error:
            reach.problems.append(str(error))
            continue
        return {each["node_id"]: each["http"] for each in facts["brokers"] if each.get("http")}
    reach.problems.append("no trace: no broker's HTTP server is known that answers (--http names one)")
    return {}


async def _listeners(cluster: Cluster, reach: TraceReach) -> list[str]:
    found = []
    for node, broker in sorted(cluster.view.brokers.items()):
        try:
            configs = await ConfigAdmin(cluster).describe(ResourceType.BROKER, str(node), [_LISTENER])
        except ClientError as error:
            reach.problems.append(f"broker {node}: {error.what}")
            continue
        found += [_reached(each.value, broker.host) for each in configs if each.value and not _is_any_port(each.value)]
    return found


def _is_any_port(listener: str) -> bool:
    """Whether the broker took some free port, which its settings do not name."""
    return listener.endswith(":0")


def _reached(listener: str, broker_host: str) -> str:
    host, _, port = listener.removeprefix("http://").rpartition(":")
    return f"{broker_host if host in _ANYWHERE else host}:{port}"


async def _document(address: str, target: str) -> Json:
    answer = await ask(address, target, _ANSWER_S_MAX)
    if answer.status != HTTPStatus.OK:
        raise PeerError(f"{address} answered {target} with status {answer.status}")
    found = json.loads(answer.body)
    if not isinstance(found, dict):
        raise PeerError(f"{address} answered {target} with something else than an object")
    return found


class _Follower:
    """Follows the ring of one broker."""

    def __init__(self, node: int, address: str, topic: str, path: Path, reach: TraceReach) -> None:
        self._node = node
        self._address = address
        self._topic = topic
        self._path = path
        self._reach = reach
        self._after: int | None = None
        self._started_ms: int | None = None
        self._is_first = True

    async def run(self, is_ending: asyncio.Event) -> None:
        """Read until the end, and once more behind it; what fails is tried again in the next round."""
        with self._path.open("a", encoding="utf-8") as file:
            while True:
                is_last = is_ending.is_set()
                try:
                    for event in await self._take():
                        file.write(json.dumps(event) + "\n")
                    file.flush()
                except (PeerError, ValueError, KeyError) as error:
                    self._note_problem(str(error))
                if is_last:
                    return
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_PERIOD_S):
                        await is_ending.wait()

    def _note_problem(self, text: str) -> None:
        if text not in self._reach.problems:
            self._reach.problems.append(text)

    async def _take(self) -> list[Json]:
        if self._is_first:
            await self._skip_what_was()
        events: list[Json] = []
        while True:
            page = await self._page(limit=_PAGE, after=self._after, topic=self._topic)
            if self._started_ms != page["started_ms"]:
                # The trace was restarted, and its numbers began at 0 again.
                events.append(self._mark(page))
                self._started_ms, self._after = page["started_ms"], None
                continue
            if page["dropped"] and self._after is not None:
                events.append(self._mark(page))
            events += page["events"]
            self._after = page["next"] - 1 if page["next"] else None
            if page["next"] >= page["end"]:
                return events

    async def _skip_what_was(self) -> None:
        """Begin behind what lay in the ring before the run, and compare the clocks."""
        page = await self._page(limit=0)
        self._started_ms, self._after = page["started_ms"], page["end"] - 1 if page["end"] else None
        self._is_first = False
        before_us = time.time_ns() // 1000
        facts = await _document(self._address, "/api/broker")
        middle_us = (before_us + time.time_ns() // 1000) // 2
        host = self._address.rpartition(":")[0]
        self._reach.clock_offsets_us.setdefault(host, int(facts["now_ms"]) * 1000 - middle_us)

    async def _page(self, **asked: object) -> Json:
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return await _document(self._address, f"/api/traces?{query}")

    def _mark(self, page: Json) -> Json:
        """Marks missing events, before the events that follow."""
        at_us = page["events"][0]["at_us"] if page["events"] else time.time_ns() // 1000
        return {"node": self._node, "at_us": at_us, "event": "events_dropped", "dropped": page["dropped"]}
