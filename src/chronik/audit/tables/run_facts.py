"""The content of ``run.json``: the producers' guarantees, topic, times, settings, and which evidence was recorded."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

RUN_FILE: Final = "run.json"
MICROS: Final = 1_000_000
STALL_S: Final = 5.0
TIMEOUT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class ProducerFacts:
    """The promises that a producer asked for."""

    acks: int = -1
    is_idempotent: bool = False
    in_flight: int = 5
    is_transactional: bool = False

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> "ProducerFacts":
        acks = str(settings.get("acks", -1))
        return cls(
            acks=-1 if acks == "all" else int(acks),
            is_idempotent=bool(settings.get("idempotent", False)),
            in_flight=int(settings.get("in_flight", 5)),
            is_transactional=bool(settings.get("transactional", False)),
        )


@dataclass(frozen=True, slots=True)
class Sight:
    """Which evidence was recorded: the audit concludes nothing from evidence that is missing."""

    has_replica_ends: bool = False
    has_tap: bool = False
    has_trace: bool = False

    @classmethod
    def from_json(cls, seen: Mapping[str, Any]) -> "Sight":
        return cls(bool(seen.get("replica_ends")), bool(seen.get("tap")), bool(seen.get("trace")))


@dataclass(frozen=True, slots=True)
class RunFacts:
    """The settings and the environment of a run."""

    run: int
    topic: str = ""
    topic_id: str = ""
    label: str = ""
    begin_us: int = -1
    end_us: int = -1
    timeout_us: int = int(TIMEOUT_S * MICROS)
    stall_us: int = int(STALL_S * MICROS)
    partitions: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    producers: Mapping[int, ProducerFacts] = field(default_factory=dict)
    configs_begin: Mapping[str, str] = field(default_factory=dict)
    configs_end: Mapping[str, str] = field(default_factory=dict)
    clock_offsets_us: Mapping[str, int] = field(default_factory=dict)
    seen: Sight = field(default_factory=Sight)
    raw: Mapping[str, Any] = field(default_factory=dict)

    def producer(self, number: int) -> ProducerFacts:
        """Return the guarantees of a producer: its own, or those of the run's settings."""
        return self.producers.get(number) or ProducerFacts.from_settings(self.settings)

    @property
    def deadline_us(self) -> int:
        """The time by which all messages had to be delivered; -1 if the end of the producers is not recorded."""
        reading = self.raw.get("phases", {}).get("reading")
        return -1 if reading is None or self.settings.get("duration_s") else int(reading) + self.timeout_us

    @property
    def starts(self) -> dict[int, int]:
        """The first offset of the run in each partition: records below it are not of this run."""
        return {int(partition): int(offset) for partition, offset in self.raw.get("starts", {}).items()}

    def config_was(self, name: str, value: str) -> bool:
        """Return whether a setting of the topic had this value at the start or at the end of the run."""
        return value in (self.configs_begin.get(name), self.configs_end.get(name))

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> "RunFacts":
        """Read the keys that exist; a missing key leaves the default."""
        settings = raw.get("settings", {})
        return cls(
            run=_number(raw["run"]),
            topic=raw.get("topic", ""),
            topic_id=raw.get("topic_id", ""),
            label=raw.get("label", ""),
            begin_us=int(raw.get("begin_us", -1)),
            end_us=int(raw.get("end_us", -1)),
            timeout_us=int(float(raw.get("timeout_s", settings.get("timeout", TIMEOUT_S))) * MICROS),
            stall_us=int(float(raw.get("stall_s", settings.get("stall", STALL_S))) * MICROS),
            partitions=int(raw.get("partitions", settings.get("partitions", 0)) or 0),
            settings=settings,
            producers={
                int(number): ProducerFacts.from_settings({**settings, **own})
                for number, own in raw.get("producers", {}).items()
            },
            configs_begin=raw.get("configs_begin", {}),
            configs_end=raw.get("configs_end", {}),
            clock_offsets_us=raw.get("clock_offsets_us", {}),
            seen=Sight.from_json(raw.get("seen", {})),
            raw=raw,
        )


def read_run_facts(directory: Path) -> RunFacts:
    """Read ``run.json`` of a run's directory."""
    return RunFacts.from_json(json.loads((directory / RUN_FILE).read_text(encoding="utf-8")))


def _number(run: int | str) -> int:
    return run if isinstance(run, int) else int(run, 16)
