"""What a run is asked to do, and what one client process of it is."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Self

CLIENTS: Final = ("confluent", "kafka-python", "aiokafka")
MESSAGES: Final = 5000
QUIET_S: Final = 1.0
"""Without news for so long a run is over, where everything that was acknowledged has come."""


@dataclass(frozen=True, slots=True)
class RunSettings:
    """All options of a run."""

    bootstrap: str
    topic: str
    messages: int | None = MESSAGES
    size: int = 100
    partitions: int = 3
    replication: int = 3
    acks: str = "1"
    in_flight: int = 5
    idempotent: bool = False
    keys: int = 0
    """Over how many keys the messages go; 0: none has a key."""
    client: str = "confluent"
    producers: int = 1
    consumers: int = 1
    group: str = ""
    max_poll_records: int = 500
    fetch_max_bytes: int | None = None
    timeout_s: float = 60.0
    delivery_timeout_s: float | None = None
    rate: float | None = None
    duration_s: float | None = None
    existence: str = "either"
    """Whether the topic must be ``fresh``, must be ``existing``, or may be ``either``."""
    label: str = ""
    stall_s: float = 5.0
    isolation: str = "read_uncommitted"
    topic_configs: Mapping[str, str] = field(default_factory=dict)
    client_bootstrap: str | None = None
    """Where clients and observer go, where that is not the cluster itself: a proxy before it."""
    has_tap: bool = False
    has_trace: bool = False
    http: str | None = None
    """The HTTP server of any broker, for the trace; None where the brokers' settings name it."""
    redact: bool = False

    @property
    def seen_by_clients(self) -> str:
        """The bootstrap list of the clients."""
        return self.client_bootstrap or self.bootstrap

    @property
    def delivery_s(self) -> float:
        """How long a producer keeps trying."""
        return self.delivery_timeout_s or self.timeout_s

    def as_json(self) -> dict[str, Any]:
        """Spell the settings for ``run.json``."""
        return {**asdict(self), "topic_configs": dict(self.topic_configs)}

    def with_group(self, run: int) -> Self:
        """Name the group after the run, where it has no name, so that it is a new group."""
        return self if self.group else replace(self, group=f"chronik-audit-{run:016x}")


@dataclass(frozen=True, slots=True)
class ClientTask:
    """The task of one client process, which it reads as a line of JSON."""

    role: str
    number: int
    run: int
    directory: str
    settings: Mapping[str, Any]
    messages: int | None = None
    reset: str = "earliest"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        return cls(**document)

    @property
    def run_settings(self) -> RunSettings:
        """The run's settings, as they were before they went through JSON."""
        return RunSettings(**self.settings)


def shares(messages: int | None, producers: int) -> list[int | None]:
    """Divide the messages among the producers."""
    if messages is None:
        return [None] * producers
    each, more = divmod(messages, producers)
    return [each + (number < more) for number in range(producers)]
