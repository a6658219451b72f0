"""The tap as exchanges: each request with its response, per partition; and the gaps of the tap itself.

A request is known by connection and correlation. In a fetch session a partition that has not changed is not named
again, so that a request without partitions stands for all that its connection has asked for before.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from chronik.audit.capture.observer import CLIENT_ID as OBSERVER
from chronik.audit.diagnose.run_evidence import RunEvidence
from chronik.audit.tables.schemas import UNKNOWN_NUMBER

REQUEST: Final = "request"
ANSWER: Final = "answer"
CLIENT: Final = -1
DISCONNECTED: Final = "Disconnect"
DROPPED: Final = "dropped"
"""In place of a direction: the tap lost rows before this one."""


@dataclass(frozen=True, slots=True)
class TapExchange:
    """A request for a partition, and its response; ``answer_us`` is -1 without one."""

    api: str
    connection: int
    node: int
    client_id: str
    partition: int
    sent_us: int
    answer_us: int
    offset: int
    """The fetch offset, or the base offset in a produce response."""
    first_offset: int
    count: int
    error: str
    high_watermark: int
    leader_epoch: int
    crc: int
    """The checksum of the first batch of a produce, which identifies a repetition; -1 where it is unknown."""
    acks: int
    wait_ms_max: int

    @property
    def is_owed(self) -> bool:
        """Return whether the request has a response: with acks=0 it has none."""
        return self.api != "Produce" or self.acks != 0

    def lasted_us(self, end_us: int) -> int:
        return (self.answer_us if self.answer_us >= 0 else end_us) - self.sent_us


@dataclass(frozen=True, slots=True)
class Wire:
    """All exchanges of the tap."""

    exchanges: dict[str, list[TapExchange]]
    holes: tuple[tuple[int, int], ...]
    ended_us: dict[int, int]
    """The times at which connections were closed."""
    brokers: list["BrokerList"]
    end_us: int

    def is_whole(self, since_us: int, until_us: int) -> bool:
        return not any(low <= until_us and high >= since_us for low, high in self.holes)


@dataclass(frozen=True, slots=True)
class BrokerList:
    """A metadata response: the brokers that it lists, and the leaders that it names."""

    at_us: int
    client_id: str
    brokers: frozenset[int]
    leaders: dict[int, int]


def wire(facts: RunEvidence) -> Wire:
    """Read the tap once."""
    if "wire" not in facts.kept:
        facts.kept["wire"] = _read(_rows(facts))
    seen: Wire = facts.kept["wire"]
    return seen


def produces(facts: RunEvidence) -> list[TapExchange]:
    return wire(facts).exchanges.get("Produce", [])


def fetches(facts: RunEvidence) -> list[TapExchange]:
    """Return the fetches of the run's consumers."""
    return [one for one in all_fetches(facts) if one.client_id != OBSERVER]


def all_fetches(facts: RunEvidence) -> list[TapExchange]:
    """Return the fetches of consumers and of the observer, which gets the same responses as consumers."""
    return wire(facts).exchanges.get("Fetch", [])


def _rows(facts: RunEvidence) -> list[dict[str, Any]]:
    rows = _of_clients(facts.evidence.tap.to_pylist(), facts.run.topic)
    return sorted(rows, key=lambda row: int(row["mono_us"]))


def _read(rows: list[dict[str, Any]]) -> Wire:
    exchanges: dict[str, list[TapExchange]] = defaultdict(list)
    for exchange in _paired(rows):
        exchanges[exchange.api].append(exchange)
    ended = {row["connection"]: row["at_us"] for row in rows if row["api"] == DISCONNECTED}
    end_us = max((row["at_us"] for row in rows), default=-1)
    return Wire(dict(exchanges), tuple(_holes(rows)), ended, list(_broker_lists(rows)), end_us)


def _broker_lists(rows: list[dict[str, Any]]) -> Iterator[BrokerList]:
    answers: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["api"] == "Metadata" and row["direction"] == ANSWER:
            answers[row["connection"], row["correlation"]].append(row)
    for own in answers.values():
        listed = next((row["told"]["brokers"] for row in own if "brokers" in row["told"]), None)
        if listed is not None:
            leaders = {row["partition"]: row["leader"] for row in own if row["partition"] >= 0}
            yield BrokerList(own[0]["at_us"], own[0]["client_id"], frozenset(listed), leaders)


def _of_clients(rows: list[dict[str, Any]], topic: str) -> Iterator[dict[str, Any]]:
    """Leave out other topics, and fetches with a replica id, which are those of the audit itself."""
    for row in rows:
        told = json.loads(row["text"]) if row["text"].startswith("{") else {}
        if told.get("topic", topic) in (topic, "") and told.get("replica", CLIENT) == CLIENT:
            yield {**row, "told": told}


def _holes(rows: list[dict[str, Any]]) -> Iterator[tuple[int, int]]:
    before_us = 0
    for row in rows:
        if row["direction"] == DROPPED:
            yield before_us, row["at_us"]
        before_us = row["at_us"]


def _paired(rows: list[dict[str, Any]]) -> Iterator[TapExchange]:
    """Join requests and responses; a response names partitions that the request of a fetch session need not name."""
    asked: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    answered: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["direction"] in (REQUEST, ANSWER):
            side = asked if row["direction"] == REQUEST else answered
            side[row["connection"], row["correlation"]].append(row)
    for key, requests in asked.items():
        yield from _exchanges(requests, answered.get(key, []))


def _exchanges(requests: list[dict[str, Any]], answers: list[dict[str, Any]]) -> Iterator[TapExchange]:
    asked = {row["partition"]: row for row in requests}
    came = {row["partition"]: row for row in answers}
    for partition in sorted({*asked, *came} - ({UNKNOWN_NUMBER} if len({*asked, *came}) > 1 else set())):
        yield _exchange(asked.get(partition, requests[0]), came.get(partition), answers)


def _exchange(request: dict[str, Any], own: dict[str, Any] | None, answers: list[dict[str, Any]]) -> TapExchange:
    is_fetch = request["api"] == "Fetch"
    return TapExchange(
        api=request["api"],
        connection=request["connection"],
        node=request["node"],
        client_id=request["client_id"],
        partition=(own or request)["partition"],
        sent_us=request["at_us"],
        answer_us=answers[0]["at_us"] if answers else -1,
        offset=request["offset"] if is_fetch or own is None else own["offset"],
        first_offset=own["offset"] if own else -1,
        count=_count(request, own),
        error=_error(own or (answers[0] if answers else {})),
        high_watermark=own["high_watermark"] if own else -1,
        leader_epoch=max(request["leader_epoch"], own["leader_epoch"] if own else -1),
        crc=request["told"].get("crc", -1),
        acks=request["told"].get("acks", 1),
        wait_ms_max=request["told"].get("max_wait_ms", -1),
    )


def _count(request: dict[str, Any], own: dict[str, Any] | None) -> int:
    """Return the number of records in a produce request or in a fetch response."""
    if request["api"] == "Produce":
        return max(int(request["count"]), 0)
    return int(own["count"]) if own else 0


def _error(row: dict[str, Any]) -> str:
    error = row.get("error", "")
    return "" if error in ("NONE", "0") else error
