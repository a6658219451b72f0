"""A metadata store that times every round trip, whatever the engine."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import contextmanager
from time import monotonic_ns
from typing import TYPE_CHECKING

from chronik.metadata.stores.port import (
    ChangeBatch,
    Compare,
    Lease,
    Outcome,
    RangeResult,
    Store,
    StoreEntry,
    StoreError,
    Write,
)
from chronik.model.ids import Revision
from chronik.observability.metrics import BrokerMetrics

if TYPE_CHECKING:
    from collections.abc import Iterator


class TimedStore:
    """Passes everything to the engine. The events of a watch are no round trips, and are not timed."""

    def __init__(self, engine: Store, metrics: BrokerMetrics) -> None:
        self._engine = engine
        self._metrics = metrics

    async def get(self, key: str) -> StoreEntry | None:
        with self._timed("get"):
            return await self._engine.get(key)

    async def range(self, prefix: str) -> RangeResult:
        with self._timed("range"):
            return await self._engine.range(prefix)

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        with self._timed("transact"):
            return await self._engine.transact(compares, writes)

    async def lease(self, ttl_ms: int) -> Lease:
        with self._timed("lease"):
            return await self._engine.lease(ttl_ms)

    def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        return self._engine.watch(from_revision)

    async def compact(self, revision: Revision) -> None:
        await self._engine.compact(revision)

    async def close(self) -> None:
        await self._engine.close()

    @contextmanager
    def _timed(self, operation: str) -> "Iterator[None]":
        began_ns = monotonic_ns()
        try:
            yield
        except StoreError:
            self._metrics.store_failures[operation] += 1
            raise
        finally:
            self._metrics.store[operation].observe(monotonic_ns() - began_ns)
