"""The account: what was acknowledged, who was handed what, and whether each redelivery has an explanation.

The rules, for every group and partition:

- Every acknowledged message is delivered to the group at least once.
- What lies at an offset is the same for everybody, and no message lies at two offsets.
- While a member holds a partition it is handed growing offsets: nothing is read twice within one assignment.
- An assignment begins at or above whatever position the group had stored before it. So a message is read twice only if
  no stored position covered it when its partition changed hands, which is what a rebalance explains.
- A member that was not cut off is handed nothing any more once somebody else holds the partition.
"""

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from soak.events import (
    Acknowledged,
    Assigned,
    Came,
    Committed,
    Complained,
    Delivered,
    Event,
    Refused,
    Revoked,
    Went,
    group_of,
)

# aiokafka's background task may hear of a revocation just before the task that was handed a message writes that down,
# and between the two the machine may stand still for as long as it ever does.
OVERLAP_SECONDS_MAX = 3.0
_NOBODY = -1
_COUNT_MAX = 255

Place = tuple[str, int]


@dataclass(slots=True)
class Stored:
    """What lies in one partition, as told by acknowledgements and deliveries."""

    ids: "array[int]" = field(default_factory=lambda: array("q"))
    acknowledged: bytearray = field(default_factory=bytearray)

    def put(self, offset: int, message: int) -> int:
        """Note a message, and give the one that was known to lie there."""
        if offset >= len(self.ids):
            missing = offset + 1 - len(self.ids)
            self.ids.extend([_NOBODY] * missing)
            self.acknowledged.extend(bytes(missing))
        known = self.ids[offset]
        if known == _NOBODY:
            self.ids[offset] = known = message
        return known


@dataclass(slots=True)
class Holding:
    """One member's hold on a partition, from its assignment on."""

    client: str
    assigned_at: float
    first_offset: int = -1
    last_offset: int = -1
    last_at: float = 0.0
    was_lost: bool = False


@dataclass(slots=True)
class Reading:
    """What one group did with one partition."""

    counts: bytearray = field(default_factory=bytearray)
    holdings: list[Holding] = field(default_factory=list)
    current: dict[str, Holding] = field(default_factory=dict)
    commits: list[tuple[float, int]] = field(default_factory=list)

    def count(self, offset: int) -> None:
        """Note one delivery."""
        if offset >= len(self.counts):
            self.counts.extend(bytes(offset + 1 - len(self.counts)))
        self.counts[offset] = min(self.counts[offset] + 1, _COUNT_MAX)

    def stored_before(self, moment: float) -> int:
        """The highest position that was known to be stored before a moment."""
        self.commits.sort()
        earlier = self.commits[: bisect_left(self.commits, (moment,))]
        return max((offset for _, offset in earlier), default=0)


