"""An event of a trace as a line for people."""

import time
from typing import Any, Final

from chronik.observability.trace_events import EVERYWHERE

_FIRST: Final = frozenset({*EVERYWHERE, "topic", "partition", "client_id", "correlation_id"})
_EVENT_WIDTH: Final = 20


def line_of(event: dict[str, Any]) -> str:
    """Return time, broker, partition, event, client, and then all that the event tells."""
    told = [f"{name}={_value(value)}" for name, value in event.items() if name not in _FIRST]
    client = [f"client={event['client_id']}#{event['correlation_id']}"] if "client_id" in event else []
    words = [*client, *told]
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
