"""What Spark's Kafka source and Chronik's are both asked: every option that the two share."""

import json
from dataclasses import dataclass, field
from typing import Any

from tests.spark.topics import FIRST_TIME_MS


@dataclass(frozen=True)
class Names:
    """The topics of the cases: two with records, the first records of one deleted, and one with transactions."""

    bootstrap: str
    kafka: str
    first: str = "parity-first"
    second: str = "parity-second"
    short: str = "parity-short"
    committed: str = "parity-committed"


@dataclass(frozen=True)
class Case:
    """One question. ``refused`` where both must fail, ``unread`` where that is so by the options alone, without Spark;
    ``into`` for cases that need a topic of their own."""

    name: str
    kind: str
    options: dict[str, str]
    refused: bool = False
    unread: bool = False
    into: dict[str, str] = field(default_factory=dict)
    select: str = ""
    where: str | None = None

    def written(self) -> dict[str, Any]:
        found = {
            "name": self.name,
            "kind": self.kind,
            "options": self.options,
            "into": self.into,
            "select": self.select,
        }
        return found if self.where is None else {**found, "where": self.where}


def per_partition(topic: str, *values: int) -> str:
    return json.dumps({topic: {str(number): value for number, value in enumerate(values)}})


def time_of(number: int) -> str:
    return str(FIRST_TIME_MS + 1000 * number)


def read_cases(names: Names) -> list[Case]:
    """Options of reading, each asked of a batch, and of a stream where it has a meaning there."""
    first = names.first
    both = {
        "subscribe": {"subscribe": first},
        "subscribe several": {"subscribe": f"{first},{names.second}"},
        "subscribePattern": {"subscribePattern": "parity-(first|second)"},
        "subscribePattern without a match": {"subscribePattern": "parity-none.*"},
        "assign": {"assign": json.dumps({first: [2, 0]})},
        "startingOffsets": {"subscribe": first, "startingOffsets": per_partition(first, 7, -2, 30)},
        "startingOffsets at the end": {"subscribe": first, "startingOffsets": per_partition(first, 60, 40, 30)},
        "startingTimestamp": {"subscribe": names.second, "startingTimestamp": time_of(11)},
        "startingOffsetsByTimestamp": {
            "subscribe": first,
            "startingOffsetsByTimestamp": json.dumps({first: {"0": int(time_of(9)), "1": int(time_of(1005)), "2": 0}}),
        },
        "startingTimestamp comes first": {
            "subscribe": names.second,
            "startingTimestamp": time_of(11),
            "startingOffsets": per_partition(names.second, 2),
        },
        "startingOffsetsByTimestampStrategy": {
            "subscribe": first,
            "startingTimestamp": time_of(1010),
            "startingOffsetsByTimestampStrategy": "latest",
        },
        "includeHeaders": {"subscribe": names.second, "includeHeaders": "true"},
        "failOnDataLoss": {
            "subscribe": names.short,
            "startingOffsets": per_partition(names.short, 3),
            "failOnDataLoss": "false",
        },
        "minPartitions": {"subscribe": first, "minPartitions": "7"},
        "maxRecordsPerPartition": {"subscribe": first, "maxRecordsPerPartition": "9"},
        "groupIdPrefix": {"subscribe": names.second, "groupIdPrefix": "parity"},
        "kafka.group.id": {"subscribe": names.second, "kafka.group.id": "parity"},
        "kafkaConsumer.pollTimeoutMs": {"subscribe": names.second, "kafkaConsumer.pollTimeoutMs": "20000"},
        "fetchOffset.numRetries": {"subscribe": names.second, "fetchOffset.numRetries": "1"},
        "fetchOffset.retryIntervalMs": {"subscribe": names.second, "fetchOffset.retryIntervalMs": "20"},
        "kafka.fetch.max.bytes": {"subscribe": first, "kafka.fetch.max.bytes": "300"},
    }
    in_streams = ("startingOffsets", "startingTimestamp", "failOnDataLoss")
    begin = {"startingOffsets": "earliest"}
    return [
        *(_on(names.bootstrap, Case(name, "batch", options)) for name, options in both.items()),
        *(_on(names.bootstrap, Case(f"stream: {name}", "stream", {**begin, **both[name]})) for name in in_streams),
    ]


def batch_cases(names: Names) -> list[Case]:
    """Ends, filters and isolation."""
    first, second = names.first, names.second
    ends = {
        "endingOffsets": {"subscribe": first, "endingOffsets": per_partition(first, 20, -1, 1)},
        "endingTimestamp": {"subscribe": first, "endingTimestamp": time_of(15)},
        "endingOffsetsByTimestamp": {
            "subscribe": second,
            "endingOffsetsByTimestamp": per_partition(second, int(time_of(7))),
        },
    }
    filters = ["partition = 1 and offset > 20", "offset in (1, 5, 39)", "timestamp < '2023-11-14 22:13:30'"]
    levels = ("read_committed", "read_uncommitted")
    return [
        *(_on(names.bootstrap, Case(name, "batch", options)) for name, options in ends.items()),
        *(_on(names.bootstrap, Case(f"where {one}", "batch", {"subscribe": first}, where=one)) for one in filters),
        *(
            _on(names.kafka, Case(f"{level} {kind}", kind, {"subscribe": names.committed, **_isolated(level)}))
            for level in levels
            for kind in ("batch", "stream")
        ),
    ]


