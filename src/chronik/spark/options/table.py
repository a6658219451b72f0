"""The table of options: name, parser, default, use and text in one row. The documents are checked against it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any, Final

from chronik.spark.options import parsers

TASKS_PER_CORE: Final = 3
"""Enough that a core whose task ends early has another task to run."""


class Where(Flag):
    """The kinds of queries that an option is for."""

    BATCH = auto()
    STREAM = auto()
    WRITE = auto()
    READ = BATCH | STREAM


@dataclass(frozen=True, slots=True)
class Option:
    """One option. A default is text, as a user writes it, and is read by the option's parser."""

    name: str
    parse: Callable[[str], Any]
    default: str | None
    where: Where
    text: str = ""
    own: bool = False  # Spark's Kafka source has no option of this name
    stream_default: str | None = None  # for streams, where it differs
    path_default: str | None = None  # for segment files, where it differs
    shown_default: str = ""  # in the documents, where the default is a rule

    def default_value(self, *, streaming: bool = False, path: bool = False) -> Any:
        """Return the value that the option has where it is not given."""
        text = (self.stream_default if streaming else self.path_default if path else None) or self.default
        return None if text is None else self.parse(text)

    def row(self) -> str:
        """Return the option's row in the table of the documents."""
        default = self.shown_default or self.default or "none"
        default += f", stream: {self.stream_default}" if self.stream_default else ""
        default += f"; {self.path_default} with `path`" if self.path_default else ""
        kinds = [kind for kind in (Where.BATCH, Where.STREAM, Where.WRITE) if kind in self.where]
        text = f"Chronik's own: {self.text}" if self.own else self.text
        return f"| `{self.name}` | {default} | {', '.join(str(kind.name).lower() for kind in kinds)} | {text} |"


_count: Final = parsers.whole(1)
_one_of_three: Final = "one of three"

OPTIONS: Final = (
    Option(
        "kafka.bootstrap.servers", parsers.addresses, None, Where.READ | Where.WRITE,
        "`host:port`, several with commas", shown_default="required",
    ),
    Option("subscribe", parsers.topics, None, Where.READ, "topics, with commas", shown_default=_one_of_three),
    Option(
        "subscribePattern", parsers.pattern, None, Where.READ,
        "a regular expression (Python's) for whole names; internal topics are left out", shown_default=_one_of_three,
    ),
    Option("assign", parsers.assignment, None, Where.READ, '`{"orders": [0, 1]}`', shown_default=_one_of_three),
    Option(
        "startingOffsets", parsers.offsets, "earliest", Where.READ,
        '`earliest`, `latest`, or `{"orders": {"0": 23, "1": -2}}` for every partition; '
        "-2 is the earliest, -1 the latest offset", stream_default="latest",
    ),
    Option(
        "startingOffsetsByTimestamp", parsers.times, None, Where.READ,
        '`{"orders": {"0": 1700000000000}}`: the first record that is not older',
    ),
    Option(
        "startingTimestamp", parsers.time, None, Where.READ, "one timestamp for all partitions; overrides the other two"
    ),
    Option(
        "startingOffsetsByTimestampStrategy", parsers.is_latest, "error", Where.READ,
        "or `latest`: where no record is that late",
    ),
    Option("endingOffsets", parsers.offsets, "latest", Where.BATCH, "as `startingOffsets`"),
    Option("endingOffsetsByTimestamp", parsers.times, None, Where.BATCH, "as `startingOffsetsByTimestamp`"),
    Option("endingTimestamp", parsers.time, None, Where.BATCH, "as `startingTimestamp`"),
    Option(
        "failOnDataLoss", parsers.flag, "true", Where.READ,
        "`false` skips records that are gone, and names them in the log, in `problems` and to listeners",
        path_default="false",
    ),
    Option(
        "includeHeaders", parsers.flag, "false", Where.READ | Where.WRITE,
        "a sink writes the column `headers` whenever there is one",
    ),
    Option("kafkaConsumer.pollTimeoutMs", _count, "120000", Where.READ, "how long a task waits for a broker"),
    Option("fetchOffset.numRetries", parsers.whole(0), "3", Where.READ, "retries of a request for offsets"),
    Option("fetchOffset.retryIntervalMs", parsers.whole(0), "10", Where.READ, "the time between two of them"),
    Option("minPartitions", _count, None, Where.READ, "the least number of tasks"),
    Option("maxRecordsPerPartition", _count, None, Where.READ, "the largest number of records in a task"),
    Option(
        "maxOffsetsPerTrigger", _count, None, Where.STREAM,
        "the largest number of records in a micro-batch, shared among the partitions by their backlog",
    ),
    Option("minOffsetsPerTrigger", _count, None, Where.STREAM, "a micro-batch waits for this number of records"),
    Option("maxTriggerDelay", parsers.duration_ms, "15m", Where.STREAM, "but not longer than this"),
    Option("groupIdPrefix", str, "spark-kafka-source", Where.READ, "accepted; no group is joined"),
    Option("kafka.group.id", str, None, Where.READ, "accepted; no group is joined"),
    Option("kafka.isolation.level", str, "read_uncommitted", Where.READ, "or `read_committed`"),
    Option("topic", parsers.topic, None, Where.WRITE, "the topic of all rows; overrides a column of that name"),
    Option("view", parsers.view, "records", Where.READ, "see above", own=True),
    Option("path", str, None, Where.BATCH, "segment files instead of a broker", own=True),
    Option(
        "parallelism", _count, str(TASKS_PER_CORE * (os.cpu_count() or 1)), Where.READ,
        f"the number of tasks that large partitions are split into; on a cluster use {TASKS_PER_CORE} times its cores",
        own=True, shown_default=f"{TASKS_PER_CORE} tasks per core of the driver",
    ),
    Option("replayHeaders", parsers.flag, "false", Where.WRITE, "see below", own=True),
)  # fmt: skip
BY_NAME: Final = {option.name: option for option in OPTIONS}

FROM_SPARK: Final = frozenset({"checkpointlocation", "queryname", "outputmode"})
"""Options that Spark itself adds to those of a sink."""
