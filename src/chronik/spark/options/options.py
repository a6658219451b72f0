"""Options read all at once: what a source or a sink is to do, or one error that names every problem.

Names are compared without regard to case, as Spark does.
"""

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chronik.client.errors import ClientError
from chronik.spark.options.bounds import EARLIEST_MARK, LATEST_MARK, AtOffsets, Bound, Earliest, Latest
from chronik.spark.options.kafka_settings import SINK_REFUSED, SOURCE_REFUSED, sort_kafka_settings
from chronik.spark.options.parsers import Everything, Subscribed, TopicChoice, View
from chronik.spark.options.table import BY_NAME, FROM_SPARK, OPTIONS

_CHOICES: Final = ("assign", "subscribe", "subscribePattern")
_ENDINGS: Final = ("endingOffsets", "endingOffsetsByTimestamp", "endingTimestamp")


class OptionsRefusedError(ValueError):
    """Options that are wrong; the message names each of them with its remedy."""


@dataclass(frozen=True, slots=True)
class SourceOptions:
    """The options of a reading query."""

    bootstrap: str
    choice: TopicChoice
    starting: Bound
    ending: Bound
    unmatched_time_is_latest: bool
    view: View
    path: str | None
    include_headers: bool
    fail_on_data_loss: bool
    read_committed: bool
    poll_timeout_ms: int
    retries: int
    retry_interval_ms: int
    tasks_min: int | None
    task_records_max: int | None
    tasks_aimed_at: int
    trigger_offsets_max: int | None
    trigger_offsets_min: int | None
    trigger_delay_ms_max: int
    client_options: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class SinkOptions:
    """The options of a writing query."""

    bootstrap: str
    topic: str | None
    replay_headers: bool
    client_options: Mapping[str, str]


class _Given:
    """The options as texts, and the problems that were found in them."""

    def __init__(self, options: Mapping[str, str], *, streaming: bool = False) -> None:
        self.texts = {name.lower(): text for name, text in options.items()}
        self.streaming = streaming
        self.problems: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name.lower() in self.texts

    def read(self, name: str) -> Any:
        option = BY_NAME[name]
        text = self.texts.get(name.lower())
        if text is not None:
            try:
                return option.parse(text.strip())
            except (ValueError, ClientError) as error:
                self.problems.append(f"{name}={text!r}: {error}")
        return option.default_value(streaming=self.streaming, path="path" in self)

    def kafka(self, refused: Mapping[str, str]) -> dict[str, str]:
        own = ("kafka.bootstrap.servers",)
        given = {
            name.removeprefix("kafka."): text
            for name, text in self.texts.items()
            if name.startswith("kafka.") and name not in own
        }
        passed, problems = sort_kafka_settings(given, refused)
        self.problems += problems
        return passed

    def bootstrap(self) -> str:
        if "kafka.bootstrap.servers" not in self:
            self.problems.append("kafka.bootstrap.servers is missing: give host:port of one or more brokers")
        return str(self.read("kafka.bootstrap.servers"))

    def refuse_unknown(self) -> None:
        known = {option.name.lower(): option.name for option in OPTIONS}
        for name in self.texts:
            if name not in known and name not in FROM_SPARK and not name.startswith("kafka."):
                near = difflib.get_close_matches(name, known, n=1)
                self.problems.append(f"unknown option {name!r}" + (f": did you mean {known[near[0]]}?" if near else ""))

    def finish(self) -> None:
        self.refuse_unknown()
        if self.problems:
            raise OptionsRefusedError("Options of format('chronik'): " + "; ".join(self.problems))


def _choice(given: _Given) -> TopicChoice:
    named = [name for name in _CHOICES if name in given]
    if not named and "path" in given:
        return Everything()
    if len(named) != 1:
        fault = "only one of them may be given" if named else "one of them must be given"
        given.problems.append(f"{', '.join(_CHOICES)}: {fault}")
    choices = [given.read(name) for name in named]
    return choices[0] if choices else Subscribed(())


