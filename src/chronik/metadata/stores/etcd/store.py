"""The engine ``etcd://host:port,…/prefix`` for several machines; etcd's Raft gives consensus.

It uses etcd's JSON gateway (docs/decisions/0010-etcd-client.md explains why). The watch covers all keys of etcd, so
that no revision is missing; transactions on foreign keys arrive without changes.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Final

from chronik.metadata.stores.etcd.address import parse_url
from chronik.metadata.stores.etcd.client import OUT_OF_RANGE, EtcdClient, EtcdError, connect
from chronik.metadata.stores.etcd.http import Json
from chronik.metadata.stores.etcd.leases import EtcdLease, grant
from chronik.metadata.stores.etcd.wire import ALL_KEYS, EtcdWire, from_etcd, to_etcd
from chronik.metadata.stores.port import (
    ChangeBatch,
    Committed,
    CompactedError,
    Compare,
    Conflict,
    Outcome,
    RangeResult,
    StoreClosedError,
    StoreEntry,
    StoreError,
    StoreUnavailable,
    Write,
    check_transaction,
    check_watch,
)
from chronik.model.ids import Revision

log = logging.getLogger(__name__)

REVOKE_S_MAX: Final = 2.0
WATCH_LAG_S_MAX: Final = 2.0
HISTORY_REVISIONS_MAX: Final = 10_000
COMPACT_EVERY_REVISIONS: Final = 1_000

_RANGE: Final = "/v3/kv/range"
_TXN: Final = "/v3/kv/txn"
_WATCH: Final = "/v3/watch"
_COMPACT: Final = "/v3/kv/compaction"


class EtcdStore:
    """A store in etcd."""

    def __init__(self, client: EtcdClient, prefix: str) -> None:
        self._client = client
        self._wire = EtcdWire(prefix)
        self._leases: list[EtcdLease] = []
        self._closed = asyncio.Event()
        self._watches: list[_Progress] = []
        self._lag_timer: asyncio.TimerHandle | None = None
        self._compacting: asyncio.Task[None] | None = None
        client.on_revision = self._expect

    @classmethod
    async def open(cls, url: str) -> "EtcdStore":
        """Connect to a member of the cluster."""
        addresses, prefix = parse_url(url)
        return cls(await connect(addresses), prefix)

    # --- the port

    async def get(self, key: str) -> StoreEntry | None:
        answer = await self._client.read(_RANGE, self._wire.get(key))
        return next(iter(self._wire.entries(answer.get("kvs", ()))), None)

    async def range(self, prefix: str) -> RangeResult:
        while True:
            try:
                return await self._snapshot(prefix)
            except EtcdError as error:
                # The revision of the first page was compacted before the later pages were read.
                if error.code != OUT_OF_RANGE:
                    raise

    async def transact(self, compares: Sequence[Compare], writes: Sequence[Write]) -> Outcome:
        check_transaction(compares, writes)
        answer = await self._client.write(_TXN, self._wire.transaction(compares, writes))
        revision = from_etcd(answer["header"]["revision"])
        if not answer.get("succeeded"):
            return Conflict(revision)
        if revision % COMPACT_EVERY_REVISIONS == 0:
            self._compact_soon(Revision(revision - HISTORY_REVISIONS_MAX))
        return Committed(revision)

    async def watch(self, from_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        next_revision = from_revision
        failures = 0
        while not self._closed.is_set():
            try:
                async with aclosing(self._watch_one_member(next_revision)) as batches:
                    async for batch in batches:
                        failures, next_revision = 0, Revision(batch.revision + 1)
                        yield batch
            except StoreClosedError:
                return
            except StoreUnavailable:
                failures += 1
                if failures > self._client.member_count:
                    raise

    async def lease(self, ttl_ms: int) -> EtcdLease:
        lease = await grant(self._client, ttl_ms)
        self._leases.append(lease)
        return lease

    async def compact(self, revision: Revision) -> None:
        up_to = min(revision, await self.current_revision())
        try:
            await self._client.write(_COMPACT, {"revision": str(to_etcd(up_to)), "physical": True})
        except EtcdError as error:
            # It is already compacted further.
            if error.code != OUT_OF_RANGE:
                raise

    async def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        if self._lag_timer is not None:
            self._lag_timer.cancel()
        if self._compacting is not None:
            self._compacting.cancel()
        await asyncio.gather(*(self._revoke(lease) for lease in self._leases))
        self._client.close()

    # --- reading

    async def current_revision(self) -> Revision:
        """Return the revision, confirmed by a majority of etcd."""
        answer = await self._client.read(_RANGE, {"key": ALL_KEYS["key"], "count_only": True})
        return from_etcd(answer["header"]["revision"])

    async def _snapshot(self, prefix: str) -> RangeResult:
        entries: list[StoreEntry] = []
        revision: Revision | None = None
        while True:
            after = entries[-1].key if entries else None
            answer = await self._client.read(_RANGE, self._wire.page(prefix, after, revision))
            entries += self._wire.entries(answer.get("kvs", ()))
            if revision is None:
                revision = from_etcd(answer["header"]["revision"])
            if not answer.get("more"):
                return RangeResult(tuple(entries), revision)

    # --- forgetting

    def _compact_soon(self, revision: Revision) -> None:
        """Compact etcd's history, if etcd is not configured to do so itself."""
        if revision > 0 and (self._compacting is None or self._compacting.done()):
            self._compacting = asyncio.ensure_future(self._try_to_compact(revision))

    async def _try_to_compact(self, revision: Revision) -> None:
        try:
            await self.compact(revision)
        except StoreError as error:
            log.info("the history was not compacted: %s", error)

    # --- watching

    async def _watch_one_member(self, next_revision: Revision) -> AsyncGenerator[ChangeBatch, None]:
        """Watch until the member behind the watch fails."""
        # Start one revision earlier and drop it: etcd still delivers the compacted revision itself, but without its
        # deletions.
        request = {"create_request": {"start_revision": str(to_etcd(Revision(next_revision - 1))), **ALL_KEYS}}
        progress = _Progress(Revision(next_revision - 1))
        self._watches.append(progress)
        try:
            async with aclosing(self._client.stream(_WATCH, request)) as messages:
                async for message in messages:
                    await self._check_message(message, progress.seen)
                    for batch in self._wire.batches(message.get("events", ())):
                        if progress.is_next(batch.revision):
                            yield batch
        finally:
            self._watches.remove(progress)

    async def _check_message(self, message: Json, seen: Revision) -> None:
        if message.get("created") and from_etcd(message["header"]["revision"]) < seen:
            # This member may only be slow; a majority cannot be behind a revision that it has agreed on.
            check_watch(Revision(seen + 1), await self.current_revision())
        if message.get("compact_revision"):
            raise CompactedError(Revision(seen + 1), Revision(from_etcd(message["compact_revision"]) + 1))
        if message.get("canceled"):
            raise StoreError(f"etcd ended the watch: {message.get('cancel_reason', 'without a reason')}")

    def _expect(self, revision: Revision) -> None:
        """Make sure that every watch reaches this revision soon: its member may have stopped."""
        if self._lag_timer is None and any(watch.seen < revision for watch in self._watches):
            loop = asyncio.get_running_loop()
            self._lag_timer = loop.call_later(WATCH_LAG_S_MAX, self._check_lag, revision)

    def _check_lag(self, revision: Revision) -> None:
        self._lag_timer = None
        if any(watch.seen < revision for watch in self._watches):
            log.warning("a watch of etcd has not delivered revision %d; it is restarted", revision)
            self._client.end_streams()
        self._expect(self._client.revision)

    async def _revoke(self, lease: EtcdLease) -> None:
        try:
            async with asyncio.timeout(REVOKE_S_MAX):
                await lease.revoke()
        except (StoreError, TimeoutError) as error:
            log.warning("the lease %d was left to expire: %s", lease.id, error)


class _Progress:
    """The progress of one watch."""

    def __init__(self, seen: Revision) -> None:
        self.seen = seen

    def is_next(self, revision: Revision) -> bool:
        """Note a transaction; return False if it was seen before."""
        if revision <= self.seen:
            return False
        if revision > self.seen + 1:
            raise CompactedError(Revision(self.seen + 1), revision)
        self.seen = revision
        return True
