"""``chronik trace tail``: the trace events of all brokers, ordered by time."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import click

from chronik.cli.shell.options import ClientOptions, client_options, examples, with_cluster
from chronik.cli.shell.output import print_json_line
from chronik.cli.trace.sources import Json, TracedBroker, http_option, traced_brokers
from chronik.client.cluster import Cluster
from chronik.observability.trace_events import EVENTS, EVERYWHERE
from chronik.server.status.peers import PeerError

INTERVAL_S: Final = 0.5
PAGE: Final = 2_000
BROKERS_REFRESH_S: Final = 5.0
"""How often the list of brokers is read again."""
_NAMES: Final = tuple(EVENTS.values())
_FIRST: Final = frozenset({*EVERYWHERE, "topic", "partition", "client_id", "correlation_id"})
_EVENT_WIDTH: Final = 20


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events are shown."""

    topic: str | None = None
    partition: int | None = None
    client: str | None = None
    event: str | None = None


@dataclass(slots=True)
class FollowedTrace:
    """The trace of one broker, and the sequence number up to which it has been read."""

    broker: TracedBroker
    after: int | None = None
    started_ms: int | None = None
    problem: str | None = None

    async def take(self, wanted: EventFilter) -> list[Json]:
        """Return the events since the last call."""
        events: list[Json] = []
        while True:
            page = await self._page(wanted)
            if page["dropped"] and self.after is not None:
                events.append(_gap(self.broker.node, page))
            events += page["events"]
            self.after = page["next"] - 1 if page["next"] else None
            if page["next"] >= page["end"]:
                return events

    async def _page(self, wanted: EventFilter) -> Json:
        page = await self.broker.page(
            after=self.after,
            limit=PAGE,
            topic=wanted.topic,
            partition=wanted.partition,
            client=wanted.client,
            event=wanted.event,
        )
        if self.started_ms not in (None, page["started_ms"]):
            # The broker was restarted, and its sequence numbers begin at 0 again.
            self.started_ms, self.after = None, None
            return await self._page(wanted)
        self.started_ms = page["started_ms"]
        return page

    async def skip_to_last(self, count: int) -> None:
        """Begin with the last ``count`` events, but not before tracing was last switched from off to on."""
        page = await self.broker.page(limit=0)
        start = max(page["first"], page.get("switched_on", 0), page["end"] - count)
        self.after, self.started_ms = (start - 1 if start else None), page["started_ms"]


