"""The trace of one broker: a switch, and a ring of the last events with their numbers and times.

Code that can emit an event checks ``tracer.on`` first, which is the only cost while tracing is off; then whether the
topic (and the client) is traced; then emits.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from time import monotonic_ns, time_ns
from typing import Any, Final, NamedTuple, ParamSpec, TypeVar

from chronik.observability.trace_events import EVENTS, Event
from chronik.observability.trace_rules import OFF, TraceRule

RING_EVENTS: Final = 20_000


class TraceEntry(NamedTuple):
    """An event with its number and times."""

    seq: int
    wall_ns: int
    steady_ns: int
    event: Event


class TracePage(NamedTuple):
    """A part of the ring."""

    node: int
    started_ms: int
    """When this broker's numbers began; another value means that it was restarted."""
    first: int
    """The oldest number in the ring."""
    next: int
    """The first number of the next part: ``after`` is one less."""
    dropped: int
    """How many events were dropped before the reader saw them."""
    entries: list[TraceEntry]


Filter = Callable[[Event], bool]
Fields = ParamSpec("Fields")
T = TypeVar("T")
TraceRecord = tuple[int, int, Callable[[Any, int], Event], Any]
"""Wall clock, steady clock, the function that makes the event when it is read, and its argument."""


class Tracer:
    """Keeps emitted events while tracing is on."""

    __slots__ = (
        "_broker",
        "_ring",
        "_topics",
        "next_seq",
        "node",
        "on",
        "on_everywhere",
        "started_ms",
        "switched_on_seq",
    )

    def __init__(self, node: int, capacity: int = RING_EVENTS) -> None:
        self.node = node
        self.on = False
        """Whether anything is traced."""
        self.on_everywhere = False
        """Whether the broker's own rule is on, which also covers events without a topic."""
        self.started_ms = time_ns() // 1_000_000
        self.next_seq = 0
        self.switched_on_seq = 0
        """The number of the first event after tracing was last switched on."""
        self._ring: deque[TraceRecord] = deque(maxlen=capacity)
        self._broker = OFF
        self._topics: Mapping[str, TraceRule] = {}

    # --- the switch

    def switch(self, broker: TraceRule, topics: Mapping[str, TraceRule]) -> None:
        """Set the rules: a topic's own, or else the broker's."""
        self._broker = broker
        self._topics = topics
        self.on_everywhere = broker.is_on
        was_on, self.on = self.on, broker.is_on or any(rule.is_on for rule in topics.values())
        if self.on and not was_on:
            self.switched_on_seq = self.next_seq

    def rule_of(self, topic: str) -> TraceRule:
        return self._topics.get(topic, self._broker)

    @property
    def broker_rule(self) -> TraceRule:
        return self._broker

    def follows(self, topic: str) -> bool:
        """Return whether events of a topic are recorded."""
        return self._topics.get(topic, self._broker).is_on

    def follows_client(self, topic: str, client_id: str | None) -> bool:
        """Return whether a client's requests for a topic are recorded."""
        rule = self._topics.get(topic, self._broker)
        return rule.is_on if rule.client is None else rule.covers(client_id)

    # --- the ring

    def emit(self, kind: Callable[Fields, Event], *fields: Fields.args, **named: Fields.kwargs) -> None:
        """Emit an event by its kind and fields; a full ring drops the oldest one."""
        self.record(_made, (kind, fields, named))

    def record(self, make: Callable[[T, int], Event], argument: T) -> int:
        """Emit an event that is built from ``argument`` and the steady clock when it is read, at half the cost of emit.

        Returns the steady clock.
        """
        self.next_seq += 1
        steady_ns = monotonic_ns()
        self._ring.append((time_ns(), steady_ns, make, argument))
        return steady_ns

    def record_all(self, records: Sequence[TraceRecord]) -> None:
        """Emit several events at once, with clocks that they may share."""
        self.next_seq += len(records)
        self._ring.extend(records)

    @property
    def capacity(self) -> int:
        assert self._ring.maxlen is not None, "a ring has an end"
        return self._ring.maxlen

    @property
    def first_seq(self) -> int:
        """The oldest number in the ring."""
        return self.next_seq - len(self._ring)

    def resize(self, capacity: int) -> None:
        """Change the ring's capacity; the newest events are kept."""
        if capacity != self.capacity:
            self._ring = deque(self._ring, maxlen=capacity)

    def events(self, after: int = -1, limit: int = 1_000, wanted: Filter | None = None) -> TracePage:
        """Return events numbered above ``after``, at most ``limit`` matching ones, oldest first.

        A number from before a restart, which is above all present ones, starts at the beginning.
        """
        first = self.first_seq
        start = after + 1 if after < self.next_seq else 0
        entries: list[TraceEntry] = []
        seq = max(start, first)
        while seq < self.next_seq and len(entries) < limit:
            until = min(seq + max(limit - len(entries), 64), self.next_seq)
            found = self._between(seq, until)
            if wanted is not None:
                found = [entry for entry in found if wanted(entry.event)]
            room = limit - len(entries)
            seq = found[room - 1].seq + 1 if len(found) >= room else until
            entries += found[:room]
        return TracePage(self.node, self.started_ms, first, seq, max(first - start, 0), entries)

    def _between(self, start: int, until: int) -> list[TraceEntry]:
        """Return entries by number, all of which are in the ring."""
        return [
            TraceEntry(start + place, wall_ns, steady_ns, make(argument, steady_ns))
            for place, (wall_ns, steady_ns, make, argument) in enumerate(self._records_between(start, until))
        ]

    def _records_between(self, start: int, until: int) -> list[TraceRecord]:
        """Return records by number, searched from the nearer end, which determines the cost."""
        first, end = self.first_seq, self.next_seq
        if until - first < end - start:
            return list(islice(self._ring, start - first, until - first))
        return list(islice(reversed(self._ring), end - until, end - start))[::-1]


def _made(parts: tuple[Callable[..., Event], tuple[Any, ...], dict[str, Any]], _steady_ns: int) -> Event:
    kind, fields, named = parts
    return kind(*fields, **named)


NEVER: Final = Tracer(-1, 1)
"""For code that runs without a broker: never switched on."""


def as_json(node: int, entry: TraceEntry) -> dict[str, Any]:
    """Return an event as a JSON document; fields without a value are left out."""
    event = entry.event
    document = {
        "node": node,
        "seq": entry.seq,
        "at_ms": entry.wall_ns // 1_000_000,
        "at_us": entry.wall_ns // 1_000,
        "steady_us": entry.steady_ns // 1_000,
        "event": EVENTS[type(event)],
    }
    own = {name: value for name, value in zip(event._fields, event, strict=True) if value is not None}
    return document | own


def matching(
    topic: str | None = None, partition: int | None = None, client: str | None = None, event: str | None = None
) -> Filter | None:
    """Return a filter; an event without a filtered field is not excluded by it.

    ``client`` as in ``chronik.trace``; ``event`` is a name or a comma-separated list of them.
    """
    if topic is None and partition is None and client is None and event is None:
        return None
    names = None if event is None else frozenset(name.strip() for name in event.split(","))
    rule = TraceRule(is_on=True, client=client)

    def wanted(one: Event) -> bool:
        if names is not None and EVENTS[type(one)] not in names:
            return False
        if topic is not None and getattr(one, "topic", topic) != topic:
            return False
        if partition is not None and getattr(one, "partition", partition) != partition:
            return False
        return client is None or "client_id" not in one._fields or rule.covers(getattr(one, "client_id", None))

    return wanted
