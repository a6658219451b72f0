"""A broker's access to the metadata store: the image, kept up to date by the watch, and the only way to change it.

When the store does not answer, the broker goes on: it keeps its image, resumes the watch when the store answers again,
and applies the changes that it missed.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from typing import Final, TypeVar

from chronik.metadata.image import keys
from chronik.metadata.image.image import Image
from chronik.metadata.stores.plan import Plan, Refusal, Transaction
from chronik.metadata.stores.port import (
    CompactedError,
    Conflict,
    Store,
    StoreClosedError,
    StoreError,
    StoreReplacedError,
    StoreUnavailable,
)
from chronik.model.ids import Revision

log = logging.getLogger(__name__)

CONFLICTS_MAX: Final = 100
REACHED_S_MAX: Final = 10.0
RETRY_S_MIN: Final = 0.02
RETRY_S_MAX: Final = 1.0

T = TypeVar("T")
Listener = Callable[[Image, Image], None]


class Catalog:
    """The current image. ``follow`` keeps it up to date and must run in one task of the broker.

    Listeners are called on the event loop with the image before and after each transaction, in revision order. If the
    store has compacted missed transactions, they are called once with the difference.
    """

    def __init__(self, store: Store, image: Image) -> None:
        self._store = store
        self._image = image
        self._listeners: list[Listener] = []
        self._waiting: list[tuple[Revision, asyncio.Future[None]]] = []
        self._lost_at: float | None = None
        self._is_behind = False

    @classmethod
    async def open(cls, store: Store) -> "Catalog":
        """Read the whole store once; ``follow`` continues from there."""
        return cls(store, Image.load(await store.range("")))

    @property
    def image(self) -> Image:
        return self._image

    @property
    def is_connected(self) -> bool:
        """Whether the store answered its last request. If not, the image may be old."""
        return self._lost_at is None

    def subscribe(self, listener: Listener) -> None:
        self._listeners.append(listener)

    async def follow(self) -> None:
        """Replay the store's changes until it is closed. Raise StoreReplacedError if it is another store."""
        retry_s = RETRY_S_MIN
        while True:
            revision = self._image.revision
            if await self._follow_while_it_answers():
                return
            retry_s = min(2 * retry_s, RETRY_S_MAX) if self._image.revision == revision else RETRY_S_MIN
            await asyncio.sleep(retry_s)

    async def reached(self, revision: Revision) -> None:
        """Wait until the image has this revision and the listeners have been called."""
        if self._image.revision < revision:
            future = asyncio.get_running_loop().create_future()
            self._waiting.append((revision, future))
            await future

    async def carry_out(self, decide: Callable[[Image], Plan[T] | Refusal]) -> T | Refusal:
        """Decide, write, and return when the image shows the change; after a conflict, decide again on a newer image.

        Raises StoreUnavailable where the store did not answer: then the outcome of the transactions is unknown.
        """
        for _ in range(CONFLICTS_MAX):
            plan = decide(self._image)
            if isinstance(plan, Refusal):
                return plan
            if await self._do(plan.transactions):
                return plan.result
        raise StoreError(f"a decision met {CONFLICTS_MAX} conflicts in a row")

    # --- following

    async def _follow_while_it_answers(self) -> bool:
        """Follow until the store fails or has compacted needed revisions; return whether it was closed."""
        try:
            await self._take_up()
            async with aclosing(self._store.watch(self._image.next_revision)) as batches:
                async for batch in batches:
                    self._show(self._image.replay(batch))
            return True
        except StoreClosedError:
            return True
        except StoreReplacedError:
            raise
        except CompactedError as error:
            log.warning("%s; reading the whole store", error)
            self._is_behind = True
        except StoreError as error:
            self._lose(error)
        return False

    async def _take_up(self) -> None:
        """Connect to the store, and reload the image if the store has compacted the missed changes."""
        if self._is_behind:
            self._catch_up(Image.load(await self._store.range("")))
        elif self._lost_at is not None:
            self._check(Image.load(await self._store.range(keys.CLUSTER)))
        if self._lost_at is not None:
            log.warning("the metadata store answers again after %.1f s", time.monotonic() - self._lost_at)
            self._lost_at = None

    def _lose(self, error: StoreError) -> None:
        if self._lost_at is None:
            self._lost_at = time.monotonic()
            log.warning(
                "the metadata store does not answer; the image stays at revision %d: %s. "
                "Leaders continue; until the store answers, there are no elections and no changes of metadata.",
                self._image.revision,
                error,
            )

    def _catch_up(self, image: Image) -> None:
        self._check(image)
        self._is_behind = False
        self._show(image)

    def _check(self, found: Image) -> None:
        """Raise if another store, or an older copy of this one, was put in place during an outage."""
        known = self._image
        if found.revision < known.revision or known.cluster_id not in (None, found.cluster_id):
            raise StoreReplacedError(
                f"the metadata store belongs to cluster {found.cluster_id} at revision {found.revision}, "
                f"but the broker knows revision {known.revision} of cluster {known.cluster_id}"
            )

    def _show(self, image: Image) -> None:
        before, self._image = self._image, image
        for listener in self._listeners:
            listener(before, image)
        self._wake()

    # --- carrying out

    async def _do(self, transactions: tuple[Transaction, ...]) -> bool:
        for transaction in transactions:
            outcome = await self._store.transact(transaction.compares, transaction.writes)
            await self._reached_in_time(outcome.revision)
            if isinstance(outcome, Conflict):
                return False
        return True

    async def _reached_in_time(self, revision: Revision) -> None:
        try:
            async with asyncio.timeout(REACHED_S_MAX):
                await self.reached(revision)
        except TimeoutError as error:
            raise StoreUnavailable(f"revision {revision} was not seen in {REACHED_S_MAX} s") from error

    def _wake(self) -> None:
        due = [future for revision, future in self._waiting if revision <= self._image.revision]
        self._waiting = [one for one in self._waiting if one[0] > self._image.revision]
        for future in due:
            if not future.done():
                future.set_result(None)
