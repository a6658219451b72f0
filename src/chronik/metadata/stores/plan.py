"""A decision as data: guarded transactions in order, and the result after them.

If a transaction meets a conflict, the plan is dropped and the decision is made again on a newer image. So each
transaction must leave a state from which the same decision can be made again.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from chronik.metadata.stores.port import TRANSACTION_OPS_MAX, Compare, Write
from chronik.model.errors import ErrorCode

T = TypeVar("T", covariant=True)


class Refusal(NamedTuple):
    """A refused request: the wire's error code and a sentence."""

    error: ErrorCode
    message: str


class Transaction(NamedTuple):
    """Writes that happen together, if every compare holds."""

    compares: tuple[Compare, ...]
    writes: tuple[Write, ...]


class Plan(NamedTuple, Generic[T]):
    """Transactions in order, and the result once they are committed."""

    transactions: tuple[Transaction, ...]
    result: T


class PlanStep(NamedTuple):
    """Writes that belong into one transaction, with their guards."""

    compares: tuple[Compare, ...]
    writes: tuple[Write, ...]


def pack(steps: Iterable[PlanStep]) -> tuple[Transaction, ...]:
    """Pack steps, in order, into as few transactions as the store's limit allows."""
    packed: list[Transaction] = []
    compares: dict[Compare, None] = {}
    writes: list[Write] = []
    for step in steps:
        merged = compares | dict.fromkeys(step.compares)
        if len(merged) > TRANSACTION_OPS_MAX or len(writes) + len(step.writes) > TRANSACTION_OPS_MAX:
            packed.append(Transaction(tuple(compares), tuple(writes)))
            merged, writes = dict.fromkeys(step.compares), []
        compares = merged
        writes.extend(step.writes)
    if writes or compares:
        packed.append(Transaction(tuple(compares), tuple(writes)))
    return tuple(packed)


def in_chunks(writes: Sequence[Write], size: int) -> Iterator[tuple[Write, ...]]:
    for start in range(0, len(writes), size):
        yield tuple(writes[start : start + size])