def _gap(node: int, page: Json) -> Json:
    """Return the mark that is printed in place of dropped events."""
    at_us = page["events"][0]["at_us"] if page["events"] else time.time_ns() // 1_000
    mark = {"node": node, "seq": page["first"] - 1, "at_ms": at_us // 1_000, "at_us": at_us}
    return {**mark, "event": "events_dropped", "dropped": page["dropped"]}


@dataclass
class TraceTail:
    """Reads the traces of all brokers. An event is held until no broker can return an older one."""

    wanted: EventFilter
    brokers: dict[int, FollowedTrace] = field(default_factory=dict)
    _held: list[Json] = field(default_factory=list)

    async def meet(self, found: list[TracedBroker], last: int) -> None:
        """Follow these brokers; a new one from its ``last`` events on."""
        for broker in found:
            known = self.brokers.get(broker.node)
            if known is None or known.broker.address != broker.address:
                fresh = self.brokers[broker.node] = FollowedTrace(broker)
                try:
                    await fresh.skip_to_last(last)
                except PeerError as error:
                    fresh.problem = str(error)

    async def turn(self) -> Iterator[Json]:
        """Ask every broker once, and return the events before this turn in order."""
        asked_us = time.time_ns() // 1_000
        for events in await asyncio.gather(*(self._take(each) for each in self.brokers.values())):
            self._held += events
        return self._release(asked_us)

    def rest(self) -> Iterator[Json]:
        """Return the events that are still held."""
        return self._release(None)

    def _release(self, before_us: int | None) -> Iterator[Json]:
        self._held.sort(key=lambda event: (event["at_us"], event["node"], event["seq"]))
        count = sum(before_us is None or event["at_us"] < before_us for event in self._held)
        released, self._held = self._held[:count], self._held[count:]
        return iter(released)

    async def _take(self, followed: FollowedTrace) -> list[Json]:
        node = followed.broker.node
        try:
            events = await followed.take(self.wanted)
        except PeerError as error:
            if followed.problem is None:
                click.echo(f"broker {node} does not answer: {error}", err=True)
            followed.problem = str(error)
            return []
        if followed.problem is not None:
            click.echo(f"broker {node} answers again", err=True)
            followed.problem = None
        return events


@click.command(
    epilog=examples(
        "chronik trace tail",
        "chronik trace tail --topic orders --partition 2 --client payments",
        "chronik trace tail --event watermark_advanced,watermark_held --json",
        "chronik trace tail --no-follow --last 100",
    )
)
@http_option
@click.option("--topic", metavar="TOPIC", help="Only events of this topic.")
@click.option("--partition", type=click.IntRange(min=0), metavar="N", help="Only events of this partition.")
@click.option("--client", metavar="CLIENT_ID", help="Only this client's requests; NAME* matches a prefix.")
@click.option("--event", "event_names", metavar="NAME,...", help="Only these events.")
@click.option(
    "--last",
    type=click.IntRange(min=0),
    default=1_000,
    show_default=True,
    metavar="N",
    help="Begin with the last N events of each broker, but not before tracing was last switched on.",
)
@click.option("--follow/--no-follow", default=True, show_default=True, help="Print new events until Ctrl-C.")
@client_options
def tail(
    options: ClientOptions,
    http: str | None,
    topic: str | None,
    partition: int | None,
    client: str | None,
    event_names: str | None,
    last: int,
    follow: bool,
) -> int:
    """Print the trace events of all brokers, ordered by time; --json prints one document per line."""
    _check_names(event_names)
    wanted = EventFilter(topic, partition, client, event_names)

    async def work(cluster: Cluster) -> None:
        following = TraceTail(wanted)
        await following.meet(await traced_brokers(cluster, http), last)
        _print(options, await following.turn())
        while follow:
            await _go_on(options, following, cluster, http)
        _print(options, following.rest())

    return with_cluster(options, work)


async def _go_on(options: ClientOptions, following: TraceTail, cluster: Cluster, http: str | None) -> None:
    """Follow the known brokers for a while, then read the list of brokers again."""
    for _ in range(int(BROKERS_REFRESH_S / INTERVAL_S)):
        await asyncio.sleep(INTERVAL_S)
        _print(options, await following.turn())
    try:
        await following.meet(await traced_brokers(cluster, http), PAGE)
    except click.ClickException:
        # The broker that was asked for the list does not answer; the followed brokers may.
        return


def _print(options: ClientOptions, events: Iterator[Json]) -> None:
    for event in events:
        if options.as_json:
            print_json_line(event)
        else:
            click.echo(line_of(event))


def _check_names(names: str | None) -> None:
    unknown = [name for name in (names or "").split(",") if name.strip() and name.strip() not in _NAMES]
    if unknown:
        raise click.BadParameter(
            f"there is no event {', '.join(unknown)}; there are {', '.join(_NAMES)}", param_hint="'--event'"
        )


def line_of(event: dict[str, Any]) -> str:
    """Return an event as a line: time, broker, partition, event, client, and the other fields."""
    fields = [f"{name}={_value(value)}" for name, value in event.items() if name not in _FIRST]
    client = [f"client={event['client_id']}#{event['correlation_id']}"] if "client_id" in event else []
    words = [*client, *fields]
    head = f"{_time(event['at_us'])}  {event['node']}  {_where(event):<20}  {event['event']:<{_EVENT_WIDTH}}"
    return f"{head}  {' '.join(words)}".rstrip()


def _time(at_us: int) -> str:
    return f"{time.strftime('%H:%M:%S', time.localtime(at_us // 1_000_000))}.{at_us % 1_000_000:06d}"


def _where(event: dict[str, Any]) -> str:
    return f"{event['topic']}-{event['partition']}" if "topic" in event else "-"


def _value(value: object) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(str, value))}]"
    text = str(value)
    return repr(text) if " " in text else text
