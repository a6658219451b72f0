"""A decision as data: guarded transactions to carry out in order, and what to answer when they are.

A plan whose transaction meets a conflict is dropped, and the decision is made again on a newer image. So each
transaction leaves the store in a state from which the whole can be decided anew.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, NamedTuple, TypeVar

from chronik.metadata.stores.port import TRANSACTION_OPS_MAX, Compare, Write
from chronik.model.errors import ErrorCode

T = TypeVar("T", covariant=True)


class Refusal(NamedTuple):
    """Why something is not done, in the wire's code and in a sentence."""

    error: ErrorCode
    message: str


class Transaction(NamedTuple):
    """Writes that happen together, if every compare holds."""

    compares: tuple[Compare, ...]
    writes: tuple[Write, ...]


class Plan(NamedTuple, Generic[T]):
    """What to do, in this order, and the answer that holds once it is done."""

    transactions: tuple[Transaction, ...]
    result: T


class PlanStep(NamedTuple):
    """Writes that belong into one transaction, with what guards them."""

    compares: tuple[Compare, ...]
    writes: tuple[Write, ...]


def pack(steps: Iterable[PlanStep]) -> tuple[Transaction, ...]:
    """Put steps, in their order, into as few transactions as the store's limit allows."""
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
