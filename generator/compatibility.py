"""Writes the compatibility page from the table of APIs and Kafka's own definitions of their versions."""

from typing import Any

from chronik.protocol.apis import SERVED, Api
from generator.clients import section
from generator.jar import KAFKA_VERSION, find_jar, read_definitions

HEAD = f"""# Compatibility

Made from the table in `src/chronik/protocol/apis.py` and the kept results of the client matrix, `docs/clients.json`, by
`python -m generator compatibility`: do not edit.

Chronik speaks the wire protocol of Apache Kafka {KAFKA_VERSION}, in Kafka's own range of versions for each API: since
4.0 that is what the Java client from 2.1 on, librdkafka 2.0 and kafka-python 2.0 still ask for. Versions that Kafka
calls unstable are never advertised. Any other API or version closes the connection, because there is no form to answer
in.

| key | API | versions | Kafka {KAFKA_VERSION} | notes |
|---|---|---|---|---|
"""

TAIL = f"""
## What is not advertised, and what differs

- AddPartitionsToTxn, AddOffsetsToTxn, EndTxn, TxnOffsetCommit: a transactional producer is told at its first step, by
  FindCoordinator and InitProducerId, that there are no transactions (TRANSACTIONAL_ID_AUTHORIZATION_FAILED, which no
  client tries again). No client gets as far as these.
- GetTelemetrySubscriptions, PushTelemetry: as a Kafka without a receiver of client metrics does.
- What concerns KRaft's controllers, share groups and the newer consumer protocol.
- Quotas and SCRAM credentials are refused where Kafka would keep them, because nothing here would act on them.
- The levels of loggers cannot be described as configs, since the loggers are not Java's.
- ListTransactions does not judge a pattern, as there is nothing that it could match.

## A new version of Kafka

The codec in `src/chronik/protocol/generated/` is generated from the message definitions inside the jar
`org.apache.kafka:kafka-clients:{KAFKA_VERSION}`. Raise `KAFKA_VERSION` in `generator/jar.py`, run
`python -m generator`, and implement what the new versions mean before their range appears in the table: a test compares
every advertised version with an independent codec.
"""


def page() -> str:
    """The whole page."""
    definitions = read_definitions(find_jar())
    rows = [_row(api, definitions[api.request.__name__]) for _, api in sorted(SERVED.items())]
    return HEAD + "".join(rows) + section() + TAIL


def _row(api: Api, definition: dict[str, Any]) -> str:
    ours = _range(api.version_min, api.version_max)
    kafka = definition["validVersions"].replace("-", "–")
    unstable = " (last unstable)" if definition.get("latestVersionUnstable") else ""
    return f"| {api.key.value} | {api.name} | {ours} | {kafka}{unstable} | {api.note} |\n"


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}–{high}"