def _bound(given: _Given, side: str) -> Bound:
    """Read a bound; of the three ways to give it, a time for all comes before times, and those before offsets."""
    names = (f"{side}Timestamp", f"{side}OffsetsByTimestamp")
    bound: Bound = given.read(next((name for name in names if name in given), f"{side}Offsets"))
    return bound


def _starting(given: _Given) -> Bound:
    bound = _bound(given, "starting")
    if not given.streaming and _has_mark(bound, Latest, LATEST_MARK):
        given.problems.append("startingOffsets: a batch query cannot begin at the latest offset")
    return bound


def _ending(given: _Given) -> Bound:
    if given.streaming:
        given.problems += [f"{name}: a stream has no end" for name in _ENDINGS if name in given]
        return Latest()
    bound = _bound(given, "ending")
    if _has_mark(bound, Earliest, EARLIEST_MARK):
        given.problems.append("endingOffsets: a query cannot end at the earliest offset")
    return bound


def _has_mark(bound: Bound, kind: type, mark: int) -> bool:
    return isinstance(bound, kind) or (isinstance(bound, AtOffsets) and mark in bound.offsets.values())


def _check_triggers(given: _Given, least: int | None, most: int | None) -> None:
    if least is not None and most is not None and least > most:
        given.problems.append(f"minOffsetsPerTrigger={least} is more than maxOffsetsPerTrigger={most}")


def _check_path(given: _Given) -> None:
    if "path" in given and given.streaming:
        given.problems.append("path: segment files are read by batch queries only; use kafka.bootstrap.servers")
    if "path" in given and "kafka.bootstrap.servers" in given:
        given.problems.append("path and kafka.bootstrap.servers: give one of them")


def source_options(options: Mapping[str, str], *, streaming: bool) -> SourceOptions:
    """Read the options of a reading query."""
    given = _Given(options, streaming=streaming)
    least = given.read("minOffsetsPerTrigger") if streaming else None
    most = given.read("maxOffsetsPerTrigger") if streaming else None
    _check_triggers(given, least, most)
    _check_path(given)
    client_options = given.kafka(SOURCE_REFUSED)
    read = SourceOptions(
        bootstrap="" if "path" in given else given.bootstrap(),
        choice=_choice(given),
        starting=_starting(given),
        ending=_ending(given),
        unmatched_time_is_latest=given.read("startingOffsetsByTimestampStrategy"),
        view=given.read("view"),
        path=given.read("path"),
        include_headers=given.read("includeHeaders"),
        fail_on_data_loss=given.read("failOnDataLoss"),
        read_committed=client_options.get("isolation.level", "").lower() == "read_committed",
        poll_timeout_ms=given.read("kafkaConsumer.pollTimeoutMs"),
        retries=given.read("fetchOffset.numRetries"),
        retry_interval_ms=given.read("fetchOffset.retryIntervalMs"),
        tasks_min=given.read("minPartitions"),
        task_records_max=given.read("maxRecordsPerPartition"),
        tasks_aimed_at=given.read("parallelism"),
        trigger_offsets_max=most,
        trigger_offsets_min=least,
        trigger_delay_ms_max=given.read("maxTriggerDelay"),
        client_options=client_options,
    )
    given.finish()
    return read


def sink_options(options: Mapping[str, str]) -> SinkOptions:
    """Read the options of a writing query. By default a record that the client sends again is stored once."""
    given = _Given(options)
    given.read("includeHeaders")
    client_options = given.kafka(SINK_REFUSED)
    if client_options.get("acks", "all") in ("all", "-1"):
        client_options.setdefault("enable.idempotence", "true")
    read = SinkOptions(
        bootstrap=given.bootstrap(),
        topic=given.read("topic"),
        replay_headers=given.read("replayHeaders"),
        client_options=client_options,
    )
    given.finish()
    return read
