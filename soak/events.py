"""What clients write down: one line per event, as a JSON list. A line that was begun and not ended does not count."""

import json
from dataclasses import asdict, dataclass, fields
from typing import TypeAlias, get_args


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The broker has told a producer where a message lies."""

    at: float
    client: str
    topic: str
    partition: int
    offset: int
    id: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A message was not acknowledged: it may be stored or not."""

    at: float
    client: str
    id: int
    reason: str


@dataclass(frozen=True, slots=True)
class Assigned:
    """A member of a group was given a partition."""

    at: float
    client: str
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Revoked:
    """A member gave a partition back; ``was_lost`` if it was taken from it, because it had fallen silent."""

    at: float
    client: str
    topic: str
    partition: int
    was_lost: bool


@dataclass(frozen=True, slots=True)
class Delivered:
    """A member was handed a message."""

    at: float
    client: str
    topic: str
    partition: int
    offset: int
    id: int


@dataclass(frozen=True, slots=True)
class Committed:
    """The broker has told a member that the group's position is stored."""

    at: float
    client: str
    topic: str
    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class Came:
    """A client has started."""

    at: float
    client: str


@dataclass(frozen=True, slots=True)
class Went:
    """A client has closed in an orderly way."""

    at: float
    client: str


@dataclass(frozen=True, slots=True)
class Complained:
    """A client library has reported an error; it is counted, and what it means is seen in the account."""

    at: float
    client: str
    message: str


Event: TypeAlias = Acknowledged | Refused | Assigned | Revoked | Delivered | Committed | Came | Went | Complained

_KINDS: dict[str, type[Event]] = {kind.__name__: kind for kind in get_args(Event)}


def to_line(event: Event) -> bytes:
    """Write one event."""
    return json.dumps([type(event).__name__, *asdict(event).values()]).encode() + b"\n"


def from_line(line: bytes) -> Event:
    """Read one event."""
    name, *values = json.loads(line)
    kind = _KINDS[name]
    assert len(values) == len(fields(kind)), f"not a {name}: {line!r}"
    event: Event = kind(*values)
    return event


def group_of(client: str) -> str:
    """The group of a member; members are named ``group/member/incarnation``."""
    return client.split("/", 1)[0]
