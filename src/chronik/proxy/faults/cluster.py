"""Faults of the cluster as a whole: a list of brokers that is too short, and answers that come late."""

import random
from dataclasses import dataclass, field

from chronik.protocol.apis import ApiKey
from chronik.protocol.generated.describe_cluster import DescribeClusterResponse
from chronik.protocol.generated.metadata import MetadataResponse
from chronik.protocol.wire import Message
from chronik.proxy.exchange import Exchange, Fault


@dataclass(slots=True)
class ListOneBroker(Fault):
    """Metadata names one broker only; leaders are named as they are, whether they are in that list or not."""

    node: int

    def on_answer(self, exchange: Exchange, answer: Message) -> None:
        if isinstance(answer, MetadataResponse):
            answer.brokers = [broker for broker in answer.brokers if broker.node_id == self.node]
        elif isinstance(answer, DescribeClusterResponse):
            answer.brokers = [broker for broker in answer.brokers if broker.broker_id == self.node]


@dataclass(slots=True)
class Delay(Fault):
    """Answers of some APIs (of all, if none is named) come late by a time between two bounds."""

    seed: int
    least_s: float
    most_s: float
    apis: frozenset[ApiKey] = frozenset()
    _dice: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def on_request(self, exchange: Exchange) -> None:
        if not self.apis or exchange.header.api_key in self.apis:
            exchange.wait_s = max(exchange.wait_s, self._dice.uniform(self.least_s, self.most_s))
