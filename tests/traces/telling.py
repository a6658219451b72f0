"""What tests ask of a trace: the events of all brokers, by their names and in one order of time."""

import json
import time
import urllib.request
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._config import AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.admin._resource import ResourceType

Event = dict[str, Any]
SECONDS_MAX = 60.0


def asked(http: str, path: str, **query: object) -> Any:
    """Get a document from a broker's HTTP server."""
    with urllib.request.urlopen(f"http://{http}{path}?{urlencode(query)}", timeout=SECONDS_MAX) as answer:
        return json.load(answer)


class Story:
    """The events of some brokers."""

    def __init__(self, *https: str | None) -> None:
        self.https = [http for http in https if http is not None]

    def events(self, *names: str, **filters: object) -> list[Event]:
        """Give events of all brokers, oldest first."""
        query = {**filters, **({"event": ",".join(names)} if names else {})}
        found = [event for http in self.https for event in asked(http, "/api/traces", limit=5_000, **query)["events"]]
        return sorted(found, key=lambda event: (event["at_us"], event["node"], event["seq"]))

    def names(self, **filters: object) -> list[str]:
        return [event["event"] for event in self.events(**filters)]

    def await_events(self, is_enough: Callable[[list[Event]], object], **filters: object) -> list[Event]:
        """Wait until the story has what it must have, and give it."""
        deadline = time.monotonic() + SECONDS_MAX
        while not is_enough(found := self.events(**filters)):
            assert time.monotonic() < deadline, f"in {SECONDS_MAX} s there were only {found}"
            time.sleep(0.05)
        return found

    def await_event(self, name: str, **filters: object) -> Event:
        """Wait for an event, and give the first of its kind."""
        return self.await_events(lambda found: found, event=name, **filters)[0]


def set_trace(
    bootstrap: str, value: str | None, topic: str | None = None, key: str = "chronik.trace", broker: str = "1"
) -> None:
    """Switch as any admin tool does, by IncrementalAlterConfigs; None takes the value back."""
    operation = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
    entry = ConfigEntry(key, value or "", incremental_operation=operation)
    kind, name = (ResourceType.TOPIC, topic) if topic is not None else (ResourceType.BROKER, broker)
    resource = ConfigResource(kind, name, incremental_configs=[entry])
    admin = AdminClient({"bootstrap.servers": bootstrap})
    for future in admin.incremental_alter_configs([resource], request_timeout=SECONDS_MAX).values():
        future.result(timeout=SECONDS_MAX)


def in_order(events: Sequence[Event], *names: str) -> list[Event]:
    """Find these events one behind the other, and give them; others may lie between."""
    found: list[Event] = []
    rest = iter(events)
    for name in names:
        event = next((each for each in rest if each["event"] == name), None)
        assert event is not None, f"no {name} behind {[each['event'] for each in found]} in {list(events)}"
        found.append(event)
    return found
