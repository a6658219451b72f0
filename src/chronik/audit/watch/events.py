"""What consumers' events say, in few of them: enough to find every group's scope as from all of them.

Events that are reduced, put before later ones and reduced again give the same as all of them reduced at once.
"""

from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from chronik.audit.tables.schemas import EventKind

EventRow: TypeAlias = dict[str, Any]

_BEGINNINGS: Final = frozenset({EventKind.ASSIGNED, EventKind.SEEK})
_CAUSES: Final = frozenset({EventKind.START, EventKind.ASSIGNED, EventKind.REVOKED, EventKind.SEEK})


def reduced(events: Iterable[EventRow], since_us: int) -> list[EventRow]:
    """Keep what a group's scope is made of; causes of a second delivery only where they are not older."""
    by_group: dict[str, list[EventRow]] = {}
    for event in sorted(events, key=_order):
        by_group.setdefault(event["group"], []).append(event)
    return [event for _, own in sorted(by_group.items()) for event in _of_group(own, since_us)]


def _order(event: EventRow) -> tuple[Any, ...]:
    return (event["at_us"], event["consumer"], event["kind"], event["partition"], event["offset"], event["text"])


def _of_group(events: list[EventRow], since_us: int) -> list[EventRow]:
    kept = [events[0], *_first_starts(events), *_lowest_beginnings(events), *_highest_positions(events), events[-1]]
    kept += [event for event in events if event["kind"] in _CAUSES and event["at_us"] >= since_us]
    found: list[EventRow] = []
    for event in sorted(kept, key=_order):
        if not found or found[-1] != event:
            found.append(event)
    return found


def _first_starts(events: list[EventRow]) -> list[EventRow]:
    """Return the first start of each way to read."""
    found: dict[str, EventRow] = {}
    for event in events:
        if event["kind"] == EventKind.START:
            found.setdefault(event["text"], event)
    return list(found.values())


def _lowest_beginnings(events: list[EventRow]) -> list[EventRow]:
    found: dict[int, EventRow] = {}
    for event in events:
        if event["kind"] in _BEGINNINGS and event["offset"] >= 0:
            known = found.get(event["partition"])
            if known is None or event["offset"] < known["offset"]:
                found[event["partition"]] = event
    return list(found.values())


def _highest_positions(events: list[EventRow]) -> list[EventRow]:
    found: dict[int, EventRow] = {}
    for event in events:
        if event["kind"] == EventKind.POSITION and event["offset"] >= 0:
            known = found.get(event["partition"])
            if known is None or event["offset"] > known["offset"]:
                found[event["partition"]] = event
    return list(found.values())