class Ledger:
    """Takes events in the order in which each client wrote them, those of different clients in any order."""

    def __init__(self, topic_of_group: Mapping[str, str]) -> None:
        self._topic_of_group = dict(topic_of_group)
        self._stored: dict[Place, Stored] = {}
        self._readings: dict[tuple[str, Place], Reading] = {}
        self._findings: list[str] = []
        self.counts: Counter[str] = Counter()
        self.acknowledged_by: Counter[str] = Counter()
        self.running: set[str] = set()
        self.complaints: Counter[str] = Counter()

    def record(self, event: Event) -> None:
        """Take one event into the account."""
        self.counts[type(event).__name__] += 1
        match event:
            case Acknowledged():
                self._on_acknowledged(event)
            case Delivered():
                self._on_delivered(event)
            case Assigned():
                self._on_assigned(event)
            case Revoked():
                self._on_revoked(event)
            case Committed():
                self._reading(event.client, (event.topic, event.partition)).commits.append((event.at, event.offset))
            case Came():
                self.running.add(event.client)
            case Went():
                self.running.discard(event.client)
            case Complained():
                self.complaints[event.message] += 1
            case Refused():
                self._findings.append(f"message {event.id} was refused: {event.reason}")

    def died(self, client_prefix: str) -> None:
        """A process was killed with the clients in it."""
        self.running -= {client for client in self.running if client.startswith(client_prefix)}

    def _reading(self, client: str, place: Place) -> Reading:
        return self._readings.setdefault((group_of(client), place), Reading())

    def _on_acknowledged(self, event: Acknowledged) -> None:
        place = (event.topic, event.partition)
        self.acknowledged_by[event.client] += 1
        self._put(place, event.offset, event.id)
        self._stored[place].acknowledged[event.offset] = 1

    def _put(self, place: Place, offset: int, message: int) -> None:
        known = self._stored.setdefault(place, Stored()).put(offset, message)
        if known != message:
            self._findings.append(f"{_name(place)}@{offset} is message {known}, and message {message} too")

    def _on_assigned(self, event: Assigned) -> None:
        reading = self._reading(event.client, (event.topic, event.partition))
        holding = Holding(event.client, event.at)
        reading.holdings.append(holding)
        reading.current[event.client] = holding

    def _on_revoked(self, event: Revoked) -> None:
        holding = self._reading(event.client, (event.topic, event.partition)).current.get(event.client)
        if holding is not None:
            holding.was_lost = event.was_lost

    def _on_delivered(self, event: Delivered) -> None:
        place = (event.topic, event.partition)
        self._put(place, event.offset, event.id)
        reading = self._reading(event.client, place)
        reading.count(event.offset)
        holding = reading.current.get(event.client)
        where = f"{event.client} {_name(place)}@{event.offset}"
        if holding is None:
            self._findings.append(f"{where}: delivered without an assignment")
            return
        if holding.first_offset < 0:
            holding.first_offset = event.offset
        elif event.offset <= holding.last_offset:
            self._findings.append(f"{where}: read again within one assignment, after {holding.last_offset}")
        holding.last_offset = event.offset
        holding.last_at = event.at

    # --- the judgement

    def missing(self) -> Iterator[tuple[str, Place, int]]:
        """What was acknowledged and not delivered yet: group, partition, offset."""
        for group, topic in sorted(self._topic_of_group.items()):
            for place, stored in sorted(self._stored.items()):
                if place[0] == topic:
                    for offset in self._undelivered(group, place, stored):
                        yield group, place, offset

    def _undelivered(self, group: str, place: Place, stored: Stored) -> Iterator[int]:
        reading = self._readings.get((group, place))
        counts = reading.counts if reading is not None else bytearray()
        padded = counts.ljust(len(stored.acknowledged), b"\0")
        # Looked for by byte, because almost everything has been delivered.
        offset = padded.find(0)
        while 0 <= offset < len(stored.acknowledged):
            if stored.acknowledged[offset]:
                yield offset
            offset = padded.find(0, offset + 1)

    def findings(self) -> list[str]:
        """Everything that breaks a rule, in words; empty if all is well."""
        lost = [
            f"lost for {group}: message {self._stored[place].ids[offset]} at {_name(place)}@{offset}"
            for group, place, offset in self.missing()
        ]
        return [*self._findings, *lost, *self._stored_twice(), *self._unexplained(), *self._two_holders()]

    def _stored_twice(self) -> Iterator[str]:
        for place, stored in sorted(self._stored.items()):
            for message, count in Counter(stored.ids).items():
                if count > 1 and message != _NOBODY:
                    yield f"message {message} lies {count} times in {_name(place)}"

    def _unexplained(self) -> Iterator[str]:
        for (_, place), reading in sorted(self._readings.items()):
            for holding in reading.holdings:
                stored = reading.stored_before(holding.assigned_at)
                if 0 <= holding.first_offset < stored:
                    yield (
                        f"{holding.client} {_name(place)}@{holding.first_offset}: read again, although the group had "
                        f"stored {stored} before the partition was assigned"
                    )

    def _two_holders(self) -> Iterator[str]:
        for (_, place), reading in sorted(self._readings.items()):
            for holding, following in pairwise(sorted(reading.holdings, key=lambda each: each.assigned_at)):
                late = holding.last_at - following.assigned_at
                if holding.client != following.client and late > OVERLAP_SECONDS_MAX and not holding.was_lost:
                    yield (
                        f"{holding.client} {_name(place)}@{holding.last_offset}: read {late:.1f} s after "
                        f"{following.client} was given the partition"
                    )

    # --- figures

    def redelivered(self) -> int:
        """How often a message was handed to a group again."""
        return sum(sum(count - 1 for count in reading.counts if count > 1) for reading in self._readings.values())

    def lag(self) -> int:
        """How many deliveries are still to come, over all groups."""
        return sum(1 for _ in self.missing())


def _name(place: Place) -> str:
    return f"{place[0]}-{place[1]}"
