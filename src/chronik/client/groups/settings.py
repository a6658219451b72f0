"""Settings of a member of a consumer group: Kafka's names and meanings."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chronik.client.errors import SettingsRefusedError
from chronik.client.settings import Table, flag, parsed_settings, whole_number

_DAY_MS: Final = 86_400_000
_RESETS: Final = ("earliest", "latest", "none")
_ASSIGNORS: Final = {
    "range": "range",
    "roundrobin": "roundrobin",
    "org.apache.kafka.clients.consumer.RangeAssignor": "range",
    "org.apache.kafka.clients.consumer.RoundRobinAssignor": "roundrobin",
}


@dataclass(frozen=True, slots=True)
class GroupConsumerSettings:
    """Settings of a group member; times in milliseconds."""

    instance_id: str | None = None
    session_timeout_ms: int = 45_000
    heartbeat_interval_ms: int = 3_000
    poll_interval_ms_max: int = 300_000
    offset_reset: str = "latest"
    auto_commit: bool = True
    auto_commit_interval_ms: int = 5_000
    assignors: tuple[str, ...] = ("range", "roundrobin")
    allow_creation: bool = True


def _reset(text: str) -> str:
    if text.lower() not in _RESETS:
        raise ValueError(f"use one of {', '.join(_RESETS)}")
    return text.lower()


def _assignors(text: str) -> tuple[str, ...]:
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in _ASSIGNORS]
    if unknown:
        raise ValueError(f"this client knows range and roundrobin, not {', '.join(unknown)}")
    return tuple(dict.fromkeys(_ASSIGNORS[name] for name in names))


_positive_time = whole_number(1, _DAY_MS)

GROUP_SETTINGS: Final[Table] = {
    "group.instance.id": ("instance_id", str),
    "session.timeout.ms": ("session_timeout_ms", _positive_time),
    "heartbeat.interval.ms": ("heartbeat_interval_ms", _positive_time),
    "max.poll.interval.ms": ("poll_interval_ms_max", _positive_time),
    "auto.offset.reset": ("offset_reset", _reset),
    "enable.auto.commit": ("auto_commit", flag),
    "auto.commit.interval.ms": ("auto_commit_interval_ms", _positive_time),
    "partition.assignment.strategy": ("assignors", _assignors),
    "allow.auto.create.topics": ("allow_creation", flag),
}


def group_settings(given: Mapping[str, str]) -> GroupConsumerSettings:
    """Return settings from Kafka's names; one error reports all problems."""
    values, problems = parsed_settings(given, GROUP_SETTINGS)
    settings = GroupConsumerSettings(**values) if not problems else GroupConsumerSettings()
    if settings.heartbeat_interval_ms >= settings.session_timeout_ms:
        problems.append("heartbeat.interval.ms must be less than session.timeout.ms")
    if problems:
        known = ", ".join(sorted(GROUP_SETTINGS))
        raise SettingsRefusedError("; ".join(problems), advice=f"Settings of a group's member are: {known}.")
    return settings
