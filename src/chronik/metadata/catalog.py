"""A broker's hold on the store: the image that follows the watch, and the door through which decisions go."""

import asyncio
from collections.abc import Callable
from typing import Final, TypeVar

from chronik.metadata.image import Image
from chronik.metadata.plan import Plan, Refusal, Transaction
from chronik.metadata.store import Conflict, Store, StoreError
from chronik.model.ids import Revision

CONFLICTS_MAX: Final = 100

T = TypeVar("T")
Listener = Callable[[Image, Image], None]


class Catalog:
    """The image at hand, kept up to date by ``follow``, which one task of the broker must run.

    Listeners are called on the loop with the image before and after each transaction, in revision order.
    """

    def __init__(self, store: Store, image: Image) -> None:
        self._store = store
        self._image = image
        self._listeners: list[Listener] = []
        self._waiting: list[tuple[Revision, asyncio.Future[None]]] = []

    @classmethod
    async def open(cls, store: Store) -> "Catalog":
        """Read the whole store once; ``follow`` goes on from there."""
        return cls(store, Image.load(await store.range("")))

    @property
    def image(self) -> Image:
        return self._image

    def subscribe(self, listener: Listener) -> None:
        self._listeners.append(listener)

    async def follow(self) -> None:
        """Replay the store's changes until the store is closed."""
        async for batch in self._store.watch(self._image.next_revision):
            before, self._image = self._image, self._image.replay(batch)
            for listener in self._listeners:
                listener(before, self._image)
            self._wake()

    async def reached(self, revision: Revision) -> None:
        """Wait until the image holds this revision and the listeners have seen it."""
        if self._image.revision < revision:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append((revision, future))
            await future

    async def carry_out(self, decide: Callable[[Image], Plan[T] | Refusal]) -> T | Refusal:
        """Decide, do it, and return when the image shows it; after a conflict, decide again on a newer image."""
        for _ in range(CONFLICTS_MAX):
            plan = decide(self._image)
            if isinstance(plan, Refusal):
                return plan
            if await self._do(plan.transactions):
                return plan.result
        raise StoreError(f"a decision met {CONFLICTS_MAX} conflicts in a row")

    async def _do(self, transactions: tuple[Transaction, ...]) -> bool:
        for transaction in transactions:
            outcome = await self._store.transact(transaction.compares, transaction.writes)
            await self.reached(outcome.revision)
            if isinstance(outcome, Conflict):
                return False
        return True

    def _wake(self) -> None:
        due = [future for revision, future in self._waiting if revision <= self._image.revision]
        self._waiting = [one for one in self._waiting if one[0] > self._image.revision]
        for future in due:
            if not future.done():
                future.set_result(None)