def _isolated(level: str) -> dict[str, str]:
    return {"kafka.isolation.level": level, "startingOffsets": "earliest"}


def stream_cases(names: Names) -> list[Case]:
    """Micro-batches, and a stream that begins where there is nothing yet."""
    first = names.first
    asked = {
        "stream from latest": {"subscribe": first},
        "maxOffsetsPerTrigger": {"subscribe": first, "startingOffsets": "earliest", "maxOffsetsPerTrigger": "50"},
        "minOffsetsPerTrigger": {"subscribe": first, "startingOffsets": "earliest", "minOffsetsPerTrigger": "20"},
        "maxTriggerDelay": {
            "subscribe": first,
            "startingOffsets": "earliest",
            "minOffsetsPerTrigger": "2000",
            "maxTriggerDelay": "1s",
        },
    }
    return [_on(names.bootstrap, Case(name, "stream", options)) for name, options in asked.items()]


def refused_cases(names: Names) -> list[Case]:
    """What both refuse."""
    first = {"subscribe": names.first}
    batch = {
        "a missing topic": {"subscribe": "parity-missing"},
        "a partition forgotten": {**first, "startingOffsets": per_partition(names.first, 1)},
        "no record that late": {**first, "startingTimestamp": time_of(99_999)},
        "an end before its start": {
            "subscribe": names.second,
            "startingOffsets": per_partition(names.second, 9),
            "endingOffsets": per_partition(names.second, 4),
        },
        "data loss": {"subscribe": names.short, "startingOffsets": per_partition(names.short, 3)},
    }
    unread = {
        "no topics": {},
        "two choices": {**first, "assign": "{}"},
        "a batch from latest": {**first, "startingOffsets": "latest"},
        "a batch to earliest": {**first, "endingOffsets": "earliest"},
        "kafka.key.deserializer": {**first, "kafka.key.deserializer": "x"},
        "kafka.value.deserializer": {**first, "kafka.value.deserializer": "x"},
        "kafka.auto.offset.reset": {**first, "kafka.auto.offset.reset": "earliest"},
        "kafka.enable.auto.commit": {**first, "kafka.enable.auto.commit": "true"},
        "kafka.interceptor.classes": {**first, "kafka.interceptor.classes": "x"},
    }
    refused = [
        *(Case(name, "batch", options, refused=True) for name, options in batch.items()),
        *(Case(name, "batch", options, refused=True, unread=True) for name, options in unread.items()),
        Case("a stream with an end", "stream", {**first, "endingOffsets": "latest"}, refused=True, unread=True),
    ]
    return [_on(names.bootstrap, case) for case in refused]


def write_cases(names: Names) -> list[Case]:
    """The sink, each case into a topic of its own for either source, read back with Spark's."""
    everything = (
        "select 'TARGET' as topic, cast(id as string) as key, cast(concat('v', id) as binary) as value, "
        "cast(id % 3 as int) as partition, "
        "if(id % 2 = 0, array(named_struct('key', 'h', 'value', cast('x' as binary))), null) as headers from range(30)"
    )
    asked = {
        "write: topic column": ({}, everything),
        "write: topic option": ({"topic": "TARGET"}, everything.replace("'TARGET'", "'parity-nowhere'")),
        "write: by key": ({"topic": "TARGET"}, "select cast(id as string) as key, 'v' as value from range(50)"),
        "write: nulls": ({"topic": "TARGET"}, "select 'k' as key, cast(null as string) as value"),
        "write: includeHeaders": ({"topic": "TARGET", "includeHeaders": "true"}, everything),
    }
    made = [Case(name, "write", options, into=_own(name), select=select) for name, (options, select) in asked.items()]
    refused = {
        "write: no topic": ({}, "select 'v' as value"),
        "write: no value": ({"topic": "TARGET"}, "select 'v' as key"),
        "write: a number": ({"topic": "TARGET"}, "select 1 as value"),
        "write: kafka.key.serializer": ({"topic": "TARGET", "kafka.key.serializer": "x"}, "select 'v' as value"),
    }
    for name, (options, select) in refused.items():
        made.append(Case(name, "write", options, refused=True, into=_own(name), select=select))
    name = "a checkpoint of Spark's source goes on"
    made.append(Case(name, "continue", {}, into=_own(name)))
    return [_on(names.bootstrap, case) for case in made]


def _own(name: str) -> dict[str, str]:
    words = "".join(letter if letter.isalnum() else "-" for letter in name)
    return {source: f"parity-{source}-{words}" for source in ("kafka", "chronik")}


def _on(bootstrap: str, case: Case) -> Case:
    return Case(
        case.name,
        case.kind,
        {"kafka.bootstrap.servers": bootstrap, **case.options},
        case.refused,
        case.unread,
        case.into,
        case.select,
        case.where,
    )


def all_cases(names: Names) -> list[Case]:
    return [
        *read_cases(names),
        *batch_cases(names),
        *stream_cases(names),
        *refused_cases(names),
        *write_cases(names),
    ]
